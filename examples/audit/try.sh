#!/bin/sh
# Makes four calls, one more than the limit, and queries the audit records.
set -eu
base=${PATCHBAY_URL%/mcp}

echo "# three calls, and one above the limit"
for expression in 1+1 2+2 3+ 4+4; do
  curl -s -o /dev/null -w '%{http_code}\n' "$base/api/calculate" \
    -H 'Content-Type: application/json' -d "{\"expression\": \"$expression\"}"
done

echo "# the last lines of the file"
tail -n 4 audit.jsonl | grep -o '"target":"[^"]*"\|"outcome":"[^"]*"' | paste -d ' ' - -

echo "# the same from the database"
patchbay audit -c config.yaml --limit 1 --outcome '!ok' --since 1h | awk '{ print $2, $3, $4, $5 }'
