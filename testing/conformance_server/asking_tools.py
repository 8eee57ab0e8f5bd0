"""The tools that ask the client: sampling, elicitation, roots; and those that may run as tasks.

Each is written once and does not depend on whether the question is pushed, returned or stored in a
task.
"""

import asyncio
import json

from catalog import text, tool
from errors import INTERNAL, Refusal, ToolFailed
from questions import accepted, elicit, list_roots, sample
from revisions import since
from tools import BOOLEAN, INTEGER, NUMBER, STRING


def reply(answer):
    """The text that the client's model produced."""
    blocks = answer["content"] if isinstance(answer["content"], list) else [answer["content"]]
    return " ".join(block.get("text", "") for block in blocks)


def completed(answer):
    filled = json.dumps(answer.get("content", {}))
    return text(f"Elicitation completed: action={answer['action']}, content={filled}")


@tool("test_sampling", "Asks the client's model.", ["prompt"], properties={"prompt": STRING})
async def sampling(call):
    answers = await call.ask(prompt=sample(call.get("prompt")))
    return text(f"LLM response: {reply(answers['prompt'])}")


@tool("test_elicitation", "Asks the user.", ["message"], properties={"message": STRING})
async def elicitation(call):
    form = {
        "username": {**STRING, "description": "User's response"},
        "email": {**STRING, "description": "User's email address"},
    }
    answer = (await call.ask(form=elicit(call.get("message"), **form)))["form"]
    filled = json.dumps(answer.get("content", {}))
    return text(f"User response: action={answer['action']}, content={filled}")


