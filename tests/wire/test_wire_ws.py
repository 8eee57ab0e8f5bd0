"""WebSockets: the upgrade, messages with and without envelopes, and broken frames."""

import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(1, sys.path[0] + "/../lib")

from auth_case import OTHER, TOKEN, bearer
from harness import TIMEOUT, Gateway, TestCase, fake_config, main, run, wait_until
from jwt_issuer import Issuer, Key
from npm_peers import PEERS, LeftOut, find_node, install, npm_ci
from tls_case import TlsCase
from wire_client import Ended, call, envelope, rpc
from ws_client import (
    ACCEPT,
    BINARY,
    CLOSE,
    MORE,
    PING,
    PONG,
    TEXT,
    Refused,
    WsClient,
    frame,
    upgrade_request,
)

SUM = call("skills__calculate", {"expression": "2 + 3 * 4"})
UNLIMITED = {"rate_limiting": {"enabled": False}}


def initialize(version="2025-11-25"):
    info = {"name": "test", "version": "1"}
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": info}
    return rpc("initialize", params, "init")


def text(message):
    return message["result"]["content"][0]["text"]


class WsCase(TestCase):
    def start(self, config=None, wire=None, **more):
        section = {"tcp": "off", **UNLIMITED, **(wire or {})}
        settings = {"workers": 1, **(config or {}), "wire": section}
        return self.enterContext(Gateway(settings, **more))

    def client(self, gateway, *args, **more):
        return self.enterContext(WsClient(gateway.port, *args, **more))

    def refused(self, gateway, headers=None, **more):
        with self.assertRaises(Refused) as caught:
            WsClient(gateway.port, headers, **more)
        return caught.exception.args

    def assert_serves(self, gateway):
        with WsClient(gateway.port) as client:
            self.assertEqual(text(client.request(SUM)["mcp_payload"]), "14")


class Upgrade(WsCase):
    def test_the_handshake_of_the_document(self):
        client = self.client(self.start())
        self.assertEqual(client.headers["sec-websocket-accept"], ACCEPT)
        self.assertEqual(client.headers["upgrade"], "websocket")
        self.assertEqual(client.headers["connection"], "Upgrade")
        self.assertNotIn("sec-websocket-protocol", client.headers)

    def test_it_is_enabled_by_default(self):
        gateway = self.enterContext(Gateway())
        self.assert_serves(gateway)

    def test_no_extension_and_only_our_subprotocol(self):
        gateway = self.start()
        offer = {
            "Sec-WebSocket-Extensions": "permessage-deflate; client_max_window_bits",
            "Sec-WebSocket-Protocol": "chat, mcp",
        }
        client = self.client(gateway, offer)
        self.assertNotIn("sec-websocket-extensions", client.headers)
        self.assertEqual(client.headers["sec-websocket-protocol"], "mcp")

    def test_another_version_gets_ours(self):
        gateway = self.start()
        for version in ("8", "14", None):
            status, headers, _ = self.refused(gateway, {"Sec-WebSocket-Version": version})
            self.assertEqual((status, headers["sec-websocket-version"]), (426, "13"))

    def test_bad_requests(self):
        gateway = self.start()
        table = {
            "no key": {"Sec-WebSocket-Key": None},
            "short key": {"Sec-WebSocket-Key": "c2hvcnQ="},
            "no connection": {"Connection": "keep-alive"},
            "a body": {"Content-Length": "0\r\nContent-Type: text/plain\r\nTransfer-Encoding: x"},
        }
        for name, headers in table.items():
            with self.subTest(name):
                self.assertIn(self.refused(gateway, headers)[0], (400, 501))
        self.assert_serves(gateway)

    def test_what_is_sent_with_the_request_is_not_lost(self):
        gateway = self.start()
        message = json.dumps(envelope(SUM)).encode()
        with socket.create_connection(("127.0.0.1", gateway.port), TIMEOUT) as raw:
            raw.sendall(upgrade_request(gateway.port) + frame(TEXT, message))
            received = b""
            while b"14" not in received.partition(b"\r\n\r\n")[2]:
                received += raw.recv(65536)

    def test_host_and_origin_come_first(self):
        gateway = self.start({"http": {"origins": ["https://app.example"]}})
        self.assertEqual(self.refused(gateway, {"Host": "evil.example"})[0], 403)
        self.assertEqual(self.refused(gateway, {"Origin": "https://evil.example"})[0], 403)
        self.assertEqual(self.refused(gateway, {"Origin": "null"})[0], 403)
        self.client(gateway, {"Origin": "https://app.example"})
        self.client(gateway, {"Origin": f"http://127.0.0.1:{gateway.port}"})

    def test_a_bearer_token_on_the_upgrade(self):
        gateway = self.start({"auth": {"tokens": [{"name": "ci", "token": TOKEN}]}})
        status, headers, _ = self.refused(gateway)
        self.assertEqual(status, 401)
        self.assertIn("Bearer", headers["www-authenticate"])
        self.assertEqual(self.refused(gateway, bearer("wrong-token-wrong-token"))[0], 401)
        client = self.client(gateway, bearer())
        self.assertEqual(text(client.request(SUM)["mcp_payload"]), "14")

    def test_other_paths_are_no_websockets(self):
        gateway = self.start()
        self.assertEqual(self.refused(gateway, path="/nowhere")[0], 404)
        self.assertEqual(self.refused(gateway, path="/health")[0], 200)

    def test_it_can_be_turned_off(self):
        gateway = self.start(wire={"ws": {"enabled": False}})
        self.assertEqual(self.refused(gateway)[0], 404)

    def test_more_connections_than_allowed_are_refused(self):
        gateway = self.start({"limits": {"max_connections": 2}})
        self.client(gateway), self.client(gateway)
        self.assertEqual(self.refused(gateway)[0], 503)


