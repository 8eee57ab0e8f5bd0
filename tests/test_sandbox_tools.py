"""The sandbox as an upstream: its tools, whose sandboxes are whose, how long they live, what a run
may use, and that nothing is left of any."""

import base64
import contextlib
import json
import os
import select
import signal
import socket
import ssl
import subprocess
import threading

from auth_case import OTHER, TOKEN, bearer
from certificates import Authority
from harness import (
    BINARY,
    Gateway,
    LegacySession,
    alive,
    main,
    result_of,
    text_of,
    wait_until,
)
from sandbox_case import NOT_REQUIRED, SandboxCase, as_user, our_cgroups, probe, processes_with

TOKENS = {"tokens": [{"name": "one", "token": TOKEN}, {"name": "two", "token": OTHER}]}


class ToolCase(SandboxCase):
    def start(self, auth=None, **settings):
        config = {"upstreams": {"box": {"kind": "sandbox", **settings}}, "limits": {"call": "60s"}}
        if auth:
            config["auth"] = auth
        self.before = our_cgroups()
        self.gateway = self.enterContext(Gateway(config))
        if not auth:
            self.session = self.enterContext(LegacySession(self.gateway))
        return self.gateway

    def as_caller(self, token):
        return self.enterContext(LegacySession(self.gateway, headers=bearer(token)))

    def use(self, tool, session=None, **arguments):
        """The structured result of a tool, which is also its text."""
        answer = result_of((session or self.session).call(f"box__{tool}", **arguments))
        self.assertNotIn("isError", answer, answer)
        self.assertEqual(json.loads(answer["content"][0]["text"]), answer["structuredContent"])
        return answer["structuredContent"]

    def refusal(self, tool, session=None, **arguments):
        answer = (session or self.session).call(f"box__{tool}", **arguments)
        if "error" in answer:
            return answer["error"]["message"]
        self.assertTrue(answer["result"].get("isError"), answer)
        return text_of(answer)

    def make(self, session=None, **arguments):
        return self.use("create_sandbox", session, **arguments)["sandbox_id"]

    def shell(self, box, command, **arguments):
        return self.use("run_command", sandbox_id=box, command=command, **arguments)

    def assert_nothing_left(self):
        wait_until(lambda: our_cgroups() <= self.before, "the cgroups to be gone")
        wait_until(lambda: not self.guests(), "the sandboxes to be gone")

    def guests(self):
        return processes_with("/run/patchbay-agent")


