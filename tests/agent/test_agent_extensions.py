"""Extensions of the agent protocol: options of commands, streams, background processes, folders
and files."""

import base64
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from agent_case import STATIC, Agent, AgentError, AgentTestCase, pid_from
from harness import BINARY, TIMEOUT, alive, main, run, wait_until

MIB = 1 << 20


class Capabilities(AgentTestCase):
    def test_they_list_what_there_is(self):
        with Agent("--max-output", "5000") as agent:
            reply = agent.connect().ask("capabilities")
        self.assertEqual(reply["name"], "patchbay-agent")
        self.assertEqual(reply["limits"]["max_output"], 5000)
        self.assertFalse(reply["concurrent"])
        self.assertEqual(reply["root"], "")
        for method in ("ping", "exec", "exec_code", "read_file", "write_file", "list_dir", "cancel",
                       "start", "poll", "write", "kill", "processes", "stat", "mkdir", "remove", "move"):
            self.assertIn(method, reply["methods"])
        self.assertIn("python", reply["languages"])
        self.assertEqual(set(reply["parameters"]), set(reply["methods"]))
        self.assertEqual(reply["parameters"]["read_file"], ["path", "encoding", "offset", "length"])

    def test_each_parameter_that_they_name_is_known(self):
        """A value that is wrong for it is refused by its name; what is unknown would be ignored."""
        wire = self.enterContext(Agent()).connect()
        parameters = wire.ask("capabilities")["parameters"]
        process = wire.ask("start", {"cmd": "sleep 1021", "interactive": True})["process"]
        path = os.devnull
        right = {"cmd": "true", "lang": "sh", "code": "true", "path": path, "content": "", "from": path,
                 "to": path, "process": process, "data": "", "id": 1, "token": "x"}
        for method, names in parameters.items():
            for wrong in names:
                with self.subTest(method=method, parameter=wrong):
                    given = {name: right[name] for name in names if name in right}
                    if wrong == "argv":
                        del given["cmd"]
                    given[wrong] = 0 if wrong == "encoding" else {"no": {}}
                    with self.assertRaises(AgentError) as refused:
                        wire.ask(method, given)
                    self.assertEqual(refused.exception.code, -32602)
                    self.assertIn(f"`{wrong}`", str(refused.exception))


