"""One measurement, and many of them in turn.

Everything that is compared is measured in the same run and in alternated rounds (A B C, A B C, …),
so that what else happens on the machine falls on all alike. A figure is the median of its rounds.
"""

import json
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from .processes import Server, Tools
from .requests import Traffic


@dataclass
class Effort:
    """How long to measure."""

    seconds: float
    warmup: float
    rounds: int


@dataclass
class Target:
    """One server under one kind of traffic."""

    name: str
    server: Server
    traffic: Traffic
    load: str = "load"  # The load generator, and its option for the number of connections.
    load_flag: str = "--connections"
    spins: bool = False  # The load generator never sleeps: where nothing else needs a processor.


class Bench:
    """What every benchmark needs: the programs, a folder for scratch files, and the effort."""

    def __init__(self, tools: Tools, folder: Path, effort: Effort):
        self.tools = tools
        self.folder = folder
        self.effort = effort
        self.wrong_answers = 0
        self._files = 0

    def scratch(self, name: str) -> Path:
        self._files += 1
        return self.folder / f"{self._files:03}-{name}"

    def compare(self, targets: list[Target], connections: int) -> dict[str, dict]:
        """Measures all targets in alternated rounds; medians by target name."""
        commands = {target.name: self._command(target, connections) for target in targets}
        rounds = {target.name: [] for target in targets}
        for _ in range(self.effort.rounds):
            for target in targets:
                rounds[target.name].append(self._one(target, commands[target.name]))
        return {name: median_of(figures) for name, figures in rounds.items()}

    def measure(self, target: Target, connections: int) -> dict:
        """One round of one target."""
        return self._one(target, self._command(target, connections))

    def _command(self, target: Target, connections: int) -> list[str]:
        command = [self.tools.bench(target.load), "--port", str(target.server.port)]
        command += [target.load_flag, str(connections)]
        if target.spins:
            command += ["--spin", "1"]
        command += ["--seconds", str(self.effort.seconds), "--warmup", str(self.effort.warmup)]
        for request in target.traffic.setup:
            command += ["--setup-file", self._file(request)]
        command += ["--request-file", self._file(target.traffic.request)]
        for text in target.traffic.expect:
            command += ["--expect-file", self._file(text.encode())]
        for pid in target.server.pids + target.server.back_end_pids:
            command += ["--watch", str(pid)]
        return command

    def _file(self, content: bytes) -> str:
        path = self.scratch("bytes")
        path.write_bytes(content)
        return str(path)

    def _one(self, target: Target, command: list[str]) -> dict:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{target.name}: {done.stderr.strip()}")
        measured = json.loads(done.stdout)
        if measured["errors"]:
            self.wrong_answers += measured["errors"]
            print(
                f"{target.name}: {measured['errors']} wrong answers, {measured['first_error']}",
                file=sys.stderr,
            )
        own = len(target.server.pids)
        watched = measured.pop("watched")
        measured["cpu_us"] = sum(p["cpu_us_per_call"] for p in watched[:own])
        measured["back_end_cpu_us"] = sum(p["cpu_us_per_call"] for p in watched[own:])
        measured["rss_mib"] = sum(p["rss_kib"] for p in watched[:own]) / 1024
        return measured


def median_of(figures: list[dict]) -> dict:
    keys = [key for key, value in figures[0].items() if isinstance(value, int | float)]
    return {key: statistics.median(figure[key] for figure in figures) for key in keys}
