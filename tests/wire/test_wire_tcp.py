"""The wire protocol on TCP as its document describes it, and broken frames."""

import gzip
import json
import math
import re
import socket
import struct
import sys
import threading
import time

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import TIMEOUT, fake, fake_config, main, run, wait_until
from wire_case import WireCase
from wire_client import (
    CLOSE,
    DATA,
    ERROR,
    MOST,
    PING,
    PONG,
    call,
    envelope,
    frame,
    now,
    rpc,
)

UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
SUM = call("skills__calculate", {"expression": "2 + 3 * 4"})


def text(result):
    return result["content"][0]["text"]


class Document(WireCase):
    """Every example of the document, as it is written there."""

    def test_the_sample_message_is_answered(self):
        client = self.client(self.start())
        client.send(
            {
                "id": "550e8400-e29b-41d4-a716-446655440000",
                "timestamp": "2024-01-15T10:30:45.123Z",
                "source": "local-router",
                "target_namespace": "tools",
                "auth_token": "Bearer eyJ0eXAiOiJKV1Q...",
                "correlation_id": "req-12345",
                "metadata": {"client_version": "1.2.0", "retry_count": 0},
                "mcp_payload": {
                    "jsonrpc": "2.0",
                    "method": "tools/list",
                    "params": {},
                    "id": "mcp-req-001",
                },
            }
        )
        answer = client.read()
        self.assertRegex(answer["id"], UUID4)
        self.assertRegex(answer["timestamp"], TIME)
        self.assertEqual(answer["source"], "gateway")
        self.assertEqual(answer["correlation_id"], "550e8400-e29b-41d4-a716-446655440000")
        self.assertEqual(answer["metadata"], {"correlation_id": "req-12345"})
        self.assertNotIn("auth_token", answer)
        payload = answer["mcp_payload"]
        self.assertEqual(payload["id"], "mcp-req-001")
        self.assertIn("skills__calculate", [tool["name"] for tool in payload["result"]["tools"]])

    def test_initialize_as_documented(self):
        client = self.client(self.start(wire={"rate_limiting": {"enabled": True}}))
        result = client.initialize("1.0")
        self.assertEqual(result["protocolVersion"], "1.0")
        self.assertEqual(result["serverInfo"]["supportedVersions"], ["1.0", "1.1"])
        wanted = {
            "tools": True,
            "resources": True,
            "streaming": False,
            "binary_protocol": True,
            "per_message_auth": True,
            "rate_limiting": {"enabled": True, "default_limit": 100, "window": "1m"},
        }
        self.assertEqual(wanted, {key: result["capabilities"].get(key) for key in wanted})

    def test_versions_are_negotiated(self):
        gateway = self.start()
        all_three = {"supportedVersions": ["1.0", "1.1", "2.0"]}
        with gateway.client() as client:
            self.assertEqual(client.initialize("1.0", **all_three)["protocolVersion"], "1.1")
        with gateway.client() as client:
            result = client.initialize("2025-06-18")
            self.assertEqual(result["protocolVersion"], "2025-06-18")
            self.assertIsInstance(result["capabilities"]["tools"], dict)
            wire = result["capabilities"]["experimental"]["wire"]
            self.assertTrue(wire["binary_protocol"])
        with gateway.client() as client:
            answer = client.request(rpc("initialize", {"protocolVersion": "2.0"}))
            self.assert_error(answer["mcp_payload"], -32602, "unsupported_version")
            data = answer["mcp_payload"]["error"]["data"]
            self.assertEqual(data["supportedVersions"], ["1.0", "1.1"])

    def test_an_unknown_method_is_answered_as_in_the_example(self):
        client = self.client(self.start())
        answer = client.request(rpc("unknown/method", request_id="unknown-001"), id="req-002")
        self.assertEqual(answer["correlation_id"], "req-002")
        self.assertEqual(
            answer["mcp_payload"],
            {
                "jsonrpc": "2.0",
                "id": "unknown-001",
                "error": {
                    "code": -32601,
                    "message": "Method not found",
                    "data": {"method": "unknown/method"},
                },
            },
        )

    def test_ping_is_echoed_byte_for_byte(self):
        client = self.client(self.start())
        for payload in (b"", bytes.fromhex("0000018D9F3A4B28"), bytes(range(125))):
            client.send_bytes(frame(PING, payload))
            self.assertEqual(client.read_frame(), (PONG, payload))

    def test_close_is_answered_by_the_end(self):
        client = self.client(self.start())
        client.initialize()
        client.send_bytes(frame(CLOSE, b"bye"))
        client.assert_ended()

    def test_namespaces(self):
        config = fake_config({"fake": fake(), "skills": {"kind": "builtin"}})
        client = self.client(self.start(config))

        def names(**fields):
            return {tool["name"] for tool in client.result(rpc("tools/list"), **fields)["tools"]}

        everything = names()
        self.assertTrue(any(name.startswith("fake__") for name in everything))
        self.assertTrue(any(name.startswith("skills__") for name in everything))
        for alias in ("system", "tools", "default"):
            self.assertEqual(names(target_namespace=alias), everything)
        self.assertEqual(
            names(target_namespace="fake"), {n for n in everything if n.startswith("fake__")}
        )
        result = client.result(call("echo", {"text": "hi"}), target_namespace="fake")
        self.assertEqual(text(result), "hi")
        error = client.refusal(rpc("tools/list"), target_namespace="nowhere")
        self.assertEqual(error["code"], "NOT_FOUND")

    def test_the_method_may_name_the_namespace(self):
        client = self.client(self.start(fake_config()))
        tools = client.result(rpc("fake.tools/list"))["tools"]
        self.assertEqual({tool["name"].partition("__")[0] for tool in tools}, {"fake"})
        self.assertEqual(text(client.result(rpc("fake.echo", {"text": "hi"}))), "hi")
        self.assertEqual(
            text(client.result(rpc("fake.tools/call", {"name": "echo", "arguments": {"text": "x"}}))),
            "x",
        )
        self.assertEqual(client.result(rpc("system.ping")), {})
        self.assertIn("tools", client.result(rpc("fake.tools/list"), target_namespace="fake"))
        answer = client.request(rpc("nowhere.tools/list"))["mcp_payload"]
        self.assert_error(answer, -32601)
        answer = client.request(rpc("fake.echo", {"text": "hi"}), target_namespace="system")
        self.assert_error(answer["mcp_payload"], -32601)

    def test_the_namespace_of_an_upstream_that_is_down(self):
        down = {"kind": "stdio", "command": "/no/such/program"}
        upstreams = {"fake": fake(), "down": down}
        client = self.client(self.start(fake_config(upstreams, limits={"start_timeout": "5s"})))
        for method in ("tools/list", "resources/list", "prompts/list"):
            error = client.refusal(rpc(method), target_namespace="down")
            self.assertEqual(error["code"], "SERVICE_UNAVAILABLE", method)
            self.assertIn("down", error["message"])
        error = client.refusal(call("echo", {}), target_namespace="down")
        self.assertEqual(error["code"], "SERVICE_UNAVAILABLE")
        self.assertTrue(client.result(rpc("tools/list"), target_namespace="fake")["tools"])

    def test_missing_fields_are_named(self):
        client = self.client(self.start())
        for field in ("id", "timestamp", "source", "mcp_payload"):
            message = envelope(rpc("ping"))
            del message[field]
            client.send(message)
            fault = client.read(ERROR)
            self.assertEqual(fault["error"]["code"], "INVALID_REQUEST")
            self.assertIn(f"'{field}' is missing", fault["error"]["message"])
            self.assertRegex(fault["id"], UUID4)
            self.assertEqual(fault["source"], "gateway")
        self.assertEqual(client.result(rpc("ping")), {})

    def test_a_payload_without_jsonrpc_is_taken_only_where_that_is_allowed(self):
        bare = {"id": 7, "method": "ping"}
        strict = self.client(self.start())
        self.assert_error(strict.request(bare)["mcp_payload"], -32600)
        lenient = self.client(self.start(wire={"strict": False}))
        self.assertEqual(lenient.result(bare), {})

    def test_numbers_are_ids_too(self):
        client = self.client(self.start())
        client.send(envelope(rpc("ping"), id=42))
        self.assertEqual(client.read()["correlation_id"], "42")


