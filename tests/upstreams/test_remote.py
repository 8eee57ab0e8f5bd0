"""Servers over the network: connections, sessions, broken answers, restarts.

Most run in the test itself (stub_server.py), so that they can misbehave.
"""

import contextlib
import functools
import json
import pathlib
import socket
import sys
import tempfile
import threading
import time

sys.path.insert(1, sys.path[0] + "/../lib")

from conformance import fixture
from harness import (
    Gateway,
    McpSession,
    TestCase,
    main,
    run,
    stateless_call,
    text_of,
    wait_until,
)
from stub_server import TOOLS, StubServer
from waiting import Background


class RemoteCase(TestCase):
    def stub(self, **options):
        return self.enterContext(StubServer(**options))

    def gateway(self, upstream, **settings):
        config = {"workers": 1, "upstreams": {"far": upstream}, **settings}
        return self.enterContext(Gateway(config))

    def both(self, stateless=False, **settings):
        """A stub and a gateway in front of it."""
        stub = self.stub(stateless=stateless)
        return stub, self.gateway(stub.upstream(**settings))

    def is_up(self, gateway):
        return gateway.metric("patchbay_upstream_up", upstream="far") == 1


class Connections(RemoteCase):
    def test_connections_are_used_again(self):
        for stateless in (False, True):
            with self.subTest(stateless=stateless):
                stub, gateway = self.both(stateless)
                self.assertEqual(text_of(stateless_call(gateway, "far__whoami")), "stub")
                before = stub.open_connections()
                for _ in range(20):
                    stateless_call(gateway, "far__whoami")
                self.assertEqual(stub.open_connections(), before)
                self.assertEqual(len(stub.saw("tools/call")), 21)

    def test_an_idle_connection_that_was_closed_is_not_used(self):
        stub, gateway = self.both()
        stateless_call(gateway, "far__whoami")
        before = stub.open_connections()
        with stub.lock:
            for connection in stub.connections:
                connection.shutdown(socket.SHUT_RDWR)
        self.assertEqual(text_of(stateless_call(gateway, "far__whoami")), "stub")
        self.assertGreater(stub.open_connections(), before)

    def test_redirects_are_not_followed(self):
        stub, gateway = self.both()
        elsewhere = self.stub(name="elsewhere")
        for status in (301, 302, 307, 308):
            stub.on["tools/call"] = lambda ex, s=status: ex.answer(s, Location=elsewhere.url)
            answer = stateless_call(gateway, "far__whoami")
            self.assert_error(answer, -32000, "upstream_failed")
            self.assertIn(str(status), answer["error"]["message"])
        self.assertEqual(elsewhere.seen, [])

    def test_configured_headers_are_on_every_request(self):
        stub, gateway = self.both(headers={"Authorization": "Bearer s3cret", "X-Tenant": "blue"})
        stateless_call(gateway, "far__whoami")
        gateway.stop()
        methods = {exchange.method for exchange in stub.seen}
        self.assertLessEqual({"initialize", "tools/list", "tools/call", "GET", "DELETE"}, methods)
        for exchange in stub.seen:
            self.assertEqual(exchange.headers["Authorization"], "Bearer s3cret", exchange.method)
            self.assertEqual(exchange.headers["X-Tenant"], "blue", exchange.method)
        self.assertNotIn("s3cret", gateway.stderr.text())

    def faults(self, folder, entry):
        """What `patchbay check` finds wrong with an upstream."""
        path = pathlib.Path(folder, "patchbay.json")
        path.write_text(json.dumps({"upstreams": {"far": entry}}), encoding="utf-8")
        done = run("check", str(path))
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_invalid_endpoints_are_refused(self):
        for entry in (
            {"kind": "http"},
            {"kind": "http", "url": "ftp://127.0.0.1/"},
            {"kind": "http", "url": "127.0.0.1:8080"},
            {"kind": "sse", "url": "http://"},
            {"kind": "http", "url": "http://user@127.0.0.1/\r\nX: y"},
            {"kind": "http", "url": "http://127.0.0.1/", "replicas": ["nowhere"]},
            {"kind": "tcp", "address": "127.0.0.1"},
            {"kind": "tcp", "address": ":99999"},
            {"kind": "unix"},
            {"kind": "http", "url": "https://127.0.0.1/", "tls": {"ca": "/no/such.pem"}},
        ):
            with self.subTest(entry), tempfile.TemporaryDirectory() as folder:
                self.assertIn("upstreams.far", self.faults(folder, entry))

    def test_calls_beyond_the_bound_are_refused(self):
        stub, gateway = self.both(stateless=True, connections=1, waiting=1)
        release = threading.Event()
        self.addCleanup(release.set)
        stub.on["tools/call"] = lambda exchange: (release.wait(30), exchange.text("late"))
        first = Background(stateless_call, gateway, "far__whoami")
        wait_until(lambda: stub.saw("tools/call"), "the first call")
        others = [Background(stateless_call, gateway, "far__whoami") for _ in range(2)]
        refused = wait_until(lambda: [one for one in others if not one.running()], "a refusal")
        self.assert_error(refused[0].result(), -32003, "overloaded")
        release.set()
        waited = [one for one in others if one is not refused[0]]
        self.assertEqual([text_of(call.result()) for call in (first, *waited)], ["late", "late"])

    def test_headers_that_would_break_the_request_are_refused(self):
        for name, value in (
            ("X-A", "1\r\nX-Evil: 2"),
            ("X-A", "1\n"),
            ("X A", "1"),
            ("X-A: b\r\nX-Evil", "1"),
            ("", "1"),
        ):
            with self.subTest(name=name, value=value), tempfile.TemporaryDirectory() as folder:
                entry = {"kind": "http", "url": "http://127.0.0.1:1/mcp", "headers": {name: value}}
                self.assertIn("cannot be sent", self.faults(folder, entry))