class Tools(ToolCase):
    def test_the_eight_tools(self):
        self.start()
        self.assertEqual(
            sorted(self.session.tool_names()),
            sorted(
                f"box__{name}"
                for name in (
                    "create_sandbox destroy_sandbox list_sandboxes execute_code run_command "
                    "read_file write_file list_directory"
                ).split()
            ),
        )

    def test_a_life(self):
        self.start()
        made = self.use("create_sandbox")
        self.assertEqual(made["isolation"], "namespaces")
        self.assertEqual(made["limits"]["memory"], 256 << 20)
        box = made["sandbox_id"]
        listed = self.use("list_sandboxes")["sandboxes"]
        self.assertEqual([(one["sandbox_id"], one["state"]) for one in listed], [(box, "ready")])
        ran = self.use("execute_code", sandbox_id=box, language="python", code="print(6 * 7)")
        self.assertEqual((ran["exit_code"], ran["stdout"], ran["stderr"]), (0, "42\n", ""))
        self.assertEqual((ran["verdict"], ran["isolation"]), ("exit", "namespaces"))
        self.assertEqual(self.use("destroy_sandbox", sandbox_id=box), {"success": True})
        self.assertEqual(self.use("list_sandboxes"), {"sandboxes": []})
        self.assertEqual(
            self.refusal("run_command", sandbox_id=box, command="true"),
            "Sandbox not found or invalid ID",
        )

    def test_what_is_run_stays_where_it_is(self):
        self.start()
        box = self.make()
        self.shell(box, "echo kept > note; export X=1; cd /tmp")
        self.assertEqual(self.shell(box, "cat note; echo $X; pwd")["stdout"], "kept\n\n/workspace\n")
        other = self.make()
        self.assertNotEqual(self.shell(other, "cat note")["exit_code"], 0)

    def test_without_a_sandbox_it_gets_one_of_its_own(self):
        self.start()
        first = self.use("run_command", command="echo x > /workspace/x; hostname; id -u")
        self.assertEqual(first["stdout"], "sandbox\n1000\n")
        self.assertNotIn("sandbox_id", first)
        self.assertEqual(self.use("run_command", command="ls /workspace")["stdout"], "")
        self.assertEqual(self.use("list_sandboxes"), {"sandboxes": []})

    def test_how_things_are_run(self):
        self.start()
        box = self.make()
        ran = self.use(
            "run_command",
            sandbox_id=box,
            argv=["sh", "-c", 'cat; echo "$GREETING $0"; pwd', "it's"],
            stdin="in\n",
            env={"GREETING": "hello"},
            cwd="/tmp",
        )
        self.assertEqual(ran["stdout"], "in\nhello it's\n/tmp\n")
        ran = self.shell(box, "echo out; echo err >&2; exit 7")
        self.assertEqual((ran["exit_code"], ran["stdout"], ran["stderr"]), (7, "out\n", "err\n"))
        ran = self.use("execute_code", sandbox_id=box, language="bash", code="echo $BASH_VERSION")
        self.assertRegex(ran["stdout"], r"^5\.")
        ran = self.use("execute_code", sandbox_id=box, language="cobol", code="STOP RUN.")
        self.assertEqual((ran["exit_code"], ran["stderr"]), (-1, "unsupported language: cobol"))
        self.assertEqual(ran["verdict"], "failed")

    def test_output_as_it_comes(self):
        self.start()
        answer = self.session.call(
            "box__run_command", _meta={"progressToken": "p"}, command="echo one; sleep 0.2; echo two"
        )
        self.assertEqual(result_of(answer)["structuredContent"]["stdout"], "one\ntwo\n")
        news = [
            one["params"]
            for one in self.session.others
            if one["method"] == "notifications/progress"
        ]
        self.assertEqual("".join(one["message"] for one in news), "one\ntwo\n")
        self.assertGreaterEqual(len(news), 2)
        steps = [one["progress"] for one in news]
        self.assertEqual(steps, sorted(set(steps)))

    def test_wrong_arguments(self):
        self.start()
        box = self.make()
        for tool, arguments in (
            ("run_command", {"sandbox_id": box}),
            ("run_command", {"sandbox_id": box, "command": "x", "argv": ["x"]}),
            ("run_command", {"command": "x", "timeout_s": 0}),
            ("run_command", {"command": "x", "timeout_s": 1e9}),
            ("run_command", {"command": "x", "env": {"A": 1}}),
            ("run_command", {"command": "x", "nonsense": 1}),
            ("execute_code", {"language": "python"}),
            ("create_sandbox", {"memory_mib": 1 << 30}),
            ("create_sandbox", {"vcpu_count": 1000}),
            ("create_sandbox", {"ttl_s": -1}),
            ("read_file", {"sandbox_id": box}),
            ("write_file", {"sandbox_id": box, "path": "x", "content": "?", "encoding": "base64"}),
        ):
            with self.subTest(tool=tool, arguments=arguments):
                self.assertTrue(self.refusal(tool, **arguments))


