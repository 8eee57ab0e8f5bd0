"""Apache Kafka with three brokers, of which the leader dies. Skipped where Maven Central cannot be
reached."""

import sys
import unittest

sys.path.insert(1, sys.path[0] + "/../lib")
sys.path.insert(2, sys.path[0] + "/../../testing")

import kafka_cluster
from harness import Background, main, wait_until
from kafka_case import KafkaCase
from waiting import TIMEOUT


class ThreeNodes(KafkaCase):
    """The leader of three brokers dies. Calls continue, at most with a delay."""

    upstream = {"response_timeout_ms": 30000}
    settings = {"limits": {"call_timeout": "40s"}}

    @classmethod
    def setUpClass(cls):
        try:
            cluster = kafka_cluster.Cluster(3, registry=False)
        except kafka_cluster.LeftOut as why:
            raise unittest.SkipTest(str(why)) from None
        cls.cluster = cls.enterClassContext(cluster)
        super().setUpClass()

    @classmethod
    def where(cls):
        settings = super().where()
        del settings["schema_registry"]
        return settings

    def test_calls_go_on_when_a_broker_dies(self):
        self.peer.agent("work")
        self.peer.register("work")
        self.wait_for_tool("work")
        self.assertEqual(self.call("work", {"n": 0}).status, 200)
        leader = self.peer.ask("leader", topic="work.responses")["leader"]
        dying = self.cluster.nodes[leader - 1]
        in_progress = [Background(self.call, "work", {"n": n}) for n in range(20)]
        dying.kill()
        after = [Background(self.call, "work", {"n": n}) for n in range(20, 40)]
        for n, call in enumerate(in_progress + after):
            response = call.result(2 * TIMEOUT)
            self.assertEqual(response.status, 200, response.body)
            self.assertEqual(response.json()["echo"], {"n": n})
        others = {1, 2, 3} - {leader}
        wait_until(
            lambda: self.peer.ask("leader", topic="work.responses")["leader"] in others,
            "another broker to lead",
        )
        self.assertEqual(self.call("work", {"n": 40}).status, 200)


if __name__ == "__main__":
    main()
