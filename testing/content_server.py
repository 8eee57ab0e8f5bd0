#!/usr/bin/env python3
"""An MCP server on stdio whose tools and resources have what REST must represent: structured
results with recursive schemas, odd names, texts, bytes, nulls, hints for caches, several parts.

`slow` sends progress and log messages before it answers, `stuck` never answers, `ask` asks the client
and continues meanwhile. Input is not interpreted: `seen` returns the last request.
"""

import base64
import json
import sys

BYTES = bytes(range(256))

POINT = {"type": "object", "required": ["x"], "properties": {"x": {"type": "number"}}}
TOOLS = {
    "add": {
        "title": "Adds",
        "description": "Adds two numbers.",
        "inputSchema": {
            "type": "object",
            "properties": {"a": {"$ref": "#/$defs/number"}, "b": {"$ref": "#/$defs/number"}},
            "required": ["a", "b"],
            "additionalProperties": False,
            "$defs": {"number": {"type": "number"}},
            "examples": [{"a": 1, "b": 2}],
        },
        "outputSchema": {
            "type": "object",
            "properties": {"sum": {"type": "number"}},
            "required": ["sum"],
        },
    },
    "move": {"inputSchema": {"type": "object", "properties": {"to": POINT}}},
    "odd": {"outputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}}},
    "loose": {},
    "fail": {"outputSchema": {"type": "object", "required": ["never"]}},
    "refuse": {},
    "slow": {},
    "stuck": {},
    "ask": {},
    "seen": {},
    "with/slash": {},
    "ünï çode": {},
}

RESOURCES = {
    "test://text": {"mimeType": "text/markdown", "text": "# Title\n"},
    "test://bytes": {"mimeType": "application/x-bytes", "blob": base64.b64encode(BYTES).decode()},
    "test://null": {"mimeType": "text/html", "text": None},
    "test://json": {"mimeType": "application/json", "text": '{"a":1}'},
    "test://page": {"mimeType": "text/html", "text": "<script>alert(1)</script>"},
    "test://evil": {"mimeType": "text/plain\r\nX-Evil: yes", "text": "x"},
    "test://empty": {"mimeType": "text/plain", "text": ""},
    "test://broken": {"mimeType": "image/png", "blob": "not base64!"},
    "test://fresh": {"mimeType": "text/plain", "text": "fresh"},
    "test://a b?c=d%20e#f": {"mimeType": "text/plain", "text": "odd"},
    "client/7": {"mimeType": "text/plain", "text": "seven"},
}

FORM = {"message": "who?", "requestedSchema": {"type": "object", "properties": {}}}

last = {}


class Refusal(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.error = {"code": code, "message": message}


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def text(value, **more):
    return {"content": [{"type": "text", "text": value}], **more}


def slow(params):
    token = params.get("_meta", {}).get("progressToken")
    for step in (1, 2):
        if token is not None:
            send(
                {
                    "method": "notifications/progress",
                    "params": {"progressToken": token, "progress": step, "total": 2},
                }
            )
        send({"method": "notifications/message", "params": {"level": "info", "data": step}})
    return text("done")


def call(params):
    name, arguments = params["name"], params.get("arguments", {})
    if name != "seen":
        last.clear()
        last.update(params)
    if name == "add":
        total = arguments["a"] + arguments["b"]
        return text(str(total), structuredContent={"sum": total})
    if name == "odd":
        return text("odd", structuredContent={"n": "not a number"})
    if name == "loose":
        return text("loose", structuredContent={"anything": True})
    if name == "fail":
        return text("no luck", isError=True)
    if name == "refuse":
        raise Refusal(arguments.get("code", -32000), "refused")
    if name == "slow":
        return slow(params)
    if name == "stuck":
        return None
    if name == "seen":
        return text(json.dumps(last))
    return text(f"{name} {json.dumps(arguments, sort_keys=True)}")


def read(params):
    uri = params["uri"]
    if uri == "test://many":
        return {"contents": [{"uri": "test://text", **RESOURCES["test://text"]}] * 2}
    if uri.startswith("test://item/"):
        return {"contents": [{"uri": uri, "mimeType": "text/plain", "text": uri}]}
    if uri not in RESOURCES:
        raise Refusal(-32002, "Resource not found")
    result = {"contents": [{"uri": uri, **RESOURCES[uri]}]}
    return {**result, "ttlMs": 90000, "cacheScope": "public"} if uri == "test://fresh" else result


def tool_list():
    return [{"name": name, "inputSchema": {"type": "object"}, **tool} for name, tool in TOOLS.items()]


def resource_list():
    many = {"uri": "test://many", "name": "many"}
    return [many] + [
        {"uri": uri, "name": uri.rpartition("/")[2], "mimeType": content["mimeType"]}
        for uri, content in RESOURCES.items()
    ]


METHODS = {
    "initialize": lambda params: {
        "protocolVersion": params["protocolVersion"],
        "capabilities": {"tools": {}, "resources": {}, "logging": {}},
        "serverInfo": {"name": "content", "version": "1"},
    },
    "ping": lambda params: {},
    "tools/list": lambda params: {"tools": tool_list()},
    "tools/call": call,
    "resources/list": lambda params: {"resources": resource_list()},
    "resources/templates/list": lambda params: {
        "resourceTemplates": [{"uriTemplate": "test://item/{id}", "name": "item"}]
    },
    "resources/read": read,
    "prompts/list": lambda params: {"prompts": []},
    "logging/setLevel": lambda params: {},
}


def answered(message):
    """The client has answered what the call of that id asked."""
    notified = {key: message[key] for key in ("result", "error") if key in message}
    send({"id": json.loads(message["id"]), "result": text(json.dumps(notified))})


def main():
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        if "method" not in message:
            answered(message)
            continue
        if message["method"] == "tools/call" and message["params"]["name"] == "ask":
            question = json.dumps(message["id"])
            send({"id": question, "method": "elicitation/create", "params": FORM})
            continue
        try:
            if message["method"] not in METHODS:
                raise Refusal(-32601, "Method not found")
            result = METHODS[message["method"]](message.get("params", {}))
            if result is not None:
                send({"id": message["id"], "result": result})
        except Refusal as refusal:
            send({"id": message["id"], "error": refusal.error})


if __name__ == "__main__":
    main()
