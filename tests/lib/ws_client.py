"""A WebSocket client on raw sockets, which can also violate the protocol."""

import json
import os
import socket
import struct

from waiting import TIMEOUT
from wire_client import Ended, envelope, rpc  # noqa: F401

MORE, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
KEY = "x3JJHMbDL1EzLkh9GBhXDw=="
ACCEPT = "HSmrc0sMlYUkAGmm5OPpG2HaGWk="


def upgrade_request(port, headers=None, path="/mcp", line="GET {} HTTP/1.1"):
    fields = {
        "Host": f"127.0.0.1:{port}",
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": KEY,
        **(headers or {}),
    }
    lines = [f"{name}: {value}" for name, value in fields.items() if value is not None]
    return "\r\n".join([line.format(path), *lines, "", ""]).encode()


def frame(opcode, payload=b"", last=True, masked=True, reserved=0, length=None):
    """One frame; `length` overrides the length in its header."""
    size = len(payload) if length is None else length
    head = bytes([(0x80 if last else 0) | reserved | opcode])
    bit = 0x80 if masked else 0
    if size < 126:
        head += bytes([bit | size])
    elif size < 65536:
        head += bytes([bit | 126]) + struct.pack(">H", size)
    else:
        head += bytes([bit | 127]) + struct.pack(">Q", size)
    if not masked:
        return head + payload
    mask = os.urandom(4)
    whole = (mask * (len(payload) // 4 + 1))[: len(payload)]
    number = int.from_bytes(payload, "big") ^ int.from_bytes(whole, "big")
    return head + mask + number.to_bytes(len(payload), "big")


class Refused(Exception):
    """The server does not open a WebSocket: (status, headers, body)."""


class WsClient:
    """One connection, from the upgrade on; `context` makes it wss."""

    def __init__(self, port, headers=None, context=None, path="/mcp", receive_buffer=None):
        self.buffer = b""
        self.socket = socket.socket(socket.AF_INET)
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(TIMEOUT)
        self.socket.connect(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            if context:
                self.socket = context.wrap_socket(self.socket, server_hostname="localhost")
            self.socket.sendall(upgrade_request(port, headers, path))
            self.status, self.headers = self._read_head()
            if self.status != 101:
                raise Refused(self.status, self.headers, self._rest())
        except BaseException:
            self.socket.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def _read_head(self):
        while b"\r\n\r\n" not in self.buffer:
            self._more()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        first, *fields = head.decode().split("\r\n")
        pairs = (field.split(": ", 1) for field in fields)
        return int(first.split()[1]), {name.lower(): value for name, value in pairs}

    def _rest(self):
        while len(self.buffer) < int(self.headers.get("content-length", 0)):
            self._more()
        return self.buffer.decode()

    def _more(self):
        more = self.socket.recv(65536)
        if not more:
            raise Ended(self.buffer)
        self.buffer += more

    def _bytes(self, count):
        while len(self.buffer) < count:
            self._more()
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    # ---- Out

    def send_bytes(self, data):
        self.socket.sendall(data)

    def send_text(self, text):
        self.send_bytes(frame(TEXT, text.encode()))

    def send(self, message):
        self.send_text(json.dumps(message))

    def ask(self, payload, **fields):
        """Sends a request in an envelope; gives the id of the envelope."""
        message = envelope(payload, **fields)
        self.send(message)
        return message["id"]

    def close(self, code=1000, reason=b""):
        self.send_bytes(frame(CLOSE, struct.pack(">H", code) + reason))

    # ---- In

    def read_frame(self):
        """(opcode, last, payload)"""
        first, second = self._bytes(2)
        if first & 0x70 or second & 0x80:
            raise AssertionError(f"reserved bits or a mask: {first:#x} {second:#x}")
        size = second
        if size == 126:
            size = struct.unpack(">H", self._bytes(2))[0]
        elif size == 127:
            size = struct.unpack(">Q", self._bytes(8))[0]
        return first & 0xF, bool(first & 0x80), self._bytes(size)

    def read_text(self):
        """The next message; PINGs in between are answered."""
        parts = []
        while True:
            opcode, last, payload = self.read_frame()
            if opcode == PING:
                self.send_bytes(frame(PONG, payload))
            elif opcode in (TEXT, MORE):
                if (opcode == MORE) != bool(parts):
                    raise AssertionError("fragments out of sequence")
                parts.append(payload)
                if last:
                    return b"".join(parts).decode()
            elif opcode == CLOSE:
                raise Ended(payload)
            elif opcode != PONG:
                raise AssertionError(f"opcode {opcode}")

    def read(self):
        return json.loads(self.read_text())

    def answer(self, request_id):
        """The plain MCP response to that request; other messages are passed over."""
        while True:
            message = self.read()
            if message.get("id") == request_id and "method" not in message:
                return message

    def request(self, payload, **fields):
        """The envelope that answers."""
        asked = self.ask(payload, **fields)
        while True:
            answer = self.read()
            if answer.get("correlation_id") == asked:
                return answer

    def closed(self):
        """(code, reason) of the close frame that comes, which is answered; then the end."""
        while True:
            opcode, _, payload = self.read_frame()
            if opcode == CLOSE:
                break
        try:
            self.send_bytes(frame(CLOSE, payload))
            self._more()
        except (Ended, OSError):
            pass
        code = struct.unpack(">H", payload[:2])[0] if payload else 1005
        return code, payload[2:].decode()
