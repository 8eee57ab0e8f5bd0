"""The tests of the bus repeated on Apache Kafka with a third-party Schema Registry, and those that
the embedded bus does not support: TLS and SASL. Skipped, with the reason, where Maven Central
cannot be reached."""

import sys
import tempfile
import unittest

sys.path.insert(1, sys.path[0] + "/../lib")
sys.path.insert(2, sys.path[0] + "/../../testing")

import kafka_cluster
import kafka_secured
import test_kafka
import test_kafka_avro
import test_kafka_bus
import test_kafka_control
import test_kafka_peers
import test_kafka_replies
import test_kafka_schemas
import test_kafka_serve
from harness import main
from kafka_case import KafkaCase


def setUpModule():
    keys = kafka_secured.Keys(unittest.enterModuleContext(tempfile.TemporaryDirectory()))
    try:
        cluster = kafka_cluster.Cluster(tls={"keystore": keys.keystore, "truststore": keys.ca})
    except kafka_cluster.LeftOut as why:
        raise unittest.SkipTest(str(why)) from None
    KafkaCase.cluster = unittest.enterModuleContext(cluster)
    Secured.keys = keys


class Agents(test_kafka.Agents):
    pass


class RegistryTopic(KafkaCase):
    def test_it_was_made_compacted(self):
        self.assertEqual(
            self.peer.ask("setting", topic=self.registry_topic, name="cleanup.policy")["value"],
            "compact",
        )


class Impatient(test_kafka.Impatient):
    pass


class Replies(test_kafka_replies.Replies):
    pass


class Late(test_kafka_replies.Late):
    pass


class Registrations(test_kafka.Registrations):
    pass


class Schemas(test_kafka_schemas.Schemas):
    pass


class Strict(test_kafka_schemas.Strict):
    pass


class Avro(test_kafka_avro.Avro):
    pass


class AvroTopics(test_kafka_avro.AvroTopics):
    pass


class AvroPeer(test_kafka_avro.AvroPeer):
    pass


class Resources(test_kafka.Resources):
    pass


class TopicRetrieval(test_kafka.TopicRetrieval):
    pass


class Topics(test_kafka.Topics):
    pass


class Commands(test_kafka_bus.Commands):
    def test_looking_for_a_topic_makes_none(self):
        consume, lag = ("consume", "absent"), ("lag", "nobody", "absent")
        for args in (consume, lag, consume):
            self.assertIn("the bus has no topic absent", self.bus(*args, code=5))

    def test_the_local_gateway_reports_the_address_of_its_bus(self):
        self.skipTest("the bus is not the gateway's")


class Control(test_kafka_bus.Control):
    pass


class Lag(test_kafka_control.Lag):
    lists_groups = True


class Tools(test_kafka_serve.Tools):
    pass


class Environment(test_kafka_serve.Environment):
    pass


class Failures(test_kafka_serve.Failures):
    pass


class Rebalance(test_kafka_serve.Rebalance):
    pass


class Kafkajs(test_kafka_peers.Kafkajs):
    pass


class Confluent(test_kafka_peers.Confluent):
    pass


class Secured(kafka_secured.Secured):
    pass


if __name__ == "__main__":
    main()
