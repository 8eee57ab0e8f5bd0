"""The total memory limit (limits.memory): calls are refused before the callers together exceed it."""

import os
import select
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    Gateway,
    TestCase,
    answer_from,
    fake_config,
    main,
    stateless_call,
    stateless_headers,
    stateless_message,
    wait_until,
)
from wire_case import WireCase
from wire_client import DATA, ERROR, frame
from ws_client import TEXT, WsClient
from ws_client import frame as ws_frame

MEGABYTE = 1 << 20
MOST = 64 * MEGABYTE
SLACK = 64 * MEGABYTE  # What the process has beside: code, stacks, memory that is free again.
LARGE = 10 * MEGABYTE
MANY = 12


def send_what_is_taken(socket, data):
    """Sends until the gateway has refused: then it reads no further."""
    try:
        socket.sendall(data)
    except OSError:
        pass


def needs_counting(case, gateway):
    counted = gateway.metric("patchbay_memory_allocated_bytes")
    if counted == 0 and os.environ.get("PATCHBAY_TEST_SANITIZED"):
        case.skipTest("the thread sanitizer allocates by itself")
    case.assertGreater(counted, 0)
    return gateway


def wait_readable(clients):
    """The answered ones, once the others fit into the limit."""

    def answered():
        sockets = [client.socket for client in clients]
        return select.select(sockets, [], [], 0)[0]

    wait_until(lambda: len(answered()) >= MANY - MOST // LARGE, "those beyond the bound to be answered")
    ready = answered()
    return [client for client in clients if client.socket in ready]


class MemoryCase(TestCase):
    def start(self, most=MOST):
        return needs_counting(self, self.enterContext(Gateway(fake_config(limits={"max_memory": most}))))

    def assert_bounded(self, gateway, most=MOST):
        self.assertLess(gateway.metric("patchbay_memory_allocated_bytes"), most + 2 * LARGE)
        self.assertEqual(gateway.metric("patchbay_memory_limit_bytes"), most)
        self.assertLess(gateway.rss(), most + SLACK)

    def assert_recovers(self, gateway):
        def works():
            return "error" not in stateless_call(gateway, "fake__echo", text="x")

        wait_until(works, "calls to be taken again")


class Bodies(MemoryCase):
    def test_bodies_that_never_end(self):
        gateway = self.start()
        fields = "Content-Type: application/json\r\nAccept: */*\r\n"
        head = f"POST /mcp HTTP/1.1\r\nHost: localhost\r\n{fields}Content-Length: {LARGE}\r\n\r\n"
        connections = [self.enterContext(gateway.connect()) for _ in range(MANY)]
        for connection in connections:
            connection.send_raw(head.encode())
            send_what_is_taken(connection.socket, b" " * (LARGE - 1))
        notified = wait_readable(connections)
        self.assert_bounded(gateway)
        for connection in notified:
            answer = connection.read_head()
            answer.read()
            self.assertEqual(answer.status, 503)
            error = answer.json()["error"]
            self.assertEqual((answer.json()["jsonrpc"], error["code"]), ("2.0", -32003))
            self.assertIn("limits.max_memory", error["message"])
            self.assertEqual(answer.header("retry-after"), "1")
        for connection in connections:
            connection.close()
        self.assert_recovers(gateway)


class Answers(MemoryCase):
    def test_answers_that_nobody_reads(self):
        most = 2 * MOST  # An answer is copied when it is sent.
        gateway = self.start(most)
        message = stateless_message("tools/call", {"name": "fake__big", "arguments": {"bytes": LARGE}})
        waiting = []
        for _ in range(2 * MANY):
            connection = self.enterContext(gateway.connect())
            connection.send("POST", "/mcp", stateless_headers(message), message)
            waiting.append(connection)
        wait_until(lambda: gateway.metric("patchbay_calls_in_flight") == 0, "all to be answered")
        self.assert_bounded(gateway, most)
        answers = [answer_from(connection.read_head()) for connection in waiting]
        shed = [answer for answer in answers if "error" in answer]
        self.assertTrue(shed)
        self.assertLess(len(shed), len(answers))
        for answer in shed:
            self.assert_error(answer, -32003, "overloaded")
            self.assertIn("limits.max_memory", answer["error"]["message"])
        self.assert_recovers(gateway)


class OtherFrontends(WireCase):
    def test_frames_of_the_wire(self):
        gateway = needs_counting(self, self.start({"limits": {"max_memory": MOST}}, {"first_message_timeout": "60s"}))
        clients = [self.client(gateway) for _ in range(MANY)]
        for client in clients:
            send_what_is_taken(client.socket, frame(DATA, b" " * LARGE)[:-1])
        for client in wait_readable(clients):
            error = client.read(ERROR)["error"]
            self.assertEqual(error["code"], "SERVICE_UNAVAILABLE")
            self.assertIn("limits.max_memory", error["message"])
        self.assertLess(gateway.rss(), MOST + SLACK)

    def test_messages_of_websockets(self):
        gateway = needs_counting(self, self.start({"limits": {"max_memory": MOST}}))
        clients = [self.enterContext(WsClient(gateway.port)) for _ in range(MANY)]
        for client in clients:
            send_what_is_taken(client.socket, ws_frame(TEXT, b" " * LARGE)[:-1])
        for client in wait_readable(clients):
            closing = client.socket.recv(1000)
            self.assertEqual(closing[2:4], (1013).to_bytes(2, "big"))
            self.assertIn(b"limits.max_memory", closing)
        self.assertLess(gateway.rss(), MOST + SLACK)


main()
