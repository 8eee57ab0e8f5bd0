#!/usr/bin/env python3
"""Gateways of a cluster under faults: no call runs twice, and every answer is true.

Each gateway has a network namespace of its own, connected by a bridge. Clients call a tool that must not
run twice, each call with an id of its own, through a gateway chosen at random, while gateways are killed,
stopped, cut off and replaced, and the store stands still. The server of the tool writes down what ran.
In the end, for each call:

- the client got a result: it has run once;
- the client received the answer that nothing has run, and gave up: it has not run;
- the client does not know, because the connection broke or the answer states it: it has run once at most.

usage: chaos.py [--nodes N] [--clients N] [--calls N] [--seed N] [--pause SECONDS] [--faults KIND,KIND]

Needs root, ip, unshare, nsenter, iptables and a Valkey or Redis server. PATCHBAY_BIN is the gateway.
"""

import argparse
import collections
import contextlib
import http.client
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
BINARY = os.environ.get("PATCHBAY_BIN", str(HERE.parents[1] / "build" / "patchbay"))
HUB = "10.99.0.1"
PORT, LINK_PORT, STORE_PORT, LEDGER_PORT = 8080, 7946, 6379, 8090
TOKEN = "t" * 40
HEADERS = {
    "Authorization": f"Bearer {TOKEN}",
    "Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
VERSION = "2025-11-25"
CONFIG = """
listen: {address}:{port}
workers: 1
state: {state}
names: {{prefix: never}}
log: {{level: warn}}
http: {{hosts: ["{address}"]}}
auth: {{tokens: [{{name: chaos, token: "{token}"}}]}}
limits: {{max_sessions: 100000}}
stop: {{announce_timeout: 1s, drain_timeout: 5s}}
cluster:
  listen: {address}:{link_port}
  keys: ["{key}"]
  lease_timeout: 2s
  store: redis
  redis: {{url: "redis://{hub}:{store_port}"}}
upstreams:
  ledger: {{kind: http, url: "http://{hub}:{ledger_port}/mcp"}}
"""


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def wait_for_port(address, port):
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            connection = http.client.HTTPConnection(address, port, timeout=1)
            connection.connect()
            connection.close()
            return
        time.sleep(0.05)
    raise SystemExit(f"nothing listens at {address}:{port}")


class Node:
    """One gateway, in a namespace that ends with it."""

    def __init__(self, number, folder):
        self.number, self.address = number, f"10.99.0.{10 + number}"
        self.config = folder / f"node{number}.yaml"
        self.log = folder / f"node{number}.log"
        settings = {"address": self.address, "port": PORT, "link_port": LINK_PORT, "hub": HUB, "key": "k" * 40}
        settings["token"] = TOKEN
        ports = {"store_port": STORE_PORT, "ledger_port": LEDGER_PORT, "state": folder / f"state{number}"}
        self.config.write_text(CONFIG.format(**settings, **ports))
        self.process = None

    def start(self):
        # It waits for its network before it becomes the gateway.
        script = f'read go; exec "{BINARY}" serve -c "{self.config}"'
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                ["unshare", "--net", "sh", "-c", script], stdin=subprocess.PIPE, stdout=log, stderr=log
            )
        own = os.stat("/proc/self/ns/net").st_ino
        while os.stat(f"/proc/{self.process.pid}/ns/net").st_ino == own:
            time.sleep(0.01)
        pid, link = str(self.process.pid), f"node{self.number}"
        # A namespace that has just ended may still have the other end.
        subprocess.run(["ip", "link", "del", link], stderr=subprocess.DEVNULL, check=False)
        run("ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", pid)
        run("ip", "link", "set", link, "master", "bridge0", "up")
        for command in (["addr", "add", f"{self.address}/24", "dev", "eth0"], ["link", "set", "eth0", "up"],
                        ["link", "set", "lo", "up"]):
            run("nsenter", "-t", pid, "-n", "ip", *command)
        self.process.stdin.write(b"go\n")
        self.process.stdin.close()
        try:
            wait_for_port(self.address, PORT)
        except SystemExit:
            raise SystemExit(self.log.read_text(errors="replace")[-2000:]) from None

    def end(self, number):
        self.process.send_signal(number)
        self.process.wait()

    def inside(self, *command):
        run("nsenter", "-t", str(self.process.pid), "-n", *command)