class Frames(WireCase):
    def test_both_headers_at_every_byte(self):
        gateway = self.start(wire={"message_id_timeout": "0s"})
        for header in (7, 8):
            whole = frame(DATA, json.dumps(envelope(SUM)).encode(), header)
            for cut in range(1, len(whole)):
                with gateway.client(header=header) as client:
                    client.send_bytes(whole[:cut])
                    client.send_bytes(whole[cut:])
                    self.assertIn("14", text(client.read()["mcp_payload"]["result"]))

    def test_a_dribbled_stream(self):
        gateway = self.start()
        for header in (7, 8):
            with gateway.client(header=header) as client:
                stream = frame(DATA, json.dumps(envelope(rpc("ping"))).encode(), header)
                stream += frame(PING, b"12345678", header) + frame(PING, b"", header)
                stream += frame(DATA, b" \n" + json.dumps(envelope(rpc("ping"))).encode(), header)
                for byte in stream:
                    client.send_bytes(bytes([byte]))
                kinds = sorted(client.read_frame()[0] for _ in range(4))
                self.assertEqual(kinds, [DATA, DATA, PONG, PONG])

    def test_an_empty_ping_of_eight_bytes_comes_first(self):
        client = self.client(self.start(), header=7)
        client.send_bytes(frame(PING, b"", 8))
        # It may look like one of 7 bytes when it comes alone; what follows settles it.
        self.assertEqual(client._bytes(3)[:3], b"MC\x03")  # pylint: disable=protected-access
        message = frame(DATA, json.dumps(envelope(rpc("ping"))).encode(), 8)
        client.send_bytes(message)
        received = b""
        while b"mcp_payload" not in received:
            received += client.socket.recv(4096)
        self.assertIn(b"MC\x01\x00\x00", received)

    def test_what_is_no_frame_gets_an_error_and_a_close(self):
        gateway = self.start()
        faults = {
            b"GET / HTTP/1.1\r\n\r\n": "4D 43",
            b"\x16\x03\x01\x02\x00": "4D 43",
            b"MC\x09\x00\x00\x00\x00": "0x09",
            b"MC\x00\x00\x00\x00\x00": "0x00",
        }
        for wrong, what in faults.items():
            with gateway.client() as client:
                client.send_bytes(wrong)
                fault = client.read(ERROR)["error"]
                self.assertEqual(fault["code"], "INVALID_REQUEST")
                self.assertIn(what, fault["message"])
                self.assertEqual(client.read(CLOSE), b"INVALID_REQUEST")
                client.assert_ended()

    def test_too_large_is_refused_by_its_header_alone(self):
        gateway = self.start()
        before = gateway.rss()
        for header in (b"MC\x01\xff\xff\xff\xff", b"MC\x01\x01\xff\xff\xff\xff",
                       b"MC\x01" + struct.pack(">I", MOST - 6), b"MC\x02\x00\x00\x00\x7e"):
            with gateway.client() as client:
                client.send_bytes(header + b'{"')
                self.assertEqual(client.read(ERROR)["error"]["details"]["reason"], "too_large")
                client.assert_ended()
        self.assertLess(gateway.rss() - before, 8 << 20)

    def test_exactly_the_largest_frame_and_one_byte_more(self):
        gateway = self.start()
        for header in (7, 8):
            message = json.dumps(envelope(rpc("ping"), metadata={"pad": ""})).encode()
            for extra, fits in ((0, True), (1, False)):
                padding = b"x" * (MOST - header - len(message) + extra)
                payload = message.replace(b'"pad": ""', b'"pad": "' + padding + b'"')
                self.assertEqual(len(payload) + header, MOST + extra)
                with gateway.client(header=header) as client:
                    self.send_ignoring_reset(client, frame(DATA, payload, header))
                    if fits:
                        self.assertEqual(client.read()["mcp_payload"]["result"], {})
                    else:
                        fault = client.read(ERROR)["error"]
                        self.assertEqual(fault["details"]["reason"], "too_large")

    def send_ignoring_reset(self, client, data):
        try:
            client.send_bytes(data)
        except ConnectionError:
            pass

    def test_memory_is_taken_as_a_frame_comes(self):
        gateway = self.start()
        before = gateway.rss()
        clients = [self.client(gateway) for _ in range(20)]
        for client in clients:
            client.send_bytes(frame(PING, b"1234"))
            client.read_frame()
            client.send_bytes(b"MC\x01" + struct.pack(">I", MOST - 7) + b'{"a":"')
        for client in clients:
            client.send_bytes(b"x" * 1000)
        wait_until(lambda: gateway.metric("patchbay_wire_sessions") == 20)
        self.assertLess(gateway.rss() - before, 20 << 20)

    def test_compressed_messages(self):
        client = self.client(self.start(fake_config(), wire={"min_gzip_size": "1KiB"}))
        client.send(envelope(rpc("ping")), packed=True)
        self.assertEqual(client.read()["mcp_payload"]["result"], {})
        # From now on large answers come compressed too.
        client.send(envelope(call("fake__big", {"bytes": 100_000})), packed=True)
        kind, flags = client._bytes(4)[2:]  # pylint: disable=protected-access
        self.assertEqual((kind, flags), (DATA, 1))
        size = struct.unpack(">I", client._bytes(4))[0]  # pylint: disable=protected-access
        packed = client._bytes(size)  # pylint: disable=protected-access
        answer = json.loads(gzip.decompress(packed))
        self.assertGreaterEqual(len(text(answer["mcp_payload"]["result"])), 100_000)

    def test_broken_gzip_and_bombs(self):
        gateway = self.start()
        good = gzip.compress(json.dumps(envelope(rpc("ping"))).encode())
        corrupt = good[:20] + bytes([good[20] ^ 0x55]) + good[21:]
        bomb = gzip.compress(b" " * (15 << 20))
        larger = gzip.compress(bytes(MOST + 1), 1)
        before = gateway.rss()
        for payload, reason in (
            (corrupt, "invalid_request"),
            (good[:-4], "invalid_request"),
            (b"not gzip", "invalid_request"),
            (bomb, "too_large"),
            (larger, "too_large"),
        ):
            with gateway.client() as client:
                client.send_bytes(frame(DATA, payload, 8, 1))
                self.assertEqual(client.read(ERROR)["error"]["details"]["reason"], reason)
                client.assert_ended()
        self.assertLess(gateway.rss() - before, 48 << 20)

    def test_the_header_can_be_fixed(self):
        for header in (7, 8):
            gateway = self.start(wire={"frame_header": str(header)})
            client = self.client(gateway, header=header)
            self.assertEqual(client.result(rpc("ping")), {})

    def test_the_headers_of_the_origin_are_an_option(self):
        message = json.dumps(rpc("ping", request_id=5)).encode()
        with self.start().client() as client:
            client.send_bytes(b"MCPB\x00\x01\x00\x01" + struct.pack(">I", len(message)) + message)
            self.assertEqual(client.read(ERROR)["error"]["code"], "INVALID_REQUEST")
        gateway = self.start(wire={"origin_headers": True})
        for magic, reserved in ((b"MCPB", b""), (b"MCP\x00", bytes(4))):
            with gateway.client() as client:
                take = client._bytes  # pylint: disable=protected-access

                def exchange(kind, payload):
                    head = magic + b"\x00\x01" + struct.pack(">H", kind) + reserved
                    client.send_bytes(head + struct.pack(">I", len(payload)) + payload)
                    got = take(8 + len(reserved) + 4)
                    self.assertEqual(got[:6], magic + b"\x00\x01")
                    return struct.unpack(">H", got[6:8])[0], take(struct.unpack(">I", got[-4:])[0])

                versions = {"min_version": 1, "max_version": 1, "preferred_version": 1}
                kind, ack = exchange(6, json.dumps(versions).encode())
                self.assertEqual((kind, json.loads(ack)), (7, {"agreed_version": 1}))
                kind, answer = exchange(1, message)
                self.assertEqual((kind, json.loads(answer)["result"]), (2, {}))
                self.assertEqual(exchange(4, b""), (4, b""))


