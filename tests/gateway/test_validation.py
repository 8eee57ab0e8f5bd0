"""Wrong arguments, and difficult tool schemas: older drafts, look-around, schemas that cannot be
compiled."""

import json
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    Gateway,
    McpSession,
    TestCase,
    main,
    result_of,
    stateless_call,
    stateless_message,
    stateless_post,
    text_of,
)
from matrix_clients import REVISIONS, STATELESS, client_of
from stub_server import StubServer
from wire_case import WireGateway
from wire_client import call as wire_call

# As zod writes it.
EMAIL = r"^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$"

DRAFTS = {
    "draft04": "http://json-schema.org/draft-04/schema#",
    "draft06": "http://json-schema.org/draft-06/schema#",
    "draft07": "http://json-schema.org/draft-07/schema#",
    "draft2019": "https://json-schema.org/draft/2019-09/schema",
    "draft2020": "https://json-schema.org/draft/2020-12/schema",
}


def tool(name, input_schema, output_schema=None):
    more = {"outputSchema": output_schema} if output_schema else {}
    return {"name": name, "inputSchema": {"type": "object", **input_schema}, **more}


def number(**more):
    return {"properties": {"a": {"type": "number"}}, "required": ["a"], **more}


TOOLS = [
    tool("email", {"properties": {"a": {"type": "string", "pattern": EMAIL}}}),
    *(tool(name, number(**{"$schema": uri})) for name, uri in DRAFTS.items()),
    tool("back_reference", {"properties": {"a": {"pattern": r"^(.)\1$"}}}),
    tool("elsewhere", {"properties": {"a": {"$ref": "http://127.0.0.1:1/a.json"}}}),
    tool("other_dialect", number(**{"$schema": "http://json-schema.org/draft-03/schema#"})),
    tool("result", {}, {"type": "object", "$ref": "#/nothing"}),
]
UNUSABLE = ("back_reference", "elsewhere", "other_dialect")


class Validation(TestCase):
    def start(self, **validation):
        stub = self.enterContext(StubServer())
        stub.on["tools/list"] = lambda exchange: exchange.result({"tools": TOOLS})
        stub.on["tools/call"] = lambda exchange: exchange.text("called")
        config = {"upstreams": {"far": stub.upstream()}, "validation": validation}
        return stub, self.enterContext(Gateway(config))

    def refused(self, gateway, name, **arguments):
        answer = stateless_call(gateway, f"far__{name}", **arguments)
        self.assertIn("error", answer, name)
        return answer["error"]

    def wrong(self, gateway, name, **arguments):
        result = result_of(stateless_call(gateway, f"far__{name}", **arguments))
        self.assertIs(result.get("isError"), True, result)
        return result["content"][0]["text"]

    def called(self, gateway, name, **arguments):
        self.assertEqual(text_of(stateless_call(gateway, f"far__{name}", **arguments)), "called")

    def test_look_around_is_checked(self):
        stub, gateway = self.start()
        self.assertIn("(pattern)", self.wrong(gateway, "email", a="a..b@example.org"))
        self.assertIn("(pattern)", self.wrong(gateway, "email", a=".a@example.org"))
        self.assertEqual(stub.saw("tools/call"), [])
        self.called(gateway, "email", a="a.b@example.org")

    def test_every_draft_is_checked(self):
        stub, gateway = self.start()
        for name in DRAFTS:
            with self.subTest(name):
                self.assertIn("(type)", self.wrong(gateway, name, a="x"))
                self.assertIn("(required)", self.wrong(gateway, name))
        self.assertEqual(stub.saw("tools/call"), [])
        for name in DRAFTS:
            self.called(gateway, name, a=1)

    def test_what_cannot_be_checked_is_not_called(self):
        stub, gateway = self.start()
        for name in UNUSABLE:
            with self.subTest(name):
                error = self.refused(gateway, name, a=1)
                self.assertIn("validation.unusable_schemas", error["message"])
                self.assertIn(f"far.{name}", error["message"])
        self.assertEqual(stub.saw("tools/call"), [])
        self.called(gateway, "result")  # Results are not enforced by default.

    def test_results_too(self):
        _, gateway = self.start(results="enforce")
        error = self.refused(gateway, "result")
        self.assertIn("outputSchema", error["message"])
        self.assertIn("validation.unusable_schemas", error["message"])

    def test_they_pass_where_configured(self):
        _, gateway = self.start(unusable_schemas="pass", results="enforce")
        for name in (*UNUSABLE, "result"):
            self.called(gateway, name, a=1)
        self.wrong(gateway, "email", a="no")

    def test_without_enforcing_they_pass(self):
        _, gateway = self.start(arguments="warn")
        for name in UNUSABLE:
            self.called(gateway, name, a=1)

    def test_it_is_reported_before_any_call(self):
        _, gateway = self.start()
        for name in (*UNUSABLE, "result"):
            gateway.stderr.wait_for(
                lambda line, name=name: "schema not usable" in line and f"far.{name}" in line
            )
        detail = json.loads(gateway.get("/ready").body)["upstreams"]
        (far,) = [one["detail"] for one in detail if one["name"] == "far"]
        self.assertIn("4 with a schema that cannot be used", far)
        self.assertIn("back_reference", far)
        metrics = gateway.get("/metrics").body.decode()
        self.assertIn('patchbay_unusable_schemas{upstream="far"} 4', metrics)


