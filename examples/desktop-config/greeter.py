"""An MCP server with one tool that greets with the text of the GREETING variable."""

import json
import os
import sys

GREET = {
    "name": "greet",
    "description": "Greets someone.",
    "inputSchema": {
        "type": "object",
        "properties": {"who": {"type": "string"}},
        "required": ["who"],
    },
}


def result_of(method, params):
    if method == "initialize":
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "greeter", "version": "1"},
        }
    if method == "tools/list":
        return {"tools": [GREET]}
    text = f"{os.environ['GREETING']}, {params['arguments']['who']}."
    return {"content": [{"type": "text", "text": text}]}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        result = result_of(message["method"], message.get("params", {}))
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
