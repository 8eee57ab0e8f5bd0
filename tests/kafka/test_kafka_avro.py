"""Avro on the bus: agents and topics with Avro schemas in the registry, compared byte by byte. On
the embedded bus; tests/kafka/test_kafka_apache.py repeats it on Apache Kafka."""

import base64
import json
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import Background, main, wait_until
from kafka_case import RESPONSE, KafkaCase
from npm_agent_case import NpmAgentCase


def record(name, *fields, **more):
    return {"type": "record", "name": name, "fields": list(fields), **more}


def field(name, of, **more):
    return {"name": name, "type": of, **more}


SIZE = {"type": "enum", "name": "Size", "symbols": ["S", "L"]}
ORDER = record(
    "Order",
    field("id", "string", doc="Its number"),
    field("size", SIZE, default="S"),
    field("note", ["null", "string"]),
    namespace="shop",
)
DONE = record("Done", field("ok", "boolean"), field("count", "int"))
KEY = record("Key", field("correlationId", "string"))

ORDER_SCHEMA = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "description": "Its number"},
        "size": {"type": "string", "enum": ["S", "L"], "default": "S"},
        "note": {"anyOf": [{"type": "null"}, {"type": "string"}]},
    },
    "required": ["id"],
    "additionalProperties": False,
}


def framed(number, payload):
    return b"\0" + number.to_bytes(4, "big") + payload


def as_bytes(text):
    """What the peer has read."""
    return bytes.fromhex(text["hex"]) if isinstance(text, dict) else text.encode()


