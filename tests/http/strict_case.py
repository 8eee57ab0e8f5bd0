"""Shared by the tests of hostile HTTP: requests written byte by byte, and checks of refusals."""

import json

from harness import BOTH, Gateway, TestCase, fake, fake_config, stateless_message

PING = json.dumps(stateless_message("tools/list")).encode()


def head(*lines, request="POST /mcp HTTP/1.1", end=b"\r\n"):
    fields = (
        "Host: localhost",
        "Accept: " + BOTH,
        "Content-Type: application/json",
        "MCP-Protocol-Version: 2026-07-28",
        "Mcp-Method: tools/list",
    )
    text = [request, *fields, *lines]
    return b"".join(line.encode("latin-1") + end for line in text) + end


class StrictCase(TestCase):
    LIMITS = {}

    @classmethod
    def setUpClass(cls):
        upstreams = {"fake": fake(env={"FAKE_ONLY": "echo,sleep"})}
        cls.gateway = cls.enterClassContext(Gateway(fake_config(upstreams, limits=cls.LIMITS)))

    def send(self, data):
        connection = self.enterContext(self.gateway.connect())
        try:
            connection.send_raw(data)
        except (BrokenPipeError, ConnectionResetError):
            pass  # It may answer and close before it has read everything.
        return connection

    def assert_refused(self, data, statuses=(400,)):
        """One error answer, then the connection is closed; a second request is never read."""
        connection = self.send(data)
        response = connection.read_response()
        self.assertIn(response.status, statuses, response.body)
        rest = connection.wait_closed()
        self.assertEqual(rest, b"", "something was served after the refusal")

    def assert_alive(self):
        connection = self.send(head(f"Content-Length: {len(PING)}") + PING)
        self.assertEqual(connection.read_response().status, 200)
