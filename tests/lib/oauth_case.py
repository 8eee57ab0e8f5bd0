"""Shared by the tests of credentials towards upstreams."""

import json
import pathlib
import tempfile

from harness import Gateway, TestCase, stateless_call, text_of, wait_until
from oauth_server import CLIENT, SECRET, AuthServer, Guarded

CREDENTIALS = {"kind": "client_credentials", "client_id": CLIENT, "client_secret": SECRET}


def credentials(stub):
    """The gateway as a client of the authorization server of that stub, if it has one."""
    return {**CREDENTIALS, "issuer": stub.auth.issuer} if hasattr(stub, "auth") else CREDENTIALS


class OauthCase(TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def auth_server(self, **options):
        return self.enterContext(AuthServer(**options))

    def guarded(self, auth, **options):
        return self.enterContext(Guarded(auth, **options))

    def gateway(self, stub, auth=None, settings=None, **more):
        """A gateway with one worker whose upstream `far` is the stub."""
        upstream = stub.upstream(auth={**credentials(stub), **(auth or {})}, **(settings or {}))
        config = {"workers": 1, "upstreams": {"far": upstream}, **more}
        return self.enterContext(Gateway(config))

    def state(self, gateway, headers=None):
        """(up, detail) of the upstream, as a caller with these headers sees it."""
        lines = json.loads(gateway.get("/ready", headers).body)["upstreams"]
        one = next(line for line in lines if line["name"] == "far")
        return one["state"] == "up", one.get("detail", "")

    def wait_up(self, gateway, headers=None):
        wait_until(lambda: self.state(gateway, headers)[0], "the upstream to be up")

    def wait_detail(self, gateway, message, headers=None):
        """Waits until the upstream is down for a reason that contains the message."""

        def is_down():
            return message in self.state(gateway, headers)[1]

        wait_until(is_down, f"the upstream to be down: {message}")

    def assert_works(self, gateway, **options):
        self.assertEqual(text_of(stateless_call(gateway, "far__whoami", **options)), "stub")

    def assert_no_secret(self, gateway, *secrets):
        """It is neither in the log nor in anything that the gateway reports."""
        visible = gateway.stderr.text() + gateway.get("/metrics").body.decode()
        visible += gateway.get("/ready").body.decode()
        for secret in (SECRET, "access-token-", "refresh-token-", "Bearer ", *secrets):
            self.assertNotIn(secret, visible)