class Options(AgentTestCase):
    def setUp(self):
        super().setUp()
        self.agent = self.enterContext(Agent(env={"KEPT": "yes"}))
        self.wire = self.agent.connect()

    def test_extensions_are_sent_only_on_request(self):
        self.assertEqual(list(self.wire.ask("exec", {"cmd": "true"})), ["exit_code", "stdout", "stderr"])
        answer = self.wire.ask("exec", {"cmd": "printf abc; kill -TERM $$", "timeout": 60})
        duration = answer.pop("duration_ms")
        self.assertGreaterEqual(duration, 0)
        self.assertEqual(answer, {"exit_code": -1, "stdout": "abc", "stderr": "", "signal": 15,
                                  "timed_out": False, "stdout_bytes": 3, "stderr_bytes": 0,
                                  "truncated": False})

    def test_a_timeout_ends_the_group_and_keeps_what_was_written(self):
        path = self.folder / "pid"
        cmd = f"echo begun; sleep 1000 & echo $! > {path}; wait"
        answer = self.wire.ask("exec", {"cmd": cmd, "timeout": 0.3})
        self.assertEqual((answer["exit_code"], answer["stdout"], answer["timed_out"], answer["signal"]),
                         (-1, "begun\n", True, 9))
        self.assert_gone(pid_from(path))

    def test_with_a_grace_it_is_asked_first(self):
        cmd = "trap 'echo tidy; exit 3' TERM; echo begun; sleep 1000 & wait"
        answer = self.wire.ask("exec", {"cmd": cmd, "timeout": 0.3, "grace": 60})
        self.assertEqual((answer["exit_code"], answer["stdout"], answer["timed_out"]),
                         (3, "begun\ntidy\n", True))
        # A process that ignores it is killed.
        answer = self.wire.ask("exec", {"cmd": "trap '' TERM; while :; do sleep 0.01; done",
                                        "timeout": 0.2, "grace": 0.2})
        self.assertEqual((answer["exit_code"], answer["timed_out"], answer["signal"]), (-1, True, 9))

    def test_both_ends_of_an_output(self):
        cmd = "echo first; seq 1 200000; echo last"
        answer = self.wire.ask("exec", {"cmd": cmd, "keep": "ends", "max_output": 1000})
        head, left, tail = re.fullmatch(r"(?s)(.*)\n\.\.\. \[(\d+) bytes left out\] \.\.\.\n(.*)",
                                        answer["stdout"]).groups()
        self.assertTrue(head.startswith("first\n1\n2\n") and tail.endswith("\n200000\nlast\n"))
        self.assertEqual((len(head), len(tail)), (500, 500))
        self.assertEqual(int(left) + 1000, answer["stdout_bytes"])
        self.assertTrue(answer["truncated"])
        answer = self.wire.ask("exec", {"cmd": "echo short", "keep": "ends"})
        self.assertEqual((answer["stdout"], answer["truncated"]), ("short\n", False))

    def test_what_is_no_text_and_does_not_fit_any_more_counts_as_cut(self):
        cmd = "head -c 100 /dev/zero | tr '\\0' '\\377'"
        for keep in ("first", "ends"):
            answer = self.wire.ask("exec", {"cmd": cmd, "max_output": 100, "keep": keep})
            self.assertEqual((answer["truncated"], answer["stdout_bytes"]), (True, 100))
            self.assertIn("\n... [", answer["stdout"])

    def test_where_and_with_what(self):
        ask = lambda **more: self.wire.ask("exec", {"cmd": "pwd; echo $KEPT $NEW", **more})
        self.assertEqual(ask(cwd=str(self.folder))["stdout"], f"{self.folder}\nyes\n")
        self.assertEqual(ask(cwd="/", env={"NEW": "a b", "KEPT": None})["stdout"], "/\na b\n")
        self.assertEqual(ask(cwd="/", env={"KEPT": "other"})["stdout"], "/\nother\n")
        self.assertEqual(ask(cwd="/", clear_env=True, env={"NEW": "1"})["stdout"], "/\n1\n")
        answer = ask(cwd="/no/such/folder")
        self.assertEqual((answer["exit_code"], answer["stdout"]), (-1, ""))
        self.assertIn("/no/such/folder: No such file or directory", answer["stderr"])

    def test_input(self):
        self.assertEqual(self.wire.ask("exec", {"cmd": "wc -c", "stdin": "x" * 3_000_000})["stdout"],
                         "3000000\n")
        # A program need not read it.
        answer = self.wire.ask("exec", {"cmd": "echo done", "stdin": "x" * 3_000_000})
        self.assertEqual((answer["exit_code"], answer["stdout"]), (0, "done\n"))
        self.assertEqual(self.wire.ask("exec_code", {"lang": "python", "stdin": "3 4",
                                                     "code": "print(sum(map(int, input().split())))"}
                                       )["stdout"], "7\n")

    def test_bytes_as_base64(self):
        data = bytes(range(256)) * 100
        answer = self.wire.ask("exec", {"cmd": "cat", "encoding": "base64",
                                        "stdin": base64.b64encode(data).decode()})
        self.assertEqual(base64.b64decode(answer["stdout"]), data)
        answer = self.wire.ask("exec", {"cmd": "head -c 5000 /dev/zero", "encoding": "base64",
                                        "max_output": 1000})
        self.assertEqual(base64.b64decode(answer["stdout"]), bytes(1000))
        self.assertEqual((answer["truncated"], answer["stdout_bytes"]), (True, 5000))

    def test_a_program_without_a_shell(self):
        answer = self.wire.ask("exec", {"argv": ["printf", "%s|", "a b", "$HOME", "*"]})
        self.assertEqual(answer["stdout"], "a b|$HOME|*|")
        self.assertEqual(self.wire.ask("exec", {"argv": ["/no/such/program"]})["exit_code"], -1)

    def test_wrong_options_are_named(self):
        for more in ({"timeout": -1}, {"timeout": 0}, {"timeout": "5"}, {"cwd": 5}, {"env": []}, {"env": {"A": 1}},
                     {"env": {"A=B": "1"}}, {"stdin": 7}, {"encoding": "latin1"}, {"stream": "yes"},
                     {"max_output": -1}, {"argv": ["true"]}, {"grace": -1}, {"keep": "last"},
                     {"keep": "ends", "encoding": "base64"}, {"max_stream": "x"}, {"stdin": "%", "encoding": "base64"}):
            with self.subTest(more), self.assertRaises(AgentError) as caught:
                self.wire.ask("exec", {"cmd": "true", **more})
            self.assertEqual(caught.exception.code, -32602)
            self.assertIn(next(iter(more)), caught.exception.message)

    def test_output_comes_as_it_is_written(self):
        fifo = self.folder / "go"
        os.mkfifo(fifo)
        number = self.wire.begin("exec", {"cmd": f"printf 'é1'; cat {fifo}; printf '\\303'; echo e >&2",
                                          "stream": True})
        piece = self.wire.message(lambda message: message.get("method") == "output")
        self.assertEqual(piece["params"], {"id": number, "stream": "stdout", "data": "é1"})
        fifo.write_text("two\n", encoding="ascii")  # Only now does it go on.
        answer = self.wire.result(number)
        self.assertEqual((answer["stdout"], answer["stderr"]), ("é1two\n\ufffd", "e\n"))
        streams = {"stdout": "", "stderr": ""}
        for message in self.wire.outputs():
            streams[message["params"]["stream"]] += message["params"]["data"]
        self.assertEqual(streams, {"stdout": "two\n\ufffd", "stderr": "e\n"})

    def test_as_much_of_it_as_is_wanted(self):
        answer = self.wire.ask("exec", {"cmd": "yes | head -c 9000000", "stream": True,
                                        "max_stream": 1001})
        notified = "".join(message["params"]["data"] for message in self.wire.outputs())
        self.assertEqual(notified, ("y\n" * 501)[:1001])
        self.assertEqual(answer["stdout_bytes"], 9_000_000)

    def test_pieces_end_between_characters(self):
        text = "aé€🙂" * 50_000
        path = self.folder / "text"
        path.write_text(text, encoding="utf-8")
        answer = self.wire.ask("exec", {"cmd": f"cat {path}", "stream": True})
        notified = "".join(message["params"]["data"] for message in self.wire.outputs())
        self.assertTrue(notified == text and answer["stdout"] == text)


