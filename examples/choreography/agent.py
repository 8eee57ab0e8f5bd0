"""One agent of three: consumes records from a topic, processes them, and produces to another.

usage: agent.py BROKERS price|tax|ship FROM-TOPIC TO-TOPIC

No agent knows the others. The key, which identifies the order, is preserved.
"""

import json
import sys

from confluent_kafka import Consumer, Producer

PARTS = {
    "price": lambda order: {**order, "net": order["pieces"] * 5},
    "tax": lambda order: {**order, "gross": order["net"] * 1.2},
    "ship": lambda order: {**order, "parcels": -(-order["pieces"] // 3)},
}


def main():
    brokers, part, come, go = sys.argv[1:]
    producer = Producer({"bootstrap.servers": brokers})
    consumer = Consumer(
        {"bootstrap.servers": brokers, "group.id": part, "auto.offset.reset": "earliest"}
    )
    consumer.list_topics(come, 10)  # Creates the topic if it is missing.
    consumer.subscribe([come])
    while True:
        record = consumer.poll(1)
        if record is None or record.error():
            continue
        result = PARTS[part](json.loads(record.value()))
        producer.produce(go, key=record.key(), value=json.dumps(result))
        producer.flush()


main()
