#!/usr/bin/env python3
"""A small MCP server on stdin and stdout: one tool that asks a question, two resources."""

import json
import sys

FORM = {
    "message": "Which size?",
    "requestedSchema": {"type": "object", "properties": {"size": {"enum": ["S", "M", "L"]}}},
}
ORDER = {
    "name": "order",
    "description": "Orders a shirt.",
    "inputSchema": {
        "type": "object",
        "properties": {"colour": {"type": "string"}},
        "required": ["colour"],
    },
    "outputSchema": {"type": "object", "properties": {"ordered": {"type": "string"}}},
}
RESOURCES = {
    "shop://terms": {"mimeType": "text/markdown", "text": "# Terms\nNone.\n"},
    "shop://logo": {"mimeType": "image/gif", "blob": "R0lGODlhAQABAAAAACwAAAAAAQABAAAC"},
}


def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def read(uri):
    return {"contents": [{"uri": uri, **RESOURCES[uri]}]}


ANSWERS = {
    "initialize": lambda params: {
        "protocolVersion": params["protocolVersion"],
        "capabilities": {"tools": {}, "resources": {}},
        "serverInfo": {"name": "shop", "version": "1"},
    },
    "tools/list": lambda params: {"tools": [ORDER]},
    "resources/list": lambda params: {
        "resources": [
            {"uri": uri, "name": uri.rpartition("/")[2], "mimeType": content["mimeType"]}
            for uri, content in RESOURCES.items()
        ]
    },
    "resources/templates/list": lambda params: {"resourceTemplates": []},
    "resources/read": lambda params: read(params["uri"]),
}

asked = {}  # The calls that asked a question, by the id of the question.

for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "tools/call":
        question = f"question-{message['id']}"
        asked[question] = message
        send({"id": question, "method": "elicitation/create", "params": FORM})
    elif message.get("id") in asked and "method" not in message:
        call = asked.pop(message["id"])
        size = message.get("result", {}).get("content", {}).get("size", "no")
        shirt = f"a {call['params']['arguments']['colour']} shirt of size {size}"
        content = [{"type": "text", "text": shirt}]
        send({"id": call["id"], "result": {"content": content, "structuredContent": {"ordered": shirt}}})
    elif message.get("method") in ANSWERS:
        send({"id": message["id"], "result": ANSWERS[message["method"]](message.get("params", {}))})
