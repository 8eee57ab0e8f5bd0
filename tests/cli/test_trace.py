"""trace, calls, top and audit against a running gateway: finished calls in the terminal."""

import http.server
import json
import re
import signal
import subprocess
import sys
import threading

sys.path.insert(1, sys.path[0] + "/../lib")

from auth_case import bearer, call_as
from harness import (
    BINARY,
    TIMEOUT,
    Gateway,
    Lines,
    McpSession,
    TestCase,
    clean_environment,
    fake_config,
    main,
    run,
    stateless_call,
    wait_until,
)
from terminal import on_terminal

HOSTILE = "evil\u001b]0;owned\u0007\u001b[2J\u202etxt.exe<script>\u2028"
ADMIN = "an-admin-for-tests-0123456789"
ANN = "ann-token-for-tests-0123456789"
COLOURS = re.compile("\x1b\\[[0-9;]*m")


def recorded(gateway, query):
    return gateway.get("/control/v1/calls?" + query).json()["calls"]


def follower(*args, env=None):
    """A command that runs until it is ended, and its lines."""
    process = subprocess.Popen(
        [BINARY, *args], env=clean_environment(**(env or {})), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    return process, Lines(process.stdout), Lines(process.stderr)


class Trace(TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.gateway = cls.enterClassContext(Gateway(fake_config()))
        stateless_call(cls.gateway, "fake__echo", text="x")
        stateless_call(cls.gateway, "fake__sleep", ms=150)
        stateless_call(cls.gateway, "fake__fail")
        stateless_call(cls.gateway, "fake__add", a=1, b=2)
        wait_until(lambda: len(recorded(cls.gateway, "method=tools/call")) == 4, "four calls")
        cls.by_name = {call["target"]: call for call in recorded(cls.gateway, "method=tools/call")}

    def trace(self, *args):
        done = run("trace", self.gateway.url, *args)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_the_waterfall_of_a_call(self):
        call = self.by_name["fake__sleep"]
        for name in (call["trace_id"], call["trace_id"][:8], call["trace_id"][:12].upper()):
            text = self.trace(name)
            self.assertTrue(text.startswith(f"trace {call['trace_id']}  {call['began']}\n"), text)
            self.assertIn(f"tools/call fake__sleep  ok  {call['took_ms']:.3f} ms\n", text)
            self.assertIn("upstream fake (stdio)", text)
        bars = {}
        for line in text.splitlines():
            found = re.fullmatch(r"  (\w+(?: \d+)?) +([\d.]+) ms  ( *)(#+)", line)
            if found:
                bars[found[1]] = (float(found[2]), len(found[3]), len(found[4]))
        self.assertEqual(len(bars), len(call["stages"]))
        took, begin, length = bars["attempt"]
        self.assertGreaterEqual(took, 150)
        # To scale: the attempt is nearly the whole call.
        self.assertGreater(length, 40)
        self.assertLess(begin, 5)

    def test_last_slowest_and_failed(self):
        for name, tool in (("last", "fake__add"), ("slowest", "fake__sleep"), ("failed", "fake__fail")):
            self.assertIn(f"tools/call {tool}  ", self.trace(name))
        self.assertIn("tools/call fake__add  ", self.trace())

    def test_as_json(self):
        call = self.by_name["fake__echo"]
        answer = json.loads(self.trace(call["trace_id"], "--json"))
        self.assertEqual(answer, {"trace_id": call["trace_id"], "calls": [call]})

    def test_what_is_not_there(self):
        done = run("trace", self.gateway.url, "0" * 31 + "1")
        self.assertEqual(done.returncode, 5)
        self.assertIn("telemetry.max_recent_calls", done.stderr)
        done = run("trace", self.gateway.url, "xyz")
        self.assertEqual(done.returncode, 1)
        self.assertIn("hexadecimal", done.stderr)
        self.assertEqual(run("trace", self.gateway.url, "a", "b").returncode, 2)

    def test_colours_and_blocks_only_on_a_terminal(self):
        self.assertNotIn("\x1b", self.trace("failed"))
        text = on_terminal("trace", self.gateway.url, "failed", TERM="xterm", LANG="C.UTF-8")
        self.assertIn("\x1b[31mtool_error\x1b[0m", text)
        self.assertIn("\u2588", text)
        text = on_terminal("trace", self.gateway.url, "failed", TERM="xterm", LANG="C", NO_COLOR="1")
        self.assertNotIn("\x1b", text)
        self.assertNotIn("\u2588", text)

    def test_calls_as_a_list(self):
        done = run("calls", self.gateway.url, "--outcome", "!ok")
        (line,) = done.stdout.splitlines()
        call = self.by_name["fake__fail"]
        self.assertIn("  local  tools/call fake__fail  tool_error  ", line)
        self.assertTrue(line.endswith(call["trace_id"][:16]), line)
        done = run("calls", self.gateway.url, "--slower-than", "150ms", "--json")
        self.assertEqual([json.loads(line)["target"] for line in done.stdout.splitlines()], ["fake__sleep"])
        done = run("calls", self.gateway.url, "--tool", "nothing")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", "no call matches\n"))

    def test_top_of_tools(self):
        done = run("top", self.gateway.url, "--tools", "--sort", "latency")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertRegex(lines[2], r"^tool  .*p50 ms  p95 ms  p99 ms$")
        self.assertTrue(any(line.startswith("fake.sleep  1  ") for line in lines[3:]), done.stdout)


class Hostile(TestCase):
    def test_nothing_is_obeyed_by_the_terminal(self):
        with Gateway(fake_config()) as gateway:
            with McpSession(gateway) as session:
                for name in (HOSTILE, "x" * (1 << 20)):
                    session.call(name)
            wait_until(lambda: len(recorded(gateway, "outcome=!ok")) == 2, "two calls")
            for call in recorded(gateway, "outcome=!ok"):
                for args in (("trace", gateway.url, call["trace_id"]), ("calls", gateway.url)):
                    text = on_terminal(*args, TERM="xterm", LANG="C.UTF-8")
                    plain = COLOURS.sub("", text).replace("\r\n", "\n")
                    self.assertFalse([c for c in plain if ord(c) < 32 and c != "\n" or c in "\u202e\u2028\x7f"], text)
                    self.assertLess(len(text), 10_000)
            self.assertIn("\\u001b", run("calls", gateway.url).stdout)


class Follow(TestCase):
    def test_calls_as_they_come(self):
        with Gateway(fake_config()) as gateway:
            stateless_call(gateway, "fake__echo", text="before")
            wait_until(lambda: recorded(gateway, "tool=fake.echo"), "the first call")
            process, lines, _ = follower("calls", gateway.url, "--follow", "--json", "--tool", "fake*")
            try:
                lines.wait_for("fake__echo")
                stateless_call(gateway, "fake__add", a=1, b=2)
                lines.wait_for("fake__add")
                names = [json.loads(line)["target"] for line in lines.lines]
                self.assertEqual(names, ["fake__echo", "fake__add"])
                process.send_signal(signal.SIGINT)
                self.assertEqual(process.wait(TIMEOUT), 0)
            finally:
                process.kill()
                process.wait()

    def test_audit_records_of_a_gateway_as_they_come(self):
        tokens = [{"name": "root", "token": ADMIN, "roles": ["admin"]}, {"name": "ann", "token": ANN}]
        config = fake_config(audit={"database": "audit.db"}, auth={"tokens": tokens})
        with Gateway(config) as gateway:
            call_as(gateway, "fake__echo", bearer(ANN), text="1")
            admin = {"PATCHBAY_TOKEN": ADMIN}
            listed = lambda: run("audit", gateway.url, "--caller", "ann", env=admin).stdout
            wait_until(lambda: "fake__echo" in listed(), "the first record")
            self.assertRegex(listed(), r"^\S+Z  ann  tools/call fake__echo  ok  [\d.]+ ms")
            process, lines, _ = follower("audit", gateway.url, "--follow", "--json", "--event", "call", env=admin)
            try:
                lines.wait_for("fake__echo")
                call_as(gateway, "fake__add", bearer(ANN), a=1, b=2)
                lines.wait_for("fake__add")
                targets = [json.loads(line)["target"] for line in lines.lines]
                self.assertEqual(targets, ["fake__echo", "fake__add"])
            finally:
                process.kill()
                process.wait()
            done = run("audit", gateway.url, "--database", "audit.db", env=admin)
            self.assertEqual(done.returncode, 2)
            done = run("audit", gateway.url)
            self.assertIn("PATCHBAY_TOKEN", done.stderr)


class NoSuchPage(http.server.BaseHTTPRequestHandler):
    """What a gateway without a control API answers."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):  # pylint: disable=invalid-name
        body = b'{"error":"not found"}'
        self.send_response(404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class OlderGateway(TestCase):
    def test_the_error_says_so(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), NoSuchPage)
        self.addCleanup(server.server_close)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        url = f"http://127.0.0.1:{server.server_port}"
        for args in (("status",), ("top",), ("trace", "last"), ("calls",), ("audit",)):
            done = run(args[0], url, *args[1:])
            self.assertEqual(done.returncode, 1, args)
            self.assertIn("older than this command", done.stderr, args)


main()
