"""A small MCP server over HTTP, standard library only. usage: notes_server.py PORT"""

import http.server
import json
import sys

TOOL = {
    "name": "where",
    "description": "Which replica answers.",
    "inputSchema": {"type": "object"},
}


def result_of(method, params):
    if method == "initialize":
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "notes", "version": "1"},
        }
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": f"the replica on port {sys.argv[1]}"}]}
    return {} if method == "ping" else None


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.headers["Authorization"] != "Bearer for-show-only":
            return self.answer(401, b"")
        if "id" not in message:
            return self.answer(202, b"")
        answer = {"jsonrpc": "2.0", "id": message["id"]}
        result = result_of(message["method"], message.get("params", {}))
        if result is None:
            answer["error"] = {"code": -32601, "message": "there is no such method"}
        else:
            answer["result"] = result
        return self.answer(200, json.dumps(answer).encode())

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
