"""Facts about the caller for upstreams: ${caller.…} in headers and in the environment of programs."""

import json
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from auth_case import bearer, call_as
from harness import Gateway, TestCase, fake, main, run, text_of, to_yaml
from jwt_issuer import Issuer, Key
from stub_server import StubServer


class CallerTemplates(TestCase):
    def setUp(self):
        self.issuer = self.enterContext(Issuer(Key("k", "ES256")))
        self.ann = bearer(self.issuer.token(sub="ann", email="ann@x.example", org={"unit": "a"}))
        self.bob = bearer(self.issuer.token(sub="bob", email="bob@x.example", org={"unit": "b"}))
        self.nobody = bearer(self.issuer.token(sub="nobody"))

    def gateway(self, upstream):
        config = {"workers": 2, "auth": self.issuer.auth(), "upstreams": {"far": upstream}}
        return self.enterContext(Gateway(config))

    def test_headers(self):
        stub = self.enterContext(StubServer())
        headers = {
            "X-User": "${caller.name}",
            "X-Mail": "<${caller.claims.email}>",
            "X-Unit": "${caller.claims.org.unit}",
            "X-Same": "for all",
        }
        gateway = self.gateway(stub.upstream(headers=headers))
        for headers, name in ((self.ann, "ann"), (self.bob, "bob"), (self.ann, "ann")):
            self.assertEqual(text_of(call_as(gateway, "far__whoami", headers)), "stub")
            reply = stub.saw("tools/call")[-1].headers
            self.assertEqual(reply["X-User"], name)
            self.assertEqual(reply["X-Mail"], f"<{name}@x.example>")
            self.assertEqual(reply["X-Unit"], name[0])
            self.assertEqual(reply["X-Same"], "for all")
            self.assertNotIn("Authorization", reply)
        # Each has a separate session with the server.
        sessions = {call.headers["Mcp-Session-Id"] for call in stub.saw("tools/call")}
        self.assertEqual(len(sessions), 2)

    def test_the_gateways_own_connection_has_no_claims(self):
        stub = self.enterContext(StubServer())
        headers = {"X-User": "${caller.name}", "X-Mail": "${caller.claims.email}", "X-Same": "s"}
        self.gateway(stub.upstream(headers=headers))
        reply = stub.saw("tools/list")[0].headers
        self.assertEqual((reply["X-User"], reply["X-Same"]), ("local", "s"))
        self.assertNotIn("X-Mail", reply)

    def test_a_caller_that_lacks_claims(self):
        stub = self.enterContext(StubServer())
        gateway = self.gateway(stub.upstream(headers={"X-Mail": "${caller.claims.email}"}))
        answer = call_as(gateway, "far__whoami", self.nobody)
        self.assertIn("claims.email", json.dumps(answer))
        self.assertEqual(stub.saw("tools/call"), [])

    def test_nothing_can_be_smuggled_into_a_header(self):
        stub = self.enterContext(StubServer())
        gateway = self.gateway(stub.upstream(headers={"X-Mail": "${caller.claims.email}"}))
        for value in ("a\r\nX-Admin: 1", "a\nb", "\x00", "a\x7f"):
            evil = bearer(self.issuer.token(sub="evil", email=value))
            answer = call_as(gateway, "far__whoami", evil)
            self.assertIn("claims.email", json.dumps(answer))
        self.assertEqual(stub.saw("tools/call"), [])

    def test_other_claims_are_another_connection(self):
        stub = self.enterContext(StubServer())
        gateway = self.gateway(stub.upstream(headers={"X-Mail": "${caller.claims.email}"}))
        for mail in ("old@x.example", "new@x.example"):
            token = bearer(self.issuer.token(sub="ann", email=mail))
            call_as(gateway, "far__whoami", token)
            self.assertEqual(stub.saw("tools/call")[-1].headers["X-Mail"], mail)

    def test_environment_of_programs(self):
        env = {"WHO": "${caller.name}", "MAIL": "${caller.claims.email}", "SAME": "s"}
        gateway = self.gateway(fake(env=env, isolated_idle_timeout="1h"))
        for headers, name in ((self.ann, "ann"), (self.bob, "bob")):
            reply = json.loads(text_of(call_as(gateway, "far__env", headers)))
            self.assertEqual((reply["WHO"], reply["MAIL"]), (name, f"{name}@x.example"))
            self.assertEqual(reply["SAME"], "s")

    def test_mistakes_are_faults_of_the_file(self):
        url = "http://127.0.0.1:1/mcp"
        shared = {"isolation": "shared", "headers": {"X": "${caller.name}"}}
        cases = [
            ({"kind": "http", "url": url, "headers": {"X": "${caller.nme}"}}, "is not known"),
            ({"kind": "http", "url": url, "headers": {"X": "${caller.name"}}, "closing brace"),
            ({"kind": "http", "url": url, **shared}, "isolation: per-principal"),
            ({"kind": "stdio", "command": "x", "env": {"X": "${caller.y}"}}, "is not known"),
        ]
        gateway = Gateway()
        self.addCleanup(gateway.folder.cleanup)
        for upstream, text in cases:
            with self.subTest(text=text):
                gateway.write_config(to_yaml({"upstreams": {"far": upstream}}))
                done = run("check", str(gateway.config_path))
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(text, done.stdout + done.stderr)


if __name__ == "__main__":
    main()
