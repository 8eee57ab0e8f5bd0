"""console: what open consoles cost the calls of everybody else.

The baseline is the same call to a gateway that nobody looks at. Ten consoles follow the live calls and
ask for everything that a page shows, in its intervals. Their share of a call is smaller the more calls
there are: what they ask is bounded by time, not by calls.
"""

from contextlib import ExitStack

from . import calls, processes, report, requests
from .consoles import Consoles
from .measure import Bench, Target

NONE = "none"
OPEN = "ten consoles"
COUNT = 10
MOST = 1.03


def run(bench: Bench, options) -> dict:
    found = {}
    if not options.has_gateway:
        return found
    text = "t" * 200
    traffic = requests.tool_call(options.protocol, "skills__echo", {"text": text}, text)
    settings = calls.gateway_settings(options, "")
    with ExitStack() as stack:
        targets = [
            Target(
                name,
                stack.enter_context(
                    processes.gateway(
                        bench.tools, bench.scratch("gateway"), settings, "skills__echo"
                    )
                ),
                traffic,
            )
            for name in (NONE, OPEN)
        ]
        consoles = stack.enter_context(Consoles(targets[1].server.port, COUNT))
        found = {"200 B": {n: bench.compare(targets, n) for n in options.connections}}
        seen = consoles.events, consoles.answers
    if 0 in seen:
        raise RuntimeError(f"the consoles have seen {seen[0]} calls and {seen[1]} pages")
    calls.show("console", options, found, NONE)
    print(f"the consoles have read {seen[0]:,} calls and {seen[1]:,} pages")
    report.print_goals(goals(found))
    return found


def goals(found: dict) -> list[report.Goal]:
    made = []
    for connections, figures in found["200 B"].items():
        cpu = figures[OPEN]["cpu_us"] / figures[NONE]["cpu_us"]
        what = f"ten open consoles, {connections} connections, CPU per call"
        made.append(report.Goal(what, cpu, MOST, "× none"))
    return made
