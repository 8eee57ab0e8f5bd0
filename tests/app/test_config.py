"""Configuration: errors that `check` reports, the output of `describe`, and files of desktop
clients."""

import json
import os
import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    FAKE_SERVER,
    Gateway,
    McpSession,
    TestCase,
    fake,
    fake_config,
    main,
    run,
    text_of,
    to_yaml,
)


class ConfigCase(TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def check(self, text, name="gateway.yaml"):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return run("check", str(path), cwd=str(self.folder))

    def faults(self, text, name="gateway.yaml"):
        """Checks a file that must be refused; gives its fault lines."""
        done = self.check(text, name)
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertNotIn("ok", done.stdout.split())
        return [line for line in done.stderr.splitlines() if name + ":" in line]

    def assert_fault(self, faults, line, expected):
        matching = [fault for fault in faults if f"gateway.yaml:{line}:" in fault]
        self.assertTrue(matching, f"nothing about line {line} in {faults}")
        self.assertTrue(any(expected in fault for fault in matching), f"no {expected!r} in {matching}")


EVERYTHING = """\
listen: 127.0.0.1:0
workers: 2
names: {prefix: always, separator: "__"}
upstreams:
  fake:
    kind: stdio
    command: python3
    args: [server.py]
    env: {KEY: value}
    cwd: .
    instances: 2
    timeout: 5s
    stop_timeout: 2s
    restart: {initial_interval: 100ms, max_interval: 30s, breaker_threshold: 5, window: 60s}
    max_outbox_size: 16MiB
  sk: {kind: builtin}
limits:
  call_timeout: 30s
  max_body_size: 16MiB
  max_connections: 10000
  max_request_line_size: 8KiB
  max_headers_size: 64KiB
  max_header_fields: 100
  header_timeout: 10s
  body_timeout: 30s
  idle_timeout: 75s
  write_timeout: 30s
  max_calls: 10000
  max_sessions: 20000
  session_idle_timeout: 30m
  max_stream_buffer_size: 1MiB
  max_replay_size: 1MiB
  max_batch_messages: 100
http: {hosts: [gw.example], origins: ["https://app.example"]}
log: {level: info, format: text, calls: true}
stop: {drain_timeout: 10s}
"""


class Check(ConfigCase):
    def test_good_files(self):
        for text in (
            EVERYTHING,
            "",
            "# nothing but a remark\n",
            "limits: {}\n",
            to_yaml(fake_config()),
        ):
            with self.subTest(text=text[:30]):
                done = self.check(text)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("ok", done.stdout)

    def test_all_faults_at_once_each_with_its_line(self):
        faults = self.faults("""\
listen: not-an-address
lissten: 127.0.0.1:1
limits:
  call_timeout: soon
  max_body_size: -5
  max_boddy_size: 1KiB
names: {prefix: sometimes}
upstreams:
  a: {kind: teleport}
  b:
    kind: stdio
    commmand: python3
  c:
    kind: stdio
    command: python3
    instances: 0
    args: python3
log:
  level: shout
""")
        for line, expected in (
            (1, "listen"),
            (2, "lissten"),
            (4, "limits.call_timeout"),
            (5, "limits.max_body_size"),
            (6, "max_boddy_size"),
            (7, "prefix"),
            (9, "kind"),
            (12, "commmand"),
            (16, "instances"),
            (17, "args"),
            (19, "level"),
        ):
            with self.subTest(line=line, expected=expected):
                self.assert_fault(faults, line, expected)

    def test_faults_have_one_form(self):
        for fault in self.faults("lissten: 1\nlimits: {call_timeout: soon}\n"):
            self.assertRegex(fault, r"gateway\.yaml:\d+: [\w.\[\]-]+: \S")

    def test_missing_command(self):
        faults = self.faults("upstreams:\n  lonely:\n    kind: stdio\n")
        self.assertTrue(any("lonely" in fault and "command" in fault for fault in faults), faults)

    def test_duplicate_keys(self):
        faults = self.faults("listen: 127.0.0.1:1\nworkers: 1\nlisten: 127.0.0.1:2\n")
        self.assert_fault(faults, 3, "listen")
        faults = self.faults("upstreams:\n  a: {kind: builtin}\n  a: {kind: builtin}\n")
        self.assert_fault(faults, 3, "a")
        self.assertTrue(self.faults("limits: {call_timeout: 1s, call_timeout: 2s}\n"))

    def test_wrong_shapes(self):
        for text in (
            "limits: 5\n",
            "upstreams: [a]\n",
            "upstreams: {a: 5}\n",
            "- a\n- b\n",
            "just text\n",
            "limits:\n  call_timeout: [1s]\n",
            "workers: two\n",
            "workers: 1.5\n",
            "log: {calls: perhaps}\n",
            "http: {hosts: gw.example}\n",
        ):
            with self.subTest(text=text):
                self.assertTrue(self.faults(text))

    def test_broken_yaml_names_the_line(self):
        for text, line in (
            ("listen: 127.0.0.1:1\nlimits: {call_timeout: 1s\n", (2, 3)),
            ("a: b: c\n", (1,)),
            ("limits:\n\tcall_timeout: 1s\n", (1, 2)),
            ('limits: {}\n"open\n', (2, 3)),
        ):
            with self.subTest(text=text):
                found = [
                    int(re.search(r"gateway\.yaml:(\d+):", fault)[1]) for fault in self.faults(text)
                ]
                self.assertTrue(set(found) & set(line), found)

    def test_names_of_upstreams(self):
        for name in ('"with space"', '"a__b"', '""', '"../x"', '"a/b"'):
            with self.subTest(name=name):
                self.assertTrue(self.faults(f"upstreams:\n  {name}: {{kind: builtin}}\n"))

    def test_hostile_files_end_in_a_fault(self):
        bomb = "a: &a [x, x]\n" + "".join(
            f"{chr(98 + i)}: &{chr(98 + i)} [*{chr(97 + i)}, *{chr(97 + i)}]\n" for i in range(20)
        )
        for text in (bomb, "a: " + "[" * 5000, "\0", "a: \xff\xfe"):
            with self.subTest(text=text[:10]):
                self.assertEqual(self.check(text).returncode, 3)

    def test_file_that_is_not_there(self):
        done = run("check", str(self.folder / "absent.yaml"))
        self.assertEqual(done.returncode, 3)
        self.assertIn("absent.yaml", done.stderr)

    def test_file_that_anyone_may_change(self):
        path = self.folder / "open.yaml"
        path.write_text("limits: {}\n", encoding="utf-8")
        path.chmod(0o666)
        done = run("check", str(path))
        self.assertEqual(done.returncode, 3)
        self.assertIn("open.yaml", done.stderr)

    def test_environment_and_file_references(self):
        (self.folder / "secret").write_text("from-a-file\n", encoding="utf-8")
        config = fake_config(
            {
                "fake": fake(
                    env={
                        "A": "${env:OUTER}",
                        "B": f"${{file:{self.folder}/secret}}",
                        "C": "x-${env:OUTER}-y",
                    }
                )
            }
        )
        with (
            Gateway(config, env={"OUTER": "from-outside"}) as gateway,
            McpSession(gateway) as session,
        ):
            seen = json.loads(text_of(session.call("fake__env")))
            self.assertEqual(
                (seen["A"], seen["B"], seen["C"]),
                ("from-outside", "from-a-file", "x-from-outside-y"),
            )
        self.assert_fault(
            self.faults(
                "upstreams:\n  x:\n    kind: stdio\n    command: ${env:NOT_SET_ANYWHERE}\n"
            ),
            4,
            "NOT_SET_ANYWHERE",
        )


OLD = """\
upstreams:
  fake:
    kind: stdio
    command: python3
    stop_grace: 2s
    restart: {first: 100ms, most: 30s}
    sandbox: {limits: {memory: 64MiB}}
  box: {kind: sandbox, most: 3}
limits:
  call: 30s
  body: 16MiB
  rates: [{per: address, calls: 100}]
stop: {grace: 10s}
"""

# The warnings about OLD: the line, the old key, and the current one.
RENAMED = (
    (5, "upstreams.fake.stop_grace", "stop_timeout"),
    (6, "upstreams.fake.restart.first", "initial_interval"),
    (6, "upstreams.fake.restart.most", "max_interval"),
    (7, "upstreams.fake.sandbox.limits.memory", "max_memory"),
    (8, "upstreams.box.most", "max_sandboxes"),
    (10, "limits.call", "call_timeout"),
    (11, "limits.body", "max_body_size"),
    (12, "limits.rates[0].calls", "max_calls"),
    (13, "stop.grace", "drain_timeout"),
)


def renamed(line, old, new):
    path = old.rpartition(".")[0]
    return f"gateway.yaml:{line}: {old} is now called {path}.{new}"


class OldKeys(ConfigCase):
    """A key that was renamed is read under its old name too."""

    def test_check_names_the_current_key_and_the_line(self):
        done = self.check(OLD)
        self.assertEqual((done.returncode, done.stdout), (0, "ok\n"), done.stderr)
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), len(RENAMED), done.stderr)
        for line, row in zip(lines, RENAMED):
            self.assertTrue(line.startswith("warning: "), line)
            self.assertTrue(line.endswith(renamed(*row)), line)

    def test_current_keys_have_no_warning(self):
        done = self.check(EVERYTHING)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_both_are_a_fault_that_names_both(self):
        (fault,) = self.faults("limits:\n  call_timeout: 1s\n  call: 2s\n")
        self.assertIn("gateway.yaml:3: limits.call: ", fault)
        self.assertIn("limits.call_timeout, which line 2 gives too", fault)
        (fault,) = self.faults(
            "upstreams:\n  a: {kind: stdio, command: x, outbox: 1KiB, max_outbox_size: 2KiB}\n"
        )
        self.assertIn("upstreams.a.outbox: ", fault)
        self.assertIn("upstreams.a.max_outbox_size", fault)

    def test_a_fault_names_the_key_as_it_was_written(self):
        fault, note = self.faults("limits: {call: soon}\n")
        self.assertIn("gateway.yaml:1: limits.call: expected a duration", fault)
        self.assertIn("limits.call is now called limits.call_timeout", note)

    def test_an_old_file_works_as_before(self):
        config = {"upstreams": {"sk": {"kind": "builtin"}}, "limits": {"body": "1KiB"}}
        with Gateway(config) as gateway, gateway.connect() as connection:
            self.assertEqual(connection.request("POST", "/mcp", {}, b"x" * 2000).status, 413)
            line = gateway.stderr.wait_for("setting renamed")
            self.assertIn("limits.body is now called limits.max_body_size", line)

    def test_a_reload_names_them_too(self):
        with Gateway({"limits": {"max_calls": 5}}) as gateway:
            gateway.write_config({"limits": {"calls": 6}})
            line = gateway.stderr.wait_for("setting renamed")
            self.assertIn("limits.calls is now called limits.max_calls", line)
            gateway.stderr.wait_for("reloaded")

    def test_a_new_spelling_alone_restarts_nothing(self):
        old = fake_config({"fake": fake(outbox="1MiB")})
        new = fake_config({"fake": fake(max_outbox_size="1MiB")}, workers=1)
        with Gateway({**old, "workers": 1}) as gateway, McpSession(gateway) as session:
            before = text_of(session.call("fake__whoami"))
            gateway.write_config(new)
            gateway.stderr.wait_for("reloaded")
            self.assertEqual(text_of(session.call("fake__whoami")), before)

    def test_properties_override_an_old_key(self):
        properties = self.folder / "application.properties"
        properties.write_text("server.tomcat.threads.max=7\n", encoding="utf-8")
        args = ("--properties", str(properties))
        with Gateway({"limits": {"calls": 5}}, args=args) as gateway:
            line = gateway.stderr.wait_for("setting renamed")
            self.assertIn("limits.calls is now called limits.max_calls", line)

    def test_the_schema_marks_them_deprecated(self):
        schema = json.loads(run("describe", "--schema").stdout)
        limits = schema["properties"]["limits"]["properties"]
        self.assertIs(limits["call"]["deprecated"], True)
        self.assertIn("call_timeout", limits["call"]["description"])
        self.assertEqual(limits["call"]["pattern"], limits["call_timeout"]["pattern"])
        self.assertNotIn("deprecated", limits["call_timeout"])
        stdio = schema["$defs"]["upstreams-stdio"]["properties"]
        self.assertIs(stdio["outbox"]["deprecated"], True)
        self.assertIn("| `call_timeout` |", run("describe").stdout)
        self.assertIn("Old name: `call`.", run("describe").stdout)


