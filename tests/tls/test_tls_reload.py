"""New certificates, keys, authorities and revocation lists while the gateway serves."""

import pathlib
import signal
import ssl
import sys
import threading

sys.path.insert(1, sys.path[0] + "/../lib")

from certificates import Authority
from harness import McpSession, main, text_of, wait_until
from tls_case import TlsCase, replace, trusting


class Reload(TlsCase):
    def setUp(self):
        self.cert = self.file("live.pem", self.server[0])
        self.key = self.file("live.key", self.server[1])
        self.anyone = trusting(self.authority.pem)
        self.anyone.check_hostname = False

    def presented(self, gateway, context=None):
        with gateway.connect(context=context or self.anyone) as connection:
            return connection.socket.getpeercert()["serialNumber"]

    def renew(self, name="renewed"):
        cert, key = self.authority.server(name)
        self.file("live.key", key)
        self.file("live.pem", cert)

    def start_watching(self, **tls):
        return self.start(self.anyone, server=(self.cert, self.key), **tls)

    def test_a_renewed_certificate_is_presented(self):
        gateway = self.start_watching()
        before = self.presented(gateway)
        with McpSession(gateway) as session:
            self.renew()
            wait_until(lambda: self.presented(gateway) != before)
            self.assertEqual(text_of(session.call("fake__add", a=2, b=40)), "42")  # Still there.

    def test_a_broken_file_keeps_the_old_one(self):
        gateway = self.start_watching()
        before = self.presented(gateway)
        for content, why in ((b"", "there is none in it"), (b"-----BEGIN rubbish", "cert '")):
            start = gateway.stderr.count()
            replace(self.cert, content)
            self.assertIn("live.pem", gateway.stderr.wait_for("reload refused", start))
            self.assertIn(why, gateway.stderr.text())
            self.assertEqual(self.presented(gateway), before)
        start = gateway.stderr.count()
        cert, _ = self.authority.server("unmatched")
        self.file("live.pem", cert)
        self.assertIn("mismatch", gateway.stderr.wait_for("reload refused", start))
        self.assertEqual(self.presented(gateway), before)
        self.renew("mended")
        wait_until(lambda: self.presented(gateway) != before)

    def test_sighup_reads_what_is_not_watched(self):
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        cert, key = self.authority.server("moved")
        real, link = elsewhere / "real.pem", self.folder / "link.pem"
        replace(real, pathlib.Path(cert).read_bytes())
        link.symlink_to(real)
        gateway = self.start(self.anyone, server=(str(link), key))
        before = self.presented(gateway)
        self.authority.sign_again("moved", real)
        gateway.process.send_signal(signal.SIGHUP)
        wait_until(lambda: self.presented(gateway) != before)

    def test_no_request_fails_meanwhile(self):
        gateway = self.start_watching()
        done, failures, answered = threading.Event(), [], []

        def ask():
            while not done.is_set():
                try:
                    with gateway.connect(context=self.anyone) as connection:
                        for _ in range(3):
                            if connection.request("GET", "/health").status != 200:
                                raise AssertionError("not 200")
                    answered.append(1)
                except Exception as error:  # pylint: disable=broad-except
                    failures.append(error)
                    return

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for number in range(5):
            before = self.presented(gateway)
            self.renew(f"renewed{number}")
            wait_until(lambda: self.presented(gateway) != before)  # pylint: disable=cell-var-from-loop
        seen = len(answered)
        wait_until(lambda: failures or len(answered) > seen)
        done.set()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_a_client_is_revoked(self):
        crl = self.authority.revocations()
        gateway = self.start(self.known, client_ca=self.authority.pem, crl=crl)
        with gateway.connect() as connection:
            self.assertEqual(connection.request("GET", "/health").status, 200)
            ticket = connection.socket.session
            self.authority.revocations(self.client[0])
            wait_until(lambda: not self.may_enter(gateway))
            # Neither does a ticket of before let it in.
            self.assert_refused(gateway, self.known, "revoked", session=ticket)
            # Open connections continue.
            self.assertEqual(connection.request("GET", "/health").status, 200)

    def test_an_authority_is_replaced(self):
        trusted = self.file("trusted.pem", self.authority.pem)
        gateway = self.start(self.known, client_ca=trusted)
        self.assertTrue(self.may_enter(gateway))
        newcomer = Authority(self.folder, "newcomer")
        self.file("trusted.pem", newcomer.pem)
        wait_until(lambda: not self.may_enter(gateway))
        fresh = trusting(self.authority.pem, newcomer.client("fresh"))
        self.assertTrue(self.may_enter(gateway, fresh))

    @staticmethod
    def may_enter(gateway, context=None):
        try:
            with gateway.connect(context=context) as connection:
                return connection.request("GET", "/health").status == 200
        except (ssl.SSLError, OSError):
            return False

    def test_the_configuration_names_another_file(self):
        gateway = self.start_watching()
        before = self.presented(gateway)
        other = self.authority.server("another")
        gateway.write_config(self.config(server=other))
        wait_until(lambda: self.presented(gateway) != before)
        # The new file is watched as well.
        before = self.presented(gateway)
        self.authority.server("another")
        wait_until(lambda: self.presented(gateway) != before)

    def test_another_address_needs_a_restart(self):
        gateway = self.start_watching()
        gateway.write_config(self.config(server=(self.cert, self.key), listen="127.0.0.1:1"))
        gateway.stderr.wait_for("restart needed")
        self.assertEqual(gateway.get("/health").status, 200)


if __name__ == "__main__":
    main()
