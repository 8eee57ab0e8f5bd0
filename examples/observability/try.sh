#!/bin/sh
# Starts a small collector and makes two calls; the second one fails.
set -eu

python3 collector.py 28751 &
collector=$!
trap 'kill $collector 2>/dev/null || true' EXIT

patchbay call skills__calculate expression='6 * 7'
patchbay call skills__calculate expression='1 / 0' 2>&1 || true

echo "# what the collector has received"
wait $collector
