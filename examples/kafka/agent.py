"""An agent in Python: registers itself, then replies to each request with the same key.

usage: agent.py BROKERS
"""

import json
import sys

from confluent_kafka import Consumer, Producer

NAME, REQUESTS, REPLIES = "shout", "shout.requests", "shout.replies"


def main():
    brokers = sys.argv[1]
    producer = Producer({"bootstrap.servers": brokers})
    consumer = Consumer(
        {"bootstrap.servers": brokers, "group.id": NAME, "auto.offset.reset": "earliest"}
    )
    consumer.list_topics(REQUESTS, 10)  # Creates the topic if it is missing.
    consumer.subscribe([REQUESTS])
    registration = {
        "name": NAME,
        "description": "Says it louder",
        "requestTopicName": REQUESTS,
        "responseTopicName": REPLIES,
    }
    key = json.dumps({"name": NAME})
    producer.produce("_agent_registry", key=key, value=json.dumps(registration))
    producer.flush()
    while True:
        request = consumer.poll(1)
        if request is None or request.error():
            continue
        text = json.loads(request.value())["text"]
        producer.produce(REPLIES, key=request.key(), value=json.dumps({"text": text.upper()}))
        producer.flush()


main()