class Sessions(RemoteCase):
    def test_a_forgotten_session_is_begun_again(self):
        stub, gateway = self.both()
        with McpSession(gateway) as session:
            for turn in range(1, 4):
                stub.sessions.clear()
                self.assertEqual(text_of(session.call("far__whoami")), "stub")
                self.assertEqual(len(stub.saw("initialize")), turn + 1)

    def test_many_calls_meet_a_forgotten_session(self):
        stub, gateway = self.both()
        stub.sessions.clear()
        with McpSession(gateway) as session:
            calls = [session.call_later("far__whoami") for _ in range(20)]
            self.assertEqual([text_of(call.result()) for call in calls], ["stub"] * 20)
        self.assertEqual(len(stub.saw("initialize")), 2)

    def test_a_server_that_forgets_at_once_is_not_asked_for_ever(self):
        stub, gateway = self.both()
        stub.on["tools/call"] = lambda exchange: exchange.answer(404)
        self.assertIn("error", stateless_call(gateway, "far__whoami"))
        self.assertLess(len(stub.saw("initialize")), 20)

    def test_the_session_is_ended_with_the_gateway(self):
        stub, gateway = self.both()
        self.assertEqual(stub.sessions, {"stub-1"})
        gateway.stop()
        self.assertEqual(stub.sessions, set())

    def test_a_broken_answer_is_resumed(self):
        stub, gateway = self.both()
        pause, times = 0.3, {}
        stub.on["tools/call"] = lambda exchange: broken(exchange, times, pause)
        stub.on["GET"] = lambda exchange: resumed(stub, exchange, times)
        self.assertEqual(text_of(stateless_call(gateway, "far__whoami")), "resumed")
        ids = [exchange.headers.get("Last-Event-ID") for exchange in stub.saw("GET")]
        self.assertIn("e1", ids)
        self.assertIn("e2", ids)
        self.assertEqual(len(stub.saw("tools/call")), 1)
        self.assertGreaterEqual(times["resumed"] - times["broken"], pause)

    def test_an_answer_that_cannot_be_resumed_is_lost(self):
        stub, gateway = self.both()
        stub.on["tools/call"] = lambda exchange: exchange.begin_events()
        self.assert_error(stateless_call(gateway, "far__whoami"), -32000, "upstream_failed")
        self.assertEqual(len(stub.saw("tools/call")), 1)


def broken(exchange, times, pause):
    """Sends the event id and the delay for resuming; then the stream ends."""
    exchange.begin_events()
    exchange.event("", id="e1", retry=int(pause * 1000))
    times["id"] = exchange.message["id"]
    times["broken"] = time.monotonic()


def resumed(stub, exchange, times):
    """Breaks once more; the answer comes with the second resumption."""
    last = exchange.headers.get("Last-Event-ID")
    if last is None:
        return exchange.answer(405)
    times.setdefault("resumed", time.monotonic())
    exchange.begin_events()
    if last == "e1":
        return exchange.event("", id="e2", retry=1)
    content = {"content": [{"type": "text", "text": "resumed"}], **stub.mark}
    answer = {"jsonrpc": "2.0", "id": times["id"], "result": content}
    return exchange.event(answer, id="e3")


def half(exchange):
    exchange.send_response(200)
    exchange.send_header("Content-Type", "application/json")
    exchange.send_header("Content-Length", "100")
    exchange.end_headers()
    exchange.wfile.write(b'{"jsonrpc"')
    exchange.wfile.flush()
    exchange.drop()


JSON = {"Content_Type": "application/json"}

