"""`patchbay serve` from the outside: the banner, the built-in skills, names, exit codes."""

import datetime
import json
import os
import pathlib
import pty
import re
import socket
import subprocess
import sys
import threading

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    BINARY,
    TIMEOUT,
    Connection,
    Gateway,
    Lines,
    McpSession,
    RpcError,
    TestCase,
    clean_environment,
    fake,
    fake_config,
    main,
    result_of,
    run,
    text_of,
    wait_until,
)
from sandbox_case import why_not


class Banner(TestCase):
    def test_names_version_front_end_upstream_and_ready(self):
        with Gateway() as gateway:
            gateway.stdout.wait_for("curl")
            lines = gateway.stdout.lines
            self.assertRegex(
                lines[0], r"^patchbay \d+\.\d+\S*  config defaults  digest [0-9a-f]{8,}$"
            )
            front = gateway.stdout.wait_for(lambda line: line.startswith("front end"))
            self.assertRegex(front, r"^front end +mcp http +http://127\.0\.0\.1:\d+/mcp$")
            upstream = gateway.stdout.wait_for(lambda line: line.startswith("upstream"))
            self.assertRegex(upstream, r"^upstream +skills +builtin +up +4 tools$")
            self.assertLess(lines.index(upstream), lines.index("ready"))
            self.assertGreater(lines.index("ready"), lines.index(front))

    def test_digest_follows_the_configuration(self):
        def digest(config):
            with Gateway(config) as gateway:
                first = gateway.stdout.lines[0]
                self.assertIn("patchbay.yaml", first)
                return re.search(r"digest ([0-9a-f]+)", first)[1]

        first = digest({"limits": {"call_timeout": "5s"}})
        self.assertEqual(first, digest({"limits": {"call_timeout": "5s"}}))
        self.assertNotEqual(first, digest({"limits": {"call_timeout": "6s"}}))

    def printed_command(self, gateway):
        """The output of the command that the banner ends with."""
        gateway.stdout.wait_for("try:")
        command = gateway.stdout.wait_for("curl ").strip()
        self.assertLess(len(command), 80)
        done = subprocess.run(
            ["sh", "-c", command],
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT,
            env=clean_environment(),
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_the_printed_curl_line_works(self):
        with Gateway() as gateway:
            self.assertGreater(len(self.printed_command(gateway)["tools"]), 5)

    def test_the_printed_curl_line_works_with_auth(self):
        token = {"name": "me", "token": "0123456789abcdef0123456789abcdef"}
        with Gateway(fake_config(auth={"tokens": [token]})) as gateway:
            self.assertEqual(self.printed_command(gateway)["status"], "ok")

    def test_the_printed_curl_line_works_at_every_address(self):
        token = {"name": "me", "token": "0123456789abcdef0123456789abcdef"}
        own = {"listen": "0.0.0.0:0", "auth": {"tokens": [token]}}
        for config in (own, {**own, "listen": "[::]:0"}, {"listen": "[::1]:0"}, {"listen": "127.0.0.2:0"},
                       {"proxies": {"from": ["127.0.0.1"], "proxy_protocol": ["listen"]}}):
            with self.subTest(config), Gateway(fake_config(**config)) as gateway:
                answer = self.printed_command(gateway)
                self.assertTrue(answer.get("status") == "ok" or len(answer["tools"]) > 5)
        with Gateway(fake_config(**own)) as gateway:
            self.assertIn("0.0.0.0:", gateway.stdout.wait_for("every address of this machine"))
            self.assertIn("http://127.0.0.1:", gateway.stdout.wait_for("front end"))

    def test_a_terminal_shows_marks(self):
        master, slave = pty.openpty()
        config = fake_config({"good": fake(), "bad": fake(command="/nonexistent/program")})
        gateway = Gateway(config)
        with subprocess.Popen(gateway.command, env=gateway.environment, cwd=gateway.cwd, stdin=subprocess.DEVNULL,
                              stdout=slave, stderr=subprocess.DEVNULL) as process, gateway.folder:
            os.close(slave)
            try:
                text = b""
                while b"try:" not in text:
                    text += os.read(master, 65536)
            finally:
                process.kill()
                os.close(master)
        self.assertIn("✓ good  stdio  up", text.decode())
        self.assertIn("✗ bad  stdio  down", text.decode())
        self.assertIn("/swagger-ui/index.html", text.decode())

    def test_a_down_upstream_is_reported_and_does_not_block_the_start(self):
        config = fake_config({"good": fake(), "bad": fake(command="/nonexistent/program")})
        with Gateway(config) as gateway:
            bad = gateway.stdout.wait_for(
                lambda line: re.match(r"upstream +bad +stdio +down +\S", line)
            )
            self.assertIn("bad", bad)
            gateway.stdout.wait_for(
                lambda line: re.match(r"upstream +good +stdio +up +\d+ tools$", line)
            )
            self.assertTrue(gateway.degraded())
            with McpSession(gateway) as session:
                self.assertEqual(text_of(session.call("good__echo", text="hi")), "hi")

    def test_port_in_use_is_a_reported_runtime_failure(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            address = f"127.0.0.1:{taken.getsockname()[1]}"
            done = run("serve", "--listen", address, cwd="/")
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(address, done.stderr)
            self.assertNotIn("ready", done.stdout.splitlines())

    def test_usage_faults_exit_with_2(self):
        for args in (
            ("nonsense",),
            ("serve", "--nonsense"),
            ("serve", "--log-format", "xml"),
            ("serve", "--listen"),
            ("check",),
        ):
            with self.subTest(args=args):
                done = run(*args)
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                self.assertTrue(done.stderr.strip())

    def test_help_and_version(self):
        for args in (
            ("--help",),
            ("serve", "--help"),
            ("call", "--help"),
            ("check", "--help"),
            ("tools", "--help"),
            ("describe", "--help"),
            ("stdio", "--help"),
        ):
            with self.subTest(args=args):
                done = run(*args)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(args[0] if len(args) > 1 else "serve", done.stdout)
        self.assertRegex(run("--version").stdout, r"^(patchbay )?\d+\.\d+")

    def test_listens_on_loopback_only(self):
        with Gateway() as gateway:
            table = pathlib.Path(f"/proc/{gateway.pid}/net/tcp").read_text(encoding="ascii")
            listening = [line.split()[1] for line in table.splitlines() if line.split()[3] == "0A"]
            port = f":{gateway.port:04X}"
            addresses = {local[:8] for local in listening if local.endswith(port)}
            self.assertEqual(addresses, {"0100007F"})


class Skills(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.gateway = cls.enterClassContext(Gateway())
        cls.session = cls.enterClassContext(McpSession(cls.gateway))

    def test_the_catalog(self):
        tools = {
            tool["name"]: tool for tool in result_of(self.session.request("tools/list"))["tools"]
        }
        own = {name for name in tools if not name.startswith("sandbox__")}
        self.assertEqual(
            own,
            {"skills__calculate", "skills__summarize", "skills__time", "skills__echo",
             "osquery__query_osquery"},  # fmt: skip
        )
        # Sandboxes are offered if the machine can isolate them: all eight tools or none.
        self.assertEqual(len(tools) - len(own), 0 if why_not() else 8)
        for tool in tools.values():
            self.assertTrue(tool["description"])
            self.assertEqual(tool["inputSchema"]["type"], "object")
        self.assertIn("expression", tools["skills__calculate"]["inputSchema"]["required"])

    def test_calculate(self):
        table = {
            "1 + 2 * 3": 7,
            "(1 + 2) * 3": 9,
            "-2 ^ 2": -4,
            "2 ^ 3 ^ 2": 512,
            "10 / 4": 2.5,
            "sqrt(16) + 1": 5,
            "-(3 - 5)": 2,
            "2 * -3": -6,
            "1e3 + .5": 1000.5,
            "0.1 + 0.2": 0.3,
            "abs(-7)": 7,
        }
        for expression, value in table.items():
            with self.subTest(expression=expression):
                text = text_of(self.session.call("skills__calculate", expression=expression))
                self.assertAlmostEqual(float(text.split()[-1]), value)

    def test_calculate_explains_its_errors(self):
        for expression in ("1 +", "(1", "1 / 0", "foo(1)", "2 2", "1)", "(" * 4000, "rm -rf"):
            with self.subTest(expression=expression[:20]):
                result = result_of(self.session.call("skills__calculate", expression=expression))
                self.assertTrue(result.get("isError"), result)
                self.assertTrue(result["content"][0]["text"])

    def test_what_the_schema_does_not_allow_is_refused_before_the_call(self):
        for expression in ("", "(" * 5000, 7, None):
            with self.subTest(expression=str(expression)[:20]):
                result = result_of(self.session.call("skills__calculate", expression=expression))
                self.assertTrue(result.get("isError"), result)
                self.assertIn("/expression", result["content"][0]["text"])

    def test_echo(self):
        for text in (
            "",
            "plain",
            "naïve ☃ \U0001f600",
            'quotes " and \\ and \n and \u0000',
            "x" * 100_000,
        ):
            self.assert_same_text(text_of(self.session.call("skills__echo", text=text)), text)

    def test_summarize(self):
        text = (
            "The river floods each spring. Farmers along the river know the flood well. "
            "A cat slept. The flood of the river brings rich soil to the farmers. It was blue."
        )
        summary = text_of(self.session.call("skills__summarize", text=text, sentences=1))
        self.assertIn(summary.strip(), text)  # Extractive: its sentences are those of the text.
        self.assertLess(len(summary), len(text))
        self.assertTrue(summary.strip())

    def test_time(self):
        now = datetime.datetime.now(datetime.timezone.utc)
        self.assertIn(str(now.year), text_of(self.session.call("skills__time")))
        self.assertIn(str(now.year), text_of(self.session.call("skills__time", zone="Asia/Tokyo")))
        wrong = result_of(self.session.call("skills__time", zone="Mars/Olympus"))
        self.assertTrue(wrong.get("isError"), wrong)

    def test_missing_and_wrong_arguments_are_reported(self):
        for arguments in ({}, {"expression": 5}, {"expression": None}, {"expression": ["1"]}):
            with self.subTest(arguments=arguments):
                result = result_of(self.session.call("skills__calculate", **arguments))
                self.assertTrue(result.get("isError"), result)


class Names(TestCase):
    def test_each_spelling_of_a_name_is_accepted(self):
        with (
            Gateway(fake_config({"fake": fake(), "sk": {"kind": "builtin"}})) as gateway,
            McpSession(gateway) as session,
        ):
            for name in ("fake__add", "fake.add", "fake_add", "add"):
                with self.subTest(name=name):
                    self.assertEqual(text_of(session.call(name, a=1, b=2)), "3")
            with self.assertRaises(RpcError) as refused:  # Both upstreams have an echo.
                result_of(session.call("echo", text="x"))
            self.assertEqual(refused.exception.code, -32602)
            self.assertIn("ambiguous: fake__echo, sk__echo", str(refused.exception))

    def test_prefix_only_on_conflict(self):
        config = fake_config(
            {"fake": fake(), "sk": {"kind": "builtin"}}, names={"prefix": "conflict"}
        )
        with Gateway(config) as gateway, McpSession(gateway) as session:
            names = session.tool_names()
            self.assertLessEqual({"fake__echo", "sk__echo", "add", "calculate"}, set(names))
            self.assertNotIn("echo", names)
            self.assertNotIn("fake__add", names)

    def test_no_prefix_and_another_separator(self):
        with (
            Gateway(fake_config(names={"prefix": "never"})) as gateway,
            McpSession(gateway) as session,
        ):
            self.assertIn("echo", session.tool_names())
            self.assertEqual(text_of(session.call("echo", text="bare")), "bare")
        with (
            Gateway(fake_config(names={"separator": "-"})) as gateway,
            McpSession(gateway) as session,
        ):
            self.assertIn("fake-echo", session.tool_names())
            self.assertEqual(text_of(session.call("fake-echo", text="dash")), "dash")

    def test_the_list_is_complete_unique_and_stable(self):
        config = fake_config(
            {"b": fake(env={"FAKE_PAGE": "3"}), "a": fake(), "sk": {"kind": "builtin"}}
        )
        with Gateway(config) as gateway, McpSession(gateway) as session:
            names = session.tool_names()
            self.assertEqual(len(names), len(set(names)))
            self.assertEqual(
                {name[3:] for name in names if name.startswith("a__")},
                {name[3:] for name in names if name.startswith("b__")},
            )
            self.assertGreater(len(names), 40)
            self.assertEqual(names, session.tool_names())


class Sources(TestCase):
    """Where the configuration comes from."""

    def test_from_the_environment_and_the_working_directory(self):
        with Gateway(fake_config({"mine": fake(env={"FAKE_ONLY": "echo"})})) as first:
            folder = os.path.dirname(first.config_path)
            with Gateway(cwd=folder) as gateway, McpSession(gateway) as session:
                self.assertEqual(session.tool_names(), ["mine__echo"])
            with (
                Gateway(env={"PATCHBAY_CONFIG": str(first.config_path)}, cwd="/") as gateway,
                McpSession(gateway) as session,
            ):
                self.assertEqual(session.tool_names(), ["mine__echo"])

    def test_command_line_comes_before_environment(self):
        with (
            Gateway(fake_config({"env": fake()})) as first,
            Gateway(
                fake_config({"flag": fake(env={"FAKE_ONLY": "echo"})}),
                env={"PATCHBAY_CONFIG": str(first.config_path)},
            ) as gateway,
            McpSession(gateway) as session,
        ):
            self.assertEqual(session.tool_names(), ["flag__echo"])

    def test_bad_configuration_exits_with_3(self):
        with Gateway(fake_config()) as gateway:
            bad = gateway.config_path.with_name("bad.yaml")
            bad.write_text("listen: 127.0.0.1:0\nnonsense: 1\n", encoding="utf-8")
            done = run("serve", "-c", str(bad))
            self.assertEqual(done.returncode, 3)
            self.assertIn("bad.yaml:2:", done.stderr)
            self.assertEqual(run("serve", "-c", "/nonexistent.yaml").returncode, 3)


def full_pipe():
    read, write = os.pipe()
    os.set_blocking(write, False)
    try:
        while True:
            os.write(write, b"x" * 4096)
    except BlockingIOError:
        os.set_blocking(write, True)
    return read, write


class FullStdout(TestCase):
    def test_nobody_reads_the_banner(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        read, write = full_pipe()
        process = subprocess.Popen(
            [BINARY, "serve", "--listen", f"127.0.0.1:{port}"],
            env=clean_environment(),
            stdin=subprocess.DEVNULL,
            stdout=write,
            stderr=subprocess.DEVNULL,
        )
        os.close(write)
        self.addCleanup(process.kill)
        with open(read, "rb") as pipe:
            wait_until(lambda: self.answers(port), "the gateway to serve")
            # Pending output is written once there is room for it.
            for line in pipe:
                if line == b"ready\n":
                    break
            fill = threading.Thread(target=pipe.read)
            fill.start()
            process.terminate()
            self.assertEqual(process.wait(TIMEOUT), 0)
            fill.join()

    def test_a_stop_takes_effect_nevertheless(self):
        read, write = full_pipe()
        process = subprocess.Popen(
            [BINARY, "serve", "--listen", "127.0.0.1:0"],
            env=clean_environment(),
            stdin=subprocess.DEVNULL,
            stdout=write,
            stderr=subprocess.PIPE,
        )
        self.addCleanup(process.kill)
        lines = Lines(process.stderr)
        lines.wait_for("osquery")  # The upstreams are being started.
        process.terminate()
        self.assertEqual(process.wait(TIMEOUT), 0)
        os.close(read), os.close(write)

    @staticmethod
    def answers(port):
        try:
            with Connection("127.0.0.1", port, TIMEOUT) as connection:
                return connection.request("GET", "/ready").status == 200
        except OSError:
            return False


if __name__ == "__main__":
    main()
