#!/usr/bin/python3
"""A peer on the bus for tests, written against confluent_kafka (Debian: python3-confluent-kafka).

usage: kafka_peer.py BROKERS

Reads one JSON command a line from stdin and answers each with one line on stdout:
  {"op": "produce", "topic": …, "key": …, "value": …, "headers": {…}}   texts, or {"hex": …}; null
                    "partition": N                                       else by the key
  {"op": "partitions", "topic": …}                                       how many it has
  {"op": "consume", "topic": …}                                          all that is there
  {"op": "leader", "topic": …}                                           of its first partition
  {"op": "commit", "topic": …, "group": …}                               as a group that has read all
  {"op": "setting", "topic": …, "name": …}                               how a topic is set up
  {"op": "agent", "request": TOPIC, "response": TOPIC, "schema_id": N, "value_header": HEX, "sends": HEX}
                                                                         answers requests until the end
What an agent does depends on the value of the request (its `payload`, if it has one): see ACTIONS;
unless it `sends` the same bytes to everything. One that `ends_with_id` has no key and puts the id, as
Avro writes a string, at their end.
"""

import json
import sys
import threading
import time

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka import OFFSET_BEGINNING
from confluent_kafka.admin import AdminClient, ConfigResource

NO_DELAY = {"socket.nagle.disable": True}
FAST = {
    "fetch.wait.max.ms": 5,
    "fetch.error.backoff.ms": 5,
    "allow.auto.create.topics": True,
    **NO_DELAY,
}
COMPLETED = "COMPLETED"


def partitions_of(client, topic):
    """All partitions of a topic, from their beginnings; it is made if it is not there."""
    while True:
        found = client.list_topics(topic, 10).topics[topic].partitions
        if found:
            return [TopicPartition(topic, number, OFFSET_BEGINNING) for number in found]
        time.sleep(0.05)


def unframed(data):
    """The framing in front of a value, and the value."""
    return (data[:5], data[5:]) if data[:1] == b"\0" else (b"", data)


def as_bytes(value):
    if value is None:
        return None
    if isinstance(value, dict) and set(value) == {"hex"}:
        return bytes.fromhex(value["hex"])
    return (value if isinstance(value, str) else json.dumps(value)).encode()


def as_text(data):
    if data is None:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"hex": data.hex()}


class Agent(threading.Thread):
    """Answers requests; the key of the reply is that of the request, byte for byte."""

    def __init__(self, brokers, settings):
        super().__init__(daemon=True)
        self.settings = settings
        self.consumer = Consumer(
            {
                "bootstrap.servers": brokers,
                "group.id": "agents",
                "enable.auto.commit": False,
                **FAST,
            }
        )
        self.producer = Producer({"bootstrap.servers": brokers, "linger.ms": 0, **NO_DELAY})
        self.seen = []
        # A record for a topic that librdkafka does not know yet waits a second.
        partitions_of(self.producer, settings["response"])
        # All partitions, in no group: the embedded bus takes seconds to make one.
        self.consumer.assign(partitions_of(self.consumer, settings["request"]))

    def run(self):
        while True:
            record = self.consumer.poll(0.05)
            self.producer.poll(0)
            if record is not None and not record.error():
                self.answer(record)

    def reply(self, record, value, key=None, headers=None):
        mark = self.settings.get("schema_id")
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        if mark is not None:
            data = b"\0" + int(mark).to_bytes(4, "big") + data
        if "value_header" in self.settings:
            named = bytes.fromhex(self.settings["value_header"])
            headers = [*(headers or []), ("__value_schema_id", named)]
        self.producer.produce(
            self.settings["response"],
            key=record.key() if key is None else key or None,
            value=data,
            headers=headers,
        )
        self.producer.flush(10)

    def answer(self, record):
        if "sends" in self.settings:
            outcome = bytes.fromhex(self.settings["sends"])
            if not self.settings.get("ends_with_id"):
                return self.reply(record, outcome)
            name = dict(record.headers())["correlationId"]
            return self.reply(record, outcome + bytes([2 * len(name)]) + name, key=b"")
        _, value = unframed(record.value() or b"null")
        asked = json.loads(value)
        self.seen.append(asked)
        enveloped = isinstance(asked, dict) and "payload" in asked
        payload = asked["payload"] if enveloped else asked
        action = choose(payload)
        return action(self, record, asked, payload, enveloped)

    def finish(self, record, asked, result, enveloped, status=COMPLETED, **more):
        if not enveloped:
            return self.reply(record, result)
        index = asked.get("requestIndex", 0)
        envelope = {"requestIndex": index, "status": status, "payload": result, **more}
        return self.reply(record, envelope)


