"""Signing in for upstreams: the authorization code, who it is for, and what is kept of it."""

import base64
import itertools
import json
import re
import subprocess
import urllib.parse

from auth_case import bearer, call_as
from browser import Browser
from harness import (
    BINARY,
    Gateway,
    LegacySession,
    StdioFace,
    clean_environment,
    main,
    modern_call,
    modern_request,
    run,
    text_of,
    to_yaml,
    wait_until,
)
from oauth_case import OauthCase
from oauth_server import CLIENT, SECRET

CODE = {"kind": "authorization_code"}
LINK = re.compile(r"http://[\w.:]+/oauth/sign-in/[0-9a-f]+")
CALLERS = {
    "tokens": [
        {"name": "ann", "token": "token-of-ann-0123456789"},
        {"name": "bob", "token": "token-of-bob-0123456789"},
        {"name": "boss", "token": "token-of-boss-012345678", "roles": ["admin"]},
    ]
}
ANN, BOB, BOSS = (bearer(entry["token"]) for entry in CALLERS["tokens"])


def secret_of(headers):
    """The token that is shown with these headers, if there are any."""
    return headers["Authorization"].removeprefix("Bearer ") if headers else None


class SignInCase(OauthCase):
    def start(self, stub, auth=None, callers=False, **more):
        upstream = stub.upstream(auth={**CODE, **(auth or {})}, **more.pop("settings", {}))
        config = {"workers": 1, "upstreams": {"far": upstream}, **more}
        if callers:
            config["auth"] = CALLERS
        return self.enterContext(Gateway(config))

    def control(self, gateway, method, path, headers=None):
        with gateway.connect() as connection:
            response = connection.request(method, f"/control/sign-ins/{path}", headers)
        return response.status, json.loads(response.body)

    def link(self, gateway, headers=None, query=""):
        status, body = self.control(gateway, "POST", f"far{query}", headers)
        self.assertEqual(status, 200, body)
        return body["url"]

    def sign_in_own(self, gateway, headers=None):
        """For the gateway's own connection, with a browser that is given back."""
        browser = Browser(secret=secret_of(headers))
        query = "?for=gateway" if headers else ""
        status, text = browser.sign_in(self.link(gateway, headers, query))
        self.assertEqual(status, 200, text)
        self.wait_up(gateway, headers)
        return browser