class Describe(ConfigCase):
    def keys(self):
        """The dotted keys of EVERYTHING, as they read in the documentation."""
        return re.findall(r"([a-z_]+):", re.sub(r'"[^"]*"|KEY: value|fake:|sk:', "", EVERYTHING))

    def test_markdown_names_every_key_and_default(self):
        done = run("describe")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("# ", done.stdout)
        for key in self.keys():
            with self.subTest(key=key):
                self.assertIn(key, done.stdout)
        for default in ("127.0.0.1:8080", "16MiB", "30s"):
            self.assertIn(default, done.stdout)

    def test_schema_is_json_schema_and_covers_every_key(self):
        done = run("describe", "--schema")
        self.assertEqual(done.returncode, 0, done.stderr)
        schema = json.loads(done.stdout)
        self.assertIn("json-schema.org", schema["$schema"])
        self.assertEqual(schema["type"], "object")
        self.assertLessEqual(
            {"listen", "workers", "names", "upstreams", "limits", "http", "log", "stop"},
            set(schema["properties"]),
        )
        known = set(self.properties(schema))
        for key in self.keys():
            with self.subTest(key=key):
                self.assertIn(key, known)
        self.assertIs(schema["additionalProperties"], False)

    def properties(self, node):
        if isinstance(node, dict):
            yield from (node["properties"] if isinstance(node.get("properties"), dict) else ())
            for value in node.values():
                yield from self.properties(value)
        elif isinstance(node, list):
            for value in node:
                yield from self.properties(value)

    def test_every_described_section_has_a_sentence(self):
        schema = json.loads(run("describe", "--schema").stdout)
        for key, value in schema["properties"].items():
            with self.subTest(key=key):
                self.assertTrue(value.get("description") or "$ref" in value, value)