class Background(AgentTestCase):
    def setUp(self):
        super().setUp()
        self.agent = self.enterContext(Agent("--max-processes", "3", listen="unix"))
        self.wire = self.agent.connect()

    def start(self, cmd, **more):
        return self.wire.ask("start", {"cmd": cmd, **more})["process"]

    def poll_all(self, process):
        """Polls to the end of the process; everything that it wrote, and the last answer."""
        out = ""
        while True:
            answer = self.wire.ask("poll", {"process": process, "wait": TIMEOUT})
            out += answer["stdout"]
            if not answer["running"] and not answer["more"]:
                return out, answer

    def test_a_process_is_spoken_with(self):
        process = self.start("while read line; do echo got $line; done; exit 4", interactive=True)
        for sent in ("one", "two"):
            self.assertEqual(self.wire.ask("write", {"process": process, "data": sent + "\n"}),
                             {"written": 4})
            answer = self.wire.ask("poll", {"process": process, "wait": TIMEOUT})
            self.assertEqual((answer["running"], answer["stdout"]), (True, f"got {sent}\n"))
        self.wire.ask("write", {"process": process, "data": "end\n", "close": True})
        out, last = self.poll_all(process)
        self.assertEqual((out, last["exit_code"], last["timed_out"]), ("got end\n", 4, False))
        with self.assertRaises(AgentError):
            self.wire.ask("write", {"process": process, "data": "x"})

    def test_a_poll_that_need_not_wait_does_not(self):
        process = self.start("sleep 1000")
        self.assertEqual(self.wire.ask("poll", {"process": process}),
                         {"running": True, "stdout": "", "stdout_dropped": 0, "stderr": "",
                          "stderr_dropped": 0, "more": False})

    def test_kill_ends_the_group(self):
        path = self.folder / "pid"
        process = self.start(f"sleep 1000 & echo $! > {path}; wait")
        inner = pid_from(path)
        self.assertEqual(self.wire.ask("kill", {"process": process}), {"success": True})
        _, last = self.poll_all(process)
        self.assertEqual((last["exit_code"], last["signal"]), (-1, 9))
        self.assert_gone(inner)
        self.assertEqual(self.wire.ask("kill", {"process": process}), {"success": False})

    def test_a_signal_by_name(self):
        process = self.start("trap 'echo usr; exit 7' USR1; echo ready; while :; do sleep 0.01; done")
        self.assertEqual(self.wire.ask("poll", {"process": process, "wait": TIMEOUT})["stdout"],
                         "ready\n")
        self.wire.ask("kill", {"process": process, "signal": "SIGUSR1"})
        out, last = self.poll_all(process)
        self.assertEqual((out, last["exit_code"]), ("usr\n", 7))
        with self.assertRaises(AgentError) as caught:
            self.wire.ask("kill", {"process": process, "signal": "NONSENSE"})
        self.assertEqual(caught.exception.code, -32602)

    def test_a_time_limit(self):
        process = self.start("sleep 1000", timeout=0.1)
        _, last = self.poll_all(process)
        self.assertTrue(last["timed_out"])

    def test_the_newest_output_is_stored(self):
        path = self.folder / "done"
        process = self.start(f"head -c {20 * MIB} /dev/zero; printf END; touch {path}; sleep 1000")
        wait_until(path.exists, "the output to be written")
        answer = self.wire.ask("poll", {"process": process})
        self.assertTrue(answer["stdout"].endswith("END"))
        self.assertLessEqual(len(answer["stdout"]), MIB)
        self.assertEqual(answer["stdout_dropped"] + len(answer["stdout"]), 20 * MIB + 3)

    def test_output_in_parts(self):
        process = self.start("printf 'aé€🙂'")
        wait_until(lambda: not self.wire.ask("processes")["processes"][0]["running"])
        parts = []
        while True:
            answer = self.wire.ask("poll", {"process": process, "max_output": 4})
            parts.append(answer["stdout"])
            if not answer["more"]:
                break
        self.assertEqual(parts, ["aé", "€", "🙂"])

    def test_it_outlives_the_connection_unless_it_is_bound(self):
        free, bound = self.start("sleep 1000"), self.start("sleep 1000", bound=True)
        pids = {entry["process"]: entry["pid"] for entry in self.wire.ask("processes")["processes"]}
        self.wire.close()
        self.assert_gone(pids[bound])
        self.assertTrue(alive(pids[free]))
        listed = self.agent.connect().ask("processes")["processes"]
        self.assertEqual([entry["process"] for entry in listed if entry["running"]], [free])
        self.assertEqual(listed[0]["command"], "sh -c sleep 1000")

    def test_there_is_a_most_and_finished_ones_make_room(self):
        over = self.start("true")
        self.poll_all(over)
        for _ in range(3):
            self.start("sleep 1000")
        with self.assertRaises(AgentError) as caught:
            self.start("sleep 1000")
        self.assertEqual(caught.exception.code, -32003)
        self.assert_error(-32602, f"invalid params: no process {over}", self.wire.ask, "poll",
                          {"process": over})