class SignIn(SignInCase):
    def test_a_person_signs_in_once(self):
        for modern in (False, True):
            with self.subTest(modern=modern):
                auth = self.auth_server()
                stub = self.guarded(auth, modern=modern, scope="read")
                gateway = self.start(stub)
                self.wait_detail(gateway, "wants you to sign in")
                browser = self.sign_in_own(gateway)
                self.assert_works(gateway)
                (asked,) = auth.saw("/authorize")
                self.assertEqual(asked.query["resource"], stub.url)
                self.assertEqual(asked.query["scope"], "read")
                self.assertEqual(asked.query["code_challenge_method"], "S256")
                (token,) = auth.grants("authorization_code")
                self.assertEqual(token.form["resource"], stub.url)
                self.assertEqual(token.form["redirect_uri"], asked.query["redirect_uri"])
                (registered,) = auth.saw("/register")
                wanted = json.loads(registered.body)
                self.assertEqual(wanted["application_type"], "native")
                self.assertIn("refresh_token", wanted["grant_types"])
                self.assert_no_secret(gateway, "registered-secret", "code-", token.form["code"])
                self.assertEqual(len(browser.visited), 4)

    def test_the_page_says_for_whom_and_cannot_be_framed(self):
        auth = self.auth_server()
        stub = self.guarded(auth, scope="<b>")
        gateway = self.start(stub, callers=True)
        self.wait_detail(gateway, "sign in", BOSS)
        status, headers, text = Browser().request("GET", self.link(gateway, ANN))
        self.assertEqual(status, 200)
        self.assertIn("<b>ann</b> wants to use <b>far</b>", text)
        self.assertIn(auth.issuer, text)
        self.assertIn("&lt;b&gt;", text)
        self.assertIn("frame-ancestors 'none'", headers["Content-Security-Policy"])
        self.assertEqual(headers["Cache-Control"], "no-store")

    def test_a_token_is_renewed_and_the_renewed_one_kept(self):
        auth = self.auth_server()
        auth.expires = 2
        stub = self.guarded(auth)
        state = self.folder / "state"
        gateway = self.start(stub, {"retry": "100ms"}, state=str(state))
        self.sign_in_own(gateway)

        def renewed():
            self.assert_works(gateway)
            return len(auth.grants("refresh_token")) >= 2

        wait_until(renewed, "two renewals")
        spent = [asked.form["refresh_token"] for asked in auth.grants("refresh_token")]
        self.assertEqual(len(set(spent)), len(spent))  # Each once: they rotate.
        self.assertEqual(len(auth.saw("/authorize")), 1)
        self.assertEqual(gateway.stop(), 0)
        auth.expires = 3600
        again = self.start(stub, {"retry": "100ms"}, state=str(state))
        self.wait_up(again)
        self.assert_works(again)
        self.assertEqual(len(auth.saw("/authorize")), 1)

    def test_what_is_kept_is_sealed(self):
        auth = self.auth_server()
        stub = self.guarded(auth)
        state = self.folder / "state"
        gateway = self.start(stub, state=str(state))
        self.sign_in_own(gateway)
        self.assertEqual(gateway.stop(), 0)
        kept = {path.name: path for path in state.iterdir()}
        self.assertIn("tokens.sqlite", kept)
        for path in kept.values():
            self.assertEqual(path.stat().st_mode & 0o077, 0, path)
            text = path.read_bytes()
            for secret in (b"access-token-", b"refresh-token-", b"registered-secret", b"registered-"):
                self.assertNotIn(secret, text)
        # With another key it is as if nobody had signed in.
        kept["tokens.key"].unlink()
        again = self.start(stub, state=str(state))
        self.wait_detail(again, "wants you to sign in")
        self.assertEqual(stub.tokens_shown()[-1:], ["access-token-3"])

    def test_the_key_may_come_from_the_configuration(self):
        auth = self.auth_server()
        stub = self.guarded(auth)
        state = self.folder / "state"
        key = {"key": "A" * 43}
        gateway = self.start(stub, state=str(state), sign_in=key)
        self.sign_in_own(gateway)
        self.assertEqual(gateway.stop(), 0)
        self.assertFalse((state / "tokens.key").exists())
        self.wait_up(self.start(stub, state=str(state), sign_in=key))

    def test_a_renewal_that_is_refused_wants_a_person_again(self):
        auth = self.auth_server()
        stub = self.guarded(auth)
        gateway = self.start(stub, {"retry": "100ms"})
        self.sign_in_own(gateway)
        auth.refreshes.clear()
        auth.revoke()

        def asked_to_sign_in():
            return "sign in" in json.dumps(modern_call(gateway, "far__whoami"))

        wait_until(asked_to_sign_in, "the word to sign in")
        found = LINK.search(json.dumps(modern_call(gateway, "far__whoami")))
        self.assertEqual(Browser().sign_in(found[0])[0], 200)
        self.assert_works(gateway)
        # The client stays registered.
        self.assertEqual(len(auth.saw("/register")), 1)

    def test_an_outage_of_the_server_is_no_reason_to_sign_in(self):
        auth = self.auth_server()
        stub = self.guarded(auth)
        gateway = self.start(stub, {"retry": "100ms"})
        self.sign_in_own(gateway)
        auth.on["/token"] = lambda exchange: exchange.answer(503)
        auth.revoke()

        def fails():
            return "503" in json.dumps(modern_call(gateway, "far__whoami"))

        wait_until(fails, "a failed renewal")
        del auth.on["/token"]
        wait_until(lambda: "result" in modern_call(gateway, "far__whoami"), "a renewal")
        self.assertEqual(len(auth.saw("/authorize")), 1)

    def test_preregistered_client(self):
        auth = self.auth_server(registration_endpoint=None)
        stub = self.guarded(auth)
        client = {"client_id": CLIENT, "client_secret": SECRET, "issuer": auth.issuer}
        gateway = self.start(stub, client)
        self.sign_in_own(gateway)
        self.assertEqual(auth.saw("/authorize")[0].query["client_id"], CLIENT)
        self.assertIn("Authorization", auth.grants("authorization_code")[0].headers)
        self.assert_works(gateway)

    def test_a_configured_client_is_not_shown_to_the_issuer_of_an_old_token(self):
        """What was kept is renewed where it came from, and the secret belongs elsewhere."""
        first, second = self.auth_server(), self.auth_server()
        first.expires = 0  # To be renewed at once.
        stub = self.guarded(first)
        state = str(self.folder / "state")
        gateway = self.start(stub, state=state)
        self.wait_detail(gateway, "wants you to sign in")
        self.assertEqual(Browser().sign_in(self.link(gateway))[0], 200)
        self.assertEqual(gateway.stop(), 0)
        stub.auth = second
        client = {"client_id": CLIENT, "client_secret": SECRET, "issuer": second.issuer}
        again = self.start(stub, client, state=state)
        self.wait_detail(again, "wants you to sign in")
        shown = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        for asked in first.seen:
            self.assertNotIn(shown, asked.headers.get("Authorization", ""))
            self.assertNotIn(SECRET, str(asked.form))

    def test_client_documents(self):
        auth = self.auth_server(client_id_metadata_document_supported=True)
        document = "https://gateway.example/client.json"
        auth.clients[document] = None
        stub = self.guarded(auth)
        gateway = self.start(stub, {"client_document": document})
        self.sign_in_own(gateway)
        self.assertEqual(auth.saw("/authorize")[0].query["client_id"], document)
        self.assertEqual(auth.saw("/register"), [])

    def test_our_own_document(self):
        auth = self.auth_server()
        stub = self.guarded(auth)
        gateway = self.start(stub, sign_in={"url": "https://gateway.example/"})
        with gateway.connect() as connection:
            response = connection.request("GET", "/oauth/client/far")
        document = json.loads(response.body)
        self.assertEqual(document["client_id"], "https://gateway.example/oauth/client/far")
        callback = "https://gateway.example/oauth/callback/far"
        self.assertEqual(document["redirect_uris"], [callback])
        self.assertEqual(gateway.get("/oauth/client/other").status, 404)

    def test_offline_access_is_asked_for_where_it_is_known(self):
        for scopes, wanted in ((["read", "offline_access"], "read offline_access"), (None, "read")):
            with self.subTest(scopes=scopes):
                auth = self.auth_server(scopes_supported=scopes)
                gateway = self.start(self.guarded(auth, scope="read"))
                self.sign_in_own(gateway)
                self.assertEqual(auth.saw("/authorize")[0].query["scope"], wanted)

    def test_a_server_without_proofs_is_not_used(self):
        auth = self.auth_server(code_challenge_methods_supported=None)
        gateway = self.start(self.guarded(auth))
        self.wait_detail(gateway, "sign in")
        status, body = self.control(gateway, "POST", "far")
        self.assertEqual(status, 502)
        self.assertIn("PKCE", body["error"])

    def test_forgetting(self):
        auth = self.auth_server()
        gateway = self.start(self.guarded(auth))
        self.sign_in_own(gateway)
        self.assertEqual(self.control(gateway, "DELETE", "far")[0], 200)
        self.assertIn("sign in", json.dumps(modern_call(gateway, "far__whoami")))

    def test_migration_to_another_server(self):
        first, second = self.auth_server(), self.auth_server()
        second.prefix = "second-token-"
        stub = self.guarded(first)
        gateway = self.start(stub, {"retry": "100ms"})
        self.sign_in_own(gateway)
        stub.auth = second

        def asked_to_sign_in():
            return LINK.search(json.dumps(modern_call(gateway, "far__whoami")))

        wait_until(asked_to_sign_in, "the word to sign in")
        found = LINK.search(json.dumps(modern_call(gateway, "far__whoami")))
        self.assertEqual(Browser().sign_in(found[0])[0], 200)
        self.assert_works(gateway)
        # Nothing of the one was shown to the other.
        self.assertEqual(len(second.saw("/register")), 1)
        self.assertEqual(len(second.grants("refresh_token")), 0)