class Chunks(WireCase):
    def test_large_answers_come_in_chunks_to_clients_that_support_them(self):
        gateway = self.start(fake_config(), wire={"chunk_size": "64KiB"})
        client = self.client(gateway)
        result = client.initialize(capabilities={"chunking": True})
        self.assertTrue(result["capabilities"]["chunking"])
        asked = client.ask(call("fake__big", {"bytes": 1_000_000}))
        parts, total = [], None
        while total is None or len(parts) < total:
            piece = client.read()
            chunk = piece["metadata"]["chunk"]
            self.assertEqual(chunk["index"], len(parts))
            total = chunk["total"]
            if not parts:
                self.assertEqual(piece["correlation_id"], asked)
            parts.append(piece["mcp_payload"]["part"])
        whole = json.loads("".join(parts))
        self.assertGreater(total, 10)
        self.assertGreaterEqual(len(text(whole["result"])), 1_000_000)

    def test_requests_come_in_pieces_too(self):
        client = self.client(self.start(fake_config()))
        body = json.dumps(call("fake__echo", {"text": "é" * 1000}), ensure_ascii=False)
        pieces = [body[i : i + 100] for i in range(0, len(body), 100)]
        for index, part in enumerate(pieces):
            chunk = {"id": "whole-1", "index": index, "total": len(pieces)}
            client.ask({"part": part}, metadata={"chunk": chunk})
        answer = client.read()
        self.assertEqual(answer["correlation_id"], "whole-1")
        self.assertEqual(text(answer["mcp_payload"]["result"]), "é" * 1000)
        error = client.refusal({"part": "x"}, metadata={"chunk": {"id": "n", "index": 1, "total": 2}})
        self.assertEqual(error["code"], "INVALID_REQUEST")

    def test_messages_that_are_incomplete_have_a_bound(self):
        client = self.client(self.start(fake_config(), wire={"max_incomplete_messages": 1}))
        first = lambda name: {"chunk": {"id": name, "index": 0, "total": 2}}
        client.ask({"part": "{"}, metadata=first("one"))
        error = client.refusal({"part": "{"}, metadata=first("two"))
        self.assertIn("more than 1 messages in pieces", error["message"])

    def test_an_answer_too_large_for_a_frame_is_an_error(self):
        client = self.client(self.start(fake_config(), wire={"max_frame_size": "64KiB"}))
        answer = client.request(call("fake__big", {"bytes": 100_000}))
        self.assert_error(answer["mcp_payload"], -32600, "too_large")
        self.assertIn("chunking", answer["mcp_payload"]["error"]["message"])


