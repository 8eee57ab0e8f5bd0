"""call_builtin, call_stdio, call_http, call_rest and call_rules: tools through the whole gateway.

The baseline is nginx proxying the same requests to a raw epoll server that answers bodies of the
same size, over connections that are kept alive. CPU per call is of the gateway (or of nginx) alone;
its stdio child (or nginx's back end) is listed separately.
"""

from contextlib import ExitStack

import dataclasses

from . import processes, report, requests
from .measure import Bench, Target

SIZES = {"200 B": 200, "1 MB": 1_000_000}


def run_builtin(bench: Bench, options) -> dict:
    """The skill `echo` answers the text it is given, so the request is as long as the answer."""

    def traffic(size: int) -> requests.Traffic:
        text = "t" * size
        return requests.tool_call(options.protocol, "skills__echo", {"text": text}, text)

    return run(bench, options, "call_builtin", "", traffic, "skills__echo")


def run_stdio(bench: Bench, options) -> dict:
    """A child that answers 200 bytes (`echo`) or 1,000,000 (`big`) to a short request."""

    def traffic(size: int) -> requests.Traffic:
        tool, filler = ("echo__echo", "e") if size == 200 else ("echo__big", "b")
        return requests.tool_call(options.protocol, tool, {}, filler * size)

    command = bench.tools.bench("stdio_echo")
    upstreams = f"upstreams:\n  echo: {{kind: stdio, command: {command}}}\n"
    return run(bench, options, "call_stdio", upstreams, traffic, "echo__echo")


def run_http(bench: Bench, options) -> dict:
    """A server over HTTP that answers 200 bytes (`echo`) or 1,000,000 (`big`) to a short request,
    behind nginx, behind the gateway, and behind the gateway when it speaks the other form of MCP."""
    other = {"session": "stateless", "stateless": "session"}[options.protocol]
    found = {}
    with ExitStack() as stack:
        same = stack.enter_context(processes.http_echo(bench.tools, options.protocol))
        servers = {}
        if bench.tools.nginx:
            folder = bench.scratch("nginx")
            servers["nginx proxy"] = stack.enter_context(
                processes.nginx_proxy_to(bench.tools, folder, options.workers, same)
            )
        if options.has_gateway:
            across = stack.enter_context(processes.http_echo(bench.tools, other))
            for name, back_end in (("patchbay", same), ("patchbay across protocols", across)):
                upstreams = (
                    "upstreams:\n  echo: {kind: http, connections: 512, "
                    f'url: "http://127.0.0.1:{back_end.port}/mcp"}}\n'
                )
                settings = gateway_settings(options, upstreams)
                folder = bench.scratch("gateway")
                gateway = stack.enter_context(
                    processes.gateway(bench.tools, folder, settings, "echo__echo")
                )
                gateway.back_end_pids = back_end.pids
                servers[name] = gateway
        for label, size in SIZES.items():
            tool, filler = ("echo", "e") if size == 200 else ("big", "b")
            traffic = requests.tool_call(options.protocol, tool, {}, filler * size)
            plain = requests.without_session(traffic, traffic.expect)
            targets = [
                Target(name, server, plain if name == "nginx proxy" else traffic)
                for name, server in servers.items()
            ]
            found[label] = {n: bench.compare(targets, n) for n in options.connections}
    show("call_http", options, found)
    return found


def run_rest(bench: Bench, options) -> dict:
    """The skill `echo` by POST /api/{tool}, beside the same call as a tools/call of 2026-07-28 to the
    same gateway."""
    found = {}
    if not options.has_gateway:
        return found
    with ExitStack() as stack:
        gateways = start_gateways(stack, bench, gateway_settings(options, ""), "skills__echo")
        for label, size in SIZES.items():
            text = "t" * size
            arguments = {"text": text}
            mcp = requests.tool_call("stateless", "skills__echo", arguments, text)
            rest = requests.rest_call("skills.echo", arguments, text)
            if BEFORE in gateways:
                targets = [Target(name, server, rest) for name, server in gateways.items()]
            else:
                targets = [Target("mcp", gateways["patchbay"], mcp),
                           Target("rest", gateways["patchbay"], rest)]
            found[label] = {n: bench.compare(targets, n) for n in options.connections}
    show("call_rest", options, found, BEFORE if bench.tools.before else "mcp")
    return found


RULES = """rules:
  - {role: local, allow: ["skills.*"], deny: ["*.delete*"]}
  - {role: any, allow: ["skills.time"]}
  - {role: reader, scopes: [read], allow: ["*"]}
"""


def run_rules(bench: Bench, options) -> dict:
    """The skill `echo` for a caller with rules, compared with a gateway without rules."""
    found = {}
    if not options.has_gateway:
        return found
    with ExitStack() as stack:
        servers = {}
        for name, rules in (("no rules", ""), ("rules", RULES)):
            settings = gateway_settings(options, rules)
            folder = bench.scratch("gateway")
            servers[name] = stack.enter_context(
                processes.gateway(bench.tools, folder, settings, "skills__echo")
            )
        text = "t" * SIZES["200 B"]
        traffic = requests.tool_call(options.protocol, "skills__echo", {"text": text}, text)
        targets = [Target(name, server, traffic) for name, server in servers.items()]
        found["200 B"] = {n: bench.compare(targets, n) for n in options.connections}
    show("call_rules", options, found, "no rules")
    return found


