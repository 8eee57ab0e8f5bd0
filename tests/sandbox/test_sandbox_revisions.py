"""The sandbox for clients of each revision of MCP: structured results, streamed output, files as
resources, cancellation. Every message is checked against the schema of its revision."""

import base64
import json
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from auth_case import OTHER, TOKEN, bearer
from harness import main, result_of, wait_until
from matrix_clients import REVISIONS, client_of
from sandbox_case import processes_with
from sandbox_tool_case import ToolCase

from mcp_client import answer_from, stateless_headers, stateless_message

TOKENS = {"tokens": [{"name": "one", "token": TOKEN}, {"name": "two", "token": OTHER}]}


class Owners(ToolCase):
    def ask(self, token, method, params):
        """A request of 2026-07-28 by the caller with that token."""
        message = stateless_message(method, params)
        headers = {**stateless_headers(message), **bearer(token)}
        with self.gateway.connect() as connection:
            connection.send("POST", "/mcp", headers, message)
            return answer_from(connection.read_head())

    def test_a_sandbox_is_its_callers_in_every_revision(self):
        self.start(auth=TOKENS)
        box = self.make(self.as_caller(TOKEN))
        run = {"name": "box__run_command", "arguments": {"sandbox_id": box, "command": "echo mine > x"}}
        ran = result_of(self.ask(TOKEN, "tools/call", run))
        self.assertEqual(ran["structuredContent"]["exit_code"], 0)
        ran = result_of(self.ask(OTHER, "tools/call", run))
        self.assertTrue(ran["isError"])
        self.assertIn("Sandbox not found", ran["content"][0]["text"])
        uri = {"uri": f"sandbox://{box}/x"}
        content = result_of(self.ask(TOKEN, "resources/read", uri))["contents"][0]
        self.assertEqual(content["text"], "mine\n")
        self.assertIn("error", self.ask(OTHER, "resources/read", uri))
        listed = {"name": "box__list_sandboxes", "arguments": {}}
        for token, count in ((TOKEN, 1), (OTHER, 0)):
            seen = result_of(self.ask(token, "tools/call", listed))["structuredContent"]
            self.assertEqual(len(seen["sandboxes"]), count)


class Revisions(ToolCase):
    def test_full_use_in_each(self):
        self.start(pool={"size": 2})
        for revision in REVISIONS:
            with self.subTest(revision), client_of(self.gateway, revision) as client:
                self.use_sandbox(client)
                self.assertEqual(client.wrong, [])

    def use_sandbox(self, client):
        tools = {tool["name"]: tool for tool in client.list("tools")}
        self.assertEqual(len(tools), 8)
        structured = client.revision >= "2025-06-18"
        self.assertEqual("outputSchema" in tools["box__run_command"], structured)
        box = self.done(client, "create_sandbox")["sandbox_id"]
        self.assertIn(box, json.dumps(self.done(client, "list_sandboxes")))
        self.run_with_updates(client, box)
        self.move_files(client, box)
        self.cancel(client, box)
        self.assertTrue(self.done(client, "destroy_sandbox", sandbox_id=box)["success"])
        gone = result_of(client.call("box__run_command", sandbox_id=box, command="true"))
        self.assertTrue(gone["isError"])
        self.assertIn("Sandbox not found", gone["content"][0]["text"])

    def done(self, client, tool, token=None, **arguments):
        """The answer of a tool: as text for all, structured for revisions that have it."""
        answer = result_of(client.call(f"box__{tool}", token=token, **arguments))
        self.assertFalse(answer.get("isError"), answer)
        value = json.loads(answer["content"][0]["text"])
        if client.revision >= "2025-06-18":
            self.assertEqual(answer["structuredContent"], value)
        return value

    def run_with_updates(self, client, box):
        client.notified.clear()
        ran = self.done(
            client,
            "execute_code",
            token="updates",
            sandbox_id=box,
            language="python",
            code="import sys, time\nprint('one', flush=True)\nsys.stdin.read()\nprint('two')",
            stdin="x",
        )
        self.assertEqual((ran["stdout"], ran["verdict"]), ("one\ntwo\n", "exit"))
        updates = [one["params"] for one in client.notified if one["method"] == "notifications/progress"]
        self.assertEqual({one["progressToken"] for one in updates}, {"updates"})
        steps = [one["progress"] for one in updates]
        self.assertEqual(steps, sorted(set(steps)))
        # Progress has a message since 2025-03-26.
        if client.revision >= "2025-03-26":
            self.assertEqual("".join(one["message"] for one in updates), "one\ntwo\n")

    def move_files(self, client, box):
        data = bytes(range(256)) * 300
        text = base64.b64encode(data).decode()
        put = self.done(
            client, "write_file", sandbox_id=box, path="d/ä.bin", content=text, encoding="base64"
        )
        self.assertEqual(put["bytes"], len(data))
        template = client.list("resources/templates")[0]["uriTemplate"]
        uri = template.removesuffix("sandbox://{sandbox_id}/{+path}") + put["uri"]
        content = result_of(client.ask("resources/read", {"uri": uri}))["contents"][0]
        self.assertEqual(base64.b64decode(content["blob"]), data)
        self.assertIn("error", client.ask("resources/read", {"uri": uri + "-not"}))
        listed = self.done(client, "list_directory", sandbox_id=box, path="d")["entries"]
        self.assertEqual([(one["name"], one["size"]) for one in listed], [("ä.bin", len(data))])

    def cancel(self, client, box):
        with client.begun("box__run_command", sandbox_id=box, command="sleep 1007"):
            wait_until(lambda: processes_with("sleep\x001007"), "it to run")
        wait_until(lambda: not processes_with("sleep\x001007"), "it to be ended")


if __name__ == "__main__":
    main()
