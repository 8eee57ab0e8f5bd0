"""cluster: a call of a session that another gateway passes on, against the same call to its own one.

Two gateways with one store, a file in a state folder that they share, act as one. The session is on
the second one. All connections use the same session: directly, which is the baseline, or through the
first gateway. CPU is given of each of the two, per call.
"""

import time
from contextlib import ExitStack

from . import calls, client, processes, report, requests
from .measure import Bench, Target

OWN = "its own gateway"
OTHER = "another gateway"
SIZES = {"200 B": 200, "64 KB": 65_536}
CONNECTIONS = (1, 64)


def run(bench: Bench, options) -> dict:
    found = {}
    if not options.has_gateway:
        return found
    settings = calls.gateway_settings(
        options,
        f"state: {bench.scratch('state')}\n"
        "cluster: {listen: 127.0.0.1:0, keys: [benchmark-benchmark-benchmark-12]}\n",
    )
    with ExitStack() as stack:
        reached, own = (
            stack.enter_context(
                processes.gateway(bench.tools, bench.scratch("gateway"), settings, "skills__echo")
            )
            for _ in range(2)
        )
        for server in (reached, own):
            wait_for_members(server.port, 2)
        with client.connect(own.port) as connection:
            session = client.open_session(connection)
        through = processes.Server(reached.port, reached.pids, own.pids)
        for label, size in SIZES.items():
            traffic = of_session(session, "t" * size)
            targets = [Target(OWN, own, traffic), Target(OTHER, through, traffic)]
            found[label] = {n: bench.compare(targets, n) for n in CONNECTIONS}
    show(options, found)
    return found


def wait_for_members(port: int, count: int) -> None:
    deadline = time.monotonic() + 10
    while len(client.get_json(port, "/control/v1/cluster")["members"]) != count:
        if time.monotonic() > deadline:
            raise processes.StartFailed(f"{count} gateways did not become one")
        time.sleep(0.02)


def of_session(session: str, text: str) -> requests.Traffic:
    """Calls of the skill `echo` in a session that there is already."""
    traffic = requests.tool_call("session", "skills__echo", {"text": text}, text)
    request = traffic.request.replace(b"{{session}}", session.encode())
    return requests.Traffic(request, [], traffic.expect)


def total(figure: dict) -> float:
    return figure["cpu_us"] + figure["back_end_cpu_us"]


def show(options, found: dict) -> None:
    rows = []
    for label, by_connections in found.items():
        for connections, figures in by_connections.items():
            own = figures[OWN]
            for name, figure in figures.items():
                passed_on = name == OTHER
                session_cpu = figure["back_end_cpu_us"] if passed_on else figure["cpu_us"]
                rows.append([
                    f"{label}, {connections:3} conn.  {name}",
                    f"{figure['calls_per_s']:,.0f}",
                    report.ratio(figure["calls_per_s"], own["calls_per_s"]),
                    f"{figure['p50_us']:,.0f}",
                    f"{figure['p99_us']:,.0f}",
                    f"{figure['cpu_us']:.1f}" if passed_on else "",
                    f"{session_cpu:.1f}",
                    f"{total(figure):.1f}",
                    report.ratio(total(figure), total(own)),
                ])
    columns = ["size, connections, sent to", "calls/s", "of own", "p50 µs", "p99 µs",
               "CPU µs passing on", "CPU µs of the session", "CPU µs", "of own"]
    title = f"cluster: one session, {options.workers} worker(s) each; baseline: {OWN}"
    report.print_table(title, columns, rows)
