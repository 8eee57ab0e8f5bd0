#!/bin/sh
# Starts the server, to which the gateway connects by itself, and calls two of its tools.
set -eu

said=$(mktemp)
python3 notes_server.py >"$said" &
server=$!
trap 'kill $server 2>/dev/null || true; rm -f "$said"' EXIT

until patchbay call notes__read >/dev/null 2>&1; do sleep 0.1; done
patchbay call notes__read
patchbay call notes__write
echo "# the scopes granted first, and those that the second tool needs"
sort -u "$said"