def echo(agent, record, asked, payload, enveloped):
    result = {"echo": payload, "headers": [name for name, _ in record.headers() or []]}
    agent.finish(record, asked, result, enveloped)


def silent(*_):
    pass


def twice(agent, record, asked, payload, enveloped):
    agent.finish(record, asked, {"n": 1}, enveloped)
    agent.finish(record, asked, {"n": 2}, enveloped)


def slow(agent, record, asked, payload, enveloped):
    time.sleep(payload.get("seconds", 1))
    agent.finish(record, asked, {"slow": True}, enveloped)


def foreign(agent, record, asked, payload, enveloped):
    agent.reply(record, {"wrong": True}, key=b'{"correlationId":"somebody-else"}')
    agent.finish(record, asked, {"right": True}, enveloped)


def by_header(agent, record, asked, payload, enveloped):
    """A reply without a key: the id is in the header alone."""
    ident = dict(record.headers())["correlationId"]
    agent.reply(record, {"by": "header"}, key=b"", headers=[("correlationId", ident)])


def by_text(agent, record, asked, payload, enveloped):
    """The key is the bare id, in upper case."""
    ident = dict(record.headers())["correlationId"]
    agent.reply(record, {"by": "text"}, key=ident.decode().upper().encode())


def rubbish(agent, record, asked, payload, enveloped):
    agent.reply(record, b"{not json")


def violate_schema(agent, record, asked, payload, enveloped):
    agent.finish(record, asked, {"echo": 7}, enveloped)


def fail(agent, record, asked, payload, enveloped):
    agent.reply(record, {"requestIndex": 0, "status": "FAILED", "message": "no such order"})


def stream(agent, record, asked, payload, enveloped):
    for step in (1, 2):
        agent.reply(record, {"requestIndex": 0, "status": "RUNNING", "message": f"step {step}"})
    agent.reply(record, {"requestIndex": 0, "status": COMPLETED, "payload": {"steps": 2}})


def ask(agent, record, asked, payload, enveloped):
    agent.reply(record, {"requestIndex": 0, "status": "INPUT_REQUIRED", "message": "Which size?"})


def sized(agent, record, asked, payload, enveloped):
    agent.finish(record, asked, {"size": payload["input"]}, True)


def resource(agent, record, asked, payload, enveloped):
    uri = payload["uri"]
    if uri.endswith("picture"):
        agent.reply(record, {"type": "blob", "uri": uri, "mimeType": "image/png", "blob": "AAEC"})
    elif uri.endswith("empty"):
        agent.reply(record, {"type": "text", "uri": uri, "mimeType": "text/plain", "text": None})
    elif uri.endswith("other"):
        agent.reply(record, {"type": "text", "uri": "x", "mimeType": "text/plain", "text": ""})
    else:
        agent.reply(record, {"uri": uri, "mimeType": "text/markdown", "text": f"# {uri}"})


ACTIONS = {
    "echo": echo,
    "silent": silent,
    "twice": twice,
    "slow": slow,
    "foreign": foreign,
    "by_header": by_header,
    "by_text": by_text,
    "rubbish": rubbish,
    "violate_schema": violate_schema,
    "fail": fail,
    "stream": stream,
    "ask": ask,
}


