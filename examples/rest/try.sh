#!/bin/sh
# Uses tools and resources with curl only.
set -eu
base=${PATCHBAY_URL%/mcp}

post() { curl -s "$base$1" -H 'Content-Type: application/json' -d "$2"; }

echo "# tools of the shop, as a list"
curl -s "$base/gateway/demo/mcp/v1/tools?server=shop" | grep -o '"name":"[^"]*"'

echo "# a call"
post /api/skills.calculate '{"expression": "2 + 3 * 4"}'
echo

echo "# an argument that violates the schema"
post /api/shop.order '{"colour": 7}'
echo

echo "# a tool that asks a question: the link, then the answer"
asked=$(post /api/shop.order '{"colour": "red"}')
echo "$asked" | grep -o '"message": *"[^"]*"'
link=$(echo "$asked" | sed 's/.*"answer_at":"\([^"]*\)".*/\1/')
post "$link" '{"elicitation-1": {"action": "accept", "content": {"size": "M"}}}'
echo

echo "# resources"
curl -s "$base/rcs/shop://terms"
curl -s -o /dev/null -w '%{content_type}, %{size_download} bytes\n' "$base/rcs/shop://logo"

echo "# the shop's paths in the OpenAPI document"
curl -s "$base/openapi.json" | grep -o '"/[a-z]*/shop[^"]*":' | tr -d '":'
