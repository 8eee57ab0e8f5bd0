#!/bin/sh
# Creates a CA, a certificate for the gateway and one for a client, valid for 30 days.
set -eu
umask 077

new_key="-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"

openssl req -x509 $new_key -days 30 -subj "/CN=example authority" -keyout ca.key -out ca.pem

# usage: sign NAME EXTENDED_KEY_USAGE SUBJECT_ALT_NAMES
sign() {
  openssl req $new_key -subj "/CN=$1" -keyout "$1.key" -out "$1.csr" \
    -addext "extendedKeyUsage=$2" -addext "subjectAltName=$3"
  openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -days 30 -copy_extensions copy -out "$1.pem"
}

sign server serverAuth DNS:localhost,IP:127.0.0.1
sign client clientAuth URI:spiffe://example/agent
