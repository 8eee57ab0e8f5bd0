"""Shared by the tests of REST: a gateway over three upstreams, and checks of errors."""

import json
import os
import sys

from harness import ROOT, Gateway, TestCase
from items_upstream import items

JSON = {"Content-Type": "application/json"}
STREAM = {**JSON, "Accept": "text/event-stream"}


def content_server():
    server = os.path.join(ROOT, "testing", "content_server.py")
    return {"kind": "stdio", "command": sys.executable, "args": ["-S", server]}


class RestCase(TestCase):
    settings = {}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        upstreams = {"skills": {"kind": "builtin"}, "con": content_server(), "ask": items("ask")}
        # Two workers, so that answers to questions also come to the other one.
        config = {"workers": 2, "upstreams": upstreams, "rest": {"topology": "prod"}, **cls.settings}
        cls.gateway = cls.enterClassContext(Gateway(config))

    def send(self, method, path, body=None, headers=None):
        with self.gateway.connect() as connection:
            fields = {**(JSON if body is not None else {}), **(headers or {})}
            return connection.request(method, path, fields, body)

    def get(self, path, headers=None):
        return self.send("GET", path, None, headers)

    def post(self, path, body=None, headers=None):
        return self.send("POST", path, {} if body is None else body, headers)

    def json(self, response, status=200):
        self.assertEqual(response.status, status, response.body)
        self.assertEqual(response.content_type, "application/json")
        return json.loads(response.body)

    def assert_plain_error(self, response, status, message=""):
        body = self.json(response, status)
        self.assertEqual(body["error"], response.reason)
        self.assertIn(message, body["message"])

    def assert_mcp_error(self, response, status, code):
        error = self.json(response, status)["error"]
        self.assertEqual(error["code"], code, error)
        self.assertTrue(error["message"])
