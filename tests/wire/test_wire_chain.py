"""Gateways behind gateways over the wire protocol, the client commands over it, and `patchbay wire`."""

import json
import socket
import struct
import sys
import threading

sys.path.insert(1, sys.path[0] + "/../lib")

from auth_case import TOKEN, TOKENS
from harness import (
    BINARY,
    ROOT,
    Background,
    Gateway,
    StdioFrontend,
    fake_config,
    main,
    run,
    wait_until,
)
from tls_case import TlsCase
from wire_case import WireCase, WireGateway
from wire_client import DATA, ERROR, PING, frame, rpc


def chained(port, **more):
    restart = {
        "initial_interval": "50ms",
        "max_interval": "1s",
        "breaker_threshold": 1000,
        "window": "60s",
    }
    far = {"kind": "wire-tcp", "url": f"tcp://127.0.0.1:{port}", "restart": restart, **more}
    return {"workers": 1, "upstreams": {"far": far}}


def stateless(gateway, name, arguments):
    done = run("call", gateway.url, name, json.dumps(arguments))
    return done.stdout.strip() if done.returncode == 0 else done.stderr.strip()


class Chain(WireCase):
    def near(self, far_port, **more):
        return self.enterContext(Gateway(chained(far_port, **more)))

    def test_tools_of_the_far_gateway_are_offered_and_called(self):
        far = self.start(fake_config())
        for header in ("7", "8"):
            near = self.near(far.wire_port, frame_header=header)
            self.assertEqual(stateless(near, "far__fake__echo", {"text": "through two"}), "through two")
            self.assertEqual(stateless(near, "far__fake__add", {"a": 2, "b": 3}), "5")

    def test_large_answers_come_through_whole(self):
        far = self.start(fake_config())
        near = self.near(far.wire_port)
        for size in (100, 300_000, 3_000_000):
            self.assertGreaterEqual(len(stateless(near, "far__fake__big", {"bytes": size})), size)

    def test_progress_comes_through(self):
        far = self.start(fake_config())
        near = self.near(far.wire_port)
        done = run("call", near.url, "far__fake__progress", json.dumps({"steps": 3}))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("progress "), 3)

    def test_a_token_is_sent_with_each_message(self):
        far = self.start({"auth": TOKENS, **fake_config()}, wire={"per_message_auth": "required"})
        near = self.near(far.wire_port, token=TOKEN)
        self.assertEqual(stateless(near, "far__fake__echo", {"text": "known"}), "known")

    def test_without_a_token_the_far_gateway_stays_down(self):
        far = self.start({"auth": TOKENS})
        near = self.near(far.wire_port)
        lines = json.loads(near.get("/ready").body)
        self.assertIn("authentication required", json.dumps(lines))

    def test_a_limit_of_the_far_gateway_is_the_error_of_the_call(self):
        limit = {"enabled": True, "default_limit": 12, "window": "60s"}
        far = self.start(fake_config(), wire={"rate_limiting": limit})
        near = self.near(far.wire_port)
        answers = [stateless(near, "far__fake__echo", {"text": "x"}) for _ in range(13)]
        self.assertIn("too many calls", answers[-1])

    def test_a_far_gateway_that_comes_back_is_found_again(self):
        far = WireGateway(fake_config())
        with far:
            port = far.wire_port
            near = self.near(port)
            self.assertEqual(stateless(near, "far__fake__echo", {"text": "1"}), "1")
        near.stderr.wait_for("the gateway stops")
        with WireGateway(fake_config(), {"tcp": f"127.0.0.1:{port}"}):
            wait_until(lambda: stateless(near, "far__fake__echo", {"text": "3"}) == "3", "the way back")

    def test_calls_in_progress_fail_once_when_the_connection_breaks(self):
        far = self.start(fake_config())
        near = self.near(far.wire_port)
        waiting = Background(stateless, near, "far__fake__hang", {})
        wait_until(lambda: far.metric("patchbay_calls_in_flight") == 1)
        far.kill()
        self.assertIn("lost", waiting.result())

    def test_a_server_that_refuses_in_another_format(self):
        """ERROR frames with a bare object and with text, and ids in other members."""
        listener = socket.create_server(("127.0.0.1", 0))

        def serve():
            connection = listener.accept()[0]
            with connection:
                received = b""
                while more := connection.recv(65536):
                    received += more
                    while len(received) >= 7:
                        kind, size = received[2], struct.unpack(">I", received[3:7])[0]
                        if len(received) < 7 + size:
                            break
                        payload, received = received[7 : 7 + size], received[7 + size :]
                        if kind == DATA:
                            answer(connection, json.loads(payload))

        def answer(connection, message):
            payload = message["mcp_payload"]
            if payload["method"] == "server/discover":
                error = {"code": -32601, "message": "Method not found"}
                reply = {"jsonrpc": "2.0", "id": payload["id"], "error": error}
            elif payload["method"] == "initialize":
                result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                          "serverInfo": {"name": "odd", "version": "1"}}
                reply = {"jsonrpc": "2.0", "id": "lost", "result": result}
            elif payload["method"] == "tools/list":
                tools = [{"name": "odd", "inputSchema": {"type": "object"}}]
                reply = {"jsonrpc": "2.0", "id": payload["id"], "result": {"tools": tools}}
            elif payload["method"] == "tools/call":
                connection.sendall(frame(PING, b"?"))
                fault = {"code": "FORBIDDEN", "message": "not today"}
                envelope = {"id": message["id"], "timestamp": "2024-01-15T10:30:45Z",
                            "source": "gateway", "error": fault}
                connection.sendall(frame(ERROR, json.dumps(envelope).encode()))
                return
            else:
                return
            envelope = {"id": message["id"] + "-resp", "timestamp": "2024-01-15T10:30:45Z",
                        "source": "gateway", "mcp_payload": reply}
            connection.sendall(frame(DATA, json.dumps(envelope).encode()))

        threading.Thread(target=serve, daemon=True).start()
        near = self.near(listener.getsockname()[1])
        self.assertIn("not today", stateless(near, "far__odd", {}))
        listener.close()

    def test_stopping_sends_a_close(self):
        far = self.start(fake_config())
        near = Gateway(chained(far.wire_port))
        with near:
            wait_until(lambda: far.metric("patchbay_wire_sessions") == 1)
        wait_until(lambda: far.metric("patchbay_wire_sessions") == 0)