class Separation(SignInCase):
    """What one caller was given is never used for another."""

    def test_each_caller_signs_in(self):
        auth = self.auth_server()
        stub = self.guarded(auth)
        gateway = self.start(stub, callers=True)
        self.wait_detail(gateway, "sign in", BOSS)
        auth.who = "operator"
        self.sign_in_own(gateway, BOSS)
        for name, headers in (("ann", ANN), ("bob", BOB)):
            answer = call_as(gateway, "far__whoami", headers)
            self.assertTrue(answer["result"]["isError"])
            found = LINK.search(json.dumps(answer))
            auth.who = name
            browser = Browser(secret=secret_of(headers))
            self.assertEqual(browser.sign_in(found[0])[0], 200)
            self.assertEqual(text_of(call_as(gateway, "far__whoami", headers)), "stub")
            shown = stub.saw("tools/call")[-1].headers["Authorization"].removeprefix("Bearer ")
            self.assertEqual(auth.tokens[shown]["who"], name)
        # Again the first: nobody's token has changed hands.
        call_as(gateway, "far__whoami", ANN)
        shown = stub.saw("tools/call")[-1].headers["Authorization"].removeprefix("Bearer ")
        self.assertEqual(auth.tokens[shown]["who"], "ann")

    def test_shared_connections_have_one_token(self):
        auth = self.auth_server()
        stub = self.guarded(auth)
        gateway = self.start(stub, callers=True, settings={"isolation": "shared"})
        self.wait_detail(gateway, "sign in", BOSS)
        self.sign_in_own(gateway, BOSS)
        for headers in (ANN, BOB):
            self.assertEqual(text_of(call_as(gateway, "far__whoami", headers)), "stub")
        self.assertEqual(len(auth.saw("/authorize")), 1)

    def test_only_admins_sign_in_for_the_gateway(self):
        auth = self.auth_server()
        gateway = self.start(self.guarded(auth), callers=True)
        status, _ = self.control(gateway, "POST", "far?for=gateway", ANN)
        self.assertEqual(status, 403)
        status, _ = self.control(gateway, "POST", "far")
        self.assertEqual(status, 401)
        status, _ = self.control(gateway, "POST", "nothing", BOSS)
        self.assertEqual(status, 404)


