#!/bin/sh
# Runs code in sandboxes, exceeds their limits, and tries forbidden operations from inside.
set -eu

# The output of a program is also sent as progress, which `patchbay call` prints on stderr.
call() { patchbay call "$@" 2>/dev/null; }
field() { python3 -c "import json, sys; print(json.load(sys.stdin)['$1'])"; }

echo "# code in a fresh sandbox"
call box__execute_code language=python code='print(6 * 7)' | field stdout

echo "# a sandbox for several calls"
box=$(call box__create_sandbox | field sandbox_id)
call box__write_file sandbox_id="$box" path=data.txt content=hello | field bytes
call box__run_command sandbox_id="$box" command='tr a-z A-Z < data.txt; id -un; hostname' | field stdout
call box__read_file sandbox_id="$box" path=/workspace/data.txt | field content

echo "# what a program cannot do"
call box__run_command sandbox_id="$box" command='cat /etc/shadow; unshare -U true' | field stderr
call box__execute_code sandbox_id="$box" language=python code='bytearray(1 << 30)' | field verdict
call box__run_command sandbox_id="$box" command='sleep 100' timeout_s=0.5 | field verdict
call box__execute_code sandbox_id="$box" language=python code='
import urllib.error, urllib.request
try: urllib.request.urlopen("http://example.com/")
except urllib.error.HTTPError as error: print(error.code, error.read().decode().strip())' | field stdout
call box__destroy_sandbox sandbox_id="$box" | field success

echo "# an upstream's program in a sandbox"
patchbay call notes__look
