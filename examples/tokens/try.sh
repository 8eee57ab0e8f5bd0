#!/bin/sh
# Calls without a token, with one from the configuration, and with one that is created and revoked.
set -eu
base=${PATCHBAY_URL%/mcp}
trap 'rm -f tokens.tmp tokens.tmp.lock' EXIT

status() { curl -s -o /dev/null -w '%{http_code}\n' "$base/mcp/v1/tools" -H "Authorization: Bearer $1"; }
until_status() { while [ "$(status "$2")" != "$1" ]; do sleep 0.1; done; }

echo "# without a token"
curl -s -D - -o /dev/null "$base/mcp/v1/tools" | grep -io '^\(HTTP/1.1 401\|www-authenticate: bearer\)'

echo "# with the token of ci"
PATCHBAY_TOKEN=an-example-is-no-place-for-secrets patchbay call skills__calculate expression='6 * 7'

echo "# a new token for ann"
token=$(patchbay token create ann --role reader --expires 24h --file tokens.tmp 2>/dev/null)
until_status 200 "$token"
PATCHBAY_TOKEN=$token patchbay call skills__echo text='hello from ann'
patchbay token list --file tokens.tmp | grep -o 'ann  roles reader'

echo "# revoked"
patchbay token revoke ann --file tokens.tmp
until_status 401 "$token"
echo "refused"
