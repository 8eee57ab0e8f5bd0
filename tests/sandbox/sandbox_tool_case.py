"""Shared by the tests of sandboxes as tools: a gateway that offers them, and a caller."""

import json

from auth_case import bearer
from harness import Gateway, McpSession, result_of, text_of, wait_until
from sandbox_case import SandboxCase, cgroups_of, our_guests, our_watchers


class ToolCase(SandboxCase):
    def setUp(self):
        super().setUp()
        self.pids = []  # Of the gateways that were started.

    def start(self, auth=None, env=None, stop=None, **settings):
        config = {
            "upstreams": {"box": {"kind": "sandbox", **settings}},
            "limits": {"call_timeout": "60s"},
            "log": {"format": "json"},
            "stop": stop or {},
        }
        if auth:
            config["auth"] = auth
        self.gateway = self.enterContext(Gateway(config, env=env))
        self.pids.append(self.gateway.pid)
        if not auth:
            self.session = self.enterContext(McpSession(self.gateway))
        return self.gateway

    def as_caller(self, token):
        return self.enterContext(McpSession(self.gateway, headers=bearer(token)))

    def use(self, tool, session=None, **arguments):
        """The structured result of a tool, which is also its text."""
        answer = result_of((session or self.session).call(f"box__{tool}", **arguments))
        self.assertNotIn("isError", answer, answer)
        self.assertEqual(json.loads(answer["content"][0]["text"]), answer["structuredContent"])
        self.assertIn("isolation", answer["structuredContent"])
        return answer["structuredContent"]

    def refusal(self, tool, session=None, **arguments):
        answer = (session or self.session).call(f"box__{tool}", **arguments)
        if "error" in answer:
            return answer["error"]["message"]
        self.assertTrue(answer["result"].get("isError"), answer)
        return text_of(answer)

    def make(self, session=None, **arguments):
        return self.use("create_sandbox", session, **arguments)["sandbox_id"]

    def shell(self, box, command, **arguments):
        return self.use("run_command", sandbox_id=box, command=command, **arguments)

    def assert_nothing_left(self):
        wait_until(lambda: not cgroups_of(*self.pids), "the cgroups to be gone")
        wait_until(lambda: not our_guests(), "the sandboxes to be gone")
        wait_until(lambda: not our_watchers(), "the watchers to be gone")
