"""Questions of a program (sampling, elicitation) while calls of several clients run."""

import json
import pathlib
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    Background,
    Gateway,
    McpSession,
    TestCase,
    fake,
    main,
    result_of,
    stateless_request,
    text_of,
    wait_until,
)

CAPABILITIES = {"sampling": {}, "elicitation": {}}
QUESTION = {"method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 1}}
SAMPLE = {"role": "assistant", "content": {"type": "text", "text": "hm"}, "model": "m"}


class ProgramThatAsks(TestCase):
    """One program behind the gateway, clients that can be asked, and a call that runs until a gate opens."""

    def start(self, **settings):
        config = {"workers": 2, "upstreams": {"fake": fake(**settings)}}
        self.gateway = self.enterContext(Gateway(config))
        self.gate = pathlib.Path(self.gateway.folder.name) / "gate"

    def session(self):
        return self.enterContext(McpSession(self.gateway, capabilities=CAPABILITIES))

    def occupy(self, session):
        """A call of `session` that runs until the gate is opened."""
        call = session.call_later("fake__until", file=str(self.gate))
        wait_until(lambda: self.gateway.metric("patchbay_calls_in_flight") == 1, "the call to run")
        return call

    def ask(self, session, tool="fake__ask_client", **arguments):
        """Calls a tool that asks, and answers the question; what the tool got."""
        connection = self.enterContext(self.gateway.connect())
        call = {"name": tool, "arguments": {**QUESTION, **arguments}}
        message = {"jsonrpc": "2.0", "id": 77, "method": "tools/call", "params": call}
        response = session.post(message, connection)
        if response.content_type != "text/event-stream":
            return json.loads(text_of(json.loads(response.read())))
        for event in response.events():
            if not event.data:
                continue
            message = event.json()
            if message.get("method") == QUESTION["method"]:
                with self.gateway.connect() as other:
                    answer = {"jsonrpc": "2.0", "id": message["id"], "result": SAMPLE}
                    session.post(answer, other).read()
            elif "method" not in message:
                return json.loads(text_of(message))
        raise AssertionError("no answer")

    def pid(self, session):
        return json.loads(text_of(session.call("fake__whoami")))["pid"]


class SharedProgram(ProgramThatAsks):
    def test_a_client_is_asked_while_another_has_a_call_running(self):
        self.start()
        one, two = self.session(), self.session()
        running = self.occupy(one)
        self.assertEqual(self.ask(two), {"result": SAMPLE})
        self.gate.touch()
        self.assertEqual(text_of(running.result()), "there")
        # The second has a program of its own from now on; a third that is in nobody's way needs none.
        self.assertNotEqual(self.pid(one), self.pid(two))
        self.assertEqual(self.pid(self.session()), self.pid(one))
        self.assertEqual(self.ask(one), {"result": SAMPLE})

    def test_a_client_that_cannot_be_asked_is_not_in_the_way_of_one_that_can(self):
        self.start()
        one, two = self.session(), self.enterContext(McpSession(self.gateway))
        asked = pathlib.Path(self.gateway.folder.name) / "ask"
        asking = Background(lambda: self.ask(one, "fake__ask_when", file=str(asked)))
        wait_until(lambda: self.gateway.metric("patchbay_calls_in_flight") == 1, "the call to run")
        running = two.call_later("fake__until", file=str(self.gate))
        wait_until(lambda: self.gateway.metric("patchbay_calls_in_flight") == 2, "both calls to run")
        asked.touch()
        self.assertEqual(asking.result(), {"result": SAMPLE})
        self.gate.touch()
        running.result()

    def start_call(self, session):
        """A call that runs until the gate is opened, on a connection of its own."""
        connection = self.gateway.connect()
        call = {"name": "fake__until", "arguments": {"file": str(self.gate)}}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        connection.send("POST", "/mcp", session.headers(), message)
        wait_until(lambda: self.gateway.metric("patchbay_calls_in_flight") == 1, "the call to run")
        return connection

    def test_an_abandoned_call_blocks_nobody(self):
        self.start()
        one, two = self.session(), self.session()
        self.start_call(one).close()
        self.assertEqual(self.ask(two), {"result": SAMPLE})
        self.gate.touch()

    def test_an_abandoned_call_of_a_program_that_must_be_shared_neither(self):
        self.start(isolation="shared")
        one, two = self.session(), self.session()
        connection = self.start_call(one)
        self.assertIn("isolation", self.ask(two)["error"]["message"])
        connection.close()
        # The gateway notices it when the kernel reports it: until then the question is refused.
        wait_until(lambda: self.ask(two) == {"result": SAMPLE}, "the connection to be gone")
        self.gate.touch()

    def test_a_client_that_comes_back_for_its_call_counts_again(self):
        self.start(isolation="shared")
        one, two = self.session(), self.session()
        connection = self.start_call(one)
        events = connection.read_head().events()  # The call has become a stream.
        first = next(event for event in events if event.id)
        connection.close()
        wait_until(lambda: self.ask(two) == {"result": SAMPLE}, "the connection to be gone")
        again = one.open_stream(last_event_id=first.id)
        wait_until(lambda: "error" in self.ask(two), "the client to be back")
        again.connection.close()
        wait_until(lambda: self.ask(two) == {"result": SAMPLE}, "the client to be gone again")
        self.gate.touch()

    def test_what_must_be_shared_is_refused_and_names_the_setting(self):
        self.start(isolation="shared")
        one, two = self.session(), self.session()
        running = self.occupy(one)
        error = self.ask(two)["error"]
        self.assertIn("isolation: per-session", error["message"])
        line = self.gateway.stderr.wait_for("question of an upstream refused")
        self.assertIn("upstream=fake", line)
        self.assertIn("isolation", line)
        self.gate.touch()
        running.result()
        self.assertEqual(self.pid(one), self.pid(two))

    def test_beyond_the_bound_clients_share(self):
        self.start(max_isolated_connections=1)
        one, two, three = self.session(), self.session(), self.session()
        running = self.occupy(one)
        self.assertEqual(self.ask(two), {"result": SAMPLE})
        self.assertIn("isolation", self.ask(three)["error"]["message"])
        self.gate.touch()
        running.result()
        self.assertEqual(self.pid(three), self.pid(one))

    def test_clients_that_cannot_be_asked_share(self):
        self.start()
        one = self.enterContext(McpSession(self.gateway))
        two = self.enterContext(McpSession(self.gateway))
        running = self.occupy(one)
        pid = self.pid(two)
        self.gate.touch()
        running.result()
        self.assertEqual(self.pid(one), pid)


class WithoutSessions(ProgramThatAsks):
    """Clients of the stateless revision: their calls cannot be distinguished."""

    def call(self, tool, arguments, capabilities=CAPABILITIES, **more):
        params = {"name": tool, "arguments": arguments, **more}
        meta = {"io.modelcontextprotocol/clientCapabilities": capabilities}
        return result_of(stateless_request(self.gateway, "tools/call", params, 1, meta))

    def ask_stateless(self, tool="fake__ask_client", **arguments):
        """As `ask`, with the question as a result that asks for input."""
        arguments |= QUESTION
        result = self.call(tool, arguments)
        if result["resultType"] != "input_required":
            return json.loads(result["content"][0]["text"])
        answers = {key: SAMPLE for key in result["inputRequests"]}
        state = {"inputResponses": answers, "requestState": result["requestState"]}
        return json.loads(self.call(tool, arguments, **state)["content"][0]["text"])

    def until(self):
        """A call that runs until the gate is opened."""
        before = self.gateway.metric("patchbay_calls_in_flight")
        call = Background(lambda: self.call("fake__until", {"file": str(self.gate)}))
        wait_until(lambda: self.gateway.metric("patchbay_calls_in_flight") > before, "the call to run")
        return call

    def test_a_server_that_asks_gets_one_call_at_a_time(self):
        self.start()
        self.assertEqual(self.ask_stateless(), {"result": SAMPLE})
        calls = [self.until(), self.until()]
        self.assertEqual(self.ask_stateless(), {"result": SAMPLE})
        with_session = self.session()
        self.assertEqual(self.ask(with_session), {"result": SAMPLE})
        self.gate.touch()
        for call in calls:
            self.assertEqual(call.result()["content"][0]["text"], "there")

    def test_clients_that_cannot_be_asked_share_beside_one_that_can(self):
        self.start()
        pid = lambda capabilities: json.loads(self.call("fake__whoami", {}, capabilities)["content"][0]["text"])["pid"]
        shared = pid(CAPABILITIES)
        self.assertEqual(self.ask_stateless(), {"result": SAMPLE})
        running = self.until()
        apart = pid({})
        self.assertNotEqual(apart, shared)
        beside = Background(lambda: self.call("fake__until", {"file": str(self.gate)}, {}))
        wait_until(lambda: self.gateway.metric("patchbay_calls_in_flight") == 2, "both calls to run")
        self.assertEqual(pid({}), apart)
        self.gate.touch()
        for call in (running, beside):
            call.result()

    def test_the_next_program_starts_before_a_call_needs_it(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        starts = pathlib.Path(folder) / "starts"
        self.start(env={"FAKE_START_LOG": str(starts)})
        self.assertEqual(self.ask_stateless(), {"result": SAMPLE})
        wait_until(lambda: len(starts.read_text().splitlines()) == 2, "a second program to start")
        running = self.until()
        self.call("fake__whoami", {})
        self.assertEqual(len(starts.read_text().splitlines()), 2)
        self.gate.touch()
        running.result()

    def test_a_session_does_not_join_a_call_without_one(self):
        self.start()
        session = self.session()
        running = self.until()
        self.assertEqual(self.ask(session), {"result": SAMPLE})
        self.gate.touch()
        running.result()

    def test_what_must_be_shared_is_refused(self):
        self.start(isolation="shared")
        self.assertEqual(self.ask_stateless(), {"result": SAMPLE})
        running = self.until()
        self.assertIn("isolation", self.ask_stateless()["error"]["message"])
        self.gate.touch()
        running.result()


if __name__ == "__main__":
    main()
