"""Schemas of agents in a Schema Registry: how they type tools, and what is refused because of
them."""

import json
import pathlib
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import Gateway, main, wait_until
from kafka_case import REQUEST, RESPONSE, KafkaCase, Peer, bus_config
from raw_service import AnyPath, RawService
from tls_proxy import TlsProxy, make_certificate


class Schemas(KafkaCase):
    def offer(self, name, request=REQUEST, response=RESPONSE, **agent):
        ids = {}
        for topic, schema in (("requests", request), ("responses", response)):
            if schema is not None:
                ids[topic] = self.registry.add(f"{name}.{topic}-value", schema)
        self.peer.agent(name, **agent)
        self.peer.register(name)
        self.wait_for_tool(name)
        return ids

    def test_a_tool_is_typed_by_its_topics(self):
        ids = self.offer("typed")
        tool = self.tools()["typed"]
        self.assertEqual(tool["inputSchema"], REQUEST)
        self.assertEqual(tool["outputSchema"], RESPONSE)
        self.assertEqual(self.call("typed", {"n": 1}).json()["echo"], {"n": 1})
        value = self.peer.consume("typed.requests")[0]["value"]
        framed = bytes.fromhex(value["hex"]) if isinstance(value, dict) else value.encode()
        self.assertEqual(framed[:5], b"\0" + ids["requests"].to_bytes(4, "big"))

    def test_arguments_that_do_not_fit_never_leave(self):
        self.offer("strict")
        response = self.call("strict", {"n": "one"})
        self.assertEqual(response.status, 400)
        self.assertIn("/n", response.json()["message"])

    def test_a_reply_that_does_not_fit_is_refused(self):
        self.offer("promised")
        response = self.call("promised", {"do": "violate_schema"})
        self.assertEqual(response.status, 502)
        self.assertIn("does not fit its schema", response.json()["message"])

    def test_the_reply_is_checked_by_the_schema_that_it_names(self):
        schema = {"properties": {"echo": {"type": "integer"}}}
        older = self.registry.add("evolving.responses-value", schema)
        self.offer("evolving", schema_id=older)
        self.assertEqual(self.call("evolving", {"do": "violate_schema"}).json(), {"echo": 7})

    def test_a_reply_that_names_no_schema_by_number_0_is_checked_by_the_known_one(self):
        self.offer("unnumbered", schema_id=0)
        self.assertEqual(self.call("unnumbered", {"n": 1}).json()["echo"], {"n": 1})
        response = self.call("unnumbered", {"do": "violate_schema"})
        self.assertEqual(response.status, 502)
        self.assertIn("does not fit its schema", response.json()["message"])

    def test_the_newer_generation_has_envelopes(self):
        request = {
            "type": "object",
            "properties": {
                "requestIndex": {"type": "integer"},
                "payload": {"type": "object", "properties": {"n": {"type": "integer"}}},
            },
            "required": ["requestIndex", "payload"],
        }
        self.offer("enveloped", request, None)
        schema = self.tools()["enveloped"]["inputSchema"]
        self.assertEqual(schema["properties"], {"n": {"type": "integer"}})
        self.assertEqual(self.call("enveloped", {"n": 3}).json()["echo"], {"n": 3})

    def test_flink_declares_everything_nullable(self):
        null = {"type": "null"}
        row = {"type": "object", "properties": {"n": {"oneOf": [null, {"type": "integer"}]}}}
        request = {
            "type": "object",
            "title": "Record",
            "properties": {
                "requestIndex": {"connect.index": 0, "oneOf": [null, {"type": "integer"}]},
                "payload": {"connect.index": 1, "oneOf": [null, row]},
            },
        }
        self.offer("flink", request, None)
        self.assertEqual(self.tools()["flink"]["inputSchema"], row)
        self.assertEqual(self.call("flink", {"n": 3}).json()["echo"], {"n": 3})
        self.assertEqual(self.call("flink", {"n": "three"}).status, 400)

    def test_an_id_that_the_value_declares_is_put_there(self):
        request = {
            "type": "object",
            "properties": {"requestId": {"type": "string"}, "n": {"type": "integer"}},
            "required": ["requestId", "n"],
        }
        self.registry.add("client_info.requests-value", request)
        self.peer.agent("client_info")
        self.peer.register("client_info", correlationIdFieldName="requestId")
        self.wait_for_tool("client_info")
        self.assertEqual(self.tools()["client_info"]["inputSchema"]["required"], ["n"])
        echo = self.call("client_info", {"n": 3}).json()["echo"]
        self.assertRegex(echo["requestId"], "^[0-9a-f-]{36}$")

    def test_the_schema_may_be_named_in_a_header(self):
        strict = {"type": "object", "properties": {"echo": {"type": "integer"}}}
        number = self.registry.add("headed.responses-value", strict)
        header = b"\0" + number.to_bytes(4, "big")
        self.offer("headed", response=None, value_header=header.hex())
        self.assertEqual(self.call("headed", {"do": "violate_schema"}).json(), {"echo": 7})
        refused = self.call("headed", {"n": 1})
        self.assertEqual(refused.status, 502)
        self.assertIn("does not fit its schema", refused.json()["message"])

    def test_a_mark_that_nobody_knows_is_refused(self):
        self.offer("marked", response=None, value_header="07")
        self.assertEqual(self.call("marked", {"n": 1}).status, 502)


class Strict(KafkaCase):
    upstream = {"strict_framing": True}

    def test_replies_must_name_their_schema(self):
        number = self.registry.add("framed.responses-value", RESPONSE)
        self.peer.agent("framed", schema_id=number)
        self.peer.register("framed")
        self.peer.agent("bare")
        self.peer.register("bare")
        for name, status in (("framed", 200), ("bare", 502)):
            self.wait_for_tool(name)
            response = self.call(name, {"n": 1})
            self.assertEqual(response.status, status, response.body)
        self.assertIn("strict_framing", response.json()["message"])


class Guarded(KafkaCase):
    """A registry under TLS that wants a password."""

    def answer(self, request):
        if request.field("Authorization") != "Basic dXNlcjp3b3Jk":  # user:password
            return 401, "application/json", b'{"error_code": 40101, "message": "who are you?"}'
        if request.path.endswith("/agent.requests-value/versions/latest"):
            schema = {"type": "object", "required": ["typed"]}
            found = {"id": 7, "version": 1, "schemaType": "JSON", "schema": json.dumps(schema)}
            return 200, "application/json", json.dumps(found).encode()
        return 404, "application/json", b'{"error_code": 40401, "message": "Subject not found."}'

    def test_tls_and_a_password(self):
        folder = self.enterContext(tempfile.TemporaryDirectory(prefix="patchbay-test-"))
        certificate, key = make_certificate(pathlib.Path(folder))
        service = self.enterContext(RawService())
        service.on = AnyPath(self.answer)
        proxy = TlsProxy(certificate, key, service.port)
        self.addCleanup(proxy.close)
        registry = {
            "url": f"https://localhost:{proxy.port}",
            "key": "user",
            "secret": "word",
            "tls": {"ca": certificate},
        }
        with Gateway(bus_config({"schema_registry": registry})) as gateway:
            with Peer(gateway.get("/health").json()["bus"]["bootstrap"]) as peer:
                peer.register("agent")
                listed = lambda: gateway.get("/mcp/v1/tools?server=bus").json()["tools"]
                (tool,) = wait_until(listed, "the agent to be listed")
            self.assertEqual(tool["inputSchema"]["required"], ["typed"])
            self.assertNotIn("dXNlcjp3b3Jk", gateway.stderr.text())


if __name__ == "__main__":
    main()
