"""The fixture of the conformance tests, where the suite does not look: lines, HTTP+SSE, batches,
tasks of 2025-11-25, cancellation, subscriptions, and what each revision must not know."""

import functools
import json
import os
import sys
import tempfile
import types

sys.path.insert(1, sys.path[0] + "/../lib")

import schema_check
from conformance import fixture, fixture_command
from harness import (
    Connection,
    McpSession,
    StdioFrontend,
    TestCase,
    main,
    result_of,
    stateless_call,
    stateless_headers,
    stateless_message,
    text_of,
    wait_until,
)

SESSION_BASED = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
ABLE = {"elicitation": {}, "sampling": {}, "roots": {}}
WITH_TASKS = {"extensions": {"io.modelcontextprotocol/tasks": {}}}
TASKS = {"io.modelcontextprotocol/clientCapabilities": WITH_TASKS}


class Talk(StdioFrontend):
    """A session with the fixture on stdio."""

    def __init__(self, version, *arguments, capabilities=None):
        super().__init__(fixture_command("--revisions", version, *arguments))
        self.number = 0
        handshake = {
            "protocolVersion": version,
            "capabilities": capabilities or ABLE,
            "clientInfo": {"name": "tests", "version": "1"},
        }
        self.handshake = result_of(self.ask("initialize", handshake))
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def ask(self, method, params=None):
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params or {}}
        return self.request(message)

    def call(self, name, **arguments):
        return self.ask("tools/call", {"name": name, "arguments": arguments})

    def wait_method(self, method):
        return json.loads(self.stdout.wait_for(lambda line: json.loads(line).get("method") == method))


def reachable(server):
    """As the HTTP clients of the tests want it."""
    port = int(server.address.split(":")[2].split("/")[0])
    return types.SimpleNamespace(connect=lambda: Connection("127.0.0.1", port))


