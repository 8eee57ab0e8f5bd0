"""Changes of the configuration over the network (console.edit): what is written and reloaded, and
everything that is refused, after which the file is as before."""

import json
import os
import pathlib
import stat
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../lib")

from auth_case import bearer
from control_case import ADMIN, ANN, RULES, TOKENS, ControlCase, page
from harness import FAKE_SERVER, Background, Gateway, main, wait_until

SECRET = "sesame-open-0123456789"
FILE = f"""# Written by hand.
listen: 127.0.0.1:0
console: {{ edit: true }}
auth:
  tokens:
    - {{ name: root, token: {ADMIN}, roles: [admin] }}
    - {{ name: ann, token: {ANN}, roles: [reader] }}
rules: {json.dumps(RULES)}
reload: {{ stable_interval: 20ms }}
audit: {{ file: AUDIT }}
stdio: {{ allowed_commands: [ALLOWED, {sys.executable}] }}
upstreams:
  fake:
    kind: stdio
    command: {sys.executable}
    args: [{FAKE_SERVER}]
    env: {{ API_KEY: {SECRET} }}
limits:
  max_calls: 77  # Enough for now.
"""


class Edits(ControlCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.file = self.folder / "patchbay.yaml"
        self.audit = self.folder / "audit.jsonl"
        self.allowed = self.folder / "server"
        self.allowed.write_text(f'#!/bin/sh\nexec {sys.executable} {FAKE_SERVER}\n', encoding="utf-8")
        self.allowed.chmod(0o755)

    def start(self, text=FILE):
        text = text.replace("AUDIT", str(self.audit)).replace("ALLOWED", str(self.allowed))
        self.file.write_text(text, encoding="utf-8")
        self.file.chmod(0o640)
        return self.enterContext(Gateway(None, args=["-c", str(self.file)]))

    def text(self, gateway):
        """The text for an editor, and its version."""
        response = page(gateway, "configuration/file", ADMIN)
        self.assertEqual(response.status, 200, response.body)
        shown = response.json()
        self.assertEqual(response.headers["etag"], f'"{shown["etag"]}"')
        return shown["text"], shown["etag"]

    def put(self, gateway, text, tag, status, token=ADMIN, query=""):
        fields = {**bearer(token), "Content-Type": "text/plain"}
        if tag is not None:
            fields["If-Match"] = f'"{tag}"'
        with gateway.connect() as connection:
            path = "/control/v1/configuration/file" + query
            response = connection.request("PUT", path, fields, text.encode())
        self.assertEqual(response.status, status, response.body)
        return response.json()

    def change(self, gateway, part, by, status, **more):
        text, tag = self.text(gateway)
        self.assertIn(part, text)
        return self.put(gateway, text.replace(part, by, 1), tag, status, **more)

    def setting(self, gateway, path):
        settings = self.ask(gateway, "configuration", ADMIN)["settings"]
        return next((one["value"] for one in settings if one["path"] == path), None)

    def assert_unchanged(self, gateway, part, by, status, **more):
        before = self.file.read_bytes()
        answer = self.change(gateway, part, by, status, **more)
        self.assertEqual(self.file.read_bytes(), before)
        self.assertEqual(self.leftovers(), [])
        return answer

    def records(self):
        """Of the audit, which is written in the background."""
        lines = self.audit.read_text(encoding="utf-8").splitlines() if self.audit.exists() else []
        found = [one for one in map(json.loads, lines) if one.get("event") == "configuration"]
        return [(one["method"], one["name"], one["outcome"]) for one in found]

    def leftovers(self):
        return [name.name for name in self.folder.iterdir() if name.name.startswith(".new")]


class Applied(Edits):
    def test_the_file_is_written_and_used(self):
        gateway = self.start()
        group = 12345 if os.geteuid() == 0 else os.stat(self.file).st_gid
        os.chown(self.file, -1, group)
        before = self.file.read_text(encoding="utf-8")
        answer = self.change(gateway, "max_calls: 77  # Enough", "max_calls: 78  # Still enough", 200)
        self.assertEqual((answer["outcome"], answer["changes"]), ("applied", ["limits.max_calls"]))
        self.assertEqual(self.setting(gateway, "limits.max_calls"), "78")
        after = self.file.read_text(encoding="utf-8")
        self.assertEqual(after, before.replace("max_calls: 77  # Enough", "max_calls: 78  # Still enough"))
        self.assertEqual(pathlib.Path(answer["backup"]).read_text(encoding="utf-8"), before)
        for name in (self.file, answer["backup"]):
            self.assertEqual((stat.S_IMODE(os.stat(name).st_mode), os.stat(name).st_gid), (0o640, group))
        self.assertEqual(self.leftovers(), [])
        self.assertEqual(answer["etag"], self.text(gateway)[1])
        reloads = self.ask(gateway, "configuration", ADMIN)["reloads"]
        self.assertEqual(len(reloads), 1)
        self.assertIn("in the console by root", reloads[0]["why"])
        wait_until(lambda: self.records() == [("apply", "root", "ok")], "the record")

    def test_no_secret_is_shown_and_each_stays(self):
        gateway = self.start()
        text, _ = self.text(gateway)
        for secret in (SECRET, ADMIN, ANN):
            self.assertNotIn(secret, text)
        self.change(gateway, "env:", "timeout: 9s\n    env:", 200)
        self.assertIn(SECRET, self.file.read_text(encoding="utf-8"))
        self.assertEqual(self.setting(gateway, "upstreams.fake.timeout"), "9s")

    def test_a_comment_is_written_too(self):
        gateway = self.start()
        answer = self.change(gateway, "# Written by hand.", "# Written by ann.", 200)
        self.assertEqual((answer["outcome"], answer["changes"]), ("unchanged", []))
        self.assertIn("# Written by ann.", self.file.read_text(encoding="utf-8"))
        self.assertIn("by ann", self.ask(gateway, "configuration", ADMIN)["text"])

    def test_an_upstream_with_a_url_and_an_allowed_program_are_added(self):
        gateway = self.start()
        self.change(gateway, "  fake:\n", "  far: { kind: http, url: 'http://127.0.0.1:9/mcp' }\n  fake:\n", 200)
        names = [one["name"] for one in self.ask(gateway, "upstreams", ADMIN)["upstreams"]]
        self.assertEqual(sorted(names), ["fake", "far"])
        self.change(gateway, "  fake:\n", f"  more: {{ command: {self.allowed} }}\n  fake:\n", 200)
        wait_until(lambda: self.ask(gateway, "upstreams/more", ADMIN)["state"] == "up", "the program")

    def test_a_reload_that_takes_longer(self):
        slow = FILE.replace("stable_interval: 20ms", "stable_interval: 500ms")
        gateway = self.start(slow.replace("edit: true", "edit: true, apply_timeout: 10ms"))
        text, tag = self.text(gateway)
        text = text.replace("max_calls: 77", "max_calls: 78")
        # The first reload, at the start, has to end.
        answer = wait_until(lambda: self.put_if_idle(gateway, text, tag), "the gateway to be idle")
        self.assertEqual(answer["outcome"], "applying")
        wait_until(lambda: self.setting(gateway, "limits.max_calls") == "78", "the reload")

    def put_if_idle(self, gateway, text, tag):
        fields = {**bearer(ADMIN), "If-Match": f'"{tag}"'}
        with gateway.connect() as connection:
            response = connection.request("PUT", "/control/v1/configuration/file", fields, text.encode())
        return None if response.status == 429 else response.json()

    def test_a_check_writes_nothing(self):
        gateway = self.start()
        answer = self.assert_unchanged(gateway, "max_calls: 77", "max_calls: 78", 200, query="?check=true")
        self.assertEqual((answer["outcome"], answer["changes"]), ("permitted", ["limits.max_calls"]))
        self.assertEqual(self.ask(gateway, "configuration", ADMIN)["reloads"], [])


class Refused(Edits):
    def test_it_is_off_by_default(self):
        gateway = self.start(FILE.replace("console: {{ edit: true }}", "").replace("console: { edit: true }", ""))
        refused = page(gateway, "configuration/file", ADMIN)
        self.assertEqual(refused.status, 403)
        self.assertIn("console.edit", refused.json()["error"])
        self.assertIn("console.edit", self.put(gateway, "", "x", 403)["error"])
        self.assertFalse(self.ask(gateway, "configuration", ADMIN)["edit"])

    def test_only_admins(self):
        gateway = self.start()
        self.assertEqual(page(gateway, "configuration/file", ANN).status, 403)
        text, tag = self.text(gateway)
        self.assertIn("admin", self.put(gateway, text, tag, 403, token=ANN)["error"])

    def test_a_version_must_be_named_and_current(self):
        gateway = self.start()
        text, tag = self.text(gateway)
        self.assertIn("If-Match", self.put(gateway, text, None, 428)["error"])
        self.change(gateway, "max_calls: 77", "max_calls: 78", 200)
        stale = self.put(gateway, text.replace("max_calls: 77", "max_calls: 79"), tag, 412)
        self.assertIn("read it again", stale["error"])
        self.assertIn("max_calls: 78", self.file.read_text(encoding="utf-8"))

    def test_nothing_that_runs_reads_or_lets_in(self):
        gateway = self.start()
        cases = {
            "upstreams.evil": ("  fake:\n", "  evil: { command: touch, args: [/tmp/x] }\n  fake:\n"),
            "upstreams.fake.args": (f"args: [{FAKE_SERVER}]", "args: [-c, 'import os']"),
            "upstreams.fake.env.PATH": ("env: {", "env: { PATH: /tmp,"),
            "upstreams.fake.cwd": ("    env:", "    cwd: /tmp\n    env:"),
            "upstreams.far.tls.ca": ("  fake:\n", "  far: { kind: http, url: 'https://x.example', tls: { ca: x } }\n  fake:\n"),
            "upstreams.far.headers.X": (
                "  fake:\n", "  far: { kind: http, url: 'https://x.example', headers: { X: '${env:HOME}' } }\n  fake:\n"
            ),
            "console.edit": ("console: { edit: true }", "console: { edit: false }"),
            "auth.tokens": ("roles: [reader] }", "roles: [admin] }"),
            "stdio.allowed_commands": ("allowed_commands: [", "allowed_commands: [sh, "),
            "listen": ("listen: 127.0.0.1:0", "listen: 127.0.0.1:1"),
            "audit.file": ("audit: { file: ", "audit: { file: /tmp"),
            "reload.allow_weaker": ("stable_interval: 20ms", "stable_interval: 20ms, allow_weaker: true"),
        }
        for path, (part, by) in cases.items():
            with self.subTest(path):
                answer = self.assert_unchanged(gateway, part, by, 403)
                self.assertEqual(answer["outcome"], "not_allowed")
                self.assertIn(path, [fault["path"] for fault in answer["faults"]])
                self.assertTrue("patchbay add" in answer["error"] or "edit " in answer["error"], answer)
        self.assertEqual(self.ask(gateway, "configuration", ADMIN)["reloads"], [])
        wait_until(lambda: self.records() == [("apply", "root", "forbidden")] * len(cases), "the records")

    def test_a_mask_that_was_moved(self):
        gateway = self.start()
        answer = self.assert_unchanged(
            gateway, "  fake:\n", "  far: { kind: http, url: 'http://x.example', headers: { X: '<secret>' } }\n  fake:\n", 403
        )
        self.assertIn("stands for a secret", answer["error"])
        self.assertNotIn(SECRET, json.dumps(answer))

    def test_a_text_with_faults(self):
        gateway = self.start()
        answer = self.assert_unchanged(gateway, "max_calls: 77", "max_calls: many", 400)
        self.assertEqual(answer["faults"][0]["path"], "limits.max_calls")
        # One that only the loader finds.
        answer = self.assert_unchanged(gateway, "limits:", "ready: { required_upstreams: [nobody] }\nlimits:", 400)
        self.assertIn("nobody", answer["faults"][0]["message"])
        self.assert_unchanged(gateway, "limits:", "limits: [", 400)

    def test_what_the_gateway_would_not_reload(self):
        gateway = self.start()
        answer = self.assert_unchanged(gateway, "rules:", "# rules:", 409)
        self.assertEqual(answer["outcome"], "refused")
        self.assertIn("rules", answer["error"])
        self.assertEqual(page(gateway, "status", ANN).status, 200)

    def test_a_reload_that_is_refused_after_all(self):
        named = self.folder / "key"
        named.write_text("a-key", encoding="utf-8")
        text = FILE.replace("stable_interval: 20ms", "stable_interval: 1s")
        gateway = self.start(text.replace("env: {", f"env: {{ MORE: '${{file:{named}}}',"))
        before = self.file.read_text(encoding="utf-8")
        answer = Background(lambda: self.change(gateway, "max_calls: 77", "max_calls: 78", 409))
        # Between the check and the reload, a file that the configuration names goes.
        wait_until(lambda: "max_calls: 78" in self.file.read_text(encoding="utf-8"), "the new file")
        named.unlink()
        answer = answer.result()
        self.assertEqual(answer["outcome"], "refused")
        self.assertIn("as before", answer["error"])
        self.assertEqual(self.file.read_text(encoding="utf-8"), before)
        self.assertEqual(self.setting(gateway, "limits.max_calls"), "77")

    def test_a_file_that_cannot_be_replaced(self):
        gateway = self.start()
        self.file.chmod(0o440)
        answer = self.assert_unchanged(gateway, "max_calls: 77", "max_calls: 78", 409)
        self.assertIn("read-only", answer["error"])
        # As a ConfigMap has it.
        self.file.chmod(0o640)
        target = self.folder / "..data"
        target.mkdir()
        self.file.rename(target / "patchbay.yaml")
        self.file.symlink_to("..data/patchbay.yaml")
        refused = page(gateway, "configuration/file", ADMIN)
        self.assertEqual(refused.status, 503)
        self.assertIn("symbolic link", refused.json()["error"])
        self.assertIn("symbolic link", self.put(gateway, "", "x", 409)["error"])
        self.assertTrue(self.file.is_symlink())

    def test_a_text_that_is_too_large(self):
        gateway = self.start()
        self.put(gateway, "#" * (256 * 1024 + 1), "x", 413)


if __name__ == "__main__":
    main()
