"""A real Prometheus that scrapes gateways, as a context manager: own configuration, port and data."""

import json
import pathlib
import shutil
import socket
import subprocess
import tempfile
import urllib.error
import urllib.parse
import urllib.request

from harness import ROOT, wait_until
from waiting import TIMEOUT, Lines

RULES = ROOT / "deploy" / "prometheus" / "patchbay.rules.yaml"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Prometheus:
    def __init__(self, jobs):
        """`jobs`: {name: settings of a scrape_config with its targets}."""
        self.folder = tempfile.TemporaryDirectory(prefix="patchbay-prometheus-")
        path = pathlib.Path(self.folder.name)
        shutil.copy(RULES, path / "rules.yaml")
        config = {
            "global": {"scrape_interval": "200ms", "scrape_timeout": "200ms", "evaluation_interval": "500ms"},
            "rule_files": ["rules.yaml"],
            "scrape_configs": [{"job_name": name, **settings} for name, settings in jobs.items()],
        }
        (path / "prometheus.yml").write_text(json.dumps(config), encoding="utf-8")
        self.process = self.stderr = self.port = None

    def __enter__(self):
        # Another program may take the port before Prometheus does.
        for _ in range(5):
            if self.start(free_port()):
                return self
        raise AssertionError("Prometheus did not start:\n" + self.stderr.text()[-4000:])

    def start(self, port):
        path = self.folder.name
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={path}/prometheus.yml", f"--storage.tsdb.path={path}/data",
             f"--web.listen-address=127.0.0.1:{port}", "--enable-feature=exemplar-storage"],
            cwd=path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )  # fmt: skip
        self.stderr, self.port = Lines(self.process.stderr), port
        try:
            self.stderr.wait_for("Server is ready to receive web requests")
            return True
        except AssertionError:
            self.process.kill()
            self.process.wait()
            return False

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.folder.cleanup()

    def ask(self, path, **parameters):
        """The `data` of an answer; a query that is refused raises its error."""
        query = urllib.parse.urlencode(parameters)
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/v1/{path}?{query}", timeout=TIMEOUT) as got:
                answer = json.load(got)
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{parameters}: {error.read().decode()}") from None
        assert answer["status"] == "success", answer
        return answer["data"]

    def query(self, expression):
        """[(labels, value)] now."""
        data = self.ask("query", query=expression)
        if data["resultType"] == "scalar":
            return [({}, float(data["result"][1]))]
        return [(one["metric"], float(one["value"][1])) for one in data["result"]]

    def value(self, expression):
        found = self.query(expression)
        return found[0][1] if found else None

    def targets(self):
        return {one["labels"]["job"]: one for one in self.ask("targets")["activeTargets"]}

    def wait_scraped(self):
        wait_until(lambda: all(one["health"] == "up" for one in self.targets().values()), "all targets to be up")

    def wait_value(self, expression, wanted):
        wait_until(lambda: self.value(expression) == wanted, f"{expression} to be {wanted}")