class FixtureTest(TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.record = os.path.join(folder.name, "record")

    def check_record(self):
        schema_check.assert_record(self, self.record)

    def test_each_revision_exposes_nothing_newer(self):
        for version in SESSION_BASED:
            with self.subTest(version), Talk(version, "--record", self.record) as talk:
                self.assertEqual(version, talk.handshake["protocolVersion"])
                tools = {tool["name"]: tool for tool in result_of(talk.ask("tools/list"))["tools"]}
                members = set().union(*tools.values())
                self.assertEqual(version != "2024-11-05", "annotations" in members)
                self.assertEqual(version >= "2025-06-18", "title" in members)
                self.assertEqual(version >= "2025-11-25", "icons" in members)
                self.assertEqual(version >= "2025-11-25", "execution" in members)
                self.assertEqual(version != "2024-11-05", "test_audio_content" in tools)
                self.assertEqual(version >= "2025-11-25", "tasks" in talk.handshake["capabilities"])
                if version < "2025-11-25":
                    self.assert_error(talk.ask("tasks/list"), -32601)
                self.assert_error(talk.ask("server/discover"), -32601)
                self.assert_error(talk.ask("resources/read", {"uri": "test://none"}), -32002)
        self.check_record()

    def test_a_question_is_pushed_and_its_answer_used(self):
        with Talk("2025-11-25", "--record", self.record) as talk:
            params = {"name": "test_input_required_result_elicitation", "arguments": {}}
            talk.send({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": params})
            question = talk.wait_method("elicitation/create")
            content = {"action": "accept", "content": {"name": "Alice"}}
            talk.send({"jsonrpc": "2.0", "id": question["id"], "result": content})
            self.assertEqual("Hello, Alice!", text_of(talk.answer(9)))
        with Talk("2025-11-25", capabilities={"roots": {}}) as talk:
            self.assertTrue(result_of(talk.call("test_sampling", prompt="x"))["isError"])
        self.check_record()

    def test_a_cancelled_call_is_not_answered(self):
        with Talk("2025-06-18", "--record", self.record) as talk:
            params = {"name": "slow_compute", "arguments": {"seconds": 60}}
            talk.send({"jsonrpc": "2.0", "id": "slow", "method": "tools/call", "params": params})
            cancelled = {"method": "notifications/cancelled", "params": {"requestId": "slow"}}
            talk.send({"jsonrpc": "2.0", **cancelled})
            result_of(talk.ask("ping"))
            lines = wait_until(lambda: [line for line in self.events() if "cancelled" in line])
            self.assertEqual("slow", json.loads(lines[0])["request"])
            self.assertNotIn('"slow"', talk.stdout.text())
        self.check_record()

    def events(self):
        with open(self.record, encoding="utf-8") as record:
            return [line for line in record if line.startswith('{"event"')]

    def test_tasks_of_2025_11_25(self):
        with Talk("2025-11-25", "--record", self.record) as talk:
            start = functools.partial(self.start_task, talk)
            slow = start("slow_compute", seconds=60)
            polled = result_of(talk.ask("tasks/get", {"taskId": slow}))
            self.assertEqual("working", polled["status"])
            cancelled = result_of(talk.ask("tasks/cancel", {"taskId": slow}))
            self.assertEqual("cancelled", cancelled["status"])
            self.assert_error(talk.ask("tasks/cancel", {"taskId": slow}), -32602)
            failing = result_of(talk.ask("tasks/result", {"taskId": start("failing_job")}))
            self.assertTrue(failing["isError"])
            broken = start("protocol_error_job")
            self.assert_error(talk.ask("tasks/result", {"taskId": broken}), -32603)
            self.assertEqual(3, len(result_of(talk.ask("tasks/list"))["tasks"]))
            self.assert_error(talk.call("failing_job"), -32601)
            params = {"name": "greet", "arguments": {}, "task": {}}
            self.assert_error(talk.ask("tools/call", params), -32601)
        self.check_record()

    def start_task(self, talk, name, **arguments):
        params = {"name": name, "arguments": arguments, "task": {"ttl": 60000}}
        return result_of(talk.ask("tools/call", params))["task"]["taskId"]

    def test_a_task_asks_through_its_result(self):
        with Talk("2025-11-25", "--record", self.record) as talk:
            task = self.start_task(talk, "confirm_delete", filename="a.txt")
            params = {"taskId": task}
            talk.send({"jsonrpc": "2.0", "id": 77, "method": "tasks/result", "params": params})
            question = talk.wait_method("elicitation/create")
            related = question["params"]["_meta"]["io.modelcontextprotocol/related-task"]
            self.assertEqual(task, related["taskId"])
            content = {"action": "accept", "content": {"confirm": True}}
            talk.send({"jsonrpc": "2.0", "id": question["id"], "result": content})
            self.assertEqual("Deleted a.txt", text_of(talk.answer(77)))
        self.check_record()

    def test_batches_are_for_2025_03_26(self):
        batch = [{"jsonrpc": "2.0", "id": n, "method": "ping"} for n in (1, 2)]
        with fixture("--record", self.record) as server:
            with McpSession(reachable(server), "2025-03-26") as session:
                answers = json.loads(session.post(batch).read())
                self.assertEqual([1, 2], [answer["id"] for answer in answers])
            with McpSession(reachable(server), "2025-06-18") as session:
                self.assertEqual(400, session.post(batch).status)

    def test_changes_reach_the_get_stream(self):
        with fixture("--record", self.record) as server:
            with McpSession(reachable(server)) as session:
                stream = session.open_stream()
                self.addCleanup(stream.connection.close)
                events = stream.events()
                next(events)  # The one to resume from.
                session.request("resources/subscribe", {"uri": "test://watched-resource"})
                for tool in ("tool_change", "resource_update"):
                    session.call(f"test_trigger_{tool}")
                self.assertEqual("notifications/tools/list_changed", next(events).json()["method"])
                self.assertEqual("notifications/resources/updated", next(events).json()["method"])
        self.check_record()

    def test_listening_without_a_session(self):
        with fixture("--record", self.record) as server:
            gateway = reachable(server)
            task = result_of(stateless_call(gateway, "slow_compute", TASKS, seconds=60))["taskId"]
            wanted = {"resourceSubscriptions": ["test://watched-resource"], "taskIds": [task]}
            params = {"notifications": wanted}
            message = stateless_message("subscriptions/listen", params, "listen-1")
            with gateway.connect() as connection:
                connection.send("POST", "/mcp", stateless_headers(message), message)
                events = connection.read_head().events()
                self.assertEqual(wanted, next(events).json()["params"]["notifications"])
                stateless_call(gateway, "test_trigger_tool_change")
                stateless_call(gateway, "test_trigger_resource_update")
                notified = next(events).json()
                self.assertEqual("notifications/resources/updated", notified["method"])
                tag = notified["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"]
                self.assertEqual("listen-1", tag)
            wait_until(lambda: any("listen-1" in line for line in self.events()))
        self.check_record()

    def test_http_and_sse_of_2024_11_05(self):
        for kind in ("sse", "custom-http-sse"):
            with self.subTest(kind), fixture("--revisions", "2024-11-05", transport=kind) as server:
                gateway = reachable(server)
                with gateway.connect() as stream, gateway.connect() as posts:
                    stream.send("GET", "/sse", {"Accept": "text/event-stream"})
                    events = stream.read_head().events()
                    path = "/message"
                    if kind == "sse":
                        path = next(events).data
                    headers = {"Content-Type": "application/json"}
                    ping = {"jsonrpc": "2.0", "id": "p", "method": "ping"}
                    self.assertEqual(202, posts.request("POST", path, headers, ping).status)
                    self.assertEqual({}, result_of(next(events).json()))


if __name__ == "__main__":
    main()
