#!/usr/bin/env python3
"""An MCP server on stdio whose tools use everything that a page must handle.

Nested forms, progress, questions to the client, pictures and sounds, links, structured results,
prompts, templates with completion; and with `hostile` as its argument, texts that attack a page.
"""

import base64
import json
import struct
import sys
import threading
import time
import zlib

WRITING = threading.Lock()
WAITING = {}  # The id of a question -> [event, reply].
CANCELLED = set()


def send(message):
    with WRITING:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()


def text(value, **more):
    return {"content": [{"type": "text", "text": value}], **more}


def png(size=96):
    """A small picture: two colours that meet."""
    rows = b"".join(
        b"\0" + b"".join(bytes((40 + x, 90 + y, 200 - (x + y) // 2)) for x in range(size)) for y in range(size)
    )

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    head = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def wav(samples=4000):
    data = bytes(128 + (60 if i // 20 % 2 else -60) for i in range(samples))
    head = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + samples, b"WAVE", b"fmt ", 16, 1, 1, 8000, 8000, 1, 8, b"data", samples)
    return head + data


def ask(method, params):
    key = f"q{len(WAITING) + 1}"
    waiting = WAITING[key] = [threading.Event(), None]
    send({"id": key, "method": method, "params": params})
    waiting[0].wait()
    return waiting[1]


# ---- Tools


def echo(arguments, _request):
    return text(json.dumps(arguments, ensure_ascii=False))


def order(arguments, _request):
    lines = arguments.get("lines") or []
    total = sum(line.get("quantity", 1) * line.get("price", 0) for line in lines)
    result = {"number": "A-1042", "total": total, "lines": len(lines)}
    return {"content": [{"type": "text", "text": json.dumps(result)}], "structuredContent": result}


def steps(arguments, request):
    token = (request["params"].get("_meta") or {}).get("progressToken")
    count = int(arguments.get("steps", 5))
    for step in range(1, count + 1):
        if request["id"] in CANCELLED:
            return None
        if token is not None:
            progress = {"progressToken": token, "progress": step, "total": count, "message": f"step {step} of {count}"}
            send({"method": "notifications/progress", "params": progress})
        time.sleep(float(arguments.get("delay", 0)))
    return text(f"{count} steps done")


def wait(arguments, request):
    """Waits until it is cancelled."""
    while request["id"] not in CANCELLED:
        time.sleep(0.01)
    return None


FORM = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Name", "description": "How we address you", "minLength": 1},
        "size": {"type": "string", "enum": ["small", "large"], "enumNames": ["Small", "Large"], "default": "small"},
        "gift": {"type": "boolean", "title": "As a gift", "default": False},
    },
    "required": ["name"],
}


def survey(_arguments, _request):
    reply = ask("elicitation/create", {"message": "Please complete your order.", "requestedSchema": FORM})
    return text(json.dumps(reply.get("result", reply.get("error"))))


def summarize(arguments, _request):
    content = {"type": "text", "text": "Summarize: " + str(arguments.get("text", ""))}
    reply = ask(
        "sampling/createMessage",
        {"messages": [{"role": "user", "content": content}], "systemPrompt": "Be brief.", "maxTokens": 200},
    )
    return text(json.dumps(reply.get("result", reply.get("error"))))


def media(_arguments, _request):
    return {
        "content": [
            {"type": "text", "text": "A picture, a sound and a link."},
            {"type": "image", "mimeType": "image/png", "data": base64.b64encode(png()).decode()},
            {"type": "audio", "mimeType": "audio/wav", "data": base64.b64encode(wav()).decode()},
            {"type": "resource_link", "uri": "shop://terms", "name": "terms", "title": "Terms", "mimeType": "text/plain"},
            {"type": "resource", "resource": {"uri": "shop://terms", "mimeType": "text/plain", "text": "No returns."}},
        ]
    }


def fail(arguments, _request):
    return text(str(arguments.get("why", "out of stock")), isError=True)


def complain(arguments, _request):
    sys.stderr.write(str(arguments.get("text", "something is wrong")) + "\n")
    sys.stderr.flush()
    return text("complained")


ORDER = {
    "type": "object",
    "$defs": {
        "address": {
            "type": "object",
            "properties": {
                "street": {"type": "string"},
                "city": {"type": "string", "default": "Bern"},
                "country": {"type": "string", "enum": ["CH", "DE", "FR"]},
            },
            "required": ["street", "city"],
        }
    },
    "properties": {
        "customer": {"type": "string", "title": "Customer", "description": "Name or number of the customer", "minLength": 2},
        "lines": {
            "type": "array",
            "title": "Lines",
            "minItems": 1,
            "items": {
                "type": "object",
                "properties": {
                    "article": {"type": "string"},
                    "quantity": {"type": "integer", "minimum": 1, "default": 1},
                    "price": {"type": "number", "minimum": 0},
                },
                "required": ["article", "quantity"],
            },
        },
        "priority": {"type": "string", "enum": ["low", "normal", "high"], "default": "normal"},
        "express": {"type": "boolean", "description": "Deliver tomorrow"},
        "address": {"$ref": "#/$defs/address"},
        "payment": {
            "title": "Payment",
            "oneOf": [
                {
                    "title": "Card",
                    "type": "object",
                    "properties": {"kind": {"const": "card"}, "number": {"type": "string"}},
                    "required": ["kind", "number"],
                },
                {
                    "title": "Invoice",
                    "type": "object",
                    "properties": {"kind": {"const": "invoice"}, "days": {"type": "integer", "maximum": 60}},
                    "required": ["kind", "days"],
                },
            ],
        },
        "labels": {"type": "array", "items": {"type": "string", "enum": ["fragile", "cold", "heavy"]}},
    },
    "required": ["customer", "lines"],
}
RESULT = {
    "type": "object",
    "properties": {"number": {"type": "string"}, "total": {"type": "number"}, "lines": {"type": "integer"}},
    "required": ["number", "total"],
}
OBJECT = {"type": "object"}


def properties(**parts):
    return {"type": "object", "properties": parts}


TOOLS = {
    "order": (order, "Places an order", "Orders articles for a customer.\n\nReturns the number of the order and its total.", ORDER, {"outputSchema": RESULT, "annotations": {"destructiveHint": True, "idempotentHint": False}}),
    "echo": (echo, "Echo", "Returns its arguments.", properties(text={"type": "string"}), {"annotations": {"readOnlyHint": True}}),
    "steps": (steps, "Steps", "Reports its progress.", properties(steps={"type": "integer", "default": 5}, delay={"type": "number", "default": 0.05}), {}),
    "wait": (wait, "Wait", "Waits until it is cancelled.", OBJECT, {}),
    "survey": (survey, "Survey", "Asks you to complete a form.", OBJECT, {}),
    "summarize": (summarize, "Summarize", "Asks a model for a summary.", properties(text={"type": "string"}), {}),
    "media": (media, "Media", "Returns a picture, a sound and a link.", OBJECT, {}),
    "fail": (fail, "Fail", "Reports an error.", properties(why={"type": "string"}), {}),
    "complain": (complain, "Complain", "Writes a line to stderr.", properties(text={"type": "string"}), {}),
}

EVIL = "<script>window.evil=1</script><img src=x onerror=window.evil=1>"
BIDI = "\u202egnirts\u202c \u2066x\u2069 "


def hostile():
    tools = {}
    long = EVIL + "**bold** [link](javascript:window.evil=1) " + BIDI + "wide" * 300
    for i in range(2000):
        schema = properties(text={"type": "string", "title": EVIL, "description": long})
        tools[f"tool_{i:04}"] = (lambda a, _r: text(EVIL + BIDI), EVIL, long, schema, {})
    tools["huge"] = (lambda a, _r: text("<b>" + "x" * 1_000_000 + EVIL), "Huge", "w" * 1_000_000, OBJECT, {})
    tools["odd"] = (lambda a, _r: {"content": [{"type": "image", "mimeType": "text/html", "data": base64.b64encode(EVIL.encode()).decode()}, {"type": "resource_link", "uri": "javascript:window.evil=1", "name": EVIL}, {"type": "text", "text": long}]}, BIDI, EVIL, OBJECT, {})
    return tools


if "hostile" in sys.argv:
    TOOLS = hostile()


def definition(name):
    _, title, description, schema, more = TOOLS[name]
    return {"name": name, "title": title, "description": description, "inputSchema": schema, **more}


def complete(params):
    value = params["argument"]["value"]
    names = [name for name in ("amsterdam", "athens", "bern", "berlin", "brussels") if name.startswith(value)]
    return {"completion": {"values": names, "hasMore": False}}


PROMPTS = [
    {
        "name": "offer",
        "title": "Write an offer",
        "description": "A letter with an offer.",
        "arguments": [{"name": "customer", "required": True}, {"name": "city", "description": "Where they live"}],
    }
]


def answer(request):
    method, params = request["method"], request.get("params") or {}
    if method == "initialize":
        capabilities = {"tools": {}, "prompts": {}, "resources": {}, "completions": {}}
        return {"protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": {"name": "shop", "version": "1"}}
    if method == "tools/list":
        return {"tools": [definition(name) for name in TOOLS]}
    if method == "tools/call":
        return TOOLS[params["name"]][0](params.get("arguments") or {}, request)
    if method == "prompts/list":
        return {"prompts": PROMPTS}
    if method == "prompts/get":
        words = f"Write an offer to {params['arguments'].get('customer')} in {params['arguments'].get('city', '?')}."
        return {"description": "An offer", "messages": [{"role": "user", "content": {"type": "text", "text": words}}]}
    if method == "resources/list":
        return {"resources": [{"uri": "shop://terms", "name": "terms", "title": "Terms of sale", "mimeType": "text/plain"}]}
    if method == "resources/templates/list":
        template = {"uriTemplate": "shop://city/{city}", "name": "city", "description": "A city", "mimeType": "text/plain"}
        return {"resourceTemplates": [template]}
    if method == "resources/read":
        return {"contents": [{"uri": params["uri"], "mimeType": "text/plain", "text": f"About {params['uri']}: no returns."}]}
    if method == "completion/complete":
        return complete(params)
    return {} if method == "ping" else None


def serve(request):
    result = answer(request)
    if result is not None:
        send({"id": request["id"], "result": result})
    elif request["id"] not in CANCELLED:
        send({"id": request["id"], "error": {"code": -32601, "message": "no such method"}})


for line in sys.stdin:
    message = json.loads(line)
    if "method" not in message:
        waiting = WAITING.get(message.get("id"))
        if waiting:
            waiting[1] = message
            waiting[0].set()
    elif message["method"] == "notifications/cancelled":
        CANCELLED.add(message["params"].get("requestId"))
    elif "id" in message:
        threading.Thread(target=serve, args=(message,), daemon=True).start()
