#!/bin/sh
# A session-based server asks a stateless client for input.
set -eu

python3 client.py "$PATCHBAY_URL"
