"""Programs that take long to start, and the reported reasons of those that end."""

import json
import pathlib
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    BINARY,
    Gateway,
    McpSession,
    StdioFrontend,
    TestCase,
    fake,
    main,
    stateless_call,
    text_of,
    wait_until,
)


class SlowStart(TestCase):
    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.gate, self.starts = pathlib.Path(folder) / "gate", pathlib.Path(folder) / "starts"

    def slow(self, timeout, **env):
        env = {"FAKE_START_AFTER": str(self.gate), "FAKE_START_LOG": str(self.starts), **env}
        # Without the stateless probe: the time of the handshake is what matters here.
        return fake(env=env, start_timeout=timeout, protocol={"revision": "2025-11-25"})

    def start(self, slow, **limits):
        config = {"limits": {"start_timeout": "0", **limits}, "upstreams": {"slow": slow, "good": fake()}}
        return self.enterContext(Gateway(config))

    def started(self):
        return self.starts.read_text(encoding="ascii").split() if self.starts.exists() else []

    def detail(self, gateway):
        upstreams = gateway.get("/ready").json()["upstreams"]
        return next(one["detail"] for one in upstreams if one["name"] == "slow")

    def test_one_that_makes_progress_is_not_ended(self):
        gateway = self.start(self.slow("300ms", FAKE_START_CHATTER="1"))
        with McpSession(gateway) as session:
            wait_until(lambda: "good__echo" in session.tool_names(), "the other upstream")
            stream = session.open_stream()
            # The start timeout has passed, and the program has been left alone.
            gateway.stderr.wait_for("upstream is still starting")
            self.assertFalse([name for name in session.tool_names() if name.startswith("slow__")])
            self.gate.touch()
            # The first notification may be about the other upstream.
            for event in stream.events():
                self.assertEqual(event.json()["method"], "notifications/tools/list_changed")
                if "slow__echo" in session.tool_names():
                    break
            stream.connection.close()
        self.assertEqual(len(self.started()), 1)

    def test_its_tools_are_not_unknown(self):
        """A client that knows them from before must not conclude that they are gone."""
        gateway = self.start(self.slow("60s"))
        answer = stateless_call(gateway, "slow__echo", text="x")
        self.assertIn("the upstream 'slow' is not up", answer["error"]["message"])
        answer = stateless_call(gateway, "slower__echo", text="x")
        self.assertIn("unknown tool", answer["error"]["message"])
        self.gate.touch()
        gateway.wait_ready()
        self.assertEqual(text_of(stateless_call(gateway, "slow__echo", text="x")), "x")

    def test_one_that_makes_none_gets_more_time_with_each_attempt(self):
        gateway = self.start(self.slow("200ms"))
        gateway.stderr.wait_for("it did not start within 200 ms (start_timeout)")
        gateway.stderr.wait_for("it did not start within 400 ms (start_timeout)")
        wait_until(lambda: "(start_timeout)" in self.detail(gateway), "the reason in /ready")
        self.gate.touch()
        gateway.wait_ready()
        self.assertGreaterEqual(len(self.started()), 2)

    def test_progress_does_not_help_for_ever(self):
        slow = {**self.slow("200ms", FAKE_START_CHATTER="1"), "max_start_timeout": "500ms"}
        gateway = self.start(slow)
        line = gateway.stderr.wait_for("it did not start within 500 ms (max_start_timeout)")
        self.assertIn("its last line on stderr: getting ready", line)

    def test_the_list_of_a_client_on_stdio_waits(self):
        config = {
            "limits": {"start_timeout": "0", "stdio_start_timeout": "10m", "call_timeout": "10m"},
            "upstreams": {"slow": self.slow("300ms", FAKE_START_CHATTER="1")},
        }
        path = self.gate.with_name("patchbay.json")
        path.write_text(json.dumps(config), encoding="utf-8")
        with StdioFrontend([BINARY, "stdio", "-c", str(path)]) as client:
            info = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t"}}
            client.request({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": info})
            client.send({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
            client.stderr.wait_for("upstream is still starting")
            self.assertFalse([line for line in client.stdout.lines if json.loads(line).get("id") == 2])
            self.gate.touch()
            names = [tool["name"] for tool in client.answer(2)["result"]["tools"]]
            self.assertIn("slow__echo", names)


class LastLine(TestCase):
    def test_why_a_program_ended(self):
        env = {"FAKE_STDERR": "first\n\x1b[31mno license\x1b[0m: \x07see /etc/x\n ", "FAKE_EXIT": "3"}
        bad = fake(env=env, restart={"initial_interval": "60s", "max_interval": "60s"})
        with Gateway({"upstreams": {"bad": bad}}) as gateway:
            why = "the program exited with status 3; its last line on stderr: no license: see /etc/x"
            banner = gateway.stdout.wait_for("upstream   bad")
            self.assertIn(why, banner)
            self.assertEqual(gateway.get("/ready").json()["upstreams"][0]["detail"], why)
            self.assertIn(why, gateway.stderr.wait_for("upstream down"))

    def test_a_long_line_is_shortened(self):
        env = {"FAKE_STDERR": "é" * 5_000, "FAKE_EXIT": "1"}
        bad = fake(env=env, restart={"initial_interval": "60s", "max_interval": "60s"})
        with Gateway({"upstreams": {"bad": bad}}) as gateway:
            detail = gateway.get("/ready").json()["upstreams"][0]["detail"]
            self.assertIn("é…", detail)
            self.assertLess(len(detail), 300)


if __name__ == "__main__":
    main()