class Traffic(WireCase):
    def test_many_requests_at_once_are_answered_as_they_finish(self):
        client = self.client(self.start(fake_config()))
        slow = client.ask(call("fake__sleep", {"seconds": 2}, "slow"))
        asked = {client.ask(call("fake__echo", {"text": str(i)}, i)): i for i in range(200)}
        for _ in range(200):
            answer = client.read()
            number = asked.pop(answer["correlation_id"])
            self.assertEqual(answer["mcp_payload"]["id"], number)
            self.assertEqual(text(answer["mcp_payload"]["result"]), str(number))
        self.assertEqual(client.read()["correlation_id"], slow)

    def test_an_id_that_runs_is_not_taken_twice(self):
        client = self.client(self.start(fake_config()))
        client.ask(call("fake__sleep", {"seconds": 1}, "same"))
        error = client.refusal(rpc("ping", request_id="same"))
        self.assertEqual(error["code"], "INVALID_REQUEST")
        self.assertEqual(client.read()["mcp_payload"]["id"], "same")

    def test_requests_of_one_connection_have_a_bound(self):
        client = self.client(self.start(fake_config(), wire={"max_requests": 2}))
        for i in range(2):
            client.ask(call("fake__hang", {}, i))
        self.assertEqual(client.refusal(rpc("ping", request_id=9))["code"], "SERVICE_UNAVAILABLE")

    def test_cancelling(self):
        gateway = self.start(fake_config(), wire={"max_requests": 1})
        client = self.client(gateway)
        client.initialize("2025-06-18")
        client.ask(call("fake__hang", {}, "h"))
        cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "h"}}
        client.ask(cancel)
        self.assertEqual(client.result(rpc("ping")), {})

    def test_progress_and_notifications_are_pushed(self):
        client = self.client(self.start(fake_config()))
        client.initialize("2025-06-18")
        params = {"name": "fake__progress", "arguments": {"steps": 3}, "_meta": {"progressToken": "t"}}
        asked = client.ask(rpc("tools/call", params))
        methods = []
        while True:
            message = client.read()
            if message.get("correlation_id") == asked:
                break
            self.assertNotIn("correlation_id", message)
            methods.append(message["mcp_payload"]["method"])
        self.assertEqual(methods, ["notifications/progress"] * 3)
        client.ask(call("fake__list_changed", {}))
        seen = {json.dumps(client.read()["mcp_payload"].get("method")) for _ in range(2)}
        self.assertIn('"notifications/tools/list_changed"', seen)

    def test_questions_are_answered_by_the_client(self):
        client = self.client(self.start(fake_config()))
        client.initialize("2025-06-18", capabilities={"sampling": {}, "roots": {}})
        asked = client.ask(call("fake__ask_client", {"method": "roots/list", "params": {}}))
        question = client.read()["mcp_payload"]
        self.assertEqual(question["method"], "roots/list")
        roots = {"roots": [{"uri": "file:///here"}]}
        client.ask({"jsonrpc": "2.0", "id": question["id"], "result": roots})
        answer = client.read()
        self.assertEqual(answer["correlation_id"], asked)
        self.assertIn("file:///here", text(answer["mcp_payload"]["result"]))

    def test_control_frames_jump_the_queue(self):
        gateway = self.start(fake_config(), wire={"max_outbox_size": "64MiB"})
        client = self.client(gateway)
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        calls = gateway.metric("patchbay_calls_total")
        for i in range(8):
            client.ask(call("fake__big", {"bytes": 3_000_000}, i))
        wait_until(lambda: gateway.metric("patchbay_calls_total") >= calls + 8, "all answers")
        client.send_bytes(frame(PING, b"now"))
        kinds = [client.read_frame()[0] for _ in range(9)]
        self.assertIn(PONG, kinds[:8], kinds)

    def test_a_slow_reader_is_cut_off_and_delays_nobody(self):
        gateway = self.start(fake_config(), wire={"max_outbox_size": "1MiB"})
        slow = self.client(gateway)
        slow.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        for i in range(40):
            slow.ask(call("fake__big", {"bytes": 500_000}, i))
        brisk = self.client(gateway)
        for i in range(50):
            self.assertEqual(brisk.result(rpc("ping", request_id=i)), {})
        wait_until(lambda: gateway.metric("patchbay_wire_sessions") == 1, "the slow one to be cut off")

    def test_a_reader_of_a_few_bytes_gets_everything(self):
        client = self.client(self.start(fake_config()))
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        client.ask(call("fake__big", {"bytes": 2000}))
        got = b""
        while len(got) < 2000:
            got += client.socket.recv(1)
        self.assertTrue(got.startswith(b"MC\x01"))

    def test_answers_reach_a_client_that_has_ended_its_side(self):
        client = self.client(self.start(fake_config()))
        client.ask(call("fake__sleep", {"seconds": 0.3}))
        client.socket.shutdown(socket.SHUT_WR)
        self.assertIn("result", client.read()["mcp_payload"])
        client.assert_ended()

    def test_two_clients_share_nothing(self):
        gateway = self.start(fake_config())
        one, two = self.client(gateway), self.client(gateway)
        for i in range(20):
            one.ask(call("fake__echo", {"text": f"one {i}"}, i))
            two.ask(call("fake__echo", {"text": f"two {i}"}, i))
        for client, name in ((one, "one"), (two, "two")):
            for _ in range(20):
                payload = client.read()["mcp_payload"]
                self.assertEqual(text(payload["result"]), f"{name} {payload['id']}")

    def test_stopping_answers_what_was_asked(self):
        gateway = self.start(fake_config())
        client = self.client(gateway)
        client.ask(call("fake__sleep", {"seconds": 0.5}))
        wait_until(lambda: gateway.metric("patchbay_calls_in_flight") == 1)
        stopping = threading.Thread(target=gateway.stop)
        stopping.start()
        self.assertIn("result", client.read()["mcp_payload"])
        self.assertEqual(client.read(CLOSE), b"the gateway stops")
        client.assert_ended()
        stopping.join(TIMEOUT)
        self.assertEqual(gateway.process.returncode, 0)


