"""HTTP as an attacker writes it: ambiguous requests get 400 and the connection is closed."""

import json
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import Gateway, fake_config, main, stateless_headers, stateless_message, text_of
from strict_case import PING, StrictCase, head


class Framing(StrictCase):
    # Would be served as a second request if the first were framed differently.
    HIDDEN = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"

    def test_ambiguous_length(self):
        size = len(PING)
        chunk = b"%x\r\n%b\r\n0\r\n\r\n" % (size, PING)
        table = {
            "both": (head(f"Content-Length: {size}", "Transfer-Encoding: chunked"), chunk),
            "both, other order": (
                head("Transfer-Encoding: chunked", f"Content-Length: {size}"),
                chunk,
            ),
            "two lengths": (head(f"Content-Length: {size}", "Content-Length: 5"), PING),
            "list of lengths": (head(f"Content-Length: {size}, 5"), PING),
            "signed": (head(f"Content-Length: +{size}"), PING),
            "negative": (head("Content-Length: -1"), PING),
            "hexadecimal": (head(f"Content-Length: 0x{size:x}"), PING),
            "empty": (head("Content-Length:"), PING),
            "blank inside": (head("Content-Length: 1 2"), PING),
            "overflow": (head("Content-Length: 18446744073709551617"), PING),
            "unknown coding": (head("Transfer-Encoding: gzip"), PING),
            "identity": (head("Transfer-Encoding: identity"), chunk),
            "coding twice": (head("Transfer-Encoding: chunked, chunked"), chunk),
            "chunked not last": (head("Transfer-Encoding: chunked, gzip"), chunk),
            "obfuscated": (head("Transfer-Encoding: xchunked"), chunk),
            "vertical tab": (head("Transfer-Encoding: \x0bchunked"), chunk),
            "two codings": (
                head("Transfer-Encoding: chunked", "Transfer-Encoding: identity"),
                chunk,
            ),
        }
        for name, (start, body) in table.items():
            with self.subTest(name):
                self.assert_refused(start + body + self.HIDDEN, (400, 413, 501))
        self.assert_alive()

    def test_bad_lines(self):
        size = f"Content-Length: {len(PING)}"
        table = {
            "bare LF": head(size, end=b"\n"),
            "bare CR": head(size, "X: a\rb"),
            "NUL in a value": head(size, "X: a\0b"),
            "control in a value": head(size, "X: a\x01b"),
            "fold": head(size, "X: a", " folded"),
            "fold first": head(" X: a", size),
            "blank before colon": head("Content-Length : 5"),
            "no colon": head(size, "nonsense"),
            "empty name": head(size, ": value"),
            "bad name": head(size, "X(y): value"),
            "two hosts": head(size, "Host: localhost"),
            "blank in target": head(size, request="POST /mcp HTTP/1.1 HTTP/1.1"),
            "two blanks": head(size, request="POST  /mcp HTTP/1.1"),
            "tab": head(size, request="POST\t/mcp HTTP/1.1"),
            "control in target": head(size, request="POST /mc\x01p HTTP/1.1"),
            "no version": head(size, request="POST /mcp"),
            "lower-case version": head(size, request="POST /mcp http/1.1"),
            "bad method": head(size, request="PO(ST /mcp HTTP/1.1"),
            "no slash": head(size, request="POST mcp HTTP/1.1"),
        }
        for name, start in table.items():
            with self.subTest(name):
                self.assert_refused(start + PING + self.HIDDEN)
        for version in ("HTTP/2.0", "HTTP/1.x", "HTTP/1.10", "HTTP/1"):
            self.assert_refused(head(size, request=f"POST /mcp {version}") + PING, (400, 505))
        self.assert_refused(
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 50 + b"\r\n\r\n"
        )
        self.assert_alive()

    def test_bad_chunks(self):
        start = head("Transfer-Encoding: chunked")
        table = {
            "no number": b"zz\r\n" + PING,
            "negative": b"-5\r\nabcde\r\n0\r\n\r\n",
            "prefix": b"0x5\r\nabcde\r\n0\r\n\r\n",
            "overflow": b"fffffffffffffffff\r\nabc",
            "empty size": b"\r\nabc\r\n",
            "bare LF": b"5\nabcde\n0\n\n",
            "longer than declared": b"5\r\nabcdefgh\r\n0\r\n\r\n",
            "blank": b" 5\r\nabcde\r\n0\r\n\r\n",
            "endless size": b"0" * 100_000,
            "extension without a name": b"5;\r\nabcde\r\n0\r\n\r\n",
            "extension that is open": b'5;a="b\r\nabcde\r\n0\r\n\r\n',
            "extension of two words": b"5;a b\r\nabcde\r\n0\r\n\r\n",
        }
        for name, body in table.items():
            with self.subTest(name):
                self.assert_refused(start + body + self.HIDDEN, (400, 413, 431))
        self.assert_alive()

    def test_good_chunks(self):
        pieces = b"".join(
            b"%X;note=x\r\n%b\r\n" % (len(piece), piece)
            for piece in (PING[:1], PING[1:20], PING[20:])
        )
        for body in (pieces + b"0\r\n\r\n", b"%x\r\n%b\r\n000\r\n\r\n" % (len(PING), PING)):
            response = self.send(head("Transfer-Encoding: chunked") + body).read_response()
            self.assertEqual(response.status, 200, response.body)

    def test_statuses_are_those_of_the_rfc(self):
        table = {
            "Transfer-Encoding: gzip": 400,
            "Transfer-Encoding: chunked, gzip": 400,
            "Transfer-Encoding: chunked, chunked": 400,
            "Transfer-Encoding: gzip, chunked": 501,
        }
        for field, status in table.items():
            with self.subTest(field):
                self.assert_refused(head(field), (status,))
        for host in ("a b", "user@localhost", "localhost/x", "localhost:x", "[::1"):
            with self.subTest(host):
                start = f"GET /health HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()
                self.assert_refused(start, (400,))

    def test_an_empty_line_before_a_request_is_skipped(self):
        connection = self.send(b"\r\n" + self.HIDDEN + b"\r\n" + self.HIDDEN)
        for _ in range(2):
            self.assertEqual(connection.read_response().status, 200)
        self.assert_refused(b"\r\n\r\n\r\n" + self.HIDDEN)

    def test_pipelined_requests_are_answered_in_order(self):
        size = f"Content-Length: {len(PING)}"
        connection = self.send(self.HIDDEN + head(size) + PING + self.HIDDEN + head(size) + PING)
        kinds = [
            "status" if "status" in connection.read_response().json() else "mcp" for _ in range(4)
        ]
        self.assertEqual(kinds, ["status", "mcp", "status", "mcp"])

    def test_a_slow_call_does_not_let_a_pipelined_one_overtake(self):
        def call(tool, request_id, **arguments):
            message = stateless_message(
                "tools/call", {"name": tool, "arguments": arguments}, request_id
            )
            body = json.dumps(message).encode()
            fields = {"Host": "localhost", "Content-Length": len(body), **stateless_headers(message)}
            lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
            return f"POST /mcp HTTP/1.1\r\n{lines}\r\n".encode() + body

        connection = self.send(
            call("fake__sleep", 1, seconds=0.4, text="slow") + call("fake__echo", 2, text="fast")
        )
        first, second = connection.read_response().json(), connection.read_response().json()
        self.assertEqual((first["id"], text_of(first)), (1, "slow"))
        self.assertEqual((second["id"], text_of(second)), (2, "fast"))

    def test_one_byte_at_a_time(self):
        connection = self.enterContext(self.gateway.connect())
        for byte in head(f"Content-Length: {len(PING)}") + PING:
            connection.send_raw(bytes([byte]))
        self.assertEqual(connection.read_response().status, 200)

    def test_expect_100_continue(self):
        connection = self.send(head(f"Content-Length: {len(PING)}", "Expect: 100-continue"))
        self.assertEqual(connection.read_head().status, 100)
        connection.send_raw(PING)
        self.assertEqual(connection.read_response().status, 200)

    def test_connection_close_is_obeyed(self):
        connection = self.send(head(f"Content-Length: {len(PING)}", "Connection: close") + PING)
        self.assertEqual(connection.read_response().status, 200)
        self.assertEqual(connection.wait_closed(), b"")

    def test_abrupt_ends_do_no_harm(self):
        whole = head(f"Content-Length: {len(PING)}") + PING
        for length in range(0, len(whole), 7):
            connection = self.send(whole[:length])
            (connection.reset if length % 2 else connection.close)()
        self.assert_alive()