@tool("test_elicitation_sep1034_defaults", "Asks with a default for every type.")
async def elicitation_defaults(call):
    form = {
        "name": {**STRING, "default": "John Doe"},
        "age": {**INTEGER, "default": 30},
        "score": {**NUMBER, "default": 95.5},
        "status": {**STRING, "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {**BOOLEAN, "default": True},
    }
    if not since(call.revision, "2025-11-25"):
        for name in ("name", "age", "score", "status"):
            del form[name]["default"]
    asked = elicit("Please review and update the form fields with defaults", [], **form)
    return completed((await call.ask(form=asked))["form"])


def titled(*titles):
    return [{"const": f"value{n}", "title": title} for n, title in enumerate(titles, 1)]


@tool("test_elicitation_sep1330_enums", "Asks with every way to choose.")
async def elicitation_enums(call):
    options, names = ["option1", "option2", "option3"], ["Option One", "Option Two", "Option Three"]
    form = {
        "untitledSingle": {**STRING, "enum": options},
        "legacyEnum": {**STRING, "enum": ["opt1", "opt2", "opt3"], "enumNames": names},
    }
    if since(call.revision, "2025-11-25"):
        options_of = titled("First Option", "Second Option", "Third Option")
        choices = titled("First Choice", "Second Choice", "Third Choice")
        form |= {
            "titledSingle": {**STRING, "oneOf": options_of},
            "untitledMulti": {"type": "array", "items": {**STRING, "enum": options}},
            "titledMulti": {"type": "array", "items": {"anyOf": choices}},
        }
    return completed((await call.ask(form=elicit("Please choose", [], **form)))["form"])


@tool("test_streaming_elicitation", "Reports its progress, then asks the user.")
async def streaming_elicitation(call):
    await call.progress(1, 2)
    answers = await call.ask(confirm=elicit("Go on?", confirm=BOOLEAN))
    await call.progress(2, 2)
    return completed(answers["confirm"])


@tool("test_missing_capability", "Needs the client's model, always.")
async def missing_capability(call):
    answers = await call.ask(question=sample("Are you there?"))
    return text(f"The model said: {reply(answers['question'])}")


NAME = elicit("What is your name?", name=STRING)


@tool("test_input_required_result_elicitation", "Asks the user's name.")
async def ask_elicitation(call):
    answers = await call.ask(user_name=NAME)
    return text(f"Hello, {accepted(answers['user_name'], 'name')}!")


@tool("test_input_required_result_sampling", "Asks the client's model for a capital.")
async def ask_sampling(call):
    answers = await call.ask(capital_question=sample("What is the capital of France?"))
    return text(reply(answers["capital_question"]))


def names_of(roots):
    return ", ".join(root["uri"] for root in roots["roots"]) or "none"


@tool("test_input_required_result_list_roots", "Asks for the client's roots.")
async def ask_roots(call):
    answers = await call.ask(client_roots=list_roots())
    return text(f"Roots: {names_of(answers['client_roots'])}")


async def confirmed(call):
    answers = await call.ask(sealed=True, confirm=elicit("Please confirm", ok=BOOLEAN))
    return accepted(answers["confirm"], "ok")


@tool("test_input_required_result_request_state", "Asks, and wants its state back.")
async def ask_with_state(call):
    return text(f"state-ok: {await confirmed(call)}")


@tool("test_input_required_result_tampered_state", "Asks, and refuses a state that was changed.")
async def ask_with_sealed_state(call):
    return text(f"state-ok: {await confirmed(call)}")


@tool("test_input_required_result_multiple_inputs", "Asks three things at once.")
async def ask_much(call):
    answers = await call.ask(
        sealed=True,
        user_name=NAME,
        greeting=sample("Generate a greeting", 50),
        client_roots=list_roots(),
    )
    name, roots = accepted(answers["user_name"], "name"), names_of(answers["client_roots"])
    return text(f"{reply(answers['greeting'])} {name}, with the roots {roots}")


@tool("test_input_required_result_multi_round", "Asks, and then asks again.")
async def ask_twice(call):
    first = await call.ask(sealed=True, step1=elicit("Step 1: What is your name?", name=STRING))
    second = await call.ask(
        sealed=True, step2=elicit("Step 2: What is your favorite color?", color=STRING)
    )
    name, color = accepted(first["step1"], "name"), accepted(second["step2"], "color")
    return text(f"{name} likes {color}")


@tool("test_input_required_result_capabilities", "Asks only what the client can answer.")
async def ask_what_it_can(call):
    all_questions = {"user_name": NAME, "greeting": sample("Generate a greeting", 50)}
    able = {key: q for key, q in all_questions.items() if call.can_ask(q["method"])}
    answers = await call.ask(partly=True, **able) if able else {}
    return text(f"Answered: {', '.join(sorted(answers)) or 'nothing'}")


# Those that may run as tasks.


@tool("greet", "Greets at once.", properties={"name": STRING})
async def greet(call):
    return text(f"Hello, {call.get('name', 'World')}!")


@tool(
    "slow_compute",
    "Takes as long as requested.",
    properties={"seconds": NUMBER, "label": STRING},
    task="optional",
)
async def slow_compute(call):
    await asyncio.sleep(call.get("seconds", 1))
    return text(f"Computed {call.get('label', 'something')}")


@tool("failing_job", "Fails after a while.", task="required")
async def failing_job(_call):
    await asyncio.sleep(0.5)
    raise ToolFailed("The job failed")


@tool("protocol_error_job", "Breaks down.", task="optional")
async def protocol_error_job(_call):
    await asyncio.sleep(0.1)
    raise Refusal(INTERNAL, "The job broke down")


@tool(
    "confirm_delete", "Asks before it deletes.", properties={"filename": STRING}, task="optional"
)
async def confirm_delete(call):
    name = call.get("filename", "a file")
    answers = await call.ask(confirm=elicit(f"Delete {name}?", confirm=BOOLEAN))
    return text(f"Deleted {name}" if accepted(answers["confirm"], "confirm") else f"Kept {name}")


@tool("multi_input", "Asks two things at once.", task="optional")
async def multi_input(call):
    answers = await call.ask(
        first=elicit("The first name?", name=STRING), second=elicit("The second name?", name=STRING)
    )
    return text(" and ".join(str(accepted(answers[key], "name")) for key in ("first", "second")))


async def ask_name(call):
    answers = await call.ask(user_name=NAME)
    return accepted(answers["user_name"], "name")


@tool(
    "test_tool_with_task", "Asks for a name, then works in a task.", task="required", first=ask_name
)
async def with_task(call):
    await asyncio.sleep(0.1)
    return text(f"The task was done for {call.prepared}")