class FilesInParts(AgentTestCase):
    def setUp(self):
        super().setUp()
        self.wire = self.enterContext(Agent("--max-file", "1000")).connect()
        self.path = str(self.folder / "file")

    def test_bytes(self):
        data = bytes(range(256))
        self.wire.ask("write_file", {"path": self.path, "encoding": "base64", "mode": 0o750,
                                     "content": base64.b64encode(data).decode()})
        self.assertEqual(pathlib.Path(self.path).read_bytes(), data)
        self.assertEqual(os.stat(self.path).st_mode & 0o777, 0o750)
        answer = self.wire.ask("read_file", {"path": self.path, "encoding": "base64"})
        self.assertEqual(base64.b64decode(answer.pop("content")), data)
        self.assertEqual(answer, {"size": 256, "bytes": 256, "eof": True})

    def test_ranges(self):
        pathlib.Path(self.path).write_text("0123456789" * 500, encoding="ascii")
        part = {"path": self.path, "offset": 4995, "length": 3}
        self.assertEqual(self.wire.ask("read_file", part),
                         {"content": "567", "size": 5000, "bytes": 3, "eof": False})
        part["length"] = 100
        self.assertEqual(self.wire.ask("read_file", part)["content"], "56789")
        self.assertTrue(self.wire.ask("read_file", part)["eof"])
        self.assertEqual(self.wire.ask("read_file", {**part, "offset": 2**40})["content"], "")
        for wrong in ({"length": 1001}, {"offset": 2**63}):
            with self.subTest(wrong), self.assertRaises(AgentError) as caught:
                self.wire.ask("read_file", {**part, **wrong})
            self.assertEqual(caught.exception.code, -32603)

    def test_writing_into_and_behind(self):
        write = lambda **more: self.wire.ask("write_file", {"path": self.path, **more})
        write(content="0123456789")
        write(content="AB", offset=3)
        write(content="!", append=True)
        self.assertEqual(pathlib.Path(self.path).read_text(encoding="ascii"), "012AB56789!")
        with self.assertRaises(AgentError):
            write(content="x", create_only=True)
        with self.assertRaises(AgentError):
            write(content="x", append=True, offset=1)

    def test_names(self):
        folder = self.folder / "a" / "b"
        done = {"success": True}
        self.assertEqual(self.wire.ask("mkdir", {"path": str(folder)}), done)
        self.assertEqual(self.wire.ask("mkdir", {"path": str(folder)}), done)
        with self.assertRaises(AgentError):
            self.wire.ask("mkdir", {"path": str(folder), "parents": False})
        (folder / "file").write_text("text", encoding="ascii")
        (folder / "link").symlink_to("file")
        stat = self.wire.ask("stat", {"path": f"{folder}/link"})
        self.assertEqual((stat["type"], stat["size"], stat["target"]), ("symlink", 0, "file"))
        stat = self.wire.ask("stat", {"path": f"{folder}/link", "follow": True})
        self.assertEqual((stat["type"], stat["size"], stat["is_dir"]), ("file", 4, False))
        self.assertAlmostEqual(stat["mtime"], os.stat(folder / "file").st_mtime, delta=0.002)
        self.assertEqual(self.wire.ask("move", {"from": f"{folder}/file", "to": f"{self.folder}/x"}), done)
        self.assertEqual((self.folder / "x").read_text(encoding="ascii"), "text")
        (self.folder / "y").touch()
        with self.assertRaises(AgentError):
            self.wire.ask("move", {"from": f"{self.folder}/x", "to": f"{self.folder}/y",
                                   "overwrite": False})
        with self.assertRaises(AgentError):
            self.wire.ask("remove", {"path": str(self.folder / "a")})
        details = self.wire.ask("list_dir", {"path": str(folder), "details": True})["entries"]
        self.assertEqual([(entry["name"], entry["type"]) for entry in details], [("link", "symlink")])

    def test_remove_never_goes_through_a_link(self):
        outside = self.folder / "outside"
        outside.mkdir()
        (outside / "kept").touch()
        tree = self.folder / "tree" / "deep"
        tree.mkdir(parents=True)
        (tree / "link").symlink_to(outside)
        (tree / "file").touch()
        self.assertEqual(self.wire.ask("remove", {"path": f"{self.folder}/tree", "recursive": True}),
                         {"success": True})
        self.assertFalse((self.folder / "tree").exists())
        self.assertTrue((outside / "kept").exists())


