"""http_floor: what our HTTP layer costs above the least that any server can pay.

The baseline is a raw epoll loop that reads a request and writes a fixed answer of the same size.
All of them run on one thread; what counts is CPU per request.
"""

from contextlib import ExitStack

from . import client, processes, report, requests
from .measure import Bench, Target

CONNECTIONS = 64
SETTINGS = "listen: 127.0.0.1:0\nworkers: 1\n"

LAYER = "GET /health"  # The HTTP layer alone; the others are whole calls.
PING = "POST /mcp ping"
GOAL = "POST goal calculate"


def run(bench: Bench, options) -> dict:
    found = {}
    with ExitStack() as stack:
        gateway = None
        if options.has_gateway:
            folder = bench.scratch("gateway")
            gateway = stack.enter_context(processes.gateway(bench.tools, folder, SETTINGS))
        goal = requests.goal("calculate: 12 / 4", "3.0")
        kinds = {
            LAYER: (
                requests.Traffic(requests.get("/health")),
                client.health_size(gateway.port) if gateway else 64,
            ),
            PING: (requests.ping(), client.ping_size(gateway.port) if gateway else 48),
            GOAL: (goal, client.answer_size(gateway.port, goal.request) if gateway else 120),
        }
        for kind, (traffic, size) in kinds.items():
            found[kind] = compare(bench, gateway, traffic, size)
    show(found)
    return found


def compare(bench: Bench, gateway, traffic: requests.Traffic, size: int) -> dict:
    plain = requests.without_session(traffic)
    with ExitStack() as stack:
        raw = stack.enter_context(processes.epoll_server(bench.tools, size))
        targets = [Target("raw epoll", raw, plain, spins=True)]
        if bench.tools.nginx:
            folder = bench.scratch("nginx")
            static = stack.enter_context(processes.nginx_static(bench.tools, folder, 1, size))
            targets.append(Target("nginx static", static, plain, spins=True))
        if gateway:
            targets.append(Target("patchbay", gateway, traffic, spins=True))
        return bench.compare(targets, CONNECTIONS)


def show(found: dict) -> None:
    rows, goals = [], []
    for kind, figures in found.items():
        raw = figures["raw epoll"]
        for name, figure in figures.items():
            rows.append(
                [
                    f"{kind}  {name}",
                    f"{figure['calls_per_s']:,.0f}",
                    report.ratio(figure["calls_per_s"], raw["calls_per_s"]),
                    f"{figure['p50_us']:,.0f}",
                    f"{figure['p99_us']:,.0f}",
                    f"{figure['cpu_us']:.2f}",
                    report.ratio(figure["cpu_us"], raw["cpu_us"]),
                    f"{figure['rss_mib']:.1f}",
                ]
            )
        if "patchbay" in figures and kind == LAYER:
            measured = figures["patchbay"]["cpu_us"] / raw["cpu_us"]
            goals.append(report.Goal(f"{kind}, CPU per request", measured, 1.3, "× raw epoll"))
        if "patchbay" in figures and kind == GOAL:
            measured = figures["patchbay"]["cpu_us"] / found[LAYER]["patchbay"]["cpu_us"]
            goals.append(report.Goal(f"{kind}, CPU per request", measured, 1.2, f"× {LAYER}"))
    columns = ["request and server", "req/s", "of raw", "p50 µs", "p99 µs", "CPU µs", "of raw"]
    columns += ["RSS MiB"]
    title = f"http_floor: one thread each, {CONNECTIONS} connections; baseline: raw epoll"
    report.print_table(title, columns, rows)
    report.print_goals(goals)
