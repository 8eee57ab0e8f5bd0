"""A store that gateways share: a redis-server of its own for each test, on a port of its own, and gateways
that use it.

Where there is neither valkey-server nor redis-server, the tests are skipped with the reason in one line.
"""

import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import unittest

from harness import Gateway, TestCase, fake, wait_until

KEYS = ["shared " * 8]
PROGRAM = shutil.which("valkey-server") or shutil.which("redis-server")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class RedisServer:
    """Started at once; ends with stop(). Without files, unless `folder` is given."""

    def __init__(self, *options, folder=None, port=None):
        self.port, self.folder, self.options = port or free_port(), folder, options
        self.process = None
        self.start()

    def start(self):
        plain = [] if "--tls-port" in self.options else ["--port", str(self.port)]
        save = ["--save", ""] if self.folder is None else ["--appendonly", "yes", "--appendfsync", "always"]
        self.process = subprocess.Popen(
            [PROGRAM, *plain, "--bind", "127.0.0.1", "--dir", str(self.folder or "/tmp"), *save, *self.options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wait_until(self.listens, "the server to listen")

    def listens(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def command(self, line):
        """Sends a line; gives the beginning of what is answered."""
        with socket.create_connection(("127.0.0.1", self.port)) as connection:
            connection.sendall(line.encode() + b"\r\n")
            return connection.recv(65536).decode()

    def pause(self):
        """It accepts connections and answers nothing."""
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def stop(self):
        self.process.kill()
        self.process.wait()


@unittest.skipUnless(PROGRAM, "there is no redis-server or valkey-server")
class RedisCase(TestCase):
    def setUp(self):
        super().setUp()
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def server(self, *options, **settings):
        server = RedisServer(*options, **settings)
        self.addCleanup(server.stop)
        return server

    def config(self, url, cluster=None, **settings):
        section = {"keys": KEYS, "store": "redis", **(cluster or {})}
        section["redis"] = {"url": url, "request_timeout": "1s", **section.get("redis", {})}
        base = {"workers": 2, "names": {"prefix": "never"}, "upstreams": {"fake": fake(isolation="shared")}}
        return {**base, "cluster": section, **settings}

    def url(self, server):
        return f"redis://127.0.0.1:{server.port}"

    def start(self, config):
        return self.enterContext(Gateway(config))

    def problems(self, gateway):
        return " ".join(gateway.get("/ready").json().get("problems", []))

    def connected(self, gateway):
        return gateway.metric("patchbay_store_connected") == 1
