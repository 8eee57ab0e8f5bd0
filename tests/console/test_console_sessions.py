"""Sessions of the console: signing in, what a session allows, and everything that it must not."""

import base64
import json
import pathlib
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../lib")

from auth_case import OTHER, TOKEN, TOKENS, bearer
from console_session import CSRF, SESSION, ConsoleCase, Page, cookie_of
from harness import Gateway, fake_config, main, run, stateless_headers, stateless_message, wait_until
from tls_case import TlsCase, TlsGateway

ADMIN = "an-admin-for-tests-0123456789"
CALLERS = [
    {"name": "root", "token": ADMIN, "roles": ["admin"]},
    {"name": "ann", "token": TOKEN, "roles": ["reader"]},
    {"name": "other", "token": OTHER, "roles": ["guest"]},
]
RULES = [
    {"role": "admin", "allow": ["*"]},
    {"role": "reader", "allow": ["fake.*"]},
    {"role": "guest", "allow": ["nothing.*"]},
]


def basic(user, password):
    return {"Authorization": "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()}


class WithoutAuth(ConsoleCase):
    def test_it_just_opens(self):
        with Gateway({}) as gateway:
            page = Page(gateway)
            state = page.state()
            self.assertEqual(state["signed_in"], True)
            self.assertEqual((state["auth"], state["admin"], state["csrf"]), ("none", True, ""))
            self.assertIsNone(state["expires"])
            # There is nothing to sign in to, so no cookie is made.
            for headers in ({}, bearer(), basic("ann", "secret")):
                response = page.sign_in(headers)
                self.assertEqual((response.status, response.header("Set-Cookie")), (200, None))
            self.assertEqual(page.status(), 200)
            # Pages of other ports are refused, as everywhere.
            for origin in ("http://127.0.0.1:3000", "http://localhost:1", "null"):
                got = page.request("POST", SESSION, {"Origin": origin}, b"")
                self.assertEqual(got.status, 403, origin)
            self.assertEqual(page.status(headers={"Sec-Fetch-Site": "same-site"}), 403)


class SignIn(ConsoleCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        config = fake_config(auth={"tokens": CALLERS}, rules=RULES)
        cls.gateway = cls.enterClassContext(Gateway(config))

    def test_signed_out(self):
        state = Page(self.gateway).state()
        self.assertEqual(state, {"signed_in": False, "methods": ["token"]})

    def test_a_token_becomes_a_session(self):
        page = Page(self.gateway)
        response = page.sign_in(bearer())
        state = response.json()
        self.assertEqual(state["caller"], "ann")
        self.assertEqual((state["caller_id"], state["admin"], state["auth"]), ("token:ann", False, "token"))
        self.assertRegex(state["expires"], r"^20\d\d-.*Z$")
        name, value, attributes = cookie_of(response)
        self.assertEqual(name, f"patchbay_console_{self.gateway.port}")
        self.assertEqual(sorted(attributes), ["HttpOnly", "Max-Age=28800", "Path=/", "SameSite=Strict"])
        self.assertNotIn(TOKEN, value)
        self.assertNotEqual(value, state["csrf"])
        self.assertEqual(page.state(), state)
        self.assertEqual(page.request("GET", "/control/v1/status").json()["caller"], "ann")

    def test_an_admin_is_one(self):
        page = self.page(self.gateway, ADMIN)
        self.assertTrue(page.state()["admin"])
        self.assertIn("calls", page.request("GET", "/control/v1/status").json())

    def test_the_same_rules_on_every_front_end(self):
        message = stateless_message("tools/list")
        for token, tools in ((TOKEN, True), (OTHER, False), (ADMIN, True)):
            page = self.page(self.gateway, token)
            listed = page.request("POST", "/mcp", stateless_headers(message), message).json()
            self.assertEqual(bool(listed["result"]["tools"]), tools, token)
            rest = page.request("GET", "/mcp/v1/tools").json()
            self.assertEqual(bool(rest["tools"]), tools, token)

    def test_calls_belong_to_the_caller_of_the_token(self):
        page = self.page(self.gateway, TOKEN)
        message = stateless_message("tools/call", {"name": "fake__echo", "arguments": {"text": "by page"}})
        answer = page.request("POST", "/mcp", stateless_headers(message), message)
        self.assertEqual(answer.status, 200, answer.body)
        own = "/control/v1/calls?method=tools/call&limit=1"
        wait_until(lambda: page.request("GET", own).json()["calls"], "the call to be recorded")
        self.assertEqual(page.request("GET", own).json()["calls"][0]["caller_id"], "token:ann")

    def test_wrong_credentials(self):
        for headers in (bearer("wrong" * 6), basic("ann", "x"), {"Authorization": "nonsense"}, {}):
            response = Page(self.gateway).sign_in(headers)
            self.assertEqual(response.status, 401, headers)
            self.assertIn("error", response.json())
            self.assertIsNone(response.header("Set-Cookie"))

    def test_signing_out(self):
        page = self.page(self.gateway, TOKEN)
        copy = Page(self.gateway)
        copy.cookie, copy.csrf = dict(page.cookie), page.csrf
        self.assertEqual(copy.status(), 200)
        response = page.request("DELETE", SESSION)
        self.assertFalse(response.json()["signed_in"])
        name, value, attributes = cookie_of(response)
        self.assertEqual((name, value), (f"patchbay_console_{self.gateway.port}", ""))
        self.assertIn("Max-Age=0", attributes)
        # On the server, not only in the browser.
        self.assertEqual(copy.status(), 401)
        self.assertFalse(copy.state()["signed_in"])

    def test_the_browser_never_asks_for_a_password_instead_of_the_page(self):
        with Gateway({"auth": {**TOKENS, **self.users()}}) as gateway:
            plain = gateway.get("/control/v1/status")
            self.assertIn("Basic", plain.header("WWW-Authenticate"))
            page = Page(gateway)
            for response in (page.request("GET", "/control/v1/status"), page.sign_in(bearer("x" * 30))):
                self.assertEqual(response.status, 401)
                self.assertNotIn("Basic", response.header("WWW-Authenticate"))

    def users(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        path = pathlib.Path(folder, "users")
        # The password is `secret`.
        hashed = "$6$salt$" + self.crypt()
        path.write_text(f"ann:{hashed}\n", encoding="utf-8")
        return {"basic": {"file": str(path), "roles": {"ann": ["reader"]}}}

    @staticmethod
    def crypt():
        import subprocess

        made = subprocess.run(
            ["openssl", "passwd", "-6", "-salt", "salt", "secret"], capture_output=True, text=True, check=True
        )
        return made.stdout.strip().rpartition("$")[2]

    def test_a_password_becomes_a_session(self):
        with Gateway({"auth": self.users()}) as gateway:
            page = Page(gateway)
            self.assertEqual(page.state()["methods"], ["basic"])
            self.assertEqual(page.sign_in(basic("ann", "wrong")).status, 401)
            state = page.sign_in(basic("ann", "secret")).json()
            self.assertEqual((state["caller_id"], state["auth"]), ("basic:ann", "basic"))
            self.assertEqual(page.status(), 200)

    def test_guesses_are_bounded(self):
        few = {"failures": {"max_failures": 3, "window": "1h"}}
        with Gateway({"auth": {**TOKENS, **few}}) as gateway:
            page = Page(gateway)
            for guess in range(3):
                self.assertEqual(page.sign_in(bearer(f"guess-number-{guess:010}")).status, 401)
            locked = page.sign_in(bearer("one-guess-more-0123456"))
            self.assertEqual(locked.status, 429)
            self.assertGreater(int(locked.header("Retry-After")), 0)


class Attacks(ConsoleCase):
    """Each with a session that exists."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.gateway = cls.enterClassContext(Gateway(fake_config(auth={"tokens": CALLERS}, rules=RULES)))

    def setUp(self):
        self.ann = self.page(self.gateway, TOKEN)

    def test_the_cookie_alone_opens_nothing(self):
        """A service on another port of the host gets the cookie, and can forge every header."""
        message = stateless_message("tools/list")
        for method, path, body in (
            ("GET", "/control/v1/status", None),
            ("GET", "/control/v1/calls", None),
            ("GET", "/mcp/v1/tools", None),
            ("GET", "/metrics", None),
            ("POST", "/mcp", message),
            ("DELETE", SESSION, None),
        ):
            for csrf in (None, "", "none", self.ann.csrf[:-1], self.ann.csrf + "0", self.ann.csrf.upper() + "x"):
                headers = stateless_headers(message) if body else {}
                without = () if csrf is not None else (CSRF,)
                got = self.ann.request(method, path, {**headers, CSRF: csrf or ""}, body, without)
                self.assertEqual(got.status, 403, (method, path, csrf, got.body))
        self.assertFalse(self.ann.state(headers={CSRF: "none"})["signed_in"])
        self.assertNotIn(self.ann.csrf.encode(), self.ann.request("GET", SESSION, {CSRF: "none"}).body)
        self.assertEqual(self.ann.status(), 200)

    def test_the_other_secret_alone_opens_nothing(self):
        self.assertEqual(self.ann.status(without=("Cookie",)), 401)
        self.assertEqual(self.ann.status(without=("Cookie",), headers={"Authorization": f"Bearer {self.ann.csrf}"}), 401)

    def test_secrets_of_two_sessions_do_not_mix(self):
        other = self.page(self.gateway, OTHER)
        other.csrf = self.ann.csrf
        self.assertEqual(other.status(), 403)

    def test_pages_of_other_origins(self):
        for headers in (
            {"Sec-Fetch-Site": "same-site"},
            {"Sec-Fetch-Site": "cross-site"},
            {"Sec-Fetch-Site": "none"},
            {"Origin": f"http://localhost:{self.gateway.port}"},
            {"Origin": "http://127.0.0.1:3000"},
            {"Origin": "null"},
        ):
            self.assertEqual(self.ann.status(headers=headers), 403, headers)
        # A followed link is no request of the page.
        link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
        self.assertEqual(self.ann.status(headers=link), 403)
        typed = {"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
        self.assertEqual(self.ann.status(headers=typed, without=(CSRF,)), 401)

    def test_origins_that_may_use_the_gateway_may_not_use_the_session(self):
        friend = "http://127.0.0.1:3000"
        http = {"origins": [friend], "cors": {"origins": [friend], "credentials": True}}
        with Gateway({"auth": TOKENS, "http": http}) as gateway:
            page = self.page(gateway, TOKEN)
            self.assertEqual(page.status(), 200)
            self.assertEqual(page.status(headers={"Origin": friend}), 403)
            self.assertEqual(page.status(headers={"Origin": friend, "Sec-Fetch-Site": "same-site"}), 403)
            got = page.request("POST", SESSION, {"Origin": friend, **bearer(OTHER)}, b"")
            self.assertEqual(got.status, 403)
            # With credentials of its own it may.
            with gateway.connect() as connection:
                got = connection.request("GET", "/control/v1/status", {"Origin": friend, **bearer()})
            self.assertEqual(got.status, 200)

    def test_nobody_is_signed_in_by_another_page(self):
        for headers, without in (
            ({"Sec-Fetch-Site": "same-site"}, ()),
            ({"Origin": "http://127.0.0.1:1"}, ()),
            ({}, (CSRF,)),
        ):
            got = Page(self.gateway).request("POST", SESSION, {**bearer(), **headers}, b"", without)
            self.assertEqual(got.status, 403, headers)
            self.assertIsNone(got.header("Set-Cookie"))

    def test_a_session_is_never_chosen_by_the_client(self):
        """Fixation: what the browser had before is of no use after the sign-in."""
        page = Page(self.gateway)
        page.cookie = {f"patchbay_console_{self.gateway.port}": "f" * 64}
        page.csrf = "e" * 64
        response = page.sign_in(bearer())
        self.assertNotEqual(page.cookie, {f"patchbay_console_{self.gateway.port}": "f" * 64})
        self.assertNotEqual(page.csrf, "e" * 64)
        planted = dict(self.ann.cookie)
        victim = Page(self.gateway)
        victim.cookie = planted  # Somebody else's session, set by another port.
        victim.sign_in(bearer(OTHER))
        self.assertNotEqual(victim.cookie, planted)
        self.assertEqual(victim.state()["caller"], "other")
        # The planted session has ended: the browser that brought it has signed in anew.
        self.assertEqual(self.ann.status(), 401)
        self.assertEqual(response.status, 200)

    def test_a_planted_session_shows_as_signed_out(self):
        victim = Page(self.gateway)
        victim.cookie, victim.csrf = dict(self.ann.cookie), "none"
        self.assertFalse(victim.state()["signed_in"])
        self.assertEqual(victim.status(), 403)

    def test_only_whole_cookies_of_the_right_name(self):
        name, value = next(iter(self.ann.cookie.items()))
        for cookie in (
            f"{name}={value[:-1]}",
            f"{name}={value}0",
            f"x{name}={value}",
            f"patchbay_console={value}",
            f"patchbay_console_1={value}",
            f"{name}=",
            f"{name}={'0' * 5000}",
            "",
        ):
            self.assertEqual(self.ann.status(headers={"Cookie": cookie}), 401, cookie[:80])
        self.assertEqual(self.ann.status(headers={"Cookie": f"a=b; {name}={value}; c=d"}), 200)

    def test_credentials_in_the_header_count_alone(self):
        got = self.ann.request("GET", "/control/v1/status", bearer(OTHER))
        self.assertEqual(got.json()["caller"], "other")
        self.assertEqual(self.ann.status(headers=bearer("wrong" * 6)), 401)

    def test_no_websocket_with_a_cookie(self):
        upgrade = {
            "Connection": "Upgrade",
            "Upgrade": "websocket",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        }
        self.assertEqual(self.ann.status("/mcp", headers=upgrade, without=(CSRF,)), 403)

    def test_the_secrets_are_in_no_log_and_no_audit(self):
        with tempfile.TemporaryDirectory() as folder:
            audit = pathlib.Path(folder, "audit.jsonl")
            with Gateway({"auth": TOKENS, "audit": {"file": str(audit)}}) as gateway:
                page = self.page(gateway, TOKEN)
                value = next(iter(page.cookie.values()))
                page.request("DELETE", SESSION)
                wait_until(lambda: audit.read_text(encoding="utf-8").count("\n") >= 2, "two records")
                records = [json.loads(line) for line in audit.read_text(encoding="utf-8").splitlines()]
                told = [(one["event"], one["method"], one["name"], one["outcome"]) for one in records]
                self.assertEqual(told, [("log_in", "begin", "ci", "ok"), ("log_in", "end", "ci", "ok")])
                self.assertEqual(records[0]["frontend"], "console")
                text = audit.read_text(encoding="utf-8") + gateway.stderr.text()
                for secret in (value, page.csrf, TOKEN):
                    self.assertNotIn(secret, text)


class Ends(ConsoleCase):
    def test_a_session_expires(self):
        with Gateway({"auth": TOKENS, "console": {"session_timeout": "1s"}}) as gateway:
            page = self.page(gateway, TOKEN)
            wait_until(lambda: page.status() == 401, "the end of the session")
            self.assertFalse(page.state()["signed_in"])

    def test_a_revoked_token_ends_its_sessions_and_no_others(self):
        with tempfile.TemporaryDirectory() as folder:
            path = str(pathlib.Path(folder, "tokens"))
            made = {}
            for name in ("ann", "bob"):
                made[name] = run("token", "create", name, "--file", path).stdout.strip()
            with Gateway({"auth": {"token_file": path}, "workers": 2}) as gateway:
                ann, bob = self.page(gateway, made["ann"]), self.page(gateway, made["bob"])
                run("token", "revoke", "ann", "--file", path)
                wait_until(lambda: ann.status() == 401, "the revocation")
                self.assertFalse(ann.state()["signed_in"])
                self.assertEqual(bob.status(), 200)
                # A token of that name is another credential.
                run("token", "create", "ann", "--file", path)
                wait_until(lambda: bob.status() == 200, "the reload")
                self.assertEqual(ann.status(), 401)

    def test_a_reload_that_takes_the_credentials_ends_the_session(self):
        with Gateway({"auth": {"tokens": CALLERS}}) as gateway:
            ann, other = self.page(gateway, TOKEN), self.page(gateway, OTHER)
            changed = [one for one in CALLERS if one["name"] != "ann"]
            changed[-1] = {**changed[-1], "roles": ["admin"]}
            gateway.write_config({"auth": {"tokens": changed}})
            wait_until(lambda: ann.status() == 401, "the reload")
            # Roles are those of the credentials now.
            wait_until(lambda: other.state().get("admin"), "the new role")

    def test_a_console_that_is_turned_off_ends_all(self):
        with Gateway({"auth": TOKENS}) as gateway:
            page = self.page(gateway, TOKEN)
            gateway.write_config({"auth": TOKENS, "console": {"enabled": False}})
            wait_until(lambda: page.status() == 401, "the end of the session")

    def test_a_stream_ends_with_its_session(self):
        settings = {"auth": TOKENS, "limits": {"stream_keep_alive_interval": "100ms"}}
        with Gateway(settings) as gateway:
            page = self.page(gateway, TOKEN)
            headers = {CSRF: page.csrf, "Cookie": "; ".join(f"{k}={v}" for k, v in page.cookie.items())}
            with gateway.connect() as connection:
                connection.send("GET", "/control/v1/calls/live", headers)
                response = connection.read_head()
                self.assertEqual(response.status, 200)
                page.request("DELETE", SESSION)
                self.assertEqual(list(response.events())[1:], [])


class Bounds(ConsoleCase):
    def test_the_oldest_of_a_caller_gives_way(self):
        with Gateway({"auth": TOKENS, "console": {"max_sessions_per_caller": 2}}) as gateway:
            other = self.page(gateway, OTHER)
            pages = [self.page(gateway, TOKEN) for _ in range(3)]
            self.assertEqual([page.status() for page in pages], [401, 200, 200])
            self.assertEqual(other.status(), 200)

    def test_all_together_are_bounded(self):
        with Gateway({"auth": TOKENS, "console": {"max_sessions": 1}}) as gateway:
            page = self.page(gateway, TOKEN)
            full = Page(gateway).sign_in(bearer(OTHER))
            self.assertEqual((full.status, full.header("Set-Cookie")), (503, None))
            self.assertIn("console.max_sessions", full.json()["error"])
            self.assertEqual(page.request("DELETE", SESSION).status, 200)
            self.assertEqual(Page(gateway).sign_in(bearer(OTHER)).status, 200)


class Tls(TlsCase):
    def test_the_cookie_is_for_tls_alone(self):
        with TlsGateway({**self.config(), "auth": TOKENS}, self.context) as gateway:
            page = Page(gateway)
            with gateway.connect() as connection:
                response = connection.request("POST", SESSION, {**bearer(), CSRF: "none"}, b"")
            self.assertEqual(response.status, 200, response.body)
            name, value, attributes = cookie_of(response)
            self.assertTrue(name.startswith("__Host-patchbay_console"), name)
            self.assertIn("Secure", attributes)
            self.assertIn("Path=/", attributes)
            csrf = {CSRF: response.json()["csrf"]}
            with gateway.connect() as connection:
                got = connection.request("GET", "/control/v1/status", {**csrf, "Cookie": f"{name}={value}"})
                self.assertEqual(got.status, 200)
            # One without the prefix could have been planted without TLS.
            plain = name.removeprefix("__Host-")
            with gateway.connect() as connection:
                got = connection.request("GET", "/control/v1/status", {**csrf, "Cookie": f"{plain}={value}"})
                self.assertEqual(got.status, 401)
            self.assertIsNotNone(page)

    def test_behind_a_proxy_that_ends_tls(self):
        with Gateway({"auth": TOKENS, "http": {"hosts": ["gateway.example"]}}) as gateway:
            page = Page(gateway)
            there = {"Host": "gateway.example", "Origin": "https://gateway.example"}
            response = page.request("POST", SESSION, {**bearer(), **there}, b"")
            name, value, attributes = cookie_of(response)
            self.assertEqual(name, "__Host-patchbay_console")
            self.assertIn("Secure", attributes)
            page.cookie, page.csrf = {name: value}, response.json()["csrf"]
            self.assertEqual(page.status(headers={"Host": "gateway.example"}), 200)


class Certificates(TlsCase):
    def test_a_certificate_needs_no_session(self):
        agent = {"san": "uri:spiffe://test/client", "name": "agent", "roles": ["admin"]}
        tls = {"client_ca": self.authority.pem, "client_certificates": "optional"}
        config = {**self.config(**tls), "auth": {"certificates": [agent], **TOKENS}}
        with TlsGateway(config, self.context) as gateway:
            with gateway.connect(context=self.known) as connection:
                state = connection.request("GET", SESSION, {CSRF: "none"}).json()
                self.assertEqual((state["auth"], state["caller"], state["csrf"]), ("certificate", "agent", ""))
                made = connection.request("POST", SESSION, {CSRF: "none"}, b"")
                self.assertEqual((made.status, made.header("Set-Cookie")), (200, None))
                # A token that somebody signs in with counts before the certificate.
                made = connection.request("POST", SESSION, {CSRF: "none", **bearer()}, b"")
                name, value, _ = cookie_of(made)
                signed_in = {CSRF: made.json()["csrf"], "Cookie": f"{name}={value}"}
                status = connection.request("GET", "/control/v1/status", signed_in).json()
                self.assertEqual(status["caller"], "ci")
            with gateway.connect() as connection:
                state = connection.request("GET", SESSION, {CSRF: "none"}).json()
                self.assertEqual(state, {"signed_in": False, "methods": ["token", "certificate"]})


if __name__ == "__main__":
    main()
