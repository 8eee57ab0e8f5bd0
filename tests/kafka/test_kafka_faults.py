"""Failures around a bus, on the embedded one: the Schema Registry, full queues, nodes that die."""

import contextlib
import json
import signal
import socket
import sys
import tempfile
import threading

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import TIMEOUT, Background, Gateway, TestCase, main, run, wait_until
from kafka_case import JSON, KafkaCase, Peer, bus_config
from raw_service import AnyPath, RawService
from waiting import stand_still

NOT_FOUND = (
    404,
    "application/vnd.schemaregistry.v1+json",
    json.dumps({"error_code": 40401, "message": "Subject not found."}).encode(),
)


class BadRegistry(KafkaCase):
    """A registry that the test controls."""

    def setUp(self):
        self.answer = NOT_FOUND
        self.awake = threading.Event()
        self.addCleanup(self.awake.set)
        self.service = self.enterContext(RawService())
        self.service.on = AnyPath(self.respond)
        registry = {"url": self.service.url, "connect_time": "1s"}
        config = bus_config({"schema_registry": registry, "lookup_time": "1s", "refresh": "200ms"})
        self.other = self.enterContext(Gateway(config))
        bus = self.other.get("/health").json()["bus"]
        self.their_peer = self.enterContext(Peer(bus["bootstrap"]))

    def respond(self, _request):
        if self.answer is None:
            self.awake.wait(TIMEOUT)
        return self.answer or NOT_FOUND

    def reports(self, message):
        wait_until(lambda: message in self.other.get("/ready").body.decode(), f"{message} to be shown")

    def listed(self):
        return "bus__agent" in [
            tool["name"].replace(".", "__")
            for tool in self.other.get("/mcp/v1/tools?server=bus").json()["tools"]
        ]

    def refuses(self, answer, message):
        self.answer = answer
        self.their_peer.register("agent")
        self.reports(message)
        self.assertFalse(self.listed())
        # Once it answers, the agent is offered.
        self.answer = NOT_FOUND
        self.awake.set()
        wait_until(self.listed, "the agent to be listed")
        # And stays, whatever becomes of the registry.
        self.awake.clear()
        self.answer = answer
        self.reports(message)
        self.assertTrue(self.listed())

    def test_unauthorized(self):
        self.refuses((401, "application/json", b'{"message":"who are you?"}'), "who are you?")

    def test_broken(self):
        self.refuses((500, "text/plain", b"oops"), "HTTP 500")

    def test_not_json(self):
        self.refuses((200, "text/html", b"<html>"), "not JSON")

    def test_slow(self):
        self.refuses(None, "the schema registry")

    def test_unreachable(self):
        """Its port is closed: known agents keep working, new ones wait for it."""
        self.their_peer.agent("agent")
        self.their_peer.register("agent")
        wait_until(self.listed, "the agent to be listed")
        self.service.close()
        self.their_peer.register("late")
        self.reports("late: subject late.requests-key: the schema registry")
        self.assertTrue(self.listed())
        with self.other.connect() as connection:
            answer = connection.request("POST", "/api/agent", JSON, {"n": 1})
        self.assertEqual(answer.json()["echo"], {"n": 1})


class MissingSchemas(KafkaCase):
    upstream = {"schemas": "required"}

    def test_what_has_no_schema_is_not_offered(self):
        self.peer.register("bare")
        wait_until(
            lambda: "there is no schema of bare.requests-value"
            in self.gateway.get("/ready").body.decode(),
            "the reason to be shown",
        )
        self.assertNotIn("bare", self.tools())
        self.registry.add("bare.requests-value", {"type": "object"})
        self.registry.add("bare.responses-value", {"type": "object"})
        self.wait_for_tool("bare")


class NoBroker(KafkaCase):
    """The port of the bus is closed."""

    @classmethod
    def setUpClass(cls):
        nowhere = {"kafka": {"bootstrap.servers": "127.0.0.1:1"}, "client_id": "tests"}
        timeout = {"lookup_time": "500ms", "response_timeout_ms": 500}
        topics = {"topics": {"notes": {"read": False}}}
        config = bus_config({**nowhere, **timeout, **topics}, limits={"start_timeout": "1s"})
        cls.gateway = cls.enterClassContext(Gateway(config))

    def test_it_starts_and_reports_it(self):
        self.assertTrue(self.gateway.degraded())
        wait_until(
            lambda: "cannot query the bus" in self.gateway.get("/ready").body.decode(), "the reason"
        )
        response = self.call("notes", {"value": 1})
        self.assertIn(response.status, (404, 503))


class LateBroker(KafkaCase):
    """The port of the bus is closed at first, and opened later."""

    def test_it_starts_without_and_comes_up_with_it(self):
        bus = self.gateway.get("/health").json()["bus"]
        listener = self.enterContext(socket.socket())
        listener.bind(("127.0.0.1", 0))  # Taken, and closed to everybody.
        upstream = {
            "kafka": {"bootstrap.servers": f"127.0.0.1:{listener.getsockname()[1]}"},
            "schema_registry": {"url": bus["schema_registry"]},
            "client_id": "tests",
            "lookup_timeout": "500ms",
        }
        self.peer.agent("early")
        self.peer.register("early")
        with Gateway(bus_config(upstream, limits={"start_timeout": "500ms"})) as late:

            def call():
                with late.connect() as connection:
                    return connection.request("POST", "/api/early", JSON, {"n": 1})

            self.assertTrue(late.degraded())
            self.assertIn(call().status, (404, 503))
            listener.listen()
            threading.Thread(target=self.pass_on, args=(listener, bus["bootstrap"]), daemon=True).start()
            late.wait_ready()
            wait_until(lambda: call().status == 200, "the agent to answer")

    @staticmethod
    def pass_on(listener, bootstrap):
        """Forwards connections to the broker, which advertises its address."""
        host, port = bootstrap.split(":")

        def copy(source, target):
            with contextlib.suppress(OSError), source:
                while data := source.recv(65536):
                    target.sendall(data)
                target.shutdown(socket.SHUT_WR)

        with contextlib.suppress(OSError):
            while True:
                client, _ = listener.accept()
                broker = socket.create_connection((host, int(port)))
                for ends in ((client, broker), (broker, client)):
                    threading.Thread(target=copy, args=ends, daemon=True).start()


