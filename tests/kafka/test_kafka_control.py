"""The bus in the control API: topics, replies that no call waited for, and the newest records of a
topic, with Avro as JSON."""

import json
import pathlib
import sys
from urllib.parse import quote

sys.path.insert(1, sys.path[0] + "/../lib")

from auth_case import bearer
from harness import Gateway, TestCase, main, wait_until
from kafka_case import KafkaCase, bus_config

ADMIN, ANN = "an-admin-for-tests-0123456789", "ann-token-for-tests-0123456789"
TOKENS = [{"name": "root", "token": ADMIN, "roles": ["admin"]}, {"name": "ann", "token": ANN}]
DONE = {"type": "record", "name": "Done", "fields": [{"name": "ok", "type": "boolean"}, {"name": "count", "type": "int"}]}
ORDER = {"type": "record", "name": "Order", "fields": [{"name": "id", "type": "string"}]}


class BusControl(KafkaCase):
    settings = {"audit": {"file": "audit.jsonl"}}

    def bus(self):
        (found,) = self.gateway.get("/control/v1/buses").json()["buses"]
        return found

    def read(self, topic, limit=20):
        return self.gateway.get(f"/control/v1/buses/bus/records?topic={quote(topic)}&limit={limit}")

    def records(self, topic, limit=20):
        answer = self.read(topic, limit)
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json()["records"]

    def offer(self, name, **agent):
        ids = {
            part: self.registry.add(f"{name}.{part}s-value", schema, "AVRO")
            for part, schema in (("request", ORDER), ("response", DONE))
        }
        self.peer.agent(name, sends=b"\x01\x06".hex(), schema_id=ids["response"], **agent)
        self.peer.register(name)
        self.wait_for_tool(name)
        return ids

    def test_topics_and_the_newest_records(self):
        ids = self.offer("orders")
        for number in range(5):
            self.assertEqual(self.call("orders", {"id": f"a{number}"}).status, 200)
        topics = {(one["name"], one["role"]) for one in self.bus()["topics"]}
        self.assertLessEqual(
            {("_agent_registry", "registry"), ("orders.requests", "request"), ("orders.responses", "response")}, topics
        )
        found = self.records("orders.requests")
        self.assertEqual(sorted(one["value"]["id"] for one in found), ["a0", "a1", "a2", "a3", "a4"])
        self.assertEqual(found[0]["value_schema"], str(ids["request"]))
        times = [one["timestamp_ms"] for one in found]
        self.assertGreater(times[-1], 0)
        self.assertEqual(times, sorted(times, reverse=True))
        self.assertEqual([one["timestamp_ms"] for one in self.records("orders.requests", 3)], times[:3])
        replies = self.records("orders.responses")
        self.assertEqual([one["value"] for one in replies], [{"ok": True, "count": 3}] * 5)
        # The gateway goes on reading replies.
        self.assertEqual(self.call("orders", {"id": "b"}).json(), {"ok": True, "count": 3})
        audit = pathlib.Path(self.gateway.folder.name, "audit.jsonl")
        wait_until(lambda: '"event":"bus"' in audit.read_text(encoding="utf-8"), "the record")
        events = [json.loads(line) for line in audit.read_text(encoding="utf-8").splitlines()]
        self.assertIn(
            ("read", "orders.requests", "bus"),
            [(one["method"], one["target"], one["upstream"]) for one in events if one.get("event") == "bus"],
        )

    def test_what_is_no_json_and_what_is_deleted(self):
        self.offer("odd")
        topic = "odd.requests"
        self.peer.produce(topic, "k", "plain text", color="red")
        self.peer.produce(topic, "k", None)
        self.peer.produce(topic, "big", "x" * 40_000)
        wait_until(lambda: len(self.records(topic)) == 3, "the records")
        by_key = {}
        for one in self.records(topic):
            by_key.setdefault(one["key"], []).append(one)
        self.assertEqual(len(by_key["big"][0]["value"]), 16 * 1024)
        self.assertEqual(by_key["big"][0]["value_bytes"], 40_000)
        self.assertEqual({str(one["value"]) for one in by_key["k"]}, {"plain text", "None"})
        self.assertIn(["color", "red"], [header for one in by_key["k"] for header in one["headers"]])

    def test_only_topics_of_the_bus_and_within_bounds(self):
        self.peer.produce("elsewhere", "k", "v")
        self.assertEqual(self.read("elsewhere").status, 404)
        self.assertEqual(self.read("_agent_registry", 101).status, 400)
        self.assertEqual(self.read("_agent_registry", 0).status, 400)
        self.assertEqual(self.gateway.get("/control/v1/buses/bus/records").status, 400)
        self.assertEqual(self.gateway.get("/control/v1/buses/none/records?topic=x").status, 404)
        self.assertEqual(self.gateway.get("/control/v1/buses/none/lag").status, 404)
        self.assertEqual(self.gateway.get("/control/v1/buses/bus/lag?topic=x").status, 400)
        self.assertEqual(self.gateway.get("/control/v1/buses/bus").status, 404)

    def test_replies_that_no_call_waited_for(self):
        self.offer("stray")
        before = self.bus()["replies"]
        self.peer.produce("stray.responses", json.dumps({"correlationId": "nobody-asked"}), {"ok": True, "count": 1})
        wait_until(lambda: sum(self.bus()["replies"].values()) > sum(before.values()), "the count")


