"""The live stream of finished calls: filters, who sees what, resumption, and readers that do not read."""

import json
import socket
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from auth_case import bearer
from control_case import ADMIN, ANN, BOB, ControlCase, WithCallers, page
from harness import (
    Background,
    Gateway,
    answer_from,
    fake_config,
    main,
    stateless_call,
    stateless_headers,
    stateless_message,
    wait_until,
)

ANYWAY = 32 << 20  # Bytes by which the gateway may grow while it serves calls, without any reader.
MOST_PER_READER = 256 << 10


class Reader:
    """A client of the stream. It is connected once the first comment has arrived."""

    def __init__(self, gateway, query="", headers=None):
        self.connection = gateway.connect()
        path = "/control/v1/calls/live" + (f"?{query}" if query else "")
        self.connection.send("GET", path, {"Accept": "text/event-stream", **(headers or {})})
        self.head = self.connection.read_head()
        assert self.head.status == 200, self.head
        self.events = self.head.events()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def next_call(self):
        """The next event about a call: the event, and the call."""
        for event in self.events:
            if event.name == "call":
                return event, event.json()
        raise AssertionError("the stream ended")


class Stream(ControlCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.gateway = cls.enterClassContext(Gateway(fake_config(workers=2)))

    def test_calls_come_in_order(self):
        with Reader(self.gateway, "method=tools/call") as reader:
            for i in range(5):
                stateless_call(self.gateway, "fake__echo", text=f"secret {i}")
            found = [reader.next_call()[1] for _ in range(5)]
        times = [call["began"] for call in found]
        self.assertEqual(times, sorted(times))
        self.assertEqual({call["target"] for call in found}, {"fake__echo"})
        self.assertNotIn("secret", json.dumps(found))
        stored = self.calls(self.gateway, "method=tools/call&limit=5")
        self.assertEqual(found, stored[::-1])

    def test_filters(self):
        with Reader(self.gateway, "outcome=!ok") as reader:
            stateless_call(self.gateway, "fake__echo", text="x")
            stateless_call(self.gateway, "fake__fail")
            self.assertEqual(reader.next_call()[1]["target"], "fake__fail")

    def test_wrong_requests(self):
        for query, status in (("color=red", 400), ("slower_than=fast", 400)):
            self.assertEqual(page(self.gateway, "calls/live?" + query).status, status)
        response = page(self.gateway, "calls/live", headers={"Accept": "application/json"})
        self.assertEqual(response.status, 406)
        self.assertEqual(page(self.gateway, "calls/live", method="POST").status, 405)

    def test_a_broken_stream_continues(self):
        query = "method=tools/call"
        with Reader(self.gateway, query) as reader:
            stateless_call(self.gateway, "fake__echo", text="x")
            event, _ = reader.next_call()
            self.assertTrue(event.id)
        stateless_call(self.gateway, "fake__add", a=1, b=2)
        self.wait_calls(self.gateway, "tool=fake.add", 1)
        with Reader(self.gateway, query, {"Last-Event-ID": event.id}) as reader:
            self.assertEqual(reader.next_call()[1]["target"], "fake__add")
            stateless_call(self.gateway, "fake__whoami")
            self.assertEqual(reader.next_call()[1]["target"], "fake__whoami")

    def test_a_broken_stream_continues_beside_others(self):
        """Each call comes once, whatever the readers beside it have had already."""
        query = "method=tools/call"
        with Gateway(fake_config(workers=1)) as gateway, Reader(gateway) as beside:
            with Reader(gateway, query) as reader:
                stateless_call(gateway, "fake__echo", text="first")
                event, _ = reader.next_call()
            beside.next_call()
            count = 20
            for i in range(count):
                # All of it is stored before the reader returns, within one turn of the others.
                stateless_call(gateway, "fake__add", a=1, b=i)
            with Reader(gateway, query, {"Last-Event-ID": event.id}) as reader:
                stateless_call(gateway, "fake__whoami")
                found = [reader.next_call()[1] for _ in range(count + 1)]
        self.assertEqual(len({call["span_id"] for call in found}), count + 1)
        self.assertEqual(found[-1]["target"], "fake__whoami")

    def test_an_unknown_position_is_no_error(self):
        with Reader(self.gateway, "method=tools/call", {"Last-Event-ID": "deadbeef.0.0"}) as reader:
            stateless_call(self.gateway, "fake__cwd")
            self.assertEqual(reader.next_call()[1]["target"], "fake__cwd")

    def test_the_end_of_the_gateway_ends_the_stream(self):
        with Gateway(fake_config()) as gateway, Reader(gateway) as reader:
            ending = Background(gateway.stop)
            self.assertEqual([event for event in reader.events if event.name == "call"], [])
            self.assertEqual(ending.result(), 0)


class WhoSees(WithCallers):
    def test_only_the_own_calls(self):
        with Reader(self.gateway, "", bearer(BOB)) as bob, Reader(self.gateway, "", bearer(ADMIN)) as admin:
            self.call(ANN, text="x")
            self.call(BOB, "other__echo", text="x")
            self.assertEqual(bob.next_call()[1]["caller"], "bob")
            self.assertEqual(admin.next_call()[1]["caller"], "ann")
            self.assertEqual(admin.next_call()[1]["caller"], "bob")


class ManyReaders(WithCallers):
    """Each reader costs the worker a look at every call."""

    settings = {"workers": 1}

    def test_one_caller_has_a_share_of_them(self):
        readers = [self.enterContext(Reader(self.gateway, "", bearer(BOB))) for _ in range(8)]
        refused = page(self.gateway, "calls/live", BOB)
        self.assertEqual(refused.status, 429, refused.body)
        self.assertGreater(int(refused.header("retry-after")), 0)
        self.enterContext(Reader(self.gateway, "", bearer(ANN)))
        self.call(BOB, "other__echo", text="x")
        self.assertEqual(readers[-1].next_call()[1]["caller"], "bob")
        readers.pop().connection.close()
        wait_until(self.is_free, "the share of the one that left")

    def is_free(self):
        with self.gateway.connect() as connection:
            connection.send("GET", "/control/v1/calls/live", bearer(BOB))
            return connection.read_head().status == 200

    def test_a_pattern_is_bounded(self):
        for path in ("calls/live", "calls"):
            refused = page(self.gateway, f"{path}?tool={'*' * 257}", BOB)
            self.assertEqual(refused.status, 400, refused.body)


class SlowReaders(ControlCase):
    """Each reader has a receive buffer of a few kilobytes and reads nothing."""

    readers = 50
    calls_made = 3_000

    def idle_reader(self, gateway):
        reader = socket.socket()
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        reader.connect(("127.0.0.1", gateway.port))
        reader.sendall(b"GET /control/v1/calls/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.addCleanup(reader.close)
        return reader

    def test_they_hold_bounded_memory_and_disturb_no_call(self):
        config = fake_config(workers=2, limits={"max_stream_buffer_size": "64KiB"}, log={"calls": False})
        with Gateway(config) as gateway:
            stateless_call(gateway, "fake__echo", text="x")
            before = gateway.rss()
            for _ in range(self.readers):
                self.idle_reader(gateway)
            wait_until(lambda: gateway.metric("patchbay_connections") >= self.readers, "the readers")
            with gateway.connect() as connection:
                for i in range(self.calls_made):
                    answer = self.post_call(connection, i)
                    self.assertEqual(answer["result"]["content"][0]["text"], str(i))
            with Reader(gateway, "tool=fake.whoami") as attentive:
                stateless_call(gateway, "fake__whoami")
                self.assertEqual(attentive.next_call()[1]["target"], "fake__whoami")
            grown = gateway.rss() - before
            self.assertLess(grown, self.readers * MOST_PER_READER + ANYWAY, f"{grown} bytes")

    def post_call(self, connection, number):
        message = stateless_message("tools/call", {"name": "fake__echo", "arguments": {"text": str(number)}})
        connection.send("POST", "/mcp", stateless_headers(message), message)
        return answer_from(connection.read_head())

    def test_the_setting_that_limits_a_stream_is_named(self):
        config = fake_config(workers=1, limits={"max_live_calls_per_second": 4}, log={"calls": False})
        with Gateway(config) as gateway, gateway.connect() as connection:
            with Reader(gateway, "method=tools/call") as reader:
                # One call is sent per interval. Sooner or later two have finished within one.
                self.post_calls(connection)
                for event in reader.events:
                    if event.name == "dropped":
                        self.assertEqual(event.json()["setting"], "limits.max_live_calls_per_second")
                        self.assertGreater(event.json()["calls"], 0)
                        return
                    self.post_calls(connection)
        self.fail("the stream ended")

    def post_calls(self, connection):
        for number in range(20):
            self.post_call(connection, number)

    def test_a_reader_learns_how_many_it_has_missed(self):
        with Gateway(fake_config(workers=1, telemetry={"max_recent_calls": 5}, log={"calls": False})) as gateway:
            with Reader(gateway, "method=tools/call") as reader, gateway.connect() as connection:
                for i in range(300):
                    self.post_call(connection, i)
                for event in reader.events:
                    if event.name == "dropped":
                        self.assertGreater(event.json()["calls"], 0)
                        return
            self.fail("the stream ended")


main()
