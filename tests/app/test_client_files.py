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
    def check_file(self, name, content, *command, cwd=None):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        done = run(*(command or ("check",)), str(path), env=self.env, cwd=cwd or self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_an_empty_list_of_tools_allows_none(self):
        server = {"command": "node", "includeTools": [], "excludeTools": ["x"]}
        done = self.check_file("a.json", {"mcpServers": {"a": server}}, "import")
        self.assertIn("deny: ['*']", done.stdout.replace('"', "'"))
        self.assertIn("mcpServers.a: allows no tool, so none is offered", done.stderr)
        done = self.check_file("config.toml", '[mcp_servers.a]\ncommand = "node"\nenabled_tools = []\n', "import")
        self.assertIn("deny: ['*']", done.stdout.replace('"', "'"))

    def test_names_that_become_equal_get_a_number(self):
        program = {"command": "node"}
        names = ["my files", "my-files", "my.files", "файлы", "папки", "服务器 1", "x" * 80, "x" * 79]
        content = {"mcpServers": {name: program for name in names}}
        done = self.check_file("a.json", content, "import", "--json")
        upstreams = json.loads(done.stdout)
        expected = ["my-files-2", "my-files", "my-files-3", "server", "server-2", "1"]
        self.assertEqual(list(upstreams["upstreams"])[:6], expected)
        self.assertEqual(len(upstreams["upstreams"]), len(names))
        self.assertIn("mcpServers.my files: the name becomes my-files-2", done.stderr)
        self.assertNotIn("mcpServers.my-files:", done.stderr)

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

    def test_the_second_version_of_opencode(self):
        content = {
            "mcp": {
                "timeout": {"startup": 10_000, "request": 30_000},
                "servers": {
                    "own": {"type": "local", "command": ["node", "{env:API_KEY}"], "cwd": "sub",
                            "environment": {"KEY": "{env:API_KEY}"}, "timeout": {"request": 60_000, "other": 1}},
                    "far": {"type": "remote", "url": "http://127.0.0.1:9/", "oauth": False},
                    "off": {"type": "local", "command": ["node"], "disabled": True},
                },
            },
            "tools": {"own_echo": False},
        }
        done = self.check_file("opencode.json", content, "import", "--json")
        upstreams = json.loads(done.stdout)["upstreams"]
        self.assertEqual(upstreams["own"], {
            "kind": "stdio", "command": "node", "args": ["${env:API_KEY}"], "env": {"KEY": "${env:API_KEY}"},
            "cwd": str(self.folder / "sub"), "tools": {"deny": ["echo"]}, "timeout": "60000ms"})
        self.assertEqual(upstreams["far"]["timeout"], "30000ms")
        self.assertEqual(upstreams["far"]["start_timeout"], "10000ms")
        self.assertEqual(len(done.stderr.splitlines()), 2, done.stderr)
        self.assertIn("mcp.servers.own.timeout.other: not read", done.stderr)
        self.assertIn("mcp.servers.off: is disabled", done.stderr)

    def test_a_server_that_is_only_enabled_is_elsewhere(self):
        content = {"mcp": {"jira": {"enabled": True}, "a": {"type": "local", "command": ["node"]}}}
        done = self.check_file("opencode.json", content)
        self.assertIn("mcp.jira: only enables a server of another file; left out", done.stderr)

    def test_gemini_prefers_a_url_and_has_older_names(self):
        servers = {
            "both": {"url": "http://127.0.0.1:9/sse", "httpUrl": "http://127.0.0.1:9/mcp", "command": "node"},
            "tcp": {"tcp": "ws://127.0.0.1:9/"},
            "typed": {"type": "stdio", "command": "node", "url": "http://127.0.0.1:9/mcp"},
            "no": {"command": "node"},
        }
        content = {"mcpServers": servers, "excludeMCPServers": ["no"]}
        done = self.check_file(".gemini/settings.json", content, "import", "--json")
        upstreams = json.loads(done.stdout)["upstreams"]
        self.assertEqual(upstreams["both"]["url"], "http://127.0.0.1:9/mcp")
        self.assertEqual((upstreams["tcp"]["kind"], upstreams["typed"]["kind"]), ("ws", "http"))
        self.assertNotIn("no", upstreams)
        for note in ("mcpServers.both.url: not read", "mcpServers.both.command: not read",
                     "mcpServers.no: left out because of excludeMCPServers"):
            self.assertIn(note, done.stderr)
        done = self.check_file(".gemini/settings.json", {"mcpServers": servers, "allowMCPServers": ["no"]}, "import")
        self.assertNotIn("both:", done.stdout)

    def test_variables_of_another_machine_are_named(self):
        text = '[mcp_servers.a]\ncommand = "node"\nenv_vars = ["A", { name = "B", source = "remote" }]\n'
        done = self.check_file("config.toml", text, "import", "--json")
        self.assertEqual(json.loads(done.stdout)["upstreams"]["a"]["env_pass"], ["A", "B"])
        self.assertIn("mcp_servers.a.env_vars: the source 'remote' is not read", done.stderr)

    def test_zed_has_counted_in_both_units(self):
        servers = {"new": {"command": "node", "timeout": 60}, "old": {"command": "node", "timeout": 60_000}}
        done = self.check_file("settings.json", {"context_servers": servers}, "import", "--json")
        upstreams = json.loads(done.stdout)["upstreams"]
        self.assertEqual([upstreams[name]["timeout"] for name in ("new", "old")], ["60000ms", "60000ms"])

    def test_what_vscode_has_and_the_gateway_has_not(self):
        servers = {
            "socket": {"type": "http", "url": "unix:///tmp/server.sock#/mcp"},
            "pipe": {"type": "http", "url": "pipe:///pipe/server"},
            "null": {"command": "node", "env": {"UNSET": None, "SET": 5}},
        }
        done = self.check_file(".vscode/mcp.json", {"servers": servers, "inputs": []}, "import", "--json")
        self.assertEqual(list(json.loads(done.stdout)["upstreams"]), ["null"])
        self.assertEqual(json.loads(done.stdout)["upstreams"]["null"]["env"], {"SET": 5})
        self.assertIn("servers.socket: HTTP over a local socket or pipe is not supported", done.stderr)
        self.assertIn("servers.pipe: HTTP over a local socket", done.stderr)
        self.assertIn("servers.null: the variable UNSET is null", done.stderr)

    def test_a_server_that_a_project_of_claude_code_disables(self):
        content = {
            "mcpServers": {"off": {"command": "node"}, "on": {"command": "node"}},
            "projects": {str(self.folder): {"disabledMcpServers": ["off"], "mcpServers": {}}},
        }
        done = self.check_file(".claude.json", content, "import", "--json")
        self.assertEqual(list(json.loads(done.stdout)["upstreams"]), ["on"])
        self.assertIn("mcpServers.off: left out because of disabledMcpServers", done.stderr)

    def test_keys_that_may_concern_servers_are_named_first(self):
        content = {f"key{i}": i for i in range(20)} | {"mcp_timeout": 5, "mcpServers": {"a": {"command": "node"}}}
        done = self.check_file("a.json", content)
        self.assertIn("not read, since it is not about servers: mcp_timeout, key0, ", done.stderr)
        self.assertIn(" and 13 more", done.stderr)

    def test_what_is_null_is_not_given(self):
        empty = dict.fromkeys(("type", "url", "headers", "env", "cwd", "timeout", "includeTools", "disabled", "trust"))
        done = self.check_file("a.json", {"mcpServers": {"a": {"command": "node", "args": [], **empty}}}, "import")
        self.assertEqual((done.stdout, done.stderr), ("upstreams:\n  a:\n    kind: stdio\n    command: node\n    args: []\n", ""))

    def test_a_time_without_end(self):
        done = self.check_file("a.json", {"mcpServers": {"a": {"command": "node", "timeout": 2**31 - 1}}}, "import")
        self.assertIn("timeout: 86400000ms", done.stdout)
        self.assertIn("mcpServers.a.timeout: is more than 24h; 24h is used", done.stderr)

    def test_names_of_packages_and_pictures(self):
        names = ["@scope/server", "notes \U0001f389", "_x_", "-"]
        done = self.check_file("a.json", {"mcpServers": {name: {"command": "node"} for name in names}}, "import", "--json")
        self.assertEqual(list(json.loads(done.stdout)["upstreams"]), ["scope-server", "notes", "_x_", "server"])

    def test_variables_that_nobody_knows_are_named(self):
        arguments = ["${workspaceFolder:app}/x", "${selectedText}", "${a.b}", "${env:HOME}"]
        done = self.check_file(".vscode/mcp.json", {"inputs": [], "servers": {"a": {"command": "node", "args": arguments}}})
        self.assertIn("servers.a.args[1]: ${selectedText} is passed to the program as it is", done.stderr)
        self.assertIn("servers.a.args[2]: ${a.b} is passed to the program as it is", done.stderr)
        self.assertNotIn("args[0]", done.stderr)
        self.assertNotIn("args[3]", done.stderr)

    def test_a_missing_folder_is_pointed_out(self):
        done = self.check_file("a.json", {"mcpServers": {"a": {"command": "node", "cwd": "/nonexistent/folder"}}})
        self.assertIn("cannot run node in /nonexistent/folder: No such file or directory", done.stderr)

    def test_a_file_of_the_home_folder(self):
        (self.folder / "home").mkdir(exist_ok=True)
        (self.folder / "home" / "key").write_text("from-home\n")
        server = {"command": "node", "env": {"KEY": "${file:~/key}"}}
        self.check_file("mcp_config.json", {"mcpServers": {"a": server}})
        path = self.folder / "mcp_config.json"
        with Gateway(args=("-c", str(path)), env=self.env, cwd=self.folder) as gateway, McpSession(gateway) as session:
            self.assertEqual(json.loads(text_of(session.call("a__env")))["KEY"], "from-home")

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

    def test_values_of_another_kind(self):
        for server, fault in (
            ('"url": "http://h/", "headers": ["A"]', "mcpServers.a.headers: is not a map of headers"),
            ('"command": "x", "disabled": 1', "mcpServers.a.disabled: expected true or false"),
            ('"command": "x", "env": {"A=B": "1"}', "mcpServers.a.env: 'A=B' cannot be the name of a variable"),
            ('"command": "x", "env": {"": "1"}', "mcpServers.a.env: '' cannot be the name of a variable"),
        ):
            self.assertIn(fault, self.faults("c.json", f'{{"mcpServers": {{"a": {{{server}}}}}}}'))

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