class Files(ToolCase):
    def test_files_go_in_and_out(self):
        self.start()
        box = self.make()
        written = self.use("write_file", sandbox_id=box, path="a/b.txt", content="grüße\n")
        self.assertEqual(written["bytes"], 8)
        self.assertEqual(self.shell(box, "cat a/b.txt && echo more >> a/b.txt")["stdout"], "grüße\n")
        read = self.use("read_file", sandbox_id=box, path="/workspace/a/b.txt")
        self.assertEqual(read["content"], "grüße\nmore\n")
        self.assertTrue(read["eof"])
        listed = self.use("list_directory", sandbox_id=box)["entries"]
        self.assertEqual(listed, [{"name": "a", "is_dir": True, "size": 0, "type": "dir"}])
        listed = self.use("list_directory", sandbox_id=box, path="/workspace/a")["entries"]
        self.assertEqual([(one["name"], one["size"]) for one in listed], [("b.txt", 13)])

    def test_bytes_that_are_no_text(self):
        self.start()
        box = self.make()
        data = bytes(range(256)) * 100
        self.use(
            "write_file",
            sandbox_id=box,
            path="data",
            content=base64.b64encode(data).decode(),
            encoding="base64",
        )
        self.assertIn(str(len(data)), self.shell(box, "wc -c data")["stdout"])
        self.assertIn("base64", self.refusal("read_file", sandbox_id=box, path="data"))
        read = self.use(
            "read_file", sandbox_id=box, path="data", encoding="base64", offset=256, length=3
        )
        self.assertEqual(base64.b64decode(read["content"]), b"\0\1\2")
        self.assertFalse(read["eof"])

    def test_as_resources(self):
        self.start()
        box = self.make()
        uri = self.use("write_file", sandbox_id=box, path="a b/ü", content="text")["uri"]
        templates = result_of(self.session.request("resources/templates/list"))["resourceTemplates"]
        listed = templates[0]["uriTemplate"].removesuffix("sandbox://{sandbox_id}/{+path}") + uri
        content = result_of(self.session.request("resources/read", {"uri": listed}))["contents"][0]
        self.assertEqual(content["text"], "text")
        self.shell(box, "printf '\\377' > raw")
        listed = listed[: -len(uri)] + f"sandbox://{box}/raw"
        content = result_of(self.session.request("resources/read", {"uri": listed}))["contents"][0]
        self.assertEqual(base64.b64decode(content["blob"]), b"\xff")
        answer = self.session.request("resources/read", {"uri": listed + "-not"})
        self.assertIn("error", answer)

    def test_no_path_leads_out(self):
        self.start()
        box = self.make()
        self.shell(
            box,
            "ln -s /etc/passwd file; ln -s / root; ln -s /proc/self/root magic; mkfifo pipe; "
            "echo x > one; ln one two; ln -s /workspace/one inside; truncate -s 30M sparse; mkdir d",
        )
        for path in (
            "file root/etc/passwd magic/etc/passwd pipe one two inside sparse d ../etc/passwd "
            "/etc/passwd /workspace/../etc/passwd /proc/1/environ %2e%2e/etc/passwd"
        ).split() + ["", "a\0b", "x" * 5000]:
            with self.subTest(path=path):
                self.assertTrue(self.refusal("read_file", sandbox_id=box, path=path))
                if path not in ("sparse",) and not path.startswith("%"):
                    refused = self.refusal("write_file", sandbox_id=box, path=path, content="x")
                    self.assertTrue(refused)
        for path in ("root", "magic", "root/etc", "/", "/etc", ".."):
            self.assertTrue(self.refusal("list_directory", sandbox_id=box, path=path))
        self.assertEqual(self.shell(box, "ls /workspace/x* 2>/dev/null; true")["stdout"], "")

    def test_names_that_move_lead_nowhere(self):
        """A link and a folder change places as fast as they can while the host reads and writes."""
        self.start()
        box = self.make()
        self.shell(box, "mkdir there; echo harmless > there/passwd; ln -s /etc link")
        code = """
import ctypes, time
libc = ctypes.CDLL(None)
end = time.time() + 8
while time.time() < end:
    for _ in range(1000): libc.renameat2(-100, b'there', -100, b'link', 2)
"""
        race = self.session.call_later(
            "box__execute_code", sandbox_id=box, language="python", code=code
        )
        outcomes = set()
        while race.running():
            answer = result_of(self.session.call("box__read_file", sandbox_id=box, path="there/passwd"))
            if not answer.get("isError"):
                outcomes.add(answer["structuredContent"]["content"])
        race.result()
        self.assertLessEqual(outcomes, {"harmless\n"})

    def test_too_much(self):
        self.start(content="1MiB", limits={"disk": "4MiB", "files": 100})
        box = self.make()
        self.shell(box, "head -c 2M /dev/zero > big; truncate -s 1T huge; echo $?")
        self.assertIn("at most", self.refusal("read_file", sandbox_id=box, path="big"))
        part = self.use("read_file", sandbox_id=box, path="big", offset=5, length=10)
        self.assertEqual(part["size"], 2 << 20)
        for _ in range(3):
            self.session.call(
                "box__write_file", sandbox_id=box, path="more", content="x" * 1_000_000, append=True
            )
        self.assertIn(
            "no room",
            self.refusal("write_file", sandbox_id=box, path="more", content="x" * 900_000, append=True),
        )