class Root(AgentTestCase):
    def setUp(self):
        super().setUp()
        self.root = self.folder / "root"
        (self.root / "inner").mkdir(parents=True)
        (self.root / "inner" / "file").write_text("inside", encoding="ascii")
        (self.folder / "secret").write_text("secret", encoding="ascii")
        (self.folder / "outer").mkdir()
        for name, target in {"up": "..", "abs": "/", "file": "../secret", "etc": "/etc/passwd",
                             "proc": "/proc/self/root", "loop": "loop", "ok": "inner/file"}.items():
            (self.root / name).symlink_to(target)
        self.wire = self.enterContext(Agent("--root", str(self.root))).connect()

    def test_what_is_inside_can_be_used_by_both_kinds_of_paths(self):
        for path in ("inner/file", f"{self.root}/inner/file", "inner/../inner/file", "ok"):
            with self.subTest(path):
                self.assertEqual(self.wire.ask("read_file", {"path": path}), {"content": "inside"})
        self.wire.ask("write_file", {"path": "new/deep/file", "content": "x"})
        self.assertTrue((self.root / "new" / "deep" / "file").exists())
        self.assertEqual(self.wire.ask("exec", {"cmd": "pwd"})["stdout"], f"{self.root}\n")
        self.assertEqual(self.wire.ask("exec", {"cmd": "pwd", "cwd": "inner"})["stdout"],
                         f"{self.root}/inner\n")

    def test_nothing_leads_out(self):
        escapes = ["../secret", "up/secret", "abs/etc/passwd", "file", "etc", "proc/etc/passwd", "/etc/passwd",
                f"{self.folder}/secret", f"{self.root}/../secret", f"{self.root}2", "inner/../../secret",
                "loop", "up/outer/new"]
        requests = [
            lambda path: ("read_file", {"path": path}),
            lambda path: ("write_file", {"path": path, "content": "broken"}),
            lambda path: ("list_dir", {"path": path}),
            lambda path: ("stat", {"path": path, "follow": True}),
            lambda path: ("mkdir", {"path": path + "/new"}),
            lambda path: ("remove", {"path": path + "/x", "recursive": True}),
            lambda path: ("move", {"from": "inner/file", "to": path + "/moved"}),
            lambda path: ("move", {"from": path + "/x", "to": "stolen"}),
        ]
        for path in escapes:
            for request in requests:
                method, params = request(path)
                with self.subTest(f"{method} {params}"), self.assertRaises(AgentError) as caught:
                    self.wire.ask(method, params)
                self.assertEqual(caught.exception.code, -32603)
        self.assertEqual((self.folder / "secret").read_text(encoding="ascii"), "secret")
        self.assertEqual(list((self.folder / "outer").iterdir()), [])
        self.assertEqual((self.root / "inner" / "file").read_text(encoding="ascii"), "inside")

    def test_the_message_reports_it(self):
        self.assert_error(-32603, "failed to stat '/etc/passwd': the path leads out of the agent's folder",
                          self.wire.ask, "read_file", {"path": "/etc/passwd"})


