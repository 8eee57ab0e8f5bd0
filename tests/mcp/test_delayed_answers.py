"""Requests of a server whose answers arrive after much other traffic."""

import json
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import Gateway, McpSession, TestCase, fake, main, stateless_call, text_of

MODEL = {"messages": [], "maxTokens": 1}
TEXT = {"type": "text", "text": "hm"}
SAMPLE = {"role": "assistant", "content": [TEXT], "model": "m"}
FLOOD = 12 << 20


class DelayedAnswers(TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # The server knows no lists of content, so that its answers have to be shaped.
        upstreams = {"fake": fake(timeout="5s", protocol={"revision": "2025-03-26"})}
        cls.gateway = cls.enterClassContext(Gateway({"workers": 2, "upstreams": upstreams}))

    def session(self, **capabilities):
        return self.enterContext(McpSession(self.gateway, capabilities=capabilities))

    def test_a_result_in_one_write_with_a_question_is_the_answer(self):
        session, asked = self.session(), self.session(roots={})
        for number in range(8):
            with self.subTest(number=number):
                self.assertEqual(text_of(session.call("fake__ask_and_answer")), "answered")
                self.assertEqual(text_of(asked.call("fake__ask_and_answer")), "answered")
        late = self.gateway.metric("patchbay_upstream_dropped_total", upstream="fake", reason="late")
        self.assertEqual(late, 0)

    def test_the_same_for_a_stateless_client(self):
        for number in range(8):
            with self.subTest(number=number):
                answer = stateless_call(self.gateway, "fake__ask_and_answer", text="stateless")
                self.assertEqual(text_of(answer), "stateless")

    def test_an_answer_that_comes_after_a_flood_reaches_the_server(self):
        roots = {"roots": [{"uri": "file:///x"}]}
        for method, params, result, notified in (
            ("sampling/createMessage", MODEL, SAMPLE, {**SAMPLE, "content": TEXT}),
            ("roots/list", {}, roots, roots),
        ):
            with self.subTest(method=method):
                self.check_after_flood(method, params, result, notified)

    def check_after_flood(self, method, params, result, notified):
        session = self.session(sampling={}, roots={})
        arguments = {"method": method, "params": params, "bytes": FLOOD}
        call = {"name": "fake__ask_then_flood", "arguments": arguments}
        connection = self.enterContext(self.gateway.connect())
        message = {"jsonrpc": "2.0", "id": 77, "method": "tools/call", "params": call}
        question = None
        for event in session.post(message, connection).events():
            received = json.loads(event.data) if event.data else {}
            if received.get("method") == method:
                question = received["id"]
            elif received.get("params", {}).get("data") == "flooded":
                answer = {"jsonrpc": "2.0", "id": question, "result": result}
                with self.gateway.connect() as other:
                    self.assertEqual(session.post(answer, other).status, 202)
            elif received.get("id") == 77:
                self.assertEqual(json.loads(text_of(received)), {"result": notified})
                return
        self.fail("the call was not answered")


if __name__ == "__main__":
    main()
