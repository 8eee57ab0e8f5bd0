"""Several gateways with one store act as one: a session can be used on each of them, whichever has it."""

import json
import signal
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from auth_case import OTHER, TOKEN, TOKENS, bearer
from cluster_case import ClusterCase, OnRedis
from harness import (
    SESSION_VERSIONS,
    McpSession,
    fake,
    main,
    result_of,
    stateless_request,
    text_of,
    wait_until,
)

ADMIN = "a" * 32
PING = {"jsonrpc": "2.0", "id": 99, "method": "ping"}
OWN = {"fake": fake(isolation="per-session")}


class SessionCase(ClusterCase):
    def session(self, gateway, version="2025-11-25", **options):
        return self.enterContext(McpSession(gateway, version, **options))

    def status(self, session):
        response = session.post(PING)
        response.read()
        return response.status

    def assert_works_on(self, session, nodes):
        for number, node in enumerate(nodes):
            with self.subTest(version=session.version, node=number):
                self.move(node, session)
                self.assertEqual(text_of(session.call("echo", text="hello")), "hello")


class Sessions(SessionCase):
    def test_a_session_of_each_revision_can_be_used_on_each_node(self):
        nodes = self.start_nodes(3)
        for version in SESSION_VERSIONS:
            self.assert_works_on(self.session(nodes[0], version), nodes)
        # They are where they began, and nowhere else.
        counts = [node.metric("patchbay_sessions") for node in nodes]
        self.assertEqual(counts, [len(SESSION_VERSIONS), 0, 0])

    def test_a_program_of_a_session_runs_on_one_node(self):
        nodes = self.start_nodes(3, self.config(OWN))
        session = self.session(nodes[0])
        pids = set()
        for node in nodes:
            self.move(node, session)
            pids.add(text_of(session.call("whoami")))
        self.assertEqual(len(pids), 1)

    def test_large_arguments_and_results_are_passed_on(self):
        nodes = self.start_nodes(2)
        session = self.session(nodes[0])
        self.move(nodes[1], session)
        for size in (1, 65_536, 65_537, 3_000_000):
            text = "x" * size
            self.assertEqual(text_of(session.call("echo", text=text)), text)

    def test_progress_and_the_answer_come_as_a_stream(self):
        nodes = self.start_nodes(2)
        session = self.session(nodes[0])
        self.move(nodes[1], session)
        answer = session.call("progress", steps=3, _meta={"progressToken": "p"})
        self.assertEqual(text_of(answer), "done")
        progress = [one["params"]["progress"] for one in session.others]
        self.assertEqual(progress, [1, 2, 3])

    def test_a_session_that_was_deleted_on_one_node_has_ended_on_all(self):
        nodes = self.start_nodes(3)
        session = self.session(nodes[0])
        self.move(nodes[1], session)
        self.assertLess(session.delete().status, 300)
        for node in nodes:
            self.move(node, session)
            self.assertEqual(self.status(session), 404)

    def test_nobody_else_can_use_a_session(self):
        self.admin = bearer(ADMIN)
        admin = {"name": "boss", "token": ADMIN, "roles": ["admin"]}
        config = self.config(auth={"tokens": [*TOKENS["tokens"], admin]})
        nodes = self.start_nodes(2, config)
        session = self.session(nodes[0], headers=bearer(TOKEN))
        self.move(nodes[1], session)
        self.assertEqual(self.status(session), 200)
        session.more_headers = bearer(OTHER)
        for node in nodes:
            self.move(node, session)
            self.assertEqual(self.status(session), 404)


class Joining(SessionCase):
    """The list of members of the first node is read again long after the second one has joined."""

    def setUp(self):
        super().setUp()
        config = self.config({"fake": fake(isolation="shared")}, cluster={"lease_timeout": "60s"})
        self.nodes = [self.start(config) for _ in range(2)]

    def test_a_session_of_a_new_node_stays_there(self):
        session = self.session(self.nodes[1])
        self.assert_works_on(session, self.nodes)
        self.assertEqual([node.metric("patchbay_sessions") for node in self.nodes], [0, 1])

    def test_a_call_that_a_new_node_has_parked_goes_on(self):
        meta = {"io.modelcontextprotocol/clientCapabilities": {"roots": {}}}
        roots = {"roots": [{"uri": "file:///here"}]}
        params = {"name": "ask_client", "arguments": {}}
        asked = result_of(stateless_request(self.nodes[1], "tools/call", params, 0, meta))
        again = {**params, "inputResponses": dict.fromkeys(asked["inputRequests"], roots)}
        again["requestState"] = asked["requestState"]
        done = stateless_request(self.nodes[0], "tools/call", again, 1, meta)
        self.assertEqual(json.loads(text_of(done)), {"result": roots})


