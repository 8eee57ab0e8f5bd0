#!/bin/sh
# Lists the remaining skills, and calls one by its new name.
set -eu

echo "# tools"
patchbay tools

echo "# the new name, and the old one"
patchbay call skills__compute expression='2 + 3 * 4'
patchbay call skills__calculate expression='2 + 3 * 4' 2>&1 || echo "exit code $?"
