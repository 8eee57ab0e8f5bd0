"""Signing in to upstreams: the authorization code, its owner, and the stored tokens."""

import base64
import itertools
import json
import subprocess
import sys
import urllib.parse

sys.path.insert(1, sys.path[0] + "/../lib")

from auth_case import call_as
from browser import Browser
from harness import (
    BINARY,
    Gateway,
    McpSession,
    StdioFrontend,
    clean_environment,
    main,
    run,
    stateless_call,
    stateless_request,
    text_of,
    to_yaml,
    wait_until,
)
from oauth_server import CLIENT, SECRET
from sign_in_case import ANN, BOB, BOSS, CODE, LINK, SignInCase, secret_of


class SignIn(SignInCase):
    def test_a_person_signs_in_once(self):
        for stateless in (False, True):
            with self.subTest(stateless=stateless):
                auth = self.auth_server()
                stub = self.guarded(auth, stateless=stateless, scope="read")
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

    def test_a_server_that_names_its_metadata_needs_no_setting(self):
        auth = self.auth_server()
        stub = self.guarded(auth)
        state = self.folder / "state"
        config = {"workers": 1, "upstreams": {"far": stub.upstream()}, "state": str(state)}
        gateway = self.enterContext(Gateway(config))
        self.wait_detail(gateway, "wants you to sign in")
        self.sign_in_own(gateway)
        self.assert_works(gateway)
        self.assertEqual(gateway.stop(), 0)
        again = self.enterContext(Gateway(config))
        self.wait_up(again)
        self.assert_works(again)
        self.assertEqual(len(auth.saw("/authorize")), 1)

    def test_the_page_names_the_caller_and_cannot_be_framed(self):
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

    def test_a_token_is_renewed_and_the_renewed_one_stored(self):
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

    def test_what_is_stored_is_sealed(self):
        auth = self.auth_server()
        stub = self.guarded(auth)
        state = self.folder / "state"
        gateway = self.start(stub, state=str(state))
        self.sign_in_own(gateway)
        self.assertEqual(gateway.stop(), 0)
        saved = {path.name: path for path in state.iterdir()}
        self.assertIn("tokens.sqlite", saved)
        for path in saved.values():
            self.assertEqual(path.stat().st_mode & 0o077, 0, path)
            text = path.read_bytes()
            for secret in (b"access-token-", b"refresh-token-", b"registered-secret", b"registered-"):
                self.assertNotIn(secret, text)
        # With another key the stored sign-in is not usable.
        saved["tokens.key"].unlink()
        again = self.start(stub, state=str(state))
        self.wait_detail(again, "wants you to sign in")
        self.assertEqual(stub.tokens_presented()[-1:], ["access-token-3"])

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
            return "sign in" in json.dumps(stateless_call(gateway, "far__whoami"))

        wait_until(asked_to_sign_in, "the word to sign in")
        found = LINK.search(json.dumps(stateless_call(gateway, "far__whoami")))
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
            return "503" in json.dumps(stateless_call(gateway, "far__whoami"))

        wait_until(fails, "a failed renewal")
        del auth.on["/token"]
        wait_until(lambda: "result" in stateless_call(gateway, "far__whoami"), "a renewal")
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

    def test_a_configured_client_is_not_sent_to_the_issuer_of_an_old_token(self):
        """A stored token is renewed at its issuer, and the secret belongs to another."""
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
        presented = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        for asked in first.seen:
            self.assertNotIn(presented, asked.headers.get("Authorization", ""))
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
        self.assertIn("sign in", json.dumps(stateless_call(gateway, "far__whoami")))

    def test_migration_to_another_server(self):
        first, second = self.auth_server(), self.auth_server()
        second.prefix = "second-token-"
        stub = self.guarded(first)
        gateway = self.start(stub, {"retry": "100ms"})
        self.sign_in_own(gateway)
        stub.auth = second

        def asked_to_sign_in():
            return LINK.search(json.dumps(stateless_call(gateway, "far__whoami")))

        wait_until(asked_to_sign_in, "the word to sign in")
        found = LINK.search(json.dumps(stateless_call(gateway, "far__whoami")))
        self.assertEqual(Browser().sign_in(found[0])[0], 200)
        self.assert_works(gateway)
        # Nothing of the one was sent to the other.
        self.assertEqual(len(second.saw("/register")), 1)
        self.assertEqual(len(second.grants("refresh_token")), 0)


