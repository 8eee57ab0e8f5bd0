"""call_traced: the cost of exporting calls and metrics.

The baseline is the same call to a gateway that neither exports nor stores calls. `stored` is the
default: the last calls are stored with the times of their stages, for `patchbay trace`. The
collector is the raw epoll server, which takes every request and answers it with nothing; its CPU is
not in any figure. The CPU of the exporter's thread is part of the gateway's.
"""

from contextlib import ExitStack

from . import calls, processes, report, requests
from .measure import Bench, Target

OFF = "off"
STORED = "stored"
RATIOS = {"1 %": 0.01, "100 %": 1.0}
GOALS = {"1 %": 1.05, "100 %": 1.25}


def telemetry(port: int, ratio: float) -> str:
    return (
        "telemetry:\n"
        f"  otlp: {{endpoint: 'http://127.0.0.1:{port}'}}\n"
        f"  traces: {{sample_ratio: {ratio}}}\n"
        "  metrics: {interval: 1s}\n"
        "  logs: {enabled: false}\n"
    )


def run(bench: Bench, options) -> dict:
    found = {}
    if not options.has_gateway:
        return found
    text = "t" * 200
    traffic = requests.tool_call(options.protocol, "skills__echo", {"text": text}, text)
    with ExitStack() as stack:
        sink = stack.enter_context(processes.epoll_server(bench.tools, 0))
        settings = {
            OFF: calls.gateway_settings(options, "telemetry: {max_recent_calls: 0}\n"),
            STORED: calls.gateway_settings(options, ""),
        }
        for name, ratio in RATIOS.items():
            settings[name] = calls.gateway_settings(options, telemetry(sink.port, ratio))
        targets = []
        for name, text in settings.items():
            gateway = processes.gateway(bench.tools, bench.scratch("gateway"), text, "skills__echo")
            targets.append(Target(name, stack.enter_context(gateway), traffic))
        found = {"200 B": {n: bench.compare(targets, n) for n in options.connections}}
    calls.show("call_traced", options, found, OFF)
    report.print_goals(goals(found))
    return found


def goals(found: dict) -> list[report.Goal]:
    made = []
    for connections, figures in found["200 B"].items():
        for name, most in GOALS.items():
            cpu = figures[name]["cpu_us"] / figures[OFF]["cpu_us"]
            what = f"{name} of the calls, {connections} connections, CPU per call"
            made.append(report.Goal(what, cpu, most, "× off"))
    return made
