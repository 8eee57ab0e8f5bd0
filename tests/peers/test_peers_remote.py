"""Peers over the network: the reference server on both of its HTTP transports behind the gateway,
mcp-remote on either side, and the command line of the inspector in front, in each
form of the protocol.

They come from npm. Where npm or its registry cannot be reached, the tests are skipped
with the reason.
"""

import json
import socket
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(1, sys.path[0] + "/../lib")

import npm_peers
from harness import (
    Gateway,
    McpSession,
    StdioFrontend,
    TestCase,
    clean_environment,
    main,
    result_of,
    stateless_call,
    text_of,
    wait_until,
)
from waiting import TIMEOUT, Lines

OLDEST_NODE = 22  # The inspector's.
EVERYTHING = npm_peers.MODULES / "@modelcontextprotocol" / "server-everything" / "dist" / "index.js"
MCP_REMOTE = npm_peers.MODULES / "mcp-remote" / "dist" / "proxy.js"
INSPECTOR = npm_peers.PEERS / "inspector"
INSPECTOR_CLI = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
SKILLS = {"skills": {"kind": "builtin"}}


def setUpModule():
    try:
        PeerCase.node = npm_peers.install(OLDEST_NODE)
        npm_peers.npm_ci(INSPECTOR)
    except npm_peers.LeftOut as reason:
        print(f"the remote peers from npm were left out: {reason}", flush=True)
        raise unittest.SkipTest(str(reason)) from None


class PeerCase(TestCase):
    node = None

    def folder(self):
        return self.enterContext(tempfile.TemporaryDirectory())

    def everything(self, mode):
        """The port of a server-everything that is up."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        process = subprocess.Popen(
            [self.node, str(EVERYTHING), mode],
            env=clean_environment(PORT=str(port)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        reply = Lines(process.stdout)
        self.addCleanup(lambda: (process.kill(), process.wait(), reply.wait_end()))

        def listens():
            with socket.socket() as probe:
                return process.poll() is None and probe.connect_ex(("127.0.0.1", port)) == 0

        wait_until(listens, "server-everything: " + reply.text())
        return port

    def remote_command(self, url, transport):
        return [str(MCP_REMOTE), url, "--allow-http", "--transport", transport]


class Everything(PeerCase):
    """`http` finds by itself which of the two it is; `sse` knows."""

    def check(self, entry):
        gateway = self.enterContext(Gateway({"workers": 2, "upstreams": {"far": entry}}))
        self.assertEqual(text_of(stateless_call(gateway, "far__echo", message="hé")), "Echo: hé")
        with McpSession(gateway, capabilities={"sampling": {}}) as session:
            self.assertIn("far__get-sum", session.tool_names())
            self.assertIn("42", text_of(session.call("far__get-sum", a=2, b=40)))
            prompts = result_of(session.request("prompts/list"))["prompts"]
            self.assertTrue(any(prompt["name"] == "far__simple-prompt" for prompt in prompts))
            self.check_progress(session)
            self.check_resources(session)

    def check_progress(self, session):
        session.others.clear()
        tool = "far__trigger-long-running-operation"
        answer = session.call(tool, {"progressToken": 5}, duration=0.2, steps=2)
        self.assertIn("completed", text_of(answer))
        notified = [m["params"] for m in session.others if m["method"] == "notifications/progress"]
        self.assertEqual({one["progressToken"] for one in notified}, {5})
        self.assertEqual([one["progress"] for one in notified], [1, 2])

    def check_resources(self, session):
        listed = result_of(session.request("resources/list"))["resources"]
        self.assertTrue(listed)
        read = result_of(session.request("resources/read", {"uri": listed[0]["uri"]}))
        self.assertTrue(read["contents"])

    def test_over_streamable_http(self):
        url = f"http://127.0.0.1:{self.everything('streamableHttp')}/mcp"
        self.check({"kind": "http", "url": url})

    def test_over_http_and_sse(self):
        url = f"http://127.0.0.1:{self.everything('sse')}/sse"
        for kind in ("sse", "http"):
            with self.subTest(kind):
                self.check({"kind": kind, "url": url})


class McpRemote(PeerCase):
    def environment(self):
        return {"MCP_REMOTE_CONFIG_DIR": self.folder()}

    def test_as_a_program_behind_the_gateway(self):
        with Gateway({"upstreams": SKILLS}) as far:
            for url, transport in (
                (far.url, "http-only"),
                (far.url.replace("/mcp", "/sse"), "sse-only"),
            ):
                args = self.remote_command(url, transport)
                entry = {"kind": "stdio", "command": self.node, "args": args}
                entry["env"] = self.environment()
                with self.subTest(transport), Gateway({"upstreams": {"far": entry}}) as gateway:
                    answer = stateless_call(gateway, "far__skills__calculate", expression="6*7")
                    self.assertEqual(text_of(answer), "42")

    def test_as_a_client_in_front(self):
        with Gateway({"upstreams": SKILLS}) as gateway:
            for url, transport in (
                (gateway.url, "http-only"),
                (gateway.url.replace("/mcp", "/sse"), "sse-only"),
            ):
                command = [self.node, *self.remote_command(url, transport)]
                with self.subTest(transport), StdioFrontend(command, self.environment()) as frontend:
                    handshake = {
                        "protocolVersion": "2025-06-18",
                        "capabilities": {},
                        "clientInfo": {"name": "tests", "version": "1"},
                    }
                    message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": handshake}
                    server = result_of(frontend.request(message))["serverInfo"]
                    self.assertEqual(server["name"], "patchbay")
                    frontend.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
                    params = {"name": "skills__echo", "arguments": {"text": "through"}}
                    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
                    self.assertEqual(text_of(frontend.request(message)), "through")


class Inspector(PeerCase):
    def inspect(self, gateway, protocol, *arguments):
        home = self.folder()
        command = [self.node, str(INSPECTOR / INSPECTOR_CLI), "--cli", gateway.url]
        command += ["--transport", "http", "--protocol-era", protocol, "--format", "json", *arguments]
        done = subprocess.run(
            command,
            cwd=home,
            env=clean_environment(HOME=home),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)["result"]

    def test_each_protocol(self):
        with Gateway({"upstreams": SKILLS}) as gateway:
            for protocol in ("legacy", "auto", "modern"):
                with self.subTest(protocol):
                    tools = self.inspect(gateway, protocol, "--method", "tools/list")["tools"]
                    self.assertIn("skills__echo", [tool["name"] for tool in tools])
                    call = ("--method", "tools/call", "--tool-name", "skills__echo")
                    answer = self.inspect(gateway, protocol, *call, "--tool-arg", f"text={protocol}")
                    self.assertEqual(answer["content"][0]["text"], protocol)
                    # Only stateless answers name their server.
                    self.assertEqual("_meta" in answer, protocol != "legacy")


if __name__ == "__main__":
    main()