class Returning(SignInCase):
    """Who comes back must be who went, from where they went."""

    def setUp(self):
        super().setUp()
        self.auth = self.auth_server()
        self.stub = self.guarded(self.auth)
        self.gateway = self.start(self.stub)
        self.wait_detail(self.gateway, "sign in")
        self.url = self.link(self.gateway)

    def depart(self, browser):
        """Where the browser is sent, and where that sends it back."""
        status, headers, _ = browser.request("POST", self.url)
        self.assertEqual(status, 303)
        _, back, _ = browser.request("GET", headers["Location"])
        return headers["Location"], back["Location"]

    def assert_refused(self, browser, url, words):
        status, _, text = browser.request("GET", url)
        self.assertGreaterEqual(status, 400, text)
        self.assertIn(words, text)
        self.assertEqual(self.auth.grants("authorization_code"), [])

    def changed(self, url, **changes):
        parts = urllib.parse.urlsplit(url)
        query = {**dict(urllib.parse.parse_qsl(parts.query)), **changes}
        query = {name: value for name, value in query.items() if value is not None}
        return parts._replace(query=urllib.parse.urlencode(query)).geturl()

    def test_another_browser(self):
        _, back = self.depart(Browser())
        self.assert_refused(Browser(), back, "this browser has not")

    def test_a_made_up_state(self):
        browser = Browser()
        _, back = self.depart(browser)
        self.assert_refused(browser, self.changed(back, state="0" * 64), "there is no sign-in")
        self.assert_refused(browser, self.changed(back, state=None), "there is no sign-in")

    def test_another_upstream(self):
        browser = Browser()
        _, back = self.depart(browser)
        self.assert_refused(browser, back.replace("/callback/far", "/callback/near"), "nobody")

    def test_issuers(self):
        right = self.auth.issuer
        for iss in (None, "https://evil.example", right + "/", right.upper()):
            with self.subTest(iss=iss):
                self.url = self.link(self.gateway)
                browser = Browser()
                _, back = self.depart(browser)
                self.assert_refused(browser, self.changed(back, iss=iss), "authorization server")

    def test_an_issuer_that_says_nothing_may_be_believed(self):
        auth = self.auth_server(authorization_response_iss_parameter_supported=None)
        auth.says_iss = "none"
        gateway = self.start(self.guarded(auth))
        self.wait_detail(gateway, "sign in")
        self.sign_in_own(gateway)

    def test_a_refusal_is_told(self):
        browser = Browser()
        _, back = self.depart(browser)
        url = self.changed(back, code=None, error="access_denied", error_description="<no>")
        self.assert_refused(browser, url, "access_denied: &lt;no&gt;")

    def test_a_code_is_good_once(self):
        browser = Browser()
        _, back = self.depart(browser)
        self.assertEqual(browser.request("GET", back)[0], 200)
        self.assertEqual(browser.request("GET", back)[0], 404)
        self.assertEqual(len(self.auth.grants("authorization_code")), 1)

    def test_a_link_that_nobody_gave(self):
        for path in ("/oauth/sign-in/" + "0" * 32, "/oauth/sign-in/", "/oauth/", "/oauth/x/y"):
            self.assertEqual(self.gateway.get(path).status, 404, path)

    def test_another_site_cannot_press_the_button(self):
        browser = Browser()
        status, _, _ = browser.request("POST", self.url, {"Origin": "https://evil.example"})
        parts = urllib.parse.urlsplit(self.url)
        with self.gateway.connect() as connection:
            response = connection.request("POST", parts.path, {"Origin": "https://evil.example"})
        self.assertEqual(response.status, 403)
        self.assertEqual(status, 303)  # The browser says where it is, whatever it was told.


