"""The headers of a 2026-07-28 POST, which must match its body."""

import base64
import re

from catalog import TOOLS
from errors import HEADER_MISMATCH, Refusal

NAMED_BY = {
    "tools/call": "name",
    "prompts/get": "name",
    "resources/read": "uri",
    "tasks/get": "taskId",
    "tasks/update": "taskId",
    "tasks/cancel": "taskId",
}
ENCODED = re.compile(r"=\?base64\?(.*)\?=", re.DOTALL)


def refuse(name, why):
    raise Refusal(HEADER_MISMATCH, f"{name} {why}", status=400)


def decoded(name, value):
    match = ENCODED.fullmatch(value)
    if not match:
        return value
    try:
        return base64.b64decode(match[1], validate=True).decode("utf-8")
    except ValueError:
        return refuse(name, "is not Base64")


def same(header, value):
    """Whether a header matches an argument."""
    if isinstance(value, bool):
        return header == ("true" if value else "false")
    if isinstance(value, int):
        try:
            return int(header) == value
        except ValueError:
            return False
    return header == value


def check_header(headers, name, value):
    """`value` is that of the body; None if it has none, and then the header must be absent too."""
    given = headers.get(name.lower())
    if given is None and value is not None:
        refuse(name, "is missing")
    if given is not None and (value is None or not same(decoded(name, given), value)):
        refuse(name, "differs from the body")


def check_headers(headers, message):
    method, params = message["method"], message["params"]
    if headers.get("mcp-method") != method:
        refuse("Mcp-Method", "is missing or differs from the body")
    if method in NAMED_BY and isinstance(params.get(NAMED_BY[method]), str):
        check_header(headers, "Mcp-Name", params[NAMED_BY[method]])
    if method == "tools/call" and params.get("name") in TOOLS:
        arguments = params.get("arguments") or {}
        for key, schema in TOOLS[params["name"]].schema["properties"].items():
            if "x-mcp-header" in schema:
                check_header(headers, "Mcp-Param-" + schema["x-mcp-header"], arguments.get(key))
