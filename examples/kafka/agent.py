"""An agent in Python: registers itself, then replies to each request with the same key.

usage: agent.py BROKERS
"""

import json
import sys

from confluent_kafka import Consumer, Producer

NAME, REQUESTS, REPLIES = "shout", "shout.requests", "shout.replies"


def reply_to(value):
    """The reply to a request. A bad one is answered too: the agent must survive it."""
    try:
        return {"text": json.loads(value)["text"].upper()}
    except (TypeError, ValueError, KeyError, AttributeError):
        return {"status": "FAILED", "message": 'a request is {"text": "…"}'}


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
        reply = json.dumps(reply_to(request.value()), ensure_ascii=False)
        producer.produce(REPLIES, key=request.key(), value=reply)
        producer.flush()


main()
