#!/bin/sh
# Lists what the rules leave, calls what is allowed, and what is not.
set -eu

echo "# tools"
patchbay tools

echo "# allowed"
patchbay call skills__calculate expression='2 + 3 * 4'
patchbay call skills__echo text='in small letters'

echo "# arguments that are not"
patchbay call skills__echo text='SHOUTED' 2>&1 || echo "exit code $?"

echo "# a tool that is not"
patchbay call skills__time 2>&1 || echo "exit code $?"
