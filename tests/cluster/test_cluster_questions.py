"""Questions, streams and cancellations in a cluster: what a client began on one node goes on on another."""

import json
import sys
import threading

sys.path.insert(1, sys.path[0] + "/../lib")

from cluster_case import ClusterCase
from harness import McpSession, fake, main, result_of, stateless_request, text_of, wait_until
from sse_client import SseClient

ROOTS = {"roots": [{"uri": "file:///here"}]}
META = {"io.modelcontextprotocol/clientCapabilities": {"roots": {}}}
PLAIN = {"fake": fake(isolation="shared")}


class QuestionCase(ClusterCase):
    def setUp(self):
        super().setUp()
        self.nodes = self.start_nodes(3, self.config(PLAIN))

    def session(self, node, **options):
        return self.enterContext(McpSession(node, **options))


class Sessions(QuestionCase):
    def test_a_question_is_asked_through_one_node_and_answered_through_another(self):
        a, b, c = self.nodes
        session = self.session(a, capabilities={"roots": {}})
        with b.connect() as connection, c.connect() as other:
            message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call"}
            head = session.post({**message, "params": {"name": "ask_client"}}, connection)
            events = (json.loads(event.data) for event in head.events() if event.data)
            question = next(events)
            self.assertEqual(question["method"], "roots/list")
            answer = {"jsonrpc": "2.0", "id": question["id"], "result": ROOTS}
            self.assertEqual(session.post(answer, other).status, 202)
            self.assertEqual(json.loads(text_of(next(events))), {"result": ROOTS})

    def test_a_call_is_cancelled_through_another_node(self):
        a, b, c = self.nodes
        session = self.session(a)
        with b.connect() as connection:
            params = {"name": "until", "arguments": {"file": str(self.folder / "never")}}
            message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}
            connection.send("POST", "/mcp", session.headers(), message)
            wait_until(lambda: a.metric("patchbay_calls_in_flight") == 1, "the call to run")
            self.move(c, session)
            session.notify("notifications/cancelled", {"requestId": 7})
            wait_until(lambda: a.metric("patchbay_calls_in_flight") == 0, "the call to end")

    def test_the_stream_of_a_session_can_be_read_through_any_node(self):
        for node in self.nodes[1:]:
            session = self.session(self.nodes[0])
            self.move(node, session)
            stream = session.open_stream()
            self.assertEqual(stream.status, 200)
            self.addCleanup(stream.connection.close)
            session.call("list_changed", name=f"tool{node.port}")
            wanted = "notifications/tools/list_changed"
            for event in stream.events():
                if event.data and json.loads(event.data).get("method") == wanted:
                    break

    def test_a_stream_is_resumed_through_another_node(self):
        a, b, c = self.nodes
        session = self.session(a)
        there = self.folder / "there"
        with b.connect() as connection:
            params = {"name": "until", "arguments": {"file": str(there)}}
            params["_meta"] = {"progressToken": "p"}
            message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}
            connection.send("POST", "/mcp", session.headers(), message)
            # After limits.stream_after the answer is a stream, whose first event has an id.
            last = next(event.id for event in connection.read_head().events() if event.id)
        self.move(c, session)
        resumed = session.open_stream(last)
        self.addCleanup(resumed.connection.close)
        there.touch()
        answers = (json.loads(event.data) for event in resumed.events() if event.data)
        self.assertEqual(text_of(next(answer for answer in answers if answer.get("id") == 7)), "there")

    def test_many_clients_use_one_link_at_once(self):
        a, b, _ = self.nodes
        sessions = [self.session(a) for _ in range(20)]
        self.move(b, *sessions)
        failed = []

        def work(number, session):
            for i in range(20):
                text = f"{number}.{i} " * (1 + 500 * (i % 5))
                if text_of(session.call("echo", text=text)) != text:
                    failed.append((number, i))

        threads = [threading.Thread(target=work, args=one) for one in enumerate(sessions)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])
        self.assertGreaterEqual(b.metric("patchbay_cluster_forwarded_total", outcome="answered"), 400)


class WithoutSessions(QuestionCase):
    def test_a_stateless_call_asks_through_one_node_and_goes_on_through_another(self):
        a, b, _ = self.nodes
        params = {"name": "ask_client", "arguments": {}}
        asked = result_of(stateless_request(a, "tools/call", params, 0, META))
        ((key, _),) = asked["inputRequests"].items()
        again = {**params, "inputResponses": {key: ROOTS}, "requestState": asked["requestState"]}
        done = stateless_request(b, "tools/call", again, 1, META)
        self.assertEqual(json.loads(text_of(done)), {"result": ROOTS})
        # A state is good once, on whichever node.
        for node in self.nodes:
            self.assertIn("error", stateless_request(node, "tools/call", again, 2, META))

    def test_the_node_of_a_parked_call_that_has_gone_is_reported(self):
        a, b, _ = self.nodes
        params = {"name": "ask_client", "arguments": {}}
        asked = result_of(stateless_request(a, "tools/call", params, 0, META))
        ((key, _),) = asked["inputRequests"].items()
        again = {**params, "inputResponses": {key: ROOTS}, "requestState": asked["requestState"]}
        a.kill()
        refused = stateless_request(b, "tools/call", again, 1, META)
        self.assertEqual(refused["error"]["data"], {"reason": "interrupted"})

    def test_a_question_over_rest_is_answered_through_another_node(self):
        a, b, _ = self.nodes
        form = {"message": "who?", "requestedSchema": {"type": "object", "properties": {}}}
        arguments = {"method": "elicitation/create", "params": form}
        with a.connect() as connection:
            fields = {"Content-Type": "application/json"}
            asked = connection.request("POST", "/api/ask_client", fields, arguments)
            self.assertEqual(asked.status, 202)
            link, (key,) = asked.json()["answer_at"], asked.json()["questions"]
        with b.connect() as connection:
            answer = {"action": "accept", "content": {"name": "Ada"}}
            done = connection.request("POST", link, fields, {key: answer})
            self.assertEqual(done.status, 200)

    def test_a_message_of_a_client_over_sse_comes_through_another_node(self):
        a, b, _ = self.nodes
        with SseClient(a) as client:
            client.gateway = b
            client.initialize()
            self.assertEqual(text_of(client.call("echo", text="over sse")), "over sse")


if __name__ == "__main__":
    main()
