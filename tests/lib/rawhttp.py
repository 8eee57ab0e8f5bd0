"""A small HTTP/1.1 client over raw sockets, for tests that must see and send exact bytes.

It keeps connections alive, reads Content-Length, chunked and until-close bodies, and reads
Server-Sent Events one by one as they arrive. Nothing is retried and nothing is repaired: what the
gateway sends is what the test sees.
"""

import json
import socket
import time
from dataclasses import dataclass, field


@dataclass
class Event:
    """One Server-Sent Event. A priming event has an id and empty data."""

    id: str | None = None
    name: str = "message"
    data: str | None = None
    retry: int | None = None

    def json(self):
        return json.loads(self.data)


@dataclass
class Response:
    status: int
    reason: str
    headers: dict  # Lower-case names; a repeated field is an error of its own.
    body: bytes | None = None  # None until it has arrived.
    connection: "Connection" = field(default=None, repr=False)

    def json(self):
        return json.loads(self.body)

    def header(self, name, default=None):
        return self.headers.get(name.lower(), default)

    @property
    def content_type(self):
        return self.header("content-type", "").split(";")[0].strip()

    def read(self):
        """The whole body; the connection can then be used again."""
        if self.body is None:
            self.body = b"".join(self.connection.body_pieces(self))
        return self.body

    def events(self):
        """The events of a text/event-stream body, each as soon as it is complete. Comments keep the
        connection open, but do not extend our timeout."""
        event, text = Event(), b""
        limit = self.connection.socket.gettimeout()
        since = time.monotonic()
        for piece in self.connection.body_pieces(self):
            if limit and time.monotonic() - since > limit:
                raise AssertionError(f"no event within {limit:g} s")
            text += piece
            while b"\n" in text:
                line, text = text.split(b"\n", 1)
                line = line.rstrip(b"\r").decode()
                if line:
                    _add_field(event, line)
                elif event != Event():
                    yield event
                    event, since = Event(), time.monotonic()
        self.body = b""


def _add_field(event, line):
    name, _, value = line.partition(":")
    value = value.removeprefix(" ")
    if name == "data":
        event.data = value if event.data is None else event.data + "\n" + value
    elif name == "id":
        event.id = value
    elif name == "event":
        event.name = value
    elif name == "retry":
        event.retry = int(value)


class ConnectionEnded(Exception):
    """The peer closed before the message that we were reading was complete."""


class Connection:
    """One TCP connection to the gateway."""

    def __init__(self, host, port, timeout=30.0):
        self.host, self.port = host, port
        self.socket = socket.create_connection((host, port), timeout=timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def reset(self):
        """Closes with RST instead of FIN."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        self.socket.close()

    def send_raw(self, data):
        self.socket.sendall(data)

    def send(self, method, path, headers=None, body=None, chunked=False):
        """Sends one request. A dict body is sent as JSON; Host is added unless it is given."""
        if isinstance(body, (dict, list)):
            body = json.dumps(body).encode()
        fields = dict(headers or {})
        if not any(name.lower() == "host" for name in fields):
            fields = {"Host": f"{self.host}:{self.port}", **fields}
        if chunked:
            fields["Transfer-Encoding"] = "chunked"
        elif body is not None:
            fields.setdefault("Content-Length", str(len(body)))
        head = f"{method} {path} HTTP/1.1\r\n"
        head += "".join(
            f"{name}: {value}\r\n" for name, value in fields.items() if value is not None
        )
        payload = body or b""
        if chunked:
            payload = (
                b"%x\r\n%b\r\n0\r\n\r\n" % (len(payload), payload) if payload else b"0\r\n\r\n"
            )
        self.send_raw(head.encode() + b"\r\n" + payload)

    def request(self, method, path, headers=None, body=None, chunked=False):
        """Sends one request and reads the whole answer."""
        self.send(method, path, headers, body, chunked)
        response = self.read_head()
        if method == "HEAD":
            response.body = b""
        response.read()
        return response

    def read_head(self):
        """The status line and the fields; the body is read by Response.read or .events."""
        while b"\r\n\r\n" not in self.buffer:
            self._fill()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        status_line, *lines = head.decode("latin-1").split("\r\n")
        version, status, reason = (status_line + " ").split(" ", 2)
        assert version == "HTTP/1.1", status_line
        headers = {}
        for line in lines:
            name, _, value = line.partition(":")
            assert name.lower() not in headers, f"{name} sent twice"
            headers[name.lower()] = value.strip()
        response = Response(int(status), reason.strip(), headers, connection=self)
        if response.status in (204, 304) or response.status < 200:
            response.body = b""
        return response

    def read_response(self):
        response = self.read_head()
        response.read()
        return response

    def body_pieces(self, response):
        """The body of a response as it arrives, whatever its framing."""
        if response.body is not None:
            return
        if response.header("transfer-encoding") == "chunked":
            yield from self._chunks()
        elif "content-length" in response.headers:
            left = int(response.headers["content-length"])
            while left > 0:
                if not self.buffer:
                    self._fill()
                piece, self.buffer = self.buffer[:left], self.buffer[left:]
                left -= len(piece)
                yield piece
        else:
            yield from self._until_closed()

    def _chunks(self):
        while True:
            while b"\r\n" not in self.buffer:
                self._fill()
            size_line, self.buffer = self.buffer.split(b"\r\n", 1)
            size = int(size_line, 16)
            while len(self.buffer) < size + 2:
                self._fill()
            piece, self.buffer = self.buffer[:size], self.buffer[size + 2 :]
            if size == 0:
                return
            yield piece

    def _until_closed(self):
        piece, self.buffer = self.buffer, b""
        while True:
            if piece:
                yield piece
            piece = self.socket.recv(65536)
            if not piece:
                return

    def _fill(self):
        piece = self.socket.recv(65536)
        if not piece:
            raise ConnectionEnded(f"closed after {self.buffer!r:.200}")
        self.buffer += piece

    def wait_closed(self):
        """Reads until the peer closes; returns what came before that."""
        rest, self.buffer = self.buffer, b""
        while True:
            try:
                piece = self.socket.recv(65536)
            except ConnectionResetError:
                return rest
            if not piece:
                return rest
            rest += piece
