"""Tokens that admins make and revoke through the control API, in the file of `patchbay token`."""

import fcntl
import json
import os
import pathlib
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../lib")

from auth_case import bearer
from console_session import ConsoleCase
from control_case import ADMIN, ANN, RULES, TOKENS
from harness import Gateway, fake, fake_config, main, run, wait_until

PATH = "/control/v1/tokens"


class TokenCase(ConsoleCase):
    """A gateway on two workers with a file of tokens, an audit file and callers in its configuration."""

    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.file = pathlib.Path(self.folder, "tokens")
        self.audit = pathlib.Path(self.folder, "audit.jsonl")

    def config(self, auth=None, **more):
        auth = {"tokens": TOKENS, "token_file": str(self.file), **(auth or {})}
        settings = {"auth": auth, "rules": RULES, "audit": {"file": str(self.audit)}, "workers": 2}
        return fake_config({"fake": fake()}, **{**settings, **more})

    def start(self, auth=None, **more):
        return self.enterContext(Gateway(self.config(auth, **more)))

    def send(self, gateway, method, path="", body=None, token=ADMIN):
        headers = {"Content-Type": "application/json", **bearer(token)}
        with gateway.connect() as connection:
            return connection.request(method, PATH + path, headers, body)

    def make(self, gateway, token=ADMIN, **wanted):
        response = self.send(gateway, "POST", body=wanted, token=token)
        self.assertEqual(response.status, 201, response.body)
        self.assertEqual(response.header("Cache-Control"), "no-store")
        return response.json()

    def assert_no(self, response, status, text):
        self.assertEqual(response.status, status, response.body)
        self.assertIn(text, response.json()["error"])

    def list(self, gateway):
        return self.send(gateway, "GET").json()

    def records(self):
        lines = self.audit.read_text(encoding="utf-8").splitlines() if self.audit.exists() else []
        found = [one for one in map(json.loads, lines) if one.get("event") == "token"]
        return [(one["method"], one.get("target", ""), one["name"], one["outcome"]) for one in found]


