#!/bin/sh
# Sends goals and prints the responses.
set -eu

goal() {
  echo "# $1"
  curl -s -X POST "${PATCHBAY_URL%/mcp}/api/agent/execute" \
    -H "Content-Type: application/json" -d "{\"goal\":\"$1\"}"
  echo
}

goal "calculate: 12 / 4"
goal "what is (3 + 4) * 2?"
goal "summarize in 1 sentence: Bees buzz. Bees make honey, and honey feeds bees. It rained."
goal "weather in Paris"
goal "search: queen"
goal "skills.summarize: text='One is short. Two is much longer than one is. Three.' sentences=1"
goal "calculate: 2 + 3 then calculate: {previous} * 2 then echo: it is {previous}"
goal "calculate: 1 / 0 then echo: never"
goal "sing a song"

echo "# the skills"
curl -s "${PATCHBAY_URL%/mcp}/api/agent/skills"
echo

echo "# the same at a prompt"
printf 'calculate: 6 * 7\nexit\n' | patchbay chat
