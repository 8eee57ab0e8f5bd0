"""MCP servers in a sandbox: a stdio upstream like any other, which sees and reaches only what its
configuration names. And the default sandbox."""

import json
import os
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    FAKE_SERVER,
    Gateway,
    McpSession,
    fake,
    main,
    result_of,
    run,
    text_of,
    wait_until,
)
from sandbox_case import SandboxCase, cgroups_of, processes_with

# A server that runs commands, to look around with.
EXPLORER = '''
import json, os, subprocess, sys

TOOL = {"name": "sh", "inputSchema": {"type": "object"}}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    answer = {"jsonrpc": "2.0", "id": asked["id"]}
    if asked["method"] == "initialize":
        answer["result"] = {
            "protocolVersion": asked["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "explorer", "version": "1"},
        }
    elif asked["method"] == "tools/list":
        answer["result"] = {"tools": [TOOL]}
    elif asked["method"] == "tools/call":
        line = asked["params"]["arguments"]["line"]
        done = subprocess.run(line, shell=True, capture_output=True, text=True)
        answer["result"] = {"content": [{"type": "text", "text": done.stdout + done.stderr}]}
    else:
        answer["error"] = {"code": -32601, "message": "no"}
    print(json.dumps(answer), flush=True)
'''


class ServerCase(SandboxCase):
    def setUp(self):
        super().setUp()
        self.server = self.folder / "explorer.py"
        self.server.write_text(EXPLORER, encoding="utf-8")

    def start(self, sandbox=None, **settings):
        sandbox = {"read": [str(self.server)], **(sandbox or {})}
        upstream = {
            "kind": "stdio",
            "command": "/usr/bin/python3",
            "args": [str(self.server)],
            "sandbox": sandbox,
            **settings,
        }
        env = {"CANARY": "secret", "WANTED": "passed"}
        self.gateway = self.enterContext(Gateway({"upstreams": {"it": upstream}}, env=env))
        self.session = self.enterContext(McpSession(self.gateway))

    def sh(self, line):
        return text_of(self.session.call("it__sh", line=line))


