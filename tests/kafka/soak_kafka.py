"""Apache Kafka with three nodes, and failures: brokers at start and during calls, leaders, agents,
nodes of the gateway. Skipped where Maven Central cannot be reached."""

import math
import os
import random
import re
import sys
import threading
import time
import unittest

sys.path.insert(1, sys.path[0] + "/../lib")
sys.path.insert(2, sys.path[0] + "/../../testing")

import kafka_cluster
import test_kafka_peers
from harness import SCALE, Background, Gateway, main, wait_until
from kafka_case import JSON, KafkaCase, Peer, Registry, bus_config
from test_kafka_serve import Served
from waiting import TIMEOUT

CALLS = int(os.environ.get("PATCHBAY_CHAOS_CALLS", 10_000 * SCALE))
CALLERS = 16
REQUESTS, RESPONSES = "skills__calculate_request", "skills__calculate_response"
READABLE_S = 6


def setUpModule():
    try:
        kafka_cluster.fetch()
    except kafka_cluster.LeftOut as why:
        raise unittest.SkipTest(str(why)) from None


class ChaosCase(KafkaCase):
    nodes = 3

    @classmethod
    def setUpClass(cls):
        # So that records have the time at which they arrived, not at which they were sent.
        settings = "log.message.timestamp.type=LogAppendTime\n"
        cls.cluster = kafka_cluster.Cluster(cls.nodes, registry=False, settings=settings)
        cls.registry_topic = "_agent_registry"
        cls.brokers = cls.cluster.brokers

    @classmethod
    def where(cls):
        return {"kafka": {"bootstrap.servers": cls.cluster.brokers}, "client_id": "tests"}


class DownAtStart(ChaosCase):
    nodes = 1

    def test_the_bus_comes_later_goes_and_comes_back(self):
        config = bus_config(
            {**self.where(), "lookup_time": "2s", "response_timeout_ms": 5000},
            limits={"start_timeout": "500ms"},
        )
        self.gateway = self.enterContext(Gateway(config))
        self.assertTrue(self.gateway.degraded())
        self.enterContext(self.cluster)
        self.gateway.wait_ready()
        with Peer(self.brokers) as peer:
            peer.agent("work")
            peer.register("work")
            self.wait_for_tool("work")
            self.assertEqual(self.call("work", {"n": 1}).json()["echo"], {"n": 1})
            # The only broker dies while a call is in progress.
            call = Background(self.call, "work", {"do": "slow", "seconds": 2})
            wait_until(
                lambda: self.gateway.metric("patchbay_upstream_calls_in_flight", upstream="bus"),
                "the call to be under way",
            )
            self.cluster.nodes[0].kill()
            self.assertIn(call.result().status, (503, 504))
            wait_until(lambda: not self.gateway.ready(), "the gateway to notice")
            self.assertEqual(self.call("work", {"n": 2}).status, 503)
            self.cluster.nodes[0].start()
            wait_until(
                lambda: self.call("work", {"n": 3}).status == 200, "calls to work", 3 * TIMEOUT
            )


