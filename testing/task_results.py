#!/usr/bin/env python3
"""An MCP server of 2025-11-25 on stdio whose tools run as tasks that are done at once. The result of
`right` matches its output schema, that of `wrong` does not, and `failed` reports a failure."""

import json
import sys

PROMISE = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}
RESULTS = {
    "right": {"content": [], "structuredContent": {"n": 1}},
    "wrong": {"content": [], "structuredContent": {"n": "one"}},
    "failed": {"content": [{"type": "text", "text": "no luck"}], "isError": True},
}
TOOLS = [
    {
        "name": name,
        "inputSchema": {"type": "object"},
        "outputSchema": PROMISE,
        "execution": {"taskSupport": "optional"},
    }
    for name in RESULTS
]
SERVER = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"tools": {}, "tasks": {"requests": {"tools": {"call": {}}}}},
    "serverInfo": {"name": "task-results", "version": "1"},
}


def task(name, status):
    moment = "2026-01-01T00:00:00Z"
    return {
        "taskId": name,
        "status": status,
        "createdAt": moment,
        "lastUpdatedAt": moment,
        "ttl": 60000,
    }


def answer(method, params):
    if method == "initialize":
        return SERVER
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        name = params["name"]
        return {"task": task(name, "working")} if "task" in params else RESULTS[name]
    if method == "tasks/get":
        return task(params["taskId"], "completed")
    if method == "tasks/result":
        return RESULTS[params["taskId"]]
    return None


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    result = answer(message.get("method"), message.get("params", {}))
    reply = {"jsonrpc": "2.0", "id": message["id"]}
    if result is None:
        reply["error"] = {"code": -32601, "message": "no such method"}
    else:
        reply["result"] = result
    sys.stdout.write(json.dumps(reply) + "\n")
    sys.stdout.flush()