class Servers(ServerCase):
    def test_it_is_apart(self):
        self.start()
        self.assertEqual(self.sh("id -u; hostname; pwd"), "1000\nsandbox\n/workspace\n")
        self.assertEqual(self.sh("ls /home /root 2>/dev/null; cat /etc/shadow 2>/dev/null"), "")
        self.assertNotIn("CANARY", self.sh("env; cat /proc/*/environ"))
        self.assertIn("unreachable", self.sh("python3 -c \"import socket; socket.create_connection(('192.0.2.1', 80))\""))
        self.assertIn("Read-only", self.sh(f"echo x > {self.server}"))
        self.assertIn("Operation not permitted", self.sh("kill -9 1; unshare -U true"))

    def test_what_it_is_given(self):
        shared, stored = self.folder / "in", self.folder / "out"
        for folder in (shared, stored):
            folder.mkdir()
        os.chmod(stored, 0o777)
        (shared / "note").write_text("shared", encoding="utf-8")
        self.start(
            {"read": [str(self.server), str(shared)], "write": [str(stored)]},
            cwd=str(shared),
            env={"GREETING": "hello"},
            env_pass=["WANTED"],
        )
        self.assertEqual(self.sh("pwd; cat note; echo; echo $GREETING $WANTED"),
                         f"{shared}\nshared\nhello passed\n")  # fmt: skip
        self.assertEqual(self.sh(f"echo written > {stored}/file"), "")
        self.assertEqual((stored / "file").read_text(encoding="utf-8"), "written\n")
        self.assertIn("Read-only", self.sh("touch here"))

    def test_its_limits(self):
        self.start({"limits": {"max_memory": "64MiB", "max_pids": 16, "max_disk_size": "2MiB"}})
        self.assertIn("No space left", self.sh("for i in 1 2 3; do head -c 1M /dev/zero > $i; done"))
        self.assertIn("Killed", self.sh("python3 -c 'bytearray(1 << 30)'; test $? = 137 && echo Killed"))
        self.assertRegex(
            self.sh("for i in $(seq 40); do sleep 5 & done; kill $(jobs -p)"), "(?i)fork"
        )
        self.assertEqual(self.sh("echo alive"), "alive\n")

    def test_one_that_dies_is_started_again(self):
        server = fake(command="/usr/bin/python3", sandbox={"read": [FAKE_SERVER]})
        config = {"upstreams": {"fake": server}, "log": {"format": "json"}}
        with Gateway(config) as gateway, McpSession(gateway) as session:
            self.assertEqual(text_of(session.call("fake__echo", text="one")), "one")
            self.assertLessEqual(len(json.loads(text_of(session.call("fake__fds")))), 5)
            self.assert_error(session.call("fake__die"), -32000)

            def back():
                answer = session.call("fake__echo", text="two")
                return "result" in answer and text_of(answer) == "two"

            wait_until(back, "it to come back")
            self.assertTrue(processes_with(FAKE_SERVER))
            # Each of its runs has a log line, with its limits.
            lines = [json.loads(line) for line in gateway.stderr.lines if '"sandbox run"' in line]
            self.assertEqual(len(lines), 1)
            run = {key: lines[0][key] for key in ("upstream", "isolation", "memory")}
            self.assertEqual(
                run, {"upstream": "fake", "isolation": "namespaces", "memory": 256 << 20}
            )
            self.assertNotIn("absent", lines[0])
            self.assertGreater(lines[0]["memory_peak"], 0)
            self.assertEqual(len(lines[0]["sha256"]), 64)
            self.assertIn(lines[0]["verdict"], ("exit", "signal"))
        wait_until(lambda: not processes_with(FAKE_SERVER), "it to be gone")
        wait_until(lambda: not cgroups_of(gateway.pid), "its cgroup to be gone")

    def test_killing_the_gateway_leaves_nothing(self):
        self.start()
        self.sh("(setsid sleep 100001 > /dev/null 2>&1 < /dev/null &)")
        self.assertTrue(processes_with("sleep\x00100001"))
        self.gateway.kill()
        wait_until(lambda: not processes_with("sleep\x00100001"), "it to be gone")
        wait_until(lambda: not cgroups_of(self.gateway.pid), "its cgroup to be gone")

    def test_what_cannot_be_shared_is_reported(self):
        upstream = {
            "kind": "stdio",
            "command": "/usr/bin/python3",
            "sandbox": {"read": ["/nonexistent/thing"]},
            "start_timeout": "2s",
        }
        with Gateway({"upstreams": {"it": upstream}}) as gateway:
            down = gateway.stdout.wait_for("upstream   it  stdio  down")
            self.assertIn("'/nonexistent/thing' cannot be shared", down)


class Defaults(SandboxCase):
    def test_there_is_one_without_configuration(self):
        with Gateway() as gateway, McpSession(gateway) as session:
            ran = result_of(
                session.call("sandbox__execute_code", language="python", code="print(40 + 2)")
            )["structuredContent"]
            self.assertEqual((ran["stdout"], ran["isolation"]), ("42\n", "namespaces"))

    def test_the_doctor_looks_at_a_gateways_file(self):
        path = self.folder / "patchbay.yaml"
        path.write_text(
            """
upstreams:
  box: { kind: sandbox, bwrap: /nonexistent/bwrap }
  apart: { kind: stdio, command: python3, sandbox: { limits: { max_memory: 64MiB } } }
  gone: { kind: stdio, command: python3, sandbox: { read: [/nonexistent/folder] } }
  plain: { kind: stdio, command: python3 }
""",
            encoding="utf-8",
        )
        done = run("doctor", "-c", str(path), "--json")
        self.assertEqual(done.returncode, 1)
        found = {name: one["ok"] for name, one in json.loads(done.stdout).items()}
        self.assertEqual(found, {"box": False, "apart": True, "gone": False})
        reply = run("doctor", "-c", str(path)).stdout
        self.assertIn("MISSING  bubblewrap", reply)
        self.assertIn("MISSING  what is shared: '/nonexistent/folder' cannot be shared", reply)

    def test_what_is_wrong_is_a_fault_of_the_file(self):
        path = self.folder / "patchbay.yaml"
        path.write_text("upstreams: { box: { kind: sandbox, limits: { max_memry: 1MiB, max_pids: 0 } } }")
        done = run("check", str(path))
        self.assertEqual(done.returncode, 3)
        self.assertIn("memry", done.stderr)
        self.assertIn("pids", done.stderr)


if __name__ == "__main__":
    main()
