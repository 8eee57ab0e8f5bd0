#!/bin/sh
# The same call with a certificate, without one, and without TLS.
set -eu
url=${PATCHBAY_TLS_URL:-https://localhost:8443/mcp}
base=${url%/mcp}

echo "# with a certificate"
patchbay call "$url" skills__calculate "expression=6 * 7" --ca ca.pem --cert client.pem --key client.key
curl -s -o /dev/null -w "%{http_code}\n" --cacert ca.pem --cert client.pem --key client.key "$base/health"

echo "# without one"
patchbay tools "$url" --ca ca.pem 2>/dev/null || echo "refused"

echo "# without TLS"
curl -s "http${base#https}/health"