class Lifecycle(WireCase):
    def test_a_silent_client_is_asked_and_left(self):
        gateway = self.start(wire={"ping_interval": "200ms", "pong_timeout": "300ms"})
        client = self.client(gateway)
        client.initialize()
        kind, payload = client.read_frame()
        self.assertEqual((kind, len(payload)), (PING, 8))
        self.assertLess(abs(struct.unpack(">Q", payload)[0] / 1000 - time.time()), 60)
        client.send_bytes(frame(PONG, payload))
        self.assertEqual(client.read_frame()[0], PING)  # It is still there, and asked again.
        client.assert_ended()  # It does not answer any more.

    def test_a_client_must_send_something(self):
        client = self.client(self.start(wire={"first_message_timeout": "200ms"}))
        self.assertEqual(client.read(ERROR)["error"]["details"]["reason"], "timeout")
        client.assert_ended()

    def test_a_frame_must_come_to_its_end(self):
        client = self.client(self.start(wire={"frame_timeout": "300ms", "first_message_timeout": "60s"}))
        client.initialize()
        client.send_bytes(b"MC\x01\x00")
        self.assertEqual(client.read(ERROR)["error"]["details"]["reason"], "timeout")
        client.assert_ended()

    def test_vanishing_clients_leave_nothing_behind(self):
        gateway = self.start(fake_config())
        for _ in range(100):
            with gateway.client() as client:
                client.ask(call("fake__hang", {}))
                linger = struct.pack("ii", 1, 0)
                client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)  # RST
        wait_until(lambda: gateway.metric("patchbay_wire_sessions") == 0, "all to be gone")
        wait_until(lambda: gateway.metric("patchbay_calls_in_flight") == 0, "calls to end")
        self.assertEqual(self.client(gateway).result(rpc("ping")), {})


