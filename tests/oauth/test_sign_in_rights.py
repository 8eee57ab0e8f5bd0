"""Who may sign in for an upstream, on whose behalf, and who can use the link."""

import json
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from auth_case import call_as
from browser import Browser
from harness import Gateway, main, text_of
from sign_in_case import ANN, BOB, BOSS, CALLERS, CODE, LINK, SignInCase, secret_of


class Shared(SignInCase):
    """What all callers share is an admin's to give, replace and take away."""

    def setUp(self):
        super().setUp()
        self.auth = self.auth_server()
        self.stub = self.guarded(self.auth, scope="read")
        self.gateway = self.start(self.stub, callers=True, settings={"isolation": "shared"})
        self.wait_detail(self.gateway, "sign in", BOSS)

    def test_only_admins_sign_in_and_out(self):
        for method in ("POST", "DELETE"):
            status, body = self.control(self.gateway, method, "far", ANN)
            self.assertEqual(status, 403, body)
        self.sign_in_own(self.gateway, BOSS)
        self.assertEqual(self.control(self.gateway, "DELETE", "far", ANN)[0], 403)
        self.assertEqual(text_of(call_as(self.gateway, "far__whoami", ANN)), "stub")
        self.assertEqual(self.control(self.gateway, "DELETE", "far", BOSS)[0], 200)

    def test_only_admins_are_asked(self):
        self.stub.needs["tools/call"] = "write"
        self.sign_in_own(self.gateway, BOSS)
        answer = json.dumps(call_as(self.gateway, "far__whoami", ANN))
        self.assertIn("an admin has to sign in for far", answer)
        self.assertIsNone(LINK.search(answer))
        self.assertIsNotNone(LINK.search(json.dumps(call_as(self.gateway, "far__whoami", BOSS))))


class Own(SignInCase):
    def test_only_where_the_rules_let_the_caller(self):
        rules = [
            {"role": "any", "allow": ["other.*"]},
            {"role": "admin", "allow": ["*"]},
        ]
        gateway = self.start(self.guarded(self.auth_server()), callers=True, rules=rules)
        unknown = self.control(gateway, "POST", "nothing", ANN)
        self.assertEqual(unknown[0], 404)
        for method in ("POST", "DELETE"):
            status, body = self.control(gateway, method, "far", ANN)
            self.assertEqual(status, 404, body)
            self.assertEqual(body["error"].replace("far", "nothing"), unknown[1]["error"])
        self.assertEqual(self.control(gateway, "POST", "far", BOSS)[0], 200)

    def test_how_it_stands_is_for_the_caller_and_admins(self):
        gateway = self.start(self.guarded(self.auth_server()), callers=True)
        self.wait_detail(gateway, "sign in", BOSS)
        _, body = self.control(gateway, "POST", "far", ANN)
        self.assertEqual(self.control(gateway, "GET", body["id"], BOB)[0], 403)
        for headers in (ANN, BOSS):
            self.assertEqual(self.control(gateway, "GET", body["id"], headers)[1]["state"], "waiting")


