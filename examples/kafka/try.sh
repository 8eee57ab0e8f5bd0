#!/bin/sh
# Two agents on the embedded bus, one in Python and one in C++, called over REST.
set -eu
base=${PATCHBAY_URL%/mcp}
# The listener opens before the bus has started.
health() { until curl -s "$base/health" | grep -oP "\"$1\":\"\\K[^\"]+"; do sleep 0.1; done; }
brokers=$(health bootstrap)
registry=$(health schema_registry)
work=$(mktemp -d)
agents=
trap 'kill $agents; rm -rf "$work"' EXIT

post() { curl -s "$base$1" -H 'Content-Type: application/json' -d "$2"; }
listed() { curl -s "$base/mcp/v1/tools?server=bus" | grep -q "\"bus.$1\""; }

/usr/bin/python3 agent.py "$brokers" 2>"$work/python.log" &
agents=$!
"${CXX:-clang++-19}" -std=c++20 agent.cc -o "$work/agent" -lrdkafka++
patchbay bus register --broker "$brokers" --name count --description "Counts characters" \
  --request-topic count.requests --response-topic count.replies
"$work/agent" "$brokers" count.requests count.replies 2>"$work/cpp.log" &
agents="$agents $!"
until listed shout && listed count; do sleep 0.1; done

echo "# the registered agents"
patchbay bus list --broker "$brokers"

echo "# an agent in Python"
post /api/shout '{"text": "hello"}'
echo
echo "# which answers a bad request too, and goes on"
post /api/shout '{"txt": 1}'
echo
post /api/shout '{"text": "still here"}'
echo
echo "# and one in C++"
post /api/count '{"a": 1}'
echo

echo "# a topic without an agent: produce a record and read it back"
post /api/notes '{"key": "monday", "value": {"text": "buy milk"}}' | grep -o '"topic":"[^"]*"'
patchbay bus consume notes --broker "$brokers" --from-beginning --count 1

echo "# a topic in Avro: JSON in and out, Avro on the bus"
schema='{"type": "record", "name": "Reading", "fields": [{"name": "celsius", "type": "float"},
  {"name": "unit", "type": "string", "default": "C"}]}'
quoted=$(printf '%s' "$schema" | tr -d '\n' | sed 's/"/\\"/g')
curl -s "$registry/subjects/readings-value/versions" \
  -d "{\"schemaType\": \"AVRO\", \"schema\": \"$quoted\"}" >"$work/added"
until curl -s "$base/mcp/v1/tools?server=bus" | grep -q celsius; do sleep 0.1; done
post /api/readings '{"key": "roof", "value": {"celsius": "warm"}}'
echo
post /api/readings '{"key": "roof", "value": {"celsius": 21.5}}' | grep -o '"topic":"[^"]*"'
until curl -sf "$base/rcs/kafka://bus/readings/roof"; do sleep 0.1; done
echo

echo "# an agent that is unregistered"
patchbay bus unregister count --broker "$brokers"
while listed count; do sleep 0.1; done
post /api/count '{}'
echo
