"""The tools of the conformance suite that answer at once, log, count, or cause a change."""

import asyncio

from catalog import text, tool
from errors import ToolFailed

# The smallest PNG and WAV there are.
PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
)
WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="

STRING, NUMBER, INTEGER, BOOLEAN = ({"type": t} for t in ("string", "number", "integer", "boolean"))
STEP_S = 0.05  # The pause between two messages of one call.


def content(*blocks):
    return {"content": list(blocks)}


def image():
    return {"type": "image", "data": PNG, "mimeType": "image/png"}


def embedded(uri, mime, body):
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime, "text": body}}


@tool("test_simple_text", "Answers with a text.")
async def simple_text(_call):
    return text("This is a simple text response for testing.")


@tool("test_image_content", "Answers with an image.")
async def image_content(_call):
    return content(image())


@tool("test_audio_content", "Answers with a sound.", since="2025-03-26")
async def audio_content(_call):
    return content({"type": "audio", "data": WAV, "mimeType": "audio/wav"})


@tool("test_embedded_resource", "Answers with a resource.")
async def embedded_resource(_call):
    body = "This is an embedded resource content."
    return content(embedded("test://embedded-resource", "text/plain", body))


@tool("test_multiple_content_types", "Answers with a text, an image and a resource.")
async def multiple_content_types(_call):
    body = '{"test":"data","value":123}'
    return content(
        {"type": "text", "text": "Multiple content types test:"},
        image(),
        embedded("test://mixed-content-resource", "application/json", body),
    )


@tool("test_resource_link", "Answers with a link to a resource.", since="2025-06-18")
async def resource_link(_call):
    return content({"type": "resource_link", "uri": "test://static-text", "name": "Static text"})


OBJECT = {"type": "object", "properties": {"sum": INTEGER, "of": {"type": "array"}}}


@tool("test_structured_content", "Answers with an object.", since="2025-06-18", output=OBJECT)
async def structured_content(_call):
    return {**text('{"sum":3,"of":[1,2]}'), "structuredContent": {"sum": 3, "of": [1, 2]}}


@tool(
    "test_structured_list",
    "Answers with a list, which only 2026-07-28 has.",
    since="2026-07-28",
    output={"type": "array", "items": INTEGER},
)
async def structured_list(_call):
    return {**text("[1,2,3]"), "structuredContent": [1, 2, 3]}


@tool("test_error_handling", "Fails, always.")
async def error_handling(_call):
    raise ToolFailed("This tool intentionally returns an error for testing")


@tool("test_tool_with_logging", "Logs three times.")
async def with_logging(call):
    for done in ("started", "processing data", "completed"):
        await call.log("info", f"Tool execution {done}")
        await asyncio.sleep(STEP_S)
    return text("Tool with logging executed successfully")


@tool("test_logging_tool", "Logs on each level.")
async def logging_tool(call):
    for level in ("debug", "info", "warning", "error"):
        await call.log(level, f"A message of the level {level}")
    return text("Logged")


@tool("test_tool_with_progress", "Reports its progress.")
async def with_progress(call):
    for done in (0, 50, 100):
        await call.progress(done, 100, f"{done} of 100")
        await asyncio.sleep(STEP_S)
    return text("Tool with progress executed successfully")


@tool("test_reconnection", "Drops the stream, and answers to who comes back for it.")
async def reconnection(call):
    await call.outlet.drop()
    await asyncio.sleep(2 * STEP_S)
    return text("Reconnection test completed")


@tool(
    "test_x_mcp_header",
    "Has arguments that clients repeat in headers.",
    properties={
        "region": {**STRING, "x-mcp-header": "Region"},
        "count": {**INTEGER, "x-mcp-header": "Count"},
        "dry": {**BOOLEAN, "x-mcp-header": "Dry"},
        "query": STRING,
    },
)
async def x_mcp_header(call):
    return text(f"region={call.get('region')} count={call.get('count')} dry={call.get('dry')}")


ADDRESS = {
    "$anchor": "addressDef",
    "type": "object",
    "properties": {"street": STRING, "city": STRING},
}


@tool(
    "json_schema_2020_12_tool",
    "Has a schema that uses what JSON Schema 2020-12 has.",
    schema={
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"address": ADDRESS},
        "properties": {
            "name": STRING,
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {**STRING, "enum": ["phone", "email"]},
            "phone": STRING,
            "email": STRING,
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": False,
    },
)
async def json_schema(call):
    return text(f"Called with {sorted(call.arguments)}")


def make_trigger(kind):
    @tool(f"test_trigger_{kind}_change", f"Changes a {kind}, and reports it.")
    async def trigger(call):
        await call.server.changed(f"{kind}s")
        return text(f"The list of {kind}s has changed")


for _kind in ("tool", "prompt", "resource"):
    make_trigger(_kind)


@tool("test_trigger_resource_update", "Changes test://watched-resource, and tells subscribers.")
async def trigger_resource_update(call):
    await call.server.updated("test://watched-resource")
    return text("The resource has changed")