class DesktopFiles(ConfigCase):
    def test_mcp_servers_json_as_it_is(self):
        text = json.dumps(
            {
                "globalShortcut": "Ctrl+Space",
                "mcpServers": {
                    "desk": {
                        "command": sys.executable,
                        "args": ["-S", FAKE_SERVER],
                        "env": {"FAKE_ONLY": "echo,env", "API_KEY": "k"},
                    }
                },
            },
            indent=2,
        )
        self.assertEqual(self.check(text, "claude_desktop_config.json").returncode, 0)
        with (
            Gateway(text, file_name="claude_desktop_config.json") as gateway,
            McpSession(gateway) as session,
        ):
            self.assertEqual(sorted(session.tool_names()), ["desk__echo", "desk__env"])
            self.assertEqual(json.loads(text_of(session.call("desk__env")))["API_KEY"], "k")

    def test_faults_in_it_have_lines_too(self):
        text = '{\n  "mcpServers": {\n    "a": {\n      "command": "x",\n      "args": "one"\n    }\n  }\n}\n'
        faults = self.faults(text, "desktop.json")
        self.assertTrue(any("desktop.json:5:" in fault for fault in faults), faults)
        self.assertTrue(self.faults('{"mcpServers": {"a": {"command": "x"}', "desktop.json"))


