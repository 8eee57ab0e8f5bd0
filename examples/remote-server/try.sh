#!/bin/sh
# Starts two replicas of a server, to which the gateway connects by itself, and stops one of them.
set -eu

python3 notes_server.py 28731 &
first=$!
python3 notes_server.py 28732 &
second=$!
trap 'kill $first $second 2>/dev/null || true' EXIT

# Prints which replicas answer six calls. A call may fail while a server starts or stops; it then prints an error
# instead of the result.
answering() {
  for _ in 1 2 3 4 5 6; do patchbay call notes__where || true; done 2>/dev/null | grep '^the replica' | sort -u
}

until [ "$(answering | wc -l)" = 2 ]; do sleep 0.1; done
echo "# both replicas are up"
answering

kill $first
wait $first 2>/dev/null || true
echo "# one replica is down"
answering
