"""HTTP limits, each with a small value: sizes, times and the number of connections."""

import json
import os
import resource
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    SCALE,
    ConnectionEnded,
    Gateway,
    McpSession,
    TestCase,
    fake_config,
    main,
    stateless_message,
    text_of,
    wait_until,
)
from strict_case import PING, StrictCase, head


class Limits(StrictCase):
    LIMITS = {
        "max_body_size": "64KiB",
        "max_request_line_size": "1KiB",
        "max_headers_size": "4KiB",
        "max_header_fields": 20,
    }

    def test_request_line(self):
        ok = self.send(b"GET /health?" + b"x" * 500 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.assertEqual(ok.read_response().status, 200)
        self.assert_refused(
            b"GET /health?" + b"x" * 2000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", (400, 414, 431)
        )
        self.assert_refused(b"GET /" + b"x" * 100_000, (400, 414, 431))

    def test_headers(self):
        self.assert_refused(head("X-Long: " + "y" * 5000), (400, 431))
        self.assert_refused(head("X-Endless: ")[:-4] + b"y" * 100_000, (400, 431))
        self.assert_refused(head(*(f"X-{i}: 1" for i in range(30))), (400, 431))
        self.assert_alive()

    def test_one_header(self):
        with Gateway(fake_config()) as gateway, gateway.connect() as connection:
            fits = {"Authorization": "Bearer " + "y" * (16 << 10)}
            self.assertEqual(connection.request("GET", "/health", fits).status, 200)
            refused = connection.request("GET", "/health", {"X": "y" * (17 << 10)})
            self.assertEqual(refused.status, 431)
            self.assertIn(b"limits.max_header_line_size", refused.body)
        config = fake_config(limits={"max_header_line_size": "1KiB"})
        with Gateway(config) as gateway, gateway.connect() as connection:
            self.assertEqual(connection.request("GET", "/health", {"X": "y" * 1000}).status, 200)
            self.assertEqual(connection.request("GET", "/health", {"X": "y" * 1100}).status, 431)

    def test_body(self):
        def body(size):
            text = json.dumps(stateless_message("tools/list", {"pad": ""}))
            return text.replace('"pad": ""', '"pad": "%s"' % ("p" * (size - len(text)))).encode()

        limit = 64 * 1024
        exact, more = body(limit), body(limit + 1)
        self.assertEqual((len(exact), len(more)), (limit, limit + 1))
        ok = self.send(head(f"Content-Length: {limit}") + exact).read_response()
        self.assertEqual(ok.status, 200, ok.body)
        self.assert_refused(head(f"Content-Length: {limit + 1}") + more, (413,))
        # Refused by its announced length, before a byte has arrived.
        self.assert_refused(head("Content-Length: 4294967296"), (413,))
        chunks = b"".join(b"1000\r\n" + b" " * 4096 + b"\r\n" for _ in range(64))
        self.assert_refused(head("Transfer-Encoding: chunked") + chunks, (413,))
        self.assert_refused(head("Transfer-Encoding: chunked") + b"ffffff\r\n", (413,))
        self.assert_alive()

    def test_memory_stays_flat_under_oversized_bodies(self):
        before = self.gateway.rss()
        for _ in range(50):
            self.send(head("Transfer-Encoding: chunked") + b"800000\r\n" + b" " * 200_000).close()
        self.assert_alive()
        self.assertLess(self.gateway.rss() - before, 32 << 20)


class Times(StrictCase):
    LIMITS = {"header_timeout": "300ms", "body_timeout": "300ms", "idle_timeout": "300ms"}

    def assert_dropped(self, connection):
        """Closed by the gateway, with a 408 or without an answer."""
        try:
            self.assertEqual(connection.read_response().status, 408)
        except (ConnectionEnded, ConnectionResetError):
            pass
        connection.wait_closed()

    def test_slow_headers(self):
        self.assert_dropped(self.send(b"GET /health HTTP/1.1\r\nHost: local"))

    def test_dribbled_headers(self):
        """Each byte comes in time, the whole does not: the limit is on the whole."""
        connection = self.send(b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: ")
        connection.socket.settimeout(0.05)
        while True:
            try:
                connection.send_raw(b"y")
                if not connection.socket.recv(1000):
                    return
            except TimeoutError:
                continue
            except (BrokenPipeError, ConnectionResetError):
                return

    def test_slow_body(self):
        self.assert_dropped(self.send(head("Content-Length: 100") + b'{"jsonrpc"'))
        self.assert_dropped(self.send(head("Transfer-Encoding: chunked") + b"5\r\nab"))

    def test_idle_connections_end(self):
        connection = self.send(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.assertEqual(connection.read_response().status, 200)
        self.assertEqual(connection.wait_closed(), b"")

    def test_nothing_at_all(self):
        self.enterContext(self.gateway.connect()).wait_closed()

    def test_a_long_call_is_not_an_idle_connection(self):
        with McpSession(self.gateway) as session:
            self.assertEqual(text_of(session.call("fake__sleep", seconds=0.9, text="kept")), "kept")


class Connections(TestCase):
    def test_the_connection_limit_refuses_and_recovers(self):
        with Gateway(fake_config(limits={"max_connections": 8}, workers=1)) as gateway:
            held = []
            for _ in range(8):
                held.append(gateway.connect())
                self.assertEqual(held[-1].request("GET", "/health").status, 200)
            with gateway.connect() as extra:
                try:
                    extra.send("GET", "/health")
                    self.assertEqual(extra.read_response().status, 503)
                except (ConnectionEnded, ConnectionResetError, BrokenPipeError):
                    pass
            self.assertEqual(held[0].request("GET", "/health").status, 200)
            for connection in held:
                connection.close()

            def served():
                try:
                    return gateway.get("/health").status == 200
                except (ConnectionEnded, ConnectionResetError, BrokenPipeError):
                    return False

            wait_until(served, "a place for a new connection")


class Descriptors(TestCase):
    def open_files(self, gateway):
        return len(os.listdir(f"/proc/{gateway.pid}/fd"))

    def test_a_storm_of_resets_leaks_nothing(self):
        whole = head(f"Content-Length: {len(PING)}") + PING
        with Gateway(fake_config()) as gateway:
            gateway.get("/health")
            before = self.open_files(gateway)
            for number in range(int(1000 * max(SCALE, 0.1))):
                connection = gateway.connect()
                connection.send_raw(whole[: number % (len(whole) + 1)])
                connection.reset()
            self.assertEqual(gateway.get("/health").status, 200)
            wait_until(lambda: self.open_files(gateway) <= before, "all sockets to be closed")

    def test_running_out_of_descriptors_is_survived(self):
        with Gateway(fake_config()) as gateway:
            held = gateway.connect()
            self.assertEqual(held.request("GET", "/health").status, 200)
            _, most = resource.prlimit(gateway.pid, resource.RLIMIT_NOFILE)
            limit = max(int(fd) for fd in os.listdir(f"/proc/{gateway.pid}/fd")) + 5
            resource.prlimit(gateway.pid, resource.RLIMIT_NOFILE, (limit, most))
            crowd = [gateway.connect() for _ in range(40)]
            self.assertEqual(held.request("GET", "/health").status, 200)
            for connection in crowd:
                connection.close()

            def served():
                try:
                    return gateway.get("/health").status == 200
                except (ConnectionEnded, ConnectionResetError, BrokenPipeError):
                    return False

            wait_until(served, "new connections to be served again")
            held.close()


if __name__ == "__main__":
    main()
