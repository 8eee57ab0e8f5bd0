"""Two `patchbay bus serve` in one consumer group compared with one, with a slow tool, so that the
workers are the bottleneck: on the embedded bus, and on Apache Kafka where available."""

import contextlib
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from . import processes, report, requests
from .measure import Bench, Target

ROOT = Path(__file__).resolve().parents[2]
SERVER = ROOT / "testing" / "fake_server.py"
IN_FLIGHT = 64
AT_ONCE = 8  # Calls that one worker does at a time...
TAKES_S = 0.02  # ...and how long each takes.
PARTITIONS = 8
TOOL = "bus__fake__sleep"

sys.path.insert(0, str(ROOT / "testing"))

import kafka_cluster  # noqa: E402


def worker_settings(folder: Path) -> Path:
    folder.mkdir()
    file = folder / "worker.yaml"
    file.write_text(
        "workers: 1\nlog: {calls: false}\nupstreams:\n  fake:\n    kind: stdio\n"
        f"    command: {sys.executable}\n    args: ['-S', '{SERVER}']\n"
        "    tools: {allow: [sleep]}\n  bus: {kind: kafka}\n"
    )
    return file


@contextlib.contextmanager
def worker(bench: Bench, where: list[str], gateway: processes.Server, settings: Path):
    command = [str(bench.tools.gateway), "bus", "serve", "-c", str(settings), *where]
    command += ["--group", "bench", "--at-once", str(AT_ONCE), "--partitions", str(PARTITIONS)]
    # Without a broker, the gateway is asked for its own bus.
    env = os.environ | {"PATCHBAY_URL": f"http://127.0.0.1:{gateway.port}"}
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "env": env}
    with processes.running(command, **options) as process:
        processes.lines_until_ready(process, "bus serve")
        yield process


def compare(bench: Bench, settings: str, broker: str | None) -> dict:
    """All rounds of one worker, then all of two: joining and leaving a group takes seconds."""
    arguments = {"seconds": TAKES_S, "text": "done"}
    traffic = requests.rest_call("bus.fake__sleep", arguments, "done")
    found = {}
    with contextlib.ExitStack() as stack:
        gateway = stack.enter_context(
            processes.gateway(bench.tools, bench.scratch("gateway"), settings)
        )
        where = ["--broker", broker] if broker else []
        file = worker_settings(bench.scratch("workers"))
        target = Target("patchbay", gateway, traffic)
        for workers in (1, 2):
            stack.enter_context(worker(bench, where, gateway, file))
            processes.wait_for_tool(gateway.port, TOOL)
            time.sleep(2)  # The group settles.
            rounds = [bench.measure(target, IN_FLIGHT) for _ in range(bench.effort.rounds)]
            found[workers] = {
                key: statistics.median(one[key] for one in rounds)
                for key in ("calls_per_s", "p50_us", "p99_us")
            }
    return found


def run(bench: Bench, options) -> dict:
    if not options.has_gateway:
        return {}
    base = "listen: 127.0.0.1:0\nworkers: 1\nlog: {calls: true}\n"
    embedded = base + "upstreams: {bus: {kind: kafka, retry: 100ms}}\n"
    found = {"embedded bus": compare(bench, embedded, None)}
    try:
        with kafka_cluster.Cluster(registry=False) as cluster:
            kafka = f'kafka: {{bootstrap.servers: "{cluster.brokers}"}}, client_id: bench'
            real = base + f"upstreams: {{bus: {{kind: kafka, retry: 100ms, {kafka}}}}}\n"
            found["Apache Kafka"] = compare(bench, real, cluster.brokers)
    except kafka_cluster.LeftOut as why:
        print(f"kafka_workers: {why}")
    show(found)
    return found


def show(found: dict) -> None:
    rows, goals = [], []
    for bus, by_count in found.items():
        one = by_count[1]["calls_per_s"]
        for count, figure in by_count.items():
            speed = f"{figure['calls_per_s']:,.0f}"
            times = [f"{figure[key]:,.0f}" for key in ("p50_us", "p99_us")]
            ratio = report.ratio(figure["calls_per_s"], one)
            rows.append([f"{bus}, {count} worker(s)", speed, ratio, *times])
        what = f"{bus}, two workers, calls/s"
        goals.append(
            report.Goal(what, by_count[2]["calls_per_s"] / one, 1.8, "× one", at_least=True)
        )
    title = (
        f"kafka_workers: each does {AT_ONCE} calls of {TAKES_S * 1000:.0f} ms at a time, "
        f"{IN_FLIGHT} in flight"
    )
    report.print_table(title, ["bus, workers", "calls/s", "of one", "p50 µs", "p99 µs"], rows)
    report.print_goals(goals)
