"""Calls of an agent on a bus, compared with a bare request/reply pair on librdkafka: on the
embedded bus, and on Apache Kafka where available."""

import contextlib
import json
import subprocess
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from . import client, processes, report, requests
from .measure import Bench, Target, median_of

# How long records wait for others, and with how many calls in flight that is tried: nothing is for
# latency, what librdkafka does by itself is for speed.
LINGERS = ((0, (1, 64, 256)), (5, (64, 256)))
# The gateway is asked over so many connections of HTTP, or over one of the wire protocol.
FRONTENDS = ("HTTP", "wire")
TOOL = "bus__echo"
BARE = "bare pair"
# How long a fetch waits, in milliseconds: on the embedded bus as our own clients do there.
EMBEDDED_WAIT = 2
BROKER_WAIT = 100
WARMUP = 10  # Seconds; a broker in Java is slow at first.

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "testing"))

import kafka_cluster  # noqa: E402


@contextlib.contextmanager
def agent(bench: Bench, broker: str, fetch_wait: int, name: str):
    """One that answers what is asked of `name`."""
    command = pair(bench, "agent", broker, fetch_wait, name)
    with processes.running(command, stdout=subprocess.PIPE) as process:
        processes.lines_until_ready(process, "kafka_pair")
        yield


def pair(bench: Bench, mode: str, broker: str, fetch_wait: int, name: str) -> list[str]:
    command = [bench.tools.bench("kafka_pair"), "--mode", mode, "--broker", broker]
    topics = ["--from", f"{name}.in", "--to", f"{name}.out"]
    return command + topics + ["--fetch-wait", str(fetch_wait)]


def register(bench: Bench, broker: str) -> None:
    args = ["--name", "echo", "--description", "Says the same", "--request-topic", "echo.in"]
    args += ["--response-topic", "echo.out", "--broker", broker]
    subprocess.run([str(bench.tools.gateway), "bus", "register", *args], check=True,
                   stdout=subprocess.DEVNULL)  # fmt: skip


@dataclass
class Bus:
    """A bus under measurement. Without a broker it is the gateway's own."""

    broker: str | None
    fetch_wait: int
    linger: int

    def bare(self, bench: Bench, in_flight: int, seconds: float) -> dict:
        command = pair(bench, "client", self.broker, self.fetch_wait, "bare")
        command += ["--in-flight", str(in_flight), "--linger", str(self.linger)]
        command += ["--seconds", str(seconds), "--warmup", str(bench.effort.warmup)]
        return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)

    def settings(self, options, wire_port: int) -> str:
        properties = [f"linger.ms: {self.linger}"]
        if self.broker:
            properties.append(f'bootstrap.servers: "{self.broker}"')
        bus = f"kind: kafka, retry: 100ms, client_id: bench, kafka: {{{', '.join(properties)}}}"
        wire = f"tcp: 127.0.0.1:{wire_port}, rate_limiting: {{enabled: false}}"
        return (f"listen: 127.0.0.1:0\nworkers: {options.workers}\nlog: {{calls: true}}\n"
                f"wire: {{{wire}}}\nupstreams: {{bus: {{{bus}}}}}\n")  # fmt: skip


def targets(gateway: processes.Server, wire_port: int) -> list[Target]:
    text = "t" * 200
    over_http = requests.rest_call("bus.echo", {"text": text}, text)
    call = {"jsonrpc": "2.0", "id": "{{id}}", "method": "tools/call",
            "params": {"name": TOOL, "arguments": {"text": text}}}  # fmt: skip
    over_wire = requests.Traffic(json.dumps(call).encode(), expect=[text])
    framed = processes.Server(wire_port, gateway.pids, gateway.back_end_pids)
    return [
        Target("HTTP", gateway, over_http),
        Target("wire", framed, over_wire, "wire_load", "--in-flight"),
    ]