# What a server may answer a call with -> the reason that the client is given.
FAULTS = {
    "500": (lambda ex: ex.answer(500), "upstream_failed"),
    "503 with HTML": (
        lambda ex: ex.answer(503, b"<h1>busy</h1>", Content_Type="text/html"),
        "overloaded",
    ),
    "401": (lambda ex: ex.answer(401, WWW_Authenticate="Bearer"), "upstream_failed"),
    "HTML": (
        lambda ex: ex.answer(200, b"<html></html>", Content_Type="text/html"),
        "upstream_failed",
    ),
    "no JSON": (lambda ex: ex.answer(200, b"{oops", **JSON), "upstream_failed"),
    "nothing": (lambda ex: ex.answer(200), "upstream_failed"),
    "accepted": (lambda ex: ex.answer(202), "upstream_failed"),
    "not a message": (lambda ex: ex.answer(200, {"hello": "world"}), "upstream_failed"),
    "another's answer": (
        lambda ex: ex.answer(200, {"jsonrpc": "2.0", "id": 987654, "result": {}}),
        "upstream_failed",
    ),
    "too large": (lambda ex: ex.text("x" * 10_000), "upstream_failed"),
    "half": (half, "upstream_failed"),
    "silence": (lambda ex: ex.drop(), "upstream_failed"),
    "no HTTP": (lambda ex: ex.wfile.write(b"220 smtp ready\r\n\r\n"), "upstream_failed"),
    "too slow": (lambda ex: threading.Event().wait(5), "timeout"),
}


class WantsCredentials(RemoteCase):
    def test_the_state_names_what_to_do(self):
        refusal = {"jsonrpc": "2.0", "id": None, "error": {"code": -32005, "message": "who are you"}}
        for settings, advice in (
            ({}, "set upstreams.far.headers or upstreams.far.auth; .*`patchbay login far`"),
            ({"headers": {"Authorization": "Bearer x"}}, "Authorization of upstreams.far.headers"),
            ({"auth": {"kind": "bearer", "token": "a-token"}}, "refuses the token of upstreams.far.auth"),
        ):
            with self.subTest(advice), StubServer() as stub:
                for method in ("initialize", "server/discover", "GET"):
                    stub.on[method] = lambda exchange: exchange.answer(401, refusal)
                config = {"upstreams": {"far": {"kind": "http", "url": stub.url, **settings}}}
                with Gateway(config) as gateway:
                    detail = lambda: gateway.get("/ready").json()["upstreams"][0]["detail"]
                    wait_until(lambda: "401" in detail(), "the reason")
                    self.assertRegex(detail(), "HTTP status 401: who are you; .*" + advice)


class Faults(RemoteCase):
    def test_each_fault_has_a_clear_answer_and_no_other_call_suffers(self):
        stub, gateway = self.both(max_response_size="4KiB", timeout="300ms")
        for name, (behave, reason) in FAULTS.items():
            with self.subTest(name):
                stub.on["tools/call"] = behave
                answer = stateless_call(gateway, "far__whoami")
                self.assertIn("error", answer, name)
                self.assertEqual(answer["error"]["data"]["reason"], reason)
                self.assertTrue(answer["error"]["message"])
                del stub.on["tools/call"]
                self.assertEqual(text_of(stateless_call(gateway, "far__whoami")), "stub")
        self.assertEqual(len(stub.saw("tools/call")), 2 * len(FAULTS))

    def test_a_call_that_takes_too_long_is_cancelled_at_the_server(self):
        stub, gateway = self.both(timeout="200ms")
        stub.on["tools/call"] = lambda exchange: threading.Event().wait(5)
        self.assert_error(stateless_call(gateway, "far__whoami"), -32001, "timeout")
        notified = wait_until(lambda: stub.saw("notifications/cancelled"), "the cancellation")
        params = notified[0].message["params"]
        self.assertEqual(params["requestId"], stub.saw("tools/call")[0].message["id"])


