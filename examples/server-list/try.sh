#!/bin/sh
# Calls servers configured by endpoint, and converts the list to upstreams.
set -eu

echo "# tools"
patchbay tools

echo "# 5 + 3"
patchbay call calculator.add a=5 b=3

echo "# the list as upstreams"
echo "calculator:stdio://python3 calc_server.py, webapi:http://localhost:3000" | patchbay import -
