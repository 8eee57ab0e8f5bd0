"""Token exchange for upstreams: tokens of callers, and the identity of the gateway's own process."""

import json
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from auth_case import bearer, call_as
from harness import Gateway, main, text_of, wait_until
from jwt_issuer import Issuer, Key
from oauth_case import OauthCase
from oauth_server import CLIENT, SECRET

EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer"
SETTINGS = {"kind": "token_exchange", "client_id": CLIENT, "client_secret": SECRET}


class ExchangeCase(OauthCase):
    def setUp(self):
        super().setUp()
        self.issuer = self.enterContext(Issuer(Key("k", "ES256")))
        self.auth = self.auth_server()
        self.stub = self.guarded(self.auth)

    def start(self, auth=None, callers=None, **settings):
        known = {**SETTINGS, "issuer": self.auth.issuer, "retry": "100ms"}
        upstream = self.stub.upstream(auth={**known, **(auth or {})})
        config = {"workers": 1, "upstreams": {"far": upstream}, **settings}
        return self.enterContext(Gateway({**config, "auth": callers or self.issuer.auth()}))

    def subject(self, request):
        """The subject of the token that was exchanged for the one in a request."""
        presented = request.headers["Authorization"].removeprefix("Bearer ")
        return self.auth.tokens[presented].get("subject")


class TokenExchange(ExchangeCase):
    def test_each_caller_gets_its_own(self):
        gateway = self.start({"audience": "the-notes"})
        tokens = {name: self.issuer.token(sub=name) for name in ("ann", "bob")}
        for name in ("ann", "bob", "ann"):
            answer = call_as(gateway, "far__whoami", bearer(tokens[name]))
            self.assertEqual(text_of(answer), "stub")
            self.assertEqual(self.subject(self.stub.saw("tools/call")[-1]), tokens[name])
        exchanges = self.auth.grants(EXCHANGE)
        self.assertEqual(len(exchanges), 2)
        form = exchanges[0].form
        self.assertEqual(form["resource"], self.stub.url)
        self.assertEqual(form["audience"], "the-notes")
        kind = "urn:ietf:params:oauth:token-type:access_token"
        self.assertEqual((form["subject_token_type"], form["requested_token_type"]), (kind, kind))
        # What callers show the gateway never reaches the upstream.
        for request in self.stub.seen:
            for token in tokens.values():
                self.assertNotIn(token, str(request))
        log = gateway.stderr.text()
        for token in tokens.values():
            self.assertNotIn(token, log)
            self.assertNotIn(token.rpartition(".")[2], log)

    def test_the_gateways_own_connection_has_a_token_of_its_own(self):
        self.start()
        (own,) = self.auth.grants("client_credentials")
        self.assertEqual(own.form["resource"], self.stub.url)
        self.assertEqual(self.auth.grants(EXCHANGE), [])

    def test_the_gateways_own_connection_by_a_file(self):
        path = self.folder / "subject"
        path.write_text("a-token-of-the-gateway\n", encoding="ascii")
        self.start({"subject_file": str(path), "subject_type": "jwt"})
        (asked,) = self.auth.grants(EXCHANGE)
        self.assertEqual(asked.form["subject_token"], "a-token-of-the-gateway")
        self.assertTrue(asked.form["subject_token_type"].endswith(":jwt"))

    def test_fewer_scopes_do_not_get_what_more_were_given(self):
        gateway = self.start()
        much = self.issuer.token(sub="ann", scope="read write")
        little = self.issuer.token(sub="ann", scope="read")
        for token in (much, little):
            self.assertEqual(text_of(call_as(gateway, "far__whoami", bearer(token))), "stub")
            self.assertEqual(self.subject(self.stub.saw("tools/call")[-1]), token)

    def test_the_newest_token_of_a_caller_is_exchanged(self):
        gateway = self.start()
        first, second = (self.issuer.token(sub="ann", jti=jti) for jti in ("1", "2"))
        call_as(gateway, "far__whoami", bearer(first))
        call_as(gateway, "far__whoami", bearer(second))
        # The one that was given for the first is still good.
        self.assertEqual(len(self.auth.grants(EXCHANGE)), 1)
        self.auth.revoke()

        def exchanged():
            call_as(gateway, "far__whoami", bearer(second))
            return self.auth.grants(EXCHANGE)[-1].form["subject_token"] == second

        wait_until(exchanged, "an exchange of the second")

    def test_callers_without_a_token_of_an_issuer(self):
        callers = {**self.issuer.auth(), "tokens": [{"name": "ci", "token": "a-plain-token-0123"}]}
        gateway = self.start(callers=callers)
        answer = call_as(gateway, "far__whoami", bearer("a-plain-token-0123"))
        self.assertIn("JSON Web Token", json.dumps(answer))
        self.assertEqual(self.auth.grants(EXCHANGE), [])

    def test_a_refused_exchange(self):
        gateway = self.start()
        self.auth.on["/token"] = lambda exchange: exchange.refuse("invalid_request")
        token = self.issuer.token(sub="ann")
        answer = call_as(gateway, "far__whoami", bearer(token))
        self.assertIn("invalid_request", json.dumps(answer))
        self.assertNotIn(token, gateway.stderr.text())

    def test_an_upstream_that_comes_later(self):
        """Callers that were known before anybody wanted their tokens are asked again."""
        config = {"workers": 1, "upstreams": {"skills": {"kind": "builtin"}}}
        config["auth"] = self.issuer.auth()
        gateway = self.enterContext(Gateway(config))
        token = self.issuer.token(sub="ann")
        call_as(gateway, "skills__echo", bearer(token), text="hi")
        config["upstreams"]["far"] = self.stub.upstream(
            auth={**SETTINGS, "issuer": self.auth.issuer}
        )
        gateway.write_config(config)

        def works():
            answer = call_as(gateway, "far__whoami", bearer(token))
            return "result" in answer and text_of(answer) == "stub"

        wait_until(works, "the upstream")
        self.assertEqual(self.subject(self.stub.saw("tools/call")[-1]), token)


