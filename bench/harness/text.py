"""text: checking JSON, base64 and YAML, each beside a library that does the same.

simdjson is a baseline only: where it was not installed when the tools were built, its rows are
left out, which one line reports.
"""

import json
import subprocess
import sys

from . import report
from .measure import Bench

# By the name of a case up to its comma: how much of the baseline's time it may take.
GOALS = {"JSON": 2.5, "base64": 1.25, "YAML to JSON": 3.0}


def run(bench: Bench, options) -> dict:
    output = subprocess.run([bench.tools.bench("text_codec")], capture_output=True, text=True)
    if output.returncode != 0:
        raise RuntimeError(output.stderr.strip() or "the tool failed")
    cases = [json.loads(line) for line in output.stdout.splitlines()]
    rows, worst = [], {}
    for case in cases:
        ours, baseline, size = case["ours_ns"], case["baseline_ns"], case["bytes"]
        rows.append([f"{case['case']}, {size} bytes", f"{size / ours:.2f}", f"{size / baseline:.2f}",
                     report.ratio(ours, baseline), case["baseline"]])
        kind = case["case"].split(",")[0]
        worst[kind] = max(worst.get(kind, 0), ours / baseline)
    if "JSON" not in worst:
        print("simdjson is not installed: its rows are left out", file=sys.stderr)
    report.print_table("text, GB/s, and CPU time to the baseline's",
                       ["", "ours", "baseline", "time", "baseline is"], rows)
    report.print_goals([report.Goal(f"{kind}, the slowest", ratio, GOALS[kind], "×")
                        for kind, ratio in worst.items()])
    return {f"{case['case']} {case['bytes']}": case for case in cases}