class Tokens(AgentTestCase):
    TOKEN = "0123456789abcdef-token"

    def setUp(self):
        super().setUp()
        self.file = self.folder / "token"
        self.file.write_text(self.TOKEN + "\n", encoding="ascii")

    def agent(self, *args, **more):
        return self.enterContext(Agent("--token-file", str(self.file), *args, **more))

    def test_nothing_is_done_for_strangers(self):
        wire, path = self.agent(listen="tcp").connect(), self.folder / "touched"
        for method, params in (("exec", [f"touch {path}"]), ("ping", None), ("nonsense", None),
                               ("capabilities", None)):
            self.assert_error(-32005, "present the token first, with `authenticate`",
                              wire.ask, method, params)
        self.assertEqual(wire.ask("authenticate", {"token": self.TOKEN}), {"success": True})
        self.assertEqual(wire.ask("ping"), {"pong": True})
        self.assertFalse(path.exists())

    def test_a_wrong_token_ends_the_connection(self):
        agent = self.agent(listen="unix")
        for token in ("", "x", self.TOKEN[:-1], self.TOKEN + "x", self.TOKEN.upper()):
            with self.subTest(token):
                wire = agent.connect()
                self.assert_error(-32005, "the token is wrong", wire.ask, "authenticate", [token])
                self.assertIsNone(wire.line())

    def test_a_peer_without_a_token_is_not_waited_for(self):
        self.assertIsNone(self.agent("--token-seconds", "1", listen="unix").connect().line())

    def test_the_parent_needs_no_token(self):
        self.assertEqual(self.agent(listen="stdio").connect().ask("ping"), {"pong": True})

    def test_without_a_token_others_are_refused(self):
        for program in ((BINARY, "agent"), (STATIC,)):
            for address in ("0.0.0.0:0", "127.0.0.1:0", "[::1]:0"):
                with self.subTest(f"{program} on {address}"):
                    done = subprocess.run([*program, "--listen", f"tcp:{address}"], capture_output=True,
                                          text=True, timeout=TIMEOUT, check=False)
                    self.assertEqual(done.returncode, 2)
                    self.assertIn("--token-file", done.stderr)
                    self.assertIn("openssl rand", done.stderr)
        self.file.write_text("short", encoding="ascii")
        for file in (self.file, self.folder / "gone"):
            done = run("agent", "--token-file", str(file))
            self.assertEqual(done.returncode, 2)
            self.assertIn(str(file), done.stderr)

    def test_without_a_file_authenticate_is_of_no_consequence(self):
        with Agent() as agent:
            self.assertEqual(agent.connect().ask("authenticate", {"token": "any"}), {"success": True})


if __name__ == "__main__":
    main()
