"""Calls over REST that send something before their answer: progress and questions."""

import json
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import Gateway, main, stateless_request
from rest_case import JSON, STREAM, RestCase, content_server


class Streams(RestCase):
    def events(self, path, body=None, headers=None):
        with self.gateway.connect() as connection:
            connection.send("POST", path, headers or STREAM, body or {})
            response = connection.read_head()
            self.assertEqual(response.status, 200)
            self.assertEqual(response.content_type, "text/event-stream")
            return [(event.name, json.loads(event.data)) for event in response.events()]

    def test_progress_and_log_and_then_the_result(self):
        events = self.events("/api/con.slow")
        names = [name for name, _ in events]
        self.assertEqual(names.count("progress"), 2)
        self.assertEqual(names.count("log"), 2)
        self.assertEqual(events[-1], ("result", {"content": [{"type": "text", "text": "done"}]}))

    def test_a_client_that_closes_gets_the_end_of_the_stream(self):
        """Otherwise it could not distinguish a complete answer from a truncated one."""
        events = self.events("/api/con.slow", {}, {**STREAM, "Connection": "close"})
        self.assertEqual(events[-1][0], "result")

    def test_the_result_in_the_format_of_mcp(self):
        name, result = self.events("/mcp/v1/tools/con.add", {"a": 1, "b": 2})[-1]
        self.assertEqual((name, result["structuredContent"]), ("result", {"sum": 3}))

    def test_clients_that_prefer_json_get_json(self):
        both = {**JSON, "Accept": "application/json, text/event-stream"}
        self.assertEqual(self.post("/api/con.slow", {}, both).content_type, "application/json")
        better = {**JSON, "Accept": "application/json;q=0.5, text/event-stream"}
        self.assertEqual(self.events("/api/con.slow", {}, better)[-1][0], "result")

    def test_what_fails_at_once_has_its_status(self):
        self.assertEqual(self.post("/api/nope", {}, STREAM).status, 404)
        self.assertEqual(self.post("/api/con.fail", {}, STREAM).status, 422)

    def test_a_long_call_sends_keep_alives_and_its_error_as_an_event(self):
        config = {
            "upstreams": {"con": {**content_server(), "timeout": "600ms"}},
            "limits": {"stream_delay": "50ms", "stream_keep_alive_interval": "100ms"},
        }
        with Gateway(config) as gateway, gateway.connect() as connection:
            connection.send("POST", "/api/con.stuck", STREAM, {})
            response = connection.read_head()
            self.assertEqual(response.status, 200)
            self.assertTrue(response.header("x-correlation-id"))
            body = response.read().decode()
        self.assertIn(":\n\n", body)
        self.assertIn("event: error\n", body)
        self.assertIn("Gateway Timeout", body)


FORM = {"message": "who?", "requestedSchema": {"type": "object", "properties": {}}}
QUESTION = {"method": "elicitation/create", "params": FORM}
ACCEPT = {"action": "accept", "content": {"name": "Ada"}}


class Questions(RestCase):
    def ask(self, base="/api/"):
        """Starts a call that asks; the link to answer at and the key of the question."""
        response = self.post(base + "ask.ask", QUESTION)
        body = self.json(response, 202)
        self.assertEqual(body["status"], "input_required")
        self.assertEqual(response.header("location"), body["answer_at"])
        ((key, question),) = body["questions"].items()
        self.assertEqual(question, {"method": "elicitation/create", "params": FORM})
        return body["answer_at"], key

    def test_a_question_is_answered_at_its_link(self):
        for base in ("/api/", "/agents/", "/mcp/v1/tools/", "/gateway/prod/mcp/v1/tools/"):
            with self.subTest(base):
                link, key = self.ask(base)
                self.assertTrue(link.startswith(base + "ask.ask/answers/"))
                result = self.json(self.post(link, {key: ACCEPT}))
                notified = json.loads(result["content"][0]["text"])
                self.assertEqual(notified, {"result": ACCEPT})

    def test_a_link_works_once_and_only_as_it_was_made(self):
        link, key = self.ask()
        changed = link[:-1] + ("A" if link[-1] != "A" else "B")
        self.assert_plain_error(self.post(changed, {key: ACCEPT}), 409)
        other = link.replace("ask.ask", "ask.log")
        self.assert_plain_error(self.post(other, {key: ACCEPT}), 409)
        self.assertEqual(self.get(link).status, 405)
        self.assertEqual(self.post(link, {key: ACCEPT}).status, 200)
        self.assert_plain_error(self.post(link, {key: ACCEPT}), 409)

    def test_a_made_up_link_calls_nothing(self):
        self.post("/api/con.loose", {"mark": 1})
        for tool in ("con.move", "skills.time"):
            for state in ("x", "patchbay.", "patchbay.x", "patchbay.AAAA"):
                self.assert_plain_error(self.post(f"/api/{tool}/answers/{state}", {}), 409)
        seen = json.loads(self.json(self.post("/api/con.seen"))["content"][0]["text"])
        self.assertEqual((seen["name"], seen["arguments"]), ("loose", {"mark": 1}))

    def test_what_is_not_answered_is_asked_again(self):
        link, key = self.ask()
        again = self.json(self.post(link, {}), 202)
        self.assertEqual(list(again["questions"]), [key])
        self.assertNotEqual(again["answer_at"], link)
        self.assertEqual(self.post(again["answer_at"], {key: ACCEPT}).status, 200)

    def test_in_a_stream_the_question_is_the_last_event(self):
        with self.gateway.connect() as connection:
            connection.send("POST", "/api/ask.ask", STREAM, QUESTION)
            events = list(connection.read_head().events())
        self.assertEqual(events[-1].name, "input_required")
        body = json.loads(events[-1].data)
        (key,) = body["questions"]
        self.assertEqual(self.post(body["answer_at"], {key: ACCEPT}).status, 200)

    def test_a_state_of_mcp_is_no_link(self):
        meta = {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}}}
        params = {"name": "ask__ask", "arguments": QUESTION}
        result = stateless_request(self.gateway, "tools/call", params, meta=meta)["result"]
        state = result["requestState"]
        response = self.post(f"/api/ask__ask/answers/{state}", {"elicitation-1": ACCEPT})
        self.assert_plain_error(response, 409)
        answered = {**params, "requestState": state, "inputResponses": {"elicitation-1": ACCEPT}}
        result = stateless_request(self.gateway, "tools/call", answered, meta=meta)["result"]
        self.assertIn("content", result)

    def test_what_a_rest_client_cannot_do_is_not_asked(self):
        sampling = {"method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 1}}
        notified = self.post("/api/ask.ask", sampling)
        self.assertIn(notified.status, (200, 400))


if __name__ == "__main__":
    main()
