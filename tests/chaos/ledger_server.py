#!/usr/bin/env python3
"""An MCP server over HTTP with one tool, `append`, which must not run twice: it adds its id to a file, one
line for each time that it ran. `usage: ledger_server.py ADDRESS PORT FILE`
"""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOOL = {
    "name": "append",
    "description": "Adds a line to the ledger.",
    "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
}
lock = threading.Lock()
ledger = None


def answer(message):
    method, params = message.get("method"), message.get("params") or {}
    if method == "initialize":
        version = params.get("protocolVersion", "2025-06-18")
        info = {"name": "ledger", "version": "1"}
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        with lock:
            ledger.write(params["arguments"]["id"] + "\n")
            ledger.flush()
        return {"content": [{"type": "text", "text": "written"}]}
    return {}


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """A gateway that is killed breaks its connections."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        body = b""
        if "id" in message:
            result = {"jsonrpc": "2.0", "id": message["id"], "result": answer(message)}
            body = json.dumps(result).encode()
        self.send_response(200 if body else 202)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.send_error(405)

    do_DELETE = do_GET

    def log_message(self, *_):
        pass


def main():
    global ledger
    address, port, file = sys.argv[1:]
    ledger = open(file, "a", encoding="ascii")
    Server((address, int(port)), Handler).serve_forever()


main()
