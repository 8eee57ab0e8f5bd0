"""`kind: kafka`: agents on topics as tools and resources, on the embedded bus."""

import itertools
import json
import pathlib
import re
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    BINARY,
    Background,
    McpSession,
    StdioFrontend,
    main,
    result_of,
    stateless_call,
    stateless_message,
    stateless_request,
    to_yaml,
    wait_until,
)
from kafka_case import JSON, REGISTRY, KafkaCase, Peer, bus_config, kcat

STREAM = {"Accept": "text/event-stream"}
FORMS = {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}


def notified(events, method):
    """The next notification of that kind on a stream."""
    for event in events:
        if event.data and event.json().get("method") == method:
            return event.json()
    raise AssertionError(f"the stream ended without {method}")


class EmbeddedBus(KafkaCase):
    def test_it_is_named_and_called_what_it_is(self):
        bus = self.gateway.get("/health").json()["bus"]
        self.assertEqual(bus["kind"], "embedded")
        self.assertFalse(bus["durable"])
        banner = next(line for line in self.gateway.stdout.lines if line.startswith("bus "))
        self.assertIn(bus["bootstrap"], banner)
        self.assertIn(bus["schema_registry"], banner)
        self.assertIn("in memory", banner)

    def test_other_processes_can_use_it(self):
        kcat(self.brokers, "-P", "-t", "plain", "-k", "k", stdin="hello\n")
        read = kcat(self.brokers, "-C", "-t", "plain", "-e", "-f", "%k=%s\n")
        self.assertEqual(read, "k=hello\n")

    def test_the_registry_topic_has_both_schemas(self):
        for part in ("key", "value"):
            status, schema = self.registry.ask(
                "GET", f"/subjects/{REGISTRY}-{part}/versions/latest"
            )
            self.assertEqual(status, 200)
            self.assertEqual(schema["schemaType"], "JSON")
        self.assertIn("registrationType", json.loads(schema["schema"])["required"])

    def test_the_registry_speaks_the_usual_api(self):
        first = self.registry.add("api-value", {"type": "object"})
        second = self.registry.add("api-value", {"type": "string"})
        self.assertEqual(self.registry.add("api-value", {"type": "object"}), first)
        self.assertEqual(self.registry.ask("GET", "/subjects/api-value/versions"), (200, [1, 2]))
        self.assertIn("api-value", self.registry.ask("GET", "/subjects")[1])
        self.assertEqual(
            self.registry.ask("GET", f"/schemas/ids/{second}")[1]["schema"], '{"type": "string"}'
        )
        self.assertEqual(
            self.registry.ask("GET", "/subjects/api-value/versions/1")[1]["id"], first
        )
        for path, status, code in (
            ("/subjects/none/versions/latest", 404, 40401),
            ("/subjects/api-value/versions/9", 404, 40402),
            ("/schemas/ids/9999", 404, 40403),
            ("/subjects/api-value/versions/zero", 422, 42202),
        ):
            got, answer = self.registry.ask("GET", path)
            self.assertEqual((got, answer["error_code"]), (status, code))
        bad = {"schemaType": "JSON", "schema": '{"type": 7}'}
        self.assertEqual(
            self.registry.ask("POST", "/subjects/api-value/versions", bad)[1]["error_code"], 42201
        )
        self.assertEqual(self.registry.ask("DELETE", "/subjects/api-value"), (200, [1, 2]))


