"""Questions of a program (sampling, elicitation) while calls of several clients run."""

import json
import pathlib
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import Background, Gateway, McpSession, TestCase, fake, main, text_of, wait_until

CAPABILITIES = {"sampling": {}, "elicitation": {}}
QUESTION = {"method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 1}}
SAMPLE = {"role": "assistant", "content": {"type": "text", "text": "hm"}, "model": "m"}


class SharedProgram(TestCase):
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

    def test_an_abandoned_call_blocks_nobody(self):
        self.start()
        one, two = self.session(), self.session()
        connection = self.gateway.connect()
        call = {"name": "fake__until", "arguments": {"file": str(self.gate)}}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        connection.send("POST", "/mcp", one.headers(), message)
        wait_until(lambda: self.gateway.metric("patchbay_calls_in_flight") == 1, "the call to run")
        connection.close()
        self.assertEqual(self.ask(two), {"result": SAMPLE})
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


if __name__ == "__main__":
    main()
