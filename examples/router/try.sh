#!/bin/sh
# Calls a tool of the gateway through the router.
set -eu
url=${PATCHBAY_URL:-http://127.0.0.1:8080/mcp}
gateway="ws${url#http}"

echo "# a tool of the gateway, called through the router"
patchbay call \
  "stdio: patchbay router --gateway $gateway --token-command 'echo a-token-for-the-router'" \
  skills__calculate "expression=6 * 7"

echo "# the MCP messages"
printf '%s\n' \
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"sh","version":"1"}}}' \
  '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"skills__echo","arguments":{"text":"hello"}}}' |
  PATCHBAY_TOKEN=a-token-for-the-router patchbay router --gateway "$gateway" |
  sed -n 's/.*"id":2,.*"text":"\([a-z]*\)".*/\1/p'

echo "# an unknown token"
echo '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' |
  PATCHBAY_TOKEN=no-token-of-the-gateway patchbay router -q --gateway "$gateway" |
  sed -n 's/.*"message":"\(the gateway refuses the router\).*/\1/p'
