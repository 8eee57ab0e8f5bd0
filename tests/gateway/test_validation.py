"""Difficult tool schemas: older drafts, look-around, and schemas that cannot be compiled."""

import json
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import Gateway, TestCase, main, stateless_call, text_of
from stub_server import StubServer

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

    def called(self, gateway, name, **arguments):
        self.assertEqual(text_of(stateless_call(gateway, f"far__{name}", **arguments)), "called")

    def test_look_around_is_checked(self):
        stub, gateway = self.start()
        self.assertEqual(self.refused(gateway, "email", a="a..b@example.org")["code"], -32602)
        self.assertEqual(self.refused(gateway, "email", a=".a@example.org")["code"], -32602)
        self.assertEqual(stub.saw("tools/call"), [])
        self.called(gateway, "email", a="a.b@example.org")

    def test_every_draft_is_checked(self):
        stub, gateway = self.start()
        for name in DRAFTS:
            with self.subTest(name):
                self.assertEqual(self.refused(gateway, name, a="x")["code"], -32602)
                self.assertEqual(self.refused(gateway, name)["code"], -32602)
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
        self.assertEqual(self.refused(gateway, "email", a="no")["code"], -32602)

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


main()