class Owners(ToolCase):
    def test_nobody_reaches_another_callers_sandbox(self):
        self.start(auth=TOKENS)
        one, two = self.as_caller(TOKEN), self.as_caller(OTHER)
        box = self.make(one)
        self.use("write_file", one, sandbox_id=box, path="secret", content="mine")
        gone = "Sandbox not found or invalid ID"
        self.assertEqual(self.use("list_sandboxes", two), {"sandboxes": []})
        for tool, arguments in (
            ("run_command", {"command": "true"}),
            ("execute_code", {"language": "sh", "code": "true"}),
            ("read_file", {"path": "secret"}),
            ("write_file", {"path": "secret", "content": "x"}),
            ("list_directory", {}),
            ("destroy_sandbox", {}),
        ):
            self.assertEqual(self.refusal(tool, two, sandbox_id=box, **arguments), gone)
        templates = result_of(two.request("resources/templates/list"))["resourceTemplates"]
        prefix = templates[0]["uriTemplate"].removesuffix("sandbox://{sandbox_id}/{+path}")
        uri = f"{prefix}sandbox://{box}/secret"
        self.assertIn("error", two.request("resources/read", {"uri": uri}))
        self.assertIn("result", one.request("resources/read", {"uri": uri}))
        self.assertEqual(self.use("read_file", one, sandbox_id=box, path="secret")["content"], "mine")

    def test_another_session_of_the_same_caller_does(self):
        self.start(auth=TOKENS)
        box = self.make(self.as_caller(TOKEN))
        self.assertEqual(
            self.use("list_sandboxes", self.as_caller(TOKEN))["sandboxes"][0]["sandbox_id"], box
        )

    def test_how_many_one_may_have(self):
        self.start(auth=TOKENS, most=3, most_each=2, pool={"size": 0})
        one, two = self.as_caller(TOKEN), self.as_caller(OTHER)
        first, _ = self.make(one), self.make(one)
        self.assertIn("you have 2", self.refusal("create_sandbox", one))
        self.make(two)
        self.assertIn("too many sandboxes", self.refusal("create_sandbox", two))
        self.use("destroy_sandbox", one, sandbox_id=first)
        self.make(two)


