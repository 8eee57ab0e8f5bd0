"""Every revision in front of every revision: what works, and what is refused.

Five clients (matrix_clients.py) meet the fixture locked to each of the five revisions, as a program
and over the network. Every message that the gateway sends, to a client or to a server, is checked
against the schema of the receiver's revision.
"""

import json
import os
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../lib")

import schema_check
from conformance import fixture, fixture_upstream
from harness import Gateway, TestCase, main, result_of, text_of, wait_until
from matrix_clients import REVISIONS, STATELESS, client_of

WATCHED = "test://watched-resource"

# What a revision does not have: since when, until when, and what it is.
HISTORY = {
    "elicitation": ("2025-06-18", STATELESS),
    "audio": ("2025-03-26", STATELESS),
    "resource_link": ("2025-06-18", STATELESS),
    "structuredContent": ("2025-06-18", STATELESS),
    "a list as structuredContent": (STATELESS, STATELESS),
    "the message of progress": ("2025-03-26", STATELESS),
    "title": ("2025-06-18", STATELESS),
    "icons": ("2025-11-25", STATELESS),
    "outputSchema": ("2025-06-18", STATELESS),
    "annotations": ("2025-03-26", STATELESS),
    "execution": ("2025-11-25", "2025-11-25"),
    "choices of several": ("2025-11-25", STATELESS),
}

# Methods that a client's revision lacks: refused with -32601, whatever is behind the gateway.
LACKING = {
    **{revision: ("server/discover", "subscriptions/listen") for revision in REVISIONS[:-1]},
    STATELESS: ("initialize", "ping", "logging/setLevel", "resources/subscribe"),
}


def has(revision, what):
    first, last = HISTORY[what]
    return first <= revision <= last


class Cell:
    """One client in front of one server."""

    def __init__(self, case, client, server, record):
        self.case, self.client, self.server, self.record = case, client, server, record

    def both_have(self, what):
        return has(self.client.revision, what) and has(self.server, what)

    def equal(self, first, second):
        self.case.assertEqual(first, second)

    def error(self, answer, code):
        self.case.assert_error(answer, code)

    def failed(self, answer, why):
        """A tool that failed reports it in its result, or the call has an error."""
        if "result" in answer:
            self.case.assertIs(True, answer["result"].get("isError"), answer)
        self.case.assertIn(why, json.dumps(answer))


def tools(cell):
    listed = {tool["name"]: tool for tool in cell.client.list("tools")}
    cell.equal("test_audio_content" in listed, has(cell.server, "audio"))
    cell.equal("test_structured_list" in listed, has(cell.server, "a list as structuredContent"))
    members = set().union(*listed.values())
    for what in ("title", "icons", "outputSchema", "annotations"):
        cell.equal((what, what in members), (what, cell.both_have(what)))
    if not has(cell.client.revision, "execution"):
        cell.case.assertNotIn("execution", members)
    simple = "This is a simple text response for testing."
    cell.equal(text_of(cell.client.call("test_simple_text")), simple)
    cell.equal(result_of(cell.client.call("test_error_handling"))["isError"], True)
    cell.error(cell.client.call("no_such_tool"), -32602)
    mirrored = cell.client.call("test_x_mcp_header", region="eu", query="q")
    cell.equal(text_of(mirrored), "region=eu count=None dry=None")


def contents(cell):
    """Newer kinds of content become text, or are omitted, for older clients."""
    for tool, kind in (("test_audio_content", "audio"), ("test_resource_link", "resource_link")):
        answer = cell.client.call(tool)
        if not has(cell.server, kind):
            cell.error(answer, -32602)
            continue
        (block,) = result_of(answer)["content"]
        cell.equal(block["type"] == kind, has(cell.client.revision, kind))
    answer = cell.client.call("test_structured_content")
    if has(cell.server, "structuredContent"):
        cell.equal("structuredContent" in result_of(answer), cell.both_have("structuredContent"))
        cell.equal(json.loads(text_of(answer)), {"sum": 3, "of": [1, 2]})
    answer = cell.client.call("test_structured_list")
    if cell.server == STATELESS:
        cell.equal("structuredContent" in result_of(answer), cell.client.revision == STATELESS)
        cell.equal(text_of(answer), "[1,2,3]")
    cell.equal(len(result_of(cell.client.call("test_multiple_content_types"))["content"]), 3)


