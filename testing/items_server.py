#!/usr/bin/env python3
"""An MCP server on stdio with everything but tools' tricks: prompts, resources, templates, completion.

Lists come in pages of two. The tool `grow` adds one of each and tells. ITEMS_NAME tells two copies
apart in what they answer; ITEMS_ONLY limits the capabilities (a comma list).
"""

import json
import os
import sys

NAME = os.environ.get("ITEMS_NAME", "items")
CAPABILITIES = [part for part in os.environ.get("ITEMS_ONLY", "tools,prompts,resources").split(",")]
PAGE = 2

tools = [{"name": "grow", "description": "Adds one of each.", "inputSchema": {"type": "object"}}]
prompts = [
    {"name": name, "title": name.title(), "arguments": [{"name": "who", "required": False}]}
    for name in ("greet", "scold", "thank")
]
resources = [
    {"uri": f"test://{name}", "name": name, "mimeType": "text/plain"} for name in ("a", "b", "c")
] + [{"uri": f"{NAME}://own", "name": "own"}]
templates = [{"uriTemplate": "test://item/{id}", "name": "item"}]


class Refusal(Exception):
    def __init__(self, code, message, data=None):
        super().__init__(message)
        self.error = {"code": code, "message": message, **({"data": data} if data else {})}


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def page(member, items, params):
    start = int(params.get("cursor", 0))
    result = {member: items[start : start + PAGE]}
    if start + PAGE < len(items):
        result["nextCursor"] = str(start + PAGE)
    return result


def read(params):
    uri = params["uri"]
    known = {resource["uri"] for resource in resources}
    if uri not in known and not uri.startswith("test://item/"):
        raise Refusal(-32002, "Resource not found", {"uri": uri})
    return {"contents": [{"uri": uri, "mimeType": "text/plain", "text": f"{NAME} has {uri}"}]}


def prompt(params):
    if params["name"] not in {prompt["name"] for prompt in prompts}:
        raise Refusal(-32602, f"Unknown prompt: {params['name']}")
    who = params.get("arguments", {}).get("who", "world")
    text = f"{NAME} {params['name']} {who}"
    return {"messages": [{"role": "user", "content": {"type": "text", "text": text}}]}


def complete(params):
    reference, argument = params["ref"], params["argument"]
    named = reference.get("name") or reference.get("uri")
    values = [f"{named}:{argument['name']}:{argument['value']}{end}" for end in ("1", "2")]
    return {"completion": {"values": values, "total": 2, "hasMore": False}}


def grow(_params):
    prompts.append({"name": "new"})
    resources.append({"uri": "test://new", "name": "new"})
    for kind in ("prompts", "resources"):
        send({"method": f"notifications/{kind}/list_changed"})
    return {"content": [{"type": "text", "text": "grown"}]}


METHODS = {
    "initialize": lambda params: {
        "protocolVersion": params["protocolVersion"],
        "capabilities": {name: {"listChanged": True} for name in CAPABILITIES} | {"completions": {}},
        "serverInfo": {"name": NAME, "version": "1"},
    },
    "ping": lambda params: {},
    "tools/list": lambda params: page("tools", tools, params),
    "tools/call": grow,
    "prompts/list": lambda params: page("prompts", prompts, params),
    "prompts/get": prompt,
    "resources/list": lambda params: page("resources", resources, params),
    "resources/templates/list": lambda params: page("resourceTemplates", templates, params),
    "resources/read": read,
    "completion/complete": complete,
}


def main():
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        try:
            if message["method"] not in METHODS:
                raise Refusal(-32601, "Method not found")
            result = METHODS[message["method"]](message.get("params", {}))
            send({"id": message["id"], "result": result})
        except Refusal as refusal:
            send({"id": message["id"], "error": refusal.error})


if __name__ == "__main__":
    main()
