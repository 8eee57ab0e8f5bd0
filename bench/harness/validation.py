"""validation: the cost of validating the arguments of a call against the tool's schema.

The baseline is reading the same text once, which the gateway does in any case.
"""

import json
import subprocess

from . import report
from .measure import Bench

GOAL_US = 3.0


def run(bench: Bench, options) -> dict:
    output = subprocess.run([bench.tools.bench("validation")], capture_output=True, text=True)
    if output.returncode != 0:
        raise RuntimeError(output.stderr.strip() or "the tool failed")
    cases = [json.loads(line) for line in output.stdout.splitlines()]
    rows = []
    for case in cases:
        read, validate = case["read_ns"], case["validate_ns"]
        rows.append([f"{case['case']}, {case['bytes']} bytes", f"{read / 1000:.2f}",
                     f"{validate / 1000:.2f}", report.ratio(validate, read),
                     f"{case['compile_ns'] / 1000:.1f}"])
    report.print_table("validation of arguments, CPU µs each",
                       ["", "read", "validate", "to read", "compile the schema"], rows)
    report.print_goals([report.Goal("1 KB of arguments", cases[0]["validate_ns"] / 1000, GOAL_US, "µs")])
    return {case["case"]: case for case in cases}
