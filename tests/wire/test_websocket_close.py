"""Closing WebSockets on both sides: a close is answered, an error is named, and earlier messages
are answered first."""

import base64
import hashlib
import json
import socket
import struct
import sys
import threading

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import Gateway, TestCase, fake_config, main
from waiting import TIMEOUT
from ws_client import CLOSE, TEXT, WsClient, frame

GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


def closing(code, reason=b""):
    return frame(CLOSE, struct.pack(">H", code) + reason, masked=False)


class WsServer:
    """Accepts one connection of the gateway, sends its script, and records the answers."""

    def __init__(self, script):
        self.script = script
        self.received = b""
        self.ended = threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def _serve(self):
        client, _ = self.listener.accept()
        self.listener.close()
        with client:
            client.settimeout(TIMEOUT)
            head = b""
            while b"\r\n\r\n" not in head:
                head += client.recv(65536)
            key = head.split(b"Sec-WebSocket-Key: ")[1].split(b"\r\n")[0]
            accept = base64.b64encode(hashlib.sha1(key + GUID).digest())
            client.sendall(
                b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                b"Sec-WebSocket-Protocol: mcp\r\nSec-WebSocket-Accept: " + accept + b"\r\n\r\n"
            )
            first = client.recv(65536)  # The first request.
            client.sendall(self.script)
            try:
                while more := client.recv(65536):
                    self.received += more
            except ConnectionResetError:
                pass
            self.received = first + self.received
            self.ended.set()

    def frames(self):
        """(opcode, payload) of each frame of the gateway, once it has gone."""
        if not self.ended.wait(TIMEOUT):
            raise AssertionError("the gateway keeps the connection")
        found, rest = [], self.received
        while rest:
            opcode, size = rest[0] & 0xF, rest[1] & 0x7F
            at = 2
            if size == 126:
                size, at = struct.unpack(">H", rest[2:4])[0], 4
            mask, payload = rest[at : at + 4], rest[at + 4 : at + 4 + size]
            found.append((opcode, bytes(b ^ mask[i % 4] for i, b in enumerate(payload))))
            rest = rest[at + 4 + size :]
        return found


class Client(TestCase):
    """The gateway as the client of an upstream."""

    def last_frame(self, script):
        server = WsServer(script)
        entry = {"kind": "ws", "url": f"ws://127.0.0.1:{server.port}/mcp", "envelope": "never"}
        self.enterContext(Gateway({"upstreams": {"far": entry}}))
        return server.frames()[-1]

    def assert_closes(self, script, code):
        opcode, payload = self.last_frame(script)
        self.assertEqual(opcode, CLOSE)
        self.assertEqual(struct.unpack(">H", payload[:2])[0], code)
        return payload[2:]

    def test_a_close_is_answered(self):
        self.assert_closes(closing(1001, b"moving"), 1001)

    def test_a_close_without_a_code_is_answered(self):
        self.assertEqual(self.last_frame(frame(CLOSE, masked=False)), (CLOSE, b""))

    def test_a_fault_is_named(self):
        table = {
            "reserved bit": (frame(TEXT, b"{}", masked=False, reserved=0x40), 1002),
            "masked": (frame(TEXT, b"{}"), 1002),
            "not UTF-8": (frame(TEXT, b"\xff", masked=False), 1007),
            "binary": (frame(2, b"{}", masked=False), 1003),
        }
        for name, (script, code) in table.items():
            with self.subTest(name):
                self.assertTrue(self.assert_closes(script, code))


class Server(TestCase):
    """The gateway as the server: what came before a fault is answered before the fault is named."""

    @classmethod
    def setUpClass(cls):
        cls.gateway = cls.enterClassContext(Gateway(fake_config()))

    def start(self):
        client = self.enterContext(WsClient(self.gateway.port, {"Sec-WebSocket-Protocol": "mcp"}))
        client.send(
            {
                "jsonrpc": "2.0",
                "id": 0,
                "method": "initialize",
                "params": {
                    "protocolVersion": "2025-06-18",
                    "capabilities": {},
                    "clientInfo": {"name": "test", "version": "1"},
                },
            }
        )
        client.answer(0)
        client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return client

    def test_a_message_before_a_broken_frame(self):
        arguments = {"name": "fake__echo", "arguments": {"text": "still answered"}}
        call = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": arguments}
        good = frame(TEXT, json.dumps(call).encode())
        client = self.start()
        client.send_bytes(good + frame(TEXT, b"{}", reserved=0x40))
        self.assertIn("still answered", json.dumps(client.answer(7)))
        self.assertEqual(client.closed()[0], 1002)

    def test_a_long_call_does_not_keep_the_connection(self):
        with Gateway(fake_config(wire={"ws": {"close_timeout": "100ms"}})) as gateway:
            self.gateway = gateway
            arguments = {"name": "fake__sleep", "arguments": {"seconds": 600}}
            call = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": arguments}
            client = self.start()
            client.send_bytes(frame(TEXT, json.dumps(call).encode()) + frame(TEXT, b"\xff"))
            self.assertEqual(client.closed()[0], 1007)


if __name__ == "__main__":
    main()