class Asking(SignInCase):
    """Clients that can be asked are asked, in the course of the call."""

    def call_answering(self, gateway, answer):
        """A call by a client with a session that opens links; `answer` makes the result of each
        question."""
        capabilities = {"elicitation": {"url": {}}}
        session = self.enterContext(LegacySession(gateway, capabilities=capabilities))
        params = {"name": "far__whoami", "arguments": {}}
        message = {"jsonrpc": "2.0", "id": 70, "method": "tools/call", "params": params}
        last = None
        for event in session.post(message, self.enterContext(gateway.connect())).events():
            if not event.data:
                continue
            last = json.loads(event.data)
            if last.get("method") == "elicitation/create":
                result = {"jsonrpc": "2.0", "id": last["id"], "result": answer(last)}
                with gateway.connect() as connection:
                    session.post(result, connection).read()
        return last["result"]

    def test_a_client_that_opens_links(self):
        auth = self.auth_server()
        stub = self.guarded(auth, scope="read")
        stub.needs["tools/call"] = "write"
        gateway = self.start(stub)
        self.wait_detail(gateway, "sign in")
        self.sign_in_own(gateway)
        asked = []

        def answer(question):
            asked.append(question)
            status, text = Browser().sign_in(question["params"]["url"])
            self.assertEqual(status, 200, text)
            return {"action": "accept"}

        result = self.call_answering(gateway, answer)
        self.assertEqual(result["content"][0]["text"], "stub")
        self.assertEqual(len(asked), 1)
        self.assertEqual(asked[0]["params"]["mode"], "url")
        self.assertEqual(auth.saw("/authorize")[-1].query["scope"], "read write")

    def test_who_declines_is_told_so(self):
        auth = self.auth_server()
        stub = self.guarded(auth, scope="read")
        stub.needs["tools/call"] = "write"
        gateway = self.start(stub)
        self.wait_detail(gateway, "sign in")
        self.sign_in_own(gateway)
        result = self.call_answering(gateway, lambda _: {"action": "decline"})
        self.assertTrue(result["isError"])
        self.assertIn("not signed in", json.dumps(result))


    def test_a_client_without_a_session_that_opens_links(self):
        auth = self.auth_server()
        stub = self.guarded(auth, scope="read")
        stub.needs["tools/call"] = "write"
        gateway = self.start(stub)
        self.wait_detail(gateway, "sign in")
        self.sign_in_own(gateway)
        meta = {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {"url": {}}}}
        first = modern_call(gateway, "far__whoami", meta=meta)["result"]
        ((key, question),) = first["inputRequests"].items()
        self.assertEqual(Browser().sign_in(question["params"]["url"])[0], 200)
        params = {
            "name": "far__whoami",
            "arguments": {},
            "requestState": first["requestState"],
            "inputResponses": {key: {"action": "accept"}},
        }
        self.assertEqual(text_of(modern_request(gateway, "tools/call", params, meta=meta)), "stub")


