#!/bin/sh
# Lists the allowed tools, makes an allowed call, and forbidden ones.
set -eu

echo "# tools"
patchbay tools

echo "# allowed"
patchbay call skills__calculate expression='2 + 3 * 4'
patchbay call skills__echo text='in small letters'

echo "# forbidden arguments"
patchbay call skills__echo text='SHOUTED' 2>&1 || echo "exit code $?"

echo "# a forbidden tool"
patchbay call skills__time 2>&1 || echo "exit code $?"
