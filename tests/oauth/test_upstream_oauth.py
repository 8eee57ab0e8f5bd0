"""Authenticating to upstreams: tokens that are configured or fetched.

The authorization server and the MCP server are those of oauth_server.py.
"""

import base64
import json
import sys
import threading
import time

sys.path.insert(1, sys.path[0] + "/../lib")

from auth_case import TOKEN, TOKENS
from harness import Gateway, main, run, stateless_call, text_of, to_yaml, wait_until
from jwt_issuer import Key
from oauth_case import CREDENTIALS, OauthCase, credentials
from oauth_server import CLIENT, SECRET
from stub_server import StubServer


def part_of(token, number):
    text = token.split(".")[number]
    return json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))


def outlive_retry():
    """Lets the 100 ms pass for which a new token is not replaced."""
    time.sleep(0.11)


class Bearer(OauthCase):
    def stub_that_wants(self, token):
        stub = self.enterContext(StubServer())
        plain, wanted = stub.serve, [token]

        def serve(exchange):
            if exchange.headers.get("Authorization") != f"Bearer {wanted[0]}":
                return exchange.answer(401, {})
            return plain(exchange)

        stub.serve = serve
        return stub, wanted

    def test_a_token_from_the_environment(self):
        stub, _ = self.stub_that_wants("from-the-environment")
        upstream = stub.upstream(auth={"kind": "bearer", "token": "${env:FAR_TOKEN}"})
        config = {"workers": 1, "upstreams": {"far": upstream}}
        env = {"FAR_TOKEN": "from-the-environment"}
        gateway = self.enterContext(Gateway(config, env=env))
        self.assert_works(gateway)
        self.assert_no_secret(gateway, "from-the-environment")

    def test_a_token_in_a_file_may_change(self):
        stub, wanted = self.stub_that_wants("first-token")
        path = self.folder / "token"
        path.write_text("first-token\n", encoding="ascii")
        auth = {"kind": "bearer", "token_file": str(path), "retry_interval": "100ms"}
        auth |= {"client_id": "", "client_secret": ""}
        gateway = self.gateway(stub, auth)
        self.assert_works(gateway)
        path.write_text("second-token\n", encoding="ascii")
        wanted[0] = "second-token"
        wait_until(lambda: "error" not in stateless_call(gateway, "far__whoami"), "the other token")
        self.assert_no_secret(gateway, "first-token", "second-token")


class EveryTransport(OauthCase):
    """A gateway behind a gateway: the one in front sends the credentials that the other requires."""

    def test_http_and_event_streams(self):
        behind = self.enterContext(Gateway({"workers": 1, "auth": TOKENS}))
        root = f"http://127.0.0.1:{behind.port}"
        refusals = {"http": "the token is unknown", "sse": "401"}
        for kind, url in (("http", f"{root}/mcp"), ("sse", f"{root}/sse")):
            for token, works in ((TOKEN, True), ("another-token-0123456789", False)):
                with self.subTest(kind=kind, works=works):
                    auth = {"kind": "bearer", "token": token}
                    upstream = {"kind": kind, "url": url, "auth": auth}
                    config = {"workers": 1, "upstreams": {"far": upstream}}
                    front = self.enterContext(Gateway(config))
                    if works:
                        answer = stateless_call(front, "far__skills__echo", text="hi")
                        self.assertEqual(text_of(answer), "hi")
                    else:
                        self.wait_detail(front, refusals[kind])
                    self.assert_no_secret(front, token)