class Made(TokenCase):
    def test_it_works_at_once_and_after_a_restart_until_it_is_revoked(self):
        gateway = self.start()
        made = self.make(gateway, name="eve", roles=["admin"], expires="24h")
        headers = bearer(made["token"])
        for _ in range(8):  # On whichever worker.
            self.assert_let_in(gateway, headers)
        with gateway.connect() as connection:
            status = connection.request("GET", "/control/v1/status", headers).json()
        self.assertEqual((status["caller"], status["admin"]), ("eve", True))
        self.assertEqual(gateway.stop(), 0)
        again = self.start()
        self.assert_let_in(again, headers)
        gone = self.send(again, "DELETE", "/" + made["id"])
        self.assertEqual((gone.status, gone.json()), (200, {"id": made["id"], "revoked": True}))
        for _ in range(8):
            self.assert_refused(again, headers)
        self.assert_no(self.send(again, "DELETE", "/" + made["id"]), 404, "no token with this id")

    def test_nothing_else_ever_has_it(self):
        gateway = self.start()
        made = self.make(gateway, name="eve", expires="1h")
        secret = made["token"].rpartition("_")[2]
        listed = self.send(gateway, "GET")
        line = listed.json()["tokens"][0]
        self.assertEqual({**line, "token": made["token"]}, made)
        self.assertEqual((line["name"], line["roles"], line["expired"]), ("eve", [], False))
        self.assert_let_in(gateway, bearer(made["token"]))
        self.send(gateway, "DELETE", "/" + made["id"])
        wait_until(lambda: len(self.records()) == 2, "the records")
        target = f"{made['id']} eve"
        self.assertEqual(
            self.records(), [("create", target, "root", "ok"), ("revoke", target, "root", "ok")]
        )
        self.assertEqual(gateway.stop(), 0)
        self.assertIn("token made", gateway.stderr.text())
        self.assertIn("token revoked", gateway.stderr.text())
        for text in (gateway.stderr.text(), self.audit.read_text(encoding="utf-8"), listed.body.decode()):
            self.assertNotIn(secret, text)
            self.assertNotIn("scrypt", text)

    def test_only_its_hash_is_in_the_file_of_the_command(self):
        gateway = self.start()
        made = self.make(gateway, name="eve", expires="1h")
        text = self.file.read_text(encoding="utf-8")
        self.assertEqual(self.file.stat().st_mode & 0o777, 0o600)
        self.assertNotIn(made["token"].rpartition("_")[2], text)
        by_command = run("token", "create", "bob", "--file", str(self.file)).stdout.strip()
        wait_until(lambda: self.status(gateway, bearer(by_command)) == 200, "the token of the command")
        second = self.make(gateway, name="eve")
        names = [one["name"] for one in json.loads(run("token", "list", "--json", "--file", str(self.file)).stdout)]
        self.assertEqual(names, ["eve", "bob", "eve"])
        self.assertEqual(self.list(gateway)["count"], 3)
        self.assert_let_in(gateway, bearer(by_command))
        run("token", "revoke", made["id"], "--file", str(self.file))
        wait_until(lambda: self.status(gateway, bearer(made["token"])) == 401, "the revocation")
        self.assert_let_in(gateway, bearer(second["token"]))

    def test_it_expires(self):
        gateway = self.start(auth={"max_token_ttl": "1h"})
        made = self.make(gateway, name="eve", expires="1s")
        wait_until(lambda: self.status(gateway, bearer(made["token"])) == 401, "its end")
        self.assertTrue(self.list(gateway)["tokens"][0]["expired"])
        self.assert_no(self.send(gateway, "POST", body={"name": "eve", "expires": "61m"}), 400, "auth.max_token_ttl")
        longest = self.make(gateway, name="eve")
        self.assert_let_in(gateway, bearer(longest["token"]))
        stored = [json.loads(line) for line in self.file.read_text(encoding="utf-8").splitlines()]
        self.assertEqual(stored[1]["expires"] - stored[1]["created"], 3600)

    def test_their_number_is_bounded(self):
        gateway = self.start(auth={"max_tokens": 1})
        first = self.make(gateway, name="eve")
        self.assert_no(self.send(gateway, "POST", body={"name": "eve"}), 503, "auth.max_tokens")
        self.send(gateway, "DELETE", "/" + first["id"])
        self.make(gateway, name="eve")


