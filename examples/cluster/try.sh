#!/bin/sh
# Starts the store, two more gateways and HAProxy; the first gateway joins by itself.
set -eu
PATH=$PATH:/usr/sbin
first=${PATCHBAY_URL:-http://127.0.0.1:8080/mcp}
url=http://127.0.0.1:28790/mcp

"$(command -v valkey-server || command -v redis-server)" --bind 127.0.0.1 --port 28791 --save "" >/dev/null &
all=$!
trap 'kill $all 2>/dev/null || true' EXIT
GATEWAY=two patchbay serve -c config.yaml --listen 127.0.0.1:28792 >/dev/null 2>&1 &
two=$!
all="$all $two"
GATEWAY=three patchbay serve -c config.yaml --listen 127.0.0.1:28793 >/dev/null 2>&1 &
all="$all $!"
address=${first#http://}
FIRST=${address%/mcp} haproxy -q -db -f haproxy.cfg &
all="$all $!"

members() { PATCHBAY_URL=$1 patchbay cluster status 2>/dev/null | awk '$3 == "member" { print $1 }' | sort; }
for address in "$first" $url http://127.0.0.1:28792/mcp http://127.0.0.1:28793/mcp; do
  until [ "$(members "$address" | wc -l)" = 3 ]; do sleep 0.1; done
done
echo "# the members"
members $url

# A session that begins on the gateway `two`. Everything after that goes through HAProxy.
post() {
  curl -s "$1" -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
    -H "Mcp-Session-Id: ${session:-}" -H 'MCP-Protocol-Version: 2025-11-25' -d "$2"
}
session=$(curl -s -o /dev/null -D - http://127.0.0.1:28792/mcp -H 'Content-Type: application/json' \
  -H 'Accept: application/json, text/event-stream' -d '{"jsonrpc":"2.0","id":0,"method":"initialize","params":
  {"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"try","version":"1"}}}' |
  tr -d '\r' | awk 'tolower($1) == "mcp-session-id:" { print $2 }')
post $url '{"jsonrpc":"2.0","method":"notifications/initialized"}'
where() {
  post $url '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"desk__where","arguments":{}}}' |
    grep -o 'the program of gateway [a-z]*'
}
echo "# six calls of one session, each through the next gateway"
for _ in 1 2 3 4 5 6; do where; done | sort | uniq -c | awk '{ $1 = $1; print }'

kill -9 $two
wait $two 2>/dev/null || true
echo "# its gateway is gone"
for _ in 1 2 3; do where; done | sort -u | sed 's/gateway .*/another gateway/'
