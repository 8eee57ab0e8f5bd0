"""agent: what the guest agent costs beside the system calls that it is made of.

`exec` of `true` beside posix_spawn and wait of the same shell; a gigabyte of output beside a loop that
reads the same pipe; the memory that this takes, and the time from spawn to the first answer.
"""

import json
import subprocess

from . import report
from .measure import Bench

GOAL_EXEC = 1.3
GOAL_DRAIN_MB_S = 500
GOAL_GROWTH_KIB = 4096


def run(bench: Bench, options) -> dict:
    program = options.build / "patchbay-agent"
    commands, megabytes = (50, 256) if options.quick else (300, 1024)
    output = subprocess.run(
        [bench.tools.bench("agent"), str(program), str(bench.effort.rounds), str(commands), str(megabytes)],
        capture_output=True, text=True, check=False)
    if output.returncode != 0:
        raise RuntimeError(output.stderr.strip() or "the tool failed")
    found = json.loads(output.stdout)
    report.print_table(
        "the guest agent, over a Unix socket",
        ["", "bare", "agent", "to bare"],
        [["exec of true, µs", f"{found['spawn_us']:.0f}", f"{found['exec_us']:.0f}",
          report.ratio(found["exec_us"], found["spawn_us"])],
         [f"{megabytes} MiB of output, MB/s", f"{found['read_mb_s']:.0f}", f"{found['drain_mb_s']:.0f}",
          report.ratio(found["drain_mb_s"], found["read_mb_s"])],
         ["the same, both ends kept, MB/s", f"{found['read_mb_s']:.0f}", f"{found['ends_mb_s']:.0f}",
          report.ratio(found["ends_mb_s"], found["read_mb_s"])],
         ["memory at most, KiB", "", str(found["peak_kib"]), ""],
         ["first answer, ms", "", f"{found['first_answer_ms']:.1f}", ""]])
    report.print_goals([
        report.Goal("exec of true, to posix_spawn and wait", found["exec_us"] / found["spawn_us"], GOAL_EXEC, "×"),
        report.Goal("output taken", found["drain_mb_s"], GOAL_DRAIN_MB_S, "MB/s", at_least=True),
        report.Goal("output taken, both ends kept", found["ends_mb_s"], GOAL_DRAIN_MB_S, "MB/s", at_least=True),
        report.Goal("memory more after it", found["growth_kib"], GOAL_GROWTH_KIB, "KiB"),
    ])
    return found
