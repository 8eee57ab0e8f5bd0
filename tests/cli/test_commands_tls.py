"""The client commands against a server behind TLS: the gateway with a TLS proxy in front of it."""

import pathlib
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import Gateway, TestCase, fake_config, main, run
from tls_proxy import TlsProxy, make_certificate


class Https(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.gateway = cls.enterClassContext(Gateway(fake_config()))
        folder = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="patchbay-test-"))
        cls.cert, key = make_certificate(pathlib.Path(folder))
        cls.proxy = TlsProxy(cls.cert, key, cls.gateway.port)
        cls.addClassCleanup(cls.proxy.close)

    def call(self, host, cert_file):
        url = f"https://{host}:{self.proxy.port}/mcp"
        env = {"SSL_CERT_FILE": cert_file, "SSL_CERT_DIR": "/nonexistent"}
        return run("call", url, "fake__add", "a=2", "b=40", env=env)

    def test_a_call(self):
        done = self.call("localhost", self.cert)
        self.assertEqual((done.returncode, done.stdout.strip()), (0, "42"), done.stderr)

    def test_an_unknown_signer_is_refused(self):
        done = self.call("localhost", "/nonexistent")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("certificate is not accepted", done.stderr)

    def test_another_name_is_refused(self):
        done = self.call("127.0.0.1", self.cert)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("IP address mismatch", done.stderr)


if __name__ == "__main__":
    main()
