#!/bin/sh
# A call over frames, the bytes of a frame, and forged frames.
set -eu
url=${PATCHBAY_WIRE_URL:-tcp://127.0.0.1:8444}

echo "# a call over frames"
patchbay call "$url" skills__calculate "expression=6 * 7"

echo "# the bytes of a frame, and the decoded frame"
patchbay wire send - --type ping --header 8
patchbay wire send - --type close bye | patchbay wire dump --hex

echo "# a compressed request"
patchbay wire send "$url" '{"jsonrpc":"2.0","id":1,"method":"ping"}' --gzip --json |
  sed -n 's/.*"mark":"<".*"mcp_payload":\({.*}\)}}$/\1/p'

echo "# a frame of an unknown type"
patchbay wire send "$url" --bytes "4D 43 09 00 00 00 00" --json |
  sed -n 's/.*"code":"\([A-Z_]*\)".*/\1/p'
