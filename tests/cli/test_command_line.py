"""What all commands have in common: help, suggestions, errors as JSON, completion, the manual."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import BINARY, TIMEOUT, Gateway, TestCase, clean_environment, fake_config, main, run
from stub_server import StubServer

PIXEL = "iVBORw0KGgo="  # The first bytes of a PNG.


class Usage(TestCase):
    def test_help_of_commands(self):
        self.assertEqual(run("help").stdout, run("--help").stdout)
        self.assertEqual(run("help", "token", "create").stdout, run("token", "create", "--help").stdout)
        done = run("help", "token", "craete")
        self.assertEqual((done.returncode, done.stderr), (2, 'patchbay: unknown command \'craete\'; did you mean "create"?\n'))

    def test_version(self):
        self.assertEqual(run("version").stdout, run("--version").stdout)
        self.assertRegex(json.loads(run("version", "--json").stdout)["version"], r"^\d+\.\d+")
        verbose = run("version", "--verbose").stdout
        self.assertTrue(verbose.startswith(run("version").stdout))
        self.assertRegex(verbose, r"librdkafka +\d+\.\d+")
        libraries = json.loads(run("version", "--verbose", "--json").stdout)["built_with"]
        self.assertIn("openssl", libraries)

    def test_suggestions(self):
        for args, message in (
            (["tols"], 'unknown command \'tols\'; did you mean "tools"?'),
            (["audit", "--sicne", "1h"], 'unknown argument \'--sicne\'; did you mean "--since"?'),
            (["token", "lsit"], 'did you mean "list"?'),
            (["serve", "--zzzzzz"], "unknown argument '--zzzzzz'\n"),
        ):
            with self.subTest(args):
                done = run(*args)
                self.assertEqual(done.returncode, 2)
                self.assertIn(message, done.stderr)
                self.assertIn("--help for more information", done.stderr)

    def test_a_configuration_without_its_option(self):
        done = run("serve", "my.yaml")
        self.assertEqual(done.returncode, 2)
        self.assertIn("unknown argument 'my.yaml'; a configuration is named with -c: -c my.yaml", done.stderr)
        self.assertIn("unknown command 'creat'; did you mean \"create\"?", run("token", "creat").stderr)

    def test_a_kind_is_suggested(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write("upstreams: { a: { kind: stido, command: x } }\n")
            file.flush()
            self.assertIn('did you mean "stdio"?', run("check", file.name).stderr)

    def test_a_client_is_suggested(self):
        done = run("connect", "cursr")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn('did you mean "cursor"?', done.stderr)

    def test_imported_upstreams_as_json(self):
        done = run("import", "-", "--json", stdin="calculator:stdio://python3 calc_server.py")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("calculator", json.loads(done.stdout)["upstreams"])
        self.assertIn("error", json.loads(run("import", "/nonexistent.json", "--json").stderr))

    def test_errors_as_json(self):
        for args, code, part in (
            (["tools", "http://127.0.0.1:1/mcp", "--json"], 1, "127.0.0.1:1"),
            (["tools", "--json", "--tiemout", "3"], 2, "--timeout"),
            (["audit", "--json", "--since", "soon"], 2, "soon"),
            (["remove", "x", "--json", "-c", "/nonexistent.yaml"], 3, "/nonexistent.yaml"),
        ):
            with self.subTest(args):
                done = run(*args)
                self.assertEqual(done.returncode, code)
                self.assertIn(part, json.loads(done.stderr)["error"]["message"])

    def test_an_error_is_a_line_that_names_the_program(self):
        done = run("token", "revoke", "x", "--file", "/nonexistent/tokens")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^patchbay: .*/nonexistent/tokens.*\n$")

    def test_check_as_json(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write("listen: 127.0.0.1:0\n")
            file.flush()
            self.assertEqual(json.loads(run("check", "--json", file.name).stdout), {"ok": True, "warnings": []})
            file.write("lisen: x\n")
            file.flush()
            (fault,) = json.loads(run("check", "--json", file.name).stderr)["error"]["faults"]
            self.assertEqual((fault["line"], fault["path"]), (2, "lisen"))

    def test_times_have_one_notation(self):
        for time in ("5s", "1m30s", "5"):
            done = run("tools", "http://127.0.0.1:1/mcp", "--timeout", time)
            self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("such as 30s", run("tools", "--timeout", "soon").stderr)
        done = run("audit", "--since", "7d", "--database", "/nonexistent")
        self.assertIn("/nonexistent", done.stderr)

    def test_syntax_errors_have_a_cause(self):
        for name, text, message in (
            ("a.yaml", "upstreams:\n\ta: x\n", ":2: invalid YAML: "),
            ("a.yaml", "upstreams:\n\ta: x\n", "a tab; YAML is indented with spaces"),
            ("a.json", '{\n  "listen": "x",,\n}\n', ":3: invalid JSON: a key is expected (column 1; a comma too many)"),
            ("a.json", '{"listen": True}', "(column 12; JSON has true, false and null, in small letters)"),
            ("a.toml", '[mcp_servers.a]\ncommand = x\n', ":2: invalid TOML: "),
            ("a.toml", '[mcp_servers.a]\ncommand = x\n', "; a text needs quotes)"),
            ("a.yaml", 'listen: "C:\\x"\n', "double the backslash"),
            ("a.yaml", "upstreams:\n  a:\n  kind: builtin\n", "check the indentation of the lines below"),
        ):
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder, name)
                path.write_text(text, encoding="utf-8")
                self.assertIn(message, run("check", str(path)).stderr)

    def test_what_a_file_says_stays_on_its_line(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "a.json")
            path.write_text('{"mcpServers": {"a\\u001b[31m": {"command": "C:\\new"}}}', encoding="utf-8")
            done = run("check", str(path))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("\x1b", done.stderr)
        self.assertTrue(all(line.startswith("warning: ") for line in done.stderr.splitlines()), done.stderr)


class Generated(TestCase):
    def completed(self, *args):
        script = 'source <("$0" completion bash); COMP_WORDS=(patchbay "$@"); COMP_CWORD=$#; _patchbay; printf "%s\\n" "${COMPREPLY[@]}"'
        done = subprocess.run(["bash", "-c", script, BINARY, *args], env=clean_environment(), capture_output=True,
                              text=True, check=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash(self):
        self.assertEqual(self.completed("to"), ["tools", "token", "top"])
        self.assertEqual(self.completed("token", "cr"), ["create"])
        self.assertIn("--role", self.completed("token", "create", "ann", "--"))
        self.assertEqual(self.completed("serve", "--log-level", "w"), ["warn"])
        self.assertEqual(self.completed("connect", "c"), ["claude-desktop", "claude-code", "cursor", "codex", "cline"])
        self.assertEqual(self.completed("serve", "-c", ""), [])

    def test_help_takes_commands(self):
        self.assertEqual(self.completed("help", "to"), ["tools", "token", "top"])
        self.assertEqual(self.completed("help", "token", "cr"), ["create"])

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh(self):
        # As zsh calls it for a completion that is written for bash: with the rules of sh.
        script = (
            'autoload -Uz compinit; compinit -u -D; source <("$0" completion zsh); COMP_WORDS=(patchbay "$@"); '
            'COMP_CWORD=$#; compgen() { print -r -- "$2"; }; run() { emulate -L sh; _patchbay; }; run; '
            'print -rl -- "${COMPREPLY[@]}"'
        )
        for args, wanted in ((("",), "status"), (("token", ""), "create"), (("connect", ""), "cursor")):
            done = subprocess.run(["zsh", "-f", "-c", script, BINARY, *args], env=clean_environment(),
                                  capture_output=True, text=True, check=True)
            self.assertEqual(done.stderr, "")
            self.assertIn(wanted, done.stdout.split())

    def test_every_shell_gets_every_command(self):
        listed = self.completed("")
        self.assertGreater(len(listed), 25)
        for shell in ("bash", "zsh", "fish"):
            script = run("completion", shell).stdout
            for name in listed:
                self.assertIn(name.lstrip("-"), script)
        self.assertEqual(run("completion", "tcsh").returncode, 2)

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh_without_its_own_completion(self):
        with tempfile.TemporaryDirectory() as home:
            done = subprocess.run(["zsh", "-f", "-c", 'source <("$0" completion zsh); echo $_comps[patchbay]', BINARY],
                                  env=clean_environment(HOME=home), capture_output=True, text=True, timeout=60)
        self.assertNotIn("compdef", done.stderr)
        self.assertTrue(done.stdout.strip(), done.stderr)

    def test_as_json(self):
        table = json.loads(run("help", "--json").stdout)
        self.assertEqual(table["command"], "patchbay")
        self.assertIn("patchbay token create", json.dumps(table))
        connect = json.loads(run("help", "--json", "connect").stdout)
        client = next(option for option in connect["options"] if option["positional"])
        self.assertIn("cursor", client["choices"])
        self.assertEqual(json.loads(run("completion", "bash", "--json").stdout)["script"],
                         run("completion", "bash").stdout)
        self.assertEqual(json.loads(run("man", "--json").stdout)["page"], run("man").stdout)
        self.assertIn("did you mean", json.loads(run("help", "hlep", "--json").stderr)["error"]["message"])

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish(self):
        subprocess.run(["fish", "-n"], input=run("completion", "fish").stdout, text=True, check=True)
        script = "$argv[1] completion fish | source; complete -C $argv[2]"
        for line, wanted in (
            ("patchbay connect curs", "cursor"),
            ("patchbay completion z", "zsh"),
            ("patchbay help toke", "token"),
            ("patchbay token cr", "create"),
        ):
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run(["fish", "--no-config", "-c", script, BINARY, line], capture_output=True,
                                      text=True, check=True, cwd=folder, env={**clean_environment(), "HOME": folder})
            self.assertEqual([one.split("\t")[0] for one in done.stdout.splitlines()], [wanted])

    def test_the_manual_is_correct_troff(self):
        page = run("man").stdout
        for name in ("serve", "connect", "token create"):
            self.assertIn(f"\\fBpatchbay {name}\\fR", page)
        if not shutil.which("groff"):
            self.skipTest("groff is not installed")
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z"], input=page, text=True,
                              capture_output=True, check=True)
        self.assertEqual(done.stderr, "")
        self.assertTrue(page.isascii())
        if shutil.which("mandoc"):
            done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning"], input=page, text=True,
                                  capture_output=True, check=False)
            self.assertEqual(done.stdout, "")


class Content(TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="patchbay-test-")))
        self.stub = self.enterContext(StubServer())
        tool = {"name": "t", "inputSchema": {"type": "object"}}
        self.stub.on["tools/list"] = lambda exchange: exchange.result({"tools": [tool]})

    def answer(self, *content):
        self.stub.on["tools/call"] = lambda exchange: exchange.result({"content": list(content)})

    def test_images_go_to_a_file(self):
        image = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
        self.answer({"type": "text", "text": "two"}, image, image)
        file = self.folder / "x.png"
        done = run("call", self.stub.url, "t", "-o", str(file))
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertEqual(file.read_bytes(), b"\x89PNG\r\n\x1a\n")
        self.assertEqual((self.folder / "x-2.png").read_bytes(), b"\x89PNG\r\n\x1a\n")

    def test_text_goes_to_a_file(self):
        self.answer({"type": "text", "text": "hello"})
        run("call", self.stub.url, "t", "-o", str(self.folder / "x.txt"))
        self.assertEqual((self.folder / "x.txt").read_text(), "hello\n")

    def test_output_that_is_no_file(self):
        self.answer({"type": "text", "text": "hello"})
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True) as reader:
            done = run("call", self.stub.url, "t", "-o", str(pipe))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(reader.communicate(timeout=TIMEOUT)[0], "hello\n")
        self.assertTrue(pipe.is_fifo())
        self.assertEqual(run("call", self.stub.url, "t", "-o", "-").stdout, "hello\n")
        self.assertEqual([path.name for path in self.folder.iterdir()], ["pipe"])

    def test_nothing_to_write(self):
        self.answer()
        done = run("call", self.stub.url, "t", "-o", str(self.folder / "x"))
        self.assertEqual(done.returncode, 1)
        self.assertEqual(os.listdir(self.folder), [])

    def test_empty_lists(self):
        self.stub.on["tools/list"] = lambda exchange: exchange.result({"tools": []})
        done = run("tools", self.stub.url)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertIn("no tools", done.stderr)
        done = run("pins", "list", "--state", str(self.folder))
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertIn("no tool has been pinned", done.stderr)


class Names(TestCase):
    def test_a_tool_and_an_upstream_are_suggested(self):
        with Gateway(fake_config()) as gateway:
            done = run("call", gateway.url, "fake__ehco", "text=x")
            self.assertEqual(done.returncode, 5)
            self.assertIn("there is no tool 'fake__ehco'; did you mean \"fake__echo\"?", done.stderr)
            done = run("remove", "fkae", "-c", str(gateway.config_path))
            self.assertEqual(done.returncode, 5)
            self.assertIn("did you mean \"fake\"?", done.stderr)


class Arguments(TestCase):
    def test_from_a_file_and_from_stdin(self):
        with Gateway(fake_config()) as gateway, tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(' {"a": 2, "b": 3}\n')
            file.flush()
            self.assertEqual(run("call", gateway.url, "fake__add", f"@{file.name}").stdout.strip(), "5")
            done = run("call", gateway.url, "fake__add", "-", stdin='{"a": 4, "b": 5}\n')
            self.assertEqual(done.stdout.strip(), "9", done.stderr)
            for bad in ("@/nonexistent", "@/dev/null"):
                self.assertEqual(run("call", gateway.url, "fake__add", bad).returncode, 2)
            self.assertEqual(run("call", gateway.url, "fake__add", "-", stdin="[1]").returncode, 2)


main()
