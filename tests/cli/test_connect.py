"""`patchbay connect`: the file of each client, what stays in it, and that the entry works."""

import json
import pathlib
import sys
import tempfile
import tomllib

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import BINARY, Gateway, StdioFrontend, TestCase, fake_config, main, run

URL = "http://127.0.0.1:7/mcp"
ROUTER = {"command": BINARY, "args": ["router", "--gateway", "ws://127.0.0.1:7/mcp"]}
BEARER = "Bearer {}"

# client, file, section, entry, entry with a token
CLIENTS = [
    ("claude-desktop", ".config/Claude/claude_desktop_config.json", "mcpServers", ROUTER, ROUTER),
    ("claude-code", ".claude.json", "mcpServers", {"type": "http", "url": URL},
     {"type": "http", "url": URL, "headers": {"Authorization": "Bearer ${PATCHBAY_TOKEN}"}}),
    ("cursor", ".cursor/mcp.json", "mcpServers", {"url": URL},
     {"url": URL, "headers": {"Authorization": "Bearer ${env:PATCHBAY_TOKEN}"}}),
    ("vscode", ".config/Code/User/mcp.json", "servers", {"type": "http", "url": URL},
     {"type": "http", "url": URL, "headers": {"Authorization": "Bearer ${env:PATCHBAY_TOKEN}"}}),
    ("gemini", ".gemini/settings.json", "mcpServers", {"httpUrl": URL},
     {"httpUrl": URL, "headers": {"Authorization": "Bearer $PATCHBAY_TOKEN"}}),
    ("windsurf", ".codeium/windsurf/mcp_config.json", "mcpServers", {"serverUrl": URL},
     {"serverUrl": URL, "headers": {"Authorization": "Bearer ${env:PATCHBAY_TOKEN}"}}),
    ("zed", ".config/zed/settings.json", "context_servers", {"url": URL}, ROUTER),
    ("codex", ".codex/config.toml", "mcp_servers", {"url": URL},
     {"url": URL, "bearer_token_env_var": "PATCHBAY_TOKEN"}),
    ("cline", ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
     "mcpServers", {"type": "streamableHttp", "url": URL}, ROUTER),
    ("opencode", ".config/opencode/opencode.json", "mcp", {"type": "remote", "url": URL, "enabled": True},
     {"type": "remote", "url": URL, "enabled": True, "headers": {"Authorization": "Bearer {env:PATCHBAY_TOKEN}"}}),
]