class Separation(SignInCase):
    """The token of one caller is never used for another."""

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
            presented = stub.saw("tools/call")[-1].headers["Authorization"].removeprefix("Bearer ")
            self.assertEqual(auth.tokens[presented]["who"], name)
        # Again the first: each caller still has its own token.
        call_as(gateway, "far__whoami", ANN)
        presented = stub.saw("tools/call")[-1].headers["Authorization"].removeprefix("Bearer ")
        self.assertEqual(auth.tokens[presented]["who"], "ann")

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
    """The callback must come from the browser that started the sign-in."""

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

    def assert_refused(self, browser, url, expected):
        status, _, text = browser.request("GET", url)
        self.assertGreaterEqual(status, 400, text)
        self.assertIn(expected, text)
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
        self.assert_refused(browser, back.replace("/callback/far", "/callback/near"), "there is no sign-in")

    def test_issuers(self):
        right = self.auth.issuer
        for iss in (None, "https://evil.example", right + "/", right.upper()):
            with self.subTest(iss=iss):
                self.url = self.link(self.gateway)
                browser = Browser()
                _, back = self.depart(browser)
                self.assert_refused(browser, self.changed(back, iss=iss), "authorization server")

    def test_an_issuer_without_iss_support_is_accepted(self):
        auth = self.auth_server(authorization_response_iss_parameter_supported=None)
        auth.sends_iss = "none"
        gateway = self.start(self.guarded(auth))
        self.wait_detail(gateway, "sign in")
        self.sign_in_own(gateway)

    def test_a_refusal_is_reported(self):
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
        self.assertEqual(status, 303)  # The browser sends its own origin in any case.


class Asking(SignInCase):
    """Clients that can be asked are asked, in the course of the call."""

    def call_answering(self, gateway, answer):
        """A call by a client with a session that opens links; `answer` makes the result of each
        question."""
        capabilities = {"elicitation": {"url": {}}}
        session = self.enterContext(McpSession(gateway, capabilities=capabilities))
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

    def test_declining_is_reported(self):
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
        first = stateless_call(gateway, "far__whoami", meta=meta)["result"]
        ((key, question),) = first["inputRequests"].items()
        self.assertEqual(Browser().sign_in(question["params"]["url"])[0], 200)
        params = {
            "name": "far__whoami",
            "arguments": {},
            "requestState": first["requestState"],
            "inputResponses": {key: {"action": "accept"}},
        }
        self.assertEqual(text_of(stateless_request(gateway, "tools/call", params, meta=meta)), "stub")


class Stdio(SignInCase):
    def test_a_gateway_on_stdin_has_a_redirect_endpoint(self):
        auth = self.auth_server()
        stub = self.guarded(auth)
        path = self.folder / "patchbay.yaml"
        upstream = stub.upstream(auth=CODE)
        path.write_text(to_yaml({"workers": 1, "upstreams": {"far": upstream}}), encoding="utf-8")
        with StdioFrontend([BINARY, "stdio", "-c", str(path)]) as frontend:
            line = frontend.stderr.wait_for(LINK.search)
            found = LINK.search(line)[0]
            self.assertEqual(Browser().sign_in(found)[0], 200)
            parts = urllib.parse.urlsplit(found)
            # Nothing else is served there.
            status, _, _ = Browser().request("POST", f"http://{parts.netloc}/mcp")
            self.assertEqual(status, 503)
            handshake = {"protocolVersion": "2025-11-25", "capabilities": {}}
            handshake["clientInfo"] = {"name": "test", "version": "1"}
            call = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": handshake}
            frontend.request(call)
            numbers = itertools.count(2)

            def works():
                params = {"name": "far__whoami", "arguments": {}}
                message = {"jsonrpc": "2.0", "method": "tools/call", "params": params}
                answer = frontend.request({**message, "id": next(numbers)})
                return "result" in answer and text_of(answer) == "stub"

            wait_until(works, "the upstream to be there")
            self.assertEqual(frontend.close_stdin(), 0)


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
        self.assertIn("sign in", json.dumps(stateless_call(gateway, "far__whoami")))
        self.assertEqual(run("login", gateway.url, "nothing").returncode, 5)


if __name__ == "__main__":
    main()
