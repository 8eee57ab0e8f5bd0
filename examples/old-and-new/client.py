"""A client of 2026-07-28, which has no session: it makes the call twice, the second time with the
requested input. usage: client.py URL"""

import json
import sys
import urllib.request

PREFIX = "io.modelcontextprotocol/"


def call(**more):
    envelope = {
        PREFIX + "protocolVersion": "2026-07-28",
        PREFIX + "clientCapabilities": {"elicitation": {"form": {}}},
    }
    params = {"name": "cards__card", "arguments": {}, **more, "_meta": envelope}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": "cards__card",
    }
    request = urllib.request.Request(sys.argv[1], json.dumps(message).encode(), headers)
    with urllib.request.urlopen(request) as response:
        return json.load(response)["result"]


first = call()
((key, question),) = first["inputRequests"].items()
print(first["resultType"], question["method"], question["params"]["message"], sep=": ")
answer = {key: {"action": "accept", "content": {"name": "Ada"}}}
second = call(inputResponses=answer, requestState=first["requestState"])
print(second["resultType"], second["content"][0]["text"], sep=": ")
