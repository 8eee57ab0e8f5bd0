#!/bin/sh
# Sends requests to a guest agent over its stdin.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

echo "# a program, a piece of code, an unsupported language"
patchbay agent <<'END'
{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}
{"jsonrpc":"2.0","id":2,"method":"exec","params":{"cmd":"echo out; echo err >&2; exit 3"}}
{"jsonrpc":"2.0","id":3,"method":"exec_code","params":{"lang":"sh","code":"echo $((6 * 7))"}}
{"jsonrpc":"2.0","id":4,"method":"exec_code","params":{"lang":"cobol","code":"DISPLAY 1"}}
END

echo "# files, confined to a folder"
patchbay agent --root "$folder" <<'END'
{"jsonrpc":"2.0","id":1,"method":"write_file","params":{"path":"notes/today.txt","content":"Hello, World!"}}
{"jsonrpc":"2.0","id":2,"method":"list_dir","params":{"path":"notes"}}
{"jsonrpc":"2.0","id":3,"method":"read_file","params":{"path":"notes/today.txt","offset":7,"length":5}}
{"jsonrpc":"2.0","id":4,"method":"read_file","params":{"path":"../../etc/passwd"}}
END

echo "# streamed output, and bytes that are not text"
patchbay agent <<'END' | sed 's/"duration_ms":[0-9]*/"duration_ms":0/'
{"jsonrpc":"2.0","id":1,"method":"exec","params":{"cmd":"echo one","stream":true}}
{"jsonrpc":"2.0","id":2,"method":"exec","params":{"cmd":"printf '\\377\\000'"}}
{"jsonrpc":"2.0","id":3,"method":"unknown","params":{}}
END