KINDS = ("kill", "replace", "stop", "cut_off", "cut_one_way", "stop_store")


class Faults:
    """One after the other, each with its repair."""

    def __init__(self, nodes, store, seed, pause, kinds):
        self.nodes, self.store, self.random, self.pause = nodes, store, random.Random(seed), pause
        self.kinds = [getattr(self, name) for name in kinds]
        self.counts, self.over = collections.Counter(), threading.Event()

    def loop(self):
        while not self.over.wait(self.pause):
            kind = self.random.choice(self.kinds)
            self.counts[kind.__name__] += 1
            kind(self.random.choice(self.nodes))

    def kill(self, node):
        node.end(signal.SIGKILL)
        self.over.wait(self.random.uniform(0, 3))
        node.start()

    def replace(self, node):
        node.end(signal.SIGTERM)
        node.start()

    def stop(self, node):
        node.process.send_signal(signal.SIGSTOP)
        self.over.wait(self.random.uniform(0.2, 4))
        node.process.send_signal(signal.SIGCONT)

    def cut_off(self, node):
        run("ip", "link", "set", f"node{node.number}", "down")
        self.over.wait(self.random.uniform(0.5, 5))
        run("ip", "link", "set", f"node{node.number}", "up")

    def cut_one_way(self, node):
        other = self.random.choice([one for one in self.nodes if one is not node])
        rule = ["OUTPUT", "-d", other.address, "-j", "DROP"]
        node.inside("iptables", "-A", *rule)
        self.over.wait(self.random.uniform(0.5, 5))
        node.inside("iptables", "-D", *rule)

    def stop_store(self, _):
        self.store.send_signal(signal.SIGSTOP)
        self.over.wait(self.random.uniform(0.2, 4))
        self.store.send_signal(signal.SIGCONT)