class Tls(TlsCase):
    def test_the_same_under_tls(self):
        gateway = self.start()
        with WsClient(gateway.tls_port, context=self.context) as client:
            answer = client.request(call("fake__echo", {"text": "x" * 3_000_000}))
            self.assertEqual(len(text(answer["mcp_payload"])), 3_000_000)
            client.close()
            self.assertEqual(client.closed()[0], 1000)

    def test_a_gateway_behind_that_is_reached_under_tls(self):
        behind = self.start(client_ca=self.authority.pem, client_certificates="required")
        cert, key = self.client
        url = f"wss://localhost:{behind.tls_port}/mcp"
        tls = {"ca": self.authority.pem, "cert": cert, "key": key}
        config = {"upstreams": {"behind": {"kind": "ws", "url": url, "tls": tls}}}
        with Gateway({**config, "workers": 1}) as front, WsClient(front.port) as client:
            answer = client.request(call("behind__fake__echo", {"text": "hello"}))
            self.assertEqual(text(answer["mcp_payload"]), "hello")
        done = run("tools", url, "--ca", self.authority.pem)
        self.assertEqual(done.returncode, 1, "a client without a certificate was let in")
        done = run("tools", url)
        self.assertEqual(done.returncode, 1, "a certificate of nobody we know was trusted")
        self.assertIn("certificate", done.stderr)


