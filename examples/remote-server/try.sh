#!/bin/sh
# Starts two copies of a server, which the gateway finds by itself, and ends one of them.
set -eu

python3 notes_server.py 28731 &
first=$!
python3 notes_server.py 28732 &
second=$!
trap 'kill $first $second 2>/dev/null || true' EXIT

# Which replicas six calls are answered by. A call may fail while a server comes or goes, and says so where the answer
# would be.
answering() {
  for _ in 1 2 3 4 5 6; do patchbay call notes__where || true; done 2>/dev/null | grep '^the replica' | sort -u
}

until [ "$(answering | wc -l)" = 2 ]; do sleep 0.1; done
echo "# both replicas are up"
answering

kill $first
wait $first 2>/dev/null || true
echo "# one is gone"
answering
