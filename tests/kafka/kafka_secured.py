"""Kafka that authenticates its clients: TLS, passwords and tokens, from the file and from the
environment. Part of tests/kafka/test_kafka_apache.py."""

import base64
import json
import pathlib
import tempfile
import time

from certificates import SERVER, Authority
from harness import Gateway, TestCase, run, wait_until
from kafka_case import JSON, KafkaCase, Peer
from kafka_cluster import PASSWORD, USER


class Keys:
    """What a broker under TLS needs, in a folder."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        authority = Authority(self.folder)
        authority.sign("broker", SERVER, "subjectAltName=IP:127.0.0.1,DNS:localhost")
        # Kafka wants the key in PKCS 8, which is what openssl writes.
        self.keystore = self.folder / "keystore.pem"
        parts = [(self.folder / name).read_text() for name in ("broker.key", "broker.pem")]
        self.keystore.write_text("".join(parts))
        self.ca = authority.pem
        self.client, self.client_key = authority.client()
        self.other = Authority(self.folder, "other")


def unsigned_token():
    """A token that Kafka's development validator takes."""

    def part(value):
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    now = time.time()
    claims = {"sub": USER, "iat": now, "exp": now + 3600}
    return f"{part({'alg': 'none'})}.{part(claims)}."


class Secured(TestCase):
    """REQUIRES: KafkaCase.cluster has a listener under TLS with `keys`."""

    keys = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cluster = KafkaCase.cluster
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        # Agents come by the listener that asks nothing.
        cls.peer = cls.enterClassContext(Peer(cls.cluster.brokers, "_agents_secured"))
        cls.peer.agent("guarded")
        cls.peer.register("guarded")

    def properties(self, **more):
        return {
            "bootstrap.servers": self.cluster.secure_brokers(),
            "security.protocol": "SASL_SSL",
            "ssl.ca.location": self.keys.ca,
            **{name.replace("_", "."): value for name, value in more.items()},
        }

    def check(self, **upstream):
        """An agent answers over a gateway with these settings."""
        common = {"kind": "kafka", "client_id": "t", "registry_topic": "_agents_secured"}
        with Gateway({"workers": 1, "upstreams": {"bus": {**common, **upstream}}}) as gateway:

            def call():
                with gateway.connect() as connection:
                    return connection.request("POST", "/api/guarded", JSON, {"n": 1})

            wait_until(lambda: call().status == 200, "the agent to answer")
            self.assertNotIn(PASSWORD, gateway.stderr.text() + gateway.stdout.text())

    def test_plain(self):
        login = {"sasl_username": USER, "sasl_password": PASSWORD}
        self.check(kafka=self.properties(sasl_mechanism="PLAIN", **login))

    def test_scram(self):
        login = {"sasl_username": USER, "sasl_password": PASSWORD}
        self.check(kafka=self.properties(sasl_mechanism="SCRAM-SHA-256", **login))

    def test_token(self):
        file = self.folder / "token"
        file.write_text(unsigned_token() + "\n", encoding="ascii")
        properties = self.properties(sasl_mechanism="OAUTHBEARER")
        self.check(kafka=properties, bearer_token_file=str(file))

    def tls(self, listener, **more):
        """TLS and no more; on the listener `mutual` clients need a certificate."""
        return {
            **self.properties(**more),
            "security.protocol": "SSL",
            "bootstrap.servers": self.cluster.secure_brokers(listener),
        }

    def test_tls_alone(self):
        self.check(kafka=self.tls("tls"))

    def test_tls_on_the_command_line(self):
        properties = [f"{name}={value}" for name, value in self.tls("tls").items()]
        args = [word for one in properties for word in ("-X", one)]
        args += ["--registry-topic", "_agents_secured", "--json"]
        done = run("bus", "list", *args)
        self.assertEqual([one["name"] for one in json.loads(done.stdout)], ["guarded"], done.stderr)
        args += ["-X", f"ssl.ca.location={self.keys.other.pem}", "--timeout", "2"]
        failed = run("bus", "list", *args)
        self.assertNotEqual(failed.returncode, 0)
        self.assertIn("certificate verify failed", failed.stderr)

    def test_a_certificate_of_the_client(self):
        files = {
            "ssl_certificate_location": self.keys.client,
            "ssl_key_location": self.keys.client_key,
        }
        self.check(kafka=self.tls("mutual", **files))

    def refused(self, properties, why):
        """The bus cannot be used with these: the log and the upstream's state have the reason."""
        upstream = {"kind": "kafka", "client_id": "t", "kafka": properties, "lookup_timeout": "1s"}
        config = {"upstreams": {"bus": upstream}, "limits": {"start_timeout": "1s"}}
        with Gateway(config) as gateway:
            state = lambda: gateway.get("/ready").json()["upstreams"][0]["detail"]
            wait_until(lambda: why in state(), f"a state that says {why}")
            self.assertTrue(gateway.degraded())
            gateway.stderr.wait_for(why)
            return gateway.stderr.text()

    def test_an_authority_that_is_not_trusted(self):
        self.refused(self.tls("tls", ssl_ca_location=self.keys.other.pem), "ssl.ca.location")

    def test_no_certificate_of_the_client(self):
        self.refused(self.tls("mutual"), "ssl.certificate.location")

    def test_a_certificate_that_the_broker_does_not_trust(self):
        certificate, key = self.keys.other.client("stranger")
        files = {"ssl_certificate_location": certificate, "ssl_key_location": key}
        self.refused(self.tls("mutual", **files), "the broker refuses our certificate")

    def test_wrong_password(self):
        login = {"sasl_username": USER, "sasl_password": "wrong-word"}
        properties = self.properties(sasl_mechanism="PLAIN", **login)
        self.assertNotIn("wrong-word", self.refused(properties, "Authentication failed"))

    def test_the_environment(self):
        variables = {
            "BROKER_URL": self.cluster.secure_brokers(),
            "JAAS_USERNAME": USER,
            "JAAS_PASSWORD": PASSWORD,
            "SR_URL": "http://127.0.0.1:1",
            "SR_API_KEY": "",
            "SR_API_SECRET": "",
            "REGISTRY_TOPIC": "_agents_secured",
        }
        # Without SR_URL's registry nothing is offered; the bus itself is reached all the same.
        properties = {"ssl.ca.location": self.keys.ca}
        config = {"upstreams": {"bus": {"kind": "kafka", "kafka": properties}}}
        with Gateway(config, env=variables) as gateway:
            wait_until(
                lambda: "guarded: subject guarded.requests-key: the schema registry"
                in gateway.get("/ready").body.decode(),
                "the agent to be read",
            )
            pid = pathlib.Path(gateway.cwd) / ".pid"
            self.assertRegex(pid.read_text(), "^[0-9a-f-]{36}$")
            self.assertEqual(pid.stat().st_mode & 0o777, 0o600)