class Messages(WsCase):
    def test_the_messages_of_the_document(self):
        client = self.client(self.start())
        client.send(
            {
                "id": "msg-001",
                "timestamp": "2024-01-15T10:30:45.123Z",
                "source": "local-router",
                "mcp_payload": {
                    "jsonrpc": "2.0",
                    "method": "initialize",
                    "params": {
                        "protocolVersion": "1.0",
                        "clientInfo": {"name": "mcp-local-router", "version": "2.0.0"},
                    },
                    "id": "init-001",
                },
            }
        )
        answer = client.read()
        self.assertEqual((answer["source"], answer["correlation_id"]), ("gateway", "msg-001"))
        payload = answer["mcp_payload"]
        self.assertEqual((payload["id"], payload["result"]["protocolVersion"]), ("init-001", "1.0"))
        self.assertIs(payload["result"]["capabilities"]["tools"], True)

    def test_plain_messages(self):
        client = self.client(self.start(), {"Sec-WebSocket-Protocol": "mcp"})
        client.send(initialize())
        self.assertEqual(client.answer("init")["result"]["protocolVersion"], "2025-11-25")
        client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        client.send({**SUM, "id": 7})
        self.assertEqual(text(client.answer(7)), "14")

    def test_what_is_neither_is_refused_with_an_error(self):
        client = self.client(self.start())
        client.send_text("not json")
        self.assertEqual(client.read()["error"]["code"], "INVALID_REQUEST")
        self.assertEqual(text(client.request(SUM)["mcp_payload"]), "14")

    def test_many_requests_at_once_are_answered_as_they_finish(self):
        client = self.client(self.start(fake_config()))
        slow = client.ask(call("fake__sleep", {"seconds": 1}, "slow"))
        fast = [client.ask(call("fake__echo", {"text": str(i)}, i)) for i in range(50)]
        self.assertEqual({client.read()["correlation_id"] for _ in fast}, set(fast))
        self.assertEqual(client.read()["correlation_id"], slow)

    def test_progress_and_questions_pass_in_both_directions(self):
        client = self.client(self.start(fake_config()))
        request = initialize()
        request["params"]["capabilities"] = {"elicitation": {}}
        client.request(request)
        notified = {"name": "fake__progress", "arguments": {"steps": 2}, "_meta": {"progressToken": "t"}}
        asked = client.ask(rpc("tools/call", notified, "p"))
        seen = [client.read()["mcp_payload"] for _ in range(2)]
        self.assertEqual([m["method"] for m in seen], ["notifications/progress"] * 2)
        self.assertEqual({m["params"]["progressToken"] for m in seen}, {"t"})
        self.assertEqual(client.read()["correlation_id"], asked)
        params = {"message": "your name?", "requestedSchema": {"type": "object", "properties": {}}}
        asked = client.ask(
            call("fake__ask_client", {"method": "elicitation/create", "params": params}, "q")
        )
        question = client.read()["mcp_payload"]
        self.assertEqual(question["method"], "elicitation/create")
        answer = {"action": "accept", "content": {}}
        client.send(envelope({"jsonrpc": "2.0", "id": question["id"], "result": answer}))
        self.assertEqual(client.read()["correlation_id"], asked)

    def test_changed_lists_are_notified(self):
        client = self.client(self.start(fake_config()))
        client.send(initialize())
        client.answer("init")
        client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        client.send(call("fake__list_changed", {"name": "another"}, 1))
        methods = set()
        while "notifications/tools/list_changed" not in methods:
            methods.add(client.read().get("method"))

    def test_the_limit_of_the_wire_protocol(self):
        client = self.client(self.start(wire={"rate_limiting": {"enabled": True}}))
        for i in range(100):
            self.assertIn("mcp_payload", client.request(rpc("tools/list", None, i)))
        refused = client.request(rpc("tools/list", None, 100))
        self.assertEqual(refused["error"]["code"], "RATE_LIMIT_EXCEEDED")
        self.assertEqual(refused["error"]["details"]["limit"], 100)


