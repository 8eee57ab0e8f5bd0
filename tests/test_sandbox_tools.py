"""The sandbox as an upstream: its tools, whose sandboxes are whose, how long they live, what a run
may use, and that nothing is left of any."""

import base64
import contextlib
import os
import signal
import socket

from auth_case import OTHER, TOKEN
from harness import alive, main, result_of, wait_until
from sandbox_case import our_guests, probe, processes_with
from sandbox_tool_case import ToolCase

# Exchanges two names in one step.
RACER = """
import ctypes
libc = ctypes.CDLL(None)
def swap(one, other): libc.renameat2(-100, one, -100, other, 2)
"""

TOKENS = {"tokens": [{"name": "one", "token": TOKEN}, {"name": "two", "token": OTHER}]}


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

    def race(self, box, code, look):
        """Calls `look` until the code inside, which changes things all the time, has ended."""
        running = self.session.call_later(
            "box__execute_code", sandbox_id=box, language="python", code=RACER + code
        )
        looks = 0
        while running.running() or looks < 50:
            look()
            looks += 1
        ran = result_of(running.result())["structuredContent"]
        self.assertEqual((ran["exit_code"], ran["stderr"]), (0, ""))

    def attempt(self, tool, **arguments):
        """The structured result of a tool, or None if it was refused."""
        answer = result_of(self.session.call(f"box__{tool}", **arguments))
        return None if answer.get("isError") else answer["structuredContent"]

    def test_names_that_move_lead_nowhere(self):
        """A link and a folder change places as fast as they can while the host reads and writes."""
        self.start()
        box = self.make()
        self.shell(box, "mkdir there; echo harmless > there/passwd; ln -s /etc link")
        read, written, listed = set(), set(), set()

        def look():
            piece = self.attempt("read_file", sandbox_id=box, path="there/passwd")
            read.add(piece and piece["content"])
            put = self.attempt("write_file", sandbox_id=box, path="there/new", content="x")
            written.add(bool(put))
            entries = self.attempt("list_directory", sandbox_id=box, path="there")
            listed.add(entries and tuple(one["name"] for one in entries["entries"]))

        self.race(box, "for _ in range(1_000_000): swap(b'there', b'link')", look)
        # Both sides of the race were seen, and nothing else.
        self.assertEqual(read, {"harmless\n", None})
        self.assertEqual(written, {True, False})
        self.assertLessEqual(listed, {("passwd",), ("new", "passwd"), None})
        self.assertEqual(self.shell(box, "ls /etc/new")["stdout"], "")

    def test_a_file_that_becomes_a_link_is_not_followed(self):
        """Now a file, now a link to a file outside, now another name of a file of the same folder."""
        self.start()
        box = self.make()
        self.shell(box, "echo mine > mine; ln -s /etc/passwd link; echo two > two; ln two second")
        seen = set()

        def look():
            piece = self.attempt("read_file", sandbox_id=box, path="mine")
            seen.add(piece and piece["content"])
            self.attempt("write_file", sandbox_id=box, path="mine", content="mine\n")

        code = "for _ in range(300_000): swap(b'mine', b'link'); swap(b'mine', b'second')"
        self.race(box, code, look)
        self.assertLessEqual(seen, {"mine\n", "", None})
        self.assertIn(None, seen)
        self.assertEqual(self.shell(box, "cat two")["stdout"], "two\n")

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

    def test_it_is_asked_to_end_before_it_is_made_to(self):
        self.start(limits={"wall": "300ms", "grace": "60s"})
        ran = self.use("run_command", command="trap 'echo tidy; exit 3' TERM; sleep 1000 & wait")
        self.assertEqual((ran["verdict"], ran["stdout"], ran["exit_code"]), ("timeout", "tidy\n", 3))
        self.start(limits={"wall": "300ms", "grace": "300ms"})
        ran = self.use("run_command", command="trap '' TERM; while :; do sleep 0.01; done")
        self.assertEqual((ran["verdict"], ran["signal"]), ("timeout", 9))

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
        ran = self.shell(box, "echo first; head -c 1M /dev/zero; echo last")
        left_out = (1 << 20) + 11 - (64 << 10)
        self.assertTrue(ran["stdout"].startswith("first\n"))
        self.assertTrue(ran["stdout"].endswith("\0last\n"))
        self.assertIn(f"\n... [{left_out} bytes left out] ...\n", ran["stdout"])

    def test_output_as_it_comes_has_a_bound_too(self):
        self.start(limits={"output": "64KiB"})
        before = self.gateway.rss()
        answer = self.session.call(
            "box__run_command",
            _meta={"progressToken": "p"},
            command="head -c 200M /dev/zero | tr '\\0' x",
        )
        self.assertEqual(result_of(answer)["structuredContent"]["stdout_bytes"], 200 << 20)
        told = sum(len(one["params"]["message"]) for one in self.session.others)
        self.assertGreater(told, 0)
        self.assertLessEqual(told, 64 << 10)
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
        for pid in our_guests():
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
        for pid in our_guests():
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


if __name__ == "__main__":
    main()
