#!/bin/sh
# Speaks to a guest agent over its stdin.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

echo "# a program, a piece of code, a language that nobody runs"
patchbay agent <<'END'
{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}
{"jsonrpc":"2.0","id":2,"method":"exec","params":{"cmd":"echo out; echo err >&2; exit 3"}}
{"jsonrpc":"2.0","id":3,"method":"exec_code","params":{"lang":"sh","code":"echo $((6 * 7))"}}
{"jsonrpc":"2.0","id":4,"method":"exec_code","params":{"lang":"cobol","code":"DISPLAY 1"}}
END

echo "# files, in a folder that is not left"
patchbay agent --root "$folder" <<'END'
{"jsonrpc":"2.0","id":1,"method":"write_file","params":{"path":"notes/today.txt","content":"Hello, World!"}}
{"jsonrpc":"2.0","id":2,"method":"list_dir","params":{"path":"notes"}}
{"jsonrpc":"2.0","id":3,"method":"read_file","params":{"path":"notes/today.txt","offset":7,"length":5}}
{"jsonrpc":"2.0","id":4,"method":"read_file","params":{"path":"../../etc/passwd"}}
END

echo "# output as it is written, and bytes that are no text"
patchbay agent <<'END' | sed 's/"duration_ms":[0-9]*/"duration_ms":0/'
{"jsonrpc":"2.0","id":1,"method":"exec","params":{"cmd":"echo one","stream":true}}
{"jsonrpc":"2.0","id":2,"method":"exec","params":{"cmd":"printf '\\377\\000'"}}
{"jsonrpc":"2.0","id":3,"method":"unknown","params":{}}
END