class Frames(WsCase):
    """Each fault ends its connection with the code for the reason, and no other connection."""

    def fault(self, *data, wire=None, gateway=None):
        gateway = gateway or self.start(wire=wire)
        with WsClient(gateway.port) as client:
            for piece in data:
                client.send_bytes(piece)
            code, reason = client.closed()
        self.assert_serves(gateway)
        self.assertTrue(reason)
        return code

    def test_what_the_rfc_forbids(self):
        gateway = self.start()
        table = {
            "unmasked": (1002, frame(TEXT, b"{}", masked=False)),
            "reserved bit": (1002, frame(TEXT, b"{}", reserved=0x40)),
            "unknown opcode": (1002, frame(3, b"")),
            "nothing to continue": (1002, frame(MORE, b"{}")),
            "text within text": (1002, frame(TEXT, b"{", last=False), frame(TEXT, b"{}")),
            "fragmented ping": (1002, frame(PING, b"", last=False)),
            "long ping": (1002, frame(PING, b"x" * 126)),
            "length too long": (1002, b"\x81\xfe\x00\x05" + b"\0" * 4 + b"hello"),
            "64 bits": (1002, b"\x81\xff" + b"\xff" * 8 + b"\0" * 4),
            "binary": (1003, frame(BINARY, b"x")),
            "not UTF-8": (1007, frame(TEXT, b'"\xff"')),
            "half a character": (1007, frame(TEXT, b"\xe2\x82", last=False), frame(MORE, b"")),
            "surrogate": (1007, frame(TEXT, b"\xed\xa0\x80")),
            "no such close code": (1002, frame(CLOSE, struct.pack(">H", 1005))),
            "close code 5000": (1002, frame(CLOSE, struct.pack(">H", 5000))),
            "half a close code": (1002, frame(CLOSE, b"\x03")),
            "close reason not UTF-8": (1007, frame(CLOSE, struct.pack(">H", 1000) + b"\xff")),
        }
        for name, (code, *data) in table.items():
            with self.subTest(name):
                self.assertEqual(self.fault(*data, gateway=gateway), code)

    def test_too_large_is_refused_by_its_head_alone(self):
        gateway = self.start(wire={"max_frame_size": "64KiB"})
        self.assertEqual(self.fault(frame(TEXT, b"", length=65537), gateway=gateway), 1009)
        parts = frame(TEXT, b"x" * 40000, last=False), frame(MORE, b"", length=30000)
        self.assertEqual(self.fault(*parts, gateway=gateway), 1009)
        with WsClient(gateway.port) as client:
            padding = "x" * (65536 - len(json.dumps(envelope(SUM, metadata={"pad": ""}))))
            message = json.dumps(envelope(SUM, metadata={"pad": padding}))
            self.assertEqual(len(message), 65536)
            client.send_text(message)
            self.assertEqual(text(client.read()["mcp_payload"]), "14")

    def test_memory_is_taken_as_a_message_comes(self):
        gateway = self.start()
        before = gateway.rss()
        clients = [self.client(gateway) for _ in range(20)]
        for client in clients:
            client.send_bytes(frame(TEXT, b"", length=16 << 20))
        self.assert_serves(gateway)
        self.assertLess(gateway.rss() - before, 32 << 20)

    def test_idle_connections_release_large_messages(self):
        gateway = self.start()
        pad = {"pad": "x" * (8 << 20)}
        message = lambda: frame(TEXT, json.dumps(envelope(SUM, metadata=pad)).encode())
        with WsClient(gateway.port) as client:  # What one message takes may stay.
            client.send_bytes(message())
            client.read()
        before = gateway.rss()
        for _ in range(8):
            client = self.client(gateway)
            client.send_bytes(message())
            self.assertEqual(text(client.read()["mcp_payload"]), "14")
        if not os.environ.get("PATCHBAY_TEST_SANITIZED"):
            self.assertLess(gateway.rss() - before, 32 << 20)

    def test_too_many_fragments(self):
        gateway = self.start(wire={"ws": {"max_fragments": 4}})
        parts = [frame(TEXT, b"", last=False), *[frame(MORE, b"", last=False)] * 4]
        self.assertEqual(self.fault(*parts, gateway=gateway), 1008)

    def test_fragments_with_pings_between_them_at_every_byte(self):
        client = self.client(self.start())
        message = json.dumps(envelope(call("skills__echo", {"text": "grüße 😀"})), ensure_ascii=False)
        data = message.encode()
        parts = [frame(TEXT, data[:1], last=False)]
        for at in range(1, len(data)):
            parts.append(frame(MORE, data[at : at + 1], last=at + 1 == len(data)))
            if at == len(data) // 2:
                parts.append(frame(PING, b"between"))
        whole = b"".join(parts)
        for at in range(0, len(whole), 7):
            client.send_bytes(whole[at : at + 7])
        self.assertEqual(client.read_frame(), (PONG, True, b"between"))
        self.assertEqual(text(client.read()["mcp_payload"]), "grüße 😀")

    def test_pings_are_answered_with_what_they_carry(self):
        client = self.client(self.start())
        for payload in (b"", b"\x00\x01\xff", b"x" * 125):
            client.send_bytes(frame(PING, payload))
            self.assertEqual(client.read_frame(), (PONG, True, payload))

    def test_large_answers_come_in_fragments_and_pings_are_answered(self):
        # More than the buffers of both sockets hold.
        client = self.client(self.start(fake_config()), receive_buffer=64 * 1024)
        asked = client.ask(call("fake__big", {"bytes": 12_000_000}))
        opcode, last, _ = client.read_frame()
        self.assertEqual((opcode, last), (TEXT, False))
        client.send_bytes(frame(PING, b"now"))
        seen, ponged_at = 1, 0
        while not last:
            opcode, last, _ = client.read_frame()
            if opcode == PONG:
                ponged_at, last = seen, False
            seen += 1
        self.assertTrue(asked and seen > 2)
        # Nothing is read from a client that lags, so that a fast one may see its pong behind it all.
        if not ponged_at:
            self.assertEqual(client.read_frame(), (PONG, True, b"now"))

    def test_closing(self):
        gateway = self.start()
        for code in (1000, 1001, 3000, 4999):
            with WsClient(gateway.port) as client:
                client.close(code, b"enough")
                self.assertEqual(client.closed()[0], code)
        with WsClient(gateway.port) as client:
            client.send_bytes(frame(CLOSE))
            self.assertEqual(client.read_frame(), (CLOSE, True, b""))
            self.assertRaises(Ended, client.read_frame)


