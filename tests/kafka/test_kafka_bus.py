"""`patchbay bus …` and /control/registrations: agents and records managed by hand."""

import json
import pathlib
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import main, run, wait_until
from kafka_case import KafkaCase


class BusCase(KafkaCase):
    def bus(self, *args, code=0, stdin=None, broker=True):
        """Runs `patchbay bus`; gives what it prints."""
        more = ("--broker", self.brokers, "--registry-topic", self.registry_topic) if broker else ()
        done = run("bus", *args, *more, stdin=stdin, env={"PATCHBAY_URL": self.gateway.url})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout if code == 0 else done.stderr

    def register(self, name, *more):
        return self.bus(
            "register", "--name", name, "--description", f"What {name} does",
            "--request-topic", f"{name}.requests", "--response-topic", f"{name}.responses", *more,
        )  # fmt: skip


class Commands(BusCase):
    def test_register_list_unregister(self):
        self.assertEqual(
            self.register("typed"), "registered typed: typed.requests -> typed.responses\n"
        )
        self.wait_for_tool("typed")
        listed = {one["name"]: one for one in json.loads(self.bus("list", "--json"))}
        self.assertEqual(listed["typed"]["registrationType"], "tool")
        self.assertEqual(listed["typed"]["correlationIdFieldName"], "correlationId")
        self.assertIn("typed.requests -> typed.responses", self.bus("list"))
        self.assertEqual(self.bus("unregister", "typed"), "unregistered typed\n")
        self.wait_for_tool("typed", there=False)
        self.assertIn("nothing is registered as typed", self.bus("unregister", "typed", code=5))

    def test_register_a_resource(self):
        self.register("page", "--mime-type", "text/plain", "--url", "/page/{n}")
        listed = {one["name"]: one for one in json.loads(self.bus("list", "--json"))}
        self.assertEqual(listed["page"]["registrationType"], "resource")
        self.assertEqual(listed["page"]["url"], "page/{n}")
        more = ("--mime-type", "text/plain", "--url", "note/{n}", "--retrieval", "topic")
        self.register("note", *more, "--schema-registry", self.registry.url)
        self.bus("produce", "note.responses", "--key", "note/1", "--value", "from the topic")
        wait_until(
            lambda: self.send("GET", "/rcs/note/1").body == b"from the topic", "its record"
        )

    def test_register_with_schemas(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "schema.json"
            # Some registries detect by its members that this is JSON Schema.
            schema = {"type": "object", "properties": {"x": {}}, "required": ["x"]}
            file.write_text(json.dumps(schema), encoding="utf-8")
            self.register(
                "schemed", "--request-schema", str(file), "--schema-registry", self.registry.url
            )
        self.wait_for_tool("schemed")
        self.assertEqual(self.tools()["schemed"]["inputSchema"]["required"], ["x"])

    def test_what_no_reader_would_take_is_not_written(self):
        done = run(
            "bus", "register", "--name", "n", "--description", "d", "--request-topic", "a b",
            "--response-topic", "c", "--broker", self.brokers,
        )  # fmt: skip
        self.assertEqual(done.returncode, 2)
        self.assertIn("requestTopicName", done.stderr)

    def test_produce_and_consume(self):
        self.bus("produce", "talk", "--key", "k", "--value", '{"a":1}', "--header", "h=x")
        self.bus("produce", "talk", "--key", "k2", stdin="from stdin\n")
        self.bus("produce", "talk", "--key", "k", "--delete")
        lines = self.bus("consume", "talk", "--from-beginning", "--count", "3", "--json")
        records = {(one["key"], one["value"]): one for one in map(json.loads, lines.splitlines())}
        self.assertEqual(set(records), {("k", '{"a":1}'), ("k2", "from stdin"), ("k", None)})
        self.assertEqual(records["k", '{"a":1}']["headers"], {"h": "x"})
        self.assertEqual(records["k", '{"a":1}']["topic"], "talk")
        text = self.bus("consume", "talk", "--from-beginning", "--to-end")
        self.assertIn("k2\tfrom stdin\n", text)

    def test_produce_by_the_schema_of_the_topic(self):
        schema = self.registry.add("framed-value", {"type": "object", "properties": {}})
        more = ("--schema-registry", self.registry.url)
        self.bus("produce", "framed", "--value", "{}", "--typed", *more)
        line = self.bus("consume", "framed", "--from-beginning", "--count", "1", "--json")
        record = json.loads(line)
        self.assertEqual((record["value"], record["value_schema_id"]), ("{}", schema))

    def test_produce_in_avro_where_the_topic_has_it(self):
        schema = self.registry.add("binary-value", '{"type": "map", "values": "int"}', "AVRO")
        more = ("--typed", "--schema-registry", self.registry.url)
        self.bus("produce", "binary", "--value", '{"a": 1}', *more)
        why = self.bus("produce", "binary", "--value", '{"a": "1"}', *more, code=2)
        self.assertIn("/a must be of the type int", why)
        consume = ("consume", "binary", "--from-beginning", "--count", "1", "--json")
        record = json.loads(self.bus(*consume))
        self.assertEqual((record["value"], record["value_schema_id"]), ("\2\2a\2\0", schema))
        record = json.loads(self.bus(*consume, "--schema-registry", self.registry.url))
        self.assertEqual((record["value"], record["value_schema_id"]), ('{"a":1}', schema))

    def test_consume_prints_values_without_schema_unchanged(self):
        schema = self.registry.add("odd-value", '"int"', "AVRO")
        for key, number, avro in (("fine", schema, b"\2"), ("cut", schema, b""), ("nameless", 987654, b"\2")):
            framed = b"\0" + number.to_bytes(4, "big") + avro
            self.peer.produce("odd", key, {"hex": framed.hex()})
        arguments = ("consume", "odd", "--from-beginning", "--to-end", "--broker", self.brokers)
        done = run("bus", *arguments, "--schema-registry", self.registry.url)
        self.assertEqual(set(done.stdout.splitlines()), {"fine\t1", "cut\t", "nameless\t\\u0002"})
        self.assertIn("without schema 987654", done.stderr)

    def test_produce_does_not_write_what_it_cannot(self):
        self.registry.add("proto-value", 'syntax = "proto3"; message A {}', "PROTOBUF")
        more = ("--typed", "--schema-registry", self.registry.url)
        why = self.bus("produce", "proto", "--value", "{}", *more, code=2)
        self.assertIn("PROTOBUF", why)

    def test_impossible_settings_are_reported_at_once(self):
        for arguments in (("produce", "a topic", "--value", "v"), ("consume", "a/b"), ("lag", "g", "a b")):
            self.assertIn("not the name of a topic", self.bus(*arguments, code=2))
        why = self.bus("produce", "untyped", "--value", "{}", "--typed", code=2)
        self.assertIn("--schema-registry", why)

    def test_the_local_gateway_reports_the_address_of_its_bus(self):
        self.bus("produce", "found", "--value", "v", broker=False)
        got = self.bus("consume", "found", "--from-beginning", "--count", "1", broker=False)
        self.assertEqual(got, "(null)\tv\n")

    def test_records_that_do_not_come(self):
        self.bus("produce", "silence", "--value", "before")
        why = self.bus("consume", "silence", "--count", "1", "--timeout", "0.5", code=1)
        self.assertIn("0 of 1 records", why)

    def test_a_broker_that_is_not_there(self):
        done = run("bus", "list", "--broker", "127.0.0.1:1", "--timeout", "1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("patchbay: ", done.stderr)
        done = run("bus", "list", "--broker", "127.0.0.1:1", "-X", "nonsense=1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no property 'nonsense'", done.stderr)

    def test_lag(self):
        for n in range(3):
            self.bus("produce", "lagging", "--key", "k", "--value", str(n))
        lines = json.loads(self.bus("lag", "nobody", "lagging", "--json"))
        self.assertEqual(sum(line["lag"] for line in lines), 3)


class Control(BusCase):
    def control(self, method, path="", body=None, status=200):
        response = self.send(method, f"/control/registrations{path}", body)
        self.assertEqual(response.status, status, response.body)
        return response.json()

    def test_it_comes_changes_and_goes(self):
        registration = {
            "name": "controlled",
            "description": "First",
            "requestTopicName": "controlled.requests",
            "responseTopicName": "controlled.responses",
        }
        written = self.control("POST", body=registration, status=201)
        self.assertEqual(written["registrationType"], "tool")
        self.wait_for_tool("controlled")
        listed = {one["name"]: one for one in self.control("GET")}
        self.assertTrue(listed["controlled"]["offered"])
        self.control("POST", body=registration, status=409)
        self.control("PATCH", "/controlled", {"description": "Second"})
        wait_until(
            lambda: self.tools()["controlled"]["description"] == "Second", "the description"
        )
        self.control("PATCH", "/nobody", {"description": "x"}, status=404)
        self.control("PATCH", "/controlled", {"requestTopicName": "a b"}, status=400)
        gone = self.send("DELETE", "/control/registration/controlled")
        self.assertEqual(gone.status, 200)
        self.wait_for_tool("controlled", there=False)
        wait_until(
            lambda: self.send("GET", "/control/registrations/controlled").status == 404, "its end"
        )
        self.control("DELETE", "/controlled", status=404)

    def test_the_next_reader_finds_what_was_written(self):
        registration = {
            "name": "prompt",
            "description": "d",
            "requestTopicName": "prompt.requests",
            "responseTopicName": "prompt.responses",
        }
        for _ in range(5):
            self.control("POST", body=registration, status=201)
            self.control("POST", body=registration, status=409)
            self.control("PATCH", "/prompt", {"description": "e"})
            self.assertEqual(self.control("GET", "/prompt")["description"], "e")
            self.control("DELETE", "/prompt")
            self.control("GET", "/prompt", status=404)
            self.control("DELETE", "/prompt", status=404)

    def test_what_is_taken_back_is_gone_under_the_key_it_had(self):
        """Else the topic, once it is compacted, would have it again."""
        registered = lambda name: self.send("GET", f"/control/registrations/{name}").status == 200
        for name in ("by-control", "by-command"):
            value = {
                "name": name,
                "description": "d",
                "requestTopicName": "a",
                "responseTopicName": "b",
            }
            self.peer.produce(self.registry_topic, name, value)
            wait_until(lambda: registered(name), "it to be read")
            if name == "by-control":
                self.control("PATCH", f"/{name}", {"description": "e"})
                self.control("DELETE", f"/{name}")
            else:
                self.bus("unregister", name)
            keys = [one["key"] for one in self.peer.consume(self.registry_topic)]
            self.assertEqual([key for key in keys if name in key][-1], name)
            self.assertEqual({key for key in keys if name in key}, {name})
            wait_until(lambda: not registered(name), "it to be gone")

    def test_what_cannot_be_understood_can_be_put_right(self):
        self.peer.produce(self.registry_topic, "mended", {"name": "mended"})
        problem = lambda: self.send("GET", "/control/registrations/mended").json().get("problem")
        wait_until(problem, "the fault to be shown")

        def hidden():
            items = self.send("GET", "/control/v1/catalog/hidden?search=mended").json()["items"]
            return [(one["name"], one["reason"]) for one in items if one["why"]]

        wait_until(lambda: hidden() == [("mended", "left_out")], "the reason why it is hidden")
        registration = {
            "name": "mended",
            "description": "d",
            "requestTopicName": "mended.requests",
            "responseTopicName": "mended.responses",
        }
        self.control("POST", body=registration, status=201)
        self.wait_for_tool("mended")
        wait_until(lambda: not hidden(), "it to be offered")

    def test_how_a_resource_is_read_stays_when_something_else_changes(self):
        registration = {
            "name": "kept",
            "description": "First",
            "requestTopicName": "kept.requests",
            "responseTopicName": "kept.records",
            "mimeType": "text/plain",
            "url": "kept/{n}",
            "retrieval": "topic",
        }
        self.control("POST", body=registration, status=201)
        described = lambda: {one["name"]: one["description"] for one in self.control("GET")}
        wait_until(lambda: "kept" in described(), "it to be listed")
        self.control("PATCH", "/kept", {"description": "Second"})
        wait_until(lambda: described()["kept"] == "Second", "the description")
        self.peer.produce("kept.records", "kept/1", "from the topic")
        wait_until(
            lambda: self.send("GET", "/rcs/kept/1").body == b"from the topic", "its record"
        )

    def test_errors_are_reported(self):
        self.peer.produce(self.registry_topic, "broken", {"name": "broken"})
        wait_until(
            lambda: any(one.get("problem") for one in self.control("GET")), "the fault to be shown"
        )

    def test_bad_requests(self):
        self.control("POST", body={"name": "x"}, status=400)
        self.control("POST", body=[], status=400)
        self.assertEqual(self.send("GET", "/control/registrations?upstream=other").status, 400)


class ControlNeedsARole(KafkaCase):
    settings = {"auth": {"tokens": [{"name": "a", "token": "t" * 32, "roles": ["reader"]}]}}

    @classmethod
    def setUpClass(cls):
        # Reading /health requires authentication here.
        from harness import Gateway, TestCase
        from kafka_case import bus_config

        TestCase.setUpClass()
        cls.gateway = cls.enterClassContext(Gateway(bus_config(**cls.settings)))

    def test_it_is_for_admins(self):
        token = {"Authorization": "Bearer " + "t" * 32}
        self.assertEqual(self.send("GET", "/control/registrations").status, 401)
        self.assertEqual(self.send("GET", "/control/registrations", None, token).status, 403)
        self.assertNotIn("bus", self.gateway.get("/health").json())
        known = self.gateway.get("/health", token).json()
        self.assertIn("bootstrap", known["bus"])


if __name__ == "__main__":
    main()
