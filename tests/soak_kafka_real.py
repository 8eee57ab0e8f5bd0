"""The tests of the bus once more, on Apache Kafka (one node) and a Schema Registry that is not ours.
Where Maven Central cannot be reached they are left out, with a word why."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "testing"))

import kafka_cluster
import test_kafka
import test_kafka_bus
import test_kafka_serve
from harness import main
from kafka_case import KafkaCase


def setUpModule():
    try:
        KafkaCase.cluster = unittest.enterModuleContext(kafka_cluster.Cluster())
    except kafka_cluster.LeftOut as why:
        raise unittest.SkipTest(str(why)) from None


class Agents(test_kafka.Agents):
    pass


class Impatient(test_kafka.Impatient):
    pass


class Registrations(test_kafka.Registrations):
    pass


class Schemas(test_kafka.Schemas):
    pass


class Resources(test_kafka.Resources):
    pass


class TopicRetrieval(test_kafka.TopicRetrieval):
    pass


class Topics(test_kafka.Topics):
    pass


class Control(test_kafka_bus.Control):
    pass


class Tools(test_kafka_serve.Tools):
    pass


class Failures(test_kafka_serve.Failures):
    pass


if __name__ == "__main__":
    main()