class Avro(KafkaCase):
    def add(self, subject, schema, kind="AVRO"):
        return self.registry.add(subject, schema, kind)

    def offer(self, name, sends, request=ORDER, response=DONE, key=None, **agent):
        """An agent that sends the same reply to everything."""
        ids = {}
        for subject, schema in (
            (f"{name}.requests-key", key),
            (f"{name}.requests-value", request),
            (f"{name}.responses-value", response),
        ):
            if schema is not None:
                ids[subject.removeprefix(f"{name}.")] = self.add(subject, schema)
        self.peer.agent(name, sends=sends.hex(), **{"schema_id": ids["responses-value"], **agent})
        self.peer.register(name)
        self.wait_for_tool(name)
        return ids

    def refusal(self, name):
        def reported():
            message = self.gateway.get("/ready").body.decode()
            return message if f"{name}: " in message else None

        self.peer.register(name)
        message = wait_until(reported, "the refusal to be shown")
        self.assertNotIn(name, self.tools())
        return message

    def test_an_agent_is_typed_and_spoken_to(self):
        ids = self.offer("orders", b"\x01\x06", key=KEY)
        tool = self.tools()["orders"]
        self.assertEqual(tool["inputSchema"], ORDER_SCHEMA)
        self.assertEqual(tool["outputSchema"]["required"], ["ok", "count"])
        answer = self.call("orders", {"id": "a7", "size": "L", "note": "x"})
        self.assertEqual(answer.json(), {"ok": True, "count": 3})
        self.assertEqual(self.call("orders", {"id": "b"}).status, 200)
        sent = self.peer.consume("orders.requests")
        values = {as_bytes(one["value"]) for one in sent}
        number = ids["requests-value"]
        self.assertEqual(
            values, {framed(number, b"\x04a7\x02\x02\x02x"), framed(number, b"\x02b\x00\x00")}
        )
        for one in sent:
            key = as_bytes(one["key"])
            self.assertEqual(key[:6], framed(ids["requests-key"], b"\x48"))
            self.assertRegex(key[6:].decode(), "^[0-9a-f-]{36}$")

    def test_a_key_may_be_the_id_itself(self):
        ids = self.offer("plainly", b"\x00\x00", key='"string"')
        self.assertEqual(self.call("plainly", {"id": "a"}).json(), {"ok": False, "count": 0})
        key = as_bytes(self.peer.consume("plainly.requests")[0]["key"])
        self.assertEqual(key[:6], framed(ids["requests-key"], b"\x48"))

    def test_the_id_of_a_reply_may_be_in_its_value(self):
        response = record("Keyless", field("count", "int"), field("correlationId", "string"))
        self.offer("keyless", b"\x04", response=response, ends_with_id=True)
        self.assertEqual(self.call("keyless", {"id": "a"}).json()["count"], 2)

    def test_arguments_that_do_not_fit_never_leave(self):
        self.offer("narrow", b"\x01\x00")
        for arguments, message in (
            ({"id": 7}, "/id"),
            ({"id": "a", "size": "XL"}, "/size"),
            ({"id": "a", "more": 1}, "more"),
            ({}, "id"),
        ):
            response = self.call("narrow", arguments)
            self.assertEqual(response.status, 400, response.body)
            self.assertIn(message, response.json()["message"])
        blob = record("Blob", field("data", "bytes"))
        self.offer("blob", b"\x01\x00", request=blob)
        response = self.call("blob", {"data": "not base64!"})
        self.assertEqual(response.status, 400, response.body)
        self.assertIn("/data must be base64", response.json()["message"])
        self.assertEqual(self.call("blob", {"data": "AP8="}).status, 200)

    def test_a_reply_that_cannot_be_read_is_refused(self):
        for name, sends in (("short", b"\x01"), ("long", b"\x01\x00\x00"), ("wild", b"\x07\x00")):
            self.offer(name, sends)
            response = self.call(name, {"id": "a"})
            self.assertEqual(response.status, 502, response.body)
            self.assertIn("does not match its Avro schema", response.json()["message"])
        self.offer("infinite", bytes.fromhex("0000c07f"), response='"float"')
        self.assertIn("NaN", self.call("infinite", {"id": "a"}).json()["message"])

    def test_the_reply_is_read_by_the_schema_that_it_names(self):
        older = self.add("versioned.responses-value", record("Done", field("count", "long")))
        self.offer("versioned", b"\x08", schema_id=older)
        self.assertEqual(self.call("versioned", {"id": "a"}).json(), {"count": 4})
        plain = self.add("changed.responses-value", RESPONSE, "JSON")
        self.offer("changed", b'{"echo": {}}', schema_id=plain)
        self.assertEqual(self.call("changed", {"id": "a"}).json(), {"echo": {}})
        number = self.add("titled.responses-value", DONE)
        header = framed(number, b"").hex()
        self.offer("titled", b"\x01\x0a", schema_id=None, value_header=header)
        self.assertEqual(self.call("titled", {"id": "a"}).json(), {"ok": True, "count": 5})

    def test_bare_json_is_taken_and_must_fit(self):
        self.offer("unframed", b'{"ok": true, "count": 1}', schema_id=None)
        self.assertEqual(self.call("unframed", {"id": "a"}).json()["count"], 1)
        self.offer("unfitting", b'{"ok": 1, "count": 1}', schema_id=None)
        response = self.call("unfitting", {"id": "a"})
        self.assertEqual(response.status, 502)
        self.assertIn("does not fit its schema", response.json()["message"])

    def test_envelopes_and_values_that_are_no_objects(self):
        inner = record("Inner", field("n", "int"))
        request = record("Request", field("requestIndex", "int"), field("payload", inner))
        response = record(
            "Response",
            field("requestIndex", "int"),
            field("status", "string"),
            field("payload", ["null", DONE]),
        )
        self.offer("in_letter", b"\x00\x12COMPLETED\x02\x01\x02", request, response)
        schema = self.tools()["in_letter"]["inputSchema"]
        self.assertEqual(schema["required"], ["n"])
        self.assertEqual(self.call("in_letter", {"n": 3}).json(), {"ok": True, "count": 1})
        sent = as_bytes(self.peer.consume("in_letter.requests")[0]["value"])
        self.assertEqual(sent[5:], b"\x00\x06")
        self.offer("number", b"\x01\x00", '"long"')
        self.assertEqual(self.call("number", {"value": 27}).status, 200)
        self.assertEqual(as_bytes(self.peer.consume("number.requests")[0]["value"])[5:], b"\x36")

    def test_an_id_that_the_value_declares_is_put_there(self):
        request = record("Asked", field("correlationId", "string"), field("n", "int"))
        self.offer("copied", b"\x01\x00", request)
        self.assertEqual(self.tools()["copied"]["inputSchema"]["required"], ["n"])
        self.assertEqual(self.call("copied", {"n": 1}).status, 200)
        sent = as_bytes(self.peer.consume("copied.requests")[0]["value"])
        self.assertRegex(sent[6:42].decode(), "^[0-9a-f-]{36}$")

    def test_what_cannot_be_used_is_reported(self):
        self.add("proto.requests-value", 'syntax = "proto3"; message A {}', "PROTOBUF")
        self.assertIn("only JSON Schema and Avro can be used", self.refusal("proto"))
        self.add("roomless.requests-key", record("Key", field("other", "int")))
        self.assertIn("has no room for the id", self.refusal("roomless"))

    def test_a_schema_that_is_none_is_refused_by_the_registry(self):
        status, answer = self.registry.ask(
            "POST", "/subjects/none-value/versions", {"schema": '{"type": "Nothing"}'}
        )
        self.assertEqual((status, answer["error_code"]), (422, 42201))