class Bounds(ToolCase):
    def test_time(self):
        self.start(limits={"wall": "500ms"})
        box = self.make()
        ran = self.shell(box, "echo begun; sleep 1000")
        self.assertEqual((ran["verdict"], ran["stdout"]), ("timeout", "begun\n"))
        ran = self.shell(box, "(setsid sleep 1000 &); sleep 1000", timeout_s=0.3)
        self.assertEqual(ran["verdict"], "timeout")
        self.assertEqual(self.shell(box, "echo alive")["stdout"], "alive\n")

    def test_memory(self):
        self.start(limits={"memory": "64MiB"})
        box = self.make()
        code = "x = bytearray(512 << 20)"
        ran = self.use("execute_code", sandbox_id=box, language="python", code=code)
        self.assertEqual(ran["verdict"], "memory", ran)
        self.assertGreater(ran["memory_peak"], 32 << 20)

    def test_less_memory_than_configured(self):
        self.start()
        box = self.make(memory_mib=32)
        code = "x = bytearray(100 << 20)"
        ran = self.use("execute_code", sandbox_id=box, language="python", code=code)
        self.assertEqual(ran["verdict"], "memory", ran)

    def test_a_fork_bomb(self):
        self.start(limits={"pids": 30, "wall": "5s"})
        box = self.make()
        ran = self.shell(box, "b() { b | b & }; b; for i in $(seq 100); do sleep 100 & done; exit 1")
        self.assertIn(ran["verdict"], ("pids", "timeout"))
        wait_until(
            lambda: "alive" in self.shell(box, "echo alive")["stdout"], "the sandbox to come round"
        )

    def test_output(self):
        self.start(limits={"output": "64KiB"})
        box = self.make()
        before = self.gateway.rss()
        ran = self.shell(box, "head -c 300M /dev/zero | tr '\\0' x; echo end >&2")
        self.assertEqual((ran["exit_code"], ran["stderr"]), (0, "end\n"))
        self.assertTrue(ran["truncated"])
        self.assertEqual(ran["stdout_bytes"], 300 << 20)
        self.assertLess(len(ran["stdout"]), 70_000)
        self.assertLess(self.gateway.rss() - before, 32 << 20)

    def test_a_sandbox_whose_agent_is_attacked(self):
        self.start()
        box = self.make()
        ran = self.shell(box, "kill -9 1; kill -STOP 1; cat /proc/1/environ /proc/1/mem; echo on")
        self.assertIn("on\n", ran["stdout"])
        # Whatever a program writes is its output, and no answer.
        forged = '{"jsonrpc":"2.0","id":99,"result":{"exit_code":0}}'
        ran = self.shell(box, f"echo '{forged}'; ls /proc/1/fd")
        self.assertIn(forged, ran["stdout"])
        self.assertNotEqual(ran["exit_code"], 0)

    def test_the_probe(self):
        if not probe():
            self.skipTest("no compiler for the probe")
        self.start(read=[probe()], limits={"wall": "60s"})
        listener = self.enterContext(socket.create_server(("127.0.0.1", 0)))
        ran = self.use("run_command", argv=[probe(), str(listener.getsockname()[1])])
        verdicts = ran["stdout"].splitlines()
        self.assertGreater(len(verdicts), 60, ran)
        self.assertEqual([line for line in verdicts[:-1] if ": " not in line], [])
        self.assertEqual(ran["exit_code"], 0)


