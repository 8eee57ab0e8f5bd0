"""Sandbox engines other than bubblewrap as root: virtual machines, remote agents, none at all; and
bubblewrap for an ordinary user."""

import contextlib
import json
import os
import select
import socket
import ssl
import subprocess
import sys
import threading

sys.path.insert(1, sys.path[0] + "/../lib")

from agent_case import TOKEN
from certificates import Authority
from harness import (
    BINARY,
    ROOT,
    Gateway,
    McpSession,
    main,
    result_of,
    run,
    text_of,
    to_yaml,
    wait_until,
)
from sandbox_case import NOT_REQUIRED, as_user, probe, processes_with
from sandbox_tool_case import ToolCase


class Engines(ToolCase):
    needs_isolation = False

    def down(self, **settings):
        """The message at start about an upstream that does not run."""
        gateway = self.enterContext(
            Gateway({"upstreams": {"box": {"kind": "sandbox", **settings}}})
        )
        return gateway.stdout.wait_for("upstream   box  sandbox  down")

    def test_none_is_refused_unless_allowed(self):
        self.assertIn("allow_none", self.down(engine="none"))
        self.start(engine="none", allow_none=True)
        ran = self.use("run_command", command="echo bare")
        self.assertEqual((ran["stdout"], ran["isolation"]), ("bare\n", "none"))
        made = self.use("create_sandbox")
        # No limit is reported that is not set.
        self.assertEqual(set(made["limits"]), {"wall_ms", "output", "absent"})
        self.assertLessEqual({*NOT_REQUIRED, "disk", "files"}, set(made["limits"]["absent"]))
        box = made["sandbox_id"]
        self.use("write_file", sandbox_id=box, path="x", content="y")
        self.assertEqual(self.shell(box, "cat x")["stdout"], "y")

    def test_what_is_missing_is_named(self):
        self.assertIn("apt-get install", self.down(bwrap="/nonexistent/bwrap"))

    def agent(self, *listen):
        """An agent somewhere else; gives where it listens. Over TCP it asks for the token."""
        if listen[0].startswith("tcp:"):
            token_file = self.folder / "token"
            token_file.write_text(TOKEN, encoding="ascii")
            token_file.chmod(0o600)
            listen = (*listen, "--token-file", str(token_file))
            self.addCleanup(lambda: token_file.unlink(missing_ok=True))
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
            "args": ["agent", "--listen", "unix:{socket}", "--max-output", "{memory_mib}000000"],
            "socket": "{folder}/v.sock",
        }
        self.start(engine="microvm", microvm=vm, pool={"size": 1})
        made = self.use("create_sandbox")
        # The machine gets its memory size, and nothing else.
        self.assertEqual(set(made["limits"]), {"memory", "wall_ms", "output", "absent"})
        box = made["sandbox_id"]
        self.use("write_file", sandbox_id=box, path="x", content="y")
        self.assertRegex(self.shell(box, "cat x; pwd")["stdout"], r"^y/\S*/patchbay-vm-[-\w]+\n$")
        self.use("destroy_sandbox", sandbox_id=box)
        self.assertEqual(self.gateway.stop(), 0)
        wait_until(lambda: not processes_with("unix:/tmp/patchbay-vm-"), "the machines to be gone")

    def test_an_agent_that_knows_the_protocol_and_nothing_more(self):
        vm = {
            "command": sys.executable,
            "args": [str(ROOT / "tests/peers/plain_agent.py"), "{socket}"],
            "socket": "{folder}/v.sock",
        }
        self.start(engine="microvm", microvm=vm, pool={"size": 0}, limits={"default_timeout": "5s"})
        box = self.make()
        ran = self.shell(box, "echo out; echo err >&2; exit 7")
        self.assertEqual((ran["exit_code"], ran["stdout"], ran["stderr"]), (7, "out\n", "err\n"))
        self.assertEqual((ran["verdict"], ran["isolation"]), ("exit", "microvm"))
        ran = self.use("execute_code", sandbox_id=box, language="python", code="print(6 * 7)")
        self.assertEqual(ran["stdout"], "42\n")
        ran = self.use("execute_code", sandbox_id=box, language="cobol", code="")
        self.assertEqual((ran["verdict"], ran["stderr"]), ("failed", "unsupported language: cobol"))
        self.use("write_file", sandbox_id=box, path="note", content="grüße")
        self.assertEqual(self.use("read_file", sandbox_id=box, path="note")["content"], "grüße")
        names = [one["name"] for one in self.use("list_directory", sandbox_id=box, path=".")["entries"]]
        self.assertIn("note", names)
        self.assertIn("No such file", self.refusal("read_file", sandbox_id=box, path="not"))
        # What takes more than that is refused, and nothing is run without what was asked for.
        for more in ({"argv": ["true"]}, {"command": "x", "stdin": ""}, {"command": "x", "cwd": "/"}):
            self.assertIn("takes no argv", self.refusal("run_command", sandbox_id=box, **more))
        for more in ({"offset": 1}, {"length": 2}):
            refused = self.refusal("read_file", sandbox_id=box, path="note", **more)
            self.assertIn("whole text files", refused)
        # It cannot end a program: so the machine is ended.
        ran = self.shell(box, "sleep 1011", timeout_s=0.2)
        self.assertEqual(ran["verdict"], "timeout")
        wait_until(lambda: not processes_with("plain_agent.py"), "the machine to be gone")
        self.assertIn("not found", self.refusal("run_command", sandbox_id=box, command="true"))

    def test_what_a_killed_gateway_has_left_is_removed_by_the_next(self):
        machine = {"command": BINARY, "args": ["agent", "--listen", "unix:{socket}"]}
        for settings in (
            {"engine": "none", "allow_none": True},
            {"engine": "microvm", "microvm": {**machine, "socket": "{folder}/v.sock"}},
        ):
            with self.subTest(settings["engine"]):
                scratch = self.folder / settings["engine"]
                scratch.mkdir()
                start = lambda: self.start(env={"TMPDIR": str(scratch)}, pool={"size": 0}, **settings)
                gateway = start()
                self.use("write_file", sandbox_id=self.make(), path="x", content="y")
                (left,) = scratch.iterdir()
                gateway.kill()
                wait_until(lambda: not processes_with(str(left)), "its agent to be gone")
                # Folders that are not named after a process are left alone.
                (scratch / "patchbay-vm-other").mkdir()
                start()
                self.make()
                self.assertEqual(len(list(scratch.iterdir())), 2)
                self.assertFalse(left.exists())
                self.assertEqual(self.gateway.stop(), 0)
                self.assertEqual([one.name for one in scratch.iterdir()], ["patchbay-vm-other"])

    def test_a_machine_that_never_comes_up_leaves_nothing(self):
        vm = {"command": "sleep", "args": ["1003"], "socket": "{folder}/v.sock"}
        self.start(
            env={"TMPDIR": str(self.folder)}, engine="microvm", microvm=vm, pool={"size": 0}
        )
        making = {"name": "box__create_sandbox", "arguments": {}}
        message = {"jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": making}
        with self.gateway.connect() as connection:
            connection.send("POST", "/mcp", self.session.headers(), message)
            wait_until(lambda: processes_with("sleep\x001003"), "the machine to be started")
            self.session.notify("notifications/cancelled", {"requestId": 99})
            wait_until(lambda: not processes_with("sleep\x001003"), "it to be ended")
        wait_until(lambda: not list(self.folder.iterdir()), "its folder to be gone")

    def test_the_doctor_tries_them(self):
        address = self.agent("tcp:127.0.0.1:0").removeprefix("tcp:")
        machine = {"args": ["agent", "--listen", "unix:{socket}"], "socket": "{folder}/v.sock"}
        engines = {
            "bare": {"engine": "none"},
            "allowed": {"engine": "none", "allow_none": True},
            "lost": {"engine": "microvm", "microvm": {**machine, "command": "/nonexistent/vm"}},
            "machine": {"engine": "microvm", "microvm": {**machine, "command": BINARY}},
            "open": {"engine": "remote", "remote": {"address": "192.0.2.1:9"}},
            "away": {"engine": "remote", "remote": {"address": "127.0.0.1:1"}},
            "far": {"engine": "remote", "remote": {"address": address, "token": TOKEN}},
        }
        upstreams = {name: {"kind": "sandbox", **engine} for name, engine in engines.items()}
        path = self.folder / "patchbay.yaml"
        path.write_text(to_yaml({"upstreams": upstreams}), encoding="utf-8")
        done = run("doctor", "-c", str(path), "--json", env={"TMPDIR": str(self.folder)})
        self.assertEqual(done.returncode, 1)
        reply = {name: one["findings"][0] for name, one in json.loads(done.stdout).items()}
        for name, word in (
            ("bare", "allow_none"),
            ("lost", "/nonexistent/vm"),
            ("open", "remote.secure"),
            ("away", "refused"),
        ):
            self.assertFalse(reply[name]["ok"], name)
            self.assertIn(word, reply[name]["detail"])
        for name, isolation in (("allowed", "none"), ("machine", "microvm"), ("far", "remote")):
            self.assertTrue(reply[name]["ok"], reply[name])
            self.assertEqual(reply[name]["detail"], f"isolation: {isolation}")
        self.assertEqual({one.name for one in self.folder.iterdir()}, {path.name, "token"})

    def test_an_agent_over_tcp(self):
        address = self.agent("tcp:127.0.0.1:0").removeprefix("tcp:")
        self.start(engine="remote", remote={"address": address, "token": TOKEN})
        ran = self.use("run_command", command="echo far")
        self.assertEqual((ran["stdout"], ran["isolation"]), ("far\n", "remote"))

    def test_an_agent_that_asks_for_a_token(self):
        address = self.agent("tcp:127.0.0.1:0").removeprefix("tcp:")
        remote = {"address": address, "token": "${file:" + str(self.folder / "token") + "}"}
        self.start(engine="remote", remote=remote)
        self.assertEqual(self.use("run_command", command="echo known")["stdout"], "known\n")
        config = {"kind": "sandbox", "engine": "remote", "remote": {"address": address}}
        with Gateway({"upstreams": {"far": config}}) as gateway, McpSession(gateway) as session:
            answer = result_of(session.call("far__run_command", command="true"))
            self.assertTrue(answer["isError"])
            self.assertIn("token", text_of({"result": answer}))

    def test_an_agent_over_tls(self):
        authority = Authority(self.folder)
        authority.server()
        address = self.agent("tcp:127.0.0.1:0").removeprefix("tcp:")
        port = self.enterContext(TlsRelay(self.folder, address)).port
        remote = {"address": f"localhost:{port}", "secure": True, "token": TOKEN}
        self.start(engine="remote", remote={**remote, "tls": {"ca": str(self.folder / "ca.pem")}})
        big = "y" * 300_000
        box = self.make()
        self.use("write_file", sandbox_id=box, path=str(self.folder / "f"), content=big)
        ran = self.use("run_command", sandbox_id=box, command=f"cat {self.folder}/f")
        self.assertEqual(ran["stdout"], big)
        stranger = {"upstreams": {"far": {"kind": "sandbox", "engine": "remote", "remote": remote}}}
        with Gateway(stranger) as gateway, McpSession(gateway) as session:
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
        self.session = self.enterContext(McpSession(self.gateway))

    def test_runs_and_reaches_files(self):
        self.start(limits={"not_required": NOT_REQUIRED, "max_disk_size": "4MiB"})
        made = self.use("create_sandbox")
        self.assertEqual(made["limits"]["absent"], NOT_REQUIRED)
        self.assertLessEqual({"disk", "files", "wall_ms", "output"}, set(made["limits"]))
        self.assertEqual({*NOT_REQUIRED} & set(made["limits"]), set())
        box = made["sandbox_id"]
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
        # What else is missing is known at once.
        missing = down.partition("Also missing: ")[2].partition(";")[0].split(", ")
        named = {name for name in NOT_REQUIRED if f"the limit '{name}' cannot" in down}
        self.assertEqual(named | {name.removeprefix("limit ") for name in missing}, {*NOT_REQUIRED})


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
