"""tls_flood: what a flood of TLS handshakes does to requests on connections that are open already.

A few connections under TLS ask for /health, one request after the other, in turns without and with a
flood of ClientHellos. Each hello is sent on a connection of its own, which is closed a little later
without an answer. The gateway and nginx are measured in the same run; the figure is the 99th
percentile under the flood over that without it.
"""

import collections
import contextlib
import multiprocessing
import socket
import ssl
import subprocess
import time

from . import processes, report
from .measure import Bench

RATE = 2000  # Hellos a second.
CONNECTIONS = 4  # That are open already.
PAUSE = 0.002  # Between two requests on one of them.
OPEN = 256  # Connections of the flood that are open at a time.
GOAL_RATIO = 5.0
REQUEST = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"


def run(bench: Bench, options) -> dict:
    cert, key = certificate(bench.scratch("certificate"))
    found = {}
    with contextlib.ExitStack() as stack:
        victims = {}
        if options.has_gateway:
            port = processes.free_port()
            settings = (
                f"listen: 127.0.0.1:0\nworkers: {options.workers}\nlog: {{level: error}}\n"
                f"tls: {{listen: '127.0.0.1:{port}', cert: {cert}, key: {key}}}\n"
                "upstreams: {skills: {kind: builtin}}\n"
            )
            folder = bench.scratch("gateway")
            stack.enter_context(processes.gateway(bench.tools, folder, settings))
            victims["patchbay"] = stack.enter_context(Victim(port, cert).attacked())
        if bench.tools.nginx:
            port = processes.free_port()
            tls = (
                f"  server {{ listen 127.0.0.1:{port} ssl; ssl_certificate {cert};"
                f" ssl_certificate_key {key}; location / {{ return 200 ok; }} }}"
            )
            folder = bench.scratch("nginx")
            stack.enter_context(
                processes.nginx(bench.tools, folder, options.workers, "return 200;", tls, 4096)
            )
            victims["nginx"] = stack.enter_context(Victim(port, cert).attacked())
        for _ in range(bench.effort.rounds):
            for victim in victims.values():
                victim.measure(False, bench.effort.seconds)
                victim.measure(True, bench.effort.seconds)
        for name, victim in victims.items():
            found[name] = victim.figures(bench.effort)
    show(found)
    return found


def certificate(folder):
    """The paths of a self-signed certificate for localhost and of its key."""
    folder.mkdir()
    cert, key = folder / "cert.pem", folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
        + ["-nodes", "-days", "1", "-subj", "/CN=bench", "-addext", "subjectAltName=DNS:localhost"]
        + ["-keyout", str(key), "-out", str(cert)],
        check=True,
        capture_output=True,
    )
    return cert, key


class Victim:
    """One server under TLS with clients of its own, and a flood that can be turned on."""

    def __init__(self, port, cert):
        self.port, self.cert = port, cert
        self.running = multiprocessing.Event()
        self.sent = multiprocessing.Value("q", 0)
        self.times = multiprocessing.Queue()
        self.turns = [multiprocessing.Queue() for _ in range(CONNECTIONS)]
        self.taken = {False: [], True: []}

    @contextlib.contextmanager
    def attacked(self):
        helpers = [multiprocessing.Process(target=self.flood, daemon=True)]
        for turn in self.turns:
            helpers.append(multiprocessing.Process(target=self.ask, args=(turn,), daemon=True))
        for helper in helpers:
            helper.start()
        try:
            yield self
        finally:
            for helper in helpers:
                helper.terminate()
                helper.join()

    def measure(self, flooded, seconds):
        if flooded:
            self.running.set()
        for turn in self.turns:
            turn.put(time.monotonic() + seconds)
        for _ in self.turns:
            self.taken[flooded] += self.times.get()
        self.running.clear()

    def figures(self, effort):
        idle, busy = self.taken[False], self.taken[True]
        return {
            "idle_p50_ms": percentile(idle, 0.5),
            "idle_p99_ms": percentile(idle, 0.99),
            "hellos_per_s": self.sent.value / (effort.rounds * effort.seconds),
            "p50_ms": percentile(busy, 0.5),
            "p99_ms": percentile(busy, 0.99),
            "max_ms": max(busy) * 1000,
        }

    # In processes of their own:

    def flood(self):
        """Sends hellos for as long as it may."""
        hello, connections = client_hello(), collections.deque()
        while True:
            self.running.wait()
            begin, sent = time.monotonic(), 0
            while self.running.is_set():
                if sent >= (time.monotonic() - begin) * RATE:
                    time.sleep(0.0005)
                    continue
                sent += 1
                try:
                    connections.append(socket.create_connection(("127.0.0.1", self.port), 1))
                    connections[-1].send(hello)
                    self.sent.value += 1
                except OSError:
                    pass  # It is still in the queue.
                if len(connections) > OPEN:
                    connections.popleft().close()

    def ask(self, turns):
        """Sends requests on one connection, and returns how long each answer took."""
        context = ssl.create_default_context(cafile=self.cert)
        raw = socket.create_connection(("127.0.0.1", self.port))
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection = context.wrap_socket(raw, server_hostname="localhost")
        while True:
            until, taken = turns.get(), []
            while time.monotonic() < until:
                begin = time.perf_counter()
                connection.sendall(REQUEST)
                if not connection.recv(65536).startswith(b"HTTP/1.1 200"):
                    raise ConnectionError("the answer is not 200")
                taken.append(time.perf_counter() - begin)
                time.sleep(PAUSE)
            self.times.put(taken)


def client_hello():
    """The first bytes of a client of TLS 1.3."""
    received, sent = ssl.MemoryBIO(), ssl.MemoryBIO()
    session = ssl.create_default_context().wrap_bio(received, sent, server_hostname="localhost")
    with contextlib.suppress(ssl.SSLWantReadError):
        session.do_handshake()
    return sent.read()


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] * 1000


def show(found):
    rows, goals = [], []
    for name, one in found.items():
        rows.append(
            [name, f"{one['idle_p50_ms']:.2f}", f"{one['idle_p99_ms']:.2f}"]
            + [f"{one['hellos_per_s']:.0f}", f"{one['p50_ms']:.2f}", f"{one['p99_ms']:.2f}"]
            + [report.ratio(one["p99_ms"], one["idle_p99_ms"]), f"{one['max_ms']:.1f}"]
        )
    columns = ["", "idle p50", "p99", "hellos/s", "flooded p50", "p99", "to idle", "max"]
    report.print_table("requests on open TLS connections, ms", columns, rows)
    if ours := found.get("patchbay"):
        ratio = ours["p99_ms"] / ours["idle_p99_ms"]
        goals.append(report.Goal("p99 under the flood, to idle", ratio, GOAL_RATIO, "×"))
    report.print_goals(goals)