class Assertion(ExchangeCase):
    """Two servers: one knows the caller, the other gives tokens for the upstream (ID-JAG)."""

    def test_both_are_asked(self):
        knows = self.auth_server()
        knows.on["/token"] = lambda e: e.answer(
            200, {"access_token": f"assertion.of.{e.form['subject_token'][-8:]}", "token_type": "N_A"}
        )

        def token(exchange):
            form = exchange.form
            if form.get("grant_type") != BEARER:
                return exchange.refuse("unsupported_grant_type")
            grant = {"assertion": form["assertion"], "resource": form["resource"]}
            return exchange.answer(200, self.auth.issue(grant))

        self.auth.on["/token"] = token
        path = self.folder / "subject"
        path.write_text("token-of-the-gateway\n", encoding="ascii")
        there = {"token_url": knows.root + "/token", "client_id": "there", "client_secret": "s"}
        gateway = self.start(
            {"exchange": there, "subject_file": str(path), "subject_type": "id_token"}
        )
        caller = self.issuer.token(sub="ann")
        self.assertEqual(text_of(call_as(gateway, "far__whoami", bearer(caller))), "stub")
        asked = knows.saw("/token")[-1]
        self.assertEqual(asked.form["subject_token"], caller)
        self.assertEqual(asked.form["audience"], self.auth.issuer)
        self.assertEqual(asked.form["resource"], self.stub.url)
        self.assertTrue(asked.form["subject_token_type"].endswith(":id_token"))
        self.assertTrue(asked.form["requested_token_type"].endswith(":id-jag"))
        redeemed = self.auth.grants(BEARER)[-1]
        self.assertEqual(redeemed.form["assertion"], f"assertion.of.{caller[-8:]}")
        # The server of the upstream has seen the assertion, and never the caller's token.
        for request in self.auth.seen:
            self.assertNotIn(caller, str(request))


class Workload(OauthCase):
    def test_a_file_identifies_the_workload(self):
        auth = self.auth_server()
        auth.clients["workload"] = None
        auth.on["/token"] = lambda e: (
            e.answer(200, auth.issue({"resource": e.form["resource"]}))
            if e.form.get("assertion") == "what.we.are"
            else e.refuse("invalid_grant")
        )
        stub = self.guarded(auth)
        path = self.folder / "workload"
        path.write_text("what.we.are\n", encoding="ascii")
        settings = {"kind": "jwt_bearer", "client_id": "workload", "client_secret": ""}
        gateway = self.gateway(stub, {**settings, "token_file": str(path)})
        self.assert_works(gateway)
        (asked,) = auth.grants(BEARER)
        self.assertEqual(asked.form["client_id"], "workload")
        self.assert_no_secret(gateway, "what.we.are")


if __name__ == "__main__":
    main()
