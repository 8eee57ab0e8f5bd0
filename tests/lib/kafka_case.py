"""Shared by the tests of the bus: a gateway with an embedded bus, and a peer on it."""

import json
import shutil
import subprocess
import urllib.error
import urllib.request

from harness import ROOT, Gateway, TestCase, wait_until
from waiting import TIMEOUT, Lines

PEER = ROOT / "testing" / "kafka_peer.py"
PYTHON = "/usr/bin/python3"  # Debian's modules are there, whatever else comes first in PATH.
KCAT = shutil.which("kcat")
JSON = {"Content-Type": "application/json"}
REGISTRY = "_agent_registry"

# What an agent of the older generation takes and gives.
REQUEST = {
    "type": "object",
    "properties": {"do": {"type": "string"}, "n": {"type": "integer"}},
    "additionalProperties": True,
}
RESPONSE = {
    "type": "object",
    "properties": {"echo": {"type": "object"}},
}


def free_of_kafka():
    """Why the peer cannot run here; None if it can."""
    done = subprocess.run(
        [PYTHON, "-c", "import confluent_kafka"], capture_output=True, check=False
    )
    return None if done.returncode == 0 else "python3-confluent-kafka is not installed"


class Peer:
    """testing/kafka_peer.py as a context manager: one command, one answer."""

    def __init__(self, brokers, registry_topic=REGISTRY):
        self.registry_topic = registry_topic
        self.process = subprocess.Popen(
            [PYTHON, str(PEER), brokers],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.stdout = Lines(self.process.stdout)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()

    def ask(self, op, **command):
        start = self.stdout.count()
        self.process.stdin.write(json.dumps({"op": op, **command}).encode() + b"\n")
        self.process.stdin.flush()
        answer = json.loads(self.stdout.wait_for(lambda line: True, start))
        if "error" in answer:
            raise AssertionError(f"{op}: {answer['error']}")
        return answer

    def produce(self, topic, key, value, **headers):
        self.ask("produce", topic=topic, key=key, value=value, headers=headers)

    def consume(self, topic):
        """Everything that is in a topic."""
        return self.ask("consume", topic=topic)["records"]

    def commit(self, topic, group):
        """The group has read all that is in the topic. Returns the number of partitions."""
        return self.ask("commit", topic=topic, group=group)["partitions"]

    def agent(self, name, **settings):
        """Starts an agent on NAME.requests and NAME.responses."""
        topics = {"request": f"{name}.requests", "response": f"{name}.responses"}
        self.ask("agent", **{**topics, **settings})

    def register(self, name, **more):
        registration = {
            "name": name,
            "description": f"What {name} does",
            "requestTopicName": f"{name}.requests",
            "responseTopicName": f"{name}.responses",
            **more,
        }
        self.produce(self.registry_topic, json.dumps({"name": name}), registration)

    def unregister(self, name):
        self.produce(self.registry_topic, json.dumps({"name": name}), None)


class Registry:
    """A Schema Registry as its clients see it."""

    def __init__(self, url):
        self.url = url

    def ask(self, method, path, body=None):
        request = urllib.request.Request(
            self.url + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/vnd.schemaregistry.v1+json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
                return response.status, json.load(response)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def add(self, subject, schema, kind="JSON"):
        text = schema if isinstance(schema, str) else json.dumps(schema)
        status, answer = self.ask(
            "POST", f"/subjects/{subject}/versions", {"schemaType": kind, "schema": text}
        )
        if status != 200:
            raise AssertionError(answer)
        return answer["id"]


def bus_config(upstream=None, **settings):
    """One upstream `bus` on the embedded bus, with one worker by default."""
    base = {"kind": "kafka", "retry_interval": "100ms", "response_timeout_ms": 10000}
    return {"workers": 1, "upstreams": {"bus": {**base, **(upstream or {})}}, **settings}


class KafkaCase(TestCase):
    """A gateway with a bus and a peer, for all tests of a class. The bus is the embedded one unless
    there is a cluster."""

    upstream = {}
    settings = {}
    cluster = None  # kafka_cluster.Cluster
    registry_topic = REGISTRY

    @classmethod
    def where(cls):
        """The settings with the address of the bus."""
        if not cls.cluster:
            return {}
        return {
            "kafka": {"bootstrap.servers": cls.cluster.brokers},
            "schema_registry": {"url": cls.cluster.registry_url},
            "registry_topic": cls.registry_topic,
            "client_id": "tests",
        }

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        why = free_of_kafka()
        if why:
            raise AssertionError(why)
        if cls.cluster:
            cls.registry_topic = f"_agents_{cls.__name__}"
        config = bus_config({**cls.upstream, **cls.where()}, **cls.settings)
        cls.gateway = cls.enterClassContext(Gateway(config))
        if cls.cluster:
            cls.brokers, registry = cls.cluster.brokers, cls.cluster.registry_url
        else:
            bus = cls.gateway.get("/health").json()["bus"]
            cls.brokers, registry = bus["bootstrap"], bus["schema_registry"]
        cls.registry = Registry(registry)
        cls.peer = cls.enterClassContext(Peer(cls.brokers, cls.registry_topic))

    def send(self, method, path, body=None, headers=None):
        with self.gateway.connect() as connection:
            fields = {**(JSON if body is not None else {}), **(headers or {})}
            return connection.request(method, path, fields, body)

    def call(self, tool, body=None, **headers):
        return self.send("POST", f"/api/{tool}", {} if body is None else body, headers)

    def tools(self):
        listed = self.gateway.get("/mcp/v1/tools?server=bus").json()["tools"]
        return {tool["name"].removeprefix("bus."): tool for tool in listed}

    def wait_for_tool(self, name, there=True):
        wait_until(
            lambda: (name in self.tools()) == there,
            f"the tool {name} to be {'listed' if there else 'gone'}",
        )

    def dropped(self, why):
        return self.gateway.metric("patchbay_bus_replies_dropped_total", why=why)


def kcat(brokers, *args, stdin=None):
    """Runs kcat to its end; gives what it prints."""
    done = subprocess.run(
        [KCAT, "-b", brokers, "-q", *args],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=True,
    )
    return done.stdout
