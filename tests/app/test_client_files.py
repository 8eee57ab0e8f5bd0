"""The files of other clients work as they are. Each folder of clients/ has one as its documentation
shows it, what `import` prints for it, and the warnings about what is not read."""

import json
import os
import pathlib
import pty
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    BINARY,
    FAKE_SERVER,
    ROOT,
    TIMEOUT,
    Gateway,
    McpSession,
    StdioFrontend,
    TestCase,
    clean_environment,
    main,
    run,
    text_of,
)

CLIENTS = ROOT / "tests" / "app" / "clients"
FILES = {
    "claude-desktop": "claude_desktop_config.json",
    "claude-code": ".mcp.json",
    "cursor": ".cursor/mcp.json",
    "vscode": ".vscode/mcp.json",
    "gemini": ".gemini/settings.json",
    "zed": "settings.json",
    "codex": "config.toml",
    "windsurf": "mcp_config.json",
    "cline": "cline_mcp_settings.json",
    "opencode": "opencode.jsonc",
}
# The program of each file, and the tools of testing/fake_server.py that it must offer or not.
PROGRAMS = {
    "claude-desktop": ("filesystem", ["echo", "env"], []),
    "claude-code": ("database", ["echo", "env"], []),
    "cursor": ("local-server", ["echo", "env"], []),
    "vscode": ("Perplexity", ["echo", "env"], []),
    "gemini": ("pythonTools", ["echo", "add"], ["env", "cwd"]),
    "zed": ("local-mcp-server", ["echo", "env"], []),
    "codex": ("context7", ["echo", "env"], ["cwd", "add"]),
    "windsurf": ("github", ["echo", "cwd"], ["env"]),
    "cline": ("local-server", ["echo", "env"], []),
    "opencode": ("my-local-mcp-server", ["echo", "cwd"], ["env"]),
}
VARIABLES = {"API_KEY": "secret-1", "PASSED": "2", "PERPLEXITY_KEY": "secret-3"}


class ClientCase(TestCase):
    def setUp(self):
        # Below none of the folders of a user: those files belong to no project.
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(dir="/tmp")))
        programs = self.folder / "bin"
        programs.mkdir()
        for name in ("npx", "python", "node"):
            self.write_program(programs / name)
        path = f"{programs}:{os.environ['PATH']}"
        self.env = {**VARIABLES, "PATH": path, "HOME": str(self.folder / "home")}

    def write_program(self, path):
        path.write_text(f'#!/bin/sh\nexec {sys.executable} -S {FAKE_SERVER} "$@"\n')
        path.chmod(0o755)

    def copy(self, client):
        project = self.folder / client
        shutil.copytree(CLIENTS / client, project, ignore=shutil.ignore_patterns("*.expected"))
        if client == "claude-code":
            (project / "servers").mkdir()
            self.write_program(project / "servers" / "db")
        if client == "gemini":
            (project / "mcp-servers" / "python").mkdir(parents=True)
        return project / FILES[client]

    def portable(self, text):
        return text.replace(str(self.folder), "@FOLDER@")

    def expected(self, client, name):
        return (CLIENTS / client / f"{name}.expected").read_text(encoding="utf-8")

    def compare(self, client, name, text):
        if os.environ.get("PATCHBAY_WRITE_EXPECTED"):
            (CLIENTS / client / f"{name}.expected").write_text(text, encoding="utf-8")
        self.assertEqual(text, self.expected(client, name))