class Lifecycle(WsCase):
    def test_a_client_that_does_not_answer_pings_is_left(self):
        gateway = self.start(wire={"ping_interval": "100ms", "pong_timeout": "300ms"})
        silent = self.client(gateway)
        answering = self.client(gateway)
        stop = threading.Event()

        def answer_pings():
            while not stop.is_set():
                opcode, _, payload = answering.read_frame()
                if opcode == PING:
                    answering.send_bytes(frame(PONG, payload))

        thread = threading.Thread(target=answer_pings, daemon=True)
        thread.start()
        self.assertEqual(silent.read_frame()[0], PING)
        self.assertEqual(silent.closed()[0], 1011)
        # A client that answers has been pinged several times by now, and is still connected.
        self.assertTrue(thread.is_alive())
        stop.set()
        thread.join(TIMEOUT)
        self.assertIn("mcp_payload", answering.request(SUM))

    def test_a_message_must_come_to_its_end(self):
        client = self.client(self.start(wire={"frame_timeout": "100ms"}))
        client.send_bytes(frame(TEXT, b"{", last=False))
        self.assertEqual(client.closed()[0], 1008)

    def test_a_slow_reader_is_left_and_delays_nobody(self):
        gateway = self.start(
            fake_config(limits={"write_timeout": "500ms"}), wire={"max_outbox_size": "256KiB", "max_requests": 100}
        )
        slow = self.client(gateway, receive_buffer=4096)
        for i in range(40):
            slow.ask(call("fake__big", {"bytes": 500_000}, i))
        with WsClient(gateway.port) as other:
            for i in range(20):
                self.assertEqual(text(other.request(call("fake__echo", {"text": "x"}, i))["mcp_payload"]), "x")
        wait_until(lambda: gateway.metric("patchbay_wire_sessions") == 0, "the slow one to be left")
        self.assertLess(gateway.rss(), 300 << 20)

    def test_a_reader_of_a_few_bytes_gets_everything(self):
        gateway = self.start(fake_config())
        slow = self.client(gateway, receive_buffer=4096)
        asked = slow.ask(call("fake__big", {"bytes": 200_000}))
        for _ in range(500):
            slow.buffer += slow.socket.recv(1)
        with WsClient(gateway.port) as other:
            self.assertEqual(text(other.request(call("fake__echo", {"text": "x"}))["mcp_payload"]), "x")
        self.assertEqual(slow.read()["correlation_id"], asked)

    def test_vanishing_clients_leave_nothing_behind(self):
        gateway = self.start(fake_config())
        for i in range(50):
            client = WsClient(gateway.port)
            client.ask(call("fake__sleep", {"seconds": 60}, i))
            reset = struct.pack("ii", 1, 0)
            client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
            client.socket.close()
        wait_until(lambda: gateway.metric("patchbay_wire_sessions") == 0, "all to be gone")
        self.assert_echoes(gateway)

    def assert_echoes(self, gateway):
        with WsClient(gateway.port) as client:
            self.assertEqual(text(client.request(call("fake__echo", {"text": "x"}))["mcp_payload"]), "x")

    def test_stopping_answers_what_was_asked(self):
        for plain in (False, True):
            gateway = self.start(fake_config())
            client = self.client(gateway)
            request = call("fake__sleep", {"seconds": 0.5}, "s")
            client.send(request if plain else envelope(request))
            idle = self.client(gateway)
            idle.request(rpc("ping"))
            wait_until(lambda: gateway.metric("patchbay_calls_in_flight") == 1, "the call to run")
            gateway.process.terminate()
            self.assertEqual(idle.closed()[0], 1001)
            message = client.read()
            self.assertIn("result", message if plain else message["mcp_payload"])
            self.assertEqual(client.closed()[0], 1001)
            self.assertEqual(gateway.wait(), 0)

    def test_a_caller_that_is_no_longer_accepted(self):
        tokens = [{"name": "ci", "token": TOKEN}, {"name": "other", "token": OTHER}]
        gateway = self.start({"auth": {"tokens": tokens}})
        plain = self.client(gateway, bearer())
        plain.send(SUM)
        plain.answer(1)
        wire = self.client(gateway, bearer())
        wire.request(SUM)
        config = {"workers": 1, "auth": {"tokens": tokens[1:]}, "wire": {"tcp": "off"}}
        gateway.write_config(config)
        gateway.stderr.wait_for("reloaded")
        plain.send(SUM)
        self.assertEqual(plain.closed(), (1008, "the credentials have expired"))
        answer = wire.request(SUM)
        self.assertEqual(answer["error"]["code"], "UNAUTHORIZED")
        # Nor can the connection become another's.
        answer = wire.request(SUM, auth_token=f"Bearer {OTHER}")
        self.assertEqual(answer["error"]["code"], "FORBIDDEN")


    def test_a_token_expires_while_the_connection_is_open(self):
        with Issuer(Key("one")) as issuer:
            gateway = self.start({"auth": issuer.auth(leeway="0s")})
            soon = int(time.time()) + 3
            token = issuer.token(exp=soon)
            wire, plain = (self.client(gateway, bearer(token)) for _ in range(2))
            self.assertIn("mcp_payload", wire.request(SUM))
            plain.send(SUM)
            plain.answer(1)
            wait_until(lambda: time.time() > soon + 0.1, "the token to expire")
            self.assertEqual(wire.request(SUM)["error"]["code"], "UNAUTHORIZED")
            # The connection is still good for a new one.
            self.assertIn("mcp_payload", wire.request(SUM, auth_token=issuer.token()))
            plain.send(SUM)
            self.assertEqual(plain.closed()[0], 1008)