class Lag(KafkaCase):
    """What consumer groups of agents have not read yet."""

    upstream = {"agent_groups": ["named", "nobody"]}
    lists_groups = False  # The brokers.

    def lag(self):
        answer = self.gateway.get("/control/v1/buses/bus/lag")
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json()

    def lines(self, topic):
        return [line for line in self.lag()["lag"] if line["topic"] == topic]

    def sum_of(self, topic, group):
        """The lag of a group over all partitions; None if it is unknown."""
        found = [line["lag"] for line in self.lines(topic) if line["group"] == group]
        return None if not found or None in found else sum(found)

    def register(self, name, records):
        for number in range(records):
            self.peer.produce(f"{name}.requests", str(number), {"n": number})
        self.peer.register(name)
        self.wait_for_tool(name)

    def test_what_a_group_has_not_read(self):
        self.register("behind", 5)
        topic = "behind.requests"
        wait_until(lambda: self.lines(topic), "the topic")
        for line in self.lines(topic):
            self.assertEqual((line["agent"], line["group"], line["committed"], line["lag"]), ("behind", None, None, None))
        self.assertEqual(sum(line["end"] for line in self.lines(topic)), 5)
        partitions = self.peer.commit(topic, "named")
        wait_until(lambda: self.sum_of(topic, "named") == 0, "the commit")
        self.assertEqual(len([line for line in self.lines(topic) if line["group"] == "named"]), partitions)
        for number in range(3):
            self.peer.produce(topic, str(number), {"n": number})
        wait_until(lambda: self.sum_of(topic, "named") == 3, "the lag")
        self.assertNotIn("nobody", [line["group"] for line in self.lines(topic)])

    def test_whether_the_brokers_list_groups(self):
        self.register("listed", 1)
        topic = "listed.requests"
        self.peer.commit(topic, "unnamed")
        self.peer.commit(topic, "named")
        wait_until(lambda: self.sum_of(topic, "named") == 0, "the named group")
        report = self.lag()
        self.assertEqual(report["groups_listed"], self.lists_groups, report)
        self.assertEqual("detail" in report, not self.lists_groups)
        known = {line["group"] for line in report["lag"] if line["topic"] == topic}
        self.assertEqual(known, {"named", "unnamed"} if self.lists_groups else {"named"})
        self.assertTrue(report["complete"])


class FewPartitions(KafkaCase):
    upstream = {"limits": {"max_lag_partitions": 1}}

    def test_it_says_that_there_are_more(self):
        for name in ("one", "two"):
            self.peer.produce(f"{name}.requests", "k", "v")
            self.peer.register(name)
            self.wait_for_tool(name)
        answer = self.gateway.get("/control/v1/buses/bus/lag").json()
        self.assertEqual(len(answer["lag"]), 1)
        self.assertFalse(answer["complete"])


class Rights(TestCase):
    def test_only_admins(self):
        with Gateway(bus_config(auth={"tokens": TOKENS})) as gateway:
            for path in ("buses", "buses/bus/records?topic=_agent_registry", "buses/bus/lag"):
                answer = gateway.get(f"/control/v1/{path}", bearer(ANN))
                self.assertEqual(answer.status, 403, path)
            self.assertEqual(gateway.get("/control/v1/buses", bearer(ADMIN)).status, 200)


if __name__ == "__main__":
    main()
