"""build: how long the sources take to compile, without the compiler cache.

The baseline is the same folder of the sources with each file compiled alone. A whole build has a
budget; so has what follows the change of one file.
"""

import os
import resource
import subprocess
import time
from pathlib import Path

from . import report
from .measure import Bench

ROOT = Path(__file__).resolve().parents[2]
FOLDER = "patchbay_mcp_client"  # The library of one folder of the usual kind.
CHANGED = ROOT / "src" / "mcp_client" / "link.cc"
BUDGET_S = 240  # Of `./dev build`, without installing packages.
CHANGE_S = 15


def timed(folder, *targets, count=os.cpu_count()):
    """Seconds and seconds of CPU until the targets are built."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(["ninja", "-C", folder, "-j", str(count), "--quiet", *targets], check=True,
                   env=os.environ | {"CCACHE_DISABLE": "1"}, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.monotonic() - start, cpu


def configure(folder, *settings):
    subprocess.run(["cmake", "--preset", "dev", "-B", folder, *settings], cwd=ROOT, check=True,
                   stdout=subprocess.DEVNULL)
    return folder


def run(bench: Bench, options) -> dict:
    del options
    together = configure(bench.folder / "together")
    alone = configure(bench.folder / "alone", "-D", "PATCHBAY_UNITY=1")
    folder_s, folder_cpu = timed(together, FOLDER)
    alone_s, alone_cpu = timed(alone, FOLDER)
    whole_s, whole_cpu = timed(together, "patchbay", "patchbay-agent")
    os.utime(CHANGED)
    change_s, change_cpu = timed(together, "patchbay")
    rows = [
        ["one folder, files alone", f"{alone_s:.1f}", f"{alone_cpu:.1f}", "1.00×"],
        ["one folder, files together", f"{folder_s:.1f}", f"{folder_cpu:.1f}",
         report.ratio(folder_cpu, alone_cpu)],
        ["the rest of both programs", f"{whole_s:.1f}", f"{whole_cpu:.1f}", ""],
        ["after a change of one file", f"{change_s:.1f}", f"{change_cpu:.1f}", ""],
    ]
    report.print_table("build", ["", "s", "CPU s", "CPU to the baseline's"], rows)
    report.print_goals([
        report.Goal("a whole build", folder_s + whole_s, BUDGET_S, " s"),
        report.Goal("after a change of one file", change_s, CHANGE_S, " s"),
        report.Goal("one folder to the baseline", folder_cpu / alone_cpu, 0.5, "×"),
    ])
    return {"whole_s": folder_s + whole_s, "whole_cpu_s": folder_cpu + whole_cpu,
            "change_s": change_s, "folder_ratio": folder_cpu / alone_cpu}
