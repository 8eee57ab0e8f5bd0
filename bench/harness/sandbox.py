"""sandbox: the cost of making a sandbox, of running a program in one, and of many idle ones.

The baseline is bubblewrap alone, which makes namespaces around `true` and nothing else: no limits,
no filter, no agent, no file system of its own.
"""

import json
import shutil
import statistics
import subprocess
import time
from pathlib import Path

from . import client, processes, report, requests
from .measure import Bench

SETTINGS = """
listen: 127.0.0.1:0
workers: 1
log: {{level: off}}
upstreams:
  box: {{kind: sandbox, most: 200, most_each: 200, pool: {{size: {size}, starts: 2}}}}
"""
BARE = ["--unshare-all", "--die-with-parent", "--ro-bind", "/usr", "/usr", "--symlink", "usr/lib",
        "/lib", "--symlink", "usr/lib64", "/lib64", "--proc", "/proc", "--dev", "/dev", "--",
        "/usr/bin/true"]  # fmt: skip
MANY = 100


class Caller:
    """Calls tools of the upstream, one after the other."""

    def __init__(self, port: int):
        self.connection = client.connect(port)

    def call(self, tool: str, **arguments) -> dict:
        name = f"box__{tool}"
        params = {"name": name, "arguments": arguments}
        asked = requests.stateless("tools/call", params, name=name)
        answer = json.loads(client.exchange(self.connection, client.fill(asked))[2])
        if "result" not in answer:
            raise RuntimeError(f"{tool}: {answer}")
        result = answer["result"]
        if result.get("isError"):
            raise RuntimeError(f"{tool}: {result}")
        return result["structuredContent"]

    def timed(self, tool: str, **arguments) -> tuple[float, dict]:
        begin = time.monotonic()
        result = self.call(tool, **arguments)
        return (time.monotonic() - begin) * 1000, result


def run(bench: Bench, options) -> dict:
    if not options.has_gateway or not shutil.which("bwrap"):
        print("sandbox: needs the gateway and bubblewrap")
        return {}
    doctor = subprocess.run([bench.tools.gateway, "doctor"], capture_output=True, check=False)
    if doctor.returncode != 0:
        print("sandbox: this machine cannot make one; see patchbay doctor")
        return {}
    rounds = 10 if options.quick else 40
    many = 20 if options.quick else MANY
    found = {"bare_ms": statistics.median(bare() for _ in range(rounds))}
    with gateway(bench, 0) as server:
        caller = Caller(server.port)
        times = [caller.timed("create_sandbox") for _ in range(rounds)]
        found["cold_ms"] = statistics.median(spent for spent, _ in times)
        box = times[0][1]["sandbox_id"]
        runs = [caller.timed("run_command", sandbox_id=box, argv=["/bin/true"]) for _ in range(200)]
        found["run_ms"] = statistics.median(spent for spent, _ in runs)
        for _, made in times:
            caller.call("destroy_sandbox", sandbox_id=made["sandbox_id"])
        found["gateway_mib"], found["all_mib"] = keep_many(caller, server, many)
    found["spawn_ms"] = statistics.median(spawn() for _ in range(200))
    with gateway(bench, 8) as server:
        caller = Caller(server.port)
        found["warm_ms"] = statistics.median(warm(caller, server) for _ in range(rounds))
    show(found, many)
    return found


def gateway(bench: Bench, size: int):
    settings = SETTINGS.format(size=size)
    return processes.gateway(bench.tools, bench.scratch("gateway"), settings)


def bare() -> float:
    begin = time.monotonic()
    subprocess.run(["bwrap", *BARE], check=True)
    return (time.monotonic() - begin) * 1000


def spawn() -> float:
    begin = time.monotonic()
    subprocess.run(["/bin/true"], check=True)
    return (time.monotonic() - begin) * 1000


def warm(caller: Caller, server: processes.Server) -> float:
    """Once the pool is full, and nothing is being started."""
    while metric(server.port, "patchbay_sandbox_ready") < 8:
        time.sleep(0.02)
    spent, made = caller.timed("create_sandbox")
    caller.call("destroy_sandbox", sandbox_id=made["sandbox_id"])
    return spent


def keep_many(caller: Caller, server: processes.Server, many: int) -> tuple[float, float]:
    """How much more the gateway, and all processes of the sandboxes together, hold then."""
    before = processes.resident_kib(server.pids)
    for _ in range(many):
        caller.call("create_sandbox")
    grown = processes.resident_kib(server.pids) - before
    return grown / 1024, sum(map(proportional_kib, descendants(server.pids[0]))) / 1024


def descendants(pid: int) -> list[int]:
    """All processes of the sandboxes: the supervisor of one is a child of its first process."""
    found, todo = [], [pid]
    while todo:
        below = processes.children_of(todo.pop())
        found += below
        todo += below
    return found


def proportional_kib(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:  # It has ended meanwhile.
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


def metric(port: int, name: str) -> float:
    with client.connect(port) as connection:
        text = client.exchange(connection, requests.get("/metrics"))[2].decode()
    return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line.startswith(name + "{"))


def show(found: dict, many: int) -> None:
    rows = [
        ["bubblewrap alone, around true", f"{found['bare_ms']:.2f}", "1.00×"],
        ["create_sandbox, from nothing", f"{found['cold_ms']:.2f}",
         report.ratio(found["cold_ms"], found["bare_ms"])],
        ["create_sandbox, from the pool", f"{found['warm_ms']:.2f}",
         report.ratio(found["warm_ms"], found["bare_ms"])],
        ["run_command true, in a sandbox", f"{found['run_ms']:.2f}",
         report.ratio(found["run_ms"], found["bare_ms"])],
        ["true, started by this script", f"{found['spawn_ms']:.2f}",
         report.ratio(found["spawn_ms"], found["bare_ms"])],
    ]  # fmt: skip
    report.print_table("sandbox: milliseconds", ["what", "ms", "× alone"], rows)
    memory = [
        ["the gateway", f"{found['gateway_mib']:.1f}"],
        ["all processes of the sandboxes (proportional)", f"{found['all_mib']:.1f}"],
    ]
    report.print_table(f"sandbox: memory of {many} at once, MiB", ["whose", "MiB more"], memory)
    report.print_goals(
        [
            report.Goal("create_sandbox from the pool", found["warm_ms"], 5, "ms"),
            report.Goal("create_sandbox from nothing", found["cold_ms"], 60, "ms"),
            report.Goal(
                f"memory of {many} at once",
                (found["gateway_mib"] + found["all_mib"]) / many,
                10.24,
                "MiB each",
            ),
        ]
    )