# Since this revision a model reads what is wrong with its arguments.
READ_BY_MODELS = "2025-11-25"
OWN = {"code": -32602, "message": "a is wrong, says the server"}


class WrongArguments(TestCase):
    def start(self, kind=Gateway, answer=None, **validation):
        stub = self.enterContext(StubServer())
        stub.on["tools/list"] = lambda exchange: exchange.result({"tools": [tool("add", number())]})
        stub.on["tools/call"] = answer or (lambda exchange: exchange.text("called"))
        config = {
            "upstreams": {"far": stub.upstream(), "skills": {"kind": "builtin"}},
            "validation": validation,
        }
        return stub, self.enterContext(kind(config))

    def check(self, revision, answer, why):
        if revision < READ_BY_MODELS:
            self.assert_error(answer, -32602)
            return self.assertIn(why, answer["error"]["message"])
        result = result_of(answer)
        self.assertIs(result.get("isError"), True, answer)
        return self.assertIn(why, result["content"][0]["text"])

    def test_every_revision(self):
        stub, gateway = self.start()
        for revision in REVISIONS:
            with self.subTest(revision), client_of(gateway, revision) as client:
                self.check(revision, client.call("far__add", a="x"), "/a: must be a number")
                self.check(revision, client.call("far__add"), '"a" is missing')
                # A tool that checks more than its schema states answers as it likes.
                blank = result_of(client.call("skills__summarize", text=" "))
                self.assertIn("'text' is blank", blank["content"][0]["text"])
                self.assertEqual(text_of(client.call("far__add", a=1)), "called")
                self.assertEqual(client.wrong, [])
        self.assertEqual(len(stub.saw("tools/call")), len(REVISIONS))

    def test_malformed_requests_are_errors(self):
        _, gateway = self.start()
        requests = (
            {"name": "far__add", "arguments": [1]},
            {"name": "far__add", "arguments": "a"},
            {"name": 7, "arguments": {}},
            {"arguments": {}},
            {"name": "far__nothing", "arguments": {"a": 1}},
        )
        for revision in REVISIONS[:-1]:
            with self.subTest(revision), client_of(gateway, revision) as client:
                for params in requests:
                    self.assert_error(client.ask("tools/call", params), -32602)
        for params in requests:
            with self.subTest(STATELESS, params=params):
                message = stateless_message("tools/call", params)
                self.assert_error(stateless_post(gateway, message).json(), -32602)

    def test_a_prompt_and_a_task_get_the_error(self):
        _, gateway = self.start()
        with McpSession(gateway) as session:
            self.assert_error(session.request("prompts/get", {"name": "none"}), -32602)
            params = {"name": "far__add", "arguments": {"a": "x"}, "task": {}}
            self.assertIn("error", session.request("tools/call", params))

    def test_the_server_answers_itself_where_nothing_is_enforced(self):
        for mode in ("off", "warn"):
            answer = lambda exchange: exchange.error(200, OWN["code"], OWN["message"])
            _, gateway = self.start(answer=answer, arguments=mode)
            for revision in REVISIONS:
                with self.subTest(mode=mode, revision=revision):
                    with client_of(gateway, revision) as client:
                        error = client.call("far__add", a="x")["error"]
                        self.assertEqual((error["code"], error["message"]), tuple(OWN.values()))

    def test_results_that_report_a_failure_pass_unchanged(self):
        failed = {"content": [{"type": "text", "text": "no such row"}], "isError": True}
        _, gateway = self.start(answer=lambda exchange: exchange.result(failed), results="enforce")
        for revision in REVISIONS:
            with self.subTest(revision), client_of(gateway, revision) as client:
                result = result_of(client.call("far__add", a=1))
                self.assertEqual({key: result[key] for key in failed}, failed)

    def test_the_wire_follows_the_revision(self):
        _, gateway = self.start(WireGateway)
        for revision in REVISIONS[:-1]:
            with self.subTest(revision), gateway.client() as client:
                client.initialize(revision, capabilities={})
                answer = client.request(wire_call("far__add", {"a": "x"}))["mcp_payload"]
                self.check(revision, answer, "/a: must be a number")

    def test_rest_has_its_status(self):
        stub, gateway = self.start()
        for path in ("/api/far.add", "/mcp/v1/tools/far.add"):
            with gateway.connect() as connection:
                headers = {"Content-Type": "application/json"}
                answer = connection.request("POST", path, headers, b'{"a":"x"}')
            self.assertEqual(answer.status, 400, answer.body)
            self.assertIn(b"/a: must be a number", answer.body)
        self.assertEqual(stub.saw("tools/call"), [])

    def test_it_is_recorded_as_what_it_is(self):
        _, gateway = self.start()
        stateless_call(gateway, "far__add", a="x")
        gateway.stderr.wait_for(lambda line: "outcome=invalid_params" in line)


main()
