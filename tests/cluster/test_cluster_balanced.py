"""Clients of every kind behind a load balancer without stickiness: HAProxy sends each request to the
next of three gateways."""

import json
import sys
import unittest

sys.path.insert(1, sys.path[0] + "/../lib")

import haproxy
from cluster_case import ClusterCase, OnRedis
from conformance import SETS, Suite, fixture
from harness import McpSession, fake, main, result_of, text_of, wait_until
from matrix_clients import REVISIONS, client_of
from npm_peers import LeftOut
from wire_client import call, rpc
from ws_client import WsClient

JSON = {"Content-Type": "application/json"}
HANDSHAKE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "tests", "version": "1"},
}


@unittest.skipUnless(haproxy.PROGRAM, "there is no haproxy")
class BalancedCase(OnRedis, ClusterCase):
    def balanced(self, upstreams):
        self.nodes = self.start_nodes(3, self.config(upstreams))
        return self.enterContext(haproxy.HaProxy(self.folder, self.nodes))

    def passed_on(self):
        """How many requests each node has passed on to another one."""
        name = "patchbay_cluster_forwarded_total"
        return [node.metric(name, outcome="answered") for node in self.nodes]


class Clients(BalancedCase):
    def setUp(self):
        super().setUp()
        self.proxy = self.balanced({"fake": fake(isolation="shared")})

    def test_clients_of_all_revisions_call_and_are_asked(self):
        for revision in REVISIONS:
            with self.subTest(revision), client_of(self.proxy, revision) as client:
                for number in range(6):
                    text = f"{number} of six"
                    self.assertEqual(text_of(client.call("echo", text=text)), text)
                names = {tool["name"] for tool in client.list("tools")}
                self.assertLessEqual({"echo", "ask_client"}, names)
                roots = json.loads(text_of(client.call("ask_client")))["result"]["roots"]
                self.assertEqual(roots, [{"uri": "file:///home"}])
                self.assertEqual(client.asked, ["roots/list"])
                self.assertEqual(client.wrong, [])
        # Of the requests of a session, two thirds came to another node than its own.
        self.assertGreater(sum(self.passed_on()), 20)

    def test_progress_reaches_clients_of_all_revisions(self):
        for revision in REVISIONS:
            with self.subTest(revision), client_of(self.proxy, revision) as client:
                for token in ("first", "second", "third"):
                    client.notified.clear()
                    done = client.call("progress", token=token, steps=3)
                    self.assertEqual(text_of(done), "done")
                    steps = [one["params"]["progress"] for one in client.notified
                             if one["method"] == "notifications/progress"]
                    self.assertEqual(steps, [1, 2, 3])

    def test_a_session_on_each_node_is_used_through_all(self):
        sessions = [self.enterContext(McpSession(self.proxy)) for _ in range(3)]
        self.assertEqual([node.metric("patchbay_sessions") for node in self.nodes], [1, 1, 1])
        for session in sessions:
            for size in (1, 70_000, 500_000):
                self.assertEqual(text_of(session.call("echo", text="x" * size)), "x" * size)
            self.assertLess(session.delete().status, 300)
        ended = lambda: sum(node.metric("patchbay_sessions") for node in self.nodes) == 0
        wait_until(ended, "the sessions to end")

    def test_a_web_socket_stays_on_its_node(self):
        for _ in self.nodes:
            with WsClient(self.proxy.port) as client:
                client.send(rpc("initialize", HANDSHAKE, 0))
                self.assertEqual(result_of(client.answer(0))["protocolVersion"], "2025-11-25")
                client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
                for number in range(1, 7):
                    client.send(call("echo", {"text": f"{number} of six"}, number))
                    self.assertEqual(text_of(client.answer(number)), f"{number} of six")
        # HAProxy spread the connections, and nothing was passed on.
        self.assertEqual(self.passed_on(), [0, 0, 0])

    def test_rest_calls_and_their_questions(self):
        form = {"message": "who?", "requestedSchema": {"type": "object", "properties": {}}}
        arguments = {"method": "elicitation/create", "params": form}
        for _ in range(6):
            with self.proxy.connect() as connection:
                asked = connection.request("POST", "/api/ask_client", JSON, arguments)
                self.assertEqual(asked.status, 202, asked.body)
                (key,) = asked.json()["questions"]
                reply = {key: {"action": "accept", "content": {"name": "Ada"}}}
                done = connection.request("POST", asked.json()["answer_at"], JSON, reply)
                self.assertEqual(done.status, 200, done.body)
        self.assertGreater(sum(self.passed_on()), 0)

    def test_clients_go_on_when_a_node_is_killed(self):
        sessions = [self.enterContext(McpSession(self.proxy)) for _ in range(6)]
        self.nodes[0].kill()
        for session in sessions:
            session.connection.close()
            session.connection = self.proxy.connect()
            self.assertEqual(text_of(session.call("echo", text="on")), "on")


class Conformance(BalancedCase):
    """The official suite. The gateways share one server over HTTP: a task of a program that each runs
    itself would be known to one of them."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        try:
            cls.suite = Suite()
        except LeftOut as reason:
            print(f"the conformance suite was left out: {reason}", flush=True)
            raise unittest.SkipTest(str(reason)) from None

    def run_set(self, name, revisions):
        server = self.enterContext(fixture("--revisions", revisions))
        proxy = self.balanced({"server": server.upstream()})
        outcomes = self.suite.run_server_suite(proxy.url, SETS[name])
        passed = sorted(scenario for scenario, outcome in outcomes.items() if outcome.passed)
        print(f"{name} behind HAProxy: {len(passed)} of {len(outcomes)} passed", flush=True)
        for scenario, outcome in outcomes.items():
            with self.subTest(scenario=scenario):
                self.assertTrue(outcome.passed, outcome.complaints())

    def test_sessions(self):
        self.run_set("2025-11-25", "2024-11-05,2025-03-26,2025-06-18,2025-11-25")

    def test_stateless(self):
        self.run_set("2026-07-28", "2026-07-28")


if __name__ == "__main__":
    main()
