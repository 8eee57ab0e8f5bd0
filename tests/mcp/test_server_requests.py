"""Requests and log messages that servers send to clients during a call."""

import json
import os
import sys
import tempfile
import time

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    BINARY,
    Gateway,
    McpSession,
    StdioFrontend,
    TestCase,
    main,
    result_of,
    stateless_call,
    text_of,
    wait_until,
)
from items_upstream import items

CAPABILITIES = {"sampling": {}, "elicitation": {}, "roots": {}}
SAMPLE = {"role": "assistant", "content": {"type": "text", "text": "hm"}, "model": "m"}
MODEL = {"messages": [], "maxTokens": 1}


class QuestionsCase(TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # Two workers, so that questions and answers also pass between them.
        config = {"workers": 2, "upstreams": {"one": items("one"), "two": items("two")}}
        cls.gateway = cls.enterClassContext(Gateway(config))

    def session(self, capabilities=None, version="2025-11-25"):
        return self.enterContext(McpSession(self.gateway, version, capabilities=capabilities))

    def answer(self, session, message):
        """Sends an answer of the client, on a connection of its own."""
        with self.gateway.connect() as connection:
            response = session.post(message, connection)
            response.read()
            self.assertEqual(response.status, 202)

    def refused(self, upstream):
        return self.gateway.metric(
            "patchbay_upstream_dropped_total", upstream=upstream, reason="refused"
        )

    def asked(self, session, upstream, method, params=None):
        """Starts a call that asks; the stream of its answer and the question on it."""
        call = {"name": f"{upstream}__ask", "arguments": {"method": method, "params": params or {}}}
        connection = self.enterContext(self.gateway.connect())
        message = {"jsonrpc": "2.0", "id": 77, "method": "tools/call", "params": call}
        response = session.post(message, connection)
        events = response.events()
        for event in events:
            if event.data:
                return events, json.loads(event.data)
        raise AssertionError("nothing was asked")


class Questions(QuestionsCase):
    def test_each_method_reaches_the_client_and_its_answer_the_server(self):
        session = self.session(CAPABILITIES)
        for upstream in ("one", "two"):
            for method, params, result in (
                ("sampling/createMessage", MODEL, SAMPLE),
                ("elicitation/create", {"message": "?", "requestedSchema": {}}, {"action": "decline"}),
                ("roots/list", None, {"roots": [{"uri": "file:///x"}]}),
            ):
                with self.subTest(method=method, upstream=upstream):
                    events, question = self.asked(session, upstream, method, params)
                    self.assertEqual(question["method"], method)
                    self.assertEqual(question["params"], params or {})
                    self.answer(session, {"jsonrpc": "2.0", "id": question["id"], "result": result})
                    last = [json.loads(event.data) for event in events if event.data][-1]
                    self.assertEqual(last["id"], 77)
                    self.assertEqual(json.loads(text_of(last)), {"result": result})

    def test_a_refusal_of_the_client_reaches_the_server(self):
        session = self.session(CAPABILITIES)
        events, question = self.asked(session, "one", "sampling/createMessage", MODEL)
        error = {"code": -1, "message": "User rejected sampling request"}
        self.answer(session, {"jsonrpc": "2.0", "id": question["id"], "error": error})
        last = [json.loads(event.data) for event in events if event.data][-1]
        self.assertEqual(json.loads(text_of(last)), {"error": error})

    def test_a_client_that_cannot_is_not_asked(self):
        for session, method in (
            (self.session(), "sampling/createMessage"),
            (self.session({"sampling": {}}), "roots/list"),
            (self.session(CAPABILITIES, "2025-03-26"), "elicitation/create"),
        ):
            answer = session.call("one__ask", method=method)
            self.assertEqual(json.loads(text_of(answer))["error"]["code"], -32601)

    def test_a_method_nobody_knows_is_refused(self):
        answer = self.session(CAPABILITIES).call("one__ask", method="secrets/list")
        self.assertEqual(json.loads(text_of(answer))["error"]["code"], -32601)

    def test_a_stateless_client_is_not_asked(self):
        answer = stateless_call(self.gateway, "one__ask", method="roots/list")
        self.assertEqual(json.loads(text_of(answer))["error"]["code"], -32601)

    def test_another_session_cannot_answer(self):
        session, thief = self.session(CAPABILITIES), self.session(CAPABILITIES)
        events, question = self.asked(session, "one", "roots/list")
        self.answer(thief, {"jsonrpc": "2.0", "id": question["id"], "result": {"roots": ["stolen"]}})
        self.answer(session, {"jsonrpc": "2.0", "id": question["id"], "result": {"roots": []}})
        last = [json.loads(event.data) for event in events if event.data][-1]
        self.assertEqual(json.loads(text_of(last)), {"result": {"roots": []}})

    def test_a_flood_of_questions_is_bounded(self):
        session, before = self.session(CAPABILITIES), self.refused("one")
        call = {"name": "one__pester", "arguments": {"count": 100}}
        message = {"jsonrpc": "2.0", "id": 77, "method": "tools/call", "params": call}
        connection = self.enterContext(self.gateway.connect())
        stream = session.post(message, connection).events()
        events = (json.loads(event.data) for event in stream if event.data)
        questions = [next(events) for _ in range(16)]
        # None is answered before the gateway has seen them all: those beyond 16 are refused.
        wait_until(lambda: self.refused("one") == before + 84, "the rest to be refused")
        for question in questions:
            self.answer(session, {"jsonrpc": "2.0", "id": question["id"], "result": {"roots": []}})
        self.assertEqual(text_of(next(events)), "84")

    def test_a_cancelled_call_leaves_no_question(self):
        session = self.session(CAPABILITIES)
        events, question = self.asked(session, "one", "roots/list")
        session.notify("notifications/cancelled", {"requestId": 77})
        last = [json.loads(event.data) for event in events if event.data][-1]
        self.assertEqual(last["error"]["data"]["reason"], "cancelled")
        # The server was notified as well: it answers the next call.
        self.assertEqual(text_of(session.call("one__log")), '"logged"')
        self.answer(session, {"jsonrpc": "2.0", "id": question["id"], "result": {}})


class Timeouts(TestCase):
    def test_the_clock_of_a_call_stands_still_while_the_client_thinks(self):
        config = {"upstreams": {"one": items("one")}, "limits": {"call_timeout": "500ms", "input_timeout": "20s"}}
        with Gateway(config) as gateway, McpSession(gateway, capabilities=CAPABILITIES) as session:
            with gateway.connect() as connection:
                call = {"name": "one__ask", "arguments": {"method": "roots/list"}}
                message = {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": call}
                events = session.post(message, connection).events()
                question = next(json.loads(event.data) for event in events if event.data)
                time.sleep(1.5)  # Longer than a call may take.
                answer = {"jsonrpc": "2.0", "id": question["id"], "result": {"roots": []}}
                with gateway.connect() as other:
                    session.post(answer, other).read()
                last = [json.loads(event.data) for event in events if event.data][-1]
                self.assertEqual(json.loads(text_of(last)), {"result": {"roots": []}})

    def test_a_client_that_never_answers_loses_the_call(self):
        config = {"upstreams": {"one": items("one")}, "limits": {"call_timeout": "100ms", "input_timeout": "300ms"}}
        with Gateway(config) as gateway, McpSession(gateway, capabilities=CAPABILITIES) as session:
            answer = session.call("one__ask", method="roots/list")
            self.assertEqual(answer["error"]["data"]["reason"], "timeout")
            # The server knows that there is no answer, and continues to serve.
            self.assertEqual(text_of(session.call("one__log")), '"logged"')


class Logs(QuestionsCase):
    def levels(self, session):
        session.others.clear()
        session.call("one__log")
        return [other["params"]["level"] for other in session.others]

    def test_a_session_gets_what_it_wants(self):
        session = self.session()
        self.assertEqual(len(self.levels(session)), 8)
        self.assertEqual(result_of(session.request("logging/setLevel", {"level": "error"})), {})
        self.assertEqual(self.levels(session), ["error", "critical", "alert", "emergency"])
        for wrong in ({"level": "loud"}, {}, {"level": 3}):
            self.assertEqual(session.request("logging/setLevel", wrong)["error"]["code"], -32602)
        self.assertEqual(len(self.levels(session)), 4)

    def test_a_stateless_request_gets_what_it_asks_for(self):
        key = "io.modelcontextprotocol/logLevel"
        for level, count in ((None, 0), ("alert", 2), ("debug", 8), ("loud", 0)):
            others = []
            stateless_call(self.gateway, "one__log", meta={key: level} if level else None, others=others)
            self.assertEqual(len(others), count, level)


class Lines(TestCase):
    def test_questions_on_stdin_and_stdout(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        config = os.path.join(folder, "patchbay.yaml")
        with open(config, "w", encoding="utf-8") as file:
            json.dump({"upstreams": {"one": items("one")}}, file)
        command = [BINARY, "stdio", "-c", config]
        with StdioFrontend(command) as frontend:
            params = {"protocolVersion": "2025-11-25", "capabilities": CAPABILITIES, "clientInfo": {}}
            frontend.request({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
            call = {"name": "one__ask", "arguments": {"method": "roots/list"}}
            frontend.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
            question = json.loads(frontend.stdout.wait_for('"roots/list"'))
            frontend.send({"jsonrpc": "2.0", "id": question["id"], "result": {"roots": []}})
            self.assertEqual(json.loads(text_of(frontend.answer(1))), {"result": {"roots": []}})


if __name__ == "__main__":
    main()
