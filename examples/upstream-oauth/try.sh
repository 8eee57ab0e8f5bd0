#!/bin/sh
# Starts the server, which the gateway finds by itself, and calls two of its tools.
set -eu

said=$(mktemp)
python3 notes_server.py >"$said" &
server=$!
trap 'kill $server 2>/dev/null || true; rm -f "$said"' EXIT

until patchbay call notes__read >/dev/null 2>&1; do sleep 0.1; done
patchbay call notes__read
patchbay call notes__write
echo "# what the authorization server gave first, and what the second tool needed"
sort -u "$said"
