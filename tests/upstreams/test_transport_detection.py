"""How a server is reached: the transports that `http` detects, the other kinds, and TLS."""

import pathlib
import ssl
import subprocess
import sys
import tempfile
import threading

sys.path.insert(1, sys.path[0] + "/../lib")

from conformance import fixture
from harness import fake, main, stateless_call, text_of, wait_until
from test_remote import RemoteCase


class Transports(RemoteCase):
    """Each kind of upstream, and what `http` finds by itself."""

    SESSION_BASED = ("--revisions", "2024-11-05")

    def check(self, upstream):
        gateway = self.gateway(upstream)
        answer = stateless_call(gateway, "far__test_simple_text")
        self.assertEqual(text_of(answer), "This is a simple text response for testing.")

    def test_http_finds_the_event_stream(self):
        with fixture(*self.SESSION_BASED, transport="sse") as server:
            base = server.address.removesuffix("/sse")
            for url in (server.address, base, base + "/"):
                with self.subTest(url=url):
                    self.check({"kind": "http", "url": url})

    def test_the_other_kinds(self):
        for kind in ("sse", "custom-http-sse", "tcp", "unix"):
            with self.subTest(kind), fixture(*self.SESSION_BASED, transport=kind) as server:
                self.check(server.upstream())

    def test_sse_finds_the_stream_below_a_bare_address(self):
        with fixture(*self.SESSION_BASED, transport="sse") as server:
            self.check({"kind": "sse", "url": server.address.removesuffix("/sse")})

    def test_an_endpoint_elsewhere_is_refused(self):
        elsewhere, stub = self.stub(name="elsewhere"), self.stub()

        def stream(exchange):
            exchange.begin_events()
            exchange.event(f"http://127.0.0.1:{elsewhere.port}/message", event="endpoint")
            threading.Event().wait(5)

        stub.on["GET"] = stream
        for endpoint in ("absolute", "network path"):
            with self.subTest(endpoint):
                gateway = self.gateway(stub.upstream(kind="sse"))
                down = gateway.stderr.wait_for("upstream down")
                self.assertIn("another origin", down)
                self.assertEqual(elsewhere.seen, [])
            stub.on["GET"] = lambda exchange: (
                exchange.begin_events(),
                exchange.event(f"//127.0.0.1:{elsewhere.port}/message", event="endpoint"),
                threading.Event().wait(5),
            )

    def test_a_program_that_is_silent_before_the_handshake(self):
        entry = fake(probe_timeout="100ms", env={"FAKE_MUTE": "server/discover"})
        gateway = self.gateway(entry)
        self.assertEqual(text_of(stateless_call(gateway, "far__echo", text="here")), "here")

    def test_a_stateless_server_that_is_slow_to_discover(self):
        stub = self.stub(stateless=True)

        def slow(exchange):
            del stub.on["server/discover"]
            wait_until(lambda: stub.saw("initialize"), "the other handshake to be tried")
            exchange.drop()

        stub.on["server/discover"] = slow
        gateway = self.gateway(stub.upstream(probe_time="100ms"))
        self.assertEqual(text_of(stateless_call(gateway, "far__whoami")), "stub")
        self.assertEqual(len(stub.saw("server/discover")), 2)

    def test_an_unknown_revision_is_refused(self):
        stub = self.stub()
        stub.on["initialize"] = lambda exchange: exchange.result(
            {"protocolVersion": "1999-01-01", "capabilities": {}, "serverInfo": {}}
        )
        gateway = self.gateway(stub.upstream())
        self.assertIn("1999-01-01", gateway.stderr.wait_for("upstream down"))


def openssl(folder, *arguments):
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


def make_certificates(folder):
    """A CA, and certificates of it: for 127.0.0.1, for another host, and for a client."""
    new = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2")
    openssl(folder, "req", "-x509", *new, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=CA")
    for name, alternative in (
        ("here", "IP:127.0.0.1,DNS:localhost"),
        ("other", "DNS:other.example"),
        ("client", "DNS:client"),
    ):
        signed = ("-CA", "ca.pem", "-CAkey", "ca.key", "-subj", f"/CN={name}")
        names = ("-addext", f"subjectAltName={alternative}")
        keys = ("-keyout", f"{name}.key", "-out", f"{name}.pem")
        openssl(folder, "req", "-x509", *new, *keys, *signed, *names)


class Tls(RemoteCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        make_certificates(cls.folder)

    def file(self, name):
        return str(self.folder / name)

    def server(self, name="here", client_ca=False):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.file(f"{name}.pem"), self.file(f"{name}.key"))
        if client_ca:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(self.file("ca.pem"))
        return self.stub(tls=context)

    def works(self, stub, **tls):
        gateway = self.gateway(stub.upstream(tls=tls))
        self.assertEqual(text_of(stateless_call(gateway, "far__whoami")), "stub")

    def fails(self, stub, why, **tls):
        gateway = self.gateway(stub.upstream(tls=tls))
        self.assertRegex(gateway.stderr.wait_for("upstream down"), why)
        self.assertEqual(stub.seen, [])

    def test_the_ca_of_the_configuration_is_trusted_and_no_other(self):
        self.works(self.server(), ca=self.file("ca.pem"))
        self.fails(self.server(), "certificate")
        self.fails(self.server(), "certificate", ca=self.file("other.pem"))

    def test_the_host_must_be_the_one_of_the_certificate(self):
        self.fails(self.server("other"), "certificate|127.0.0.1", ca=self.file("ca.pem"))
        self.works(self.server("other"), ca=self.file("ca.pem"), server_name="other.example")
        self.fails(
            self.server(), "certificate|other", ca=self.file("ca.pem"), server_name="other.example"
        )

    def test_a_certificate_of_our_own(self):
        ours = {"cert": self.file("client.pem"), "key": self.file("client.key")}
        self.works(self.server(client_ca=True), ca=self.file("ca.pem"), **ours)
        self.fails(self.server(client_ca=True), "upstream down", ca=self.file("ca.pem"))

    def test_verification_can_be_turned_off(self):
        self.works(self.server("other"), verify=False)

    def test_a_server_in_the_clear_is_not_taken_for_one_with_tls(self):
        stub = self.stub()
        entry = stub.upstream(url=stub.url.replace("http:", "https:"), tls={"verify": False})
        gateway = self.gateway(entry)
        gateway.stderr.wait_for("upstream down")
        self.assertEqual(stub.seen, [])


if __name__ == "__main__":
    main()
