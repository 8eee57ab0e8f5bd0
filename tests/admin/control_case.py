"""Shared by the tests of the control API."""

import json

from auth_case import bearer, call_as
from harness import Gateway, TestCase, fake, fake_config, wait_until

ADMIN = "an-admin-for-tests-0123456789"
ANN = "ann-token-for-tests-0123456789"
BOB = "bob-token-for-tests-0123456789"
TOKENS = [
    {"name": "root", "token": ADMIN, "roles": ["admin"]},
    {"name": "ann", "token": ANN, "roles": ["reader"]},
    {"name": "bob", "token": BOB, "roles": ["guest"]},
]
RULES = [
    {"role": "admin", "allow": ["*"]},
    {"role": "reader", "allow": ["*"]},
    {"role": "guest", "allow": ["other.*"]},
]


def page(gateway, path, token=None, headers=None, method="GET"):
    """The response of a page below /control/v1."""
    fields = {**(bearer(token) if token else {}), **(headers or {})}
    with gateway.connect() as connection:
        return connection.request(method, "/control/v1/" + path, fields)


class ControlCase(TestCase):
    def ask(self, gateway, path, token=None):
        response = page(gateway, path, token)
        self.assertEqual(response.status, 200, (path, response.body[:500]))
        return json.loads(response.body)

    def calls(self, gateway, query="", token=None):
        return self.ask(gateway, "calls" + (f"?{query}" if query else ""), token)["calls"]

    def wait_calls(self, gateway, query, count, token=None):
        """The calls once there are that many: a call is recorded just after its answer is sent."""
        wait_until(lambda: len(self.calls(gateway, query, token)) >= count, f"{count} calls of {query}")
        found = self.calls(gateway, query, token)
        self.assertEqual(len(found), count, found)
        return found


class WithCallers(ControlCase):
    """A gateway with an admin, ann, who may use everything, and bob, who may use only `other`."""

    settings = {}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        upstreams = {"fake": fake(), "other": fake()}
        config = fake_config(upstreams, auth={"tokens": TOKENS}, rules=RULES, **cls.settings)
        cls.gateway = cls.enterClassContext(Gateway(config))

    def call(self, token, tool="fake__echo", **arguments):
        return call_as(self.gateway, tool, bearer(token), **arguments)
