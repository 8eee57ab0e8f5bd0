#!/usr/bin/env python3
"""Apache Kafka (KRaft) and a Schema Registry with Confluent's API, on loopback, for tests and for
developers. The programs come from Maven Central and are stored in build-kafka/.

usage: kafka_cluster.py up [NODES] | down | fetch
"""

import fcntl
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
HOME = ROOT / "build-kafka"
JARS = HOME / "kafka"
REGISTRY = HOME / "registry"
STATE = HOME / "running"
POM = ROOT / "testing" / "kafka" / "pom.xml"
REGISTRY_ARCHIVE = "io.apicurio:apicurio-registry-app:2.6.13.Final:tar.gz:all"
FETCH_S = 600
START_S = 120


class LeftOut(Exception):
    """Why there is no Kafka here, in one line."""


def run_maven(what, *arguments):
    try:
        done = subprocess.run(
            ["mvn", "-q", "-B", *arguments],
            capture_output=True,
            text=True,
            timeout=FETCH_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise LeftOut(f"Maven Central is too slow: no {what}") from None
    if done.returncode != 0:
        raise LeftOut(f"Maven Central cannot be reached: no {what}")


def fetch_kafka():
    stamp = JARS / ".fetched-by"
    if stamp.exists() and stamp.read_bytes() == POM.read_bytes():
        return
    shutil.rmtree(JARS, ignore_errors=True)
    arguments = ["-f", str(POM), "dependency:copy-dependencies", "-DincludeScope=runtime"]
    run_maven("Apache Kafka", *arguments, f"-DoutputDirectory={JARS}")
    stamp.write_bytes(POM.read_bytes())


def fetch_registry():
    stamp = REGISTRY / ".fetched-from"
    if stamp.exists() and stamp.read_text() == REGISTRY_ARCHIVE:
        return
    shutil.rmtree(REGISTRY, ignore_errors=True)
    REGISTRY.mkdir(parents=True)
    with tempfile.TemporaryDirectory(dir=HOME) as folder:
        arguments = ["dependency:copy", f"-Dartifact={REGISTRY_ARCHIVE}"]
        run_maven("Schema Registry", *arguments, f"-DoutputDirectory={folder}")
        (archive,) = pathlib.Path(folder).iterdir()
        with tarfile.open(archive) as tar:
            # Not every Python that we run on knows filters.
            safe = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
            tar.extractall(REGISTRY, **safe)
    stamp.write_text(REGISTRY_ARCHIVE)


def fetch():
    """Existing files are not fetched again; concurrent fetches wait for each other."""
    for program in ("java", "mvn"):
        if not shutil.which(program):
            raise LeftOut(f"{program} is not installed: no Apache Kafka")
    HOME.mkdir(exist_ok=True)
    with (HOME / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        fetch_kafka()
        fetch_registry()


class Ports:
    """Ports that no other process gets while we hold them: a listener with SO_REUSEADDR, as Java
    does, may have one in spite of us, and have it again after it has died."""

    def __init__(self):
        self.sockets = []

    def next(self):
        held = socket.socket()
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(("127.0.0.1", 0))
        self.sockets.append(held)
        return held.getsockname()[1]

    def close(self):
        for held in self.sockets:
            held.close()


def wait_for(condition, what):
    deadline = time.monotonic() + START_S
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"gave up waiting for {what}")
        time.sleep(0.05)


def listens(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def answers(url):
    try:
        with urllib.request.urlopen(url, timeout=2) as response:
            return response.status == 200
    except (OSError, urllib.error.URLError):
        return False


SETTINGS = """\
process.roles=broker,controller
node.id={node}
controller.quorum.voters={voters}
listeners=BROKER://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=BROKER://127.0.0.1:{port}
listener.security.protocol.map=BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT
inter.broker.listener.name=BROKER
controller.listener.names=CONTROLLER
log.dirs={folder}/data
num.partitions=4
default.replication.factor={replicas}
min.insync.replicas={in_sync}
offsets.topic.num.partitions=4
offsets.topic.replication.factor={replicas}
transaction.state.log.num.partitions=1
transaction.state.log.replication.factor={replicas}
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
broker.session.timeout.ms=4000
broker.heartbeat.interval.ms=500
controlled.shutdown.enable=false
"""


# Listeners under TLS: CLIENT for clients that authenticate by password or by token, TLS for any,
# MUTUAL for those with a certificate. The tokens are not signed, which Kafka takes for trying things
# out.
SECURE_SETTINGS = """\
listeners=BROKER://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller},\
CLIENT://127.0.0.1:{client},TLS://127.0.0.1:{tls},MUTUAL://127.0.0.1:{mutual}
advertised.listeners=BROKER://127.0.0.1:{port},\
CLIENT://127.0.0.1:{client},TLS://127.0.0.1:{tls},MUTUAL://127.0.0.1:{mutual}
listener.security.protocol.map=BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT,\
CLIENT:SASL_SSL,TLS:SSL,MUTUAL:SSL
ssl.keystore.type=PEM
ssl.keystore.location={keystore}
listener.name.mutual.ssl.client.auth=required
listener.name.mutual.ssl.truststore.type=PEM
listener.name.mutual.ssl.truststore.location={truststore}
listener.name.client.sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,OAUTHBEARER
listener.name.client.plain.sasl.jaas.config=\
org.apache.kafka.common.security.plain.PlainLoginModule required user_{user}="{password}";
listener.name.client.scram-sha-256.sasl.jaas.config=\
org.apache.kafka.common.security.scram.ScramLoginModule required;
listener.name.client.oauthbearer.sasl.jaas.config=\
org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required \
unsecuredLoginStringClaim_sub="{user}";
"""
SECURE = ("client", "tls", "mutual")
USER, PASSWORD = "agent", "not-a-secret"


class Node:
    def __init__(self, folder, settings):
        self.folder, self.port = folder, settings["port"]
        folder.mkdir(parents=True)
        self.file = folder / "server.properties"
        text = SETTINGS.format(folder=folder, **settings) + settings["more"]
        self.secure = {name: settings[name] for name in SECURE if name in settings}
        if self.secure:
            own = SECURE_SETTINGS.format(user=USER, password=PASSWORD, **settings)
            names = {line.partition("=")[0] for line in own.splitlines()}
            rest = [line for line in text.splitlines() if line.partition("=")[0] not in names]
            text = "\n".join(rest) + "\n" + own
        self.file.write_text(text, encoding="ascii")
        self.process, self.stays = None, settings["stays"]
        self.log = (folder / "log").open("ab")

    def java(self, *args):
        options = ["-Xmx256m", "-Xms64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
        options += ["-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", f"{JARS}/*"]
        return ["java", *options, *args]

    def format(self, cluster):
        command = self.java("kafka.tools.StorageTool", "format", "-t", cluster, "-c", str(self.file))
        if self.secure:
            command += ["--add-scram", f"SCRAM-SHA-256=[name={USER},password={PASSWORD}]"]
        return subprocess.Popen(command, stdout=self.log, stderr=self.log)

    def start(self):
        self.process = subprocess.Popen(
            self.java("kafka.Kafka", str(self.file)),
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=self.log,
            start_new_session=self.stays,  # Else a signal to the tests would end it too.
        )

    def kill(self):
        self.process.kill()
        self.process.wait()


class Cluster:
    """Nodes of Kafka, and a Schema Registry, in a folder of their own."""

    def __init__(self, nodes=1, registry=True, folder=None, tls=None, settings=""):
        """With `tls`, there are listeners under TLS: its keystore is a PEM file of a key and its
        certificate, its truststore one of the authorities for clients. `settings` are further
        lines for the file of a broker."""
        fetch()
        self.temporary = None if folder else tempfile.TemporaryDirectory(prefix="patchbay-kafka-")
        self.folder = pathlib.Path(folder or self.temporary.name)
        self.ports = Ports()
        controllers = [self.ports.next() for _ in range(nodes)]
        voters = ",".join(f"{i + 1}@127.0.0.1:{port}" for i, port in enumerate(controllers))
        self.nodes = [
            Node(
                self.folder / f"node-{i + 1}",
                {
                    "node": i + 1,
                    "voters": voters,
                    "port": self.ports.next(),
                    "controller": controllers[i],
                    "replicas": min(3, nodes),
                    "in_sync": 2 if nodes > 2 else 1,
                    "stays": folder is not None,
                    "more": settings,
                    **({**tls, **{name: self.ports.next() for name in SECURE}} if tls else {}),
                },
            )
            for i in range(nodes)
        ]
        self.with_registry = registry
        self.registry = self.registry_url = None

    @property
    def brokers(self):
        return ",".join(f"127.0.0.1:{node.port}" for node in self.nodes)

    def secure_brokers(self, listener="client"):
        return ",".join(f"127.0.0.1:{node.secure[listener]}" for node in self.nodes)

    def start(self):
        if self.with_registry:
            self.start_registry()
        formats = [node.format("cGF0Y2hiYXktdGVzdHMtMQ") for node in self.nodes]
        for node, formatted in zip(self.nodes, formats):
            if formatted.wait(START_S) != 0:
                raise AssertionError("Kafka cannot be set up: see the log of " + str(node.folder))
        for node in self.nodes:
            node.start()
        for node in self.nodes:
            wait_for(lambda port=node.port: listens(port), "a broker to listen")
        if self.with_registry:
            wait_for(lambda: answers(f"{self.registry_url}/subjects"), "the registry to answer")

    def start_registry(self):
        port = self.ports.next()
        jar = next(REGISTRY.rglob("*-runner.jar"))
        with (self.folder / "registry.log").open("ab") as log:
            self.registry = subprocess.Popen(
                ["java", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
                 f"-Dquarkus.http.port={port}", "-Dquarkus.http.host=127.0.0.1", "-jar", str(jar)],
                cwd=jar.parent,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=self.temporary is None,
            )  # fmt: skip
        self.registry_url = f"http://127.0.0.1:{port}/apis/ccompat/v7"

    def processes(self):
        return [one for one in (*(node.process for node in self.nodes), self.registry) if one]

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in self.processes():
            process.kill()
            process.wait()
        self.ports.close()
        for node in self.nodes:
            node.log.close()
        if self.temporary:
            self.temporary.cleanup()


def up(nodes):
    if STATE.exists():
        sys.exit("kafka: it is up already; `./dev kafka down` ends it")
    shutil.rmtree(HOME / "data", ignore_errors=True)
    cluster = Cluster(nodes, folder=HOME / "data")
    cluster.start()
    STATE.write_text(" ".join(str(one.pid) for one in cluster.processes()), encoding="ascii")
    print(f"brokers          {cluster.brokers}")
    print(f"schema registry  {cluster.registry_url}")
    print(f"try: build/patchbay bus list --broker {cluster.brokers}")
    os._exit(0)  # They go on.


def down():
    if not STATE.exists():
        sys.exit("kafka: it is not up")
    for pid in STATE.read_text(encoding="ascii").split():
        try:
            # Each leads its own session; no other process is touched.
            os.killpg(int(pid), signal.SIGKILL)
        except ProcessLookupError:
            pass
    STATE.unlink()
    shutil.rmtree(HOME / "data", ignore_errors=True)


def main():
    try:
        if sys.argv[1:2] == ["up"] and len(sys.argv) <= 3:
            up(int(sys.argv[2]) if len(sys.argv) == 3 else 1)
        elif sys.argv[1:] == ["down"]:
            down()
        elif sys.argv[1:] == ["fetch"]:
            fetch()
        else:
            sys.exit(__doc__)
    except LeftOut as why:
        sys.exit(f"kafka: {why}")


if __name__ == "__main__":
    main()
