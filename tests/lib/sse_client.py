"""A client of HTTP+SSE, the transport of 2024-11-05."""

import itertools
import json

from harness import result_of

JSON = {"Content-Type": "application/json"}


class SseClient:
    """A client that knows only what it reads from the stream."""

    def __init__(self, gateway, path=None):
        self.gateway, self.others, self.ids = gateway, [], itertools.count()
        self.connection = gateway.connect()
        self.connection.send("GET", "/sse", {"Accept": "text/event-stream"})
        self.head = self.connection.read_head()
        self.events = self.head.events()
        first = next(self.events)
        assert first.name == "endpoint", first
        self.endpoint = first.data
        if path:
            self.endpoint = path + self.endpoint[self.endpoint.index("?") :]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def post(self, message):
        with self.gateway.connect() as connection:
            return connection.request("POST", self.endpoint, JSON, message)

    def next_message(self):
        for event in self.events:
            if event.data:
                return json.loads(event.data)
        raise AssertionError("the stream ended")

    def request(self, method, params=None):
        message = {"jsonrpc": "2.0", "id": next(self.ids), "method": method, "params": params or {}}
        status = self.post(message).status
        assert status == 202, status
        while True:
            answer = self.next_message()
            if answer.get("id") == message["id"] and "method" not in answer:
                return answer
            self.others.append(answer)

    def initialize(self, version="2024-11-05", capabilities=None):
        params = {"protocolVersion": version, "capabilities": capabilities or {}}
        return result_of(self.request("initialize", {**params, "clientInfo": {"name": "t"}}))

    def call(self, tool, meta=None, **arguments):
        params = {"name": tool, "arguments": arguments}
        return self.request("tools/call", {**params, "_meta": meta} if meta else params)
