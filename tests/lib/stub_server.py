"""A remote MCP server inside the test, which can be made to misbehave and records requests.

By itself it is a well-behaved server of Streamable HTTP, with sessions (2025-11-25) or without
(2026-07-28), whose tool `whoami` answers with its name. A test replaces single
answers: `stub.on["tools/call"] = lambda exchange: exchange.answer(503)`. The keys are methods of
MCP, or those of HTTP for what carries no message.
"""

import http.server
import itertools
import json
import socket
import threading
import typing

TOOLS = [{"name": name, "inputSchema": {"type": "object"}} for name in ("whoami", "count")]


class Seen(typing.NamedTuple):
    """A request of the past."""

    method: str
    path: str
    headers: dict
    message: dict | None


class Exchange(http.server.BaseHTTPRequestHandler):
    """One request, and the means to answer it."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def setup(self):
        super().setup()
        self.stub = self.server.stub
        with self.stub.lock:
            self.stub.connections.append(self.connection)

    def finish(self):
        try:
            super().finish()
        except OSError:
            pass  # The test has closed it.

    def handle(self):
        try:
            super().handle()
        except (OSError, ValueError):
            pass

    def log_message(self, *_):
        pass

    def serve(self):
        length = int(self.headers.get("Content-Length") or 0)
        self.message = json.loads(self.rfile.read(length)) if length else None
        with self.stub.lock:
            self.stub.seen.append(Seen(self.method, self.path, self.headers, self.message))
        self.stub.serve(self)

    do_GET = do_POST = do_DELETE = serve

    @property
    def method(self):
        return self.message.get("method", "response") if self.message else self.command

    @property
    def arguments(self):
        return self.message["params"].get("arguments") or {}

    def answer(self, status, body=b"", **headers):
        if isinstance(body, dict):
            body = json.dumps(body).encode()
            headers = {"Content-Type": "application/json", **headers}
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def result(self, result, **headers):
        self.answer(200, {"jsonrpc": "2.0", "id": self.message["id"], "result": result}, **headers)

    def error(self, status, code, why):
        error = {"code": code, "message": why}
        self.answer(status, {"jsonrpc": "2.0", "id": self.message["id"], "error": error})

    def text(self, text):
        self.result({"content": [{"type": "text", "text": text}], **self.stub.mark})

    def begin_events(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.flush()
        self.close_connection = True

    def event(self, data, **fields):
        text = data if isinstance(data, str) else json.dumps(data)
        lines = [f"{name}: {value}" for name, value in fields.items()] + [f"data: {text}"]
        self.wfile.write(("\n".join(lines) + "\n\n").encode())
        self.wfile.flush()

    def drop(self):
        """Closes the connection without an answer."""
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)


class Listener(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *_):
        pass


class StubServer:
    def __init__(self, name="stub", stateless=False, port=0, tls=None):
        self.name, self.stateless, self.tls = name, stateless, tls
        self.lock, self.connections, self.seen = threading.Lock(), [], []
        self.sessions, self.counts, self.numbers = set(), {}, itertools.count(1)
        self.mark = {"resultType": "complete"} if stateless else {}
        self.hints = {**self.mark, "ttlMs": 0, "cacheScope": "private"} if stateless else {}
        self.capabilities = {"tools": {}}
        self.on, self.listener, self.port = {}, None, port

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        if self.listener:
            self.stop()

    def start(self):
        self.listener = Listener(("127.0.0.1", self.port), Exchange)
        self.listener.stub, self.port = self, self.listener.server_address[1]
        if self.tls:
            self.listener.socket = self.tls.wrap_socket(self.listener.socket, server_side=True)
        threading.Thread(target=self.listener.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self):
        """As if the process had been killed: the port and all connections are closed."""
        self.listener.shutdown()
        self.listener.server_close()
        self.listener = None
        with self.lock:
            for connection in self.connections:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    @property
    def url(self):
        return f"http{'s' if self.tls else ''}://127.0.0.1:{self.port}/mcp"

    def upstream(self, **settings):
        """Settings that come back quickly."""
        quick = {
            "initial_interval": "20ms",
            "max_interval": "200ms",
            "breaker_threshold": 1000,
            "window": "60s",
        }
        return {"kind": "http", "url": self.url, "restart": quick, **settings}

    def saw(self, method):
        """The requests of a method so far."""
        with self.lock:
            return [request for request in self.seen if request.method == method]

    def open_connections(self):
        with self.lock:
            return len(self.connections)

    # What a well-behaved server does.

    def serve(self, exchange):
        if exchange.method in self.on:
            return self.on[exchange.method](exchange)
        if not self.stateless and exchange.message and self.lost(exchange):
            return None
        if exchange.method in METHODS:
            return METHODS[exchange.method](self, exchange)
        if exchange.message is None:
            return exchange.answer(405)
        if "id" in exchange.message and "method" in exchange.message:
            return exchange.error(404 if self.stateless else 200, -32601, "Method not found")
        return exchange.answer(202)

    def lost(self, exchange):
        if exchange.method in ("initialize", "server/discover"):
            return False
        known = exchange.headers.get("Mcp-Session-Id") in self.sessions
        if not known:
            exchange.answer(404)
        return not known

    def discover(self, exchange):
        if not self.stateless:
            return exchange.error(400, -32000, "Bad Request: Server not initialized")
        offer = {"supportedVersions": ["2026-07-28"], "capabilities": self.capabilities}
        return exchange.result({**offer, **self.hints})

    def initialize(self, exchange):
        if self.stateless:
            return exchange.error(404, -32601, "Method not found")
        session = f"{self.name}-{next(self.numbers)}"
        self.sessions.add(session)
        handshake = {
            "protocolVersion": "2025-11-25",
            "capabilities": self.capabilities,
            "serverInfo": {"name": self.name, "version": "1"},
        }
        return exchange.result(handshake, Mcp_Session_Id=session)

    def list_tools(self, exchange):
        exchange.result({"tools": TOOLS, **self.hints})

    def call_tool(self, exchange):
        if exchange.message["params"]["name"] == "whoami":
            return exchange.text(self.name)
        session = exchange.headers.get("Mcp-Session-Id")
        with self.lock:
            self.counts[session] = self.counts.get(session, 0) + 1
            return exchange.text(str(self.counts[session]))

    def end_session(self, exchange):
        self.sessions.discard(exchange.headers.get("Mcp-Session-Id"))
        exchange.answer(204)


METHODS = {
    "server/discover": StubServer.discover,
    "initialize": StubServer.initialize,
    "ping": lambda stub, exchange: exchange.result({}),
    "tools/list": StubServer.list_tools,
    "tools/call": StubServer.call_tool,
    "DELETE": StubServer.end_session,
}