class ClientCredentials(OauthCase):
    def test_the_issuer_is_asked_before_the_upstream(self):
        for stateless in (False, True):
            with self.subTest(stateless=stateless):
                auth = self.auth_server()
                stub = self.guarded(auth, stateless=stateless)
                stub.metadata["scopes_supported"] = ["read"]
                gateway = self.gateway(stub)
                self.assert_works(gateway)
                (asked,) = auth.grants("client_credentials")
                self.assertEqual(asked.form["resource"], stub.url)
                self.assertEqual(asked.form["scope"], "read")
                self.assertNotIn("client_secret", asked.form)
                self.assertNotIn(None, stub.presented)
                self.assertEqual(stub.tokens_presented(), ["access-token-1"])
                self.assert_no_secret(gateway)

    def test_metadata_are_looked_for_in_the_prescribed_order(self):
        auth = self.auth_server(path="/tenant")
        locations = [
            "/.well-known/oauth-authorization-server/tenant",
            "/.well-known/openid-configuration/tenant",
            "/tenant/.well-known/openid-configuration",
        ]
        for location in locations[:2]:
            auth.on[location] = lambda exchange: exchange.answer(404)
        auth.on[locations[2]] = lambda exchange: exchange.answer(200, auth.metadata())
        stub = self.guarded(auth, in_header=False)
        self.assert_works(self.gateway(stub))
        asked = [one.path for one in auth.seen if "well-known" in one.path]
        self.assertEqual(asked, locations)
        self.assertEqual(
            [one.path for one in stub.seen if "well-known" in one.path],
            ["/.well-known/oauth-protected-resource/mcp"],
        )

    def test_every_client_authentication_method(self):
        for method in ("client_secret_basic", "client_secret_post"):
            with self.subTest(method=method):
                auth = self.auth_server(token_endpoint_auth_methods_supported=[method])
                auth.clients["an id: 1%"] = "a secret&: +/%"
                stub = self.guarded(auth)
                settings = {"client_id": "an id: 1%", "client_secret": "a secret&: +/%"}
                self.assert_works(self.gateway(stub, settings))
                (asked,) = auth.grants("client_credentials")
                self.assertEqual("client_secret" in asked.form, method == "client_secret_post")
                self.assertEqual("Authorization" in asked.headers, method == "client_secret_basic")

    def test_a_signature_instead_of_a_secret(self):
        for algorithm in ("ES256", "PS256", "EdDSA"):
            with self.subTest(algorithm=algorithm):
                auth, key = self.auth_server(), Key("our-key", algorithm)
                path = self.folder / f"{algorithm}.pem"
                path.write_bytes(key.pem)
                reply = []
                auth.check_assertion = lambda text, reply=reply: reply.append(text) or CLIENT
                settings = {"key": str(path), "key_id": "our-key", "client_secret": ""}
                settings["algorithm"] = algorithm
                self.assert_works(self.gateway(self.guarded(auth), settings))
                header, claims = part_of(reply[0], 0), part_of(reply[0], 1)
                self.assertEqual((header["alg"], header["kid"]), (algorithm, "our-key"))
                self.assertEqual((claims["iss"], claims["sub"]), (CLIENT, CLIENT))
                self.assertEqual(claims["aud"], auth.issuer)
                self.assertLess(abs(claims["iat"] - time.time()), 60)
                text, _, signature = reply[0].rpartition(".")
                self.assertTrue(self.verifies(key, text, signature, algorithm))

    def verifies(self, key, text, signature, algorithm):
        """By the gateway itself as a resource server: it takes what the key has signed."""
        raw = base64.urlsafe_b64decode(signature + "=" * (-len(signature) % 4))
        if algorithm == "EdDSA":
            return raw == key.sign(text.encode())  # The only signature there is.
        return verify_with_openssl(key, text.encode(), raw, algorithm, self.folder)

    def test_a_token_is_renewed_before_it_expires(self):
        auth = self.auth_server()
        auth.expires = 2
        stub = self.guarded(auth)
        gateway = self.gateway(stub, {"renew_before": "60s", "retry_interval": "100ms"})
        self.assert_works(gateway)
        first = stub.tokens_presented()

        def renewed():
            self.assert_works(gateway)
            return len(stub.tokens_presented()) > len(first)

        wait_until(renewed, "another token")
        # It was never seen that the first one had expired.
        self.assertNotIn(None, stub.presented)

    def test_a_revoked_token_is_replaced_and_the_call_made_once(self):
        auth = self.auth_server()
        stub = self.guarded(auth)
        gateway = self.gateway(stub, {"retry_interval": "100ms"})
        self.assert_works(gateway)
        outlive_retry()
        auth.revoke()
        self.assert_works(gateway)
        self.assertEqual(len(stub.saw("tools/call")), 3)
        self.assertEqual(len(auth.grants("client_credentials")), 2)

    def test_a_token_that_has_just_come_is_not_replaced(self):
        auth = self.auth_server()
        stub = self.guarded(auth)
        gateway = self.gateway(stub, {"retry": "1h"})
        self.assert_works(gateway)
        auth.revoke()
        for _ in range(3):
            self.assertIn("401", json.dumps(stateless_call(gateway, "far__whoami")))
        self.assertEqual(len(auth.grants("client_credentials")), 1)

    def test_many_calls_wait_for_one_token(self):
        auth = self.auth_server()
        stub = self.guarded(auth)
        upstream = stub.upstream(auth={**credentials(stub), "retry_interval": "100ms"})
        config = {"workers": 4, "upstreams": {"far": upstream}}
        gateway = self.enterContext(Gateway(config))
        self.assert_works(gateway)
        before = len(auth.grants("client_credentials"))
        outlive_retry()
        auth.revoke()
        errors = []

        def call():
            answer = stateless_call(gateway, "far__whoami")
            if "result" not in answer:
                errors.append(answer)

        threads = [threading.Thread(target=call) for _ in range(24)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(errors, [])
        self.assertEqual(len(auth.grants("client_credentials")), before + 1)

    def test_a_call_that_needs_more_gets_more(self):
        auth = self.auth_server()
        stub = self.guarded(auth, scope="read")
        stub.needs["tools/call"] = "write"
        gateway = self.gateway(stub, {"scopes": ["read"]})
        self.assert_works(gateway)
        self.assertEqual(
            [asked.form["scope"] for asked in auth.grants("client_credentials")],
            ["read", "read write"],
        )

    def test_what_is_not_granted_is_not_asked_for_again(self):
        auth = self.auth_server()
        stub = self.guarded(auth, scope="read")
        stub.needs["tools/call"] = "write"
        plain = auth.issue
        auth.issue = lambda grant, **more: plain({**grant, "scope": "read"}, **more)
        gateway = self.gateway(stub)
        for _ in range(3):
            self.assertIn("403", json.dumps(stateless_call(gateway, "far__whoami")))
        self.assertEqual(len(auth.grants("client_credentials")), 2)

    def test_configured_endpoint_and_scopes(self):
        auth = self.auth_server()
        auth.on["/.well-known/oauth-authorization-server"] = lambda e: e.answer(404)
        stub = self.guarded(auth, scope="read")
        settings = {"token_url": auth.root + "/token", "scopes": ["mine", "yours"]}
        gateway = self.gateway(stub, settings)
        self.assert_works(gateway)
        (asked,) = auth.grants("client_credentials")
        self.assertEqual(asked.form["scope"], "mine yours")
        # Known from the beginning: no request went without.
        self.assertNotIn(None, stub.presented)
        self.assertEqual([one.path for one in auth.seen], ["/token"])


class Distrust(OauthCase):
    """Answers of servers that must not be trusted, or not be waited for."""

    def assert_no_token(self, stub, expected, settings=None):
        gateway = self.gateway(stub, settings)
        self.wait_detail(gateway, expected)
        self.assertEqual(stub.tokens_presented(), [])
        self.assert_no_secret(gateway)
        return gateway

    def assert_nobody_can_sign_in(self, stub, expected):
        """The same where the upstream names its authorization server."""
        code = {"kind": "authorization_code"}
        config = {"workers": 1, "upstreams": {"far": stub.upstream(auth=code)}}
        gateway = self.enterContext(Gateway(config))
        with gateway.connect() as connection:
            response = connection.request("POST", "/control/sign-ins/far")
        self.assertIn(response.status, (502, 503), response.body)
        self.assertIn(expected, json.loads(response.body)["error"])

    def test_metadata_of_another_resource(self):
        auth = self.auth_server()
        for resource in ("https://evil.example/mcp", "{root}/other", "{root}/mc", "{root}/mcp?a=1"):
            with self.subTest(resource=resource):
                stub = self.guarded(auth)
                stub.metadata["resource"] = resource.format(root=stub.root)
                self.assert_nobody_can_sign_in(stub, "which is not this server")
        self.assertEqual(auth.saw("/token"), [])

    def test_metadata_of_another_issuer(self):
        auth = self.auth_server()
        for issuer in ("https://evil.example", f"{auth.issuer}/", auth.issuer.upper()):
            with self.subTest(issuer=issuer):
                auth.more["issuer"] = issuer
                self.assert_no_token(self.guarded(auth), "are those of another")
        self.assertEqual(auth.saw("/token"), [])

    def test_an_issuer_that_is_not_the_configured_one(self):
        auth, other = self.auth_server(), self.auth_server()
        self.assert_no_token(
            self.guarded(auth), "do not name the configured issuer", {"issuer": other.issuer}
        )
        self.assertEqual(auth.saw("/token") + other.saw("/token"), [])

    def test_locations_that_are_not_requested(self):
        auth = self.auth_server()
        for location, expected in (
            ("http://192.0.2.1/as", "is not https"),
            ("https://169.254.169.254/latest", "an address that is not allowed"),
            ("https://[fe80::1]/as", "an address that is not allowed"),
            ("file:///etc/passwd", "/etc/passwd"),
        ):
            with self.subTest(location=location):
                stub = self.guarded(auth)
                stub.metadata["authorization_servers"] = [location]
                self.assert_nobody_can_sign_in(stub, expected)

    def test_redirects_are_not_followed(self):
        auth, other = self.auth_server(), self.auth_server()
        location = "/.well-known/oauth-authorization-server"
        auth.on[location] = lambda exchange: exchange.answer(302, Location=other.root + location)
        self.assert_no_token(self.guarded(auth), "HTTP status 302")
        del auth.on[location]
        auth.on["/token"] = lambda exchange: exchange.answer(307, Location=other.root + "/token")
        self.assert_no_token(self.guarded(auth), "HTTP status 307")
        self.assertEqual(other.seen, [])

    def test_rubbish_for_metadata(self):
        auth = self.auth_server()
        location = "/.well-known/oauth-authorization-server"
        for body in (b"<html>", b"[]", b"{", b'{"issuer":1}', b"\xff\xfe", b"{}" * 2):
            with self.subTest(body=body):
                auth.on[location] = lambda exchange, body=body: exchange.answer(200, body)
                self.assert_no_token(self.guarded(auth), "the metadata of the authorization server")

    def test_metadata_that_are_too_large(self):
        auth = self.auth_server()
        auth.more["padding"] = "x" * 20_000
        self.assert_no_token(self.guarded(auth), "exceeds 16384 bytes", {"answer": "16KiB"})

    def test_metadata_that_take_too_long(self):
        auth, release = self.auth_server(), threading.Event()
        self.addCleanup(release.set)
        location = "/.well-known/oauth-authorization-server"
        auth.on[location] = lambda exchange: release.wait(60)
        self.assert_no_token(self.guarded(auth), "too slow", {"fetch_time": "200ms"})

    def test_answers_of_token_endpoints(self):
        auth = self.auth_server()
        stub = self.guarded(auth)
        cases = [
            (lambda e: e.refuse("invalid_scope"), "invalid_scope: because invalid_scope"),
            (lambda e: e.refuse("invalid_client", 401), "invalid_client"),
            (lambda e: e.answer(500, b"oops"), "HTTP status 500"),
            (lambda e: e.answer(200, b"oops"), "not a JSON object"),
            (lambda e: e.answer(200, {"access_token": "a b", "token_type": "Bearer"}), "no valid `access"),
            (lambda e: e.answer(200, {"access_token": "a\r\nX: y", "token_type": "Bearer"}), "no valid `a"),
            (lambda e: e.answer(200, {"access_token": "abc", "token_type": "mac"}), "not Bearer"),
            (lambda e: e.answer(200, {"token_type": "Bearer"}), "no valid `access_token`"),
        ]
        for answer, expected in cases:
            with self.subTest(expected=expected):
                auth.on["/token"] = answer
                self.assert_no_token(stub, expected)

    def test_a_failing_endpoint_is_left_alone_for_a_while(self):
        auth = self.auth_server()
        auth.on["/token"] = lambda exchange: exchange.answer(503)
        stub = self.guarded(auth)
        gateway = self.assert_no_token(stub, "HTTP status 503", {"retry": "1h"})
        restarts = "patchbay_upstream_restarts_total"
        wait_until(lambda: gateway.metric(restarts, upstream="far") > 3, "further attempts")
        self.assertEqual(len(auth.saw("/token")), 1)
        self.assertEqual(gateway.metric("patchbay_upstream_tokens_total", outcome="failed"), 1)

    def test_a_wrong_secret_is_not_revealed(self):
        auth = self.auth_server()
        stub = self.guarded(auth)
        secret = "wrong-secret-7c2e"
        gateway = self.assert_no_token(stub, "invalid_client", {"client_secret": secret})
        self.assert_no_secret(gateway, secret)


class Configuration(OauthCase):
    def test_an_upstream_does_not_choose_where_credentials_go(self):
        """Without an issuer, a secret would go to whatever server the upstream names."""
        token = self.folder / "token"
        token.write_text("a.workload.token", encoding="ascii")
        token.chmod(0o600)
        client = {"client_id": CLIENT, "client_secret": SECRET}
        cases = [
            {"kind": "client_credentials", **client},
            {"kind": "token_exchange", **client},
            {"kind": "token_exchange", "client_id": CLIENT},
            {"kind": "jwt_bearer", "client_id": CLIENT, "token_file": str(token)},
            {"kind": "authorization_code", **client},
            {"kind": "authorization_code", "client_id": CLIENT},
        ]
        for auth in cases:
            with self.subTest(auth=auth):
                code, reply = self.fault(auth)
                self.assertNotEqual(code, 0, reply)
                self.assertIn("issuer", reply)
                self.assertIn("the upstream must not choose another", reply)
                self.assertNotIn(SECRET, reply)
                code, reply = self.fault({**auth, "issuer": "https://as.example"})
                self.assertEqual(code, 0, reply)
                # A token endpoint offers no sign-in.
                code, reply = self.fault({**auth, "token_url": "https://as.example/token"})
                self.assertEqual(code == 0, auth["kind"] != "authorization_code", reply)
        # Here the server that the upstream names gives us what we show it later.
        code, reply = self.fault({"kind": "authorization_code"})
        self.assertEqual(code, 0, reply)

    def fault(self, auth, **upstream):
        entry = {"kind": "http", "url": "https://far.example/mcp", "auth": auth, **upstream}
        path = self.folder / "patchbay.yaml"
        path.write_text(to_yaml({"upstreams": {"far": entry}}), encoding="utf-8")
        done = run("check", str(path))
        return done.returncode, done.stdout + done.stderr

    def test_faults_are_found_when_the_file_is_read(self):
        cases = [
            ({"kind": "bearer"}, "needs either token or token_file"),
            ({"kind": "bearer", "token": "a b"}, "characters that are not allowed"),
            ({"kind": "bearer", "token_file": "/nonexistent"}, "token_file"),
            ({"kind": "client_credentials"}, "client_id is missing"),
            (
                {"kind": "client_credentials", "client_id": "x", "token_url": "https://as.example"},
                "client_secret or a key",
            ),
            ({**CREDENTIALS, "issuer": "http://as.example"}, "is not https"),
            ({**CREDENTIALS, "key": "/nonexistent"}, "key"),
            ({**CREDENTIALS, "kind": "magic"}, "client_credentials"),
        ]
        for auth, expected in cases:
            with self.subTest(auth=auth):
                code, reply = self.fault(auth)
                self.assertNotEqual(code, 0, reply)
                self.assertIn(expected, reply)
                self.assertNotIn(SECRET, reply)
        known = {**CREDENTIALS, "issuer": "https://as.example"}
        code, reply = self.fault(known, headers={"Authorization": "Basic abc"})
        self.assertIn("would be sent twice", reply)
        code, reply = self.fault(known)
        self.assertEqual(code, 0, reply)


class OpenapiService(OauthCase):
    def test_calls_carry_the_token(self):
        auth = self.auth_server()
        presented = []

        def serve(exchange):
            token = (exchange.headers.get("Authorization") or "").removeprefix("Bearer ")
            presented.append(token)
            if not auth.is_good(token):
                return exchange.answer(401, {})
            return exchange.answer(200, {"pets": 3})

        auth.on["/pets"] = serve
        document = {
            "openapi": "3.0.0",
            "info": {"title": "pets", "version": "1"},
            "servers": [{"url": auth.root}],
            "paths": {"/pets": {"get": {"operationId": "pets", "responses": {}}}},
        }
        path = self.folder / "pets.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        upstream = {
            "kind": "openapi",
            "document": str(path),
            "auth": {**CREDENTIALS, "issuer": auth.issuer, "retry_interval": "100ms"},
        }
        gateway = self.enterContext(Gateway({"workers": 1, "upstreams": {"far": upstream}}))
        self.assertIn("3", text_of(stateless_call(gateway, "far__pets")))
        (asked,) = auth.grants("client_credentials")
        self.assertNotIn("resource", asked.form)
        self.assertEqual(presented, ["access-token-1"])
        outlive_retry()
        auth.revoke()
        self.assertIn("3", text_of(stateless_call(gateway, "far__pets")))
        self.assertEqual(presented, ["access-token-1", "access-token-1", "access-token-2"])


def verify_with_openssl(key, text, signature, algorithm, folder):
    import subprocess

    public, message, signed = (folder / name for name in ("public", "message", "signature"))
    public.write_bytes(key.public_pem())
    message.write_bytes(text)
    if algorithm.startswith("ES"):
        half = len(signature) // 2
        numbers = [signature[:half], signature[half:]]
        signature = b"".join(der_integer(number) for number in numbers)
        signature = b"\x30" + bytes([len(signature)]) + signature
    signed.write_bytes(signature)
    options = ["-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:digest"]
    command = ["openssl", "dgst", f"-sha{algorithm[2:]}", "-verify", str(public)]
    command += (options if algorithm[:2] == "PS" else []) + ["-signature", str(signed), str(message)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def der_integer(number):
    number = number.lstrip(b"\0")
    number = b"\0" + number if number[0] & 0x80 else number
    return b"\x02" + bytes([len(number)]) + number


if __name__ == "__main__":
    main()
