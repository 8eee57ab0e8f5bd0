#!/usr/bin/env python3
"""The client that the conformance suite starts: the gateway, with an MCP client in front.

The suite runs a server of its own and gives its URL as the last argument. We start `patchbay stdio`
with that URL as its only upstream and act as its MCP client, so that the gateway makes
the requests which the scenario waits for. The steps are in SCENARIOS, by the name in
MCP_CONFORMANCE_SCENARIO; details come in MCP_CONFORMANCE_CONTEXT. Where a sign-in is required,
links are opened as soon as the gateway prints them, in its log or by elicitation.

usage: conformance_client.py URL   (PATCHBAY_BIN names the program; CONFORMANCE_GATEWAY replaces the
whole command, with URL appended)
"""

import itertools
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "lib"))

from browser import Browser  # noqa: E402

ANSWER_S = 12
STOP_S = 5
SIGNED_IN_S = 8  # How long it may take until an upstream that requires a sign-in is up.
LINK = re.compile(r"http://[\w.:]+/oauth/sign-in/[0-9a-f]+")


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


def sign_in(url):
    status, text = Browser().sign_in(url)
    print(f"signed in: {status} {text[-200:]}", file=sys.stderr)


class Gateway:
    """A session on the stdin and stdout of the gateway; its questions are answered at once."""

    def __init__(self, command):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)
        self.ids, self.pending, self.writing = itertools.count(1), {}, threading.Lock()
        self.before_answering = lambda: None  # Is called when a question has come.
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._read_log, daemon=True).start()
        capabilities = {"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}}
        info = {"name": "conformance-client", "version": "1.0.0"}
        version = "2025-11-25"
        handshake = {"protocolVersion": version, "capabilities": capabilities, "clientInfo": info}
        self.request("initialize", handshake)
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

    def _read_log(self):
        """Passes the log on, and opens the links in it."""
        for line in self.process.stderr:
            sys.stderr.buffer.write(line)
            sys.stderr.buffer.flush()
            if found := LINK.search(line.decode()):
                threading.Thread(target=sign_in, args=(found[0],), daemon=True).start()

    def _answer(self, question):
        self.before_answering()
        params = question.get("params", {})
        if params.get("mode") == "url":
            sign_in(params["url"])
            result = {"action": "accept"}
        elif question["method"] == "elicitation/create":
            result = {"action": "accept", "content": filled_in(params.get("requestedSchema", {}))}
        elif question["method"] == "roots/list":
            result = {"roots": []}
        else:
            reply = {"type": "text", "text": "something"}
            result = {"role": "assistant", "content": reply, "model": "none"}
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


def call_signed_in(gateway, _context):
    """The tool is listed once a person has signed in, or the gateway has obtained its token."""
    until = time.monotonic() + SIGNED_IN_S
    while "test-tool" not in gateway.tools():
        if time.monotonic() > until:
            raise Failed("the tool is not there")
        time.sleep(0.05)
    gateway.call("test-tool")


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


def issuer_of(url):
    """The authorization server of that server, as an administrator looks it up once."""
    parts = urllib.parse.urlsplit(url)
    for path in (parts.path.rstrip("/"), ""):
        metadata_url = f"{parts.scheme}://{parts.netloc}/.well-known/oauth-protected-resource{path}"
        try:
            with urllib.request.urlopen(metadata_url, timeout=ANSWER_S) as answer:
                return json.load(answer)["authorization_servers"][0]
        except urllib.error.HTTPError:
            continue
    return f"{parts.scheme}://{parts.netloc}"


def auth_of(scenario, context, folder, url):
    """The settings `auth` of the upstream, or None."""
    if not scenario.startswith("auth/"):
        return None
    known = {key: context[key] for key in ("client_id", "client_secret") if key in context}
    auth = {"retry": "100ms", **known}
    # A client that is registered belongs to one authorization server, and is named with it.
    if known:
        auth["issuer"] = issuer_of(url)
    if scenario.startswith("auth/client-credentials"):
        auth["kind"] = "client_credentials"
        if pem := context.get("private_key_pem"):
            auth |= {"key": secret_file(folder, "key.pem", pem)}
            auth["algorithm"] = context["signing_algorithm"]
        return auth
    if scenario == "auth/enterprise-managed-authorization":
        there = {"token_url": context["idp_token_endpoint"], "client_id": context["idp_client_id"]}
        subject = secret_file(folder, "id-token", context["idp_id_token"])
        subject_settings = {"subject_type": "id_token", "subject_file": subject}
        return {"kind": "token_exchange", "exchange": there, **subject_settings, **auth}
    if scenario == "auth/wif-jwt-bearer":
        workload = secret_file(folder, "workload", context["valid_jwt"])
        return {"kind": "jwt_bearer", "token_file": workload, **auth}
    document = "https://conformance-test.local/client-metadata.json"
    return {"kind": "authorization_code", "client_document": document, **auth}


def secret_file(folder, name, text):
    path = pathlib.Path(folder) / name
    path.write_text(text, encoding="ascii")
    return str(path)


def gateway_command(folder, url, scenario, context):
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
    if auth := auth_of(scenario, context, folder, url):
        config["upstreams"]["suite"]["auth"] = auth
    path = pathlib.Path(folder) / "patchbay.yaml"
    path.write_text(json.dumps(config), encoding="utf-8")
    binary = os.environ.get("PATCHBAY_BIN", str(ROOT / "build" / "patchbay"))
    return [binary, "stdio", "-c", str(path)]


def main():
    scenario = os.environ["MCP_CONFORMANCE_SCENARIO"]
    context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}"))
    with tempfile.TemporaryDirectory() as folder:
        gateway = Gateway(gateway_command(folder, sys.argv[-1], scenario, context))
        try:
            SCENARIOS.get(scenario, call_signed_in)(gateway, context)
        except Failed as failed:
            print(f"{scenario}: {failed}", file=sys.stderr)
            return 1
        finally:
            gateway.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
