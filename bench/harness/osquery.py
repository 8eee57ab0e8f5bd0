"""osquery: the built-in tables, queried by a goal through the gateway and its child, and all
processes of a machine with at least 500 of them, compared with `ps`."""

import json
import statistics
import subprocess
import time

from . import client, processes, report, requests
from .measure import Bench

SETTINGS = "listen: 127.0.0.1:0\nworkers: 1\nlog: {level: off}\n"
TOOL = "osquery__query_osquery"
GOAL = "osquery: SELECT * FROM system_info"
PROCESSES = 500
COLUMNS = "pid,ppid,pgid,uid,gid,euid,egid,suid,sgid,stat,nice,nlwp,vsz,rss,time,lstart,comm,args"


class Server:
    """`patchbay osquery` on pipes, one query after the other."""

    def __init__(self, bench: Bench):
        self.process = subprocess.Popen(
            [str(bench.tools.gateway), "osquery"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        about = {"protocolVersion": "2025-11-25", "capabilities": {},
                 "clientInfo": {"name": "bench", "version": "1"}}  # fmt: skip
        self.ask("initialize", about)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()

    def ask(self, method: str, params: dict) -> dict:
        message = {"jsonrpc": "2.0", "id": "1", "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())["result"]

    def rows(self, sql: str) -> list:
        result = self.ask("tools/call", {"name": "query_osquery", "arguments": {"sql": sql}})
        return json.loads(result["content"][0]["text"])


def run(bench: Bench, options) -> dict:
    if not options.has_gateway:
        print("osquery: needs the gateway")
        return {}
    rounds = 10 if options.quick else 60
    settings = processes.gateway(bench.tools, bench.scratch("gateway"), SETTINGS, TOOL)
    with settings as server, client.connect(server.port) as connection:
        found = {"goal_ms": statistics.median(timed(lambda: goal(connection), 2 * rounds))}
    sleepers = [subprocess.Popen(["sleep", "600"]) for _ in range(PROCESSES)]
    try:
        with Server(bench) as tables:
            found |= beside_ps(tables, rounds)
    finally:
        for sleeper in sleepers:
            sleeper.kill()
        for sleeper in sleepers:
            sleeper.wait()
    show(found)
    return found


def beside_ps(tables: Server, rounds: int) -> dict:
    listed = subprocess.run(["ps", "-eo", "pid="], capture_output=True, check=True).stdout
    here, there = [], []
    for _ in range(rounds):  # In turn, so that both meet the same noise.
        there += timed(
            lambda: subprocess.run(["ps", "-eo", COLUMNS], stdout=subprocess.PIPE, check=True), 1
        )
        here += timed(lambda: tables.rows("SELECT * FROM processes"), 1)
    many = len(tables.rows("SELECT * FROM processes"))
    if many < PROCESSES or many < len(listed.split()) * 0.9:
        raise RuntimeError(f"{many} processes instead of {len(listed.split())}")
    return {"processes": many, "ps_ms": statistics.median(there), "tables_ms": statistics.median(here)}


def goal(connection) -> None:
    request = requests.post("/api/agent/execute", {"goal": GOAL})
    status, _, answer = client.exchange(connection, client.fill(request))
    if status != 200 or not json.loads(answer)["trace"][0]["success"]:
        raise RuntimeError(f"status {status}: {answer[:500]!r}")


def timed(work, times: int) -> list[float]:
    spent = []
    for _ in range(times):
        begin = time.monotonic()
        work()
        spent.append((time.monotonic() - begin) * 1000)
    return spent


def show(found: dict) -> None:
    rows = [
        [f"ps -eo, {found['processes']} processes", f"{found['ps_ms']:.2f}", "1.00×"],
        ["SELECT * FROM processes, on pipes", f"{found['tables_ms']:.2f}",
         report.ratio(found["tables_ms"], found["ps_ms"])],
        ["a goal: SELECT * FROM system_info", f"{found['goal_ms']:.2f}",
         report.ratio(found["goal_ms"], found["ps_ms"])],
    ]  # fmt: skip
    report.print_table("osquery: milliseconds", ["what", "ms", "× ps"], rows)
    report.print_goals(
        [
            report.Goal("system_info by a goal", found["goal_ms"], 5, "ms"),
            report.Goal("all processes", found["tables_ms"] / found["ps_ms"], 2, "× ps"),
        ]
    )
