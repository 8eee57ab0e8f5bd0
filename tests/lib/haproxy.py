"""HAProxy in front of gateways, with the configuration of examples/cluster: round robin, no stickiness.

A HaProxy is used as a Gateway is, by clients. Where there is no haproxy, the tests are skipped.
"""

import re
import shutil
import subprocess

from harness import ROOT, Connection
from redis_case import free_port
from waiting import TIMEOUT, Lines, wait_until

PROGRAM = shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin")
CONFIG = ROOT / "examples" / "cluster" / "haproxy.cfg"
SERVER = re.compile(r"^( *server )(\w+) \S+$", re.MULTILINE)


def configuration(port, gateways):
    """The example's, with these addresses in place of its own."""
    text, bound = re.subn(r"bind \S+", f"bind 127.0.0.1:{port}", CONFIG.read_text(encoding="utf-8"))
    ports = iter([gateway.port for gateway in gateways])
    text, servers = SERVER.subn(lambda line: f"{line[1]}{line[2]} 127.0.0.1:{next(ports)}", text)
    if (bound, servers) != (1, len(gateways)):
        raise AssertionError(f"{servers} servers for {len(gateways)} gateways in {CONFIG}")
    return text


class HaProxy:
    """A context manager; as it begins, it accepts connections."""

    def __init__(self, folder, gateways):
        self.port, self.process, self.stderr = free_port(), None, None
        self.config = folder / "haproxy.cfg"
        self.config.write_text(configuration(self.port, gateways), encoding="utf-8")

    def __enter__(self):
        command = [PROGRAM, "-q", "-db", "-f", str(self.config)]
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, **pipes)
        self.stderr = Lines(self.process.stderr)
        wait_until(self.answers, "HAProxy to reach a gateway")
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait(TIMEOUT)
        self.stderr.wait_end()

    def answers(self):
        if self.process.poll() is not None:
            raise AssertionError(f"HAProxy ended: {self.stderr.text()}")
        try:
            return self.get("/ready").status == 200
        except OSError:
            return False

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/mcp"

    def connect(self, timeout=TIMEOUT):
        return Connection("127.0.0.1", self.port, timeout)

    def get(self, path, headers=None):
        with self.connect() as connection:
            return connection.request("GET", path, headers)
