"""The router's token from an authorization server: as a client, and by a person who signs in."""

import json
import pathlib
import stat
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import fake_config, main, run, wait_until
from oauth_server import CLIENT, SECRET, AuthServer
from test_router import RouterCase, initialize, text
from wire_client import call

PREFIX = "access-token-for-the-router-"
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"


class DeviceServer(AuthServer):
    """An authorization server with a device endpoint; the sign-in completes when `signed_in` is set."""

    def __init__(self):
        super().__init__()
        self.signed_in = self.denied = False
        self.prefix = PREFIX

    def __enter__(self):
        super().__enter__()
        self.more["device_authorization_endpoint"] = self.root + "/device"
        self.on["/device"] = self.device
        return self

    def device(self, exchange):
        if not self.client_of(exchange):
            return exchange.refuse("invalid_client", 401)
        answer = {"device_code": "a-secret-code", "user_code": "WDJB-MJHT", "interval": 1}
        answer["verification_uri"] = self.root + "/sign-in"
        return exchange.answer(200, {**answer, "expires_in": 60})

    def token(self, exchange):
        if exchange.form.get("grant_type") != DEVICE:
            return super().token(exchange)
        if exchange.form.get("device_code") != "a-secret-code" or not self.client_of(exchange):
            return exchange.refuse("invalid_grant")
        if self.denied:
            return exchange.refuse("access_denied")
        if not self.signed_in:
            return exchange.refuse("authorization_pending")
        return exchange.answer(200, self.issue({"client": CLIENT, "refreshable": True}))


class Oauth(RouterCase):
    def setUp(self):
        self.server = self.enterContext(DeviceServer())

    def start(self, *numbers):
        """A gateway that takes the tokens with these numbers."""
        auth = {"tokens": self.tokens(*numbers), "open": ["metrics"]}
        return self.gateway({"auth": auth})

    def tokens(self, *numbers):
        return [{"name": "router", "token": f"{PREFIX}{number}"} for number in numbers]

    def oauth(self, **more):
        return {"issuer": self.server.issuer, "client_id": CLIENT, "client_secret": SECRET, **more}

    def echo(self, router, request_id):
        return text(router.request(call("fake__echo", {"text": "x"}, request_id)))

    def test_as_a_client_with_a_secret(self):
        gateway = self.start(1)
        for url in self.both(gateway).values():
            self.server.numbers = iter(range(1, 100))
            router = self.router(url, {"oauth": self.oauth(scopes=["mcp"])})
            router.initialize()
            self.assertEqual(self.echo(router, 1), "x")
            self.assertEqual(self.server.grants("client_credentials")[-1].form["scope"], "mcp")
            self.assertNotIn(SECRET, router.stderr.text())

    def test_a_token_is_renewed_before_it_expires(self):
        gateway = self.start(*range(1, 50))
        self.server.expires = 2
        router = self.router(self.ws(gateway), {"oauth": self.oauth(renew_before="1s")})
        router.initialize()
        wait_until(lambda: len(self.server.grants("client_credentials")) > 2, "two renewals")
        self.assertEqual(self.echo(router, 1), "x")
        # One connection has lived through all of them.
        self.assertEqual(gateway.metric("patchbay_wire_sessions"), 1)

    def test_a_token_that_is_refused_is_replaced(self):
        gateway = self.start(1)
        router = self.router(self.ws(gateway), {"oauth": self.oauth()})
        router.initialize()
        config = {**fake_config(), "workers": 1, "wire": {"tcp": f"127.0.0.1:{gateway.wire_port}"}}
        gateway.write_config({**config, "auth": {"tokens": self.tokens(2)}})
        gateway.stderr.wait_for("reloaded")
        self.assertEqual(self.echo(router, 1), "x")
        self.assertEqual(len(self.server.grants("client_credentials")), 2)

    def test_the_reason_for_a_missing_token_is_reported(self):
        gateway = self.start(1)
        settings = {"oauth": self.oauth(client_secret="wrong"), "queue_timeout": "200ms"}
        router = self.router(self.ws(gateway), settings)
        router.send(initialize())
        self.assertIn("invalid_client", router.answer("init")["error"]["message"])

    def test_a_person_signs_in(self):
        gateway = self.start(*range(1, 9))
        folder = self.enterContext(tempfile.TemporaryDirectory())
        state = pathlib.Path(folder) / "state"
        settings = {"oauth": self.oauth(grant="device"), "state": str(state)}
        router = self.router(self.ws(gateway), settings)
        router.send(initialize())
        line = router.stderr.wait_for("sign in")
        self.assertIn("WDJB-MJHT", line)
        self.assertIn(self.server.root + "/sign-in", line)
        self.server.signed_in = True
        self.assertIn("result", router.answer("init"))
        self.assertEqual(self.echo(router, 1), "x")
        self.assertEqual(router.close_stdin(), 0)
        self.assertNotIn("a-secret-code", router.stderr.text())

        # The next run needs no person, and its stored token is not readable by others.
        self.server.signed_in = False
        saved = b"".join(path.read_bytes() for path in state.iterdir())
        self.assertNotIn(b"refresh-token", saved)
        self.assertEqual(stat.S_IMODE(state.stat().st_mode), 0o700)
        again = self.router(self.ws(gateway), settings)
        again.initialize()
        self.assertEqual(self.echo(again, 1), "x")
        self.assertNotIn("sign in", again.stderr.text())
        self.assertEqual(len(self.server.grants("refresh_token")), 1)

    def test_waiting_requests_explain_how_to_sign_in(self):
        gateway = self.start(1)
        settings = {"oauth": self.oauth(grant="device"), "queue_timeout": "300ms"}
        router = self.router(self.ws(gateway), settings)
        router.send(initialize())
        message = router.answer("init")["error"]["message"]
        self.assertIn("enter the code WDJB-MJHT", message)

    def test_a_server_that_refuses_is_asked_again_later(self):
        gateway = self.start(1)
        self.server.denied = True
        settings = {"oauth": self.oauth(grant="device"), "queue_timeout": "30s"}
        router = self.router(self.ws(gateway), settings)
        router.send(initialize())
        router.stderr.wait_for("the person refused to sign in")
        self.server.denied, self.server.signed_in = False, True
        self.assertIn("result", router.answer("init"))

    def test_bad_settings_are_named(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "router.json"
            for oauth, why in (
                ({"client_id": "a", "client_secret": "b"}, "oauth.issuer"),
                ({"issuer": "https://a.example", "client_id": "a"}, "client_secret"),
                ({"issuer": "http://a.example", "client_id": "a", "client_secret": "b"}, "oauth.issuer"),
            ):
                path.write_text(json.dumps({"gateway": "ws://localhost", "oauth": oauth}))
                done = run("router", "-c", str(path))
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertIn(why, done.stderr)


if __name__ == "__main__":
    main()
