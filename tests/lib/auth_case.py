"""Shared by the tests of authentication."""

import json
import re

from harness import ROOT, TestCase, answer_from, stateless_headers, stateless_message

TOKEN = "a-token-for-tests-0123456789"
OTHER = "another-token-for-tests-0123"
TOKENS = {
    "tokens": [
        {"name": "ci", "token": TOKEN, "roles": ["reader"]},
        {"name": "other", "token": OTHER},
    ]
}


def bearer(token=TOKEN):
    return {"Authorization": f"Bearer {token}"}


def call_as(gateway, tool, headers, **arguments):
    """The answer to a stateless call of a tool with these headers."""
    message = stateless_message("tools/call", {"name": tool, "arguments": arguments})
    with gateway.connect() as connection:
        connection.send("POST", "/mcp", {**stateless_headers(message), **headers}, message)
        return answer_from(connection.read_head())


def routes():
    """(path, methods, open) of every route, as the frontends register them."""
    found = []
    for file in sorted((ROOT / "src" / "frontends").glob("*/frontend.*")):
        source = file.read_text(encoding="utf-8")
        source = source.replace("{kMetadataPath,", '{"/.well-known/oauth-protected-resource",')
        rows = re.findall(r'\{"(/[^"]*)",\s*"([A-Z*][A-Z, ]*)",\s*&[\w.()]+?(,\s*true)?\}', source)
        if len(rows) != len(re.findall(r'\{"/[^"]*",\s*"[A-Z*]', source)):
            raise AssertionError(f"{file} registers routes in a way that this test cannot read")
        found += rows
    # The root is open for browsers, which are led to the console, and for nobody else.
    return [
        (path, methods.split(", "), bool(is_open) and path != "/") for path, methods, is_open in found
    ]


class AuthCase(TestCase):
    def list_tools(self, gateway, headers=None):
        """A stateless tools/list; the response as it came."""
        message = stateless_message("tools/list")
        with gateway.connect() as connection:
            return connection.request(
                "POST", "/mcp", {**stateless_headers(message), **(headers or {})}, message
            )

    def status(self, gateway, headers=None):
        return self.list_tools(gateway, headers).status

    def assert_let_in(self, gateway, headers):
        response = self.list_tools(gateway, headers)
        self.assertEqual(response.status, 200, response.body)
        self.assertIn("tools", json.loads(response.body)["result"])

    def assert_refused(self, gateway, headers, status=401):
        response = self.list_tools(gateway, headers)
        self.assertEqual(response.status, status, response.body)
        return response
