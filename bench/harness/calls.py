"""call_builtin and call_stdio: tools/call through the whole gateway.

The baseline is nginx proxying the same requests to a raw epoll server that answers bodies of the
same size, over connections that are kept alive. CPU per call is of the gateway (or of nginx) alone;
its stdio child (or nginx's back end) is shown apart.
"""

from contextlib import ExitStack

from . import processes, report, requests
from .measure import Bench, Target

SIZES = {"200 B": 200, "1 MB": 1_000_000}


def run_builtin(bench: Bench, options) -> dict:
    """The skill `echo` answers the text it is given, so the request is as long as the answer."""

    def traffic(size: int) -> requests.Traffic:
        text = "t" * size
        return requests.tool_call(options.era, "skills__echo", {"text": text}, text)

    return run(bench, options, "call_builtin", "", traffic, "skills__echo")


def run_stdio(bench: Bench, options) -> dict:
    """A child that answers 200 bytes (`echo`) or 1,000,000 (`big`) to a short request."""

    def traffic(size: int) -> requests.Traffic:
        tool, letter = ("echo__echo", "e") if size == 200 else ("echo__big", "b")
        return requests.tool_call(options.era, tool, {}, letter * size)

    command = bench.tools.bench("stdio_echo")
    upstreams = f"upstreams:\n  echo: {{kind: stdio, command: {command}}}\n"
    return run(bench, options, "call_stdio", upstreams, traffic, "echo__echo")


def run(bench: Bench, options, name: str, upstreams: str, traffic, tool: str) -> dict:
    settings = f"listen: 127.0.0.1:0\nworkers: {options.workers}\nlog: {{calls: true}}\n{upstreams}"
    found = {}
    with ExitStack() as stack:
        gateway = None
        if options.has_gateway:
            folder = bench.scratch("gateway")
            gateway = stack.enter_context(
                processes.gateway(bench.tools, folder, settings, tool)
            )
        for label, size in SIZES.items():
            found[label] = compare_size(bench, options, gateway, traffic(size), size)
    show(name, options, found)
    return found


def compare_size(bench: Bench, options, gateway, traffic: requests.Traffic, size: int) -> dict:
    found = {}
    with ExitStack() as stack:
        targets = []
        if bench.tools.nginx:
            answer = requests.text_result_size(size)
            proxy = stack.enter_context(
                processes.nginx_proxy(bench.tools, bench.scratch("nginx"), options.workers, answer)
            )
            targets.append(Target("nginx proxy", proxy, requests.without_session(traffic)))
        if gateway:
            targets.append(Target("patchbay", gateway, traffic))
        for connections in options.connections:
            found[connections] = bench.compare(targets, connections)
    return found


def show(name: str, options, found: dict) -> None:
    rows = []
    for label, by_connections in found.items():
        for connections, figures in by_connections.items():
            baseline = figures.get("nginx proxy", {})
            for server, figure in figures.items():
                rows.append(row(f"{label}, {connections:3} conn.  {server}", figure, baseline))
    columns = ["result, connections, server", "calls/s", "of nginx", "p50 µs", "p99 µs", "CPU µs"]
    columns += ["of nginx", "back end CPU µs", "RSS MiB"]
    title = f"{name}: {options.era} era, {options.workers} worker(s) each; baseline: nginx proxy"
    report.print_table(title, columns, rows)
    if name == "call_stdio":
        report.print_goals(stdio_goals(found))


def row(title: str, figure: dict, baseline: dict) -> list[str]:
    return [
        title,
        f"{figure['calls_per_s']:,.0f}",
        report.ratio(figure["calls_per_s"], baseline.get("calls_per_s")),
        f"{figure['p50_us']:,.0f}",
        f"{figure['p99_us']:,.0f}",
        f"{figure['cpu_us']:.1f}",
        report.ratio(figure["cpu_us"], baseline.get("cpu_us")),
        f"{figure['back_end_cpu_us']:.1f}",
        f"{figure['rss_mib']:.1f}",
    ]


def stdio_goals(found: dict) -> list[report.Goal]:
    figures = found["200 B"].get(64, {})
    if "patchbay" not in figures:
        return []
    ours = figures["patchbay"]
    goals = [report.Goal("200 B at 64 connections, gateway CPU per call", ours["cpu_us"], 25, "µs")]
    if "nginx proxy" in figures:
        measured = ours["calls_per_s"] / figures["nginx proxy"]["calls_per_s"]
        what = "200 B at 64 connections, calls/s"
        goals.append(report.Goal(what, measured, 1, "× nginx proxy", at_least=True))
    return goals