class SecureChain(TlsCase):
    def test_tcps_with_a_certificate_of_our_own(self):
        cert, key = self.server
        san = {"san": "uri:spiffe://test/client", "name": "agent"}
        wire = {"tls": {"cert": cert, "key": key, "client_ca": self.authority.pem}}
        config = {**fake_config(), "auth": {"certificates": [san]}}
        far = self.enterContext(WireGateway(config, wire))
        tls = {"ca": self.authority.pem, "cert": self.client[0], "key": self.client[1]}
        url = f"tcps://localhost:{far.wire_port}"
        near = self.enterContext(Gateway(chained(far.wire_port, tls=tls, url=url)))
        self.assertEqual(stateless(near, "far__fake__echo", {"text": "safe"}), "safe")
        # It sends nothing to a server that it does not trust.
        other = {"ca": self.client[0], "cert": self.client[0], "key": self.client[1]}
        lost = self.enterContext(Gateway(chained(far.wire_port, tls=other, url=url)))
        self.assertIn("certificate", lost.get("/ready").body.decode())
        done = run("tools", url, "--ca", self.authority.pem, "--cert", tls["cert"], "--key", tls["key"])
        self.assertIn("fake__echo", done.stdout)


class Commands(WireCase):
    def test_client_commands_take_tcp(self):
        gateway = self.start({"auth": TOKENS})
        url = f"tcp://127.0.0.1:{gateway.wire_port}"
        done = run("call", url, "skills__calculate", "expression=6*7", "--token", TOKEN)
        self.assertEqual((done.returncode, done.stdout.strip()), (0, "42"), done.stderr)
        done = run("tools", url)
        self.assertEqual(done.returncode, 1)
        self.assertIn("authentication required", done.stderr)

    def test_send_and_dump(self):
        gateway = self.start()
        url = f"tcp://127.0.0.1:{gateway.wire_port}"
        message = json.dumps(rpc("tools/list", request_id="l"))
        done = run("wire", "send", url, message, "--json")
        sent, got = (json.loads(line) for line in done.stdout.splitlines())
        self.assertEqual((sent["mark"], sent["type"], sent["header"]), (">", "DATA", 7))
        self.assertEqual(got["payload"]["correlation_id"], sent["payload"]["id"])
        self.assertEqual(got["payload"]["mcp_payload"]["id"], "l")
        done = run("wire", "send", url, "--type", "ping", "--header", "8", "--json")
        self.assertEqual(json.loads(done.stdout.splitlines()[-1])["type"], "PONG")
        done = run("wire", "send", url, "--bytes", "47 45 54 20 2F")
        self.assertIn("INVALID_REQUEST", done.stdout)

    def test_dump_reads_what_send_prints(self):
        for options in ([], ["--header", "8"], ["--gzip"]):
            made = run("wire", "send", "-", '{"jsonrpc":"2.0","method":"x"}', *options)
            dump = run("wire", "dump", "--hex", "--json", stdin=made.stdout)
            seen = json.loads(dump.stdout)
            self.assertEqual(seen["payload"]["mcp_payload"]["method"], "x")
            self.assertEqual(seen["compressed"], options == ["--gzip"])
        broken = run("wire", "dump", "--hex", stdin="4D 43 01 00 00 00 05 7B")
        self.assertEqual(broken.returncode, 1)
        self.assertIn("incomplete", broken.stderr)
        self.assertEqual(run("wire", "dump", "--hex", stdin="4D 4").returncode, 2)
        self.assertEqual(run("wire", "send", "http://x", "{}").returncode, 2)

    def test_the_vectors_of_the_document(self):
        text = (ROOT / "docs" / "wire-protocol.md").read_text(encoding="utf-8")
        blocks = text.split("## Vectors")[1].split("```")
        headers = bytes.fromhex(blocks[1].replace("\n", " "))
        self.assertEqual(headers[:7], frame(DATA, bytes(348))[:7])
        self.assertEqual(headers[7:15], frame(DATA, bytes(348), 8, 1)[:8])
        self.assertEqual(headers[15:30], frame(PING, bytes.fromhex("0000018D9F3A4B28")))
        self.assertEqual(headers[30:38], frame(PING, b"", 8))
        dump = run("wire", "dump", "--hex", "--json", stdin=blocks[3])
        self.assertEqual(json.loads(dump.stdout)["payload"]["id"], "resp-001")

    def test_stdio_in_front_of_a_wire_upstream(self):
        far = self.start(fake_config())
        near = Gateway(chained(far.wire_port))
        with StdioFrontend([BINARY, "stdio", "-c", str(near.config_path)]) as frontend:
            call = rpc("tools/call", {"name": "far__fake__echo", "arguments": {"text": "hi"}})
            answer = frontend.request(call)
            self.assertEqual(answer["result"]["content"][0]["text"], "hi")
            frontend.close_stdin()
        near.folder.cleanup()


if __name__ == "__main__":
    main()
