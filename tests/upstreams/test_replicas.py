"""Several endpoints for one server, and connections that belong to one client."""

import collections
import json
import sys
import threading

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    Gateway,
    McpSession,
    TestCase,
    alive,
    fake,
    main,
    stateless_call,
    text_of,
    wait_until,
)
from stub_server import StubServer
from waiting import Background


class ReplicaCase(TestCase):
    def replicas(self, count=2, workers=1, **settings):
        """Stubs a, b, … and a gateway that has them as one upstream."""
        stubs = [self.enterContext(StubServer(name)) for name in "abcdef"[:count]]
        entry = stubs[0].upstream(replicas=[stub.url for stub in stubs[1:]], **settings)
        config = {"workers": workers, "upstreams": {"far": entry}}
        return stubs, self.enterContext(Gateway(config))

    def names(self, gateway, count):
        return collections.Counter(
            text_of(stateless_call(gateway, "far__whoami")) for _ in range(count)
        )


class Replicas(ReplicaCase):
    def test_equals_take_turns_and_tools_are_listed_once(self):
        _, gateway = self.replicas(3)
        self.assertEqual(self.names(gateway, 9), {"a": 3, "b": 3, "c": 3})
        with McpSession(gateway) as session:
            self.assertEqual(session.tool_names(), ["far__whoami", "far__count"])

    def test_replicas_alone_will_do(self):
        stub = self.enterContext(StubServer("only"))
        entry = {"kind": "http", "replicas": [stub.url]}
        gateway = self.enterContext(Gateway({"upstreams": {"far": entry}}))
        self.assertEqual(text_of(stateless_call(gateway, "far__whoami")), "only")

    def test_the_one_with_the_fewest_calls_is_chosen(self):
        (first, _), gateway = self.replicas()
        release = threading.Event()
        self.addCleanup(release.set)
        first.on["tools/call"] = lambda exchange: (release.wait(30), exchange.text("held"))

        def call_at_first():
            call = Background(stateless_call, gateway, "far__whoami")
            wait_until(lambda: first.saw("tools/call") or not call.running())
            return call if first.saw("tools/call") else None

        held = wait_until(call_at_first, "a call at the first")
        self.assertEqual(self.names(gateway, 5), {"b": 5})
        release.set()
        self.assertEqual(text_of(held.result()), "held")

    def test_one_that_is_down_is_passed_over_and_used_again(self):
        (first, second), gateway = self.replicas()
        first.stop()
        self.assertEqual(self.names(gateway, 6), {"b": 6})
        self.assertTrue(gateway.ready())
        first.start()
        wait_until(lambda: self.names(gateway, 2)["a"], "the first to be used again")
        second.stop()
        self.assertEqual(self.names(gateway, 6), {"a": 6})

    def test_one_that_was_never_there(self):
        dead = StubServer("dead")
        with dead:
            pass  # Its port is free again.
        stub = self.enterContext(StubServer("b"))
        entry = stub.upstream(url=dead.url, replicas=[stub.url])
        gateway = self.enterContext(Gateway({"workers": 2, "upstreams": {"far": entry}}))
        self.assertEqual(self.names(gateway, 6), {"b": 6})

    def test_no_call_is_lost_that_was_not_sent(self):
        """One of three dies under load: only calls that were in progress on it may fail."""
        stubs, gateway = self.replicas(3, workers=2)
        got, failed, lock = collections.Counter(), [], threading.Lock()

        def serve(exchange):
            with lock:
                got[exchange.arguments["tag"]] += 1
            exchange.text(exchange.stub.name)

        for stub in stubs:
            stub.on["tools/call"] = serve

        def client(number):
            for turn in range(40):
                tag = f"{number}.{turn}"
                answer = stateless_call(gateway, "far__whoami", tag=tag)
                if "error" in answer:
                    failed.append((tag, answer["error"]["data"]["reason"]))

        clients = [Background(client, number) for number in range(8)]
        wait_until(lambda: sum(got.values()) > 60, "traffic")
        stubs[0].stop()
        for one in clients:
            one.result()
        self.assertEqual(set(got.values()), {1}, "a call was made twice")
        self.assertLessEqual({reason for _, reason in failed}, {"upstream_failed"})
        self.assertLessEqual(len(failed), 2 * len(clients))
        every = {f"{number}.{turn}" for number in range(8) for turn in range(40)}
        self.assertEqual({tag for tag, _ in failed} | got.keys(), every)


    def test_a_call_that_was_sent_is_not_made_again(self):
        """Its answer breaks off and cannot be resumed: the other is not asked."""
        stubs, gateway = self.replicas()

        def die(exchange):
            exchange.begin_events()
            exchange.event("", id="e1", retry=1)
            exchange.stub.stop()

        for stub in stubs:
            stub.on["tools/call"] = die
        self.assert_error(stateless_call(gateway, "far__whoami"), -32000, "upstream_failed")
        self.assertEqual(sum(len(stub.saw("tools/call")) for stub in stubs), 1)