class Random(ChaosCase):
    """Calls while brokers and agents are killed and started again: each is answered with its own
    answer, once, or fails clearly."""

    def test_each_call_is_answered_once_or_fails_clearly(self):
        self.enterContext(self.cluster)
        config = bus_config(
            {**self.where(), "response_timeout_ms": 10000, "retry_interval": "200ms"},
            limits={"call_timeout": "15s", "max_calls": 1000},
        )
        self.gateway = self.enterContext(Gateway(config))
        self.registry = Registry("")
        upstreams = {"skills": {"kind": "builtin"}}
        agents = [self.start_agent(upstreams) for _ in range(2)]
        self.wait_for_tool("skills__calculate")
        warm = lambda: self.call("skills__calculate", {"expression": "1+1"}).status == 200
        wait_until(warm, "the first answer", 2 * TIMEOUT)
        done, stop = [], threading.Event()
        numbers = iter(range(CALLS))
        lock = threading.Lock()

        def caller():
            with self.gateway.connect(timeout=60) as connection:
                while True:
                    with lock:
                        n = next(numbers, None)
                    if n is None:
                        return
                    body = {"expression": f"{n}+1"}
                    response = connection.request("POST", "/api/skills__calculate", JSON, body)
                    done.append((n, response.status, response.json(), time.time()))

        callers = [Background(caller) for _ in range(CALLERS)]
        killer = Background(self.kill_at_random, agents, upstreams, stop)
        for one in callers:
            one.result(timeout=600)
        stop.set()
        killer.result(timeout=120)
        self.assertEqual(len(done), CALLS)
        statuses = {}
        for n, status, answer, _ in done:
            statuses[status] = statuses.get(status, 0) + 1
            if status == 200:
                self.assertEqual(answer["content"][0]["text"], str(n + 1))
            else:
                self.assertIn(status, (502, 503, 504, 422), answer)
                self.assertTrue(answer["message"])
        print(f"chaos: {CALLS} calls, by status: {statuses}", file=sys.stderr)
        self.look_for_lost_replies(done)
        self.assertGreater(statuses.get(200, 0), CALLS * 0.1)
        # Afterwards everything works.
        wait_until(warm, "calls to work again", 3 * TIMEOUT)

    def look_for_lost_replies(self, done):
        """For each call that timed out: when its answer was on the bus, if ever."""
        ended = {}
        for _, status, answer, end in done:
            found = re.search("correlation id ([0-9a-f-]{36})", answer.get("message", ""))
            if status == 504 and found:
                ended[found[1]] = end
        with Peer(self.brokers) as peer:
            asked = {one["headers"]["correlationId"] for one in peer.consume(REQUESTS)}
            answered = {}
            for one in peer.consume(RESPONSES):
                name = one["headers"]["correlationId"]
                answered[name] = min(one["timestamp"] / 1000, answered.get(name, math.inf))
        never = [name for name in ended if name not in answered]
        late = [name for name in ended if name not in never and answered[name] >= ended[name]]
        early = {
            name: round(ended[name] - answered[name], 1)
            for name in ended
            if name not in never and name not in late
        }
        print(
            f"chaos: of {len(ended)} that were given up, {len(never)} have no answer on the bus"
            f" ({len([name for name in never if name not in asked])} not even the request),"
            f" {len(late)} have one that came later, {len(early)} one that came before:"
            f" so many seconds {sorted(early.values())}",
            file=sys.stderr,
        )
        # What is on the bus can be read once the replicas have it, or those without have been left
        # out, and readers have found the leader.
        self.assertEqual({name: s for name, s in early.items() if s > READABLE_S}, {})

    def start_agent(self, upstreams):
        agent = Served(self, upstreams, "--group", "chaos", "--at-once", "64")
        agent.command = [
            word for word in agent.command if word not in ("--schema-registry", self.registry.url)
        ]
        self.enterContext(agent)
        return agent

    def kill_at_random(self, agents, upstreams, stop):
        chance = random.Random(7)
        while not stop.wait(chance.uniform(0.5, 2)):
            if chance.random() < 0.4:
                node = chance.choice(self.cluster.nodes)
                node.kill()
                stop.wait(chance.uniform(0.5, 1.5))
                node.start()
                kafka_cluster.wait_for(
                    lambda port=node.port: kafka_cluster.listens(port), "a broker to be back"
                )
                # Its replicas catch up before the next one dies.
                time.sleep(3)
            else:
                index = chance.randrange(len(agents))
                agents[index].process.kill()
                agents[index].process.wait()
                agents[index] = self.start_agent(upstreams)


class Confluent(test_kafka_peers.Confluent):
    """Here rather than in every run of the tests because it may have to be compiled first."""


if __name__ == "__main__":
    main()