def processor_time() -> tuple[float, float]:
    """What all processors have done since the machine started, and how long they have been there."""
    times = [int(word) for word in Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
    return sum(times) - times[3] - times[4], sum(times)


def watched(measure) -> dict:
    """What `measure` yields, and how busy all processors were meanwhile."""
    busy, whole = processor_time()
    figures = measure()
    busy_after, whole_after = processor_time()
    return figures | {"busy": (busy_after - busy) / max(whole_after - whole, 1)}


def compare(bench: Bench, options, bus: Bus, counts: tuple) -> dict:
    """Rounds of the bare pair and of the gateway in turn, for each number of calls in flight."""
    found = {}
    port = processes.free_port()
    with contextlib.ExitStack() as stack:
        settings = bus.settings(options, port)
        gateway = stack.enter_context(
            processes.gateway(bench.tools, bench.scratch("gateway"), settings)
        )
        if bus.broker is None:
            bus.broker = client.get_json(gateway.port, "/health")["bus"]["bootstrap"]
        for name in ("bare", "echo"):
            stack.enter_context(agent(bench, bus.broker, bus.fetch_wait, name))
        register(bench, bus.broker)
        processes.wait_for_tool(gateway.port, TOOL)
        bus.bare(bench, max(counts), min(WARMUP, 4 * bench.effort.seconds))
        frontends = targets(gateway, port)
        for in_flight in counts:
            rounds = []
            for _ in range(bench.effort.rounds):
                bare = partial(bus.bare, bench, in_flight, bench.effort.seconds)
                one = {BARE: watched(bare)}
                if not one[BARE]["calls_per_s"]:
                    sys.exit("call_kafka: the bare pair got no answer in a round: use more --seconds")
                for frontend in frontends:
                    one[frontend.name] = watched(partial(bench.measure, frontend, in_flight))
                rounds.append(one)
            found[in_flight] = {
                name: median_of([one[name] for one in rounds]) for name in (BARE, *FRONTENDS)
            }
    return found


def run(bench: Bench, options) -> dict:
    if not options.has_gateway:
        return {}
    found = {}
    for linger, counts in LINGERS:
        found["embedded bus", linger] = compare(bench, options, Bus(None, EMBEDDED_WAIT, linger), counts)
    try:
        with kafka_cluster.Cluster(registry=False) as cluster:
            for linger, counts in LINGERS:
                bus = Bus(cluster.brokers, BROKER_WAIT, linger)
                found["Apache Kafka", linger] = compare(bench, options, bus, counts)
    except kafka_cluster.LeftOut as why:
        print(f"call_kafka: {why}")
    show(options, found)
    return {f"{bus}, linger {linger} ms": figures for (bus, linger), figures in found.items()}


def show(options, found: dict) -> None:
    rows, goals = [], []
    for (bus, linger), by_count in found.items():
        for count, figures in by_count.items():
            where = f"{bus}, linger {linger}, {count:3} in flight"
            base = figures[BARE]
            for name, figure in figures.items():
                speed = report.ratio(figure["calls_per_s"], base["calls_per_s"])
                rows.append([f"{where}  {name}", f"{figure['calls_per_s']:,.0f}", speed,
                             f"{figure['p50_us']:,.0f}", f"{figure['p99_us']:,.0f}",
                             f"{figure['cpu_us']:,.1f}", f"{figure['busy']:.0%}"])  # fmt: skip
            goals += [goal(where, count, base, figures[frontend], frontend) for frontend in FRONTENDS]
    columns = ["bus, calls in flight", "calls/s", "of bare", "p50 µs", "p99 µs", "CPU µs", "busy"]
    title = f"call_kafka: {options.workers} worker(s); baseline: a bare pair on librdkafka"
    report.print_table(title, columns, rows)
    report.print_goals(goals)


def goal(where: str, count: int, base: dict, ours: dict, frontend: str) -> report.Goal:
    if count == 1:
        return report.Goal(f"{where}, {frontend}, p50 added", ours["p50_us"] - base["p50_us"], 300, "µs")
    speed = ours["calls_per_s"] / base["calls_per_s"]
    return report.Goal(f"{where}, {frontend}, calls/s", speed, 0.85, "× bare pair", at_least=True)
