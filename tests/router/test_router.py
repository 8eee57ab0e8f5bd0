"""The local router: MCP on stdin and stdout, forwarded to a gateway over the wire protocol."""

import json
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading

sys.path.insert(1, sys.path[0] + "/../lib")

from auth_case import OTHER, TOKEN
from harness import (
    BINARY,
    Gateway,
    StdioFrontend,
    TestCase,
    fake,
    fake_config,
    main,
    run,
    stateless_message,
    wait_until,
)
from tls_case import TlsCase
from wire_case import WireGateway
from wire_client import call, rpc

FAST = {"reconnect": {"initial_interval": "20ms", "max_interval": "100ms"}}


def initialize(version="2025-11-25", **capabilities):
    info = {"name": "test", "version": "1"}
    params = {"protocolVersion": version, "capabilities": capabilities, "clientInfo": info}
    return rpc("initialize", params, "init")


def text(message):
    return message["result"]["content"][0]["text"]


class Router(StdioFrontend):
    """`patchbay router` with settings in a file, and what a client does with it."""

    def __init__(self, url, settings=None, args=(), env=None):
        self.folder = tempfile.TemporaryDirectory(prefix="patchbay-test-")
        path = pathlib.Path(self.folder.name) / "router.json"
        path.write_text(json.dumps({"gateway": url, **FAST, **(settings or {})}), encoding="utf-8")
        super().__init__([BINARY, "router", "-c", str(path), *args], env)

    def __exit__(self, *rest):
        super().__exit__(*rest)
        self.folder.cleanup()

    def initialize(self, version="2025-11-25", **capabilities):
        result = self.request(initialize(version, **capabilities))["result"]
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return result

    def messages(self, start=0):
        return [json.loads(line) for line in self.stdout.lines[start:]]


class RouterCase(TestCase):
    def gateway(self, config=None, wire=None, **more):
        settings = {**fake_config(), **(config or {})}
        return self.enterContext(WireGateway(settings, wire, **more))

    def router(self, url, *args, **more):
        return self.enterContext(Router(url, *args, **more))

    def both(self, gateway):
        return {
            "ws": f"ws://127.0.0.1:{gateway.port}/mcp",
            "tcp": f"tcp://127.0.0.1:{gateway.wire_port}",
        }

    def ws(self, gateway):
        return self.both(gateway)["ws"]

    def again(self, gateway):
        """Another gateway at the address of one that has ended."""
        wire = {"tcp": f"127.0.0.1:{gateway.wire_port}"}
        return self.gateway({"listen": f"127.0.0.1:{gateway.port}"}, wire)


