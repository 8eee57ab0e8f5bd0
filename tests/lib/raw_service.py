"""A plain HTTP service inside the test that records every request byte for byte.

By itself it answers everything with a JSON object that repeats the request line. A test replaces
single answers: `service.on["GET /pets"] = lambda request: (404, "text/plain", b"")`.
The keys are method and path, without the query.
"""

import json
import socket
import threading
import typing


class Request(typing.NamedTuple):
    """A request of the past."""

    raw: bytes  # Head and body, as they came.
    line: str
    fields: list  # (name, value) in order.
    body: bytes

    @property
    def target(self):
        return self.line.split(" ")[1]

    @property
    def path(self):
        return self.target.partition("?")[0]

    @property
    def query(self):
        return self.target.partition("?")[2]

    def field(self, name):
        """The value of the only such field; None if there is none."""
        values = [value for key, value in self.fields if key.lower() == name.lower()]
        if len(values) > 1:
            raise AssertionError(f"{name} came {len(values)} times")
        return values[0] if values else None


def echo(request):
    return 200, "application/json", json.dumps({"line": request.line}).encode()


class AnyPath(dict):
    """For RawService.on: the same function answers everywhere."""

    def __init__(self, answer):
        super().__init__()
        self.answer = answer

    def get(self, _key, _default=None):
        return self.answer


class RawService:
    """Listens as long as the block lasts."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.on, self.seen, self.open, self.lock = {}, [], [], threading.Lock()
        self.connections = 0

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self):
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        with self.lock:
            for one in [self.listener, *self.open]:
                try:
                    one.shutdown(socket.SHUT_RDWR)  # Also wakes the thread that waits for it.
                except OSError:
                    pass
                one.close()

    def last(self):
        return self.seen[-1]

    def _accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self.lock:
                self.open.append(connection)
                self.connections += 1
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        try:
            with connection, connection.makefile("rb") as stream:
                while (request := self._read(stream)) is not None:
                    with self.lock:
                        self.seen.append(request)
                    key = f"{request.line.split(' ')[0]} {request.path}"
                    answer = self.on.get(key, echo)(request)
                    connection.sendall(answer if isinstance(answer, bytes) else response(*answer))
        except (OSError, ValueError):
            pass

    @staticmethod
    def _read(stream):
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            line = stream.readline()
            if not line:
                return None
            head += line
        lines = head.decode("latin-1").split("\r\n")[:-2]
        fields = [tuple(line.split(": ", 1)) for line in lines[1:]]
        length = sum(int(value) for name, value in fields if name.lower() == "content-length")
        body = stream.read(length)
        return Request(head + body, lines[0], fields, body)


def response(status, content_type, body, **fields):
    head = [f"HTTP/1.1 {status} Status", f"Content-Length: {len(body)}"]
    if content_type:
        head.append(f"Content-Type: {content_type}")
    head += [f"{name.replace('_', '-')}: {value}" for name, value in fields.items()]
    return "\r\n".join(head + ["", ""]).encode() + body
