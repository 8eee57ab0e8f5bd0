"""The context of a trace in the headers of records: to agents, and from callers of `bus serve`."""

import json
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import fake, main, wait_until
from kafka_case import KafkaCase
from otlp_collector import OtlpCollector
from raw_service import RawService
from test_kafka_serve import Served

TRACE = "0af7651916cd43dd8448eb211c80319c"
SPAN = "b7ad6b7169203331"
CONTEXT = {
    "traceparent": f"00-{TRACE}-{SPAN}-01",
    "tracestate": "vendor=1",
    "baggage": "tenant=acme",
}


class Untraced(KafkaCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.peer.agent("work")
        cls.peer.register("work")

    def sent(self, mark, **headers):
        """The context in the record of one call."""
        self.wait_for_tool("work")
        self.assertEqual(self.call("work", {"mark": mark}, **headers).status, 200)
        records = self.peer.consume("work.requests")
        record = next(one for one in records if mark in one["value"])
        return {key: record["headers"].get(key) for key in CONTEXT}

    def served(self, **settings):
        """What an MCP server behind `bus serve` sees of the context of a call over the bus."""
        allowed = fake(tools={"allow": ["echo_meta"]})
        with Served(self, {"fake": allowed}, **settings):
            self.wait_for_tool("fake__echo_meta")
            response = self.call("fake__echo_meta", {}, **CONTEXT)
            self.assertEqual(response.status, 200, response.body)
            return json.loads(response.json()["content"][0]["text"])

    def test_what_the_caller_sent_is_passed_on(self):
        self.assertEqual(self.sent("one", **CONTEXT), CONTEXT)
        self.assertEqual(self.sent("two"), dict.fromkeys(CONTEXT))

    def test_the_headers_of_a_record_are_read(self):
        meta = self.served()
        self.assertEqual({key: meta.get(key) for key in CONTEXT}, CONTEXT)
        with RawService() as collector:
            meta = self.served(telemetry={"otlp": {"endpoint": collector.url}})
        _, trace, span, _ = meta["traceparent"].split("-")
        self.assertEqual(trace, TRACE)
        self.assertNotEqual(span, SPAN)


class Traced(Untraced):
    @classmethod
    def setUpClass(cls):
        cls.collector = cls.enterClassContext(RawService())
        cls.settings = {"telemetry": {"otlp": {"endpoint": cls.collector.url}}}
        super().setUpClass()

    def test_what_the_caller_sent_is_passed_on(self):
        sent = self.sent("three", **CONTEXT)
        _, trace, span, flags = sent["traceparent"].split("-")
        self.assertEqual((trace, flags), (TRACE, "01"))
        self.assertNotEqual(span, SPAN)
        self.assertEqual((sent["tracestate"], sent["baggage"]), ("vendor=1", "tenant=acme"))

    def test_the_headers_of_a_record_are_read(self):
        meta = self.served()
        _, trace, span, _ = meta["traceparent"].split("-")
        self.assertEqual(trace, TRACE)
        self.assertNotEqual(span, SPAN)
        self.assertEqual((meta["tracestate"], meta["baggage"]), ("vendor=1", "tenant=acme"))


class Questions(KafkaCase):
    """A tool behind `bus serve` asks: the question goes over the bus, and each side continues it."""

    @classmethod
    def setUpClass(cls):
        cls.collector = cls.enterClassContext(OtlpCollector())
        every = {"interval": "50ms"}
        cls.telemetry = {
            "otlp": {"endpoint": cls.collector.endpoint},
            "traces": every,
            "metrics": {"enabled": False},
            "logs": {"enabled": False},
        }
        cls.settings = {"telemetry": {**cls.telemetry, "service_name": "gateway"}}
        super().setUpClass()

    def spans(self, service):
        spans = [one for one in self.collector.spans() if one["traceId"] == TRACE]
        return [one for one in spans if one["resource"]["service.name"] == service]

    def answer_question(self):
        form = {"message": "Which size?", "requestedSchema": {"type": "object", "properties": {}}}
        arguments = {"method": "elicitation/create", "params": form}
        asked = self.call("fake__ask_client", arguments, **CONTEXT)
        self.assertEqual(asked.status, 202, asked.body)
        ((key, _),) = asked.json()["questions"].items()
        answers = {key: {"action": "accept", "content": {"size": "XL"}}}
        answer = self.send("POST", asked.json()["answer_at"], answers)
        self.assertEqual(answer.status, 200, answer.body)

    def test_each_side_continues_the_other(self):
        telemetry = {**self.telemetry, "service_name": "served"}
        with Served(self, {"fake": fake(tools={"allow": ["ask_client"]})}, telemetry=telemetry):
            self.wait_for_tool("fake__ask_client")
            self.answer_question()
        # The program has sent what it had when it stopped.
        served = self.spans("served")
        (call,) = [one for one in served if one["kind"] == 2]
        (ask,) = [one for one in served if one["name"] == "ask"]
        ours = lambda: [one for one in self.spans("gateway") if one["kind"] == 3]
        attempts = lambda: [one for one in ours() if one["name"].startswith("send ")]
        wait_until(lambda: len(attempts()) == 2, "the requests of the gateway")
        self.assertIn(call["parentSpanId"], [one["spanId"] for one in attempts()])
        self.assertEqual(attempts()[0]["name"], "send fake__ask_client_request")
        for one, operation in ((attempts()[0], "send"), (call, "process")):
            found = one["attributes"]
            self.assertEqual(found["messaging.system"], "kafka")
            self.assertEqual(found["messaging.operation.type"], operation)
            self.assertEqual(found["messaging.destination.name"], "fake__ask_client_request")
            self.assertTrue(found["messaging.message.conversation_id"])
        (question,) = [
            one["headers"]["traceparent"]
            for one in self.peer.consume("fake__ask_client_response")
            if "INPUT_REQUIRED" in one["value"]
        ]
        self.assertEqual(question.split("-")[1:3], [TRACE, ask["spanId"]])
        (asked,) = [one for one in ours() if one["name"] == "ask"]
        self.assertEqual(asked["parentSpanId"], ask["spanId"])

    def test_a_further_attempt_is_linked_to_the_one_before(self):
        telemetry = {**self.telemetry, "service_name": "retries"}
        limits = {"max_attempts": 2, "retry_interval": "10ms"}
        allowed = {"fake": fake(tools={"allow": ["die"]})}
        with Served(self, allowed, telemetry=telemetry, bus_serve=limits):
            self.wait_for_tool("fake__die")
            key = json.dumps({"correlationId": "dies"})
            self.peer.produce("fake__die_request", key, {}, traceparent=CONTEXT["traceparent"])
            dead_letters = lambda: self.peer.consume("fake__die_request.dead-letter")
            wait_until(dead_letters, "a dead letter")
        calls = [one for one in self.spans("retries") if one["kind"] == 2]
        first, second = sorted(calls, key=lambda one: int(one["startTimeUnixNano"]))
        self.assertEqual(first.get("links", []), [])
        (link,) = second["links"]
        self.assertEqual((link["traceId"], link["spanId"]), (TRACE, first["spanId"]))


if __name__ == "__main__":
    main()
