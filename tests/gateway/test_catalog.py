"""What is listed of an upstream: the tools that the configuration allows, under the names it gives
them, also for a while after the upstream is lost."""

import json
import pathlib
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    ROOT,
    Gateway,
    McpSession,
    TestCase,
    fake,
    fake_config,
    main,
    result_of,
    run,
    text_of,
    wait_until,
)

CURATED = {
    "allow": ["e*", "add", "whoami", "fail"],
    "deny": ["echo_*", "f?il"],
    "rename": {"echo": "repeat", "add": "plus"},
    "describe": {"add": "Adds a and b, and reports it."},
}


class Curation(TestCase):
    def start(self, **tools):
        self.gateway = self.enterContext(Gateway(fake_config({"fake": fake(tools=tools)})))
        self.session = self.enterContext(McpSession(self.gateway))

    def tools(self):
        return {tool["name"]: tool for tool in result_of(self.session.request("tools/list"))["tools"]}

    def upstream(self):
        return json.loads(self.gateway.get("/ready").body)["upstreams"][0]

    def test_only_what_is_allowed_is_there(self):
        self.start(**CURATED)
        tools = self.tools()
        self.assertEqual(
            list(tools), ["fake__repeat", "fake__plus", "fake__whoami", "fake__env"]
        )
        self.assertEqual(tools["fake__plus"]["description"], "Adds a and b, and reports it.")
        self.assertIn("properties", tools["fake__plus"]["inputSchema"])
        self.assertEqual(text_of(self.session.call("fake__repeat", text="hi")), "hi")
        self.assertEqual(text_of(self.session.call("fake.plus", a=2, b=3)), "5")
        self.assertEqual(self.upstream()["tools"], 4)

    def test_what_is_not_there_cannot_be_called_by_any_name(self):
        self.start(**CURATED)
        for name in ("echo_meta", "fail", "sleep", "echo", "add"):
            for spelling in ("fake__", "fake.", "fake_", ""):
                with self.subTest(name=spelling + name):
                    answer = self.session.call(spelling + name)
                    self.assert_error(answer, -32602)
                    self.assertIn("unknown tool", answer["error"]["message"])

    def test_a_reload_of_tools_restarts_nothing(self):
        self.start(allow=["whoami"])
        before = text_of(self.session.call("fake__whoami"))
        self.gateway.write_config(
            fake_config({"fake": fake(tools={"allow": ["whoami"], "rename": {"whoami": "who"}})})
        )
        wait_until(lambda: list(self.tools()) == ["fake__who"], "the new name")
        self.assertEqual(text_of(self.session.call("fake__who")), before)

    def test_a_name_that_is_taken_is_refused_and_reported(self):
        self.start(allow=["echo", "add"], rename={"echo": "add"})
        self.assertEqual(list(self.tools()), ["fake__echo", "fake__add"])
        why = "'echo' cannot be renamed to 'add': there is a tool of that name"
        self.assertEqual((self.upstream()["state"], self.upstream()["detail"]), ("up", why))
        self.gateway.stderr.wait_for(why)
        self.assertEqual(text_of(self.session.call("fake__add", a=1, b=1)), "2")

    def test_faults_have_their_lines(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "gateway.yaml")
            path.write_text(
                """\
upstreams:
  skills:
    kind: builtin
    tools:
      alow: ["*"]
      deny: echo
      rename:
        echo: same
        time: same
        calculate: "no good"
""",
                encoding="utf-8",
            )
            done = run("check", str(path))
        self.assertEqual(done.returncode, 3)
        for line, expected in (
            (5, 'tools.alow: unknown key; did you mean "allow"'),
            (6, "tools.deny"),
            (9, "tools.rename.time: 'echo' is renamed to the same name"),
            (10, "tools.rename.calculate: a name has"),
        ):
            with self.subTest(line=line):
                self.assertIn(f"gateway.yaml:{line}: upstreams.skills.{expected}", done.stderr)

    def test_every_kind_is_described_with_them(self):
        schema = json.loads(run("describe", "--schema").stdout)
        for name, kind in schema["$defs"].items():
            if name.startswith("upstreams-"):
                tools = kind["properties"]["tools"]["properties"]
                self.assertEqual(set(tools), {"allow", "deny", "rename", "describe", "timeout"})