class BusDies(KafkaCase):
    """The only broker dies while a call is in progress, and another replaces it."""

    def on_the_bus_of(self, other, **more):
        bus = other.get("/health").json()["bus"]
        return {
            "kafka": {"bootstrap.servers": bus["bootstrap"]},
            "schema_registry": {"url": bus["schema_registry"]},
            "client_id": "tests",
            "lookup_timeout": "1s",
            **more,
        }

    def test_calls_fail_clearly(self):
        bus = self.enterContext(Gateway(bus_config()))
        bootstrap = bus.get("/health").json()["bus"]["bootstrap"]
        upstream = self.on_the_bus_of(bus, response_timeout_ms=3000)
        node = self.enterContext(Gateway(bus_config(upstream)))

        def call(body):
            with node.connect() as connection:
                return connection.request("POST", "/api/work", JSON, body)

        with Peer(bootstrap) as peer:
            peer.agent("work")
            peer.register("work")
            names = lambda: node.get("/mcp/v1/tools?server=bus").body.decode()
            wait_until(lambda: "bus.work" in names(), "the agent to be listed")
            self.assertEqual(call({"n": 1}).status, 200)
            in_progress = Background(call, {"do": "silent"})
            wait_until(
                lambda: node.metric("patchbay_upstream_calls_in_flight", upstream="bus") == 1,
                "the call to be under way",
            )
            bus.kill()
            response = in_progress.result()
            self.assertIn(response.status, (503, 504))
            self.assertTrue(response.json()["message"])
            wait_until(lambda: not node.ready(), "it to be noticed")
            refused = call({"n": 2})
            self.assertEqual(refused.status, 503)
            self.assertIn("no broker", refused.json()["message"])


class FullQueue(KafkaCase):
    """The producer may hold three records, and the broker is stopped in its tracks."""

    def test_too_much_waits(self):
        bus = self.gateway.get("/health").json()["bus"]
        upstream = {
            "kafka": {
                "bootstrap.servers": bus["bootstrap"],
                "queue.buffering.max.messages": "3",
            },
            "schema_registry": {"url": bus["schema_registry"]},
            "client_id": "tests",
            "response_timeout_ms": 3000,
        }
        self.peer.register("silent")
        with Gateway(bus_config(upstream)) as other:

            def call(body):
                with other.connect() as connection:
                    return connection.request("POST", "/api/silent", JSON, body).status

            names = lambda: other.get("/mcp/v1/tools?server=bus").body.decode()
            wait_until(lambda: "bus.silent" in names(), "the agent to be listed")
            stand_still(self.gateway.process.pid)
            try:
                calls = [Background(call, {"do": "silent", "n": n}) for n in range(12)]
                found = sorted(one.result() for one in calls)
            finally:
                self.gateway.process.send_signal(signal.SIGCONT)
        # Three wait until their time is up; there is no room for the others.
        self.assertEqual(found, [503] * 9 + [504] * 3)


class TwoNodes(KafkaCase):
    def test_a_node_that_dies_takes_only_its_own_calls_along(self):
        self.peer.agent("work")
        self.peer.register("work")
        self.wait_for_tool("work")
        bus = self.gateway.get("/health").json()["bus"]
        upstream = {
            "kafka": {"bootstrap.servers": bus["bootstrap"]},
            "schema_registry": {"url": bus["schema_registry"]},
            "client_id": "other",
        }
        with Gateway(bus_config(upstream)) as other:

            def call(body):
                with other.connect() as connection:
                    return connection.request("POST", "/api/work", JSON, body)

            names = lambda: other.get("/mcp/v1/tools?server=bus").body.decode()
            wait_until(lambda: "bus.work" in names(), "the agent to be listed there too")
            # Each gets its own answers, although both read all replies.
            for n in range(20):
                self.assertEqual(self.call("work", {"a": n}).json()["echo"], {"a": n})
                self.assertEqual(call({"b": n}).json()["echo"], {"b": n})
            theirs = Background(call, {"do": "silent"})
            ours = Background(self.call, "work", {"do": "slow", "seconds": 1})
            wait_until(
                lambda: other.metric("patchbay_upstream_calls_in_flight", upstream="bus") == 1,
                "the call to be under way",
            )
            other.kill()
            with self.assertRaises(Exception):
                theirs.result()
            self.assertEqual(ours.result().json(), {"slow": True})
        self.assertGreater(self.dropped("foreign"), 0)


class MissingVariables(TestCase):
    def test_all_of_them_are_named_at_once(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("serve", "--listen", "127.0.0.1:0", env={"BROKER_URL": "b:1"}, cwd=folder)
        self.assertEqual(done.returncode, 3)
        for name in ("JAAS_USERNAME", "JAAS_PASSWORD", "SR_URL", "SR_API_KEY", "SR_API_SECRET"):
            self.assertIn(name, done.stderr)


if __name__ == "__main__":
    main()
