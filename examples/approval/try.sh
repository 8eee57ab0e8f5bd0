#!/bin/sh
# Calls a tool that needs approval, approves it, and calls it again, twice.
set -eu

echo "# not approved"
answer=$(patchbay call skills__echo text=hello 2>&1) || echo "exit code $?"
echo "$answer" | sed 's/[0-9a-f]\{32\}/ID/g'

echo "# pending approvals"
patchbay approve | sed 's/^[0-9a-f]*/ID/'

echo "# approved"
id=$(patchbay approve | cut -d ' ' -f 1)
patchbay approve "$id" | sed 's/^[0-9a-f]*/ID/'
patchbay call skills__echo text=hello

echo "# an approval works once"
patchbay call skills__echo text=hello >/dev/null 2>&1 || echo "exit code $?"