class Passing(RouterCase):
    def test_every_revision_over_both_transports(self):
        gateway = self.gateway()
        for transport, url in self.both(gateway).items():
            router = self.router(url)
            with self.subTest(transport=transport, protocol="stateless"):
                tools = router.request(stateless_message("tools/list"))["result"]["tools"]
                self.assertIn("fake__echo", [tool["name"] for tool in tools])
            for version in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"):
                with self.subTest(transport=transport, version=version):
                    router = self.router(url)
                    self.assertEqual(router.initialize(version)["protocolVersion"], version)
                    answer = router.request(call("fake__echo", {"text": "grüße 😀"}, "c"))
                    self.assertEqual(text(answer), "grüße 😀")

    def test_large_messages(self):
        gateway = self.gateway()
        for transport, url in self.both(gateway).items():
            with self.subTest(transport):
                router = self.router(url)
                router.initialize()
                large = "äx" * 2_000_000
                answer = router.request(call("fake__echo", {"text": large}, "c"))
                self.assert_same_text(text(answer), large)

    def test_many_at_once_are_answered_as_they_finish(self):
        router = self.router(self.ws(self.gateway()))
        router.initialize()
        router.send(call("fake__sleep", {"seconds": 0.5}, "slow"))
        for i in range(100):
            router.send(call("fake__echo", {"text": str(i)}, i))
        for i in range(100):
            self.assertEqual(text(router.answer(i)), str(i))
        router.answer("slow")
        order = [message.get("id") for message in router.messages()]
        self.assertEqual(order[-1], "slow")

    def test_questions_and_progress_pass(self):
        for transport, url in self.both(self.gateway()).items():
            with self.subTest(transport):
                router = self.router(url)
                router.initialize("2025-06-18", roots={})
                router.send(call("fake__ask_client", {"method": "roots/list", "params": {}}, "q"))
                question = json.loads(router.stdout.wait_for("roots/list"))
                roots = {"roots": [{"uri": "file:///here"}]}
                router.send({"jsonrpc": "2.0", "id": question["id"], "result": roots})
                self.assertIn("file:///here", text(router.answer("q")))
                meta = {"progressToken": "t"}
                params = {"name": "fake__progress", "arguments": {"steps": 3}, "_meta": meta}
                router.request(rpc("tools/call", params, "p"))
                seen = [m for m in router.messages() if m.get("method") == "notifications/progress"]
                self.assertEqual([m["params"]["progress"] for m in seen], [1, 2, 3])

    def test_cancelling(self):
        router = self.router(self.ws(self.gateway()))
        router.initialize()
        router.send(call("fake__sleep", {"seconds": 60}, "long"))
        router.request(call("fake__echo", {"text": "x"}, "after"))
        params = {"requestId": "long", "reason": "enough"}
        router.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
        ids = iter(range(1_000_000))
        seen = lambda: text(router.request(call("fake__seen_cancelled", {}, next(ids))))
        wait_until(lambda: seen() != "[]", "the upstream to receive it")
        self.assertNotIn("long", [message.get("id") for message in router.messages()])

    def test_batches_are_answered_together(self):
        router = self.router(self.ws(self.gateway()))
        router.initialize("2025-03-26")
        batch = [
            call("fake__echo", {"text": "a"}, "a"),
            {"jsonrpc": "2.0", "method": "notifications/roots/list_changed"},
            call("fake__echo", {"text": "b"}, "b"),
        ]
        router.send(batch)
        answers = json.loads(router.stdout.wait_for(lambda line: line.startswith("[")))
        self.assertEqual({answer["id"]: text(answer) for answer in answers}, {"a": "a", "b": "b"})
        router.send(b"[]")
        router.stdout.wait_for("a batch has 1 to 100 messages")

    def test_what_is_no_message_is_answered_here(self):
        router = self.router(self.ws(self.gateway()))
        router.send(b"not json")
        self.assertEqual(json.loads(router.stdout.wait_for("error"))["error"]["code"], -32700)
        router.initialize()
        router.send(call("fake__sleep", {"seconds": 0.3}, "same"))
        router.send(call("fake__sleep", {"seconds": 0.3}, "same"))
        router.stdout.wait_for("already running")
        wait_until(lambda: len([m for m in router.messages() if m.get("id") == "same"]) == 2)

    def test_faults_of_the_gateway_answer_the_request_they_are_about(self):
        limit = {"enabled": True, "default_limit": 2, "window": "10m"}
        router = self.router(self.ws(self.gateway(wire={"rate_limiting": limit})))
        router.initialize()
        answers = [router.request(rpc("tools/list", None, i)) for i in range(5)]
        # The gateway asks for a longer wait than queue_timeout.
        self.assertEqual([("error" in answer) for answer in answers], [False] * 2 + [True] * 3)
        self.assertEqual(answers[-1]["error"]["code"], -32029)

    def test_requests_above_the_rate_wait_and_go_on(self):
        limit = {"enabled": True, "default_limit": 4, "window": "2s"}
        router = self.router(self.ws(self.gateway(wire={"rate_limiting": limit})))
        router.initialize()
        for i in range(8):
            router.send(call("fake__echo", {"text": str(i)}, i))
        for i in range(8):
            self.assertEqual(router.answer(i)["result"]["content"][0]["text"], str(i))
        router.stderr.wait_for("wire.rate_limiting.default_limit")
        notes = [line for line in router.stderr.lines if "limits the rate of requests" in line]
        self.assertEqual(len(notes), 1, notes)  # Not one for each request that waits.

    def test_more_connections_when_there_is_much_to_do(self):
        gateway = self.gateway()
        settings = {"max_connections": 3, "requests_per_connection": 2, "idle_timeout": "200ms"}
        router = self.router(self.ws(gateway), settings)
        router.initialize()
        sessions = lambda: gateway.metric("patchbay_wire_sessions")
        asked = []

        def more_to_do():
            asked.append(len(asked))
            router.send(call("fake__sleep", {"seconds": 2}, asked[-1]))
            return sessions() == 3

        wait_until(more_to_do, "three connections")
        router.send(call("fake__list_changed", {"name": "newcomer"}, "l"))
        for i in asked:
            self.assertIn("result", router.answer(i))
        self.assertIn("result", router.answer("l"))
        wait_until(lambda: sessions() == 1, "the idle ones to go")
        changed = lambda: [m for m in router.messages() if m.get("method", "").endswith("/list_changed")]
        wait_until(changed, "the notification")
        self.assertEqual(len(changed()), 1)

    def test_the_end_of_stdin_waits_for_answers(self):
        router = self.router(self.ws(self.gateway()))
        router.initialize()
        router.send(call("fake__sleep", {"seconds": 0.5}, "last"))
        self.assertEqual(router.close_stdin(), 0)
        self.assertIn("result", router.answer("last"))

    def test_a_signal_fails_what_does_not_end(self):
        router = self.router(self.ws(self.gateway()), {"drain_timeout": "100ms"})
        router.initialize()
        router.send(call("fake__sleep", {"seconds": 60}, "long"))
        router.request(call("fake__echo", {"text": "x"}, "after"))
        router.process.send_signal(signal.SIGTERM)
        self.assertEqual(router.process.wait(20), 0)
        self.assertIn("the router is stopping", router.answer("long")["error"]["message"])