class Connect(TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="patchbay-test-")))

    def connect(self, *args, code=0):
        done = run("connect", *args, cwd=self.folder, env={"HOME": str(self.folder)})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def read(self, name):
        text = (self.folder / name).read_text(encoding="utf-8")
        return tomllib.loads(text) if name.endswith(".toml") else json.loads(text)

    def test_each_client(self):
        for client, file, section, entry, with_token in CLIENTS:
            with self.subTest(client):
                done = self.connect(client, "--url", URL)
                self.assertIn(file, done.stdout)
                self.assertEqual(self.read(file), {section: {"patchbay": entry}})
                self.assertFalse((self.folder / (file + ".bak")).exists())
                self.assertIn("connected already", self.connect(client, "--url", URL).stdout)
                self.connect(client, "--url", URL, "--auth")
                self.assertEqual(self.read(file), {section: {"patchbay": with_token}})

    def test_comments_and_other_entries_stay(self):
        file = self.folder / "settings.json"
        before = '// mine\n{\n\t"theme": "dark", // x\n\t"context_servers": {\n\t\t"a": {"command": "a"},\n\t},\n}\n'
        file.write_text(before, encoding="utf-8")
        self.connect("zed", "--url", URL, "--file", str(file))
        self.assertEqual(file.read_text(encoding="utf-8"), before.replace(
            '"a"},\n', f'"a"}},\n\t\t"patchbay": {{\n\t\t\t"url": "{URL}"\n\t\t}}\n'))
        self.assertEqual((self.folder / "settings.json.bak").read_text(encoding="utf-8"), before)

    def test_codex_tables_stay(self):
        file = self.folder / "config.toml"
        before = '# mine\nmodel = "m"\n\n[mcp_servers.a]\ncommand = "a"\n'
        file.write_text(before, encoding="utf-8")
        self.connect("codex", "--url", URL, "--file", str(file))
        self.assertEqual(file.read_text(encoding="utf-8"),
                         before + f'\n[mcp_servers.patchbay]\nurl = "{URL}"\n')

    def test_dry_run_shows_and_writes_nothing(self):
        done = self.connect("cursor", "--url", URL, "--dry-run")
        self.assertIn(f'+      "url": "{URL}"\n', done.stdout)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_project(self):
        self.connect("claude-code", "--url", URL, "--project")
        self.assertIn("patchbay", self.read(".mcp.json")["mcpServers"])
        self.assertIn("no file for a project", self.connect("cline", "--project", code=2).stderr)

    def test_the_address_and_auth_come_from_the_configuration(self):
        (self.folder / "patchbay.yaml").write_text(
            "listen: 127.0.0.1:4711\nauth: { tokens: [{ name: me, token: 0123456789abcdef0123456789abcdef }] }\n")
        self.connect("cursor")
        self.assertEqual(self.read(".cursor/mcp.json")["mcpServers"]["patchbay"], {
            "url": "http://127.0.0.1:4711/mcp", "headers": {"Authorization": "Bearer ${env:PATCHBAY_TOKEN}"}})

    def test_a_broken_file_stays(self):
        file = self.folder / "mcp.json"
        file.write_text('{"mcpServers": [}', encoding="utf-8")
        done = self.connect("cursor", "--url", URL, "--file", str(file), code=1)
        self.assertIn("line 1, column", done.stderr)
        self.assertEqual(file.read_text(encoding="utf-8"), '{"mcpServers": [}')

    def connect_file(self, client, before, code=0):
        """Connects the client whose file has this content; what it has then."""
        file = self.folder / "file"
        file.write_bytes(before)
        done = self.connect(client, "--url", URL, "--file", str(file), code=code)
        return file.read_bytes(), done.stderr

    def test_a_byte_order_mark_and_line_ends_of_windows_stay(self):
        before = b'\xef\xbb\xbf{\r\n  "mcpServers": {\r\n    "a": {"command": "a"}\r\n  }\r\n}\r\n'
        after, _ = self.connect_file("cursor", before)
        self.assertTrue(after.startswith(b"\xef\xbb\xbf{\r\n"))
        self.assertEqual(after.count(b"\n"), after.count(b"\r\n"))
        servers = json.loads(after.decode("utf-8-sig"))["mcpServers"]
        self.assertEqual(servers, {"a": {"command": "a"}, "patchbay": {"url": URL}})
        after, _ = self.connect_file("codex", b'[mcp_servers.a]\r\ncommand = "a"\r\n')
        self.assertEqual(after.count(b"\n"), after.count(b"\r\n"))
        self.assertEqual(tomllib.loads(after.decode())["mcp_servers"]["patchbay"], {"url": URL})

    def test_the_second_version_of_opencode(self):
        after, _ = self.connect_file("opencode", b'{"mcp": {"servers": {"a": {"type": "local", "command": ["a"]}}}}')
        self.assertEqual(json.loads(after)["mcp"]["servers"]["patchbay"], {"type": "remote", "url": URL})

    def test_a_section_that_is_null_is_filled(self):
        after, _ = self.connect_file("cursor", b'{"mcpServers": null}')
        self.assertEqual(json.loads(after), {"mcpServers": {"patchbay": {"url": URL}}})

    def test_what_cannot_be_edited_safely_stays(self):
        for before in (b'[mcp_servers]\npatchbay.url = "x"\n', b'mcp_servers = { a = { command = "x" } }\n'):
            after, errors = self.connect_file("codex", before, code=1)
            self.assertEqual(after, before)
            self.assertIn("by hand", errors)

    def test_a_file_that_is_read_only_stays(self):
        file = self.folder / "mcp.json"
        file.write_text("{}", encoding="utf-8")
        file.chmod(0o444)
        done = self.connect("cursor", "--url", URL, "--file", str(file), code=1)
        self.assertIn("is read-only; it was not changed", done.stderr)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["mcp.json"])

    def test_links_stay(self):
        for name in ("there", "not-yet"):
            target = self.folder / name
            if name == "there":
                target.write_text("{}", encoding="utf-8")
            link = self.folder / f"{name}.json"
            link.symlink_to(name)
            self.connect("cursor", "--url", URL, "--file", str(link))
            self.assertTrue(link.is_symlink())
            self.assertIn("patchbay", self.read(name)["mcpServers"])

    def test_as_json(self):
        done = json.loads(self.connect("cursor", "--url", URL, "--json").stdout)
        self.assertEqual((done["client"], done["backup"]), ("cursor", None))

    def start(self, entry):
        client = StdioFrontend([entry["command"], *entry["args"]], cwd=self.folder)
        self.enterContext(client)
        params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
        client.request({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
        client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        listed = client.request({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
        return [tool["name"] for tool in listed["result"]["tools"]]

    def test_the_command_for_claude_desktop_works(self):
        with Gateway(fake_config()) as gateway:
            self.connect("claude-desktop", "--url", gateway.url)
            servers = self.read(".config/Claude/claude_desktop_config.json")["mcpServers"]
            self.assertIn("fake__echo", self.start(servers["patchbay"]))

    def test_the_command_that_starts_a_gateway_works(self):
        run("init", cwd=self.folder)
        self.connect("claude-desktop", "--stdio")
        servers = self.read(".config/Claude/claude_desktop_config.json")["mcpServers"]
        self.assertIn("skills__calculate", self.start(servers["patchbay"]))


main()
