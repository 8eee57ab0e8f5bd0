"""What a TLS handshake may cost the gateway, as server and as client, and the alerts that it sends."""

import contextlib
import os
import pathlib
import re
import socket
import ssl
import struct
import subprocess
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import Gateway, main
from tls_case import TlsCase, TlsGateway, trusting

DECODE_ERROR = 50
RSA = ("rsa:2048",)
# RSA with a public exponent of 81 bits: each signature costs a multiple of one with 65537.
LARGE_EXPONENT = ("rsa:2048", "-pkeyopt", f"rsa_keygen_pubexp:{(1 << 80) + 13}")


def extension(kind, body):
    return struct.pack(">HH", kind, len(body)) + body


def counted(body):
    return struct.pack(">H", len(body)) + body


def hello(groups, shares):
    """A ClientHello of TLS 1.3 that is valid but for its size."""
    listed = b"".join(struct.pack(">H", group) for group in groups)
    keys = b"".join(struct.pack(">H", group) + counted(b"\0") for group in shares)
    extensions = (
        extension(43, b"\x02\x03\x04")  # TLS 1.3 only.
        + extension(10, counted(listed))
        + extension(13, counted(b"\x04\x03\x08\x04\x04\x01"))
        + extension(51, counted(keys))
    )
    body = b"\x03\x03" + os.urandom(32) + b"\0" + counted(b"\x13\x01") + b"\x01\0"
    message = body + counted(extensions)
    handshake = b"\x01" + len(message).to_bytes(3, "big") + message
    pieces = [handshake[at : at + 16384] for at in range(0, len(handshake), 16384)]
    return b"".join(b"\x16\x03\x01" + counted(piece) for piece in pieces)


