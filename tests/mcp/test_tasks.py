"""Tasks: calls that an upstream continues after it has answered. The core feature of 2025-11-25
and the extension of 2026-07-28, for clients and upstreams of either."""

import contextlib
import itertools
import json
import os
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../lib")

import schema_check
from conformance import fixture, fixture_upstream
from harness import (
    BINARY,
    Gateway,
    McpSession,
    StdioFrontend,
    TestCase,
    main,
    result_of,
    stateless_headers,
    stateless_message,
    stateless_request,
    text_of,
    wait_until,
)
from items_upstream import items

SESSION_BASED, STATELESS = "2025-11-25", "2026-07-28"
TASKS = "io.modelcontextprotocol/tasks"
RELATED = "io.modelcontextprotocol/related-task"
CAPABILITIES = {"elicitation": {}, "extensions": {TASKS: {}}}
STATUS = "notifications/tasks/status"
FINAL = ("completed", "failed", "cancelled")


class TaskCase(TestCase):
    """A gateway with one server of one revision behind it, over one transport."""

    revisions, transport, settings, options = SESSION_BASED, "stdio", {}, ()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.record = os.path.join(folder, "record")
        arguments = ("--revisions", cls.revisions, "--record", cls.record, *cls.options)
        if cls.transport == "stdio":
            upstream = fixture_upstream(*arguments)
        else:
            address = cls.enterClassContext(fixture(*arguments)).address
            upstream = {"kind": "http", "url": address}
        config = {"workers": 2, "names": {"prefix": "never"}, "log": {"level": "debug"}}
        config["upstreams"] = {"up": {**upstream, **cls.settings}, "other": items("other")}
        cls.gateway = cls.enterClassContext(Gateway(config))

    @classmethod
    def tearDownClass(cls):
        # What reached the server had the form of its revision.
        with contextlib.suppress(schema_check.LeftOut):
            _, wrong = schema_check.check_record(cls.record, ["in"])
            if wrong:
                raise AssertionError("\n".join(wrong))
        super().tearDownClass()


