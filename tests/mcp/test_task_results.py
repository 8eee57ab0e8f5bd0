"""Results of tasks checked against the output schemas of their tools, for session-based and
stateless clients; and results that end a stream."""

import os
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    ROOT,
    Gateway,
    McpSession,
    TestCase,
    main,
    result_of,
    stateless_request,
    wait_until,
)
from rest_case import STREAM, content_server

CAPABILITIES = {"extensions": {"io.modelcontextprotocol/tasks": {}}}


def upstream():
    script = os.path.join(ROOT, "testing", "task_results.py")
    return {"kind": "stdio", "command": sys.executable, "args": ["-S", script]}


class TaskResults(TestCase):
    def gateway(self, mode):
        upstreams = {"up": upstream(), "con": content_server()}
        config = {"upstreams": upstreams, "validation": {"results": mode}}
        return self.enterContext(Gateway({"names": {"prefix": "never"}, **config}))

    def with_session(self, gateway, tool):
        with McpSession(gateway, "2025-11-25", {}) as session:
            call = {"name": tool, "arguments": {}, "task": {"ttl": 60000}}
            task = result_of(session.request("tools/call", call))["task"]
            return session.request("tasks/result", {"taskId": task["taskId"]})

    def without(self, gateway, tool):
        def ask(method, params):
            meta = {"io.modelcontextprotocol/clientCapabilities": CAPABILITIES}
            return stateless_request(gateway, method, params, meta=meta)

        made = result_of(ask("tools/call", {"name": tool, "arguments": {}}))
        if made["resultType"] != "task":
            return {"result": made}

        def ended():
            state = ask("tasks/get", {"taskId": made["taskId"]})
            return state if "error" in state or state["result"]["status"] != "working" else None

        state = wait_until(ended)
        return state if "error" in state else {"result": state["result"]["result"]}

    def test_what_does_not_fit_is_refused(self):
        gateway = self.gateway("enforce")
        for ask in (self.with_session, self.without):
            with self.subTest(ask.__name__):
                self.assertEqual(result_of(ask(gateway, "right"))["structuredContent"], {"n": 1})
                self.assertIs(result_of(ask(gateway, "failed"))["isError"], True)
                refused = ask(gateway, "wrong")
                self.assert_error(refused, -32000)
                self.assertIn("/n", refused["error"]["message"])

    def test_or_only_reported(self):
        gateway = self.gateway("warn")
        answer = result_of(self.with_session(gateway, "wrong"))
        self.assertEqual(answer["structuredContent"], {"n": "one"})
        gateway.stderr.wait_for("result does not fit")

    def test_at_the_end_of_a_stream(self):
        gateway = self.gateway("enforce")
        with gateway.connect() as connection:
            refused = connection.request("POST", "/api/odd", STREAM, {})
            self.assertEqual(refused.status, 502)


if __name__ == "__main__":
    main()
