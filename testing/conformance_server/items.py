"""Resources, templates, prompts and completion; and pages of lists."""

import json
import re

from catalog import ICON, known_tools
from errors import BAD_PARAMS, INTERNAL, NOT_FOUND, Refusal, ToolFailed
from questions import accepted, elicit
from revisions import STATELESS, trimmed
from tools import PNG, STRING, embedded, image

TEMPLATE = re.compile(r"test://template/([^/]+)/data")
COMPLETIONS = ("paris", "park", "party", "testing", "tested", "test")

RESOURCES = {
    "test://static-text": ("Static text", "A text that never changes.", "text/plain"),
    "test://static-binary": ("Static binary", "An image that never changes.", "image/png"),
    "test://watched-resource": ("Watched resource", "A text that may change.", "text/plain"),
}


def resource(uri, name, description, mime):
    item = {"uri": uri, "name": name, "title": name, "description": description, "mimeType": mime}
    return {**item, "icons": [{"src": ICON}], "annotations": {"audience": ["user"]}}


def argument(name, description):
    return {"name": name, "description": description, "required": True}


def prompt(name, description, *arguments):
    item = {"name": name, "title": name.replace("_", " ").capitalize(), "description": description}
    return {**item, **({"arguments": list(arguments)} if arguments else {})}


PROMPTS = [
    prompt("test_simple_prompt", "A prompt without arguments."),
    prompt(
        "test_prompt_with_arguments",
        "A prompt with two arguments.",
        argument("arg1", "First test argument"),
        argument("arg2", "Second test argument"),
    ),
    prompt(
        "test_prompt_with_embedded_resource",
        "A prompt that holds a resource.",
        argument("resourceUri", "URI of the resource to embed"),
    ),
    prompt("test_prompt_with_image", "A prompt that holds an image."),
    prompt("test_input_required_result_prompt", "A prompt that asks the user first."),
]


def listed(kind, revision, counts):
    """All items of a kind. The last of each counts how often its list has changed: a change that
    does not disturb anybody's order."""
    changes = f" Changed {counts[kind]} times." if kind in counts else ""
    if kind == "tools":
        items = [entry.listed(revision) for entry in known_tools(revision)]
    elif kind == "prompts":
        items = [dict(item) for item in PROMPTS]
    elif kind == "resources":
        items = [resource(uri, *rest) for uri, rest in RESOURCES.items()]
    else:
        about = ("A text for every id.", "application/json")
        made = resource("test://template/{id}/data", "Template", *about)
        items = [{"uriTemplate": made.pop("uri"), **made}]
    items[-1]["description"] += changes
    return [trimmed(item, revision, kind) for item in items]


def page(items, params, size):
    """One page, and the cursor of the next if there is one."""
    cursor = params.get("cursor", "0")
    if not isinstance(cursor, str) or not cursor.isdigit() or int(cursor) > len(items):
        raise Refusal(BAD_PARAMS, "This cursor is not ours")
    start, end = int(cursor), int(cursor) + (size or len(items))
    return items[start:end], str(end) if end < len(items) else None


def read(params, revision, counts):
    uri = params.get("uri")
    match = TEMPLATE.fullmatch(uri) if isinstance(uri, str) else None
    if match:
        data = {"id": match[1], "templateTest": True, "data": f"Data for ID: {match[1]}"}
        body = {"mimeType": "application/json", "text": json.dumps(data)}
    elif uri == "test://static-binary":
        body = {"mimeType": "image/png", "blob": PNG}
    elif uri == "test://static-text":
        text_message = "This is the content of the static text resource."
        body = {"mimeType": "text/plain", "text": text_message}
    elif uri == "test://watched-resource":
        body = {"mimeType": "text/plain", "text": f"Changed {counts['updates']} times."}
    else:
        code = BAD_PARAMS if revision == STATELESS else NOT_FOUND
        raise Refusal(code, "Resource not found", {"uri": uri})
    return {"contents": [{"uri": uri, **body}]}


def user(block):
    return {"role": "user", "content": block}


def text_message(line):
    return user({"type": "text", "text": line})


async def get_prompt(call):
    name = call.params.get("name")
    found = next((item for item in PROMPTS if item["name"] == name), None)
    if found is None:
        raise Refusal(BAD_PARAMS, f"Unknown prompt: {name}")
    for wanted in found.get("arguments", ()):
        if wanted["name"] not in call.arguments:
            raise Refusal(BAD_PARAMS, f"The argument {wanted['name']} is missing")
    try:
        return {"messages": await messages_of(name, call)}
    except ToolFailed as failed:
        raise Refusal(INTERNAL, str(failed)) from None


async def messages_of(name, call):
    if name == "test_simple_prompt":
        return [text_message("This is a simple prompt for testing.")]
    if name == "test_prompt_with_arguments":
        both = f"arg1='{call.get('arg1')}', arg2='{call.get('arg2')}'"
        return [text_message(f"Prompt with arguments: {both}")]
    if name == "test_prompt_with_embedded_resource":
        body = "Embedded resource content for testing."
        block = embedded(call.get("resourceUri"), "text/plain", body)
        return [user(block), text_message("Please process the embedded resource above.")]
    if name == "test_prompt_with_image":
        return [user(image()), text_message("Please analyze the image above.")]
    question = elicit("What context should the prompt use?", context=STRING)
    answers = await call.ask(user_context=question)
    return [text_message(f"Use this context: {accepted(answers['user_context'], 'context')}")]


def complete(params):
    reference, wanted = params.get("ref"), params.get("argument")
    if not isinstance(reference, dict) or not isinstance(wanted, dict) or "value" not in wanted:
        raise Refusal(BAD_PARAMS, "ref and argument are required")
    known = {item["name"] for item in PROMPTS} | {"test://template/{id}/data"}
    if reference.get("name", reference.get("uri")) not in known:
        raise Refusal(BAD_PARAMS, "There is nothing of this name to complete")
    values = [completion for completion in COMPLETIONS if completion.startswith(wanted["value"])]
    return {"completion": {"values": values, "total": len(values), "hasMore": False}}
