"""A small MCP server on stdin and stdout: one JSON message per line, standard library only."""

import json
import sys

NUMBERS = {
    "type": "object",
    "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
    "required": ["a", "b"],
}
TOOLS = {
    "add": ("Adds two numbers.", lambda a, b: a + b),
    "multiply": ("Multiplies two numbers.", lambda a, b: a * b),
}


def initialize(params):
    return {
        "protocolVersion": params["protocolVersion"],
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "calc_server", "version": "1"},
    }


def list_tools(_):
    return {
        "tools": [
            {"name": name, "description": description, "inputSchema": NUMBERS}
            for name, (description, _) in TOOLS.items()
        ]
    }


def call_tool(params):
    try:
        _, compute = TOOLS[params["name"]]
        text, failed = str(compute(**params.get("arguments", {}))), False
    except (KeyError, TypeError) as error:
        text, failed = f"cannot compute: {error}", True
    return {"content": [{"type": "text", "text": text}], "isError": failed}


METHODS = {"initialize": initialize, "tools/list": list_tools, "tools/call": call_tool}

for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue  # A notification gets no response.
    answer = {"jsonrpc": "2.0", "id": message["id"]}
    if message["method"] in METHODS:
        answer["result"] = METHODS[message["method"]](message.get("params", {}))
    else:
        answer["error"] = {"code": -32601, "message": "there is no such method"}
    print(json.dumps(answer), flush=True)