def resources(cell):
    listed = [resource["uri"] for resource in cell.client.list("resources")]
    cell.case.assertIn("test://static-text", listed)
    (template,) = cell.client.list("resources/templates")
    cell.equal(template["uriTemplate"], "test://template/{id}/data")
    for uri, member in (
        ("test://static-text", "text"),
        ("test://static-binary", "blob"),
        ("test://template/7/data", "text"),
    ):
        (content,) = result_of(cell.client.ask("resources/read", {"uri": uri}))["contents"]
        cell.equal((content["uri"], member in content), (uri, True))
    unknown = cell.client.ask("resources/read", {"uri": "test://no-such"})
    cell.error(unknown, -32602 if cell.client.revision == STATELESS else -32002)


def prompts(cell):
    cell.equal(cell.client.list("prompts")[0]["name"], "test_simple_prompt")
    arguments = {"arg1": "x", "arg2": "y"}
    params = {"name": "test_prompt_with_arguments", "arguments": arguments}
    (message,) = result_of(cell.client.ask("prompts/get", params))["messages"]
    cell.equal(message["content"]["text"], "Prompt with arguments: arg1='x', arg2='y'")
    cell.error(cell.client.ask("prompts/get", {"name": "no_such_prompt"}), -32602)
    asking = cell.client.ask("prompts/get", {"name": "test_input_required_result_prompt"})
    if cell.both_have("elicitation"):
        cell.case.assertIn("Alice", json.dumps(result_of(asking)))
    else:
        cell.case.assertIn("error", asking)


def completion(cell):
    reference = {"type": "ref/prompt", "name": "test_prompt_with_arguments"}
    params = {"ref": reference, "argument": {"name": "arg1", "value": "par"}}
    values = result_of(cell.client.ask("completion/complete", params))["completion"]["values"]
    cell.equal(values, ["paris", "park", "party"])


def progress(cell):
    cell.client.notified.clear()
    answer = cell.client.call("test_tool_with_progress", token="t")
    cell.equal(text_of(answer), "Tool with progress executed successfully")
    notified = [m["params"] for m in cell.client.notified if m["method"] == "notifications/progress"]
    cell.equal({one["progressToken"] for one in notified}, {"t"})
    cell.equal([one["progress"] for one in notified], [0, 50, 100])
    cell.equal("message" in notified[0], cell.both_have("the message of progress"))


def logging(cell):
    for level, wanted in (("warning", ["warning", "error"]), ("error", ["error"])):
        cell.client.set_level(level)
        cell.client.notified.clear()
        cell.client.call("test_logging_tool")
        notified = [m["params"] for m in cell.client.notified if m["method"] == "notifications/message"]
        cell.equal([one["level"] for one in notified], wanted)
    cell.client.set_level("emergency")


def cancel(cell):
    def begun():
        with open(cell.record, encoding="utf-8") as record:
            return sum('"tools/call"' in line and '"slow_compute"' in line for line in record)

    def cancelled():
        with open(cell.record, encoding="utf-8") as record:
            return sum(json.loads(line).get("event") == "cancelled" for line in record)

    calls, stops = begun(), cancelled()
    with cell.client.begun("slow_compute", seconds=60):
        wait_until(lambda: begun() > calls, "the call to reach the server")
    wait_until(lambda: cancelled() > stops, "the server to be notified")
    cell.equal(cancelled(), stops + 1)


