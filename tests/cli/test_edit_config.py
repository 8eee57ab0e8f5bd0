"""init, add and remove: commands that write the configuration."""

import json
import os
import pathlib
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import FAKE_SERVER, Gateway, TestCase, main, run, wait_until

FILE = """# mine
listen: 127.0.0.1:0
upstreams:
  # the first
  a: { kind: builtin }   # built in

# about rules
rules:
  - role: local
    allow: ["*"]
"""


class EditCase(TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="patchbay-test-")))
        self.file = self.folder / "patchbay.yaml"

    def run_here(self, *args, code=0):
        done = run(*args, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def write(self, text, name="patchbay.yaml"):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o640)
        return path


class Init(EditCase):
    def test_the_file_is_valid_and_serves(self):
        self.run_here("init")
        self.assertEqual(self.run_here("check", "patchbay.yaml").stdout, "ok\n")
        self.assertIn("# ", self.file.read_text())
        with Gateway(args=("-c", str(self.file)), cwd=self.folder) as gateway:
            answer = run("call", gateway.url, "skills__calculate", "expression=6*7")
            self.assertEqual(answer.stdout.strip(), "42")

    def test_an_existing_file_stays(self):
        self.write("listen: 127.0.0.1:0\n")
        done = self.run_here("init", code=3)
        self.assertIn("exists", done.stderr)
        self.assertEqual(self.file.read_text(), "listen: 127.0.0.1:0\n")

    def test_another_name(self):
        self.assertEqual(json.loads(self.run_here("init", "gate.yaml", "--json").stdout), {"file": "gate.yaml"})
        self.run_here("check", "gate.yaml")


class Add(EditCase):
    def test_a_command_keeps_comments_and_order(self):
        self.write(FILE)
        self.run_here("add", "b", "--env", "K=v", "--", "python3", "-S", "x y.py")
        self.assertEqual(self.file.read_text(), FILE.replace("# built in\n", """# built in
  b:
    kind: stdio
    command: python3
    args: ["-S", "x y.py"]
    env:
      K: v
"""))
        self.assertEqual(self.file.stat().st_mode & 0o777, 0o640)
        self.assertEqual(os.listdir(self.folder), ["patchbay.yaml"])

    def test_options_of_the_command_need_no_marker(self):
        self.write(FILE)
        self.run_here("add", "b", "python3", "-c", "pass", "--json")
        self.assertIn('args: ["-c", pass, "--json"]', self.file.read_text())

    def test_a_url(self):
        self.write(FILE)
        self.run_here("add", "far", "https://example.com/mcp", "--header", "X-Key=1")
        self.run_here("add", "near", "tcp://127.0.0.1:9")
        text = self.file.read_text()
        self.assertIn('  far:\n    kind: http\n    url: "https://example.com/mcp"\n    headers:\n      X-Key: "1"\n', text)
        self.assertIn("  near:\n    kind: tcp\n", text)

    def test_a_running_gateway_offers_it(self):
        self.write(FILE)
        with Gateway(args=("-c", str(self.file)), cwd=self.folder) as gateway:
            self.run_here("add", "fake", "--", sys.executable, "-S", FAKE_SERVER)
            wait_until(lambda: "fake__echo" in run("tools", gateway.url).stdout, "the tools of the upstream")

    def test_what_is_refused_changes_nothing(self):
        self.write(FILE)
        cases = [
            (("a", "--", "x"), 3, "already an upstream 'a'"),
            (("b",), 2, "which server?"),
            (("no good", "--", "x"), 3, "letters, digits"),
            (("b", "gopher://x"), 2, "an endpoint begins with one of"),
            (("b", "--env", "novalue", "--", "x"), 2, "not NAME=VALUE"),
            (("b", "--env", "A=1", "http://x/mcp"), 2, "--env is for a command"),
            (("b", "--header", "A=1", "--", "x"), 2, "--header is for a URL"),
            (("b", "--", "x", "${env:NOT_SET_ANYWHERE}"), 3, "NOT_SET_ANYWHERE"),
        ]
        for args, code, message in cases:
            with self.subTest(args):
                self.assertIn(message, self.run_here("add", *args, code=code).stderr)
                self.assertEqual(self.file.read_text(), FILE)
                self.assertEqual(os.listdir(self.folder), ["patchbay.yaml"])

    def test_earlier_faults_do_not_matter(self):
        text = FILE + "state: ${env:NOT_SET_ANYWHERE}\n"
        self.write(text)
        self.run_here("add", "b", "--", "x")
        self.assertIn("  b:\n", self.file.read_text())

    def test_without_a_file(self):
        self.assertIn("patchbay init", self.run_here("add", "b", "--", "x", code=3).stderr)

    def test_flow_style_is_left_to_people(self):
        self.write("upstreams: { a: { kind: builtin } }\n")
        self.assertIn("by hand", self.run_here("add", "b", "--", "x", code=3).stderr)

    def test_dry_run(self):
        self.write(FILE)
        done = self.run_here("add", "b", "--dry-run", "--", "x")
        self.assertIn("\n+  b:\n+    kind: stdio\n+    command: x\n", done.stdout)
        self.assertEqual(self.file.read_text(), FILE)

    def test_the_file_of_a_desktop_client(self):
        path = self.write('{\n  "mcpServers": {\n    "a": {"command": "x"}\n  },\n  "theme": "dark"\n}\n', "c.json")
        self.run_here("add", "b", "-c", "c.json", "--", "y", "1")
        self.run_here("add", "far", "-c", "c.json", "http://127.0.0.1:9/mcp")
        servers = json.loads(path.read_text())["mcpServers"]
        self.assertEqual(servers["b"], {"command": "y", "args": ["1"]})
        self.assertEqual(servers["far"], {"url": "http://127.0.0.1:9/mcp"})
        self.run_here("remove", "a", "-c", "c.json")
        self.assertEqual(list(json.loads(path.read_text())["mcpServers"]), ["b", "far"])


class Remove(EditCase):
    def test_what_was_added(self):
        self.write(FILE)
        self.run_here("add", "b", "--", "x")
        self.assertEqual(json.loads(self.run_here("remove", "b", "--json").stdout)["removed"], "b")
        self.assertEqual(self.file.read_text(), FILE)

    def test_the_last(self):
        self.write(FILE)
        self.run_here("remove", "a")
        self.assertEqual(self.run_here("check", "patchbay.yaml").stdout, "ok\n")
        self.assertIn("upstreams: {}\n", self.file.read_text())

    def test_unknown(self):
        self.write(FILE)
        self.assertIn("no upstream 'z'", self.run_here("remove", "z", code=5).stderr)

    def test_an_item_of_a_list(self):
        self.write("servers: [ 'a:stdio://x' ]\n")
        self.assertIn("by hand", self.run_here("remove", "a", code=3).stderr)


main()
