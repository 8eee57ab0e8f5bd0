"""An MCP server with one tool, which tries to access files and the network."""

import json
import os
import socket
import sys

TOOL = {"name": "look", "description": "Says what it can see.", "inputSchema": {"type": "object"}}


def look():
    try:
        socket.create_connection(("192.0.2.1", 80), timeout=1)
        network = "a network"
    except OSError:
        network = "no network"
    home = "somebody's home" if os.path.exists("/root") or os.path.exists("/home") else "no home"
    return f"{network}, {home}, {len(os.listdir('/workspace'))} files, uid {os.getuid()}"


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    answers = {
        "initialize": lambda: {
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "notes", "version": "1"},
        },
        "tools/list": lambda: {"tools": [TOOL]},
        "tools/call": lambda: {"content": [{"type": "text", "text": look()}]},
    }
    answer = {"jsonrpc": "2.0", "id": message["id"]}
    if message["method"] in answers:
        answer["result"] = answers[message["method"]]()
    else:
        answer["error"] = {"code": -32601, "message": "no such method"}
    print(json.dumps(answer), flush=True)
