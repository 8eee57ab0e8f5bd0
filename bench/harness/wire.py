"""wire: many calls on one TCP connection of the wire protocol, beside as many HTTP connections.

Both ask the same gateway for the same built-in skill. What the wire adds to a message, its frame and
its envelope, is timed by itself, beside reading the same JSON.
"""

import json
import subprocess

from . import processes, report, requests
from .measure import Bench, Target

IN_FLIGHT = 256
HTTP = "256 HTTP connections"
WIRE = "256 in flight on one TCP connection"
SETTINGS = (
    "listen: 127.0.0.1:0\nworkers: 1\n"
    "wire: {tcp: 127.0.0.1:%d, rate_limiting: {enabled: false}}\n"
)


def run(bench: Bench, options) -> dict:
    found = {"codec": codec(bench)}
    if not options.has_gateway:
        return found
    text = "t" * 200
    over_http = requests.tool_call(options.protocol, "skills__echo", {"text": text}, text)
    call = {"jsonrpc": "2.0", "id": "{{id}}", "method": "tools/call",
            "params": {"name": "skills__echo", "arguments": {"text": text}}}
    over_wire = requests.Traffic(json.dumps(call).encode(), expect=[text])
    port = processes.free_port()
    with processes.gateway(bench.tools, bench.scratch("gateway"), SETTINGS % port) as gateway:
        framed = processes.Server(port, gateway.pids, gateway.back_end_pids)
        targets = [
            Target(HTTP, gateway, over_http),
            Target(WIRE, framed, over_wire, "wire_load", "--in-flight"),
        ]
        found["calls"] = bench.compare(targets, IN_FLIGHT)
    show(found)
    return found


def codec(bench: Bench) -> dict:
    output = subprocess.run([bench.tools.bench("wire_codec")], capture_output=True, text=True)
    if output.returncode != 0:
        raise RuntimeError(output.stderr.strip() or "the tool failed")
    return json.loads(output.stdout)


def show(found: dict) -> None:
    base, wire = found["calls"][HTTP], found["calls"][WIRE]
    rows = []
    for name, figure in found["calls"].items():
        rows.append([
            name,
            f"{figure['calls_per_s']:,.0f}", report.ratio(figure["calls_per_s"], base["calls_per_s"]),
            f"{figure['cpu_us']:.2f}", report.ratio(figure["cpu_us"], base["cpu_us"]),
            f"{figure['p50_us']:.0f}", f"{figure['p99_us']:.0f}",
        ])
    report.print_table("wire: tools/call of a built-in skill, 200 B",
                       ["", "calls/s", "", "CPU µs", "", "p50 µs", "p99 µs"], rows)
    one = found["codec"]
    report.print_table(
        f"wire: one message of {one['bytes']} bytes, CPU ns, written and read",
        ["", "ns", "to reading its JSON"],
        [[name, f"{one[key]:.0f}", report.ratio(one[key], one["json_ns"])]
         for name, key in (("frame", "frame_ns"), ("envelope", "envelope_ns"),
                           ("reading its JSON", "json_ns"))])
    report.print_goals([
        report.Goal("CPU per call", wire["cpu_us"] / base["cpu_us"], 1.0, "× HTTP"),
        report.Goal("frame of 1 KB, both ways", one["frame_ns"] / 1000, 1.0, "µs"),
        report.Goal("calls/s", wire["calls_per_s"] / base["calls_per_s"], 1.5, "× HTTP", at_least=True),
    ])
