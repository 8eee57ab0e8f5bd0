"""Shared by the tests of metrics: the text of /metrics, and a gateway with almost everything in it."""

import contextlib
import pathlib
import re
import tempfile
import typing

from certificates import Authority
from harness import Gateway, McpSession, fake, result_of, stateless_call, stateless_message, stateless_post, wait_until
from kafka_case import bus_config
from oauth_case import credentials
from oauth_server import AuthServer, Guarded
from sandbox_case import why_not

HEAD = re.compile(r"# (HELP|TYPE|UNIT) (\S+) (.*)")
SAMPLE = re.compile(r"([a-zA-Z_:][\w:]*)(?:\{(.*?)\})? (\S+)(?: # \{(.*?)\} (\S+) (\S+))?")
LABEL = re.compile(r'(\w+)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)')


class Family(typing.NamedTuple):
    kind: str
    help: str
    unit: str
    samples: list  # (name, labels, value, exemplar labels or None)

    def labels(self):
        """All names of labels but the bound of a bucket."""
        return {name for _, labels, _, _ in self.samples for name in labels} - {"le"}


def parse(text):
    """The families of a text of either format; fails on whatever the format does not allow."""
    families, facts = {}, {}
    lines = text.split("\n")
    assert lines.pop() == "", "the text does not end with a line break"
    for line in lines:
        if line == "# EOF":
            continue
        if head := HEAD.fullmatch(line):
            facts.setdefault(head[2], {})[head[1]] = head[3]
            if head[1] == "TYPE":
                families[head[2]] = []
            continue
        sample = SAMPLE.fullmatch(line)
        assert sample, f"not a sample: {line!r}"
        labels = dict(LABEL.findall(sample[2] or ""))
        assert LABEL.sub("", sample[2] or "") == "", f"not labels: {line!r}"
        owner = list(families)[-1]
        float(sample[3])
        families[owner].append((sample[1], labels, float(sample[3]), sample[4]))
    return {
        name: Family(facts[name]["TYPE"], facts[name]["HELP"], facts[name].get("UNIT", ""), samples)
        for name, samples in families.items()
    }


def trace_headers(number, sampled=True):
    return {"traceparent": f"00-{number:032x}-{number:016x}-{'01' if sampled else '00'}"}


class EverythingGateway(contextlib.ExitStack):
    """A gateway with as many features as run on this machine, and some traffic through each."""

    def __enter__(self):
        super().__enter__()
        self.folder = pathlib.Path(self.enter_context(tempfile.TemporaryDirectory()))
        certificate, key = Authority(str(self.folder)).server()
        auth = self.enter_context(AuthServer())
        self.stub = self.enter_context(Guarded(auth))
        self.sandboxed = not why_not()
        config = {
            "workers": 2,
            "tls": {"listen": "127.0.0.1:0", "cert": certificate, "key": key},
            "wire": {"tcp": "127.0.0.1:0"},
            "audit": {"file": "audit.jsonl"},
            "limits": {"rates": [{"per": "principal", "tools": ["fake.add"], "max_calls": 1, "window": "1h",
                                  "max_concurrent_calls": 10}]},
            "rules": [{"role": "local", "allow": ["*"], "approve": ["fake.cwd"]}],
            "upstreams": {
                "fake": fake(),
                "far": self.stub.upstream(auth=credentials(self.stub)),
                "skills": {"kind": "builtin"},
                **bus_config()["upstreams"],
                **({"box": {"kind": "sandbox", "egress": ["127.0.0.1:9"]}} if self.sandboxed else {}),
            },
        }
        self.gateway = self.enter_context(Gateway(config))
        self.traffic()
        return self

    def traffic(self):
        gateway = self.gateway
        wait_until(lambda: all(one["state"] == "up" for one in gateway.get("/ready").json()["upstreams"]))
        session = self.enter_context(McpSession(gateway))
        for name, arguments in (
            ("fake__echo", {"text": "x"}),
            ("fake__fail", {}),
            ("skills__calculate", {"expression": "1 + 1"}),
            ("skills__calculate", {"expression": 1}),  # It violates the schema.
            ("far__whoami", {}),
            ("fake__add", {"a": 1, "b": 2}),
            ("fake__add", {"a": 1, "b": 2}),  # It is one too many.
        ):
            session.call(name, **arguments)
        if self.sandboxed:
            made = result_of(session.call("box__create_sandbox"))["structuredContent"]
            session.call("box__run_command", sandbox_id=made["sandbox_id"], command="true")
        waiting = re.search(r"patchbay approve ([0-9a-f]+)", result_of(session.call("fake__cwd"))["content"][0]["text"])
        with gateway.connect() as connection:
            connection.request("POST", f"/control/approvals/{waiting[1]}")
        gateway.write_config(gateway.config_path.read_text(encoding="utf-8") + "\nlog:\n  calls: true\n")
        gateway.stderr.wait_for(" reloaded ")
        message = stateless_message("tools/call", {"name": "fake__echo", "arguments": {"text": "y"}})
        stateless_post(gateway, message, headers=trace_headers(7))
        stateless_call(gateway, "fake__echo", text="z")

    def text(self, accept=None):
        answer = self.gateway.get("/metrics", {"Accept": accept} if accept else None)
        assert answer.status == 200, answer.body
        return answer.body.decode()
