"""MCP clients for the tests, over rawhttp: one session-based, one stateless (2026-07-28).

Both expose the exact messages; what a stream carries besides the answer is collected, never lost.
"""

import itertools
import json

from waiting import Background

SESSION_VERSIONS = ("2025-03-26", "2025-06-18", "2025-11-25")
STATELESS = "2026-07-28"
BOTH = "application/json, text/event-stream"


class RpcError(AssertionError):
    """A JSON-RPC error where the test expected a result."""

    def __init__(self, error):
        super().__init__(json.dumps(error))
        self.code, self.data = error["code"], error.get("data") or {}


def result_of(message):
    if "error" in message:
        raise RpcError(message["error"])
    return message["result"]


def text_of(message):
    """The first text block of an answered tools/call."""
    return result_of(message)["content"][0]["text"]


def answer_from(response, others=None):
    """The one JSON-RPC response in an HTTP answer; whatever else the stream had goes to others."""
    if response.content_type != "text/event-stream":
        return json.loads(response.read())
    answers = []
    for event in response.events():
        if not event.data:
            continue
        message = event.json()
        if "method" in message:
            if others is not None:
                others.append(message)
        else:
            answers.append(message)
    if len(answers) != 1:
        raise AssertionError(f"{len(answers)} answers on the stream: {answers}")
    return answers[0]


class McpSession:
    """A client of a handshake revision. Its ids count from 0, as everybody's do."""

    def __init__(self, gateway, version="2025-11-25", capabilities=None, headers=None):
        self.gateway, self.version, self.id = gateway, version, None
        self.more_headers = headers or {}
        self.connection = gateway.connect()
        self.ids = itertools.count()
        self.others = []  # Notifications and requests that came on answer streams.
        response = self.post(
            {
                "jsonrpc": "2.0",
                "id": next(self.ids),
                "method": "initialize",
                "params": {
                    "protocolVersion": version,
                    "capabilities": capabilities or {},
                    "clientInfo": {"name": "tests", "version": "1"},
                },
            }
        )
        self.handshake = result_of(answer_from(response))
        self.id = response.header("mcp-session-id")
        self.post({"jsonrpc": "2.0", "method": "notifications/initialized"}).read()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def headers(self, **more):
        fields = {"Accept": BOTH, "Content-Type": "application/json"}
        if self.id:
            fields["Mcp-Session-Id"] = self.id
            if self.version != "2025-03-26":
                fields["MCP-Protocol-Version"] = self.version
        return {**fields, **self.more_headers, **more}

    def post(self, message, connection=None, headers=None):
        """POSTs one message; the head of the answer is read, its body is not."""
        connection = connection or self.connection
        connection.send("POST", "/mcp", self.headers(**(headers or {})), message)
        return connection.read_head()

    def request(self, method, params=None, connection=None):
        message = {"jsonrpc": "2.0", "id": next(self.ids), "method": method}
        if params is not None:
            message["params"] = params
        answer = answer_from(self.post(message, connection), self.others)
        if answer.get("id") != message["id"]:
            raise AssertionError(f"asked {message['id']}, answered {answer}")
        return answer

    def call(self, tool, _meta=None, connection=None, **arguments):
        params = {"name": tool, "arguments": arguments}
        if _meta is not None:
            params["_meta"] = _meta
        return self.request("tools/call", params, connection)

    def call_later(self, tool, **arguments):
        """The same on a connection and a thread of its own."""

        def work():
            with self.gateway.connect() as connection:
                return self.call(tool, connection=connection, **arguments)

        return Background(work)

    def notify(self, method, params=None):
        message = {"jsonrpc": "2.0", "method": method, **({"params": params} if params else {})}
        response = self.post(message)
        response.read()
        return response

    def tool_names(self):
        return [tool["name"] for tool in result_of(self.request("tools/list"))["tools"]]

    def open_stream(self, last_event_id=None):
        """The GET stream on a connection of its own: the head of the answer."""
        more = {"Accept": "text/event-stream", "Content-Type": None, "Last-Event-ID": last_event_id}
        connection = self.gateway.connect()
        connection.send("GET", "/mcp", self.headers(**more))
        return connection.read_head()

    def delete(self):
        return self.connection.request("DELETE", "/mcp", self.headers(**{"Content-Type": None}))


def stateless_message(method, params=None, request_id=0, meta=None):
    claim = {
        "io.modelcontextprotocol/protocolVersion": STATELESS,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
    }
    claim.update(meta or {})
    claim = {key: value for key, value in claim.items() if value is not None}
    return {
        "jsonrpc": "2.0",
        "id": request_id,
        "method": method,
        "params": {**(params or {}), "_meta": claim},
    }


def stateless_headers(message, **more):
    fields = {
        "Accept": BOTH,
        "Content-Type": "application/json",
        "MCP-Protocol-Version": STATELESS,
        "Mcp-Method": message.get("method"),
    }
    named_by = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
    named_by |= {method: "taskId" for method in ("tasks/get", "tasks/update", "tasks/cancel")}
    if (key := named_by.get(message.get("method"))) is not None:
        fields["Mcp-Name"] = message["params"].get(key)
    return {**fields, **{key.replace("_", "-"): value for key, value in more.items()}}


def stateless_post(gateway, message, headers=None):
    """POSTs a message as it is, with the headers that fit it unless others are given (None removes
    one), on a connection of its own; gives the Response with its body read."""
    with gateway.connect() as connection:
        return connection.request(
            "POST", "/mcp", stateless_headers(message, **(headers or {})), message
        )


def stateless_request(gateway, method, params=None, request_id=0, meta=None, others=None):
    message = stateless_message(method, params, request_id, meta)
    with gateway.connect() as connection:
        connection.send("POST", "/mcp", stateless_headers(message), message)
        answer = answer_from(connection.read_head(), others)
    if answer.get("id") != request_id:
        raise AssertionError(f"asked {request_id}, answered {answer}")
    return answer


def stateless_call(gateway, tool, meta=None, others=None, **arguments):
    return stateless_request(
        gateway, "tools/call", {"name": tool, "arguments": arguments}, meta=meta, others=others
    )