class Agents(KafkaCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.peer.agent("work")
        cls.peer.register("work")

    def setUp(self):
        self.wait_for_tool("work")

    def test_a_call_is_a_record_and_its_reply_the_result(self):
        response = self.call("work", {"a": 1})
        self.assertEqual(response.status, 200, response.body)
        self.assertEqual(response.json()["echo"], {"a": 1})
        self.assertIn("correlationId", response.json()["headers"])

    def test_mcp_clients_get_structure_text_and_the_id(self):
        result = result_of(stateless_call(self.gateway, "bus__work", a=1))
        self.assertEqual(result["structuredContent"]["echo"], {"a": 1})
        self.assertEqual(json.loads(result["content"][0]["text"]), result["structuredContent"])
        self.assertRegex(result["_meta"]["patchbay/correlationId"], "^[0-9a-f-]{36}$")

    def test_the_request_has_the_id_in_key_and_header(self):
        self.call("work", {"mark": "find me"})
        records = self.peer.consume("work.requests")
        found = next(r for r in records if "find me" in r["value"])
        key = json.loads(found["key"])
        self.assertEqual(key, {"correlationId": found["headers"]["correlationId"]})

    def test_replies_are_found_by_header_and_by_bare_text(self):
        for form in ("header", "text"):
            self.assertEqual(self.call("work", {"do": f"by_{form}"}).json(), {"by": form})

    def test_what_answers_nobody_is_dropped_and_counted(self):
        before = self.dropped("foreign")
        self.assertEqual(self.call("work", {"do": "foreign"}).json(), {"right": True})
        wait_until(lambda: self.dropped("foreign") > before, "a foreign reply to be counted")
        before = self.dropped("duplicate")
        self.assertEqual(self.call("work", {"do": "twice"}).json(), {"n": 1})
        wait_until(lambda: self.dropped("duplicate") > before, "a duplicate to be counted")

    def test_rubbish_is_a_bad_gateway(self):
        response = self.call("work", {"do": "rubbish"})
        self.assertEqual(response.status, 502)
        self.assertIn("not JSON", response.json()["message"])
        result = result_of(stateless_call(self.gateway, "bus__work", do="rubbish"))
        self.assertTrue(result["isError"])

    def test_an_agent_that_fails_reports_the_reason(self):
        response = self.call("work", {"do": "fail"})
        self.assertEqual(response.status, 422)
        self.assertEqual(response.json()["message"], "no such order")

    def test_an_unknown_tool_is_not_found(self):
        response = self.call("bus.nobody")
        self.assertEqual(response.status, 404)
        self.assertEqual(response.json()["error"], "Not Found")

    def test_replies_that_are_not_the_last_are_progress(self):
        with self.gateway.connect() as connection:
            connection.send("POST", "/api/work", {**JSON, **STREAM}, {"do": "stream"})
            events = list(connection.read_head().events())
        notified = [json.loads(e.data)["message"] for e in events if e.name == "progress"]
        self.assertEqual(notified, ["step 1", "step 2"])
        self.assertEqual(json.loads(events[-1].data), {"steps": 2})

    def test_mcp_clients_get_progress(self):
        others = []
        answer = stateless_call(
            self.gateway, "bus__work", {"progressToken": "t"}, others, do="stream"
        )
        self.assertEqual(result_of(answer)["structuredContent"], {"steps": 2})
        notified = [note["params"] for note in others if note["method"] == "notifications/progress"]
        self.assertEqual([note["message"] for note in notified], ["step 1", "step 2"])
        self.assertEqual({note["progressToken"] for note in notified}, {"t"})

    def test_mcp_clients_are_asked(self):
        first = result_of(stateless_call(self.gateway, "bus__work", FORMS, do="ask"))
        self.assertEqual(first["resultType"], "input_required")
        ((key, question),) = first["inputRequests"].items()
        self.assertEqual(question["method"], "elicitation/create")
        self.assertEqual(question["params"]["message"], "Which size?")
        params = {
            "name": "bus__work",
            "arguments": {"do": "ask"},
            "requestState": first["requestState"],
            "inputResponses": {key: {"action": "accept", "content": {"input": "XL"}}},
        }
        answer = stateless_request(self.gateway, "tools/call", params, meta=FORMS)
        self.assertEqual(result_of(answer)["structuredContent"], {"size": "XL"})

    def test_an_agent_asks_the_user(self):
        asked = self.call("work", {"do": "ask"})
        self.assertEqual(asked.status, 202)
        key, question = next(iter(asked.json()["questions"].items()))
        self.assertEqual(question["params"]["message"], "Which size?")
        answers = {key: {"action": "accept", "content": {"input": "XL"}}}
        answer = self.send("POST", asked.json()["answer_at"], answers)
        self.assertEqual(answer.json(), {"size": "XL"})

    def test_an_agent_asks_a_user_that_does_not_answer(self):
        asked = self.call("work", {"do": "ask"})
        key = next(iter(asked.json()["questions"]))
        answer = self.send("POST", asked.json()["answer_at"], {key: {"action": "decline"}})
        self.assertEqual(answer.status, 502)

    def test_many_calls_at_once_each_get_their_own(self):
        calls = [Background(lambda n=n: self.call("work", {"n": n}).json()) for n in range(50)]
        for n, call in enumerate(calls):
            self.assertEqual(call.result()["echo"], {"n": n})


class Lists(KafkaCase):
    """What agents register is bounded as what servers list is."""

    upstream = {"lists": {"max_items": 2, "max_definition_size": "2KiB"}}

    def test_a_list_that_is_too_long_or_too_large_is_refused(self):
        for name in ("one", "two"):
            self.peer.agent(name)
            self.peer.register(name)
            self.wait_for_tool(name)
        self.assertEqual(self.call("bus.one", {"do": "echo"}).status, 200)
        before = set(self.tools())
        for more, setting in (({}, "lists.max_items"), ({"description": "x" * 3000}, "lists.max_definition_size")):
            start = self.gateway.stderr.count()
            if more:
                self.peer.unregister("two")
            self.peer.register("three", **more)
            self.assertIn(setting, self.gateway.stderr.wait_for("list refused", start))
            self.assertNotIn("three", self.tools())
            self.assertEqual(self.call("bus.one", {"do": "echo"}).status, 200)
            self.peer.unregister("three")
        self.assertLessEqual(set(self.tools()), before)


class OverStdio(KafkaCase):
    def test_a_client_on_stdin_calls_an_agent_and_reads_nothing_but_answers(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        file = folder / "patchbay.yaml"
        file.write_text(to_yaml(bus_config()), encoding="utf-8")
        frontend = self.enterContext(StdioFrontend([BINARY, "stdio", "-c", str(file)], cwd=str(folder)))
        # Its own embedded bus is named in the log only.
        line = frontend.stderr.wait_for("embedded bus")
        with Peer(re.search(r"bootstrap=(\S+)", line)[1]) as peer:
            peer.agent("work")
            peer.register("work")
            ids = itertools.count()
            ask = lambda method, **params: result_of(
                frontend.request(stateless_message(method, params, next(ids)))
            )
            listed = lambda: [tool["name"] for tool in ask("tools/list")["tools"]]
            wait_until(lambda: "bus__work" in listed(), "the agent to be listed")
            answer = ask("tools/call", name="bus__work", arguments={"n": 1})
            self.assertEqual(answer["structuredContent"]["echo"], {"n": 1})
        self.assertEqual(frontend.close_stdin(), 0)
        for line in frontend.stdout.wait_end():
            self.assertEqual(json.loads(line)["jsonrpc"], "2.0")


class Impatient(KafkaCase):
    upstream = {"response_timeout_ms": 300}

    def test_an_agent_that_is_too_slow(self):
        self.peer.agent("slow")
        self.peer.register("slow")
        self.wait_for_tool("slow")
        response = self.call("slow", {"do": "slow", "seconds": 0.6})
        self.assertEqual(response.status, 504)
        self.assertIn("correlation id", response.json()["message"])
        wait_until(lambda: self.dropped("late") == 1, "the late reply to be counted")


class Registrations(KafkaCase):
    # The agent that moves is not consumed at first.
    upstream = {"response_timeout_ms": 2000}

    def test_they_come_change_and_go_at_once(self):
        with McpSession(self.gateway) as session:
            updates = session.open_stream().events()
            # Clients are notified of each before the next: a change that is undone at once is not sent.
            self.peer.register("coming")
            self.wait_for_tool("coming")
            notified(updates, "notifications/tools/list_changed")
            self.peer.register("coming", description="Another")
            changed = lambda: self.tools()["coming"]["description"] == "Another"
            wait_until(changed, "the description to change")
            notified(updates, "notifications/tools/list_changed")
            self.peer.unregister("coming")
            self.wait_for_tool("coming", there=False)
            notified(updates, "notifications/tools/list_changed")

    def test_the_sample_of_the_document(self):
        self.peer.produce(
            self.registry_topic,
            "order-processing-service",
            {
                "name": "order-processing-service",
                "description": "Handles order processing and inventory updates",
                "requestTopicName": "orders.requests",
                "responseTopicName": "orders.responses",
                "correlationIdFieldName": "correlationId",
            },
        )
        self.wait_for_tool("order-processing-service")
        paths = self.gateway.get("/openapi.json").json()["paths"]
        self.assertTrue(any("order-processing-service" in path for path in paths))

    def test_a_key_of_bare_text_will_do(self):
        kcat(
            self.brokers, "-P", "-t", self.registry_topic, "-K", "|",
            stdin='typed|{"name":"typed","description":"d","requestTopicName":"a",'
            '"responseTopicName":"b"}\n',
        )
        self.wait_for_tool("typed")
        kcat(self.brokers, "-P", "-t", self.registry_topic, "-K", "|", "-Z", stdin="typed|\n")
        self.wait_for_tool("typed", there=False)
        # A client that cannot omit the value may leave it empty.
        self.peer.register("emptied")
        self.wait_for_tool("emptied")
        kcat(self.brokers, "-P", "-t", self.registry_topic, "-K", "|", stdin="emptied|\n")
        self.wait_for_tool("emptied", there=False)

    def test_invalid_ones_are_skipped_and_reported(self):
        self.peer.produce(self.registry_topic, "bad", {"name": "bad"})
        self.peer.produce(self.registry_topic, "worse", "{")
        self.peer.register("after")
        self.wait_for_tool("after")
        self.assertNotIn("bad", self.tools())
        wait_until(
            lambda: "bad: 'description' is missing" in self.gateway.get("/ready").body.decode(),
            "the fault to be shown",
        )

    def test_a_topic_of_replies_is_followed_where_it_moves(self):
        self.peer.agent("moving")
        self.peer.register("moving", responseTopicName="elsewhere")
        self.wait_for_tool("moving")
        self.peer.register("moving")
        wait_until(
            lambda: self.call("moving", {"x": 1}).status == 200, "the agent to be heard again"
        )


class Resources(KafkaCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.peer.agent("docs")
        cls.peer.register(
            "docs", registrationType="resource", mimeType="text/markdown", url="/docs/{page}"
        )
        cls.peer.register("readme", registrationType="resource", mimeType="text/markdown",
                          url="readme", requestTopicName="docs.requests",
                          responseTopicName="docs.responses")

    def setUp(self):
        for uri in ("readme", "docs/intro"):
            wait_until(lambda at=uri: self.read(at).status == 200, f"{uri} to be offered")

    def read(self, uri, **headers):
        return self.send("GET", f"/rcs/{uri}", None, headers)

    def test_text_blob_and_nothing(self):
        text = self.read("docs/intro")
        self.assertEqual((text.status, text.body), (200, b"# docs/intro"))
        self.assertEqual(text.content_type, "text/markdown")
        blob = self.read("docs/picture")
        self.assertEqual((blob.body, blob.content_type), (b"\0\1\2", "image/png"))
        empty = self.read("docs/empty")
        self.assertEqual((empty.status, empty.content_type), (204, "text/plain"))
        whole = self.read("docs/picture", Accept="application/json").json()
        self.assertEqual(whole["blob"], "AAEC")
        self.assertEqual(self.send("HEAD", "/rcs/docs/empty").status, 204)

    def test_another_resource_is_no_answer(self):
        self.assertEqual(self.read("docs/other").status, 502)

    def test_mcp_clients_read_them_too(self):
        answer = stateless_request(self.gateway, "resources/read", {"uri": "docs/empty"})
        self.assertEqual(result_of(answer)["contents"][0]["text"], "")
        answer = stateless_request(self.gateway, "resources/templates/list")
        listed = result_of(answer)["resourceTemplates"]
        self.assertEqual([one["uriTemplate"] for one in listed], ["docs/{page}"])

    def test_what_nobody_has(self):
        self.assertEqual(self.read("nothing").status, 404)


class TopicRetrieval(KafkaCase):
    upstream = {"retrieval": "topic"}

    def test_the_latest_record_is_the_resource(self):
        self.peer.register(
            "prices", registrationType="resource", mimeType="application/json", url="prices/{sku}"
        )
        self.peer.produce("prices.responses", "prices/7", {"price": 1})
        self.peer.produce("prices.responses", "prices/7", {"price": 2})
        wait_until(
            lambda: self.send("GET", "/rcs/prices/7").body == b'{"price": 2}', "the latest price"
        )
        with McpSession(self.gateway) as session:
            result_of(session.request("resources/subscribe", {"uri": "prices/7"}))
            updates = session.open_stream().events()
            self.peer.produce("prices.responses", "prices/7", {"price": 3})
            updated = notified(updates, "notifications/resources/updated")
            self.assertEqual(updated["params"]["uri"], "prices/7")
        self.peer.produce("prices.responses", "prices/7", None)
        wait_until(lambda: self.send("GET", "/rcs/prices/7").status == 404, "it to be deleted")


class Topics(KafkaCase):
    upstream = {
        "topics": {
            "orders": {"topic": "shop.orders", "description": "Orders of the shop", "max_records": 2},
            "quiet": {"read": False},
        }
    }

    def setUp(self):
        # On Apache Kafka a topic that has to be made first may take longer than the start waits.
        for name in self.upstream["topics"]:
            self.wait_for_tool(name)

    def test_a_topic_is_a_tool_and_a_resource(self):
        tool = self.tools()["orders"]
        self.assertEqual(tool["description"], "Orders of the shop")
        for n in range(3):
            placed = self.call("orders", {"key": "a/b", "value": {"n": n}, "headers": {"h": "1"}})
            self.assertEqual(placed.json()["topic"], "shop.orders")
        uri = "kafka://bus/orders"
        newest = lambda: [one["value"]["n"] for one in self.send("GET", f"/rcs/{uri}").json()]
        wait_until(lambda: newest() == [1, 2], "the newest two")
        answer = stateless_request(self.gateway, "resources/read", {"uri": f"{uri}/a%2Fb"})
        self.assertEqual(json.loads(result_of(answer)["contents"][0]["text"]), {"n": 2})
        record = self.peer.consume("shop.orders")[0]
        self.assertEqual((record["key"], record["headers"]), ("a/b", {"h": "1"}))

    def test_subscribers_are_notified_of_a_new_record(self):
        with McpSession(self.gateway) as session:
            for uri in ("kafka://bus/orders", "kafka://bus/orders/k"):
                result_of(session.request("resources/subscribe", {"uri": uri}))
            updates = session.open_stream().events()
            self.peer.produce("shop.orders", "k", {"n": 9})
            notes = [notified(updates, "notifications/resources/updated") for _ in range(2)]
        received = {note["params"]["uri"] for note in notes}
        self.assertEqual(received, {"kafka://bus/orders", "kafka://bus/orders/k"})

    def test_one_that_is_not_read_is_a_tool_only(self):
        listed = self.gateway.get("/mcp/v1/resources?server=bus").json()["resources"]
        self.assertEqual([one["uri"] for one in listed], ["kafka://bus/orders"])
        self.assertEqual(self.call("quiet", {"value": 1}).status, 200)


if __name__ == "__main__":
    main()
