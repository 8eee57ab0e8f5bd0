"""An MCP server with one tool that names the gateway which runs it."""

import json
import os
import sys

WHERE_TOOL = {
    "name": "where",
    "description": "Which gateway runs this program.",
    "inputSchema": {"type": "object"},
}


def result_of(method, params):
    if method == "initialize":
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "desk", "version": "1"},
        }
    if method == "tools/list":
        return {"tools": [WHERE_TOOL]}
    text = f"the program of gateway {os.environ['GATEWAY']}"
    return {"content": [{"type": "text", "text": text}]}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        result = result_of(message["method"], message.get("params", {}))
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
