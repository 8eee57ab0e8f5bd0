#!/bin/sh
# Starts a chain of three agents with one call. Each agent consumes the topic to which the previous
# one produces; there is no central coordinator.
set -eu
base=${PATCHBAY_URL%/mcp}
brokers=$(curl -s "$base/health" | sed 's/.*"bootstrap":"\([^"]*\)".*/\1/')
agents=
trap 'kill $agents' EXIT

start() {
  /usr/bin/python3 agent.py "$brokers" "$@" 2>/dev/null &
  agents="$agents $!"
}
start price orders priced
start tax priced taxed
start ship taxed shipped
patchbay bus register --broker "$brokers" --name order --description "Prices, taxes and ships" \
  --request-topic orders --response-topic shipped
until curl -s "$base/mcp/v1/tools?server=shop" | grep -q '"shop.order"'; do sleep 0.1; done

echo "# one call, three agents"
curl -s "$base/api/order" -H 'Content-Type: application/json' -d '{"pieces": 4}'
echo
echo "# the record that each agent produced"
for topic in priced taxed shipped; do
  patchbay bus consume "$topic" --broker "$brokers" --from-beginning --count 1 | cut -f2
done