class ComingAndGoing(RemoteCase):
    def tools(self, gateway):
        with McpSession(gateway) as session:
            return session.tool_names()

    def test_a_server_that_comes_later(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        stub = StubServer(port=port)
        gateway = self.gateway(stub.upstream())
        self.assertEqual(self.tools(gateway), [])
        with stub:
            wait_until(lambda: self.is_up(gateway), "the server to be found")
            self.assertEqual(self.tools(gateway), ["far__whoami", "far__count"])
            self.assertEqual(text_of(stateless_call(gateway, "far__whoami")), "stub")

    def test_a_server_that_dies_and_returns(self):
        stub, gateway = self.both(restart={
            "initial_interval": "20ms",
            "max_interval": "60s",
            "breaker_threshold": 3,
        })
        stub.stop()
        wait_until(lambda: "error" in stateless_call(gateway, "far__whoami"), "the loss to show")
        # The breaker opens: calls fail at once, with the reason.
        wait_until(
            lambda: "breaker" in stateless_call(gateway, "far__whoami")["error"]["message"],
            "the breaker",
        )
        answer = stateless_call(gateway, "far__whoami")
        self.assert_error(answer, -32000, "unavailable")
        self.assertEqual(self.tools(gateway), ["far__whoami", "far__count"])

    def test_it_is_used_again_when_it_is_back(self):
        stub, gateway = self.both()
        for _ in range(2):
            stub.stop()
            wait_until(lambda: not self.is_up(gateway) or stateless_call(gateway, "far__whoami"))
            stub.start()

            def answered():
                answer = stateless_call(gateway, "far__whoami")
                return "result" in answer and text_of(answer) == "stub"

            wait_until(answered, "the server to be used again")

    def test_the_other_kinds_come_back_too(self):
        quick = {"initial_interval": "20ms", "max_interval": "200ms", "breaker_threshold": 1000}
        for kind in ("sse", "custom-http-sse", "tcp"):
            options = ("--revisions", "2024-11-05")
            with self.subTest(kind), contextlib.ExitStack() as stack:
                with fixture(*options, transport=kind) as server:
                    port = server.address.rpartition(":")[2].split("/")[0]
                    gateway = self.gateway({**server.upstream(), "restart": quick})
                    slow = Background(stateless_call, gateway, "far__slow_compute", seconds=60)
                    in_flight = ("patchbay_upstream_calls_in_flight", {"upstream": "far"})
                    wait_until(lambda: gateway.metric(in_flight[0], **in_flight[1]), "the call")
                self.assert_error(slow.result(), -32000, "upstream_failed")
                stack.enter_context(fixture(*options, "--port", port, transport=kind))
                call = functools.partial(stateless_call, gateway, "far__test_simple_text")
                wait_until(lambda: "result" in call(), "it to be used again")

    def test_a_server_that_hangs_is_noticed(self):
        health = {"interval": "100ms", "timeout": "200ms", "failures": 2}
        stub, gateway = self.both(health=health, start_timeout="500ms")
        hang, awake = threading.Event(), threading.Event()
        wait_until(lambda: len(stub.saw("ping")) >= 2, "it to be asked")
        self.assertTrue(self.is_up(gateway))
        for method in ("ping", "initialize", "server/discover"):
            stub.on[method] = lambda exchange: (hang.set(), awake.wait(30))
        wait_until(lambda: not self.is_up(gateway), "the hanging server to be noticed")
        stub.on.clear()
        awake.set()
        wait_until(lambda: self.is_up(gateway), "it to be found again")
        self.assertEqual(text_of(stateless_call(gateway, "far__whoami")), "stub")


class Notifications(RemoteCase):
    """Unsolicited notifications of a server when their stream breaks."""

    NEW = {"name": "new", "inputSchema": {"type": "object"}}

    def wait_listed(self, gateway):
        def listed():
            with McpSession(gateway) as session:
                return "far__new" in session.tool_names()

        wait_until(listed, "the new tool")

    def grow(self, stub):
        """From now on there is one tool more."""
        stub.on["tools/list"] = lambda exchange: exchange.result(
            {"tools": [*TOOLS, self.NEW], **stub.hints}
        )

    def test_the_stream_of_a_session_is_resumed(self):
        stub = self.stub()

        def stream(exchange):
            exchange.begin_events()
            if exchange.headers.get("Last-Event-ID") is None:
                exchange.event("", id="n1", retry=1)
            else:
                self.grow(stub)
                changed = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
                exchange.event(changed, id="n2", retry=60_000)

        stub.on["GET"] = stream
        gateway = self.gateway(stub.upstream())
        self.wait_listed(gateway)
        ids = [seen.headers.get("Last-Event-ID") for seen in stub.saw("GET")]
        self.assertEqual(ids, [None, "n1"])

    def test_what_a_stateless_server_changed_meanwhile_is_read_again(self):
        stub = self.stub(stateless=True)
        stub.capabilities = {"tools": {"listChanged": True}}

        def listen(exchange):
            exchange.begin_events()
            tag = {"io.modelcontextprotocol/subscriptionId": exchange.message["id"]}
            agreed = exchange.message["params"]["notifications"]
            params = {"notifications": agreed, "_meta": tag}
            method = "notifications/subscriptions/acknowledged"
            exchange.event({"jsonrpc": "2.0", "method": method, "params": params})
            if len(stub.saw("subscriptions/listen")) > 1:
                threading.Event().wait(30)
            self.grow(stub)

        stub.on["subscriptions/listen"] = listen
        gateway = self.gateway(stub.upstream())
        self.wait_listed(gateway)
        wait_until(lambda: len(stub.saw("subscriptions/listen")) == 2, "the stream to begin again")


if __name__ == "__main__":
    main()