class Upstream(WsCase):
    """Gateways that chain, and the commands of the client."""

    def test_one_gateway_behind_another(self):
        behind = self.start(fake_config(names={"prefix": "never"}))
        url = f"ws://127.0.0.1:{behind.port}/mcp"
        upstreams = {
            name: {"kind": "ws", "url": url, "envelope": name} for name in ("auto", "always", "never")
        }
        front = self.start({"upstreams": upstreams})
        for name in upstreams:
            with self.subTest(name):
                client = self.client(front)
                echo = call(f"{name}__echo", {"text": "through two"}, name)
                self.assertEqual(text(client.request(echo)["mcp_payload"]), "through two")
                large = call(f"{name}__big", {"bytes": 2_000_000}, name)
                self.assertEqual(len(text(client.request(large)["mcp_payload"])), 2_000_000)

    def test_it_comes_back(self):
        behind = self.start()
        port = behind.port
        restart = {"initial_interval": "50ms", "max_interval": "200ms", "breaker_threshold": 1000}
        settings = {"kind": "ws", "url": f"ws://127.0.0.1:{port}/mcp", "restart": restart}
        front = self.start({"upstreams": {"behind": settings}})
        self.assertEqual(behind.stop(), 0)
        self.start({"listen": f"127.0.0.1:{port}"})
        answered = lambda: run("call", front.url, "behind__skills__calculate", "expression=2*21")
        wait_until(lambda: "42" in answered().stdout, "the upstream to be back")

    def test_a_token_and_a_refusal(self):
        behind = self.start({"auth": {"tokens": [{"name": "ci", "token": TOKEN}]}})
        url = f"ws://127.0.0.1:{behind.port}/mcp"
        good = run("call", url, "skills__calculate", "expression=6*7", env={"PATCHBAY_TOKEN": TOKEN})
        self.assertEqual((good.returncode, good.stdout.strip()), (0, "42"), good.stderr)
        bad = run("tools", url)
        self.assertEqual(bad.returncode, 1)
        self.assertIn("it answers 401", bad.stderr)

    def test_bad_settings_are_named(self):
        for url, why in {
            "http://localhost": "ws:// or wss://",
            "ws://": "names no host",
            "ws://user@host": "user name",
        }.items():
            config = self.write(json.dumps({"upstreams": {"w": {"kind": "ws", "url": url}}}))
            done = run("check", config)
            self.assertEqual(done.returncode, 3, done.stdout)
            self.assertIn(why, done.stdout + done.stderr)

    def write(self, content):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        path = f"{folder}/patchbay.json"
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
        return path