class Isolation(ReplicaCase):
    """The stub counts calls by session: its counts reveal which callers share a session."""

    def one(self, **settings):
        stub = self.enterContext(StubServer())
        config = {"workers": 2, "upstreams": {"far": stub.upstream(**settings)}}
        return stub, self.enterContext(Gateway(config))

    def session(self, gateway):
        return self.enterContext(McpSession(gateway))

    def counts(self, session, times=2):
        return [text_of(session.call("far__count")) for _ in range(times)]

    def test_each_session_has_a_connection_of_its_own(self):
        _, gateway = self.one(isolation="per-session")
        first, second = self.session(gateway), self.session(gateway)
        for session in (first, second):
            self.assertEqual(self.counts(session), ["1", "2"])
        self.assertEqual(self.counts(first), ["3", "4"])
        # Clients without sessions share theirs by principal.
        self.assertEqual(
            [text_of(stateless_call(gateway, "far__count")) for _ in range(2)], ["1", "2"]
        )

    def test_shared_and_per_principal_without_principals(self):
        """All callers on a loopback listener are the same principal."""
        for settings in ({"isolation": "shared"}, {}):
            with self.subTest(settings):
                stub, gateway = self.one(**settings)
                for session in (self.session(gateway), self.session(gateway)):
                    self.counts(session, 4)
                self.assertEqual(sum(stub.counts.values()), 8)
                # One for each worker, however many clients there are.
                self.assertLessEqual(len(stub.counts), 2)

    def test_idle_ones_are_ended(self):
        stub, gateway = self.one(isolation="per-session", isolated_idle_timeout="200ms")
        session = self.session(gateway)
        self.assertEqual(self.counts(session), ["1", "2"])
        mine = next(iter(stub.counts))
        wait_until(lambda: mine not in stub.sessions, "the idle session to be ended")
        self.assertEqual(self.counts(session), ["1", "2"])

    def test_there_is_a_bound(self):
        stub, gateway = self.one(isolation="per-session", max_isolated_connections=1, isolated_idle_timeout="200ms")
        first, second = self.session(gateway), self.session(gateway)
        release = threading.Event()
        self.addCleanup(release.set)
        stub.on["tools/call"] = lambda exchange: (release.wait(30), exchange.text("late"))
        held = first.call_later("far__count")
        wait_until(lambda: stub.saw("tools/call"), "the call that keeps the connection")
        self.assert_error(second.call("far__count"), -32003, "overloaded")
        release.set()
        self.assertEqual(text_of(held.result()), "late")
        wait_until(lambda: "result" in second.call("far__count"), "the idle one to make room")

    def test_programs_too(self):
        upstreams = {"fake": fake(isolation="per-session", isolated_idle_timeout="300ms")}
        with Gateway({"upstreams": upstreams}) as gateway:
            pids = set()
            for _ in range(2):
                session = self.session(gateway)
                mine = {json.loads(text_of(session.call("fake__whoami")))["pid"] for _ in range(3)}
                self.assertEqual(len(mine), 1)
                pids |= mine
            self.assertEqual(len(pids), 2)
            wait_until(lambda: not any(alive(pid) for pid in pids), "the idle programs to end")
            self.assertEqual(len(gateway.children()), 1)  # The one that lists the tools.


if __name__ == "__main__":
    main()