class Refused(TokenCase):
    def test_callers_without_the_role_admin_make_none(self):
        gateway = self.start()
        for roles in (["admin"], ["reader"], []):
            response = self.send(gateway, "POST", body={"name": "ann", "roles": roles}, token=ANN)
            self.assert_no(response, 403, "'admin'")
        self.assertEqual(self.send(gateway, "GET", token=ANN).status, 403)
        made = self.make(gateway, name="eve")
        self.assertEqual(self.send(gateway, "DELETE", "/" + made["id"], token=ANN).status, 403)
        # Nor does one whose new token lacks the role.
        self.assertEqual(self.send(gateway, "POST", body={"name": "x"}, token=made["token"]).status, 403)
        self.assertEqual(self.list(gateway)["count"], 1)

    def test_nobody_gives_a_role_that_he_does_not_have(self):
        gateway = self.start()
        self.assertEqual(self.list(gateway)["roles"], ["admin"])
        for roles in (["reader"], ["admin", "guest"], ["local"]):
            response = self.send(gateway, "POST", body={"name": "eve", "roles": roles})
            self.assert_no(response, 403, f"the role '{roles[-1]}'")
        wait_until(lambda: len(self.records()) == 3, "the records")
        self.assertEqual({one[3] for one in self.records()}, {"forbidden"})
        self.assertFalse(self.file.exists())

    def test_what_is_wrong_is_said(self):
        gateway = self.start()
        for body, text in (
            ({}, "`name`"),
            ({"name": ""}, "`name`"),
            ({"name": "x" * 101}, "100 bytes"),
            ({"name": "a\nb"}, "`name`"),
            ({"name": 5}, "`name` must be a string"),
            ({"name": "x", "roles": "admin"}, "`roles`"),
            ({"name": "x", "roles": [1]}, "`roles`"),
            ({"name": "x", "roles": ["admin"] * 51}, "at most 50"),
            ({"name": "x", "expires": "soon"}, "`expires`"),
            ({"name": "x", "expires": "0"}, "at least 1s"),
            ({"name": "x", "expires": "9000h"}, "auth.max_token_ttl"),
            ({"name": "x", "command": "sh"}, "only `name`, `roles` and `expires`"),
        ):
            self.assert_no(self.send(gateway, "POST", body=body), 400, text)
        for raw in (b"", b"[]", b"{", b'{"name":"a","name":"b"}'):
            self.assert_no(self.send(gateway, "POST", body=raw), 400, "JSON object")
        self.assertEqual(self.send(gateway, "POST", body=b" " * 20000).status, 413)
        self.assertFalse(self.file.exists())

    def test_a_page_needs_both_halves_of_its_session(self):
        gateway = self.start()
        page = self.page(gateway, ADMIN)
        body = json.dumps({"name": "eve"}).encode()
        for without in (["X-Patchbay-CSRF"], ["Cookie"]):
            response = page.request("POST", PATH, {"Content-Type": "application/json"}, body, without)
            self.assertIn(response.status, (401, 403), without)
        foreign = {"Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site"}
        self.assertEqual(page.request("POST", PATH, foreign, body).status, 403)
        self.assertFalse(self.file.exists())
        self.assertEqual(page.request("POST", PATH, {"Content-Type": "application/json"}, body).status, 201)

    def test_a_session_of_a_revoked_token_ends(self):
        gateway = self.start()
        made = self.make(gateway, name="eve", roles=["admin"])
        page = self.page(gateway, made["token"])
        self.assertEqual(page.status(), 200)
        self.send(gateway, "DELETE", "/" + made["id"])
        self.assertEqual(page.status(), 401)

    def test_a_file_that_is_gone_or_damaged_is_not_replaced(self):
        gateway = self.start()
        made = self.make(gateway, name="eve")
        self.file.write_text("rubbish\n", encoding="utf-8")
        self.assert_no(self.send(gateway, "POST", body={"name": "bob"}), 503, "auth.token_file")
        self.assertEqual(self.file.read_text(encoding="utf-8"), "rubbish\n")
        self.file.unlink()
        self.assert_no(self.send(gateway, "POST", body={"name": "bob"}), 503, "is gone")
        self.assertFalse(self.file.exists())
        self.assert_let_in(gateway, bearer(made["token"]))

    def test_a_process_that_holds_the_lock_does_not_hold_the_gateway(self):
        gateway = self.start()
        with open(f"{self.file}.lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.assert_no(self.send(gateway, "POST", body={"name": "bob"}), 503, "another process")
            self.assertEqual(self.list(gateway)["count"], 0)
        self.make(gateway, name="bob")


class Closed(TokenCase):
    def test_without_authentication_none_is_needed(self):
        gateway = self.enterContext(Gateway(fake_config({"fake": fake()})))
        with gateway.connect() as connection:
            found = connection.request("GET", PATH).json()
            self.assertEqual((found["needed"], found["tokens"]), (False, []))
            self.assertIn("no token", found["closed"])
            refused = connection.request("POST", PATH, {"Content-Type": "application/json"}, {"name": "x"})
        self.assert_no(refused, 400, "callers need no token")

    def test_without_a_file_the_setting_is_named(self):
        gateway = self.enterContext(Gateway(fake_config({"fake": fake()}, auth={"tokens": TOKENS})))
        found = self.list(gateway)
        self.assertTrue(found["needed"])
        self.assertIn("auth.token_file", found["closed"])
        self.assert_no(self.send(gateway, "POST", body={"name": "x"}), 400, "auth.token_file")
        self.assertEqual(os.listdir(self.folder), [])


if __name__ == "__main__":
    main()
