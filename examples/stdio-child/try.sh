#!/bin/sh
# Calls a program through the gateway, and then without it.
set -eu

echo "# tools of the gateway"
patchbay tools

echo "# 6 + 7 and 6 * 7"
patchbay call calculator__add a=6 b=7
patchbay call calculator__multiply a=6 b=7

echo "# the state of the upstream"
curl -s "${PATCHBAY_URL%/mcp}/ready"

echo "# the same program, without the gateway"
patchbay tools 'stdio: python3 calc_server.py'
patchbay call 'stdio: python3 calc_server.py' add a=6 b=7