class Server(TlsCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        config = cls.config(client_certificates="optional", client_ca=cls.authority.pem)
        cls.gateway = cls.enterClassContext(TlsGateway(config, cls.context))

    def greet(self, *args):
        """Whether openssl comes to an agreement with the gateway."""
        done = subprocess.run(
            ["openssl", "s_client", "-connect", f"127.0.0.1:{self.gateway.tls_port}", *args],
            input=b"",
            capture_output=True,
            timeout=60,
            check=False,
        )
        return done.returncode == 0

    def test_only_cheap_key_exchanges_are_made(self):
        for group in ("X25519", "P-256", "P-384"):
            self.assertTrue(self.greet("-tls1_3", "-groups", group), group)
        for group in ("ffdhe2048", "ffdhe8192", "P-521", "X448"):
            self.assertFalse(self.greet("-tls1_3", "-groups", group), group)
        self.assertTrue(self.greet("-tls1_2"))
        self.assertFalse(self.greet("-tls1_2", "-cipher", "DHE"))

    def test_lists_of_a_greeting_are_bounded(self):
        unknown = range(0xFB00, 0xFB00 + 30)
        table = {
            "few": (unknown, unknown, None),
            "groups": ([0xFB00] * 30_000, unknown[:1], DECODE_ERROR),
            "shares": (unknown, [0xFB00] * 10_000, DECODE_ERROR),
        }
        for name, (groups, shares, alert) in table.items():
            with self.subTest(name), self.gateway.plain() as connection:
                connection.send_raw(hello([*groups, 29], shares))
                answer = connection.socket.recv(5, socket.MSG_WAITALL)
                if alert is None:  # It asks for a share of a group that it knows.
                    self.assertEqual(answer[0], 22)
                else:
                    self.assertEqual(answer[0], 21, "no alert")
                    self.assertEqual(connection.socket.recv(2, socket.MSG_WAITALL)[1], alert)

    def test_keys_of_clients_are_bounded(self):
        good = self.authority.client("rsa", key=RSA)
        with self.gateway.connect(context=trusting(self.authority.pem, good)) as connection:
            self.assertEqual(connection.request("GET", "/health").status, 200)
        costly = self.authority.client("costly", key=LARGE_EXPONENT)
        context = trusting(self.authority.pem, costly)
        self.assert_refused(self.gateway, context, "application verification failure")

    def test_chains_of_clients_are_bounded(self):
        cert, key = self.client
        authority = pathlib.Path(self.authority.pem).read_text()
        chain = self.folder / "chain.pem"
        for count, good in ((7, True), (12, False)):
            chain.write_text(pathlib.Path(cert).read_text() + authority * count)
            context = trusting(self.authority.pem, (chain, key))
            if good:
                with self.gateway.connect(context=context) as connection:
                    self.assertEqual(connection.request("GET", "/health").status, 200)
            else:
                self.assert_refused(self.gateway, context, "certificate chain too long")


class Alerts(TlsCase):
    """An error after the handshake is sent in an alert before the connection closes."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.gateway = cls.enterClassContext(TlsGateway(cls.config(), cls.context))

    def alert_after(self, version, spoil):
        """The alert that answers a request whose record was spoilt."""
        context = trusting(self.authority.pem)
        context.minimum_version = context.maximum_version = version
        inside, outside = ssl.MemoryBIO(), ssl.MemoryBIO()
        tls = context.wrap_bio(inside, outside, server_hostname="localhost")
        with self.gateway.plain() as connection:

            def pump(step):
                while True:
                    try:
                        return step()
                    except ssl.SSLWantReadError:
                        with contextlib.suppress(OSError):  # What has been answered can be read.
                            connection.send_raw(outside.read())
                        data = connection.socket.recv(65536)
                        if data:
                            inside.write(data)
                        else:
                            inside.write_eof()

            pump(tls.do_handshake)
            tls.write(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            connection.send_raw(outside.read())
            self.assertIn(b" 200 ", pump(lambda: tls.read(65536)))
            tls.write(b"GET /health HTTP/1.1\r\n")
            connection.send_raw(spoil(bytearray(outside.read())))
            with self.assertRaises(ssl.SSLError) as caught:
                pump(lambda: tls.read(65536))
            return caught.exception.reason

    def test_a_record_that_was_changed(self):
        def change(record):
            record[-1] ^= 1
            return record

        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            self.assertEqual(self.alert_after(version, change), "SSLV3_ALERT_BAD_RECORD_MAC")

    def test_a_record_that_is_too_long(self):
        def stretch(record):
            return record[:3] + counted(bytes(17_000))

        version = ssl.TLSVersion.TLSv1_3
        self.assertEqual(self.alert_after(version, stretch), "TLSV1_ALERT_RECORD_OVERFLOW")


class Pieces(TlsCase):
    """Bytes that have arrived and are no data yet: a record byte by byte, and records without any."""

    def start_with(self, **limits):
        config = {**self.config(), "workers": 1, "limits": limits}
        self.gateway = self.enterContext(TlsGateway(config, self.context))
        inside, self.outside = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = self.context.wrap_bio(inside, self.outside, server_hostname="localhost")
        self.connection = self.enterContext(self.gateway.plain())

        def pump(step):
            while True:
                try:
                    return step()
                except ssl.SSLWantReadError:
                    self.connection.send_raw(self.outside.read())
                    data = self.connection.socket.recv(65536)
                    inside.write(data) if data else inside.write_eof()

        self.pump = pump
        pump(self.tls.do_handshake)
        self.connection.send_raw(self.outside.read())

    def sealed(self, text):
        self.tls.write(text)
        return self.outside.read()

    def test_a_record_byte_by_byte(self):
        self.start_with()
        record = self.sealed(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        for byte in record:
            self.connection.send_raw(bytes([byte]))
            self.assertEqual(self.gateway.get("/health").status, 200, "others are served meanwhile")
        self.assertIn(b" 200 ", self.pump(lambda: self.tls.read(65536)))

    def test_a_record_that_does_not_end_is_not_waited_for_longer_than_a_head(self):
        self.start_with(header_timeout="300ms", idle_timeout="60s")
        first = self.sealed(b"GET /health HTTP/1.1\r\n")
        self.connection.send_raw(first + self.sealed(b"Host: localhost\r\n\r\n")[:-1])
        self.assertIn(b" 408 ", self.pump(lambda: self.tls.read(65536)))

    def test_a_flood_of_alerts_without_meaning_ends(self):
        """A warning is a record without data; TLS 1.3 has no warnings but the one that ends."""
        self.start_with()
        before = self.gateway.metric("patchbay_http_requests_total")
        with contextlib.suppress(OSError):
            for _ in range(10_000):
                self.connection.send_raw(b"\x14\x03\x03\x00\x01\x01")
            while self.connection.socket.recv(65536):
                pass
        self.assertEqual(self.gateway.metric("patchbay_http_requests_total"), before + 1, "the page itself")


class Client(TlsCase):
    """The gateway towards upstreams: the server does not choose what a handshake costs."""

    def serve(self, *args):
        """The port of a TLS server with these options."""
        cert, key = self.authority.server("upstream", key=RSA)
        server = subprocess.Popen(
            ["openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", cert, "-key", key, "-www"]
            + list(args),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        for line in server.stdout:
            if found := re.match(r"ACCEPT .*:(\d+)", line):
                return int(found[1])
        raise AssertionError("openssl does not listen")

    def outcome(self, *args):
        """Why the gateway cannot use that server: it speaks no MCP in any case."""
        entry = {"kind": "http", "url": f"https://localhost:{self.serve(*args)}/mcp"}
        entry["tls"] = {"ca": self.authority.pem}
        gateway = self.enterContext(Gateway({"upstreams": {"far": entry}}))
        return gateway.stderr.wait_for("upstream down")

    def test_finite_fields_are_not_computed_in(self):
        self.assertIn("handshake failure", self.outcome("-tls1_3", "-groups", "ffdhe8192"))
        self.assertIn("handshake failure", self.outcome("-tls1_2", "-cipher", "DHE"))


if __name__ == "__main__":
    main()
