"""The TLS listener: what it serves, which clients it refuses, and what slow or broken clients
cost."""

import json
import os
import socket
import ssl
import sys
import threading
import warnings

sys.path.insert(1, sys.path[0] + "/../lib")

from certificates import SERVER, Authority
from harness import (
    SCALE,
    ConnectionEnded,
    McpSession,
    main,
    run,
    stateless_call,
    text_of,
    wait_until,
)
from tls_case import TlsCase, TlsGateway, trusting


class Frontends(TlsCase):
    """Everything that plain HTTP offers is available over TLS."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.gateway = cls.enterClassContext(TlsGateway(cls.config(), cls.context))

    def test_both_listeners_answer(self):
        self.assertEqual(self.gateway.get("/health").status, 200)
        with self.gateway.plain(self.gateway.port) as connection:
            self.assertEqual(connection.request("GET", "/health").status, 200)

    def test_a_session_and_its_streams(self):
        with McpSession(self.gateway) as session:
            self.assertEqual(text_of(session.call("fake__add", a=2, b=40)), "42")
            stream = session.open_stream()
            self.assertEqual(stream.content_type, "text/event-stream")
            session.call("fake__list_changed", name="under_tls")
            event = next(event for event in stream.events() if event.data)
            self.assertEqual(event.json()["method"], "notifications/tools/list_changed")
            stream.connection.close()

    def test_progress_comes_as_events(self):
        notified = []
        answer = stateless_call(
            self.gateway, "fake__progress", {"progressToken": 7}, notified, steps=3, seconds=0
        )
        self.assertIn("result", answer)
        self.assertEqual([one["params"]["progressToken"] for one in notified], [7, 7, 7])

    def test_the_first_transport(self):
        with self.gateway.connect() as connection:
            connection.send("GET", "/sse", {"Accept": "text/event-stream"})
            events = connection.read_head().events()
            endpoint = next(events).data
            ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
            with self.gateway.connect() as other:
                headers = {"Content-Type": "application/json"}
                self.assertEqual(other.request("POST", endpoint, headers, ping).status, 202)
            self.assertEqual(next(events).json()["id"], 1)

    def test_large_bodies_in_both_directions(self):
        for size in (16_000, 16_384, 17_000, 1_000_000, 9_000_000):
            with self.subTest(size=size), McpSession(self.gateway) as session:
                text = "x" * (size - 1) + "y"
                self.assert_same_text(text_of(session.call("fake__echo", text=text)), text)

    def test_a_body_in_small_pieces(self):
        message = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        body = json.dumps(message).encode()
        with McpSession(self.gateway) as session:
            headers = session.headers(**{"Content-Length": str(len(body))})
            session.connection.send("POST", "/mcp", headers)
            for at in range(len(body)):
                session.connection.send_raw(body[at : at + 1])  # A record each.
            self.assertEqual(session.connection.read_response().json()["id"], 1)

    def test_pipelined_requests_in_one_record(self):
        with self.gateway.connect() as connection:
            connection.send_raw(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20)
            self.assertEqual([connection.read_response().status for _ in range(20)], [200] * 20)

    def test_malformed_input_gets_an_alert_and_the_connection_ends(self):
        with self.gateway.connect() as connection:
            connection.send_raw(b"GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")
            response = connection.read_response()
            self.assertEqual(response.status, 400)
            self.assertEqual(connection.wait_closed(), b"")  # With an orderly end: no SSLEOFError.

    def test_a_client_that_half_closes_is_answered(self):
        with self.gateway.plain() as connection:
            inward, outward = ssl.MemoryBIO(), ssl.MemoryBIO()
            tls = self.context.wrap_bio(inward, outward, server_hostname="localhost")

            def until_done(step):
                while True:
                    try:
                        return step()
                    except ssl.SSLWantReadError:
                        connection.send_raw(outward.read())
                        inward.write(connection.socket.recv(65536))

            until_done(tls.do_handshake)
            tls.write(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            with self.assertRaises(ssl.SSLWantReadError):
                tls.unwrap()  # Our side is ended; theirs is not yet.
            self.assertIn(b"200 OK", until_done(lambda: tls.read(65536)))

    def test_a_client_that_ends_its_side_is_gone(self):
        with self.gateway.connect() as connection:
            connection.socket.unwrap()
        with self.gateway.connect() as connection:
            connection.send("GET", "/sse", {"Accept": "text/event-stream"})
            connection.read_head()
            connection.socket.shutdown(socket.SHUT_WR)
            connection.wait_closed()
        with self.gateway.connect() as connection:
            connection.reset()
        # No more than the connection that asks.
        wait_until(lambda: self.gateway.metric("patchbay_connections") == 1)


class Protocol(TlsCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.other = cls.authority.server("other", "DNS:other.example,DNS:*.wild.example")
        cls.rsa = cls.authority.server("rsa", "DNS:rsa.example", key=("rsa:2048",))

    def gateway_with_names(self):
        certificates = [
            {"cert": self.other[0], "key": self.other[1]},
            {"names": ["given.example"], "cert": self.rsa[0], "key": self.rsa[1]},
        ]
        return self.start(certificates=certificates)

    def versions(self, least, most, ciphers=None):
        context = trusting(self.authority.pem)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # That TLS 1.1 is old is the point.
            context.minimum_version, context.maximum_version = least, most
        if ciphers:
            context.set_ciphers(ciphers)
        return context

    def test_versions_and_suites(self):
        gateway = self.start()
        with gateway.connect() as connection:
            self.assertEqual(connection.socket.version(), "TLSv1.3")
            self.assertEqual(connection.socket.selected_alpn_protocol(), "http/1.1")
            self.assertIsNone(connection.socket.compression())
        v12 = ssl.TLSVersion.TLSv1_2
        with gateway.connect(context=self.versions(v12, v12)) as connection:
            self.assertEqual(connection.socket.version(), "TLSv1.2")
            self.assertIn("GCM", connection.socket.cipher()[0])
        cbc = "ECDHE-ECDSA-AES256-SHA384:ECDHE-ECDSA-AES128-SHA256:ECDHE-ECDSA-AES128-SHA"
        self.assert_refused(gateway, self.versions(v12, v12, cbc), "no shared cipher")
        v11 = ssl.TLSVersion.TLSv1_1
        old = self.versions(v11, v11, "ALL:@SECLEVEL=0")
        self.assert_refused(gateway, old, "unsupported protocol")
        self.assertEqual(gateway.get("/health").status, 200)

    def test_another_protocol_is_refused(self):
        gateway = self.start()
        context = trusting(self.authority.pem)
        context.set_alpn_protocols(["h2"])
        self.assert_refused(gateway, context, "no application protocol")
        context = ssl.create_default_context(cafile=self.authority.pem)  # Not reported.
        with gateway.connect(context=context) as connection:
            self.assertEqual(connection.request("GET", "/health").status, 200)

    def test_the_certificate_fits_the_name(self):
        gateway = self.gateway_with_names()
        settings = {
            "localhost": "server",
            "other.example": "other",
            "OTHER.example": "other",
            "a.wild.example": "other",
            "given.example": "rsa",
            "unknown.example": "server",
            "b.a.wild.example": "server",
            "rsa.example": "server",  # `names` stands for the names in it.
        }
        context = trusting(self.authority.pem)
        context.check_hostname = False
        for name, wanted in settings.items():
            with self.subTest(name), gateway.connect(context=context, name=name) as connection:
                subject = dict(pair[0] for pair in connection.socket.getpeercert()["subject"])
                self.assertEqual(subject["commonName"], wanted)

    def test_sessions_are_resumed_by_any_worker(self):
        gateway = self.start()
        v12 = ssl.TLSVersion.TLSv1_2
        for context in (self.context, self.versions(v12, v12)):
            with gateway.connect(context=context) as connection:
                connection.request("GET", "/health")
                session = connection.socket.session
            for _ in range(8):
                with gateway.connect(context=context, session=session) as connection:
                    self.assertTrue(connection.socket.session_reused)
                    self.assertEqual(connection.request("GET", "/health").status, 200)
        self.assertGreaterEqual(gateway.handshakes("resumed"), 16)

    def test_plain_http_gets_an_explanation(self):
        gateway = self.start()
        for method in ("GET", "POST", "DELETE", "OPTIONS"):
            with self.subTest(method), gateway.plain() as connection:
                connection.send(method, "/health", body=b"x" * 100_000)
                response = connection.read_response()
                self.assertEqual(response.status, 400)
                self.assertIn("https://", response.json()["error"])
                self.assertEqual(connection.wait_closed(), b"")
        for rubbish in (b"\0" * 100, b"\x16\x03\x01\xff\xff" + b"x" * 70_000, b"\x80\x2e\x01"):
            with self.subTest(rubbish[:6]), gateway.plain() as connection:
                try:
                    connection.send_raw(rubbish)
                    connection.socket.shutdown(socket.SHUT_WR)
                except OSError:
                    pass
                self.assertNotIn(b"HTTP", connection.wait_closed())
        self.assertEqual(gateway.get("/health").status, 200)

    def test_our_client_checks_the_server(self):
        gateway = self.gateway_with_names()

        def tools(host, ca):
            return run("tools", f"https://{host}:{gateway.tls_port}/mcp", "--ca", ca)

        done = tools("localhost", self.authority.pem)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("fake__add", done.stdout)
        stranger = Authority(self.folder, "stranger")
        done = tools("localhost", stranger.pem)
        self.assertEqual(done.returncode, 1)
        self.assertIn("certificate is not accepted", done.stderr)
        elsewhere = self.start(server=self.other)
        url = f"https://localhost:{elsewhere.tls_port}/mcp"
        done = run("tools", url, "--ca", self.authority.pem)
        self.assertEqual(done.returncode, 1)
        self.assertIn("hostname mismatch", done.stderr)


class Clients(TlsCase):
    """Certificates of clients."""

    def test_required(self):
        gateway = self.start(self.known, client_ca=self.authority.pem)
        self.assertEqual(gateway.get("/health").status, 200)
        self.assert_refused(gateway, self.context, "peer did not return a certificate")
        authority, folder = self.authority, self.folder
        expired = authority.client("expired", days=-1)
        wrong_use = authority.sign("wrong_use", SERVER, "subjectAltName=DNS:client.example")
        small = authority.client("small", key=("rsa:1024",))
        stranger = Authority(folder, "stranger")
        for certificate, why in (
            (expired, "certificate has expired"),
            (wrong_use, "purpose"),
            (stranger.client("foreign"), "unable to get local issuer"),
            ((stranger.pem, stranger.path("stranger.key")), "self-signed"),
        ):
            with self.subTest(why):
                self.assert_refused(gateway, trusting(authority.pem, certificate), why)
        context = ssl.create_default_context(cafile=authority.pem)
        context.set_ciphers("DEFAULT:@SECLEVEL=0")
        context.load_cert_chain(*small)
        self.assert_refused(gateway, context, "too weak")
        self.assertGreaterEqual(gateway.handshakes("failed"), 6)

    def test_our_client_presents_one(self):
        gateway = self.start(self.known, client_ca=self.authority.pem)
        url = f"https://localhost:{gateway.tls_port}/mcp"
        settings = ("--ca", self.authority.pem, "--cert", self.client[0], "--key", self.client[1])
        done = run("call", url, "fake__add", "a=2", "b=40", *settings)
        self.assertEqual((done.returncode, done.stdout.strip()), (0, "42"), done.stderr)
        done = run("tools", url, "--ca", self.authority.pem)
        self.assertEqual(done.returncode, 1)
        self.assertIn("certificate required", done.stderr)
        self.assertEqual(run("tools", url, "--key", self.client[1]).returncode, 2)

    def test_optional(self):
        gateway = self.start(client_ca=self.authority.pem, client_certificates="optional")
        for context in (self.context, self.known):
            with gateway.connect(context=context) as connection:
                self.assertEqual(connection.request("GET", "/health").status, 200)
        foreign = Authority(self.folder, "stranger").client("foreign")
        self.assert_refused(gateway, trusting(self.authority.pem, foreign), "issuer")

    def test_off(self):
        gateway = self.start(client_ca=self.authority.pem, client_certificates="off")
        self.assertEqual(gateway.get("/health").status, 200)

    def test_revoked(self):
        crl = self.authority.revocations(self.client[0])
        good = trusting(self.authority.pem, self.authority.client("good"))
        gateway = self.start(good, client_ca=self.authority.pem, crl=crl)
        self.assertEqual(gateway.get("/health").status, 200)
        self.assert_refused(gateway, self.known, "revoked")

    def test_a_list_of_another_authority_lets_nobody_in(self):
        crl = Authority(self.folder, "stranger").revocations(file="foreign.crl")
        gateway = self.start(client_ca=self.authority.pem, crl=crl)
        self.assert_refused(gateway, self.known, "unable to get certificate CRL")


class Configuration(TlsCase):
    def faults(self, **tls):
        path = self.folder / "bad.yaml"
        config = self.config(**tls)
        path.write_text(json.dumps({**config, "listen": "127.0.0.1:0"}), encoding="utf-8")
        path.chmod(0o600)
        done = run("check", str(path))
        self.assertEqual(done.returncode, 3, done.stdout)
        return done.stderr

    def test_errors_explain_what_is_wrong(self):
        cases = (
            ({"server": (self.file("none.pem"), self.server[1])}, "none.pem': No such file"),
            ({"server": (self.server[0], self.client[1])}, "key values mismatch"),
            ({"server": (self.server[1], self.server[1])}, "cert '"),
            ({"client_ca": self.file("none.pem")}, "client_ca '"),
            ({"client_ca": self.authority.pem, "crl": self.server[0]}, "crl '"),
            ({"crl": self.server[0]}, "crl needs client_ca"),
            ({"client_certificates": "required"}, "client_certificates needs client_ca"),
            ({"client_certificates": "maybe"}, "tls.client_certificates"),
            ({"listen": "0.0.0.0:0"}, "tls.listen: 0.0.0.0:0 is reachable"),
            ({"certificates": [{"names": ["a"]}]}, "tls.certificates[0].cert: is required"),
            ({"handshake_timeout": "0s"}, "tls.handshake_timeout"),
        )
        for tls, message in cases:
            with self.subTest(message):
                self.assertIn(message, self.faults(**tls))

    def test_a_key_that_is_too_small_is_a_fault(self):
        small = self.authority.server("small", key=("rsa:1024",))
        self.assertIn("too small", self.faults(server=small))


class Burdens(TlsCase):
    """Clients that stall, churn and crowd."""

    def test_a_slow_handshake_is_cut(self):
        gateway = self.start(handshake_timeout="200ms")
        for beginning in (b"", b"\x16\x03\x01\x02\x00\x01"):
            with self.subTest(beginning), gateway.plain() as connection:
                connection.send_raw(beginning)
                self.assertEqual(connection.wait_closed(), b"")
        self.assertEqual(gateway.handshakes("slow"), 2)

    def test_half_handshakes_do_not_lock_others_out(self):
        gateway = self.start(max_handshakes=4, handshake_timeout="600s")
        held = [gateway.plain() for _ in range(200)]
        for connection in held:
            connection.send_raw(b"\x16\x03\x01")
        for _ in range(5):
            self.assertEqual(gateway.get("/health").status, 200)
        wait_until(lambda: gateway.metric("patchbay_connections") <= 4 * os.cpu_count() + 1)
        self.assertEqual(held[0].wait_closed(), b"")  # The first to come has been the first to go.
        for connection in held:
            connection.close()

    def test_it_stops_while_hands_are_shaken(self):
        gateway = self.start(handshake_timeout="600s")
        with gateway.plain() as connection:
            connection.send_raw(b"\x16\x03\x01")
            wait_until(lambda: gateway.metric("patchbay_connections") == 2)
            self.assertEqual(gateway.stop(), 0)

    def test_churn_leaves_nothing_behind(self):
        gateway = self.start(self.known, client_ca=self.authority.pem)
        self.assertEqual(gateway.get("/health").status, 200)

        def descriptors():
            return len(os.listdir(f"/proc/{gateway.pid}/fd"))

        before = descriptors()
        wrong = trusting(self.authority.pem)

        def churn(count):
            for number in range(count):
                kind = number % 4
                try:
                    if kind == 0:
                        self.assertEqual(gateway.get("/health").status, 200)
                    elif kind == 1:
                        with gateway.connect(context=wrong) as connection:
                            connection.request("GET", "/health")
                    elif kind == 2:
                        with gateway.plain() as connection:
                            connection.send_raw(b"\x16\x03\x01\x00\x05hello")
                    else:
                        gateway.connect().reset()
                except (OSError, ConnectionEnded):
                    self.assertEqual(kind, 1)

        threads = [threading.Thread(target=churn, args=(int(250 * SCALE),)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        wait_until(lambda: gateway.metric("patchbay_connections") == 1)
        wait_until(lambda: descriptors() <= before)

    def test_a_full_gateway_refuses(self):
        config = self.config()
        config["limits"] = {"connections": 3}
        gateway = self.enterContext(TlsGateway(config, self.context))
        held = [gateway.connect() for _ in range(3)]
        with self.assertRaises((ssl.SSLError, OSError)):
            gateway.connect()
        held.pop().close()
        wait_until(lambda: self.can_connect(gateway))
        for connection in held:
            connection.close()

    @staticmethod
    def can_connect(gateway):
        try:
            gateway.connect().close()
        except OSError:
            return False
        return True


if __name__ == "__main__":
    main()