class AvroTopics(KafkaCase):
    upstream = {
        "refresh_interval": "100ms",
        "retrieval": "topic",
        "topics": {"orders": {"topic": "avro.orders"}, "notes": {"topic": "avro.notes"}},
    }

    def setUp(self):
        for name in self.upstream["topics"]:
            self.wait_for_tool(name)

    def read(self, uri):
        response = self.send("GET", f"/rcs/{uri}")
        return response.json() if response.status == 200 else None

    def test_a_topic_is_written_and_read(self):
        keys = self.registry.add("avro.orders-key", record("Id", field("id", "string")), "AVRO")
        number = self.registry.add("avro.orders-value", ORDER, "AVRO")
        typed = lambda: "id" in json.dumps(self.tools()["orders"]["inputSchema"])
        wait_until(typed, "the topic to be typed")
        placed = self.call("orders", {"key": "k1", "value": {"id": "a", "size": "L"}})
        self.assertEqual(placed.status, 200, placed.body)
        (sent,) = self.peer.consume("avro.orders")
        self.assertEqual(as_bytes(sent["key"]), framed(keys, b"\x04k1"))
        self.assertEqual(as_bytes(sent["value"]), framed(number, b"\x02a\x02\x00"))
        self.assertEqual(self.call("orders", {"value": {"id": 1}}).status, 400)
        first = {"id": "a", "size": "L", "note": None}
        wait_until(lambda: self.read("kafka://bus/orders/k1") == first, "the record")

        # Others write by schemas of their own.
        other = self.registry.add("others-value", record("Other", field("n", "long")), "AVRO")
        for payload in (b"\x02", b"\x80"):
            value = {"hex": framed(other, payload).hex()}
            self.peer.produce("avro.orders", "k2", value)
        both = wait_until(
            lambda: (lambda found: found if len(found) == 3 else None)(
                self.read("kafka://bus/orders") or []
            ),
            "all records",
        )
        self.assertEqual([one["value"] for one in both[:2]], [first, {"n": 1}])
        self.assertIn("cut off", both[2]["value"]["unreadable"])
        self.assertEqual(base64.b64decode(both[2]["value"]["base64"]), b"\x80")

    def test_records_stay_in_order_while_a_schema_is_fetched(self):
        fresh = self.registry.add("fresh-value", record("Fresh", field("f", "int")), "AVRO")
        value = {"hex": framed(fresh, b"\x02").hex()}
        self.peer.produce("avro.notes", "key", value)
        self.peer.produce("avro.notes", "key", {"later": 1})
        latest = lambda key: self.read(f"kafka://bus/notes/{key}")
        wait_until(lambda: latest("key") == {"later": 1}, "the later record")
        self.peer.produce("avro.notes", "end", value)
        wait_until(lambda: latest("end") == {"f": 1}, "the last record")
        self.assertEqual(latest("key"), {"later": 1})

    def test_a_schema_that_cannot_be_had_holds_nothing_up(self):
        self.peer.produce("avro.notes", "lost", {"hex": framed(99999, b"\x80").hex()})
        as_it_is = lambda: self.read("kafka://bus/notes/lost") == {"base64": "gA=="}
        wait_until(as_it_is, "the record as it is")

    def test_the_latest_record_is_the_resource(self):
        price = record("Price", field("text", "string"))
        number = self.registry.add("prices.responses-value", price, "AVRO")
        self.peer.register(
            "prices", registrationType="resource", mimeType="text/plain", url="prices/{sku}"
        )
        value = {"hex": framed(number, b"\x0812.5").hex()}
        self.peer.produce("prices.responses", "prices/7", value)
        wait_until(lambda: self.send("GET", "/rcs/prices/7").body == b"12.5", "the price")


class AvroPeer(NpmAgentCase):
    """An agent on kafkajs and Confluent's wire format as avsc has it."""

    folder = "avro"

    def test_an_agent(self):
        self.start_agent("avro", self.brokers, self.registry.url, self.registry_topic)
        given = {
            "text": "grün \U0001f4a1",
            "whole": -2147483648,
            "large": 9007199254740990,
            "single": 0.5,
            "double": -1e-300,
            "flag": True,
            "blob": "AP8=",
            "hash": "AAECAw==",
            "size": "L",
            "list": [1, 2, 3],
            "map": {"a": None, "b": "x"},
            "tree": {"value": 1, "next": {"value": 2, "next": None}},
        }
        wait_until(lambda: self.call("avro", given).status == 200, "the first answer")
        answer = self.call("avro", given).json()
        self.assertEqual(answer["echo"], {**given, "absent": None, "default": 42})
        # As the peer has understood it.
        self.assertEqual(json.loads(answer["seen"])["text"], given["text"])
        calls = [Background(self.call, "avro", {**given, "whole": n}) for n in range(20)]
        for n, call in enumerate(calls):
            self.assertEqual(call.result().json()["echo"]["whole"], n)
        self.assertEqual(self.dropped("unreadable"), 0)


if __name__ == "__main__":
    main()
