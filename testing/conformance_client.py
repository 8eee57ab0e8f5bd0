#!/usr/bin/env python3
"""The client that the conformance suite starts: the gateway, with somebody in front who uses it.

The suite runs a server of its own and gives its URL as the last argument. We start `patchbay stdio`
with that URL as its only upstream and talk to it as an MCP client would, so that the gateway makes
the requests which the scenario waits for. What to do is in SCENARIOS, by the name in
MCP_CONFORMANCE_SCENARIO; details come in MCP_CONFORMANCE_CONTEXT.

usage: conformance_client.py URL   (PATCHBAY_BIN names the program; CONFORMANCE_GATEWAY replaces the
whole command, with URL appended)
"""

import itertools
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent
ANSWER_S = 12
STOP_S = 5


class Failed(Exception):
    """The gateway answered with an error, or not at all."""


class Pending:
    def __init__(self):
        self.done, self.message = threading.Event(), None

    def result(self):
        if not self.done.wait(ANSWER_S):
            raise Failed("no answer")
        if "error" in self.message:
            raise Failed(json.dumps(self.message["error"]))
        return self.message["result"]


def filled_in(schema):
    """A form with its defaults; true and something else where there is none."""
    made_up = {"boolean": True, "string": "something", "integer": 1, "number": 1}
    fields = schema.get("properties", {}).items()
    return {name: field.get("default", made_up.get(field.get("type"))) for name, field in fields}


class Gateway:
    """A session on the stdin and stdout of the gateway; its questions are answered at once."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.ids, self.pending, self.writing = itertools.count(1), {}, threading.Lock()
        self.before_answering = lambda: None  # Is called when a question has come.
        threading.Thread(target=self._read, daemon=True).start()
        capabilities = {"elicitation": {}, "sampling": {}, "roots": {}}
        info = {"name": "conformance-client", "version": "1.0.0"}
        version = "2025-11-25"
        opening = {"protocolVersion": version, "capabilities": capabilities, "clientInfo": info}
        self.request("initialize", opening)
        self._send({"method": "notifications/initialized"})

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.process.kill()

    def _send(self, message):
        with self.writing:
            self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            self.process.stdin.flush()

    def _read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            if "method" in message and "id" in message:
                threading.Thread(target=self._answer, args=(message,), daemon=True).start()
            elif "method" not in message and message.get("id") in self.pending:
                waiting = self.pending.pop(message["id"])
                waiting.message = message
                waiting.done.set()

    def _answer(self, question):
        self.before_answering()
        params = question.get("params", {})
        if question["method"] == "elicitation/create":
            result = {"action": "accept", "content": filled_in(params.get("requestedSchema", {}))}
        elif question["method"] == "roots/list":
            result = {"roots": []}
        else:
            said = {"type": "text", "text": "something"}
            result = {"role": "assistant", "content": said, "model": "none"}
        self._send({"id": question["id"], "result": result})

    def start(self, method, params=None):
        request_id, waiting = next(self.ids), Pending()
        self.pending[request_id] = waiting
        self._send({"id": request_id, "method": method, "params": params or {}})
        return waiting

    def request(self, method, params=None):
        return self.start(method, params).result()

    def tools(self):
        return {tool["name"]: tool for tool in self.request("tools/list")["tools"]}

    def call(self, name, arguments=None):
        return self.request("tools/call", {"name": name, "arguments": arguments or {}})


def only_list(gateway, _context):
    gateway.tools()


def add_numbers(gateway, _context):
    gateway.tools()
    gateway.call("add_numbers", {"a": 5, "b": 3})


def accept_defaults(gateway, _context):
    gateway.call("test_client_elicitation_defaults")


def reconnect(gateway, _context):
    gateway.call("test_reconnection")


def use_everything(gateway, _context):
    for name in gateway.tools():
        gateway.call(name)
    for resource in gateway.request("resources/list")["resources"]:
        try:
            gateway.request("resources/read", {"uri": resource["uri"]})
        except Failed:
            pass  # The suite's resources are empty, which the gateway may take for missing.
    for prompt in gateway.request("prompts/list")["prompts"]:
        gateway.request("prompts/get", {"name": prompt["name"]})


def calls_of_context(gateway, context):
    gateway.tools()
    for call in context["toolCalls"]:
        gateway.call(call["name"], call["arguments"])


def call_what_is_listed(gateway, _context):
    for name, tool in gateway.tools().items():
        gateway.call(name, filled_in(tool["inputSchema"]))


def keep_states_apart(gateway, _context):
    """A call without questions while another waits for its answer."""
    asked = threading.Event()
    between = threading.Event()

    def wait_for_the_other():
        asked.set()
        between.wait(ANSWER_S)

    gateway.before_answering = wait_for_the_other
    waiting = gateway.start("tools/call", {"name": "test_mrtr_echo_state", "arguments": {}})
    if not asked.wait(ANSWER_S):
        raise Failed("nothing was asked")
    gateway.call("test_mrtr_unrelated")
    between.set()
    waiting.result()
    gateway.call("test_mrtr_no_state")
    gateway.call("test_mrtr_no_result_type")


def echo_schema(gateway, _context):
    schema = gateway.tools()["json_schema_2020_12_tool"]["inputSchema"]
    gateway.call("json_schema_echo", {"schema": schema})


SCENARIOS = {
    "initialize": only_list,
    "tools_call": add_numbers,
    "elicitation-sep1034-client-defaults": accept_defaults,
    "sse-retry": reconnect,
    "request-metadata": only_list,
    "sep-2322-client-request-state": keep_states_apart,
    "http-standard-headers": use_everything,
    "http-custom-headers": calls_of_context,
    "http-invalid-tool-headers": call_what_is_listed,
    "json-schema-ref-no-deref": only_list,
    "json-schema-2020-12-preservation": echo_schema,
}


def gateway_command(folder, url):
    if replaced := os.environ.get("CONFORMANCE_GATEWAY"):
        return [*shlex.split(replaced), url]
    # JSON is YAML, and quotes itself.
    # The suite's servers know one client: each worker would be another. What the suite sends to its
    # own tools goes there as it is, fitting their schemas or not.
    config = {
        "workers": 1,
        "names": {"prefix": "never"},
        "upstreams": {"suite": {"kind": "http", "url": url}},
        "validation": {"arguments": "off"},
    }
    path = pathlib.Path(folder) / "patchbay.yaml"
    path.write_text(json.dumps(config), encoding="utf-8")
    binary = os.environ.get("PATCHBAY_BIN", str(ROOT / "build" / "patchbay"))
    return [binary, "stdio", "-c", str(path)]


def main():
    scenario = os.environ["MCP_CONFORMANCE_SCENARIO"]
    context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}"))
    with tempfile.TemporaryDirectory() as folder:
        gateway = Gateway(gateway_command(folder, sys.argv[-1]))
        try:
            SCENARIOS[scenario](gateway, context)
        except Failed as failed:
            print(f"{scenario}: {failed}", file=sys.stderr)
            return 1
        finally:
            gateway.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