class Limits(WireCase):
    def test_a_hundred_requests_a_minute_by_default(self):
        gateway = self.start(wire={"rate_limiting": {"enabled": True}})
        client = self.client(gateway)
        for i in range(100):
            self.assertIn("tools", client.result(rpc("tools/list", request_id=i)))
        error = client.refusal(rpc("tools/list"))
        self.assertIn("wire.rate_limiting", error["message"])
        self.assertEqual(error["code"], "RATE_LIMIT_EXCEEDED")
        details = error["details"]
        self.assertEqual((details["limit"], details["window"]), (100, "1m"))
        self.assertIsInstance(details["retry_after"], int)
        self.assertLessEqual(details["retry_after"], 60)
        # Pings and handshakes do not count, and another client has its own limit.
        self.assertEqual(client.result(rpc("ping")), {})
        self.assertIn("tools", self.client(gateway).result(rpc("tools/list")))
        banner = gateway.stdout.wait_for("limit      wire")
        self.assertIn("100 requests in 1m per client", banner)
        self.assertIn("wire.rate_limiting.default_limit", banner)

    def test_a_refusal_says_when_to_come_back(self):
        for window, text, longest in ((60, "1m", 60), (30.5, "30s500ms", 31), (7200, "2h", 7200)):
            limit = {"enabled": True, "default_limit": 1, "window": f"{round(window * 1000)}ms"}
            client = self.client(self.start(wire={"rate_limiting": limit}))
            began = time.monotonic()
            client.result(rpc("tools/list"))
            details = client.refusal(rpc("tools/list"))["details"]
            least = math.ceil(window - (time.monotonic() - began))
            with self.subTest(window):
                self.assertEqual((details["limit"], details["window"]), (1, text))
                self.assertIn(details["retry_after"], range(max(least, 1), longest + 1))

    def test_who_comes_back_then_is_let_in(self):
        limit = {"enabled": True, "default_limit": 1, "window": "3s"}
        client = self.client(self.start(wire={"rate_limiting": limit}))
        client.result(rpc("tools/list"))
        time.sleep(client.refusal(rpc("tools/list"))["details"]["retry_after"])
        self.assertIn("tools", client.result(rpc("tools/list")))

    def test_faults_in_the_style_that_was_asked_for(self):
        limit = {"enabled": True, "default_limit": 1, "window": "60s"}
        for style in ("jsonrpc", "both"):
            client = self.client(self.start(wire={"rate_limiting": limit, "error_style": style}))
            self.assertIn("tools", client.result(rpc("tools/list")))
            answer = client.request(rpc("tools/list", request_id="r"))
            self.assertEqual(answer["mcp_payload"]["id"], "r")
            self.assert_error(answer["mcp_payload"], -32029, "rate_limited")
            self.assertEqual("error" in answer, style == "both")

    def test_stale_and_replayed_messages(self):
        gateway = self.start(wire={"replay_window_s": 300})
        client = self.client(gateway)
        for offset in (-301, 301):
            error = client.refusal(rpc("ping"), timestamp=now(offset))
            self.assertEqual((error["code"], error["details"]), ("INVALID_REQUEST", {"reason": "stale"}))
        self.assertEqual(client.result(rpc("ping"), id="once", timestamp=now(-200)), {})
        error = client.refusal(rpc("ping"), id="once")
        self.assertEqual(error["details"], {"reason": "replayed"})
        # Neither does another connection help.
        self.assertEqual(
            self.client(gateway).refusal(rpc("ping"), id="once")["details"], {"reason": "replayed"}
        )

    def test_old_messages_are_taken_by_default(self):
        client = self.client(self.start())
        for number in range(2):
            answer = client.result(
                rpc("ping"), id=f"msg-{number}", timestamp="2024-01-15T10:30:45Z"
            )
            self.assertEqual(answer, {})

    def test_a_repeated_message_is_not_run_twice(self):
        gateway = self.start()
        message = rpc("tools/list")
        with gateway.client() as client:
            self.assertIn("tools", client.result(message, id="once"))
            error = client.refusal(message, id="once")
            self.assertEqual(error["code"], "INVALID_REQUEST")
            self.assertEqual(error["details"], {"reason": "replayed"})
        error = self.client(gateway).refusal(message, id="once")
        self.assertEqual(error["details"], {"reason": "replayed"})
        self.assertEqual(gateway.metric("patchbay_calls_total", outcome="ok"), 1)

    def test_repeated_ids_can_be_allowed(self):
        client = self.client(self.start(wire={"message_id_timeout": "0s"}))
        for _ in range(2):
            self.assertEqual(client.result(rpc("ping"), id="once"), {})

    def test_an_envelope_carries_one_thing(self):
        client = self.client(self.start())
        error = client.refusal(rpc("ping"), error={"code": "INTERNAL_ERROR", "message": "x"})
        self.assertEqual(error["code"], "INVALID_REQUEST")
        self.assertIn("mcp_payload", error["message"])
        self.assertEqual(client.result(rpc("ping")), {})

    def test_a_large_message_is_logged(self):
        gateway = self.start()
        client = self.client(gateway)
        self.assertEqual(client.result(rpc("ping", {"x": "y" * 1000})), {})
        self.assertEqual(client.result(rpc("ping", {"x": "y" * (1 << 20)})), {})
        line = gateway.stderr.wait_for("wire message above the recommended size")
        self.assertIn("warn", line.lower())
        self.assertIn("from=127.0.0.1", line)
        self.assertEqual(gateway.metric("patchbay_wire_large_messages_total"), 1)

    def test_a_listener_for_the_world_needs_authentication(self):
        gateway = self.start()
        for wire, key in (
            ({"tcp": "0.0.0.0:0"}, "wire.tcp"),
            ({"tcp": "nowhere"}, "wire.tcp"),
            ({"per_message_auth": "required"}, "wire.per_message_auth"),
            ({"tls": {"cert": "/no/such/file"}}, "wire.tls"),
        ):
            gateway.write_config({"wire": wire})
            checked = run("check", str(gateway.config_path))
            self.assertEqual(checked.returncode, 3, checked.stdout)
            self.assertIn(key, checked.stdout + checked.stderr)


if __name__ == "__main__":
    main()
