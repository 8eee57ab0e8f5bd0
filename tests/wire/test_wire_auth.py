"""Authentication on the wire protocol over TCP: tokens in messages, certificates, and expiry."""

import ssl
import sys
import time
import warnings

sys.path.insert(1, sys.path[0] + "/../lib")

from auth_case import OTHER, TOKEN, TOKENS
from certificates import Authority
from harness import fake_config, main, wait_until
from jwt_issuer import Issuer, Key
from tls_case import TlsCase, trusting
from wire_case import WireCase, WireGateway
from wire_client import CLOSE, DATA, ERROR, Ended, WireClient, envelope, frame, rpc

BEARER = f"Bearer {TOKEN}"
AGENT = {"san": "uri:spiffe://test/client", "name": "agent", "roles": ["reader"]}


class Tokens(WireCase):
    def test_without_credentials_there_is_nothing(self):
        gateway = self.start({"auth": TOKENS})
        for fields in ({}, {"auth_token": "Bearer wrong-token-0123456789"}, {"auth_token": "x"}):
            with gateway.client() as client:
                error = client.refusal(rpc("tools/list"), **fields)
                self.assertEqual(error["code"], "UNAUTHORIZED")
                self.assertEqual(client.read(CLOSE), b"UNAUTHORIZED")
                client.assert_ended()

    def test_what_is_no_message_gets_no_second_try(self):
        client = self.client(self.start({"auth": TOKENS}))
        client.send_bytes(frame(DATA, b'{"id":"x"}'))
        self.assertEqual(client.read(ERROR)["error"]["code"], "INVALID_REQUEST")
        client.assert_ended()

    def test_strangers_may_not_send_much(self):
        client = self.client(self.start({"auth": TOKENS}))
        client.send_bytes(b"MC\x01\x00\x20\x00\x00" + b'{"')
        self.assertEqual(client.read(ERROR)["error"]["details"]["reason"], "too_large")
        client.assert_ended()

    def test_how_much_strangers_may_send(self):
        gateway = self.start({"auth": TOKENS}, wire={"max_unauthenticated_frame_size": "4KiB"})
        client = self.client(gateway)
        client.send_bytes(b"MC\x01\x00\x00\x20\x00" + b'{"')
        self.assertEqual(client.read(ERROR)["error"]["details"]["reason"], "too_large")
        client.assert_ended()
        client = self.client(gateway)
        self.assertEqual(client.result(rpc("ping"), auth_token=BEARER), {})
        self.assertEqual(client.result(rpc("ping", {"_meta": {"x": "y" * 8192}})), {})

    def test_the_first_token_speaks_for_the_connection(self):
        gateway = self.start({"auth": TOKENS})
        client = self.client(gateway)
        self.assertEqual(client.result(rpc("ping"), auth_token=BEARER), {})
        self.assertEqual(client.result(rpc("ping")), {})
        self.assertEqual(client.result(rpc("ping"), auth_token=TOKEN), {})  # Without "Bearer ".

    def test_a_token_that_is_there_is_checked(self):
        client = self.client(self.start({"auth": TOKENS}))
        self.assertEqual(client.result(rpc("ping"), auth_token=BEARER), {})
        error = client.refusal(rpc("ping"), auth_token="Bearer not-a-known-token-0123")
        self.assertEqual(error["code"], "UNAUTHORIZED")
        error = client.refusal(rpc("ping"), auth_token=f"Bearer {OTHER}")
        self.assertEqual(error["code"], "FORBIDDEN")
        self.assertEqual(client.result(rpc("ping")), {})

    def test_required_means_every_message(self):
        gateway = self.start({"auth": TOKENS}, wire={"per_message_auth": "required"})
        client = self.client(gateway)
        self.assertEqual(client.result(rpc("ping"), auth_token=BEARER), {})
        self.assertEqual(client.refusal(rpc("ping"))["code"], "UNAUTHORIZED")
        self.assertEqual(client.result(rpc("ping"), auth_token=BEARER), {})

    def test_off_means_the_first_message_alone(self):
        gateway = self.start({"auth": TOKENS}, wire={"per_message_auth": "off"})
        client = self.client(gateway)
        self.assertEqual(client.result(rpc("ping"), auth_token=BEARER), {})
        self.assertEqual(client.result(rpc("ping"), auth_token="Bearer whatever"), {})
        result = client.initialize()
        self.assertIs(result["capabilities"]["per_message_auth"], False)

    def test_messages_behind_a_token_wait_until_it_is_verified(self):
        gateway = self.start({"auth": TOKENS})
        client = self.client(gateway)
        first = client.ask(rpc("ping", request_id=1), auth_token=BEARER)
        asked = [first] + [client.ask(rpc("ping", request_id=i)) for i in range(2, 20)]
        self.assertEqual(sorted(client.read()["correlation_id"] for _ in asked), sorted(asked))

    def test_limits_are_each_callers_own(self):
        limit = {"enabled": True, "default_limit": 3, "window": "60s"}
        gateway = self.start({"auth": TOKENS}, wire={"rate_limiting": limit})
        for token in (TOKEN, OTHER):
            with gateway.client() as client:
                for _ in range(3):
                    self.assertIn("tools", client.result(rpc("tools/list"), auth_token=token))
            # Reconnecting gains nothing.
            with gateway.client() as client:
                error = client.refusal(rpc("tools/list"), auth_token=token)
                self.assertEqual(error["code"], "RATE_LIMIT_EXCEEDED")

    def test_an_empty_token_is_no_token(self):
        gateway = self.start({"auth": TOKENS})
        for token in ("", "Bearer ", "Bearer"):
            with gateway.client() as client:
                error = client.refusal(rpc("ping"), auth_token=token)
                self.assertEqual(error["code"], "UNAUTHORIZED", repr(token))
                client.assert_ended()

    def test_others_cannot_lock_out_a_known_caller(self):
        auth = {**TOKENS, "failures": {"most": 3, "window": "60s"}}
        gateway = self.start({"auth": auth, "workers": 4})
        with gateway.client() as client:
            self.assertEqual(client.result(rpc("ping"), auth_token=BEARER), {})
        for i in range(3):
            with gateway.client() as client:
                client.refusal(rpc("ping"), auth_token=f"guess-number-{i}-0123456789")
        for _ in range(16):
            with gateway.client() as client:
                self.assertEqual(client.result(rpc("ping"), auth_token=BEARER), {})

    def test_guessing_does_not_pay(self):
        auth = {**TOKENS, "failures": {"most": 3, "window": "60s"}}
        gateway = self.start({"auth": auth})
        codes = []
        for i in range(5):
            with gateway.client() as client:
                error = client.refusal(rpc("ping"), auth_token=f"Bearer guess-number-{i}-0123456789")
                codes.append(error["code"])
        self.assertEqual(codes, ["UNAUTHORIZED"] * 3 + ["RATE_LIMIT_EXCEEDED"] * 2)

    def test_a_token_that_is_revoked_is_of_no_use_any_more(self):
        gateway = self.start({"auth": TOKENS})
        client = self.client(gateway)
        self.assertEqual(client.result(rpc("ping"), auth_token=BEARER), {})
        left = {"tokens": TOKENS["tokens"][1:]}
        gateway.write_config({"workers": 1, "auth": left, "wire": {"tcp": "127.0.0.1:0"}})
        gateway.stderr.wait_for("reloaded")
        self.assertEqual(client.refusal(rpc("ping"))["code"], "UNAUTHORIZED")
        self.assertEqual(client.refusal(rpc("ping"), auth_token=BEARER)["code"], "UNAUTHORIZED")

    def test_rules_hide_what_a_caller_may_not_use(self):
        rules = [{"role": "reader", "allow": ["skills.echo"]}]
        client = self.client(self.start({"auth": TOKENS, "rules": rules}))
        tools = client.result(rpc("tools/list"), auth_token=BEARER)["tools"]
        self.assertEqual([tool["name"] for tool in tools], ["skills__echo"])


