"""Parked calls of stateless clients: a session-based server asks, the call is answered with the
question, and continues when the client sends it again with the answer."""

import json
import os
import pathlib
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../lib")

from conformance import fixture_upstream
from harness import (
    BINARY,
    Gateway,
    McpSession,
    TestCase,
    main,
    result_of,
    stateless_headers,
    stateless_message,
    stateless_request,
    text_of,
    wait_until,
)
from matrix_clients import answer_to

ABLE = {"elicitation": {"form": {}}, "sampling": {}, "roots": {}}
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
NAME = "test_input_required_result_elicitation"


def answers_to(asked):
    return {key: answer_to(question) for key, question in asked["inputRequests"].items()}


class ParkedCase(TestCase):
    def gateway(self, *arguments, workers=1, **limits):
        """A gateway in front of a server with sessions, reached over stdio."""
        upstream = fixture_upstream("--revisions", "2025-11-25", *arguments)
        names = {"prefix": "never"}
        config = {"workers": workers, "names": names, "upstreams": {"far": upstream}}
        return self.enterContext(Gateway({**config, "limits": limits} if limits else config))

    def call(self, gateway, tool, arguments=None, capabilities=None, request_id=0, **more):
        params = {"name": tool, "arguments": arguments or {}, **more}
        meta = {CAPABILITIES: ABLE if capabilities is None else capabilities}
        return stateless_request(gateway, "tools/call", params, request_id, meta)

    def asked(self, gateway, tool=NAME, arguments=None):
        """Begins a call; the result that asks."""
        result = result_of(self.call(gateway, tool, arguments))
        self.assertEqual(result["resultType"], "input_required", result)
        self.assertTrue(result["inputRequests"])
        return result

    def retry(self, gateway, asked, tool=NAME, arguments=None, answers=None, state=None):
        more = {
            "inputResponses": answers_to(asked) if answers is None else answers,
            "requestState": state or asked["requestState"],
        }
        return self.call(gateway, tool, arguments, request_id=1, **more)


class Rounds(ParkedCase):
    def test_a_question_and_its_answer(self):
        gateway = self.gateway()
        asked = self.asked(gateway)
        (question,) = asked["inputRequests"].values()
        self.assertEqual(question["method"], "elicitation/create")
        self.assertEqual(question["params"]["message"], "What is your name?")
        self.assertEqual(text_of(self.retry(gateway, asked)), "Hello, Alice!")

    def test_two_rounds(self):
        gateway = self.gateway()
        tool = "test_input_required_result_multi_round"
        first = self.asked(gateway, tool)
        second = result_of(self.retry(gateway, first, tool))
        self.assertEqual(second["resultType"], "input_required")
        self.assertNotEqual(first["requestState"], second["requestState"])
        self.assertEqual(text_of(self.retry(gateway, second, tool)), "Alice likes Alice")

    def test_several_questions_in_one_round(self):
        gateway = self.gateway()
        tool = "test_input_required_result_multiple_inputs"
        asked = self.asked(gateway, tool)
        methods = sorted(question["method"] for question in asked["inputRequests"].values())
        self.assertEqual(methods, ["elicitation/create", "roots/list", "sampling/createMessage"])
        self.assertEqual(
            text_of(self.retry(gateway, asked, tool)), "Paris Alice, with the roots file:///home"
        )

    def test_what_was_not_answered_is_asked_again(self):
        gateway = self.gateway()
        tool = "test_input_required_result_multiple_inputs"
        asked = self.asked(gateway, tool)
        answers = answers_to(asked)
        key, _ = answers.popitem()
        again = result_of(self.retry(gateway, asked, tool, answers={**answers, "unknown": {}}))
        self.assertEqual(list(again["inputRequests"]), [key])
        self.assertIn("with the roots", text_of(self.retry(gateway, again, tool)))

    def test_a_prompt_asks_too(self):
        gateway = self.gateway()
        params = {"name": "test_input_required_result_prompt"}
        meta = {CAPABILITIES: ABLE}
        asked = result_of(stateless_request(gateway, "prompts/get", params, 0, meta))
        params |= {"inputResponses": answers_to(asked), "requestState": asked["requestState"]}
        notified = result_of(stateless_request(gateway, "prompts/get", params, 1, meta))
        self.assertIn("Alice", json.dumps(notified["messages"]))

    def test_a_client_without_the_capability_learns_what_it_lacks(self):
        gateway = self.gateway()
        answer = self.call(gateway, "test_sampling", {"prompt": "?"}, {"roots": {}})
        self.assert_error(answer, -32021)
        self.assertEqual(answer["error"]["data"]["requiredCapabilities"], {"sampling": {}})

    def test_a_retry_may_come_on_any_connection_and_worker(self):
        """Each request has its own connection, and the kernel spreads them over the workers."""
        gateway = self.gateway(workers=4)
        for _ in range(12):
            asked = self.asked(gateway)
            self.assertEqual(text_of(self.retry(gateway, asked)), "Hello, Alice!")

    def test_progress_goes_to_the_request_that_waits(self):
        gateway = self.gateway()
        tool = "test_streaming_elicitation"
        notified = [[], []]
        params = {"name": tool, "arguments": {}}
        meta = {CAPABILITIES: ABLE, "progressToken": "one"}
        first = stateless_request(gateway, "tools/call", params, 0, meta, notified[0])
        asked = result_of(first)
        params |= {"inputResponses": answers_to(asked), "requestState": asked["requestState"]}
        meta["progressToken"] = "two"
        last = stateless_request(gateway, "tools/call", params, 1, meta, notified[1])
        self.assertIn("Elicitation completed", text_of(last))
        progress = [[(m["params"]["progressToken"], m["params"]["progress"]) for m in t] for t in notified]
        self.assertEqual(progress, [[("one", 1)], [("two", 2)]])