class Losing(RouterCase):
    """The gateway goes and comes back."""

    def test_requests_wait_for_the_gateway(self):
        gateway = self.gateway()
        urls = self.both(gateway)
        gateway.stop()
        routers = {transport: self.router(url) for transport, url in urls.items()}
        for router in routers.values():
            router.send(initialize())
            router.stderr.wait_for("gateway not connected")
        self.again(gateway)
        for router in routers.values():
            self.assertIn("result", router.answer("init"))

    def test_waiting_has_bounds(self):
        gateway = self.gateway()
        gateway.stop()
        router = self.router(self.ws(gateway), {"max_queued_requests": 2, "queue_timeout": "300ms"})
        router.stderr.wait_for("gateway not connected")
        for i in range(3):
            router.send(rpc("tools/list", None, i))
        self.assert_error(router.answer(2), -32003)
        self.assertIn("2 requests are waiting", router.answer(2)["error"]["message"])
        for i in range(2):
            self.assertIn("cannot be reached", router.answer(i)["error"]["message"])

    def test_a_session_outlives_the_gateway(self):
        gateway = self.gateway()
        router = self.router(self.ws(gateway))
        router.initialize("2025-06-18", roots={})
        router.request(rpc("logging/setLevel", {"level": "error"}, "level"))
        start = router.stdout.count()
        gateway.kill()
        router.stderr.wait_for("gateway not connected")
        self.again(gateway)
        # The new gateway gets the client's initialize as well.
        router.send(call("fake__ask_client", {"method": "roots/list", "params": {}}, "q"))
        question = json.loads(router.stdout.wait_for("roots/list", start))
        router.send({"jsonrpc": "2.0", "id": question["id"], "result": {"roots": []}})
        self.assertIn("roots", text(router.answer("q")))
        updates = [m.get("method") for m in router.messages(start)]
        self.assertIn("notifications/tools/list_changed", updates)
        self.assertNotIn("init", [m.get("id") for m in router.messages(start)])

    def test_a_call_in_progress_fails_and_a_list_is_retried(self):
        hidden = {"fake": fake(env={"FAKE_SLOW_START": "0"})}
        gateway = self.gateway({"upstreams": hidden})
        router = self.router(self.ws(gateway))
        router.initialize()
        router.send(call("fake__sleep", {"seconds": 60}, "call"))
        router.request(call("fake__echo", {"text": "x"}, "after"))
        gateway.kill()
        answer = router.answer("call")
        self.assert_error(answer, -32000)
        self.assertIn("whether the request was executed is unknown", answer["error"]["message"])
        router.send(rpc("tools/list", None, "list"))
        self.again(gateway)
        self.assertIn("result", router.answer("list"))
        self.assertEqual([m.get("id") for m in router.messages()].count("call"), 1)

    def test_questions_of_a_lost_gateway_are_taken_back(self):
        gateway = self.gateway()
        router = self.router(self.ws(gateway))
        router.initialize("2025-06-18", roots={})
        router.send(call("fake__ask_client", {"method": "roots/list", "params": {}}, "q"))
        question = json.loads(router.stdout.wait_for("roots/list"))
        gateway.kill()
        cancelled = json.loads(router.stdout.wait_for("notifications/cancelled"))
        self.assertEqual(cancelled["params"]["requestId"], question["id"])

    def test_restarts_under_load_lose_nothing_and_answer_once(self):
        for transport in ("ws", "tcp"):
            with self.subTest(transport):
                self.restart_under_load(transport)

    def restart_under_load(self, transport):
        gateway = self.gateway()
        router = self.router(self.both(gateway)[transport], {"connections": 3, "per_connection": 8})
        router.initialize()
        stop, sent = threading.Event(), []

        def load():
            while not stop.is_set():
                number = len(sent)
                seconds = random.choice((0, 0, 0.02, 0.1))
                sent.append(number)
                router.send(call("fake__sleep", {"seconds": seconds}, number))
                stop.wait(0.003)

        thread = threading.Thread(target=load)
        thread.start()
        try:
            for step in range(4):
                done = len(router.stdout.lines)
                wait_until(lambda: len(router.stdout.lines) > done + 100, "answers")
                if step % 2:
                    self.assertEqual(gateway.stop(), 0)
                else:
                    gateway.kill()
                gateway = self.again(gateway)
        finally:
            stop.set()
            thread.join()
        for number in sent:
            router.answer(number)
        self.assertEqual(router.close_stdin(), 0)
        ids = [m["id"] for m in router.messages() if "method" not in m and m["id"] != "init"]
        self.assertEqual(sorted(ids), sorted(sent))
        good = [m for m in router.messages() if "result" in m]
        self.assertGreater(len(good), len(sent) // 2)


class Tokens(RouterCase):
    def start(self, tokens):
        return self.gateway({"auth": {"tokens": tokens}})

    def file(self, content):
        path = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "token"
        path.write_text(content, encoding="utf-8")
        return path

    def test_from_the_environment_a_file_or_a_command(self):
        gateway = self.start([{"name": "ci", "token": TOKEN}])
        path = self.file(TOKEN + "\n")
        script = f"{sys.executable} -c 'print(\"{TOKEN}\")'"
        for url in self.both(gateway).values():
            for args, env in (
                ((), {"PATCHBAY_TOKEN": TOKEN}),
                (("--token-file", str(path)), {}),
                ((), {"PATCHBAY_TOKEN_FILE": str(path)}),
                (("--token-command", script), {}),
            ):
                with self.subTest(url=url[:3], args=args[:1], env=list(env)):
                    router = self.router(url, args=args, env=env)
                    router.initialize()
                    self.assertEqual(text(router.request(call("fake__echo", {"text": "x"}))), "x")

    def test_a_token_that_is_refused_fails_requests_at_once(self):
        gateway = self.start([{"name": "ci", "token": TOKEN}])
        router = self.router(self.ws(gateway), env={"PATCHBAY_TOKEN": OTHER})
        router.send(initialize())
        answer = router.answer("init")
        self.assert_error(answer, -32005)
        self.assertIn("refuses the router", answer["error"]["message"])
        self.assertNotIn(OTHER, router.stderr.text())

    def test_without_a_token_the_reason_is_reported(self):
        gateway = self.start([{"name": "ci", "token": TOKEN}])
        for args in (("--token-file", "/nowhere"), ("--token-command", "false")):
            router = self.router(self.ws(gateway), {"queue_timeout": "200ms"}, args=args)
            router.send(initialize())
            self.assertIn("token", router.answer("init")["error"]["message"])

    def test_a_new_token_is_taken_up_when_the_old_one_is_not_good_any_more(self):
        tokens = [{"name": "ci", "token": TOKEN}]
        for transport in ("ws", "tcp"):
            with self.subTest(transport):
                gateway = self.start(tokens)
                path = self.file(TOKEN)
                router = self.router(self.both(gateway)[transport], args=("--token-file", str(path)))
                router.initialize()
                path.write_text(OTHER, encoding="utf-8")
                config = {**fake_config(), "workers": 1, "wire": {"tcp": f"127.0.0.1:{gateway.wire_port}"}}
                gateway.write_config({**config, "auth": {"tokens": [{"name": "ci", "token": OTHER}]}})
                gateway.stderr.wait_for("reloaded")
                answer = router.request(call("fake__echo", {"text": "still here"}, "after"))
                self.assertIn("result", answer)
                self.assertEqual(text(answer), "still here")


class Secure(TlsCase):
    def test_a_client_certificate_speaks_for_the_router(self):
        cert, key = self.server
        ca = self.authority.pem
        tls = {"cert": cert, "key": key, "client_ca": ca}
        config = {
            **fake_config(),
            "tls": {"listen": "127.0.0.1:0", **tls, "client_certificates": "required"},
            "auth": {"certificates": [{"san": "uri:spiffe://test/client", "name": "agent"}]},
        }
        gateway = self.enterContext(Gateway(config))
        banner = gateway.stdout.wait_for("https://")
        port = int(banner.split("https://")[1].split()[0].rpartition(":")[2])
        url = f"wss://localhost:{port}/mcp"
        own, own_key = self.client
        args = ("--ca", ca, "--cert", own, "--key", own_key)
        with Router(url, args=args) as router:
            router.initialize()
            self.assertEqual(text(router.request(call("fake__echo", {"text": "x"}))), "x")
        with Router(url, {"queue_timeout": "200ms"}) as router:
            router.send(initialize())
            self.assertIn("certificate", router.answer("init")["error"]["message"])


class Command(TestCase):
    def test_the_gateway_is_required(self):
        for args, why in (
            ((), "--gateway"),
            (("--gateway", "http://localhost"), "ws://, wss://, tcp:// or tcps://"),
            (("--gateway", "ws://"), "no host"),
            (("--gateway", "wss://h", "--ca", __file__), "certificate"),
        ):
            done = run("router", *args)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn(why, done.stderr)

    def test_quiet_prints_nothing(self):
        done = run("router", "--gateway", "tcp://127.0.0.1:1", "-q", stdin="")
        self.assertEqual((done.returncode, done.stderr, done.stdout), (0, "", ""))

    def test_unknown_settings_are_named(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "router.yaml"
            path.write_text("gatway: ws://h\n", encoding="utf-8")
            done = run("router", "-c", str(path))
        self.assertEqual(done.returncode, 3)
        self.assertIn("gatway", done.stderr)

    def test_the_help(self):
        done = subprocess.run([BINARY, "router", "--help"], capture_output=True, text=True, check=True)
        for word in ("--gateway", "--ca", "--cert", "--key", "PATCHBAY_GATEWAY", "--log-level", "-q"):
            self.assertIn(word, done.stdout)


if __name__ == "__main__":
    main()
