"""Calls of an agent on a bus, beside a bare request/reply pair on librdkafka: on the embedded bus, and
on Apache Kafka where it can be had."""

import contextlib
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

from . import client, processes, report, requests
from .measure import Bench, Target

# How long records wait for others, and with how many calls in flight that is tried: the first is for
# latency, the second for speed.
LINGERS = ((0, (1, 64, 256)), (1, (64, 256)))
TOOL = "bus__echo"

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "testing"))

import kafka_cluster  # noqa: E402


@contextlib.contextmanager
def agent(bench: Bench, broker: str, fetch_wait: int):
    """One that answers both."""
    command = pair(bench, "agent", broker, fetch_wait)
    with processes.running(command, stdout=subprocess.PIPE) as process:
        processes.lines_until_ready(process, "kafka_pair")
        yield


def pair(bench: Bench, mode: str, broker: str, fetch_wait: int) -> list[str]:
    command = [bench.tools.bench("kafka_pair"), "--mode", mode, "--broker", broker]
    return command + ["--from", "echo.in", "--to", "echo.out", "--fetch-wait", str(fetch_wait)]


def register(bench: Bench, broker: str) -> None:
    words = ["--name", "echo", "--description", "Says the same", "--request-topic", "echo.in"]
    words += ["--response-topic", "echo.out", "--broker", broker]
    subprocess.run([str(bench.tools.gateway), "bus", "register", *words], check=True,
                   stdout=subprocess.DEVNULL)  # fmt: skip


def bare(bench: Bench, broker: str, fetch_wait: int, in_flight: int) -> dict:
    effort = bench.effort
    command = pair(bench, "client", broker, fetch_wait) + ["--in-flight", str(in_flight)]
    command += ["--seconds", str(effort.seconds), "--warmup", str(effort.warmup)]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


def compare(
    bench: Bench, settings: str, broker: str | None, fetch_wait: int, counts: tuple
) -> dict:
    """Rounds of the bare pair and of the gateway in turn, for each number of calls in flight."""
    text = "t" * 200
    traffic = requests.rest_call("bus.echo", {"text": text}, text)
    found = {}
    folder = bench.scratch("gateway")
    with contextlib.ExitStack() as stack:
        gateway = stack.enter_context(processes.gateway(bench.tools, folder, settings))
        if broker is None:
            health = client.get_json(gateway.port, "/health")
            broker = health["bus"]["bootstrap"]
        stack.enter_context(agent(bench, broker, fetch_wait))
        register(bench, broker)
        processes.wait_for_tool(gateway.port, TOOL)
        target = Target("patchbay", gateway, traffic)
        for in_flight in counts:
            rounds = []
            for _ in range(bench.effort.rounds):
                base = bare(bench, broker, fetch_wait, in_flight)
                rounds.append((base, bench.measure(target, in_flight)))
            found[in_flight] = {
                name: {
                    key: statistics.median(one[i].get(key, 0) for one in rounds)
                    for key in ("calls_per_s", "p50_us", "p99_us", "cpu_us")
                }
                for i, name in enumerate(("bare pair", "patchbay"))
            }
    return found


def run(bench: Bench, options) -> dict:
    if not options.has_gateway:
        return {}
    base = f"listen: 127.0.0.1:0\nworkers: {options.workers}\nlog: {{calls: true}}\n"

    def settings(linger: int, broker: str | None) -> str:
        properties = [f"linger.ms: {linger}"]
        if broker:
            properties.append(f'bootstrap.servers: "{broker}"')
        bus = f"kind: kafka, retry: 100ms, client_id: bench, kafka: {{{', '.join(properties)}}}"
        return base + f"upstreams: {{bus: {{{bus}}}}}\n"

    found = {}
    for linger, counts in LINGERS:
        found["embedded bus", linger] = compare(bench, settings(linger, None), None, 5, counts)
    try:
        with kafka_cluster.Cluster(registry=False) as cluster:
            time.sleep(2)  # The Java machine warms up.
            where = cluster.brokers
            for linger, counts in LINGERS:
                of = settings(linger, where)
                found["Apache Kafka", linger] = compare(bench, of, where, 100, counts)
    except kafka_cluster.LeftOut as why:
        print(f"call_kafka: {why}")
    show(options, found)
    return {f"{bus}, linger {linger} ms": figures for (bus, linger), figures in found.items()}


def show(options, found: dict) -> None:
    rows, goals = [], []
    for (bus, linger), by_count in found.items():
        for count, figures in by_count.items():
            baseline, ours = figures["bare pair"], figures["patchbay"]
            for name, figure in figures.items():
                rows.append(
                    [
                        f"{bus}, linger {linger}, {count:3} in flight  {name}",
                        f"{figure['calls_per_s']:,.0f}",
                        report.ratio(figure["calls_per_s"], baseline["calls_per_s"]),
                        f"{figure['p50_us']:,.0f}",
                        f"{figure['p99_us']:,.0f}",
                        f"{figure['cpu_us']:,.1f}" if figure["cpu_us"] else "",
                    ]
                )
            if count > 1:
                speed = ours["calls_per_s"] / baseline["calls_per_s"]
                what = f"{bus}, linger {linger}, {count} in flight, calls/s"
                goals.append(report.Goal(what, speed, 0.85, "× bare pair", at_least=True))
            elif count == 1:
                added = ours["p50_us"] - baseline["p50_us"]
                goals.append(report.Goal(f"{bus}, one in flight, p50 added", added, 300, "µs"))
    columns = ["bus, calls in flight", "calls/s", "of bare", "p50 µs", "p99 µs", "CPU µs"]
    title = f"call_kafka: {options.workers} worker(s); baseline: a bare pair on librdkafka"
    report.print_table(title, columns, rows)
    report.print_goals(goals)
