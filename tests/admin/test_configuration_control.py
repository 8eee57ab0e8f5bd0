"""The configuration in the control API: what is in force and where it comes from, without secrets;
the check of another text, which reads nothing; and what became of changes."""

import json
import os
import pathlib
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../lib")

from auth_case import bearer
from control_case import ADMIN, ANN, RULES, TOKENS, ControlCase, page
from harness import Gateway, fake, fake_config, main, wait_until

SECRET = "sesame-open-0123456789"


class Configurations(ControlCase):
    def config(self, **more):
        upstreams = {"fake": fake(env={"API_KEY": SECRET, "PLAIN": "${env:PATCHBAY_TEST_PLAIN}"})}
        return fake_config(upstreams, auth={"tokens": TOKENS}, rules=RULES, **more)

    def start(self, **more):
        return self.enterContext(Gateway(self.config(**more), env={"PATCHBAY_TEST_PLAIN": "hunter2"}))

    def shown(self, gateway):
        return self.ask(gateway, "configuration", ADMIN)

    def check(self, gateway, text, token=ADMIN, status=200):
        with gateway.connect() as connection:
            fields = {**bearer(token), "Content-Type": "text/plain"}
            response = connection.request("POST", "/control/v1/configuration/check", fields, text.encode())
        self.assertEqual(response.status, status, response.body)
        return response.json().get("faults")

    def test_each_setting_has_its_source(self):
        gateway = self.start(limits={"max_calls": 77})
        found = {one["path"]: one for one in self.shown(gateway)["settings"]}
        lines = gateway.config_path.read_text(encoding="utf-8").splitlines()
        one = found["limits.max_calls"]
        self.assertEqual((one["value"], one["source"]), ("77", "file"))
        self.assertIn("max_calls", lines[one["line"] - 1])
        self.assertEqual(found["limits.max_sessions"]["source"], "default")
        self.assertTrue(found["limits.max_sessions"]["value"])
        self.assertEqual(found["listen"]["source"], "option")
        self.assertEqual(found["upstreams.fake.env.PLAIN"]["source"], "environment")

    def test_no_secret_is_shown(self):
        gateway = self.start()
        answer = page(gateway, "configuration", ADMIN).body.decode()
        for secret in (SECRET, ADMIN, ANN, "hunter2"):
            self.assertNotIn(secret, answer)
        shown = json.loads(answer)
        self.assertIn("<secret>", shown["text"])
        self.assertIn("kind: stdio", shown["text"].replace('"', ""))
        found = {one["path"]: one for one in shown["settings"]}
        self.assertTrue(found["upstreams.fake.env.API_KEY"]["secret"])
        self.assertNotIn("value", found["upstreams.fake.env.API_KEY"])
        self.assertTrue(found["auth.tokens[0].token"]["secret"])
        self.assertEqual(found["auth.tokens[0].name"]["value"], "root")

    def test_a_text_that_cannot_be_masked_is_not_shown(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "patchbay.yaml")
            file.write_text(
                "upstreams:\n  skills: { kind: builtin }\nauth:\n  tokens:\n"
                '    - { name: root, roles: [admin], token: "an-admin-for\\x2dtests-0123456789" }\n',
                encoding="utf-8",
            )
            os.chmod(file, 0o600)
            with Gateway(None, args=["-c", str(file)]) as gateway:
                shown = self.shown(gateway)
                self.assertNotIn("text", shown)
                self.assertIn("secret", shown["no_text"])
                self.assertNotIn(ADMIN, json.dumps(shown))

    def test_a_check_has_the_lines_of_faults(self):
        gateway = self.start()
        text = "limits:\n  max_calls: many\n  max_cals: 5\nupstreams:\n  x: { kind: nonsense }\n"
        faults = {one["path"]: one for one in self.check(gateway, text)}
        self.assertEqual(faults["limits.max_calls"]["line"], 2)
        self.assertEqual(faults["limits.max_cals"]["line"], 3)
        self.assertIn("max_calls", faults["limits.max_cals"]["message"])
        self.assertEqual(faults["upstreams.x.kind"]["line"], 5)
        self.assertIn(2, [one["line"] for one in self.check(gateway, "listen: a\nlisten: b\n")])
        self.assertEqual(len(self.check(gateway, "a: [\n")), 1)
        self.assertEqual(self.check(gateway, "upstreams: { skills: { kind: builtin } }\n"), [])

    def test_what_is_shown_passes_the_check(self):
        gateway = self.start()
        self.assertEqual(self.check(gateway, self.shown(gateway)["text"]), [])

    def test_a_check_reads_and_runs_nothing(self):
        gateway = self.start()
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder, "it-ran")
            hidden = pathlib.Path(folder, "hidden")
            hidden.write_text("content-of-a-file", encoding="utf-8")
            text = (
                f"limits: {{ max_calls: '${{file:{hidden}}}' }}\n"
                f"auth: {{ token_file: {hidden} }}\n"
                f"upstreams:\n  evil: {{ kind: stdio, command: touch, args: [{trace}], env_file: {hidden} }}\n"
                f"  gone: {{ kind: stdio, command: '${{env:NOT_THERE}}' }}\n"
            )
            self.assertEqual(self.check(gateway, text), [])
            self.assertFalse(trace.exists())
            before = gateway.config_path.read_text(encoding="utf-8")
            self.assertEqual(gateway.config_path.read_text(encoding="utf-8"), before)
            self.assertNotIn("evil", json.dumps(self.ask(gateway, "upstreams", ADMIN)))

    def test_reloads_that_were_applied_and_refused(self):
        gateway = self.start()
        self.assertEqual(self.shown(gateway)["reloads"], [])
        gateway.write_config(self.config(limits={"max_calls": 55}))
        wait_until(lambda: len(self.shown(gateway)["reloads"]) == 1, "the reload")
        (applied,) = self.shown(gateway)["reloads"]
        self.assertTrue(applied["applied"])
        self.assertIn("limits", applied["details"][0])
        self.assertEqual(applied["digest"], self.shown(gateway)["digest"])
        gateway.write_config(self.config(limits={"max_calls": "nonsense"}))
        wait_until(lambda: len(self.shown(gateway)["reloads"]) == 2, "the refusal")
        refused = self.shown(gateway)["reloads"][0]
        self.assertFalse(refused["applied"])
        self.assertIn("limits.max_calls", refused["details"][0])
        found = {one["path"]: one for one in self.shown(gateway)["settings"]}
        self.assertEqual(found["limits.max_calls"]["value"], "55")

    def test_the_history_is_bounded(self):
        gateway = self.start(reload={"max_history": 2})
        for number in (1, 2, 3):
            gateway.write_config(self.config(reload={"max_history": 2}, limits={f"wrong-{number}": 1}))
            wait_until(lambda: f"wrong-{number}" in str(self.shown(gateway)["reloads"]), "the refusal")
        self.assertEqual(len(self.shown(gateway)["reloads"]), 2)
        gateway.write_config(self.config(reload={"max_history": 0}))
        wait_until(lambda: self.shown(gateway)["reloads"] == [], "the history to be gone")

    def test_the_schema(self):
        gateway = self.start()
        schema = self.ask(gateway, "configuration/schema", ADMIN)
        self.assertIn("max_calls", schema["properties"]["limits"]["properties"])
        self.assertIn("upstreams-http", schema["$defs"])

    def test_who_may_see_and_check_it(self):
        gateway = self.start()
        self.assertEqual(page(gateway, "configuration/schema", ANN).status, 403)
        self.assertEqual(page(gateway, "configuration", ANN).status, 403)
        self.check(gateway, "", ANN, 403)
        self.check(gateway, "#" * (256 * 1024 + 1), ADMIN, 413)


if __name__ == "__main__":
    main()