class Client:
    """Calls `append` with ids of its own, and notes the outcome of each."""

    def __init__(self, name, nodes, calls, seed):
        self.name, self.nodes, self.calls, self.random = name, nodes, calls, random.Random(seed)
        self.session, self.outcomes, self.connections = None, {}, {}

    def loop(self):
        for number in range(self.calls):
            name = f"{self.name}-{number}"
            # A client repeats what has not run, and only that.
            for _ in range(60):
                self.outcomes[name] = self.call(name)
                if self.outcomes[name] != "nothing has run":
                    break
                time.sleep(0.1)

    def post(self, message):
        """(status, body, session id), or None if the connection failed; and whether anything was sent."""
        node = self.random.choice(self.nodes)
        connection = self.connections.pop(node.number, None)
        try:
            if connection is None:
                connection = http.client.HTTPConnection(node.address, PORT, timeout=10)
            if connection.sock is None:  # New, or ended by the last response.
                connection.connect()
        except OSError:
            return None, False
        fields = dict(HEADERS)
        if self.session:
            fields |= {"Mcp-Session-Id": self.session, "MCP-Protocol-Version": VERSION}
        try:
            connection.request("POST", "/mcp", json.dumps(message), fields)
            response = connection.getresponse()
            body = response.read()
        except (OSError, http.client.HTTPException):
            connection.close()
            return None, True
        self.connections[node.number] = connection
        return (response.status, body, response.headers.get("Mcp-Session-Id")), True

    def begin(self):
        params = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": {"name": "chaos", "version": "1"}}
        answer, _ = self.post({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
        if answer and answer[0] == 200:
            self.session = answer[2]
        return self.session is not None

    def call(self, name):
        if not self.session and not self.begin():
            return "nothing has run"
        params = {"name": "append", "arguments": {"id": name}}
        answer, sent = self.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        if answer is None:
            return "unknown" if sent else "nothing has run"
        status, body, _ = answer
        if status == 404:  # The session has ended: a client begins anew.
            self.session = None
            return "nothing has run"
        return verdict(status, body)


def verdict(status, body):
    """What an answer says about its call."""
    for line in body.decode(errors="replace").splitlines():
        text = line.removeprefix("data:").strip()
        if not text.startswith("{"):
            continue
        message = json.loads(text)
        if "result" in message:
            return "failed" if message["result"].get("isError") else "done"
        if "error" in message:
            reason = (message["error"].get("data") or {}).get("reason")
            refused = status == 503 and reason in ("unavailable", "overloaded")
            return "nothing has run" if refused else f"unknown: {message['error']['message'][:120]}"
    return f"unknown: status {status}"


def check(clients, file):
    """The calls whose answer was not true."""
    ran = collections.Counter(file.read_text().split())
    wrong, counts = [], collections.Counter()
    for client in clients:
        for name, outcome in client.outcomes.items():
            counts[outcome.partition(":")[0]] += 1
            count = ran.pop(name, 0)
            good = {"done": count == 1, "nothing has run": count == 0}.get(outcome, count <= 1)
            if not good:
                wrong.append(f"{name}: outcome '{outcome}', ran {count} times")
    wrong += [f"{name}: ran {count} times, and nobody called it" for name, count in ran.items()]
    return wrong, counts


def start_network():
    run("ip", "link", "set", "lo", "up")
    run("ip", "link", "add", "bridge0", "type", "bridge")
    run("ip", "addr", "add", f"{HUB}/24", "dev", "bridge0")
    run("ip", "link", "set", "bridge0", "up")


def start_servers(folder, file, running):
    program = shutil.which("valkey-server") or shutil.which("redis-server")
    options = ["--port", str(STORE_PORT), "--bind", HUB, "--protected-mode", "no", "--save", "", "--dir", str(folder)]
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
    store = running.enter_context(subprocess.Popen([program, *options], **quiet))
    running.callback(store.kill)
    command = [sys.executable, HERE / "ledger_server.py", HUB, str(LEDGER_PORT), str(file)]
    ledger = running.enter_context(subprocess.Popen(command, **quiet))
    running.callback(ledger.kill)
    wait_for_port(HUB, STORE_PORT)
    wait_for_port(HUB, LEDGER_PORT)
    return store


def main():
    parser = argparse.ArgumentParser(usage=__doc__.rpartition("usage: ")[2].partition("\n")[0])
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--clients", type=int, default=24)
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--pause", type=float, default=3)
    parser.add_argument("--faults", default=",".join(KINDS))
    args = parser.parse_args()
    if os.environ.get("CHAOS_NAMESPACE") != "own":
        os.execvpe("unshare", ["unshare", "--net", sys.executable, *sys.argv], os.environ | {"CHAOS_NAMESPACE": "own"})
    print(f"seed {args.seed}", flush=True)
    with contextlib.ExitStack() as running:
        folder = pathlib.Path(running.enter_context(tempfile.TemporaryDirectory()))
        start_network()
        file = folder / "ledger"
        store = start_servers(folder, file, running)
        nodes = [Node(number, folder) for number in range(args.nodes)]
        for node in nodes:
            node.start()
            running.callback(lambda node=node: node.process.kill())
        each = args.calls // args.clients
        clients = [Client(f"c{number}", nodes, each, args.seed + number) for number in range(args.clients)]
        threads = [threading.Thread(target=client.loop) for client in clients]
        faults = Faults(nodes, store, args.seed, args.pause, args.faults.split(","))
        began = time.monotonic()
        for thread in threads:
            thread.start()
        breaking = threading.Thread(target=faults.loop)
        breaking.start()
        for thread in threads:
            thread.join()
        faults.over.set()
        breaking.join()
        wrong, outcomes = check(clients, file)
        crashed = [node.number for node in nodes if "sanitizer" in node.log.read_text(errors="replace").lower()]
    print(f"{each * args.clients} calls in {time.monotonic() - began:.0f} s")
    print("faults: " + ", ".join(f"{name} {count}" for name, count in sorted(faults.counts.items())))
    for outcome, count in collections.Counter(
        outcome for client in clients for outcome in client.outcomes.values() if outcome != "done"
    ).most_common(12):
        print(f"  {count} {outcome}")
    print("outcomes: " + ", ".join(f"{name} {count}" for name, count in outcomes.most_common()))
    for line in wrong[:20]:
        print(f"WRONG {line}")
    if crashed:
        print(f"WRONG a sanitizer reported in nodes {crashed}")
    print("FAIL" if wrong or crashed else "ok    no call ran twice, and every answer was true")
    sys.exit(1 if wrong or crashed else 0)


main()