class Failures(SessionCase):
    def test_sessions_of_a_node_that_was_killed_go_on_elsewhere(self):
        nodes = self.start_nodes(3)
        sessions = [self.session(nodes[0]) for _ in range(6)]
        nodes[0].kill()
        for number, session in enumerate(sessions):
            # No request fails: the ones that come before the others notice it wait.
            self.move(nodes[1 + number % 2], session)
            self.assertEqual(text_of(session.call("echo", text="on")), "on")
        for session in sessions:
            self.assert_works_on(session, nodes[1:])
        self.assertEqual(self.count_sessions(nodes[1:]), len(sessions))

    def test_a_session_with_a_program_of_its_own_begins_anew(self):
        nodes = self.start_nodes(2, self.config(OWN))
        session = self.session(nodes[0])
        session.call("whoami")
        nodes[0].kill()
        self.move(nodes[1], session)
        self.assertEqual(self.status(session), 404)

    def test_a_call_in_progress_on_a_node_that_dies_is_answered_once(self):
        nodes = self.start_nodes(2)
        session = self.session(nodes[0])
        self.move(nodes[1], session)
        waiting = session.call_later("until", file=str(self.folder / "never"))
        wait_until(lambda: nodes[0].metric("patchbay_calls_in_flight") == 1, "the call to run")
        nodes[0].kill()
        answer = waiting.result()
        self.assertEqual(answer["error"]["data"], {"reason": "node_lost"})
        self.assertIn("may have run", answer["error"]["message"])
        self.assertEqual(text_of(session.call("echo", text="next")), "next")

    def test_a_node_that_was_stopped_for_long_gives_its_sessions_up(self):
        nodes = self.start_nodes(2)
        session = self.session(nodes[0])
        nodes[0].process.send_signal(signal.SIGSTOP)
        try:
            self.move(nodes[1], session)
            # A call that had reached the node would not be repeated.
            self.assertEqual(result_of(session.request("ping")), {})
            self.assertEqual(text_of(session.call("echo", text="moved")), "moved")
        finally:
            nodes[0].process.send_signal(signal.SIGCONT)
        self.await_members(nodes)
        self.assert_works_on(session, nodes)
        wait_until(lambda: self.count_sessions(nodes) == 1, "one node to have the session")

    def count_sessions(self, nodes):
        return sum(node.metric("patchbay_sessions") for node in nodes)

    def test_a_node_that_stops_in_order_hands_its_sessions_over(self):
        nodes = self.start_nodes(3)
        sessions = [self.session(nodes[0]) for _ in range(4)]
        nodes[0].stop()
        self.await_members(nodes[1:])
        for session in sessions:
            self.assert_works_on(session, nodes[1:])

    def test_a_node_with_other_keys_is_refused(self):
        nodes = self.start_nodes(1)
        stranger = self.start(self.config(cluster={"keys": ["other " * 8]}))
        session = self.session(nodes[0])
        self.move(stranger, session)
        self.assertEqual(self.status(session), 404)


class SessionsOnRedis(OnRedis, Sessions):
    pass


class FailuresOnRedis(OnRedis, Failures):
    def test_nodes_go_on_while_the_store_does_not_answer(self):
        nodes = self.start_nodes(2)
        session = self.session(nodes[0])
        self.server.pause()
        wait_until(lambda: nodes[0].metric("patchbay_store_connected") == 0, "the store to be missed")
        self.assert_works_on(session, nodes)
        other = self.session(nodes[1])
        self.assert_works_on(other, nodes)
        self.server.resume()
        wait_until(lambda: nodes[0].metric("patchbay_store_connected") == 1, "the store to be back")
        self.await_members(nodes)
        self.assert_works_on(self.session(nodes[0]), nodes)


if __name__ == "__main__":
    main()
