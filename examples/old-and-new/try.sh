#!/bin/sh
# A client without sessions is asked by a server with one.
set -eu

python3 client.py "$PATCHBAY_URL"
