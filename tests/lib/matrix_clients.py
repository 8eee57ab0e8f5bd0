"""Clients of all five revisions with one interface, for the matrix.

Each answers requests, records notifications, and checks every message that it receives against the
schema of its revision.
"""

import contextlib
import itertools
import json

import schema_check
from mcp_client import STATELESS, McpSession, stateless_headers, stateless_message, result_of
from sse_client import SseClient

REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", STATELESS)
META = "io.modelcontextprotocol/"
SAMPLE = {"role": "assistant", "content": {"type": "text", "text": "Paris"}, "model": "m"}
VALUES = {"boolean": True, "string": "Alice", "integer": 3, "number": 3, "array": []}


def capabilities(revision):
    known = {"sampling": {}, "roots": {}}
    if revision >= "2025-06-18":
        known["elicitation"] = {"form": {}} if revision >= "2025-11-25" else {}
    return known


def answer_to(question):
    """What the client of a test answers, by method."""
    if question["method"] == "sampling/createMessage":
        return SAMPLE
    if question["method"] == "roots/list":
        return {"roots": [{"uri": "file:///home"}]}
    wanted = question["params"]["requestedSchema"]["properties"]
    content = {}
    for name, schema in wanted.items():
        choices = schema.get("enum") or [one["const"] for one in schema.get("oneOf", ())]
        content[name] = choices[0] if choices else VALUES[schema["type"]]
    return {"action": "accept", "content": content}


class Client:
    """Records what arrives. `notified` are notifications, `asked` the methods of questions."""

    def __init__(self, gateway, revision):
        self.gateway, self.revision = gateway, revision
        self.notified, self.asked, self.wrong = [], [], []

    def take(self, message, method=None):
        """Checks a message; the method is that of the request which it answers."""
        try:
            faults = schema_check.check_message(self.revision, message, method)
        except schema_check.LeftOut as reason:
            schema_check.report_left_out(str(reason))
            faults = []
        if faults:
            self.wrong.append(f"{'; '.join(faults)} in {json.dumps(message)[:600]}")
        return message

    def answered(self, question):
        self.asked.append(question["method"])
        return {"jsonrpc": "2.0", "id": question["id"], "result": answer_to(question)}

    def call(self, tool, token=None, **arguments):
        return self.ask("tools/call", {"name": tool, "arguments": arguments}, token=token)

    def list(self, kind):
        member = "resourceTemplates" if kind == "resources/templates" else kind
        return result_of(self.ask(f"{kind}/list"))[member]


