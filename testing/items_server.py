#!/usr/bin/env python3
"""An MCP server on stdio with everything but special tools: prompts, resources, templates, completion.

Lists come in pages of two. The tool `grow` adds one of each and notifies; `ask` sends a request to
the client and returns the answer, `pester` many at once; `log` logs on every level; `wait` answers
after a second, so that two calls run at once; `touch` notifies of every subscribed resource; `die`
ends the program. ITEMS_NAME distinguishes two copies in their answers; ITEMS_ONLY limits the
capabilities (a comma list).
"""

import json
import os
import sys
import time

NAME = os.environ.get("ITEMS_NAME", "items")
CAPABILITIES = [part for part in os.environ.get("ITEMS_ONLY", "tools,prompts,resources").split(",")]
PAGE = 2

tools = [
    {"name": name, "description": name, "inputSchema": {"type": "object"}}
    for name in ("grow", "ask", "pester", "log", "wait", "touch", "die")
]
LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
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


def text(value):
    return {"content": [{"type": "text", "text": json.dumps(value)}]}


def ask(params):
    """Asks the client, and answers the call once the client has answered."""
    arguments = params["arguments"]
    send({"id": "question", "method": arguments["method"], "params": arguments.get("params", {})})
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("id") == "question" and "method" not in message:
            return text({key: message[key] for key in ("result", "error") if key in message})
        waiting.append(message)
    raise SystemExit


def pester(params):
    """Asks the client many things at once; how many were refused."""
    count = params["arguments"]["count"]
    for number in range(count):
        send({"id": f"question {number}", "method": "roots/list", "params": {}})
    refused = 0
    for _ in range(count):
        refused += "error" in json.loads(sys.stdin.readline())
    return text(refused)


def log(_params):
    for level in LEVELS:
        send({"method": "notifications/message", "params": {"level": level, "data": NAME}})
    return text("logged")


def wait(_params):
    time.sleep(1)
    return text("waited")


subscribed = set()


def subscribe(params):
    if params["uri"] not in {resource["uri"] for resource in resources} | {"test://item/7"}:
        raise Refusal(-32002, "Resource not found", {"uri": params["uri"]})
    subscribed.add(params["uri"])
    return {}


def unsubscribe(params):
    subscribed.discard(params["uri"])
    return {}


def touch(_params):
    """Changes every resource with a subscription; returns which."""
    for uri in sorted(subscribed):
        send({"method": "notifications/resources/updated", "params": {"uri": uri}})
    return text(sorted(subscribed))


def die(_params):
    os._exit(1)


TOOLS = {"grow": grow, "ask": ask, "pester": pester, "log": log, "wait": wait, "touch": touch, "die": die}
waiting = []  # Came while a question was open.

METHODS = {
    "initialize": lambda params: {
        "protocolVersion": params["protocolVersion"],
        "capabilities": {name: {"listChanged": True} for name in CAPABILITIES} | {"completions": {}},
        "serverInfo": {"name": NAME, "version": "1"},
    },
    "ping": lambda params: {},
    "tools/list": lambda params: page("tools", tools, params),
    "tools/call": lambda params: TOOLS[params["name"]](params),
    "prompts/list": lambda params: page("prompts", prompts, params),
    "prompts/get": prompt,
    "resources/list": lambda params: page("resources", resources, params),
    "resources/templates/list": lambda params: page("resourceTemplates", templates, params),
    "resources/read": read,
    "resources/subscribe": subscribe,
    "resources/unsubscribe": unsubscribe,
    "completion/complete": complete,
}


def messages():
    while True:
        while waiting:
            yield waiting.pop(0)
        line = sys.stdin.readline()
        if not line:
            return
        yield json.loads(line)


def main():
    for message in messages():
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