class EveryClient(ClientCase):
    def test_there_is_a_file_for_each(self):
        self.assertEqual({path.name for path in CLIENTS.iterdir()}, set(FILES))

    def test_check_warns_of_what_is_not_read(self):
        for client in FILES:
            with self.subTest(client):
                file = self.copy(client)
                done = run("check", str(file), env=self.env, cwd=file.parent)
                self.assertEqual((done.returncode, done.stdout), (0, "ok\n"), done.stderr)
                self.compare(client, "warnings", self.portable(done.stderr))

    def test_import_prints_the_same_servers(self):
        for client in FILES:
            with self.subTest(client):
                file = self.copy(client)
                done = run("import", str(file), env=self.env, cwd=file.parent)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.compare(client, "imported", self.portable(done.stdout))
                for secret in VARIABLES.values():
                    self.assertNotIn(secret, done.stdout.replace("2", ""))
                ours = file.parent / "patchbay.yaml"
                ours.write_text(done.stdout, encoding="utf-8")
                again = run("check", str(ours), env=self.env, cwd=file.parent)
                self.assertEqual((again.returncode, again.stderr), (0, ""))

    def test_serve_runs_it_and_limits_its_tools(self):
        for client, (program, offered, hidden) in PROGRAMS.items():
            file = self.copy(client)
            with (
                self.subTest(client),
                Gateway(args=("-c", str(file)), env=self.env, cwd=file.parent) as gateway,
                McpSession(gateway) as session,
            ):
                names = set(session.tool_names())
                self.assertLessEqual({f"{program}__{tool}" for tool in offered}, names)
                self.assertFalse({f"{program}__{tool}" for tool in hidden} & names)

    def variables_of(self, client):
        file = self.copy(client)
        with (
            Gateway(args=("-c", str(file)), env=self.env, cwd=file.parent) as gateway,
            McpSession(gateway) as session,
        ):
            program = PROGRAMS[client][0]
            variables = json.loads(text_of(session.call(f"{program}__env")))
            return variables, text_of(session.call(f"{program}__cwd"))

    def test_variables_have_the_values_that_the_client_would_give(self):
        variables, _ = self.variables_of("claude-code")
        self.assertEqual((variables["API_KEY"], variables["CACHE_DIR"]), ("secret-1", "/tmp"))
        variables, cwd = self.variables_of("cursor")
        self.assertEqual(variables["API_KEY"], "secret-1")  # Not that of the file.
        self.assertEqual(variables["FROM_FILE"], "a value")
        self.assertEqual(variables["CACHE"], str(self.folder / "home" / ".cache"))
        self.assertEqual(cwd, str(self.folder / "cursor"))
        variables, cwd = self.variables_of("vscode")
        self.assertEqual(variables["PERPLEXITY_API_KEY"], "secret-3")
        self.assertEqual(variables["REGION"], "eu")
        self.assertEqual(cwd, str(self.folder / "vscode"))

    def test_stdio_runs_it_too(self):
        file = self.copy("windsurf")
        with StdioFrontend([BINARY, "stdio", "-c", str(file)], env=self.env, cwd=file.parent) as front:
            front.request(
                {
                    "jsonrpc": "2.0",
                    "id": 1,
                    "method": "initialize",
                    "params": {
                        "protocolVersion": "2025-06-18",
                        "capabilities": {},
                        "clientInfo": {"name": "t", "version": "1"},
                    },
                }
            )
            front.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
            params = {"name": "github__echo", "arguments": {"text": "hi"}}
            call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}
            self.assertEqual(text_of(front.request(call)), "hi")


