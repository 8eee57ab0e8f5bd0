"""An MCP server of 2025-06-18 on stdin and stdout. Its tool asks the user for a name."""

import json
import sys

TOOL = {
    "name": "card",
    "description": "Writes a card to somebody.",
    "inputSchema": {"type": "object"},
}
FORM = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


def send(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def receive():
    return json.loads(sys.stdin.readline() or sys.exit())


def card():
    send(id="who", method="elicitation/create", params={"message": "To whom?", "requestedSchema": FORM})
    answer = receive()
    return f"Dear {answer['result']['content']['name']}, all the best!"


while True:
    message = receive()
    if "id" not in message:
        continue
    method, params = message["method"], message.get("params", {})
    if method == "initialize":
        info = {"name": "cards", "version": "1"}
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info}
        send(id=message["id"], result=result)
    elif method == "tools/list":
        send(id=message["id"], result={"tools": [TOOL]})
    elif method == "tools/call":
        send(id=message["id"], result={"content": [{"type": "text", "text": card()}]})
    else:
        send(id=message["id"], error={"code": -32601, "message": "there is no such method"})