class Links(SignInCase):
    """A link is worth nothing in the hands of anybody but the caller that it was made for."""

    def begin(self, **settings):
        self.auth = self.auth_server()
        gateway = self.start(self.guarded(self.auth), callers=True, **settings)
        self.wait_detail(gateway, "sign in", BOSS)
        return gateway

    def test_another_cannot_sign_in_for_the_caller(self):
        url = self.link(self.begin(), ANN)
        for secret, status in ((None, 401), ("wrong-token-0123456789", 401), (secret_of(BOB), 403)):
            with self.subTest(secret=secret):
                got, headers, _ = Browser(secret=secret).request("POST", url)
                self.assertEqual(got, status)
                self.assertNotIn("Location", headers)
                self.assertNotIn("Set-Cookie", headers)
        self.assertEqual(self.auth.saw("/authorize"), [])
        status, text = Browser(secret=secret_of(ANN)).sign_in(url)
        self.assertEqual(status, 200, text)

    def test_credentials_may_come_with_the_request(self):
        url = self.link(self.begin(), ANN)
        self.assertEqual(Browser(BOB).request("POST", url)[0], 403)
        _, _, page = Browser(ANN).request("GET", url)
        self.assertNotIn('name="secret"', page)
        self.assertEqual(Browser(ANN).sign_in(url)[0], 200)

    def test_the_gateways_own_is_for_admins(self):
        url = self.link(self.begin(), BOSS, "?for=gateway")
        self.assertEqual(Browser(secret=secret_of(ANN)).request("POST", url)[0], 403)
        self.assertEqual(Browser(secret=secret_of(BOSS)).sign_in(url)[0], 200)

    def test_wrong_credentials_lock_out_as_everywhere(self):
        gateway = self.begin()
        url = self.link(gateway, ANN)
        for _ in range(3):
            Browser(secret="wrong-token-0123456789").request("POST", url)
        counted = 'patchbay_auth_refused_total{reason="invalid"} 3\n'
        self.assertIn(counted, gateway.get("/metrics", BOSS).body.decode())

    def test_it_can_be_switched_off(self):
        url = self.link(self.begin(sign_in={"require_credentials": False}), ANN)
        self.assertEqual(Browser().sign_in(url)[0], 200)


class Shares(SignInCase):
    """One caller does not take the sign-ins of all."""

    def begin(self, **sign_in):
        auth = self.auth_server()
        upstreams = {name: self.guarded(auth).upstream(auth=CODE) for name in ("far", "near")}
        config = {"workers": 1, "upstreams": upstreams, "auth": CALLERS, "sign_in": sign_in}
        gateway = self.enterContext(Gateway(config))
        self.wait_detail(gateway, "sign in", BOSS)
        return gateway

    def test_a_caller_has_a_share(self):
        gateway = self.begin(max_pending_per_caller=1)
        self.assertEqual(self.control(gateway, "POST", "far", ANN)[0], 200)
        status, body = self.control(gateway, "POST", "near", ANN)
        self.assertEqual(status, 429, body)
        self.assertIn("sign_in.max_pending_per_caller", body["error"])
        self.assertEqual(self.control(gateway, "POST", "far", ANN)[0], 200, "the same one again")
        self.assertEqual(self.control(gateway, "POST", "near", BOB)[0], 200)

    def test_what_is_over_makes_way(self):
        gateway = self.begin(max_pending=1)
        status, text = Browser(secret=secret_of(ANN)).sign_in(self.link(gateway, ANN))
        self.assertEqual(status, 200, text)
        self.assertEqual(self.control(gateway, "POST", "near", BOB)[0], 200)
        status, body = self.control(gateway, "POST", "far", BOB)
        self.assertEqual(status, 503, body)
        self.assertIn("sign_in.max_pending", body["error"])


class Hostile(SignInCase):
    """Text of an authorization server never gets into a header line."""

    def test_metadata_with_line_ends(self):
        for name in ("authorization_endpoint", "registration_endpoint"):
            with self.subTest(name=name):
                auth = self.auth_server()
                auth.more[name] = f"{auth.root}/x\r\nX-Injected: yes"
                gateway = self.start(self.guarded(auth))
                self.wait_detail(gateway, "sign in")
                status, body = self.control(gateway, "POST", "far")
                self.assertEqual(status, 502, body)
                self.assertIn("control character", body["error"])
                self.assertNotIn("X-Injected", gateway.stderr.text())

    def test_a_page_elsewhere_in_the_clear(self):
        auth = self.auth_server(authorization_endpoint="http://as.example/authorize")
        gateway = self.start(self.guarded(auth))
        self.wait_detail(gateway, "sign in")
        status, body = self.control(gateway, "POST", "far")
        self.assertEqual(status, 502, body)
        self.assertIn("is not https", body["error"])


if __name__ == "__main__":
    main()