class Inputs(ClientCase):
    def without_key(self):
        return {key: value for key, value in self.env.items() if key != "PERPLEXITY_KEY"}

    def test_a_missing_input_is_refused_by_name(self):
        file = self.copy("vscode")
        for command in (("check", str(file)), ("stdio", "-c", str(file)), ("serve", "-c", str(file))):
            with self.subTest(command[0]):
                done = run(*command, env=self.without_key(), cwd=file.parent)
                self.assertEqual(done.returncode, 3)
                self.assertIn("inputs.perplexity-key: has no value (Perplexity API Key)", done.stderr)
                self.assertIn("set the environment variable PERPLEXITY_KEY", done.stderr)

    def test_it_is_asked_for_on_a_terminal(self):
        file = self.copy("vscode")
        master, slave = pty.openpty()
        command = [BINARY, "serve", "-c", str(file), "--listen", "127.0.0.1:0"]
        with subprocess.Popen(
            command,
            env=clean_environment(**self.without_key()),
            cwd=file.parent,
            stdin=slave,
            stderr=slave,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            try:
                os.close(slave)
                seen = b""
                while b"Perplexity API Key: " not in seen:
                    seen += os.read(master, 1000)
                os.write(master, b"typed-secret\n")
                while b"Region (eu, us) [eu]: " not in seen:
                    seen += os.read(master, 1000)
                os.write(master, b"us\n")
                lines = iter(process.stdout.readline, "")
                address = next(line for line in lines if "http://" in line)
                self.assertTrue(any(line == "ready\n" for line in lines))
                self.assertNotIn(b"typed-secret", seen)
                url = "http://" + address.split("http://")[1].split()[0]
                done = run("call", "Perplexity__env", env={"PATCHBAY_URL": url})
                self.assertEqual(done.returncode, 0, done.stderr)
                variables = json.loads(done.stdout)
                self.assertEqual(variables["PERPLEXITY_API_KEY"], "typed-secret")
                self.assertEqual(variables["REGION"], "us")
            finally:
                process.terminate()
                process.wait(TIMEOUT)
                os.close(master)


class OddFiles(ClientCase):
    def check_file(self, name, content, command="check", cwd=None):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        done = run(command, str(path), env=self.env, cwd=cwd or self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_an_empty_list_of_tools_allows_none(self):
        server = {"command": "node", "includeTools": [], "excludeTools": ["x"]}
        done = self.check_file("a.json", {"mcpServers": {"a": server}}, "import")
        self.assertIn("deny: ['*']", done.stdout.replace('"', "'"))
        self.assertIn("mcpServers.a: allows no tool, so none is offered", done.stderr)
        done = self.check_file("config.toml", '[mcp_servers.a]\ncommand = "node"\nenabled_tools = []\n', "import")
        self.assertIn("deny: ['*']", done.stdout.replace('"', "'"))

    def test_vscode_without_inputs(self):
        content = {"servers": {"a": {"command": "node"}}, "sandbox": {"network": {}}}
        done = self.check_file(".vscode/mcp.json", content)
        self.assertIn("not read, since it is not about servers: sandbox", done.stderr)

    def test_a_key_below_command_and_a_second_type_are_named(self):
        old = {"command": {"path": "node", "args": [], "timeout": 60}}
        done = self.check_file("settings.json", {"context_servers": {"old": old}})
        self.assertIn("context_servers.old.command.timeout: not read", done.stderr)
        two = {"url": "http://127.0.0.1:9/", "type": "http", "transportType": "sse"}
        done = self.check_file("a.json", {"mcpServers": {"two": two}})
        self.assertIn("mcpServers.two.transportType: not read: 'type' is used", done.stderr)

    def test_patterns_of_opencode_have_its_names(self):
        content = {
            "mcp": {"my.srv": {"type": "local", "command": ["node"]}},
            "tools": {"my_srv_echo": False, "m*_env": False, "my?srv_c*": False, "other_*": False},
        }
        done = self.check_file("opencode.json", content, "import")
        self.assertIn("deny: [echo, '*_env', env, 'c*']", done.stdout.replace('"', "'"))
        self.assertIn("tools.other_*: concerns no server", done.stderr)
        self.assertNotIn("tools.my_srv_echo", done.stderr)

    def test_servers_of_projects_of_claude_code(self):
        here = self.folder / "here"
        here.mkdir()
        content = {f"key{i}": i for i in range(20)}
        content["projects"] = {
            str(here): {"mcpServers": {"mine": {"command": "node"}}},
            "/elsewhere": {"mcpServers": {"theirs": {"command": "node"}}},
        }
        done = self.check_file(".claude.json", content, "import", cwd=here)
        self.assertIn("  mine:\n", done.stdout)
        self.assertNotIn("theirs", done.stdout)
        self.assertIn(".mcpServers.theirs: not read: it belongs to a project in another folder", done.stderr)

    def test_an_env_file_as_editors_write_it(self):
        lines = ["A=plain # comment", "B='x # y' # comment", 'C="two\\nlines"', "D=a#b", "my.key-1=1", "E="]
        (self.folder / "v.env").write_text("\n".join(lines), encoding="utf-8")
        path = self.folder / "env.json"
        server = {"command": sys.executable, "args": ["-S", FAKE_SERVER], "envFile": str(self.folder / "v.env")}
        path.write_text(json.dumps({"mcpServers": {"a": server}}), encoding="utf-8")
        with Gateway(args=("-c", str(path)), env=self.env, cwd=self.folder) as gateway, McpSession(gateway) as session:
            variables = json.loads(text_of(session.call("a__env")))
        self.assertEqual(
            [variables[name] for name in ("A", "B", "C", "D", "my.key-1", "E")],
            ["plain", "x # y", "two\nlines", "a#b", "1", ""],
        )


class Faults(ClientCase):
    def faults(self, name, text, env=None):
        file = self.folder / name
        file.write_text(text, encoding="utf-8")
        done = run("check", str(file), env=env or self.env, cwd=self.folder)
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        return done.stderr

    def test_a_variable_without_a_value_is_named(self):
        text = '{"mcpServers": {"a": {"command": "x",\n "env": {"K": "${NOT_SET_HERE}"}}}}'
        expected = "mcpServers.a.env.K: the environment variable NOT_SET_HERE is not set"
        self.assertIn("c.json:2: " + expected, self.faults("c.json", text))

    def test_an_input_that_is_not_declared(self):
        text = '{"inputs": [], "servers": {"a": {"command": "x", "args": ["${input:k}"]}}}'
        self.assertIn("servers.a.args[0]: ${input:k} is not in `inputs`", self.faults("mcp.json", text))

    def test_a_missing_env_file(self):
        text = '{"mcpServers": {"a": {"command": "x", "envFile": "no.env"}}}'
        self.assertIn("mcpServers.a.env_file: the file", self.faults("mcp.json", text))

    def test_toml(self):
        self.assertIn("c.toml:2: invalid TOML", self.faults("c.toml", '[mcp_servers.a]\ncommand = \n'))
        text = '[mcp_servers.a]\ncommand = "x"\ntool_timeout_sec = "soon"\n'
        self.assertIn("c.toml:3: mcp_servers.a.tool_timeout_sec: is not a number", self.faults("c.toml", text))

    def test_a_section_that_is_no_list_of_servers_in_our_own_file(self):
        self.assertIn("mcp: is not a map of servers", self.faults("own.yaml", "mcp: { a: 1 }\n"))


if __name__ == "__main__":
    main()