class Expiry(WireCase):
    def test_a_token_expires_while_the_connection_is_open(self):
        key = Key("one")
        with Issuer(key) as issuer:
            gateway = self.start({"auth": issuer.auth(leeway="0s")})
            client = self.client(gateway)
            soon = int(time.time()) + 3
            token = issuer.token(exp=soon)
            self.assertEqual(client.result(rpc("ping"), auth_token=f"Bearer {token}"), {})
            wait_until(lambda: time.time() > soon + 0.1, "the token to expire")
            error = client.refusal(rpc("ping"))
            self.assertEqual(error["code"], "UNAUTHORIZED")
            self.assertIn("expired", error["message"])
            self.assertEqual(client.refusal(rpc("ping"), auth_token=token)["code"], "UNAUTHORIZED")
            # The connection is still good for a new one.
            self.assertEqual(client.result(rpc("ping"), auth_token=issuer.token()), {})
            self.assertEqual(client.result(rpc("ping")), {})


class Certificates(TlsCase):
    def wire(self, config=None, server=None, **tls):
        cert, key = server or self.server
        wire = {"tls": {"cert": cert, "key": key, **tls}}
        return self.enterContext(WireGateway({**fake_config(), **(config or {})}, wire))

    def test_tcps(self):
        gateway = self.wire()
        self.assertIn("tcps://", gateway.stdout.wait_for("wire tcp"))
        with gateway.client(context=self.context) as client:
            self.assertEqual(client.result(rpc("ping")), {})
            self.assertIn(client.socket.version(), ("TLSv1.2", "TLSv1.3"))
            client.send_bytes(frame(CLOSE))
            client.assert_ended()

    def test_frames_under_tls_in_any_pieces_and_sizes(self):
        gateway = self.wire()
        with gateway.client(context=self.context) as client:
            for size in (1, 1000, 16384, 300_000, 3_000_000):
                message = rpc("tools/call", {"name": "fake__echo", "arguments": {"text": "x" * size}})
                content = client.result(message)["content"]
                self.assertEqual(len(content[0]["text"]), size)

    def test_plain_frames_are_recognised(self):
        gateway = self.wire()
        with gateway.client() as client:
            client.ask(rpc("ping"))
            self.assertIn("tcps://", client.read(ERROR)["error"]["message"])
            client.assert_ended()
        gateway.stderr.wait_for("plain frames on a port with TLS")

    def test_old_tls_is_refused(self):
        gateway = self.wire()
        old = trusting(self.authority.pem)
        old.set_ciphers("DEFAULT:@SECLEVEL=0")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            old.minimum_version = ssl.TLSVersion.TLSv1
            old.maximum_version = ssl.TLSVersion.TLSv1_1
        with self.assertRaises((ssl.SSLError, OSError)):
            gateway.client(context=old)

    def test_a_certificate_is_a_caller(self):
        config = {"auth": {"certificates": [AGENT]}}
        gateway = self.wire(config, client_ca=self.authority.pem)
        with gateway.client(context=self.known) as client:
            self.assertEqual(client.result(rpc("ping")), {})
            client.result(rpc("tools/call", {"name": "fake__echo", "arguments": {"text": "x"}}))
        gateway.stderr.wait_for("who=agent")

    def test_foreign_and_expired_certificates(self):
        gateway = self.wire(client_ca=self.authority.pem)
        foreign = Authority(self.folder, "foreign").client("stranger")
        expired = self.authority.client("expired", days=-1)
        for certificate in (foreign, expired, None):
            with self.assertRaises((ssl.SSLError, ConnectionError, Ended)):
                with gateway.client(context=trusting(self.authority.pem, certificate)) as client:
                    client.request(rpc("ping"))
        with gateway.client(context=self.known) as client:
            self.assertEqual(client.result(rpc("ping")), {})

    def test_a_name_that_nobody_mapped_is_nobody(self):
        config = {"auth": {"certificates": [AGENT], **TOKENS}}
        gateway = self.wire(
            config, client_ca=self.authority.pem, client_certificates="optional"
        )
        other = trusting(self.authority.pem, self.authority.client("other", "URI:spiffe://test/x"))
        for context in (other, self.context):
            with gateway.client(context=context) as client:
                self.assertEqual(client.refusal(rpc("ping"))["code"], "UNAUTHORIZED")
            with gateway.client(context=context) as client:
                self.assertEqual(client.result(rpc("ping"), auth_token=BEARER), {})

    def test_required_tokens_are_required_of_certificates_too(self):
        config = {"auth": {"certificates": [AGENT], **TOKENS}}
        cert, key = self.server
        tls = {"cert": cert, "key": key, "client_ca": self.authority.pem}
        wire = {"tls": tls, "per_message_auth": "required"}
        gateway = self.enterContext(WireGateway({**fake_config(), **config}, wire))
        with gateway.client(context=self.known) as client:
            self.assertEqual(client.refusal(rpc("ping"))["code"], "UNAUTHORIZED")

    def test_the_client_checks_the_server(self):
        gateway = self.wire()
        other = Authority(self.folder, "unknown")
        with self.assertRaises(ssl.SSLError):
            WireClient(gateway.wire_port, context=trusting(other.pem))

    def test_a_client_that_stalls_in_the_handshake_is_cut_off(self):
        gateway = self.wire(handshake_timeout="200ms")
        with gateway.client() as client:
            client.send_bytes(b"\x16")
            client.assert_ended()
        with gateway.client(context=self.context) as client:
            message = envelope(rpc("ping"))
            client.send(message)
            self.assertEqual(client.read()["correlation_id"], message["id"])


if __name__ == "__main__":
    main()
