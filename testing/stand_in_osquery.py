#!/usr/bin/env python3
"""Stands in for an osquery MCP server: one tool, `query_osquery`, which answers with the arguments
that it got. SQL that contains a fault's name triggers that fault.

  STAND_IN_ARGUMENT=NAME   what the tool calls its SQL (sql)
  STAND_IN_INITIALIZE=ERROR  refuse the handshake with this message
  STAND_IN_LOG=PATH        append every line that comes to PATH
"""

import json
import os
import sys

ARGUMENT = os.environ.get("STAND_IN_ARGUMENT", "sql")
TOOL = {
    "name": "query_osquery",
    "description": "Execute osquery SQL queries",
    "inputSchema": {
        "type": "object",
        "properties": {ARGUMENT: {"type": "string", "description": "SQL query to execute"}},
        "required": [ARGUMENT],
    },
}


class Failure(Exception):
    """Answered as a JSON-RPC error."""


def initialize(_):
    if "STAND_IN_INITIALIZE" in os.environ:
        raise Failure(os.environ["STAND_IN_INITIALIZE"])
    return {
        "protocolVersion": "2024-11-05",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "osquery-mcp-server", "version": "1.0.0"},
    }


def call(params):
    arguments = params["arguments"]
    sql = arguments.get(ARGUMENT, "")
    if "'crash'" in sql:
        os._exit(3)
    if "'hang'" in sql:
        return None
    if "'refuse'" in sql:
        raise Failure("Internal error: refused")
    if "'fail'" in sql:
        return {"content": [{"type": "text", "text": "no such table"}], "isError": True}
    if "'empty'" in sql:
        return {"content": []}
    if "'large'" in sql:
        return {"content": [{"type": "text", "text": "x" * 300_000}]}
    return {"content": [{"type": "text", "text": json.dumps(arguments, indent=2)}]}


METHODS = {
    "initialize": initialize,
    "tools/list": lambda _: {"tools": [TOOL]},
    "tools/call": call,
    "ping": lambda _: {},
}


def answer(request):
    try:
        result = METHODS[request["method"]](request.get("params") or {})
        return None if result is None else {"result": result}
    except KeyError:
        return {"error": {"code": -32601, "message": f"Method not found: {request['method']}"}}
    except Failure as failure:
        return {"error": {"code": -32603, "message": str(failure)}}


def main():
    for line in sys.stdin:
        if "STAND_IN_LOG" in os.environ:
            with open(os.environ["STAND_IN_LOG"], "a", encoding="utf-8") as log:
                log.write(line)
        request = json.loads(line)
        body = answer(request) if "id" in request else None
        if body:
            print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **body}), flush=True)


main()
