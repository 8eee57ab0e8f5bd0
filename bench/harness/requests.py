"""The HTTP requests that the benchmarks send, as bytes for the load generator.

`{{id}}` and `{{session}}` are filled in by the load generator, which also writes Content-Length.
"""

import json
from dataclasses import dataclass, field

SESSION_BASED = "2025-11-25"
STATELESS = "2026-07-28"


@dataclass
class Traffic:
    """What one benchmark sends on each connection, and what every answer must contain."""

    request: bytes
    setup: list[bytes] = field(default_factory=list)
    expect: list[str] = field(default_factory=list)


def get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: */*\r\n\r\n".encode()


def get_stream() -> bytes:
    """Opens the stream of a session, on which the gateway may speak first."""
    lines = ["GET /mcp HTTP/1.1", "Host: 127.0.0.1", "Accept: text/event-stream"]
    lines += [f"{name}: {value}" for name, value in session_headers().items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def post(path: str, message: dict, headers: dict[str, str] | None = None) -> bytes:
    fields = {
        "Host": "127.0.0.1",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    } | (headers or {})
    lines = [f"POST {path} HTTP/1.1"] + [f"{name}: {value}" for name, value in fields.items()]
    body = json.dumps(message, separators=(",", ":"))
    # The id is a number on the wire, so the template has it without quotes.
    body = body.replace('"{{id}}"', "{{id}}")
    return ("\r\n".join(lines) + "\r\n\r\n" + body).encode()


def message(method: str, params: dict | None = None) -> dict:
    made = {"jsonrpc": "2.0", "id": "{{id}}", "method": method}
    return made if params is None else made | {"params": params}


def session_setup() -> list[bytes]:
    """The handshake that opens a session; later requests name it in {{session}}."""
    hello = {
        "protocolVersion": SESSION_BASED,
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    }
    initialized = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    return [
        post("/mcp", message("initialize", hello)),
        post("/mcp", initialized, session_headers()),
    ]


def session_headers() -> dict[str, str]:
    return {"MCP-Protocol-Version": SESSION_BASED, "Mcp-Session-Id": "{{session}}"}


def stateless(method: str, params: dict, name: str | None = None) -> bytes:
    headers = {"MCP-Protocol-Version": STATELESS, "Mcp-Method": method}
    if name is not None:
        headers["Mcp-Name"] = name
    envelope = {
        "io.modelcontextprotocol/protocolVersion": STATELESS,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    return post("/mcp", message(method, {"_meta": envelope} | params), headers)


def ping() -> Traffic:
    request = post("/mcp", message("ping"), session_headers())
    return Traffic(request, session_setup(), ['"id":{{id}}', '"result"'])


def goal(text: str, output: str) -> Traffic:
    return Traffic(post("/api/agent/execute", {"goal": text}), [], [f'"finalOutput":"{output}"'])


def tool_call(protocol: str, tool: str, arguments: dict, expect: str) -> Traffic:
    params = {"name": tool, "arguments": arguments}
    expected = ['"id":{{id}}', expect]
    if protocol == "stateless":
        return Traffic(stateless("tools/call", params, name=tool), [], expected)
    request = post("/mcp", message("tools/call", params), session_headers())
    return Traffic(request, session_setup(), expected)


def rest_call(tool: str, arguments: dict, expect: str) -> Traffic:
    """The same as a tool_call by plain HTTP; the answer has no id of ours in its body."""
    return Traffic(post(f"/api/{tool}", arguments, {"Accept": "application/json"}), [], [expect])


def with_token(traffic: Traffic, token: str) -> Traffic:
    """The same by a caller with a token."""

    def authorized(request: bytes) -> bytes:
        line, rest = request.split(b"\r\n", 1)
        return b"%b\r\nAuthorization: Bearer %b\r\n%b" % (line, token.encode(), rest)

    return Traffic(authorized(traffic.request), [authorized(one) for one in traffic.setup], traffic.expect)


def without_session(traffic: Traffic, expect: list[str] | None = None) -> Traffic:
    """The same bytes for a server that knows no sessions; by default one with a fixed answer."""
    filler = b"0" * 32
    return Traffic(traffic.request.replace(b"{{session}}", filler), [], expect or ["xxxx"])


def text_result_size(text_bytes: int) -> int:
    """The length of a tools/call answer with that much text; baselines answer as much."""
    content = [{"type": "text", "text": ""}]
    answer = {"jsonrpc": "2.0", "id": 1_000_000_000, "result": {"content": content}}
    return len(json.dumps(answer, separators=(",", ":"))) + text_bytes
