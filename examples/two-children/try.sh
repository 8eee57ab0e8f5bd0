#!/bin/sh
# Two upstreams offer `stock`; one offers `prices`.
set -eu

call() {
  curl -s -w '\n' "$PATCHBAY_URL" \
    -H 'Content-Type: application/json' \
    -H 'MCP-Protocol-Version: 2026-07-28' \
    -H 'Mcp-Method: tools/call' \
    -H "Mcp-Name: $1" \
    -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"'"$1"'",
          "_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
                   "io.modelcontextprotocol/clientCapabilities":{}}}}' |
    sed -n -e 's/.*"text": *"\([^"]*\)".*/\1/p' -e 's/.*"message": *"\([^"]*\)".*/\1/p'
}

echo "# tools"
patchbay tools

echo "# listed names"
patchbay call prices
patchbay call lyon__stock
patchbay call oslo__stock

echo "# another spelling, and an ambiguous one"
call lyon.prices
call stock
