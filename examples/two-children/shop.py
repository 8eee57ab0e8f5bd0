"""An MCP server for one shop: `shop.py TOWN TOOL...` offers these tools for the town."""

import json
import sys

TOWN, TOOLS = sys.argv[1], sys.argv[2:]


def result_of(method, params):
    if method == "initialize":
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": f"shop in {TOWN}", "version": "1"},
        }
    if method == "tools/list":
        schema = {"type": "object"}
        return {
            "tools": [
                {"name": name, "description": f"The {name} in {TOWN}.", "inputSchema": schema}
                for name in TOOLS
            ]
        }
    return {"content": [{"type": "text", "text": f"{params['name']} of {TOWN}"}]}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        result = result_of(message["method"], message.get("params", {}))
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
