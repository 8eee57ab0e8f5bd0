"""A client of the wire protocol on raw sockets, which can also violate it."""

import datetime
import gzip
import json
import socket
import struct
import uuid

from waiting import TIMEOUT

DATA, PING, PONG, ERROR, CLOSE = 1, 2, 3, 4, 5
MOST = 16 << 20


def now(offset=0.0):
    moment = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=offset)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def frame(kind, payload=b"", header=7, flags=0):
    head = b"MC" + bytes([kind]) + (bytes([flags]) if header == 8 else b"")
    return head + struct.pack(">I", len(payload)) + payload


def rpc(method, params=None, request_id=1):
    message = {"jsonrpc": "2.0", "id": request_id, "method": method}
    return {**message, "params": params} if params is not None else message


def envelope(payload, **fields):
    base = {"id": str(uuid.uuid4()), "timestamp": now(), "source": "local-router"}
    return {**base, **fields, "mcp_payload": payload}


def call(name, arguments, request_id=1):
    return rpc("tools/call", {"name": name, "arguments": arguments}, request_id)


class Ended(Exception):
    """The server has closed the connection."""


class WireClient:
    """Frames over one connection; `context` makes it tcps."""

    def __init__(self, port, context=None, header=7, host="127.0.0.1", timeout=TIMEOUT):
        self.header, self.buffer = header, b""
        self.socket = socket.create_connection((host, port), timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if context:
            self.socket = context.wrap_socket(self.socket, server_hostname="localhost")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send_bytes(self, data):
        self.socket.sendall(data)

    def send(self, message, packed=False):
        payload = json.dumps(message).encode()
        if packed:
            self.send_bytes(frame(DATA, gzip.compress(payload), 8, 1))
        else:
            self.send_bytes(frame(DATA, payload, self.header))

    def ask(self, payload, **fields):
        """Sends a request in an envelope; gives the id of the envelope."""
        message = envelope(payload, **fields)
        self.send(message)
        return message["id"]

    def _bytes(self, count):
        while len(self.buffer) < count:
            more = self.socket.recv(65536)
            if not more:
                raise Ended(self.buffer)
            self.buffer += more
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def read_frame(self):
        """(type, payload), decompressed."""
        head = self._bytes(4)
        if head[:2] != b"MC":
            raise AssertionError(f"no frame: {head!r}")
        packed = head[3] & 1
        if self.header == 8 or packed:
            size = struct.unpack(">I", self._bytes(4))[0]
        else:
            size = struct.unpack(">I", head[3:] + self._bytes(3))[0]
        payload = self._bytes(size)
        return head[2], gzip.decompress(payload) if packed else payload

    def read(self, kind=DATA):
        """The next message of that type; PINGs in between are answered."""
        while True:
            got, payload = self.read_frame()
            if got == PING:
                self.send_bytes(frame(PONG, payload, self.header))
                if kind == PING:
                    return payload
                continue
            if got != kind:
                raise AssertionError(f"frame {got} instead of {kind}: {payload!r}")
            return json.loads(payload) if kind in (DATA, ERROR) else payload

    def request(self, payload, **fields):
        """The envelope that answers."""
        asked = self.ask(payload, **fields)
        answer = self.read()
        if answer.get("correlation_id") != asked:
            raise AssertionError(f"an answer to something else: {answer}")
        return answer

    def refusal(self, payload, **fields):
        """The error object of the ERROR frame that answers."""
        asked = self.ask(payload, **fields)
        answer = self.read(ERROR)
        if answer.get("correlation_id") != asked or "mcp_payload" in answer:
            raise AssertionError(f"not the fault of that message: {answer}")
        return answer["error"]

    def result(self, payload, **fields):
        return self.request(payload, **fields)["mcp_payload"]["result"]

    def initialize(self, version="1.0", **params):
        info = {"name": "mcp-local-router", "version": "2.0.0"}
        params = {"protocolVersion": version, "clientInfo": info, **params}
        return self.result(rpc("initialize", params, "init-001"))

    def assert_ended(self):
        """Nothing but PINGs and CLOSE comes, and then the end."""
        try:
            while True:
                kind, payload = self.read_frame()
                if kind not in (PING, CLOSE):
                    raise AssertionError(f"frame {kind}: {payload!r}")
        except (Ended, ConnectionError):
            return
