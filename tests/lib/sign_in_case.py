"""Shared by the tests in which a person signs in for an upstream."""

import json
import re

from auth_case import bearer
from browser import Browser
from harness import Gateway
from oauth_case import OauthCase

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
    """The token in these headers, if there are any."""
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