class Npm(WsCase):
    """The implementation that most of the world uses, and the transport of the SDK over it."""

    def script(self, name, *arguments, sdk=False):
        try:
            node = install(20) if sdk else find_node(18)
            npm_ci(PEERS / "ws")
        except LeftOut as reason:
            self.skipTest(str(reason))
        done = subprocess.run(
            [node, str(PEERS / "ws" / name), *arguments],
            capture_output=True, text=True, timeout=120, check=False,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_ws_in_front(self):
        gateway = self.start(fake_config())
        self.script("client.mjs", f"ws://127.0.0.1:{gateway.port}/mcp")

    def test_ws_behind(self):
        try:
            node = find_node(18)
            npm_ci(PEERS / "ws")
        except LeftOut as reason:
            self.skipTest(str(reason))
        server = subprocess.Popen(
            [node, str(PEERS / "ws" / "server.mjs")], stdout=subprocess.PIPE, text=True
        )
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        url = server.stdout.readline().strip()
        gateway = self.start({"upstreams": {"npm": {"kind": "ws", "url": url}}})
        client = self.client(gateway)
        answer = client.request(call("npm__shout", {"text": "grüße"}))
        self.assertEqual(text(answer["mcp_payload"]), "GRÜSSE")

    def test_the_websocket_transport_of_the_sdk(self):
        gateway = self.start(fake_config())
        self.script("sdk.mjs", f"ws://127.0.0.1:{gateway.port}/mcp", sdk=True)


if __name__ == "__main__":
    main()
