"""Agents on third-party clients from npm: kafkajs and Confluent's. On the embedded bus;
tests/kafka/test_kafka_apache.py repeats it on Apache Kafka."""

import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import Background, main, wait_until
from npm_agent_case import NpmAgentCase
from npm_peers import PEERS, npm_native


class Kafkajs(NpmAgentCase):
    folder = "kafka"
    client = "kafkajs"

    def test_an_agent(self):
        self.start_agent(self.client, self.client, self.brokers, self.registry_topic)
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
            PEERS / self.folder,
            "@confluentinc/kafka-javascript",
            "build/Release/confluent-kafka-javascript.node",
            {"CKJS_LINKING": "dynamic"},  # With the libraries of this machine.
        )


if __name__ == "__main__":
    main()