class SessionClient(Client):
    """2025-03-26 to 2025-11-25, over Streamable HTTP."""

    def __init__(self, gateway, revision):
        super().__init__(gateway, revision)
        self.session = McpSession(gateway, revision, capabilities(revision))
        handshake = {"jsonrpc": "2.0", "id": 0, "result": self.session.handshake}
        self.take(handshake, "initialize")

    def close(self):
        self.session.delete()
        self.session.connection.close()

    def ask(self, method, params=None, token=None):
        params = {**(params or {}), **({"_meta": {"progressToken": token}} if token else {})}
        number = next(self.session.ids)
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        with self.gateway.connect() as connection:
            response = self.session.post(message, connection)
            if response.content_type != "text/event-stream":
                return self.take(json.loads(response.read()), method)
            return self.follow(response.events(), method)

    def follow(self, events, method):
        for event in events:
            if not event.data:
                continue
            message = self.take(event.json(), method)
            if "method" not in message:
                return message
            if "id" not in message:
                self.notified.append(message)
            else:
                self.session.post(self.answered(message)).read()
        raise AssertionError("the stream ended without an answer")

    def set_level(self, level):
        result_of(self.ask("logging/setLevel", {"level": level}))

    @contextlib.contextmanager
    def updates(self, uri):
        """Unsolicited notifications of the server while the block runs, as a generator."""
        stream = self.session.open_stream()
        result_of(self.ask("resources/subscribe", {"uri": uri}))
        try:
            yield (self.take(event.json()) for event in stream.events() if event.data)
        finally:
            stream.connection.close()
            result_of(self.ask("resources/unsubscribe", {"uri": uri}))

    @contextlib.contextmanager
    def begun(self, tool, **arguments):
        """A call that is cancelled when the block ends."""
        params = {"name": tool, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": "slow", "method": "tools/call", "params": params}
        with self.gateway.connect() as connection:
            connection.send("POST", "/mcp", self.session.headers(), message)
            yield
            self.session.notify("notifications/cancelled", {"requestId": "slow"})


class EventClient(Client):
    """2024-11-05, over HTTP+SSE: everything comes on one stream."""

    def __init__(self, gateway, revision):
        super().__init__(gateway, revision)
        self.sse = SseClient(gateway)
        handshake = {
            "protocolVersion": revision,
            "capabilities": capabilities(revision),
            "clientInfo": {"name": "tests", "version": "1"},
        }
        result_of(self.ask("initialize", handshake))
        self.post("notifications/initialized")

    def close(self):
        self.sse.connection.close()

    def post(self, method, params=None, **more):
        message = {"jsonrpc": "2.0", "method": method, **more, "params": params or {}}
        status = self.sse.post(message).status
        assert status == 202, status

    def ask(self, method, params=None, token=None):
        params = {**(params or {}), **({"_meta": {"progressToken": token}} if token else {})}
        number = next(self.sse.ids)
        self.post(method, params, id=number)
        for message in self.messages(method):
            if message.get("id") == number:
                return message
        return None

    def messages(self, method=None):
        while True:
            message = self.take(self.sse.next_message(), method)
            if "method" in message and "id" in message:
                self.sse.post(self.answered(message))
                continue
            if "method" in message:
                self.notified.append(message)
            yield message

    def set_level(self, level):
        result_of(self.ask("logging/setLevel", {"level": level}))

    @contextlib.contextmanager
    def updates(self, uri):
        self.notified.clear()
        result_of(self.ask("resources/subscribe", {"uri": uri}))
        yield self.received()
        result_of(self.ask("resources/unsubscribe", {"uri": uri}))

    def received(self):
        """Notifications may have arrived before the answer."""
        messages = self.messages()
        for seen in itertools.count():
            while len(self.notified) == seen:
                next(messages)
            yield self.notified[seen]

    @contextlib.contextmanager
    def begun(self, tool, **arguments):
        self.post("tools/call", {"name": tool, "arguments": arguments}, id="slow")
        yield
        self.post("notifications/cancelled", {"requestId": "slow"})


class StatelessClient(Client):
    """2026-07-28: each request for itself, questions in rounds."""

    def __init__(self, gateway, revision):
        super().__init__(gateway, revision)
        self.level, self.ids = None, itertools.count()

    def close(self):
        pass

    def send(self, connection, method, params, token=None):
        meta = {META + "clientCapabilities": capabilities(STATELESS)}
        meta |= {"progressToken": token} if token else {}
        meta |= {META + "logLevel": self.level} if self.level else {}
        message = stateless_message(method, params, next(self.ids), meta)
        headers = stateless_headers(message)
        if region := (params.get("arguments") or {}).get("region"):
            headers["Mcp-Param-Region"] = region
        connection.send("POST", "/mcp", headers, message)
        return message["id"]

    def ask(self, method, params=None, token=None):
        params = dict(params or {})
        while True:
            answer = self.ask_once(method, params, token)
            result = answer.get("result", {})
            if result.get("resultType") != "input_required":
                return answer
            questions = result.get("inputRequests", {})
            self.asked += [question["method"] for question in questions.values()]
            params["inputResponses"] = {key: answer_to(one) for key, one in questions.items()}
            params.pop("requestState", None)
            if "requestState" in result:
                params["requestState"] = result["requestState"]

    def ask_once(self, method, params, token):
        with self.gateway.connect() as connection:
            number = self.send(connection, method, params, token)
            response = connection.read_head()
            if response.content_type != "text/event-stream":
                return self.take(json.loads(response.read()), method)
            for event in response.events():
                if not event.data:
                    continue
                message = self.take(event.json(), method)
                if "method" not in message:
                    assert message["id"] == number, message
                    return message
                self.notified.append(message)
        raise AssertionError("the stream ended without an answer")

    def set_level(self, level):
        self.level = level

    @contextlib.contextmanager
    def updates(self, uri):
        kinds = ("tools", "prompts", "resources")
        filter = {f"{kind}ListChanged": True for kind in kinds} | {"resourceSubscriptions": [uri]}
        with self.gateway.connect() as connection:
            number = self.send(connection, "subscriptions/listen", {"notifications": filter})
            events = connection.read_head().events()
            received = (self.take(event.json()) for event in events if event.data)
            assert next(received)["params"]["notifications"] == filter
            yield (self.untagged(message, number) for message in received)

    def untagged(self, message, number):
        assert message["params"]["_meta"][META + "subscriptionId"] == number, message
        return message

    @contextlib.contextmanager
    def begun(self, tool, **arguments):
        with self.gateway.connect() as connection:
            self.send(connection, "tools/call", {"name": tool, "arguments": arguments})
            yield


def client_of(gateway, revision):
    kinds = {"2024-11-05": EventClient, STATELESS: StatelessClient}
    return contextlib.closing(kinds.get(revision, SessionClient)(gateway, revision))
