"""The table of tools and their definitions: a decorator makes a row."""

from errors import BAD_PARAMS, Refusal, ToolFailed
from revisions import STATELESS, since, trimmed

ICON = "data:image/svg+xml;base64,PHN2ZyB4bWxucz0naHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmcnLz4="
TOOLS = {}  # name -> Tool, in the order of listing.


class Tool:
    def __init__(self, name, function, description, schema, options):
        self.name, self.function, self.description = name, function, description
        self.schema = schema
        self.since = options.get("since", "2024-11-05")
        self.output = options.get("output")
        self.task = options.get("task")  # optional or required
        self.first = options.get("first")  # Runs before the task begins.

    def listed(self, revision):
        item = {
            "name": self.name,
            "title": self.name.replace("_", " ").capitalize(),
            "description": self.description,
            "inputSchema": self.schema,
            "annotations": {"readOnlyHint": not self.name.startswith("test_trigger")},
            "icons": [{"src": ICON, "mimeType": "image/svg+xml"}],
        }
        if self.output:
            item["outputSchema"] = self.output
        if self.task:
            item["execution"] = {"taskSupport": self.task}
        return trimmed(item, revision, "tools")


def tool(name, description, required=(), schema=None, **options):
    """Makes a tool of an async function. Options: since, output, task, first, and properties=."""
    properties = options.pop("properties", {})
    made = schema or {"type": "object", "properties": properties}
    if required:
        made = {**made, "required": list(required)}

    def register(function):
        TOOLS[name] = Tool(name, function, description, made, options)
        return function

    return register


def known_tools(revision):
    return [entry for entry in TOOLS.values() if since(revision, entry.since)]


def find_tool(name, revision):
    entry = TOOLS.get(name) if isinstance(name, str) else None
    if entry is None or not since(revision, entry.since):
        raise Refusal(BAD_PARAMS, f"Unknown tool: {name}")
    return entry


TYPES = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "object": dict}


def check_arguments(entry, arguments, revision):
    """Wrong arguments are the model's to mend from 2025-11-25 on, and an error before."""
    wrong = None
    if not isinstance(arguments, dict):
        raise Refusal(BAD_PARAMS, "arguments must be an object")
    for name in entry.schema.get("required", ()):
        if name not in arguments:
            wrong = f"The argument {name} is missing"
    for name, value in arguments.items():
        wanted = TYPES.get(entry.schema["properties"].get(name, {}).get("type"))
        if wanted and (not isinstance(value, wanted) or isinstance(value, bool) != (wanted is bool)):
            wrong = f"The argument {name} has the wrong type"
    if wrong and since(revision, "2025-11-25"):
        raise ToolFailed(wrong)
    if wrong:
        raise Refusal(BAD_PARAMS, wrong)


def text(*lines):
    return {"content": [{"type": "text", "text": line} for line in lines]}


def failure(message):
    return {**text(message), "isError": True}


async def run_tool(entry, call):
    """The result of a tools/call, as every revision shares it."""
    try:
        check_arguments(entry, call.arguments, call.revision)
        if entry.first and call.prepared is None:
            call.prepared = await entry.first(call)
        return await entry.function(call)
    except ToolFailed as failed:
        return failure(str(failed))
    except Refusal as refusal:
        # Before 2026-07-28 there is no error for a capability that the client lacks.
        if refusal.code == -32021 and call.revision != STATELESS:
            return failure(str(refusal))
        raise