class Lives(ToolCase):
    def test_one_that_nobody_uses_ends(self):
        self.start(pool={"size": 0})
        self.make(ttl_s=0.2)
        wait_until(lambda: self.use("list_sandboxes")["sandboxes"] == [], "it to expire")
        self.assert_nothing_left()

    def test_one_in_use_does_not(self):
        self.start(pool={"size": 0})
        box = self.make(ttl_s=0.2)
        self.assertEqual(self.shell(box, "sleep 1; echo done")["stdout"], "done\n")

    def test_the_pool_is_kept_full(self):
        gateway = self.start(pool={"size": 2})
        ready = lambda: gateway.metric("patchbay_sandbox_ready", upstream="box")
        wait_until(lambda: ready() == 2, "the pool to fill")
        self.make()
        self.assertEqual(gateway.metric("patchbay_sandbox_handed_over_total", pool="warm"), 1)
        self.assertEqual(gateway.metric("patchbay_sandbox_used"), 1)
        wait_until(lambda: ready() == 2, "the pool to fill again")
        self.make(memory_mib=64)
        self.assertEqual(gateway.metric("patchbay_sandbox_handed_over_total", pool="cold"), 1)
        # One that is not well is not handed over.
        for pid in self.guests():
            if alive(pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        box = self.make()
        self.assertEqual(self.shell(box, "echo well")["stdout"], "well\n")

    def test_a_sandbox_that_is_killed(self):
        self.start(pool={"size": 0})
        box = self.make()
        running = self.session.call_later("box__run_command", sandbox_id=box, command="sleep 1000")
        wait_until(lambda: processes_with("sleep\x001000"), "it to run")
        for pid in self.guests():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        ran = result_of(running.result())["structuredContent"]
        self.assertEqual((ran["exit_code"], ran["verdict"]), (-1, "failed"))
        self.assertIn("the sandbox has ended", ran["stderr"])
        wait_until(lambda: self.use("list_sandboxes")["sandboxes"] == [], "it to be struck off")
        self.assert_nothing_left()

    def test_stopping_leaves_nothing(self):
        gateway = self.start(pool={"size": 2})
        self.make()
        self.session.call_later("box__run_command", command="sleep 1000")
        wait_until(lambda: processes_with("sleep\x001000"), "it to run")
        self.assertEqual(gateway.stop(), 0)
        self.assert_nothing_left()

    def test_killing_leaves_nothing(self):
        gateway = self.start(pool={"size": 3})
        self.make()
        gateway.kill()
        self.assert_nothing_left()

    def test_a_call_that_is_cancelled_ends_its_program(self):
        self.start(pool={"size": 0})
        box = self.make()
        with self.gateway.connect() as connection:
            message = {
                "jsonrpc": "2.0",
                "id": 99,
                "method": "tools/call",
                "params": {
                    "name": "box__run_command",
                    "arguments": {"sandbox_id": box, "command": "sleep 1001"},
                },
            }
            connection.send("POST", "/mcp", self.session.headers(), message)
            wait_until(lambda: processes_with("sleep\x001001"), "it to run")
            self.session.notify("notifications/cancelled", {"requestId": 99})
            wait_until(lambda: not processes_with("sleep\x001001"), "it to end")
        self.assertEqual(self.shell(box, "echo alive")["stdout"], "alive\n")

    def test_many_at_once(self):
        self.start(pool={"size": 0, "starts": 4})
        boxes = [self.session.call_later("box__create_sandbox") for _ in range(12)]
        ids = {result_of(one.result())["structuredContent"]["sandbox_id"] for one in boxes}
        self.assertEqual(len(ids), 12)


class Engines(ToolCase):
    def down(self, **settings):
        """What is said at the start about an upstream that does not run."""
        gateway = self.enterContext(
            Gateway({"upstreams": {"box": {"kind": "sandbox", **settings}}})
        )
        return gateway.stdout.wait_for("upstream   box  sandbox  down")

    def test_none_is_refused_unless_allowed(self):
        self.assertIn("allow_none", self.down(engine="none"))
        self.start(engine="none", allow_none=True)
        ran = self.use("run_command", command="echo bare")
        self.assertEqual((ran["stdout"], ran["isolation"]), ("bare\n", "none"))
        box = self.make()
        self.use("write_file", sandbox_id=box, path="x", content="y")
        self.assertEqual(self.shell(box, "cat x")["stdout"], "y")

    def test_a_missing_limit_is_named(self):
        self.assertIn("apt-get install", self.down(bwrap="/nonexistent/bwrap"))

    def agent(self, *listen):
        """An agent somewhere else; gives where it listens."""
        process = self.enterContext(
            subprocess.Popen(
                [BINARY, "agent", "--listen", *listen], stderr=subprocess.PIPE, text=True
            )
        )
        self.addCleanup(process.kill)
        line = process.stderr.readline()
        return line.rsplit(" ", 1)[1].strip()

    def test_a_machine_that_runs_already(self):
        socket_path = str(self.folder / "v.sock")
        self.agent(f"unix:{socket_path}")
        self.start(engine="microvm", microvm={"socket": socket_path})
        ran = self.use("run_command", command="echo inside")
        self.assertEqual((ran["stdout"], ran["isolation"]), ("inside\n", "microvm"))

    def test_a_machine_for_each_sandbox(self):
        """`patchbay agent` stands in for a monitor: it offers the same socket."""
        vm = {
            "command": BINARY,
            "args": ["agent", "--listen", "unix:{socket}"],
            "socket": "{folder}/v.sock",
        }
        self.start(engine="microvm", microvm=vm, pool={"size": 1})
        box = self.make()
        self.use("write_file", sandbox_id=box, path="x", content="y")
        self.assertRegex(self.shell(box, "cat x; pwd")["stdout"], r"^y/\S*/patchbay-vm-\w+\n$")
        self.use("destroy_sandbox", sandbox_id=box)
        self.assertEqual(self.gateway.stop(), 0)
        wait_until(lambda: not processes_with("unix:/tmp/patchbay-vm-"), "the machines to be gone")

    def test_an_agent_over_tcp(self):
        address = self.agent("tcp:127.0.0.1:0").removeprefix("tcp:")
        self.start(engine="remote", remote={"address": address})
        ran = self.use("run_command", command="echo far")
        self.assertEqual((ran["stdout"], ran["isolation"]), ("far\n", "remote"))

    def test_an_agent_over_tls(self):
        authority = Authority(self.folder)
        authority.server()
        address = self.agent("tcp:127.0.0.1:0").removeprefix("tcp:")
        port = self.enterContext(TlsRelay(self.folder, address)).port
        remote = {"address": f"localhost:{port}", "secure": True}
        self.start(engine="remote", remote={**remote, "tls": {"ca": str(self.folder / "ca.pem")}})
        big = "y" * 300_000
        box = self.make()
        self.use("write_file", sandbox_id=box, path=str(self.folder / "f"), content=big)
        ran = self.use("run_command", sandbox_id=box, command=f"cat {self.folder}/f")
        self.assertEqual(ran["stdout"], big)
        stranger = {"upstreams": {"far": {"kind": "sandbox", "engine": "remote", "remote": remote}}}
        with Gateway(stranger) as gateway, LegacySession(gateway) as session:
            answer = result_of(session.call("far__run_command", command="true"))
            self.assertTrue(answer["isError"])
            self.assertIn("certificate", text_of({"result": answer}))

    def test_an_agent_on_another_machine_needs_tls(self):
        self.assertIn("remote.secure", self.down(engine="remote", remote={"address": "192.0.2.1:9"}))


class OrdinaryUser(ToolCase):
    """A gateway without any right, where cgroups are not required."""

    def start(self, **settings):
        if os.geteuid() != 0:
            self.skipTest("only root can become another user")
        config = {"upstreams": {"box": {"kind": "sandbox", **settings}}}
        gateway = Gateway(config)
        os.chmod(gateway.folder.name, 0o755)
        gateway.command = as_user(gateway.command)
        self.gateway = self.enterContext(gateway)
        self.session = self.enterContext(LegacySession(self.gateway))

    def test_runs_and_reaches_files(self):
        self.start(limits={"not_required": NOT_REQUIRED, "disk": "4MiB"})
        box = self.make()
        self.use("write_file", sandbox_id=box, path="a/b", content="in")
        self.assertEqual(self.shell(box, "cat a/b; id -u; echo out > a/c")["stdout"], "in1000\n")
        self.assertEqual(self.use("read_file", sandbox_id=box, path="a/c")["content"], "out\n")
        self.shell(box, "ln -s /etc/passwd link")
        self.assertIn("link", self.refusal("read_file", sandbox_id=box, path="link"))
        ran = self.shell(box, "for i in 1 2 3 4 5; do head -c 1M /dev/zero > $i; done")
        self.assertIn("No space left", ran["stderr"])
        self.use("destroy_sandbox", sandbox_id=box)

    def test_the_probe(self):
        if not probe():
            self.skipTest("no compiler for the probe")
        self.start(read=[probe()], limits={"not_required": NOT_REQUIRED})
        ran = self.use("run_command", argv=[probe()])
        verdicts = ran["stdout"].splitlines()
        self.assertGreater(len(verdicts), 60, ran)
        self.assertEqual([line for line in verdicts[:-1] if ": " not in line], [])

    def test_refuses_if_they_are_required(self):
        self.start()
        self.assertEqual(self.session.tool_names(), [])
        down = self.gateway.stdout.wait_for("upstream   box  sandbox  down")
        self.assertIn("cannot be set here", down)


class TlsRelay:
    """Puts TLS in front of what listens at `address`."""

    def __init__(self, folder, address):
        self.context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self.context.load_cert_chain(folder / "server.pem", folder / "server.key")
        host, _, port = address.rpartition(":")
        self.behind = (host, int(port))
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]

    def __enter__(self):
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.close()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                plain, _ = self.listener.accept()
                threading.Thread(target=self.serve, args=(plain,), daemon=True).start()

    def serve(self, plain):
        with contextlib.suppress(OSError):
            outer = self.context.wrap_socket(plain, server_side=True)
            inner = socket.create_connection(self.behind)
            with outer, inner:
                while True:
                    ready = [outer] if outer.pending() else select.select([outer, inner], [], [])[0]
                    for one, other in ((outer, inner), (inner, outer)):
                        if one in ready:
                            data = one.recv(65536)
                            if not data:
                                return
                            other.sendall(data)


if __name__ == "__main__":
    main()