class SessionTasks:
    """What a client of 2025-11-25 meets."""

    def session(self, **capabilities):
        return self.enterContext(McpSession(self.gateway, SESSION_BASED, capabilities))

    def start(self, session, tool, task=None, **arguments):
        """The task that the call became."""
        params = {"name": tool, "arguments": arguments, "task": task or {"ttl": 60000}}
        return result_of(session.request("tools/call", params))["task"]

    def get(self, session, task):
        return result_of(session.request("tasks/get", {"taskId": task["taskId"]}))

    def wait_status(self, session, task, *wanted):
        def reached():
            state = self.get(session, task)
            return state if state["status"] in wanted else None

        return wait_until(reached, f"the task to be {wanted}")

    def test_it_is_advertised(self):
        tasks = self.session().handshake["capabilities"]["tasks"]
        self.assertEqual(tasks, {"cancel": {}, "requests": {"tools": {"call": {}}}})
        with McpSession(self.gateway, "2025-06-18") as older:
            self.assertNotIn("tasks", older.handshake["capabilities"])
            offered = result_of(older.request("tools/list"))["tools"]
            self.assertFalse([tool for tool in offered if "execution" in tool])
            self.assert_error(older.request("tasks/get", {"taskId": "x"}), -32601)

    def test_from_beginning_to_end(self):
        session = self.session()
        task = self.start(session, "slow_compute", seconds=0.3, label="a")
        self.assertEqual({"createdAt", "lastUpdatedAt", "status", "taskId", "ttl"} - task.keys(), set())
        self.assertEqual(self.get(session, task)["taskId"], task["taskId"])
        result = result_of(session.request("tasks/result", {"taskId": task["taskId"]}))
        self.assertEqual(result["content"], [{"type": "text", "text": "Computed a"}])
        self.assertEqual(result["_meta"][RELATED], {"taskId": task["taskId"]})
        self.assertNotIn("resultType", result)
        self.assertEqual(self.get(session, task)["status"], "completed")
        # It can be fetched once more.
        again = result_of(session.request("tasks/result", {"taskId": task["taskId"]}))
        self.assertEqual(result, again)

    def test_failures(self):
        session = self.session()
        failing = self.start(session, "failing_job")
        broken = self.start(session, "protocol_error_job")
        result = result_of(session.request("tasks/result", {"taskId": failing["taskId"]}))
        self.assertTrue(result["isError"])
        error = session.request("tasks/result", {"taskId": broken["taskId"]})
        self.assert_error(error, -32603)
        self.assertIn("broke down", error["error"]["message"])
        self.assertEqual(self.get(session, broken)["status"], "failed")

    def test_cancelling(self):
        session = self.session()
        task = self.start(session, "slow_compute", seconds=600)
        cancelled = result_of(session.request("tasks/cancel", {"taskId": task["taskId"]}))
        self.assertEqual(cancelled["taskId"], task["taskId"])
        self.assertEqual(cancelled["status"], "cancelled")
        self.assert_error(session.request("tasks/cancel", {"taskId": task["taskId"]}), -32602)
        self.assert_error(session.request("tasks/result", {"taskId": task["taskId"]}), -32602)

    def test_its_questions_name_their_task(self):
        session = self.session(elicitation={})
        task = self.start(session, "confirm_delete", filename="f")
        self.wait_status(session, task, "input_required")
        message = {"jsonrpc": "2.0", "id": 5, "method": "tasks/result"}
        message["params"] = {"taskId": task["taskId"]}
        with self.gateway.connect() as connection:
            events = session.post(message, connection).events()
            reply = (json.loads(event.data) for event in events if event.data)
            question = next(m for m in reply if m.get("method") == "elicitation/create")
            self.assertEqual(question["params"]["_meta"][RELATED], {"taskId": task["taskId"]})
            answer = {"action": "accept", "content": {"confirm": True}}
            answer["_meta"] = {RELATED: {"taskId": task["taskId"]}}
            session.post({"jsonrpc": "2.0", "id": question["id"], "result": answer}).read()
            self.assertEqual(text_of(next(m for m in reply if m.get("id") == 5)), "Deleted f")

    def test_ids_that_are_no_tasks(self):
        session = self.session()
        task = self.start(session, "slow_compute", seconds=600)["taskId"]
        strangers = ("x", "", "up:x", task + "x", task[:-1], task.replace("up:", "other:"))
        for method in ("tasks/get", "tasks/result", "tasks/cancel"):
            for stranger in strangers:
                with self.subTest(method=method, id=stranger):
                    self.assert_error(session.request(method, {"taskId": stranger}), -32602)
            self.assert_error(session.request(method, {"taskId": 1}), -32602)
            self.assert_error(session.request(method, {}), -32602)
        self.assert_error(session.request("tasks/update", {"taskId": task}), -32601)
        self.assert_error(session.request("tasks/list"), -32601)

    def test_tools_that_are_no_tasks(self):
        session = self.session()
        params = {"name": "other__item", "arguments": {}, "task": {}}
        listed = {tool["name"]: tool for tool in result_of(session.request("tools/list"))["tools"]}
        params["name"] = next(n for n, tool in listed.items() if "execution" not in tool)
        self.assert_error(session.request("tools/call", params), -32601)
        params = {"name": "slow_compute", "arguments": {}, "task": True}
        self.assert_error(session.request("tools/call", params), -32602)

    def test_a_client_that_knows_no_tasks_gets_the_answer(self):
        with McpSession(self.gateway, "2025-06-18") as session:
            answer = result_of(session.call("failing_job"))
            self.assertTrue(answer["isError"])
            self.assertNotIn("_meta", answer)
            self.assertEqual(text_of(session.call("slow_compute", seconds=0)), "Computed something")

    def test_a_client_that_knows_no_tasks_can_be_asked(self):
        with McpSession(self.gateway, "2025-06-18", {"elicitation": {}}) as session:
            call = {"name": "test_tool_with_task", "arguments": {}}
            message = {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": call}
            with self.gateway.connect() as connection:
                events = session.post(message, connection).events()
                reply = (json.loads(event.data) for event in events if event.data)
                question = next(m for m in reply if m.get("method") == "elicitation/create")
                answer = {"action": "accept", "content": {"name": "Ann"}}
                session.post({"jsonrpc": "2.0", "id": question["id"], "result": answer}).read()
                done = next(m for m in reply if m.get("id") == 5)
                self.assertEqual(text_of(done), "The task was done for Ann")

    def test_the_session_that_made_a_task_is_notified(self):
        maker, other = self.session(), self.session()
        streams = [maker.open_stream(), other.open_stream()]
        task = self.start(maker, "slow_compute", seconds=0.5)
        events = streams[0].events()
        received = next(m for m in (json.loads(e.data) for e in events if e.data) if m["method"] == STATUS)
        self.assertEqual(received["params"]["taskId"], task["taskId"])
        self.assertEqual(received["params"]["status"], "completed")
        # Its own is the first notification that the other receives.
        own = self.start(other, "slow_compute", seconds=0.5)
        events = streams[1].events()
        received = next(m for m in (json.loads(e.data) for e in events if e.data) if m["method"] == STATUS)
        self.assertEqual(received["params"]["taskId"], own["taskId"])
        for stream in streams:
            stream.connection.close()


class StatelessTasks:
    """What a client of 2026-07-28 meets."""

    def ask(self, method, params, capabilities=None, **options):
        meta = {"io.modelcontextprotocol/clientCapabilities": capabilities or CAPABILITIES}
        return stateless_request(self.gateway, method, params, meta=meta, **options)

    def start(self, tool, **arguments):
        made = result_of(self.ask("tools/call", {"name": tool, "arguments": arguments}))
        self.assertEqual(made["resultType"], "task", made)
        return made["taskId"]

    def get(self, task):
        return result_of(self.ask("tasks/get", {"taskId": task}))

    def wait_status(self, task, *wanted):
        def reached():
            state = self.get(task)
            return state if state["status"] in wanted else None

        return wait_until(reached, f"the task to be {wanted}")

    def test_from_beginning_to_end(self):
        task = self.start("slow_compute", seconds=0.3, label="b")
        state = self.wait_status(task, "completed")
        self.assertEqual(state["taskId"], task)
        self.assertEqual(state["resultType"], "complete")
        self.assertEqual(state["result"]["content"][0]["text"], "Computed b")
        self.assertNotIn(RELATED, state["result"].get("_meta", {}))

    def test_failures(self):
        failing, broken = self.start("failing_job"), self.start("protocol_error_job")
        self.assertTrue(self.wait_status(failing, *FINAL)["result"]["isError"])
        state = self.wait_status(broken, *FINAL)
        self.assertEqual((state["status"], state["error"]["code"]), ("failed", -32603))

    def test_cancelling_is_never_too_late(self):
        for seconds, status in ((600, "cancelled"), (0, "completed")):
            task = self.start("slow_compute", seconds=seconds)
            if seconds == 0:
                self.wait_status(task, "completed")
            for _ in range(2):
                self.assertNotIn("status", result_of(self.ask("tasks/cancel", {"taskId": task})))
            self.assertEqual(self.get(task)["status"], status)

    def test_input(self):
        task = self.start("multi_input")
        asked = wait_until(lambda: len(self.get(task).get("inputRequests", ())) == 2 and self.get(task))
        self.assertEqual(asked["status"], "input_required")
        keys = sorted(asked["inputRequests"])
        for key, left in ((keys[1], keys[:1]), ("nonsense", keys[:1]), (keys[0], [])):
            answer = {key: {"action": "accept", "content": {"name": key}}}
            params = {"taskId": task, "inputResponses": answer}
            self.assertNotIn("status", result_of(self.ask("tasks/update", params)))
            if left:
                self.assertEqual(sorted(self.get(task)["inputRequests"]), left)
        state = self.wait_status(task, "completed")
        self.assertEqual(
            sorted(state["result"]["content"][0]["text"].split(" and ")), keys, state["result"]
        )
        wrong = self.ask("tasks/update", {"taskId": task, "inputResponses": 1})
        self.assert_error(wrong, -32602)

    def test_ids_that_are_no_tasks(self):
        task = self.start("slow_compute", seconds=600)
        for stranger in ("x", "up:x", task + "x", task.replace("up:", "other:")):
            for method in ("tasks/get", "tasks/update", "tasks/cancel"):
                with self.subTest(method=method, id=stranger):
                    params = {"taskId": stranger, "inputResponses": {}}
                    self.assert_error(self.ask(method, params), -32602)
        for method in ("tasks/result", "tasks/list"):
            self.assert_error(self.ask(method, {"taskId": task}), -32601)

    def test_only_for_clients_that_declare_them(self):
        for method in ("tasks/get", "tasks/update", "tasks/cancel", "subscriptions/listen"):
            params = {"taskId": "x", "inputResponses": {}, "notifications": {"taskIds": ["x"]}}
            answer = self.ask(method, params, capabilities={"elicitation": {}})
            self.assert_error(answer, -32021)
            needed = answer["error"]["data"]["requiredCapabilities"]
            self.assertEqual(needed, {"extensions": {TASKS: {}}})

    def listen(self, *ids, request_id="l"):
        """What comes on the stream, the acknowledgement first."""
        meta = {"io.modelcontextprotocol/clientCapabilities": CAPABILITIES}
        params = {"notifications": {"taskIds": list(ids)}}
        message = stateless_message("subscriptions/listen", params, request_id, meta)
        connection = self.enterContext(self.gateway.connect())
        connection.send("POST", "/mcp", stateless_headers(message), message)
        events = connection.read_head().events()
        return (json.loads(event.data) for event in events if event.data)

    def test_listening(self):
        task, other = self.start("confirm_delete", filename="g"), self.start("multi_input")
        self.wait_status(task, "input_required")
        received = self.listen(task, "up:nobody", task + "x")
        self.assertEqual(next(received)["params"]["notifications"], {"taskIds": [task]})
        self.ask("tasks/cancel", {"taskId": other})
        key = next(iter(self.get(task)["inputRequests"]))
        answer = {key: {"action": "accept", "content": {"confirm": True}}}
        self.ask("tasks/update", {"taskId": task, "inputResponses": answer})
        for updates in received:
            self.assertEqual(updates["method"], "notifications/tasks")
            params = updates["params"]
            self.assertEqual(params["taskId"], task)
            self.assertEqual(params["_meta"]["io.modelcontextprotocol/subscriptionId"], "l")
            if params["status"] == "completed":
                break
            self.assertEqual(params["status"], "working")
        self.assertEqual(params["result"]["content"][0]["text"], "Deleted g")


class SessionsInFrontOfSessions(SessionTasks, TaskCase):
    def test_execution_is_passed_on(self):
        tools = result_of(self.session().request("tools/list"))["tools"]
        offered = {tool["name"]: tool.get("execution") for tool in tools}
        self.assertEqual(offered["failing_job"], {"taskSupport": "required"})
        self.assertEqual(offered["slow_compute"], {"taskSupport": "optional"})
        self.assertIsNone(offered["greet"])
        # A client that sees that must ask for a task.
        self.assert_error(self.session().call("failing_job"), -32601)


class SessionsInFrontOfSessionsOverHttp(SessionTasks, TaskCase):
    transport = "http"


class SessionsInFrontOfStateless(SessionTasks, TaskCase):
    revisions, transport = STATELESS, "http"

    def test_what_is_answered_at_once_is_a_task_too(self):
        session = self.session()
        tools = {tool["name"]: tool for tool in result_of(session.request("tools/list"))["tools"]}
        self.assertEqual(tools["greet"]["execution"], {"taskSupport": "optional"})
        task = self.start(session, "greet", {"ttl": 5000}, name="you")
        self.assertEqual((task["status"], task["ttl"]), ("completed", 5000))
        self.assertEqual(self.get(session, task), task)
        result = result_of(session.request("tasks/result", {"taskId": task["taskId"]}))
        self.assertEqual(result["content"][0]["text"], "Hello, you!")
        self.assertEqual(result["_meta"][RELATED], {"taskId": task["taskId"]})
        self.assert_error(session.request("tasks/cancel", {"taskId": task["taskId"]}), -32602)

    def test_without_asking_for_a_task_it_is_waited_for(self):
        session = self.session(elicitation={})
        self.assertTrue(result_of(session.call("failing_job"))["isError"])


class StatelessInFrontOfStateless(StatelessTasks, TaskCase):
    revisions = STATELESS

    def test_a_tool_that_needs_a_task(self):
        call = {"name": "failing_job", "arguments": {}}
        self.assert_error(self.ask("tools/call", call, capabilities={"roots": {}}), -32021)


class StatelessInFrontOfStatelessOverHttp(StatelessTasks, TaskCase):
    revisions, transport = STATELESS, "http"


class StatelessInFrontOfSessions(StatelessTasks, TaskCase):
    def test_a_tool_that_needs_a_task_is_waited_for(self):
        call = {"name": "failing_job", "arguments": {}}
        result = result_of(self.ask("tools/call", call, capabilities={"roots": {}}))
        self.assertTrue(result["isError"])
        self.assertEqual(result["resultType"], "complete")

    def test_a_task_parameter_means_nothing(self):
        call = {"name": "greet", "arguments": {}, "task": {"ttl": 1}}
        self.assertEqual(text_of(self.ask("tools/call", call)), "Hello, World!")


class StatelessInFrontOfSessionsOverHttp(StatelessTasks, TaskCase):
    transport = "http"


class TaskRouting(TestCase):
    """A task stays on the replica that created it."""

    def test_each_copy_of_a_program_has_its_own(self):
        for revisions in (SESSION_BASED, STATELESS):
            upstream = fixture_upstream("--revisions", revisions, instances=3)
            config = {"workers": 2, "names": {"prefix": "never"}, "upstreams": {"up": upstream}}
            with self.subTest(revisions=revisions), Gateway(config) as gateway:
                with McpSession(gateway) as session:
                    call = {"name": "slow_compute", "arguments": {"seconds": 600}, "task": {}}
                    made = [result_of(session.request("tools/call", call))["task"] for _ in range(6)]
                    replicas = {task["taskId"].split(".")[1] for task in made}
                    self.assertEqual(replicas, {"0", "1", "2"})
                    for task in made:
                        state = result_of(session.request("tasks/get", {"taskId": task["taskId"]}))
                        self.assertEqual(state["taskId"], task["taskId"])

    def test_another_session_has_none_of_it_where_they_are_apart(self):
        upstream = fixture_upstream("--revisions", SESSION_BASED, isolation="per-session")
        config = {"names": {"prefix": "never"}, "upstreams": {"up": upstream}}
        with Gateway(config) as gateway:
            with McpSession(gateway) as maker, McpSession(gateway) as other:
                call = {"name": "slow_compute", "arguments": {"seconds": 600}, "task": {}}
                params = {"taskId": result_of(maker.request("tools/call", call))["task"]["taskId"]}
                self.assertEqual(result_of(maker.request("tasks/get", params))["status"], "working")
                self.assert_error(other.request("tasks/get", params), -32602)

    def test_a_program_that_was_lost_has_forgotten(self):
        upstream = fixture_upstream("--revisions", SESSION_BASED)
        with Gateway({"names": {"prefix": "never"}, "upstreams": {"up": upstream}}) as gateway:
            with McpSession(gateway) as session:
                call = {"name": "slow_compute", "arguments": {"seconds": 600}, "task": {}}
                params = {"taskId": result_of(session.request("tools/call", call))["task"]["taskId"]}
                os.kill(gateway.children()[0], 9)
                wait_until(lambda: session.request("tasks/get", params)["error"]["code"] == -32602)

    def test_ids_mean_nothing_to_another_gateway(self):
        with fixture("--revisions", STATELESS) as server:
            config = {"names": {"prefix": "never"}}
            config["upstreams"] = {"up": {"kind": "http", "url": server.address}}
            with Gateway(config) as one, Gateway(config) as two:
                with McpSession(one) as first, McpSession(two) as second:
                    call = {"name": "slow_compute", "arguments": {"seconds": 600}, "task": {}}
                    made = result_of(first.request("tools/call", call))["task"]
                    params = {"taskId": made["taskId"]}
                    self.assert_error(second.request("tasks/get", params), -32602)


class Times(TestCase):
    def test_a_task_that_has_expired_is_unknown(self):
        for revisions in (SESSION_BASED, STATELESS):
            upstream = fixture_upstream("--revisions", revisions, "--task-ttl", "300")
            config = {"names": {"prefix": "never"}, "upstreams": {"up": upstream}}
            with self.subTest(revisions=revisions), Gateway(config) as gateway:
                with McpSession(gateway) as session:
                    call = {"name": "slow_compute", "arguments": {"seconds": 0}, "task": {}}
                    task = result_of(session.request("tools/call", call))["task"]
                    self.assertEqual(task["ttl"], 300)
                    params = {"taskId": task["taskId"]}

                    def expired():
                        return session.request("tasks/get", params).get("error", {}).get("code")

                    self.assertEqual(wait_until(expired), -32602)

    def test_waiting_has_a_limit_and_the_task_goes_on(self):
        for revisions in (SESSION_BASED, STATELESS):
            upstream = fixture_upstream("--revisions", revisions)
            config = {"names": {"prefix": "never"}, "upstreams": {"up": upstream}}
            config["limits"] = {"task": "300ms"}
            with self.subTest(revisions=revisions), Gateway(config) as gateway:
                with McpSession(gateway) as session:
                    call = {"name": "slow_compute", "arguments": {"seconds": 600}, "task": {}}
                    task = result_of(session.request("tools/call", call))["task"]
                    params = {"taskId": task["taskId"]}
                    late = session.request("tasks/result", params)
                    self.assertEqual(late["error"]["data"]["reason"], "timeout")
                    self.assertEqual(result_of(session.request("tasks/get", params))["status"], "working")

    def test_a_task_that_nobody_waits_for_any_more_is_cancelled(self):
        for revisions in (SESSION_BASED, STATELESS):
            folder = self.enterContext(tempfile.TemporaryDirectory())
            record = os.path.join(folder, "record")
            upstream = fixture_upstream("--revisions", revisions, "--record", record)
            config = {"names": {"prefix": "never"}, "upstreams": {"up": upstream}}
            config["limits"] = {"call": "200ms"}
            with self.subTest(revisions=revisions), Gateway(config) as gateway:
                with McpSession(gateway, "2025-06-18") as session:
                    late = session.call("failing_job")  # Takes longer, as a task without notifications.
                    self.assertEqual(late["error"]["data"]["reason"], "timeout")

                def cancelled():
                    with open(record, encoding="utf-8") as file:
                        return '"tasks/cancel"' in file.read()

                wait_until(cancelled, "the server to be notified")

    def test_waiting_may_take_longer_than_a_call(self):
        for revisions in (SESSION_BASED, STATELESS):
            upstream = fixture_upstream("--revisions", revisions, timeout="300ms")
            config = {"names": {"prefix": "never"}, "upstreams": {"up": upstream}}
            config["limits"] = {"call": "300ms"}
            with self.subTest(revisions=revisions), Gateway(config) as gateway:
                with McpSession(gateway) as session:
                    call = {"name": "slow_compute", "arguments": {"seconds": 1}, "task": {}}
                    task = result_of(session.request("tools/call", call))["task"]
                    answer = session.request("tasks/result", {"taskId": task["taskId"]})
                    self.assertEqual(text_of(answer), "Computed something")


class Lines(TestCase):
    def test_tasks_on_stdin_and_stdout(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        config = os.path.join(folder, "patchbay.yaml")
        upstreams = {"up": fixture_upstream("--revisions", SESSION_BASED)}
        with open(config, "w", encoding="utf-8") as file:
            json.dump({"names": {"prefix": "never"}, "upstreams": upstreams}, file)
        ids = itertools.count()

        def request(method, params):
            message = {"jsonrpc": "2.0", "id": next(ids), "method": method, "params": params}
            return result_of(frontend.request(message))

        with StdioFrontend([BINARY, "stdio", "-c", config]) as frontend:
            handshake = {"protocolVersion": SESSION_BASED, "capabilities": {}, "clientInfo": {}}
            request("initialize", handshake)
            call = {"name": "slow_compute", "arguments": {"seconds": 0.3}, "task": {}}
            task = request("tools/call", call)["task"]
            received = json.loads(frontend.stdout.wait_for(STATUS))["params"]
            self.assertEqual((received["taskId"], received["status"]), (task["taskId"], "completed"))
            result = request("tasks/result", {"taskId": task["taskId"]})
            self.assertEqual(result["content"][0]["text"], "Computed something")


if __name__ == "__main__":
    main()