def choose(payload):
    """What to do about a request."""
    if not isinstance(payload, dict):
        return echo
    if "uri" in payload:
        return resource
    if "input" in payload:
        return sized
    return ACTIONS[payload.get("do", "echo")]


NO_LEADER = (KafkaError.NOT_LEADER_FOR_PARTITION, KafkaError.LEADER_NOT_AVAILABLE)


def ends_of(consumer, partitions):
    """(first, end) of each; a topic that has just been made has no leader for a moment."""
    deadline = time.monotonic() + 20
    while True:
        try:
            return [consumer.get_watermark_offsets(partition, 10) for partition in partitions]
        except KafkaException as fault:
            if fault.args[0].code() not in NO_LEADER or time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def consume(brokers, command):
    """Everything from the beginning to the end that the topic has now."""
    topic = command["topic"]
    consumer = Consumer(
        {"bootstrap.servers": brokers, "group.id": "peer", "enable.auto.commit": False, **FAST}
    )
    partitions = partitions_of(consumer, topic)
    ends = ends_of(consumer, partitions)
    wanted = sum(end - first for first, end in ends)
    consumer.assign(partitions)
    records = []
    deadline = time.monotonic() + 20
    while len(records) < wanted and time.monotonic() < deadline:
        record = consumer.poll(0.05)
        if record is not None and not record.error():
            headers = {name: as_text(value) for name, value in record.headers() or []}
            records.append(
                {
                    "key": as_text(record.key()),
                    "value": as_text(record.value()),
                    "headers": headers,
                    "timestamp": record.timestamp()[1],
                }
            )
    consumer.close()
    return records


class Peer:
    def __init__(self, brokers):
        self.brokers = brokers
        self.producer = Producer({"bootstrap.servers": brokers, "linger.ms": 0, **NO_DELAY})
        self.agents = []
        self.topics = set()  # That the producer knows.

    def produce(self, command):
        if command["topic"] not in self.topics:
            partitions_of(self.producer, command["topic"])
            self.topics.add(command["topic"])
        headers = {name: as_bytes(value) for name, value in command.get("headers", {}).items()}
        failures = []
        self.producer.produce(
            command["topic"],
            key=as_bytes(command.get("key")),
            value=as_bytes(command.get("value")),
            partition=command.get("partition", -1),
            headers=list(headers.items()),
            on_delivery=lambda error, _: failures.append(str(error)) if error else None,
        )
        if self.producer.flush(20) or failures:
            return {"error": failures or "not delivered"}
        return {"ok": True}

    def consume(self, command):
        return {"records": consume(self.brokers, command)}

    def partitions(self, command):
        return {"partitions": len(partitions_of(self.producer, command["topic"]))}

    def commit(self, command):
        consumer = Consumer({"bootstrap.servers": self.brokers, "group.id": command["group"], **FAST})
        partitions = partitions_of(consumer, command["topic"])
        ends = ends_of(consumer, partitions)
        offsets = [TopicPartition(one.topic, one.partition, end) for one, (_, end) in zip(partitions, ends)]
        consumer.commit(offsets=offsets, asynchronous=False)
        consumer.close()
        return {"partitions": len(offsets)}

    def leader(self, command):
        topic = command["topic"]
        return {"leader": self.producer.list_topics(topic, 10).topics[topic].partitions[0].leader}

    def setting(self, command):
        of = ConfigResource(ConfigResource.Type.TOPIC, command["topic"])
        admin = AdminClient({"bootstrap.servers": self.brokers})
        return {"value": admin.describe_configs([of])[of].result(20)[command["name"]].value}

    def agent(self, command):
        agent = Agent(self.brokers, command)
        agent.start()
        self.agents.append(agent)
        return {"ok": True}

    def seen(self, command):
        return {"seen": self.agents[command.get("agent", 0)].seen}


def main():
    peer = Peer(sys.argv[1])
    for line in sys.stdin:
        command = json.loads(line)
        try:
            answer = getattr(peer, command["op"])(command)
        except Exception as error:  # The test is informed, and continues.
            answer = {"error": repr(error)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