def gateway_settings(options, upstreams: str) -> str:
    return f"listen: 127.0.0.1:0\nworkers: {options.workers}\nlog: {{calls: true}}\n{upstreams}"


BEFORE = "before"


def start_gateways(stack: ExitStack, bench: Bench, settings: str, tool: str) -> dict:
    """The gateway, and before it an earlier one if it is to be compared."""
    tools = {"patchbay": bench.tools}
    if bench.tools.before:
        earlier = dataclasses.replace(bench.tools, gateway=bench.tools.before)
        tools = {BEFORE: earlier, **tools}
    return {
        name: stack.enter_context(processes.gateway(one, bench.scratch("gateway"), settings, tool))
        for name, one in tools.items()
    }


def run(bench: Bench, options, name: str, upstreams: str, traffic, tool: str) -> dict:
    settings = gateway_settings(options, upstreams)
    found = {}
    with ExitStack() as stack:
        gateways = {}
        if options.has_gateway:
            gateways = start_gateways(stack, bench, settings, tool)
        for label, size in SIZES.items():
            found[label] = compare_size(bench, options, gateways, traffic(size), size)
    show(name, options, found, BEFORE if bench.tools.before else "nginx proxy")
    return found


def compare_size(bench: Bench, options, gateways: dict, traffic: requests.Traffic, size: int) -> dict:
    found = {}
    with ExitStack() as stack:
        targets = []
        if bench.tools.nginx:
            answer = requests.text_result_size(size)
            proxy = stack.enter_context(
                processes.nginx_proxy(bench.tools, bench.scratch("nginx"), options.workers, answer)
            )
            targets.append(Target("nginx proxy", proxy, requests.without_session(traffic)))
        targets += [Target(name, server, traffic) for name, server in gateways.items()]
        for connections in options.connections:
            found[connections] = bench.compare(targets, connections)
    return found


def show(name: str, options, found: dict, against: str = "nginx proxy") -> None:
    rows = []
    for label, by_connections in found.items():
        for connections, figures in by_connections.items():
            baseline = figures.get(against, {})
            for server, figure in figures.items():
                rows.append(row(f"{label}, {connections:3} conn.  {server}", figure, baseline))
    of_baseline = f"of {against.split()[0]}"
    columns = ["result, connections, server", "calls/s", of_baseline, "p50 µs", "p99 µs", "CPU µs"]
    columns += [of_baseline, "back end CPU µs", "RSS MiB"]
    protocol = "stateless" if name == "call_rest" else options.protocol
    title = f"{name}: {protocol} protocol, {options.workers} worker(s) each; baseline: {against}"
    report.print_table(title, columns, rows)
    if against == BEFORE:
        return report.print_goals(before_goals(found))
    if name == "call_stdio":
        report.print_goals(stdio_goals(found))
    if name == "call_http":
        report.print_goals(http_goals(found))
    if name == "call_rest":
        report.print_goals(rest_goals(found))
    if name == "call_rules":
        report.print_goals(rules_goals(found))


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


def before_goals(found: dict) -> list[report.Goal]:
    goals = []
    for label, by_connections in found.items():
        for connections, figures in by_connections.items():
            cpu = figures["patchbay"]["cpu_us"] / figures[BEFORE]["cpu_us"]
            what = f"{label} at {connections} connections, CPU per call"
            goals.append(report.Goal(what, cpu, 1.03, "× before"))
    return goals


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


def rest_goals(found: dict) -> list[report.Goal]:
    goals = []
    for connections, figures in found["200 B"].items():
        cpu = figures["rest"]["cpu_us"] / figures["mcp"]["cpu_us"]
        what = f"200 B at {connections} connections, CPU per call"
        goals.append(report.Goal(what, cpu, 1.2, "× the same over MCP"))
    return goals


def rules_goals(found: dict) -> list[report.Goal]:
    figures = found["200 B"].get(64, {})
    if not figures:
        return []
    cpu = figures["rules"]["cpu_us"] / figures["no rules"]["cpu_us"]
    return [report.Goal("200 B at 64 connections, CPU per call", cpu, 1.05, "× no rules")]


def http_goals(found: dict) -> list[report.Goal]:
    goals = []
    for label, by_connections in found.items():
        for connections in (16, 64):
            figures = by_connections.get(connections, {})
            if {"patchbay", "nginx proxy"} <= figures.keys():
                goals += http_goals_at(f"{label} at {connections} connections", figures)
    return goals


def http_goals_at(at: str, figures: dict) -> list[report.Goal]:
    ours, nginx = figures["patchbay"], figures["nginx proxy"]
    speed = ours["calls_per_s"] / nginx["calls_per_s"]
    cpu = ours["cpu_us"] / nginx["cpu_us"]
    crossing = figures["patchbay across protocols"]["cpu_us"] / ours["cpu_us"]
    return [
        report.Goal(f"{at}, calls/s", speed, 1, "× nginx proxy", at_least=True),
        report.Goal(f"{at}, CPU per call", cpu, 1, "× nginx proxy"),
        report.Goal(f"{at}, CPU across protocols", crossing, 1.3, "× same protocol"),
    ]