class Loss(TestCase):
    def test_what_is_lost_stays_listed_and_goes_later(self):
        with tempfile.TemporaryDirectory() as folder:
            alive = pathlib.Path(folder, "alive")
            alive.touch()
            lost = fake(
                env={"FAKE_EXIT_UNLESS": str(alive), "FAKE_ONLY": "die,echo"},
                # Long enough that a call does not wait for the restart.
                restart={
                    "initial_interval": "1500ms",
                    "max_interval": "1500ms",
                    "breaker_threshold": 1000,
                    "window": "60s",
                },
            )
            other = fake(env={"FAKE_ONLY": "echo"})
            config = fake_config({"lost": lost, "other": other})
            gateway = self.enterContext(Gateway(config))
            session = self.enterContext(McpSession(gateway))
            both = ["lost__die", "lost__echo", "other__echo"]
            self.assertEqual(session.tool_names(), both)
            alive.unlink()
            session.call("lost__die")
            wait_until(gateway.degraded, "it to be down")
            self.assertEqual(session.tool_names(), both)
            answer = session.call("lost__echo", text="x")
            self.assert_error(answer, answer["error"]["code"], "unavailable")
            self.assertIn("the upstream lost is down", answer["error"]["message"])

            stream = session.open_stream()
            self.addCleanup(stream.connection.close)
            gateway.write_config({**config, "limits": {"stale_list_ttl": "0"}})
            notified = next(event.json() for event in stream.events() if event.data)
            self.assertEqual(notified["method"], "notifications/tools/list_changed")
            self.assertEqual(session.tool_names(), ["other__echo"])
            alive.touch()
            wait_until(lambda: session.tool_names() == both, "it to be back, where it was")


class Endpoints(TestCase):
    CALC = "stdio://python3 calc_server.py"

    def serve(self, config):
        folder = ROOT / "examples" / "stdio-child"
        gateway = self.enterContext(Gateway(config, cwd=str(folder)))
        return self.enterContext(McpSession(gateway))

    def test_every_notation_of_the_example(self):
        for config in (
            f'servers: "calculator:{self.CALC}"\n',
            f"servers: |\n  calculator:{self.CALC}\n",
            f"servers: [calculator:{self.CALC}]\n",
            f"servers: {{calculator: {self.CALC}}}\n",
            f"upstreams: {{calculator: {self.CALC}}}\n",
        ):
            with self.subTest(config=config):
                session = self.serve(config)
                self.assertEqual(
                    session.tool_names(), ["calculator__add", "calculator__multiply"]
                )
                self.assertEqual(text_of(session.call("calculator.add", a=5, b=3)), "8")

    def check(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "gateway.yaml")
            path.write_text(text, encoding="utf-8")
            return run("check", str(path))

    def test_an_unknown_scheme_is_a_fault_that_names_the_known(self):
        done = self.check('limits: {}\nservers: "a:stdio://x, b:gopher://localhost"\n')
        self.assertEqual(done.returncode, 3)
        self.assertIn("gateway.yaml:2: servers[1]: an endpoint begins with one of:", done.stderr)
        for scheme in ("stdio://", "http://", "sse://", "custom-http-sse://", "tcp://", "unix://"):
            self.assertIn(scheme, done.stderr)

    def test_foreign_values_are_not_printed(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "secret").write_text("hush://token", encoding="utf-8")
            done = self.check(f'servers: ["a:${{file:{folder}/secret}}"]\n')
        self.assertEqual(done.returncode, 3)
        self.assertNotIn("hush", done.stderr)


class Import(TestCase):
    def test_what_is_printed_is_a_configuration(self):
        desktop = {
            "mcpServers": {
                "My Server": {"command": "x", "args": ["-v", "a b"], "env": {"LEVEL": "1", "KEY": "${env:T}"}},
                "off": {"command": "y", "disabled": True},
            }
        }
        done = run("import", "-", stdin=json.dumps(desktop))
        self.assertEqual(
            (done.returncode, done.stdout),
            (
                0,
                """\
upstreams:
  My-Server:
    kind: stdio
    command: x
    args: ["-v", "a b"]
    env:
      LEVEL: "1"
      KEY: "${env:T}"
""",
            ),
        )

    def test_a_list_of_servers(self):
        done = run("import", "-", stdin="a:stdio://python x.py\nweb:sse://localhost:3000/sse\n")
        self.assertEqual(
            (done.returncode, done.stdout),
            (
                0,
                """\
upstreams:
  a:
    kind: stdio
    command: python
    args: [x.py]
  web:
    kind: sse
    url: "http://localhost:3000/sse"
""",
            ),
        )

    def test_faults(self):
        for text, expected in (
            ("{", "invalid JSON"),
            ("{}", "names no server"),
            ("", "names no server"),
            ('{"mcpServers": {\n"a": {}}}', "stdin:2: mcpServers.a"),
            ("a:ftp://x", "servers[0]"),
        ):
            with self.subTest(text=text):
                done = run("import", "-", stdin=text)
                self.assertEqual((done.returncode, done.stdout), (3, ""))
                self.assertIn(expected, done.stderr)
        self.assertEqual(run("import", "/no/such/file").returncode, 3)
        self.assertEqual(run("import").returncode, 2)


if __name__ == "__main__":
    main()
