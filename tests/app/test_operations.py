"""Operations: /health, /ready, /metrics, log lines, limits on calls and sessions, no secrets."""

import json
import re
import sys
import threading

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    BOTH,
    Gateway,
    McpSession,
    TestCase,
    fake,
    fake_config,
    main,
    stateless_call,
    stateless_headers,
    stateless_message,
    text_of,
    wait_until,
)


class Pages(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.gateway = cls.enterClassContext(
            Gateway(fake_config({"fake": fake(), "sick": fake(command="/no/such")}))
        )

    def test_health_is_about_the_process(self):
        response = self.gateway.get("/health")
        self.assertEqual((response.status, response.content_type), (200, "application/json"))
        self.assertEqual(response.json()["status"], "ok")

    def test_ready_is_about_the_upstreams(self):
        response = self.gateway.get("/ready")
        self.assertEqual((response.status, response.content_type), (200, "application/json"))
        self.assertEqual(response.json()["status"], "degraded")
        text = json.dumps(response.json())
        for expected in ("fake", "sick", "up", "down"):
            self.assertIn(expected, text)

    def test_metrics_are_prometheus_text(self):
        with McpSession(self.gateway) as session:
            session.call("fake__echo", text="x")
            session.call("fake__fail")
            response = self.gateway.get("/metrics")
        self.assertTrue(response.header("content-type").startswith("text/plain"))
        text = response.body.decode()
        typed = set(re.findall(r"^# TYPE (\S+) (?:counter|gauge|histogram)$", text, re.M))
        for name in (
            "patchbay_calls_total",
            "patchbay_call_seconds",
            "patchbay_calls_in_flight",
            "patchbay_sessions",
            "patchbay_upstream_up",
            "patchbay_upstream_restarts_total",
            "patchbay_connections",
            "patchbay_resident_memory_bytes",
            "patchbay_log_lines_dropped_total",
        ):
            with self.subTest(name=name):
                self.assertIn(name, typed)
                self.assertRegex(text, rf"(?m)^# HELP {name} \S")
        sample = re.compile(
            r'^[a-z_]+(\{[a-z_]+="[^"\n]*"(,[a-z_]+="[^"\n]*")*\})? [-+0-9.eEInfNa]+$'
        )
        for line in text.splitlines():
            if line and not line.startswith("#"):
                self.assertRegex(line, sample)

    def test_counters_count(self):
        def count(outcome):
            return self.gateway.metric("patchbay_calls_total", upstream="fake", outcome=outcome)

        with McpSession(self.gateway) as session:
            before = count("ok")
            for _ in range(7):
                session.call("fake__echo", text="x")
            self.assertEqual(count("ok"), before + 7)

    def test_the_histogram_adds_up(self):
        stateless_call(self.gateway, "fake__echo", text="x")
        text = self.gateway.get("/metrics").body.decode()
        buckets = {}
        for labels, le, value in re.findall(
            r'^patchbay_call_seconds_bucket\{(.*?)le="([^"]+)"\} (\S+)$', text, re.M
        ):
            buckets.setdefault(labels, []).append((float(le), float(value)))
        self.assertTrue(buckets)
        for labels, pairs in buckets.items():
            self.assertEqual(pairs, sorted(pairs), labels)
            self.assertEqual([count for _, count in pairs], sorted(count for _, count in pairs))
            self.assertEqual(pairs[-1][0], float("inf"))

    def test_memory_is_reported(self):
        notified = self.gateway.metric("patchbay_resident_memory_bytes")
        self.assertGreater(notified, 1 << 20)
        if seen := self.gateway.rss():
            self.assertLess(abs(notified - seen), 16 << 20)

    def test_head_requests(self):
        with self.gateway.connect() as connection:
            connection.send("HEAD", "/health")
            response = connection.read_head()
            self.assertIn(response.status, (200, 405))


class Logs(TestCase):
    KEYS = ("id", "frontend", "who", "method", "name", "upstream", "outcome", "ms", "in", "out")

    def test_text_line_per_call(self):
        with Gateway(fake_config()) as gateway, McpSession(gateway) as session:
            session.call("fake__echo", text="x")
            line = gateway.stderr.wait_for("name=fake__echo")
            for key in self.KEYS:
                self.assertRegex(line, rf"(^| ){key}=\S")
            for pair in (
                "frontend=mcp-http",
                "who=local",
                "method=tools/call",
                "upstream=fake",
                "outcome=ok",
            ):
                self.assertIn(pair, line)
            session.call("fake__die")
            failed = gateway.stderr.wait_for("name=fake__die")
            self.assertNotIn("outcome=ok", failed)
            self.assertIn("outcome=", failed)

    def test_json_line_per_call(self):
        with (
            Gateway(fake_config(), args=("--log-format", "json")) as gateway,
            McpSession(gateway) as session,
        ):
            session.call("fake__echo", text="x")
            session.call("fake__complain", text='a "quoted"\x01 line')
            line = json.loads(gateway.stderr.wait_for("fake__echo"))
            self.assertEqual(line["event"], "call")
            self.assertLessEqual(set(self.KEYS), set(line))
            self.assertEqual(
                (line["name"], line["upstream"], line["outcome"]), ("fake__echo", "fake", "ok")
            )
            gateway.stderr.wait_for("quoted")
            self.assertEqual(gateway.stop(), 0)
            for text in gateway.stderr.lines:
                json.loads(text)

    def test_one_line_for_each_call_and_no_more(self):
        with Gateway(fake_config()) as gateway, McpSession(gateway) as session:
            for turn in range(25):
                session.call("fake__echo", text=str(turn))
            gateway.stop()
            self.assertEqual(sum("name=fake__echo" in line for line in gateway.stderr.lines), 25)

    def test_a_name_cannot_forge_a_line(self):
        with Gateway(fake_config()) as gateway, McpSession(gateway) as session:
            session.call('x\n2026-01-01 forged outcome=ok\r\n name="y')
            session.call("fake__complain", text="\x1b[31mred\x1b[0m \x07bell")
            gateway.stop()
            self.assertFalse(
                [line for line in gateway.stderr.lines if line.startswith("2026-01-01 forged")]
            )
            self.assertNotIn("\x1b", gateway.stderr.text())

    def test_no_secrets(self):
        config = fake_config(
            {"fake": fake(env={"API_KEY": "upstream-s3cret"})}, log={"level": "debug"}
        )
        with Gateway(config) as gateway, McpSession(gateway) as session:
            message = stateless_message(
                "tools/call", {"name": "fake__echo", "arguments": {"text": "argument-s3cret"}}
            )
            headers = {
                **stateless_headers(message),
                "Authorization": "Bearer header-s3cret",
                "Cookie": "c=cookie-s3cret",
            }
            with gateway.connect() as connection:
                self.assertEqual(connection.request("POST", "/mcp", headers, message).status, 200)
                connection.request("GET", "/health?token=query-s3cret")
            session.call("fake__echo", text="session-s3cret")
            session.call("fake__rpc_error", text="boom")
            session.call("fake__die")
            bad = {**headers, "Content-Type": "text/plain"}
            with gateway.connect() as connection:
                connection.request("POST", "/mcp", bad, message)
                connection.request("POST", "/mcp", headers, b'{"broken": "body-s3cret"')
            gateway.stop()
            written = gateway.stderr.text() + gateway.stdout.text()
            self.assertNotIn("s3cret", written)
            self.assertNotIn(session.id, written)

    def test_calls_can_be_left_out(self):
        with (
            Gateway(fake_config(log={"calls": False})) as gateway,
            McpSession(gateway) as session,
        ):
            session.call("fake__echo", text="x")
            gateway.stop()
            self.assertNotIn("fake__echo", gateway.stderr.text())

    def test_levels(self):
        with (
            Gateway(fake_config(), args=("--log-level", "error")) as gateway,
            McpSession(gateway) as session,
        ):
            session.call("fake__echo", text="x")
            gateway.stop()
            self.assertNotIn("fake__echo", gateway.stderr.text())

    def test_stderr_of_a_child_is_logged_with_its_name(self):
        with Gateway(fake_config()) as gateway, McpSession(gateway) as session:
            session.call("fake__complain", text="my disk is full")
            self.assertIn("fake", gateway.stderr.wait_for("my disk is full"))


class Bounds(TestCase):
    def test_calls_in_flight(self):
        with (
            Gateway(fake_config(limits={"max_calls": 5}, workers=1)) as gateway,
            McpSession(gateway) as session,
        ):
            held = [session.call_later("fake__sleep", seconds=2, text="held") for _ in range(5)]
            wait_until(lambda: gateway.metric("patchbay_calls_in_flight") == 5)
            self.assert_error(session.call("fake__echo", text="x"), -32003, "overloaded")
            for call in held:
                self.assertEqual(text_of(call.result()), "held")
            self.assertEqual(text_of(session.call("fake__echo", text="x")), "x")

    def test_sessions(self):
        with Gateway(fake_config(limits={"max_sessions": 3})) as gateway:
            sessions = [self.enterContext(McpSession(gateway)) for _ in range(3)]
            with gateway.connect() as connection:
                message = {
                    "jsonrpc": "2.0",
                    "id": 0,
                    "method": "initialize",
                    "params": {
                        "protocolVersion": "2025-11-25",
                        "capabilities": {},
                        "clientInfo": {"name": "t", "version": "1"},
                    },
                }
                headers = {"Accept": BOTH, "Content-Type": "application/json"}
                response = connection.request("POST", "/mcp", headers, message)
                self.assertIn(response.status, (200, 429, 503))
                self.assert_error(response.json(), -32003)
            sessions[0].delete()
            self.enterContext(McpSession(gateway))

    def test_idle_sessions_end(self):
        with (
            Gateway(fake_config(limits={"session_idle_timeout": "1s"})) as gateway,
            McpSession(gateway) as session,
        ):
            wait_until(lambda: gateway.metric("patchbay_sessions") == 0, "the session to expire")
            response = session.post({"jsonrpc": "2.0", "id": 1, "method": "ping"})
            self.assertEqual(response.status, 404)

    def test_a_reader_that_never_reads_costs_only_its_cap(self):
        with (
            Gateway(
                fake_config({"fake": fake(timeout="20s")}, limits={"write_timeout": "2s"})
            ) as gateway,
            McpSession(gateway) as session,
        ):
            before = gateway.rss()
            lazy = []
            for _ in range(3):
                message = stateless_message(
                    "tools/call", {"name": "fake__big", "arguments": {"bytes": 8 << 20}}
                )
                connection = self.enterContext(gateway.connect())
                connection.send("POST", "/mcp", stateless_headers(message), message)
                lazy.append(connection)
            self.assertEqual(
                text_of(session.call("fake__echo", text="others go on")), "others go on"
            )
            wait_until(
                lambda: gateway.metric("patchbay_connections") <= 2, "the lazy readers to be cut"
            )
            self.assertLess(gateway.rss() - before, 120 << 20)

    def test_lines_are_in_order_and_without_empty_values(self):
        with Gateway({**fake_config(), "workers": 4}) as gateway:
            def burst():
                with McpSession(gateway) as session:
                    for _ in range(50):
                        session.call("fake__echo", text="x")
                    session.call("nothing")

            threads = [threading.Thread(target=burst) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            wait_until(lambda: len(gateway.log_calls()) >= 204, "the calls to be logged")
            calls = gateway.log_calls()
        times = [line.split(" ", 1)[0] for line in calls]
        swapped = sum(after < before for before, after in zip(times, times[1:]))
        # Lines of two moments that are written apart may still meet at the border.
        self.assertLess(swapped, len(times) / 20)
        for line in calls:
            self.assertNotRegex(line, r'=(""| |$)')

    def test_an_unread_log_does_not_block_calls(self):
        """stderr is an unread pipe: calls continue, and lost lines are counted."""
        with (
            Gateway(fake_config(), read_stderr=False) as gateway,
            McpSession(gateway) as session,
        ):
            for turn in range(600):  # With long names, to fill pipe and queue soon.
                session.call(f"{turn}" + "x" * 3000)
                self.assertEqual(text_of(session.call("fake__echo", text=str(turn))), str(turn))
            self.assertGreater(gateway.metric("patchbay_log_lines_dropped_total"), 0)


if __name__ == "__main__":
    main()
