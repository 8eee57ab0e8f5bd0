#!/bin/sh
# Lists the built-in skills and calls some of them, by command and by curl.
set -eu

echo "# tools, except those of the sandbox, which not every machine supports"
patchbay tools | cut -d' ' -f1 | grep -v '^sandbox__'

echo "# calculate"
patchbay call skills__calculate expression='2 + 3 * 4'

echo "# echo, with the arguments as JSON"
patchbay call skills__echo '{"text": "hello"}'

echo "# a failed call: the tool's message and the exit code"
code=0
patchbay call skills__calculate expression='2 +' 2>/dev/null || code=$?
echo "exit code $code"

echo "# curl"
curl -s "$PATCHBAY_URL" \
  -H 'Content-Type: application/json' \
  -H 'MCP-Protocol-Version: 2026-07-28' \
  -H 'Mcp-Method: tools/call' \
  -H 'Mcp-Name: skills__calculate' \
  -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{
        "name":"skills__calculate","arguments":{"expression":"2 ^ 10"},
        "_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
                 "io.modelcontextprotocol/clientCapabilities":{}}}}' |
  grep -o '"content":.*]'
