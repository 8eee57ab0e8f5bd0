"""Agents on other people's clients: kafkajs and Confluent's own, from npm. On the embedded bus;
tests/test_kafka_real.py has the same on Apache Kafka."""

import shutil
import subprocess

from harness import Background, main, wait_until
from kafka_case import KafkaCase
from npm_peers import PEERS, LeftOut, npm_ci, npm_native
from waiting import PATIENCE, Lines


class Kafkajs(KafkaCase):
    upstream = {"response_timeout_ms": 20000}
    client = "kafkajs"

    def setUp(self):
        if not shutil.which("node"):
            self.skipTest("node is not installed")
        try:
            self.install()
        except LeftOut as why:
            self.skipTest(str(why))

    def install(self):
        npm_ci(PEERS / "kafka")

    def test_an_agent(self):
        # Neither of them likes a topic that is only about to be there.
        for topic in (f"{self.client}.requests", f"{self.client}.responses"):
            self.peer.consume(topic)
        agent = subprocess.Popen(
            ["node", "agent.mjs", self.client, self.brokers, self.registry_topic],
            cwd=PEERS / "kafka",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.addCleanup(agent.wait)
        self.addCleanup(agent.kill)
        Lines(agent.stdout).wait_for(lambda line: line == "ready", timeout=2 * PATIENCE)
        self.wait_for_tool(self.client)
        wait_until(
            lambda: self.call(self.client, {"a": 1, "b": 2}).status == 200, "the first answer"
        )
        calls = [Background(self.call, self.client, {"a": n, "b": n}) for n in range(20)]
        for n, call in enumerate(calls):
            self.assertEqual(call.result().json(), {"sum": 2 * n})


class Confluent(Kafkajs):
    client = "confluent"

    def install(self):
        super().install()
        npm_native(
            PEERS / "kafka",
            "@confluentinc/kafka-javascript",
            "build/Release/confluent-kafka-javascript.node",
            {"CKJS_LINKING": "dynamic"},  # With the libraries of this machine.
        )


if __name__ == "__main__":
    main()
