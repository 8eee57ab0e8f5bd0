"""What open consoles ask of a gateway: the requests of a page, in its intervals, and the live stream.

Each stands for a browser that shows the live calls and the plots. It reads as fast as it can, as a
browser does, and gives the answers that it has as ETags.
"""

import socket
import threading
import time

from . import client

HOST = "Host: 127.0.0.1\r\n"
LIVE = f"GET /control/v1/calls/live HTTP/1.1\r\n{HOST}Accept: text/event-stream\r\n\r\n".encode()

# Pages, and how many seconds pass between two requests: see src/state and src/pages of the console.
POLLED = {
    "status": 4,
    "upstreams": 2,
    "metrics?window=10s": 2,
    "approvals": 2,
    "clients?limit=200": 4,
    "history?range=15m": 5,
}


class Consoles:
    """As a context manager. Every thread ends when the connections do."""

    def __init__(self, port: int, count: int):
        self.port, self.count = port, count
        self.connections, self.threads = [], []
        self.stopping = threading.Event()
        self.events = self.answers = 0

    def __enter__(self):
        for number in range(self.count):
            self._start(self._follow)
            self._start(self._poll, number / self.count)
        return self

    def __exit__(self, *_):
        self.stopping.set()
        for connection in self.connections:
            connection.shutdown(socket.SHUT_RDWR)
        for thread in self.threads:
            thread.join()
        for connection in self.connections:
            connection.close()

    def _start(self, work, *args):
        connection = client.connect(self.port)
        connection.settimeout(None)
        self.connections.append(connection)
        thread = threading.Thread(target=self._run, args=(work, connection, *args), daemon=True)
        self.threads.append(thread)
        thread.start()

    def _run(self, work, *args):
        try:
            work(*args)
        except OSError:
            if not self.stopping.is_set():
                raise

    def _follow(self, connection):
        connection.sendall(LIVE)
        status, _, rest = client.read_head(connection)
        if status != 200:
            raise RuntimeError(f"the live stream: {status}")
        while not self.stopping.is_set():
            self.events += rest.count(b"event: call")
            rest = connection.recv(1 << 20)
            if not rest:
                return

    def _poll(self, connection, phase):
        """`phase` spreads the consoles over the interval, as people do who open them at any time."""
        begun = time.monotonic() + phase
        due = {path: begun for path in POLLED}
        known = {}
        while not self.stopping.is_set():
            path = min(due, key=due.get)
            if self.stopping.wait(max(0, due[path] - time.monotonic())):
                return
            due[path] += POLLED[path]
            has = f"If-None-Match: {known[path]}\r\n" if path in known else ""
            request = f"GET /control/v1/{path} HTTP/1.1\r\n{HOST}{has}\r\n".encode()
            status, headers, _ = client.exchange(connection, request)
            if status not in (200, 304):
                raise RuntimeError(f"{path}: {status}")
            if "etag" in headers:
                known[path] = headers["etag"]
            self.answers += 1
