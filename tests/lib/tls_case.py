"""Shared by the tests of the TLS listener: a gateway with one, and clients that use TLS."""

import pathlib
import shutil
import ssl
import tempfile

from certificates import Authority
from harness import TIMEOUT, Connection, Gateway, TestCase, fake_config


def trusting(ca, certificate=None):
    """What a client trusts, and its certificate."""
    context = ssl.create_default_context(cafile=ca)
    context.set_alpn_protocols(["http/1.1"])
    if certificate:
        context.load_cert_chain(*certificate)
    return context


class TlsConnection(Connection):
    """One connection under TLS, to the port of this machine."""

    def __init__(self, port, context, name="localhost", session=None, timeout=TIMEOUT):
        super().__init__("127.0.0.1", port, timeout)
        try:
            self.socket = context.wrap_socket(self.socket, server_hostname=name, session=session)
        except BaseException:
            self.socket.close()
            raise


class TlsGateway(Gateway):
    """A gateway whose clients come under TLS; `plain` has those that do not."""

    def __init__(self, config, context, **more):
        super().__init__(config, **more)
        self.context, self.tls_port = context, None

    def __enter__(self):
        super().__enter__()
        banner = self.stdout.wait_for("https://")
        self.tls_port = int(banner.split("https://")[1].split()[0].rpartition(":")[2])
        return self

    def connect(self, timeout=TIMEOUT, context=None, **more):
        return TlsConnection(self.tls_port, context or self.context, timeout=timeout, **more)

    def plain(self, port=None):
        return Connection("127.0.0.1", port or self.tls_port)

    def handshakes(self, outcome):
        return self.metric("patchbay_tls_handshakes_total", outcome=outcome)


class TlsCase(TestCase):
    """A folder with an authority and a certificate for localhost."""

    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="patchbay-test-"))
        cls.folder = pathlib.Path(folder)
        cls.authority = Authority(folder)
        cls.server = cls.authority.server()
        cls.client = cls.authority.client()
        cls.context = trusting(cls.authority.pem)
        cls.known = trusting(cls.authority.pem, cls.client)

    @classmethod
    def config(cls, server=None, **tls):
        cert, key = server or cls.server
        section = {"listen": "127.0.0.1:0", "cert": cert, "key": key, **tls}
        return fake_config(tls=section, log={"level": "debug"})

    def start(self, context=None, **tls):
        return self.enterContext(TlsGateway(self.config(**tls), context or self.context))

    def file(self, name, content=None):
        """A file of the test's own; a copy of `content` if that is a path."""
        path = self.folder / name
        if content:
            replace(path, pathlib.Path(content).read_bytes())
        return str(path)

    def assert_refused(self, gateway, context, why=None, **more):
        """The client gets no answer; the log has the reason."""
        start = gateway.stderr.count()
        with self.assertRaises((ssl.SSLError, OSError, AssertionError, ConnectionError)) as caught:
            with gateway.connect(context=context, **more) as connection:
                connection.request("GET", "/health")
        self.assertNotIsInstance(caught.exception, TimeoutError)
        if why:
            line = gateway.stderr.wait_for("tls handshake failed", start)
            self.assertIn(why, line)


def replace(path, content):
    """In one step, as deployment tools do."""
    fresh = pathlib.Path(f"{path}.fresh")
    fresh.write_bytes(content)
    shutil.move(fresh, path)