class Stdio(SignInCase):
    def test_a_gateway_on_stdin_has_a_place_to_come_back_to(self):
        auth = self.auth_server()
        stub = self.guarded(auth)
        path = self.folder / "patchbay.yaml"
        upstream = stub.upstream(auth=CODE)
        path.write_text(to_yaml({"workers": 1, "upstreams": {"far": upstream}}), encoding="utf-8")
        with StdioFace([BINARY, "stdio", "-c", str(path)]) as face:
            line = face.stderr.wait_for(LINK.search)
            found = LINK.search(line)[0]
            self.assertEqual(Browser().sign_in(found)[0], 200)
            parts = urllib.parse.urlsplit(found)
            # Nothing else is served there.
            status, _, _ = Browser().request("POST", f"http://{parts.netloc}/mcp")
            self.assertEqual(status, 503)
            opening = {"protocolVersion": "2025-11-25", "capabilities": {}}
            opening["clientInfo"] = {"name": "test", "version": "1"}
            call = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": opening}
            face.request(call)
            numbers = itertools.count(2)

            def works():
                params = {"name": "far__whoami", "arguments": {}}
                message = {"jsonrpc": "2.0", "method": "tools/call", "params": params}
                answer = face.request({**message, "id": next(numbers)})
                return "result" in answer and text_of(answer) == "stub"

            wait_until(works, "the upstream to be there")
            self.assertEqual(face.close_stdin(), 0)


class Commands(SignInCase):
    def test_login_and_logout(self):
        auth = self.auth_server()
        gateway = self.start(self.guarded(auth))
        self.wait_detail(gateway, "sign in")
        process = subprocess.Popen(
            [BINARY, "login", gateway.url, "far"],
            env=clean_environment(),
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(process.stdout.close)
        url = next(found[0] for line in process.stdout if (found := LINK.search(line)))
        self.assertEqual(Browser().sign_in(url)[0], 200)
        self.assertEqual(process.wait(20), 0)
        self.assert_works(gateway)
        self.assertEqual(run("logout", gateway.url, "far").returncode, 0)
        self.assertIn("sign in", json.dumps(modern_call(gateway, "far__whoami")))
        self.assertEqual(run("login", gateway.url, "nothing").returncode, 5)


if __name__ == "__main__":
    main()
