"""An MCP server with one tool that returns its own process id."""

import json
import os
import sys

PID_TOOL = {
    "name": "pid",
    "description": "Which process answers.",
    "inputSchema": {"type": "object"},
}


def result_of(method, params):
    if method == "initialize":
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "worker", "version": "1"},
        }
    if method == "tools/list":
        return {"tools": [PID_TOOL]}
    return {"content": [{"type": "text", "text": str(os.getpid())}]}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        result = result_of(message["method"], message.get("params", {}))
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