class States(ParkedCase):
    """The state that a client brings back is worth nothing to anybody else, or twice."""

    def refused(self, answer):
        self.assert_error(answer, -32602, "invalid_params")

    def test_a_state_that_was_tampered_with(self):
        gateway = self.gateway()
        asked = self.asked(gateway)
        state = asked["requestState"]
        mark = state.index(".") + 1
        for position in (mark, mark + len(state[mark:]) // 2, len(state) - 2):
            other = "A" if state[position] != "A" else "B"
            wrong = state[:position] + other + state[position + 1 :]
            self.refused(self.retry(gateway, asked, state=wrong))
        ours = state[:mark]
        for wrong in (ours, ours + "AAAA", "x", state[1:], state[:-4], state + "AAAA"):
            self.refused(self.retry(gateway, asked, state=wrong))
        # None of that has hurt the call.
        self.assertEqual(text_of(self.retry(gateway, asked)), "Hello, Alice!")

    def test_a_state_is_good_for_one_use(self):
        gateway = self.gateway()
        asked = self.asked(gateway)
        self.assertEqual(text_of(self.retry(gateway, asked)), "Hello, Alice!")
        self.refused(self.retry(gateway, asked))

    def test_a_state_of_an_earlier_round(self):
        gateway = self.gateway()
        tool = "test_input_required_result_multi_round"
        first = self.asked(gateway, tool)
        second = result_of(self.retry(gateway, first, tool))
        self.refused(self.retry(gateway, first, tool))
        self.assertEqual(text_of(self.retry(gateway, second, tool)), "Alice likes Alice")

    def test_a_state_of_another_request(self):
        gateway = self.gateway()
        asked = self.asked(gateway, arguments={"a": 1})
        self.refused(self.retry(gateway, asked, arguments={"a": 2}))
        self.refused(self.retry(gateway, asked, tool="test_input_required_result_sampling"))
        params = {"name": NAME, "requestState": asked["requestState"], "inputResponses": {}}
        meta = {CAPABILITIES: ABLE}
        self.refused(stateless_request(gateway, "prompts/get", params, 3, meta))
        self.assertEqual(text_of(self.retry(gateway, asked, arguments={"a": 1})), "Hello, Alice!")

    def test_a_state_of_another_gateway(self):
        first, second = self.gateway(), self.gateway()
        asked = self.asked(first)
        self.refused(self.retry(second, asked))


class Bounds(ParkedCase):
    def events(self, record):
        with open(record, encoding="utf-8") as lines:
            return [line for line in map(json.loads, lines) if line.get("event") == "cancelled"]

    def record(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        return os.path.join(folder, "record")

    def test_a_client_that_does_not_come_back(self):
        record = self.record()
        gateway = self.gateway("--record", record, question="300ms")
        asked = self.asked(gateway)
        wait_until(lambda: self.events(record), "the server to be notified")
        self.assert_error(self.retry(gateway, asked), -32602, "invalid_params")
        # The server serves on.
        self.assertEqual(
            text_of(self.call(gateway, "test_simple_text")),
            "This is a simple text response for testing.",
        )

    def test_so_many_calls_may_wait(self):
        gateway = self.gateway(max_parked_calls=2)
        tool = "test_elicitation"
        asked = [self.asked(gateway, tool, {"message": str(n)}) for n in range(2)]
        # The server learns that it cannot ask, and reports that in its result.
        refused = result_of(self.call(gateway, tool, {"message": "3"}))
        self.assertTrue(refused.get("isError"), refused)
        for n, one in enumerate(asked):
            answer = self.retry(gateway, one, tool, {"message": str(n)})
            self.assertIn("action=accept", text_of(answer))
        self.asked(gateway, tool, {"message": "4"})

    def test_a_client_that_leaves_in_a_round_takes_its_call_with_it(self):
        record = self.record()
        gateway = self.gateway("--record", record)
        message = stateless_message(
            "tools/call",
            {"name": "slow_compute", "arguments": {"seconds": 60}},
            meta={CAPABILITIES: ABLE},
        )
        with gateway.connect() as connection:
            connection.send("POST", "/mcp", stateless_headers(message), message)
            wait_until(lambda: '"slow_compute"' in pathlib.Path(record).read_text("utf-8"))
        wait_until(lambda: self.events(record), "the server to be notified")

    def test_the_gateway_stops_with_calls_parked(self):
        gateway = self.gateway()
        self.asked(gateway)
        self.assertEqual(gateway.stop(), 0)


class Chain(TestCase):
    """A gateway behind a gateway: a session between them over SSE, none over HTTP and stdio."""

    def chain(self, link, revisions):
        names = {"prefix": "never"}
        config = {"names": names, "upstreams": {"far": fixture_upstream("--revisions", revisions)}}
        if link == "stdio":
            path = os.path.join(self.enterContext(tempfile.TemporaryDirectory()), "inner.json")
            pathlib.Path(path).write_text(json.dumps(config), "utf-8")
            inner = {"kind": "stdio", "command": BINARY, "args": ["stdio", "-c", path]}
        else:
            url = self.enterContext(Gateway(config)).url
            inner = {"kind": link, "url": url.replace("/mcp", "/sse") if link == "sse" else url}
        return self.enterContext(Gateway({"names": names, "upstreams": {"inner": inner}}))

    def check(self, gateway):
        with McpSession(gateway) as session:
            notified = []
            session.others = notified
            answer = session.call("test_tool_with_progress", {"progressToken": 7})
            self.assertIn("successfully", text_of(answer))
            self.assertEqual([m["params"]["progress"] for m in notified], [0, 50, 100])
            self.assertEqual({m["params"]["progressToken"] for m in notified}, {7})
            read = result_of(session.request("resources/read", {"uri": "test://static-text"}))
            self.assertEqual(read["contents"][0]["uri"], "test://static-text")
            self.ask_in_session(gateway)
        self.ask_stateless(gateway)

    def ask_in_session(self, gateway):
        with McpSession(gateway, capabilities=ABLE) as session, gateway.connect() as connection:
            call = {"name": NAME, "arguments": {}}
            message = {"jsonrpc": "2.0", "id": "q", "method": "tools/call", "params": call}
            events = session.post(message, connection).events()
            messages = (event.json() for event in events if event.data)
            question = next(messages)
            reply = {"jsonrpc": "2.0", "id": question["id"], "result": answer_to(question)}
            session.post(reply).read()
            self.assertEqual(text_of(next(messages)), "Hello, Alice!")

    def ask_stateless(self, gateway):
        meta = {CAPABILITIES: ABLE}
        params = {"name": NAME, "arguments": {}}
        asked = result_of(stateless_request(gateway, "tools/call", params, 0, meta))
        params |= {"inputResponses": answers_to(asked)}
        if "requestState" in asked:
            params["requestState"] = asked["requestState"]
        answer = stateless_request(gateway, "tools/call", params, 1, meta)
        self.assertEqual(text_of(answer), "Hello, Alice!")

    def test_a_session_based_and_a_stateless_server(self):
        for link in ("http", "sse", "stdio"):
            for revisions in ("2025-11-25", "2026-07-28"):
                with self.subTest(link=link, server=revisions):
                    self.check(self.chain(link, revisions))


if __name__ == "__main__":
    main()