class Hosts(StrictCase):
    def status(self, path="/mcp", **fields):
        message = stateless_message("tools/list")
        with self.gateway.connect() as connection:
            return connection.request(
                "POST", path, {**stateless_headers(message), **fields}, message
            ).status

    def test_host(self):
        port = self.gateway.port
        for host in (
            "localhost",
            f"localhost:{port}",
            "127.0.0.1",
            f"127.0.0.1:{port}",
            "[::1]",
            f"[::1]:{port}",
            "LocalHost",
        ):
            with self.subTest(host=host):
                self.assertEqual(self.status(Host=host), 200)
        for host in (
            "evil.example",
            f"evil.example:{port}",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "evil.example@localhost",
            "10.0.0.1",
            "localhost:99999",
            "localhost:80:80",
        ):
            with self.subTest(host=host):
                self.assertIn(self.status(Host=host), (400, 403))
        self.assertEqual(self.status(Host="evil.example"), 403)

    def test_no_host(self):
        self.assert_refused(b"GET /health HTTP/1.1\r\n\r\n", (400, 403))
        connection = self.send(b"GET /health HTTP/1.1\r\nHost:\r\n\r\n")
        self.assertIn(connection.read_response().status, (400, 403))

    def test_origin(self):
        for host in ("localhost", "localhost:3000", "127.0.0.1:8080", "[::1]"):
            with self.subTest(host=host):
                self.assertEqual(self.status(Host=host, Origin=f"http://{host}"), 200)
        for origin in (
            "http://localhost",
            "http://localhost:3000",
            "http://evil.example",
            "https://localhost.evil.example",
            "null",
            "file://",
            "http://localhost@evil.example",
            "http://evil.example:80",
        ):
            with self.subTest(origin=origin):
                self.assertEqual(self.status(Origin=origin), 403)

    def test_every_path_is_guarded(self):
        for method, path in (
            ("GET", "/mcp"),
            ("DELETE", "/mcp"),
            ("GET", "/health"),
            ("GET", "/ready"),
            ("GET", "/metrics"),
            ("OPTIONS", "/mcp"),
            ("GET", "/nowhere"),
        ):
            for fields in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
                with (
                    self.subTest(method=method, path=path, **fields),
                    self.gateway.connect() as connection,
                ):
                    self.assertEqual(connection.request(method, path, fields).status, 403)

    def test_no_wildcard_for_browsers(self):
        with self.gateway.connect() as connection:
            response = connection.request("GET", "/health", {"Origin": "http://localhost:3000"})
            self.assertNotEqual(response.header("access-control-allow-origin"), "*")

    def test_absolute_form(self):
        self.assertEqual(self.status(f"http://127.0.0.1:{self.gateway.port}/mcp"), 200)
        self.assertIn(self.status("http://evil.example/mcp"), (400, 403))
        self.assertIn(self.status("http://localhost/mcp", Host="evil.example"), (400, 403))

    def test_more_hosts_and_origins_by_configuration(self):
        config = fake_config(http={"hosts": ["gw.example"], "origins": ["https://app.example"]})
        with Gateway(config) as gateway:
            for fields, status in (
                ({"Host": "gw.example"}, 200),
                ({"Host": "other.example"}, 403),
                ({"Origin": "https://app.example"}, 200),
                ({"Origin": "http://app.example"}, 403),
            ):
                with self.subTest(**fields):
                    self.assertEqual(gateway.get("/health", fields).status, status)

    def test_paths_and_methods(self):
        for method, path, status in (
            ("GET", "/nowhere", 404),
            ("POST", "/health", 405),
            ("PUT", "/mcp", 405),
            ("DELETE", "/metrics", 405),
            ("GET", "/mcp/../health", 404),
            ("GET", "/health?x=1", 200),
        ):
            with self.subTest(method=method, path=path), self.gateway.connect() as connection:
                response = connection.request(method, path, body=b"" if method != "GET" else None)
                self.assertEqual(response.status, status)
                if status == 405:
                    self.assertTrue(response.header("allow"))


if __name__ == "__main__":
    main()