class Writable(ConfigCase):
    """Files that another user could change are refused, with advice on how to fix it."""

    def assert_refused(self, why, text="limits: {max_calls: 5}\n"):
        faults = self.faults(text)
        self.assertTrue(any(why in fault for fault in faults), faults)

    def test_the_file_and_its_folders(self):
        (self.folder / "gateway.yaml").touch()
        self.folder.chmod(0o777)
        self.assert_refused(f"chmod o-w {self.folder}")
        self.folder.chmod(0o1777)
        self.assertEqual(self.check("limits: {max_calls: 5}\n").returncode, 0)
        self.folder.chmod(0o755)
        (self.folder / "gateway.yaml").chmod(0o666)
        self.assert_refused("chmod o-w")

    def test_what_the_configuration_names(self):
        secrets = self.folder / "secrets"
        secrets.mkdir()
        (secrets / "secret").write_text("0123456789abcdef", encoding="utf-8")
        (self.folder / "link").symlink_to(secrets / "secret")
        (secrets / "users").write_text("", encoding="utf-8")
        secrets.chmod(0o777)
        for text in (
            "auth: {tokens: [{name: a, token: '${file:link}'}]}\n",
            f"auth: {{token_file: {secrets}/secret}}\n",
            f"auth: {{basic: {{file: {secrets}/users}}}}\n",
        ):
            with self.subTest(text):
                self.assert_refused(f"chmod o-w {secrets}", text)

    @unittest.skipIf(os.geteuid() != 0, "only root gives files away")
    def test_strangers_and_their_groups(self):
        path = self.folder / "gateway.yaml"
        path.touch()
        os.chown(path, 12345, 0)
        self.assert_refused("belongs to the user 12345")
        os.chown(path, 0, 12345)
        path.chmod(0o664)
        self.assert_refused("chmod g-w")
        os.chown(path, 0, 0)
        self.assertEqual(self.check("limits: {max_calls: 5}\n").returncode, 0)
        os.chown(self.folder, 12345, 0)
        self.assert_refused("to whom the folder")

    def test_a_running_gateway_keeps_what_it_has(self):
        with Gateway({"limits": {"max_calls": 5}}) as gateway:
            gateway.config_path.chmod(0o666)
            line = gateway.stderr.wait_for("reload refused")
            self.assertIn("chmod o-w", line)
            start = gateway.stderr.count()
            gateway.write_config({"limits": {"max_calls": 6}})
            gateway.stderr.wait_for("reloaded", start)


if __name__ == "__main__":
    main()
