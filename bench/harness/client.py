"""A small blocking HTTP client for single requests: is the server up, what does it offer."""

import json
import socket
import subprocess
import time

from . import requests


def fill(request: bytes, session: str = "", number: int = 1) -> bytes:
    """A request as the load generator would send it."""
    filled = request.replace(b"{{session}}", session.encode()).replace(b"{{id}}", b"%d" % number)
    head, body = filled.split(b"\r\n\r\n", 1)
    if body:
        head += b"\r\nContent-Length: %d" % len(body)
    return head + b"\r\n\r\n" + body


def receive(connection: socket.socket) -> bytes:
    more = connection.recv(65536)
    if not more:
        raise ConnectionError("the connection ended before the answer did")
    return more


def read_head(connection: socket.socket) -> tuple[int, dict[str, str], bytes]:
    """Status, header fields by lower-case name, and the bytes that came after the head."""
    received = b""
    while b"\r\n\r\n" not in received:
        received += receive(connection)
    head, rest = received.split(b"\r\n\r\n", 1)
    first, *fields = head.decode("latin-1").split("\r\n")
    headers = {}
    for line in fields:
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    return int(first.split()[1]), headers, rest


def exchange(connection: socket.socket, request: bytes) -> tuple[int, dict[str, str], bytes]:
    """Sends one request and reads the whole answer."""
    connection.sendall(request)
    status, headers, body = read_head(connection)
    if "chunked" in headers.get("transfer-encoding", ""):
        while not body.endswith(b"0\r\n\r\n"):
            body += receive(connection)
        return status, headers, body
    length = int(headers.get("content-length", 0))
    while len(body) < length:
        body += receive(connection)
    return status, headers, body


def connect(port: int) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=10)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def answers(port: int, process: subprocess.Popen, path: str = "/") -> bool:
    """Waits until the server answers `path`, or has ended, or ten seconds have passed."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with connect(port) as connection:
                exchange(connection, requests.get(path))
                return True
        except OSError:
            time.sleep(0.0002)
    return False


def open_session(connection: socket.socket) -> str:
    initialize, initialized = requests.session_setup()
    status, headers, body = exchange(connection, fill(initialize))
    if status != 200:
        raise ConnectionError(f"initialize: status {status}, {body[:200]!r}")
    session = headers["mcp-session-id"]
    exchange(connection, fill(initialized, session))
    return session


def list_tools(port: int) -> str:
    """The raw answer to tools/list, asked in the stateless form."""
    with connect(port) as connection:
        return exchange(connection, fill(requests.stateless("tools/list", {})))[2].decode()


def get_json(port: int, path: str) -> dict:
    with connect(port) as connection:
        return json.loads(exchange(connection, requests.get(path))[2])


def health_size(port: int) -> int:
    with connect(port) as connection:
        return len(exchange(connection, requests.get("/health"))[2])


def answer_size(port: int, request: bytes) -> int:
    with connect(port) as connection:
        return len(exchange(connection, fill(request))[2])


def ping_size(port: int) -> int:
    with connect(port) as connection:
        session = open_session(connection)
        request = fill(requests.ping().request, session, 1_000_000_000)
        return len(exchange(connection, request)[2])