def sampling(cell):
    cell.client.asked.clear()
    cell.equal(text_of(cell.client.call("test_sampling", prompt="?")), "LLM response: Paris")
    cell.equal(cell.client.asked, ["sampling/createMessage"])


def roots(cell):
    cell.client.asked.clear()
    answer = cell.client.call("test_input_required_result_list_roots")
    cell.equal(text_of(answer), "Roots: file:///home")
    cell.equal(cell.client.asked, ["roots/list"])


def elicitation(cell):
    cell.client.asked.clear()
    answer = cell.client.call("test_elicitation", message="Who?")
    if cell.both_have("elicitation"):
        cell.case.assertIn("action=accept", text_of(answer))
        cell.equal(cell.client.asked, ["elicitation/create"])
    else:
        cell.failed(answer, "elicitation")
        cell.equal(cell.client.asked, [])


def choices(cell):
    """Forms of later revisions are translated to the client's revision, or refused."""
    cell.client.asked.clear()
    for tool in ("test_elicitation_sep1330_enums", "test_elicitation_sep1034_defaults"):
        answer = cell.client.call(tool)
        several = tool.endswith("enums") and has(cell.server, "choices of several")
        if not cell.both_have("elicitation"):
            cell.failed(answer, "elicitation")
        elif several and not has(cell.client.revision, "choices of several"):
            cell.failed(answer, "elicitation")
        else:
            cell.case.assertIn("action=accept", text_of(answer))


def updates(cell):
    """list_changed and subscriptions, on whatever carries them."""
    with cell.client.updates(WATCHED) as received:
        for tool, method in (
            ("tool_change", "notifications/tools/list_changed"),
            ("prompt_change", "notifications/prompts/list_changed"),
            ("resource_change", "notifications/resources/list_changed"),
            ("resource_update", "notifications/resources/updated"),
        ):
            result_of(cell.client.call(f"test_trigger_{tool}"))
            message = next(one for one in received if one["method"] == method)
            if tool == "resource_update":
                cell.equal(message["params"]["uri"], WATCHED)
    counted = cell.client.list("tools")[-1]["description"]
    cell.client.call("test_trigger_tool_change")
    wait_until(lambda: cell.client.list("tools")[-1]["description"] != counted, "the new list")


def lacking(cell):
    for method in LACKING[cell.client.revision]:
        params = {"level": "info", "uri": WATCHED, "notifications": {}}
        cell.error(cell.client.ask(method, params), -32601)


FEATURES = (
    tools, contents, resources, prompts, completion, progress, logging, cancel, sampling, roots,
    elicitation, choices, updates, lacking,
)  # fmt: skip


class Matrix(TestCase):
    def check(self, server, transport):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        record = os.path.join(folder, "record")
        options = ("--revisions", server, "--record", record)
        if transport == "stdio":
            upstream = fixture_upstream(*options)
        else:
            upstream = self.enterContext(fixture(*options, transport=transport)).upstream()
        config = {"workers": 2, "names": {"prefix": "never"}, "upstreams": {"server": upstream}}
        with Gateway(config) as gateway:
            for revision in REVISIONS:
                with client_of(gateway, revision) as client:
                    self.check_cell(Cell(self, client, server, record))
        with self.subTest("what the server got"):
            schema_check.assert_record(self, record, ["in"])

    def check_cell(self, cell):
        revision = cell.client.revision
        for feature in FEATURES:
            with self.subTest(client=revision, server=cell.server, feature=feature.__name__):
                feature(cell)
        with self.subTest(client=revision, server=cell.server, feature="what the client got"):
            self.assertEqual(cell.client.wrong, [])


def add_tests():
    """One test for each server, so that a failure names the server."""
    for server in REVISIONS:
        for transport in ("stdio", "sse" if server == "2024-11-05" else "http"):
            name = f"test_{transport}_{server.replace('-', '_')}"
            setattr(Matrix, name, lambda self, s=server, t=transport: self.check(s, t))


add_tests()

if __name__ == "__main__":
    main()
