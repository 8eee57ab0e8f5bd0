"""status, top and audit --follow: a running gateway as an operator sees it."""

import json
import signal
import subprocess
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import BINARY, Gateway, Lines, TestCase, clean_environment, fake, fake_config, main, run, stateless_call
from harness import TIMEOUT, wait_until
from terminal import on_terminal

TOKEN = "0123456789abcdef0123456789abcdef"
ABSENT = {"kind": "stdio", "command": "/nonexistent/program"}


class Status(TestCase):
    @classmethod
    def setUpClass(cls):
        config = fake_config({"fake": fake(), "gone": ABSENT})
        cls.gateway = cls.enterClassContext(Gateway(config))
        stateless_call(cls.gateway, "fake__echo", text="hi")

    def test_upstreams_with_the_reason(self):
        done = run("status", self.gateway.url)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertIn("in flight", lines[0])
        self.assertTrue(any(line.startswith("fake  stdio  up  ") for line in lines), done.stdout)
        gone = next(line for line in lines if line.startswith("gone  "))
        self.assertIn("down", gone)
        self.assertIn("/nonexistent/program", gone)
        self.assertNotIn("\x1b", done.stdout)

    def test_as_json(self):
        state = json.loads(run("status", self.gateway.url, "--json").stdout)
        fake_row = next(one for one in state["upstreams"] if one["name"] == "fake")
        self.assertEqual((fake_row["state"], fake_row["errors"]), ("up", 0))
        self.assertGreaterEqual(fake_row["calls"], 1)
        (client,) = [one for one in state["clients"] if one["name"] == "tests"]
        self.assertEqual((client["calls"], client["errors"]), (1, 0))
        self.assertEqual(state["status"], "degraded")
        self.assertGreater(state["uptime_seconds"], 0)

    def test_clients_by_the_name_that_they_state(self):
        lines = run("status", self.gateway.url).stdout.splitlines()
        self.assertIn("client tests  1 call  0 errors", lines)

    def test_a_terminal_gets_columns_and_colours(self):
        text = on_terminal("status", self.gateway.url, TERM="xterm")
        self.assertIn("\x1b[32mup\x1b[0m  ", text)
        self.assertIn("\x1b[31mdown\x1b[0m", text)
        self.assertNotIn("\x1b", on_terminal("status", self.gateway.url, TERM="xterm", NO_COLOR="1"))

    def test_without_a_gateway(self):
        done = run("status", "http://127.0.0.1:1/mcp")
        self.assertEqual(done.returncode, 1)
        self.assertIn("127.0.0.1:1", done.stderr)

    def test_top_prints_once_into_a_pipe(self):
        done = run("top", self.gateway.url, "--sort", "calls")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[2].split("  ")[0], "upstream")
        self.assertEqual([line.split()[0] for line in lines[3:]], ["fake", "gone"])

    def test_top_refreshes_on_a_terminal(self):
        text = on_terminal("top", self.gateway.url, "--count", "2", "--interval", "100ms", TERM="xterm")
        self.assertEqual(text.count("\x1b[H\x1b[J"), 2)
        self.assertEqual(text.count("p50 ms"), 2)

    def test_top_ends_well_when_it_is_interrupted(self):
        process = subprocess.Popen([BINARY, "top", self.gateway.url, "--count", "99"], stdout=subprocess.PIPE,
                                   env=clean_environment(), text=True)
        self.assertRegex(process.stdout.readline(), r" 1 connection  ")
        process.send_signal(signal.SIGINT)
        process.stdout.read()
        process.stdout.close()
        self.assertEqual(process.wait(TIMEOUT), 0)

    def test_top_refuses_what_it_does_not_know(self):
        self.assertEqual(run("top", "--sort", "colour").returncode, 2)
        self.assertEqual(run("top", "--interval", "1ms").returncode, 2)


class Credentials(TestCase):
    def test_status_needs_the_token_of_the_gateway(self):
        config = fake_config(auth={"tokens": [{"name": "me", "token": TOKEN, "roles": ["admin"]}]})
        with Gateway(config) as gateway:
            done = run("status", gateway.url)
            self.assertEqual(done.returncode, 1)
            self.assertIn("PATCHBAY_TOKEN", done.stderr)
            done = run("status", gateway.url, env={"PATCHBAY_TOKEN": TOKEN})
            self.assertIn("fake  stdio  up", done.stdout, done.stderr)


class Follow(TestCase):
    def test_new_records_arrive_in_order(self):
        config = fake_config(audit={"database": "audit.db"})
        with Gateway(config) as gateway:
            database = gateway.config_path.parent / "audit.db"
            stateless_call(gateway, "fake__echo", text="1")
            wait_until(lambda: "echo" in run("audit", "--database", str(database)).stdout, "the first record")
            process = subprocess.Popen([BINARY, "audit", "--follow", "--json", "--event", "call", "--database",
                                        str(database)], env=clean_environment(), stdout=subprocess.PIPE)
            try:
                lines = Lines(process.stdout)
                lines.wait_for("fake__echo")
                stateless_call(gateway, "fake__add", a=1, b=2)
                lines.wait_for("fake__add")
                names = [json.loads(line)["target"] for line in lines.lines]
                self.assertEqual(names.index("fake__add"), len(names) - 1)
            finally:
                process.kill()
                process.wait()


main()
