"""The protocol of the guest agent over stdio, Unix sockets and TCP, as a command of patchbay and
as the static program."""

import json
import os
import pathlib
import socket
import subprocess
import sys
import unittest

sys.path.insert(1, sys.path[0] + "/../lib")

from agent_case import STATIC, Agent, AgentError, AgentTestCase
from harness import BINARY, TIMEOUT, clean_environment, main, run

PROGRAMS = {"patchbay agent": (BINARY, "agent"), "patchbay-agent": (STATIC,)}
MIB = 1 << 20
MARKER = "\n... [output truncated]"


def ping(number):
    return f'{{"jsonrpc":"2.0","id":{number},"method":"ping","params":{{}}}}'


def pong(number):
    return f'{{"jsonrpc":"2.0","id":{number},"result":{{"pong":true}}}}\n'.encode()


def speak(text, *args, program=(BINARY, "agent"), cwd=None):
    """The lines that the agent answers to some on its stdin."""
    done = subprocess.run([*program, *args], input=text.encode(), capture_output=True, cwd=cwd,
                          env=clean_environment(), timeout=TIMEOUT, check=False)
    assert (done.returncode, done.stderr) == (0, b""), done
    return done.stdout.decode().splitlines()


class Examples(AgentTestCase):
    """The examples of the protocol's document, byte for byte where it has bytes."""

    def check_examples(self, wire):
        home = self.folder
        self.assertEqual(wire.exchange('{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}'),
                         b'{"jsonrpc":"2.0","id":1,"result":{"pong":true}}\n')
        answer = json.loads(wire.exchange('{"jsonrpc":"2.0","id":2,"method":"exec",'
                                          '"params":{"cmd":"echo hello && ls -la"}}'))
        self.assertEqual((answer["jsonrpc"], answer["id"]), ("2.0", 2))
        self.assertEqual(list(answer["result"]), ["exit_code", "stdout", "stderr"])
        self.assertTrue(answer["result"]["stdout"].startswith("hello\ntotal "))
        self.assertEqual((answer["result"]["exit_code"], answer["result"]["stderr"]), (0, ""))
        self.assertEqual(
            wire.exchange('{"jsonrpc":"2.0","id":3,"method":"exec_code","params":'
                          '{"lang":"python","code":"print(\'Hello from Python!\')"}}'),
            b'{"jsonrpc":"2.0","id":3,"result":{"exit_code":0,"stdout":"Hello from Python!\\n",'
            b'"stderr":""}}\n')
        (home / "hostname").write_text("microvm\n", encoding="ascii")
        self.assertEqual(
            wire.exchange(f'{{"jsonrpc":"2.0","id":4,"method":"read_file","params":'
                          f'{{"path":"{home}/hostname"}}}}'),
            b'{"jsonrpc":"2.0","id":4,"result":{"content":"microvm\\n"}}\n')
        (home / "tmp" / "scripts").mkdir(parents=True)
        self.assertEqual(
            wire.exchange(f'{{"jsonrpc":"2.0","id":5,"method":"write_file","params":'
                          f'{{"path":"{home}/tmp/test.txt","content":"Hello, World!"}}}}'),
            b'{"jsonrpc":"2.0","id":5,"result":{"success":true}}\n')
        self.assertEqual((home / "tmp" / "test.txt").read_bytes(), b"Hello, World!")
        self.assertEqual(
            wire.exchange(f'{{"jsonrpc":"2.0","id":6,"method":"list_dir","params":'
                          f'{{"path":"{home}/tmp"}}}}'),
            b'{"jsonrpc":"2.0","id":6,"result":{"entries":['
            b'{"name":"scripts","is_dir":true,"size":0},'
            b'{"name":"test.txt","is_dir":false,"size":13}]}}\n')
        self.assertEqual(wire.exchange('{"jsonrpc":"2.0","id":7,"method":"unknown","params":{}}'),
                         b'{"jsonrpc":"2.0","id":7,"error":{"code":-32601,'
                         b'"message":"method not found: unknown"}}\n')
        self.assertEqual(
            wire.exchange('{"jsonrpc":"2.0","id":8,"method":"exec_code",'
                          '"params":{"lang":"cobol","code":"DISPLAY 1"}}'),
            b'{"jsonrpc":"2.0","id":8,"result":{"exit_code":-1,"stdout":"",'
            b'"stderr":"unsupported language: cobol"}}\n')
        self.assertEqual(
            json.loads(wire.exchange('{"jsonrpc":"2.0","id":9,"method":"read_file",'
                                     '"params":{"path":"/etc/hostname"}}'))["result"]["content"],
            pathlib.Path("/etc/hostname").read_text(encoding="utf-8"))

    def test_over_each_transport(self):
        for name, program in PROGRAMS.items():
            for listen in ("stdio", "unix", "tcp"):
                with self.subTest(f"{name} over {listen}"), Agent(listen=listen, program=program) as agent:
                    self.setUp()
                    self.check_examples(agent.connect())

    def test_over_vsock(self):
        try:
            probe = socket.socket(socket.AF_VSOCK)
            probe.bind((1, socket.VMADDR_PORT_ANY))
            probe.listen()
            port = probe.getsockname()[1]
            with socket.socket(socket.AF_VSOCK) as client:
                client.settimeout(5)
                client.connect((1, port))
        except OSError as why:
            self.skipTest(f"left out: no vsock loopback on this machine ({why})")
        finally:
            probe.close()
        with Agent(listen=f"vsock:{port}") as agent:
            self.check_examples(agent.connect())


class Framing(AgentTestCase):
    def test_ids_are_preserved(self):
        numbers = [0, 1, 2**31, 2**53 + 1, 2**63, 2**64 - 1]
        answers = speak("\n".join(map(ping, numbers)) + "\n")
        self.assertEqual("".join(line + "\n" for line in answers).encode(), b"".join(map(pong, numbers)))

    def test_params_may_be_missing_null_or_an_array(self):
        self.assertEqual(speak('{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
                               '{"jsonrpc":"2.0","id":2,"method":"ping","params":null}\n'
                               '{"jsonrpc":"2.0","id":3,"method":"ping","params":[]}\n'
                               '{"jsonrpc":"2.0","id":4,"method":"exec","params":["echo one"]}\n'
                               '{"id":5,"params":{"cmd":"echo two"},"method":"exec","jsonrpc":"2.0"}\n'),
                         [pong(1).decode().strip(), pong(2).decode().strip(), pong(3).decode().strip(),
                          '{"jsonrpc":"2.0","id":4,"result":{"exit_code":0,"stdout":"one\\n","stderr":""}}',
                          '{"jsonrpc":"2.0","id":5,"result":{"exit_code":0,"stdout":"two\\n","stderr":""}}'])

    def test_params_that_are_none_are_refused_by_every_method(self):
        lines = "".join(f'{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}\n'
                        for method in ("ping", "exec", "processes")
                        for params in ("5", '"x"', "true", '{"a":1,"a":2}', "[1,2,3]"))
        for answer in map(json.loads, speak(lines)):
            self.assertEqual((answer["id"], answer["error"]["code"]), (1, -32602))

    def test_each_method_takes_its_params_by_position(self):
        with Agent() as agent:
            wire, path = agent.connect(), str(self.folder / "by position")
            self.assertEqual(wire.ask("exec_code", ["sh", "echo $((6*7))"])["stdout"], "42\n")
            self.assertEqual(wire.ask("write_file", [path, "text"]), {"success": True})
            self.assertEqual(wire.ask("read_file", [path]), {"content": "text"})
            names = [entry["name"] for entry in wire.ask("list_dir", [str(self.folder)])["entries"]]
            self.assertEqual(names, ["by position"])
            self.assert_error(-32602, "invalid params: at most 1 elements are expected",
                              wire.ask, "exec", ["true", "more"])

    def test_what_is_no_request(self):
        cases = [
            ("{nonsense", 0, -32700),
            ('{"jsonrpc":"2.0","id":3,"method":"ping"} trailing', 0, -32700),
            ('{"jsonrpc":"2.0","id":1, // a comment\r"method":"ping"}', 0, -32700),
            ('"text"', 0, -32600),
            ("[]", 0, -32600),
            ('[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 0, -32600),
            ("{}", 0, -32600),
            ('{"id":5,"method":"ping"}', 5, -32600),
            ('{"jsonrpc":"1.0","id":5,"method":"ping"}', 5, -32600),
            ('{"jsonrpc":2.0,"id":5,"method":"ping"}', 5, -32600),
            ('{"jsonrpc":"2.0","method":"ping"}', 0, -32600),
            ('{"jsonrpc":"2.0","id":"5","method":"ping"}', 0, -32600),
            ('{"jsonrpc":"2.0","id":-1,"method":"ping"}', 0, -32600),
            ('{"jsonrpc":"2.0","id":1.0,"method":"ping"}', 0, -32600),
            ('{"jsonrpc":"2.0","id":18446744073709551616,"method":"ping"}', 0, -32600),
            ('{"jsonrpc":"2.0","id":null,"method":"ping"}', 0, -32600),
            ('{"jsonrpc":"2.0","id":5}', 5, -32600),
            ('{"jsonrpc":"2.0","id":5,"method":7}', 5, -32600),
            ('{"jsonrpc":"2.0","id":5,"id":6,"method":"ping"}', 6, -32600),
            ('{"jsonrpc":"2.0","id":5,"method":"exec"}', 5, -32602),
            ('{"jsonrpc":"2.0","id":5,"method":"exec","params":null}', 5, -32602),
            ('{"jsonrpc":"2.0","id":5,"method":"exec","params":"ls"}', 5, -32602),
            ('{"jsonrpc":"2.0","id":5,"method":"exec","params":{"cmd":7}}', 5, -32602),
            ('{"jsonrpc":"2.0","id":5,"method":"exec","params":{"cmd":"a\\u0000b"}}', 5, -32602),
            ('{"jsonrpc":"2.0","id":5,"method":"exec_code","params":{"lang":"sh"}}', 5, -32602),
            ('{"jsonrpc":"2.0","id":5,"method":"PING"}', 5, -32601),
        ]
        answers = speak("".join(line + "\n" for line, _, _ in cases) + ping(99) + "\n")
        self.assertEqual(answers.pop() + "\n", pong(99).decode())
        for (line, number, code), answer in zip(cases, answers, strict=True):
            with self.subTest(line):
                answer = json.loads(answer)
                self.assertEqual((answer["jsonrpc"], answer["id"]), ("2.0", number))
                self.assertEqual(answer["error"]["code"], code)
                self.assertNotIn("result", answer)
                self.assertNotIn("data", answer["error"])

    def test_error_messages(self):
        with Agent() as agent:
            wire = agent.connect()
            self.assert_error(-32602, "invalid params: missing field `cmd`", wire.ask, "exec", {})
            self.assert_error(-32602, "invalid params: missing field `content`",
                              wire.ask, "write_file", {"path": "/x"})
            self.assert_error(-32602, "invalid params: `cmd` must be a string",
                              wire.ask, "exec", {"cmd": ["ls"]})
            self.assertEqual(wire.exchange('{"jsonrpc":"2.0","id":5,"method":"ping"'),
                             b'{"jsonrpc":"2.0","id":0,"error":{"code":-32700,"message":"parse error: '
                             b'invalid JSON at byte 39: the text ends inside an object"}}\n')
            long_name = "m" * 5000
            with self.assertRaises(AgentError) as caught:
                wire.ask(long_name)
            self.assertLess(len(caught.exception.message), 300)

    def test_null_can_stand_for_an_id_that_is_not_known(self):
        answer = json.loads(speak("{nonsense\n", "--null-id")[0])
        self.assertIsNone(answer["id"])

    def test_blank_lines_and_white_space_mean_nothing(self):
        self.assertEqual(speak(f"\n  \n\r\n  {ping(1)}  \r\n{ping(2)}"),
                         [pong(1).decode().strip(), pong(2).decode().strip()])

    def test_requests_are_answered_in_turn(self):
        lines = [
            '{"jsonrpc":"2.0","id":1,"method":"exec","params":{"cmd":"sleep 0.2; echo slow"}}',
            "{nonsense",
            ping(2),
            f'{{"jsonrpc":"2.0","id":3,"method":"write_file","params":["{self.folder}/f","x"]}}',
            f'{{"jsonrpc":"2.0","id":4,"method":"exec","params":["cat {self.folder}/f"]}}',
            *map(ping, range(5, 300)),  # More than may wait in the agent.
        ]
        answers = [json.loads(line) for line in speak("\n".join(lines))]
        self.assertEqual([answer["id"] for answer in answers], [1, 0, *range(2, 300)])
        self.assertEqual(answers[4]["result"]["stdout"], "x")

    def test_a_line_that_is_too_long_is_an_error_and_nothing_more(self):
        with Agent("--max-line", "4096") as agent:
            wire = agent.connect()
            wire.ask("ping")
            before = agent.rss_kb()
            for _ in range(64):
                wire.send(b"x" * MIB)
            wire.send(b"\n")
            self.assertEqual(wire.line(), b'{"jsonrpc":"2.0","id":0,"error":{"code":-32600,"message":'
                             b'"invalid request: the line is longer than 4096 bytes"}}\n')
            self.assertEqual(wire.exchange(ping(2)), pong(2))
            exact = ping(3)
            self.assertEqual(wire.exchange(exact + " " * (4096 - len(exact))), pong(3))
            self.assertEqual(json.loads(wire.exchange(exact + " " * (4097 - len(exact))))["id"], 0)
            if "PATCHBAY_TEST_SANITIZED" not in os.environ:
                self.assertLess(agent.rss_kb("VmHWM") - before, 2048)

    def test_a_line_of_many_megabytes_is_read(self):
        text = "tiếng Việt\n" * 500_000
        with Agent() as agent:
            wire, path = agent.connect(), str(self.folder / "large")
            self.assertEqual(wire.ask("write_file", {"path": path, "content": text}), {"success": True})
            self.assertEqual(wire.ask("read_file", {"path": path}), {"content": text})

    def test_connect_names_a_port(self):
        cases = {"CONNECT 52": b"OK 52\n", "CONNECT 1234": b"OK 1234\n", "CONNECT": b"OK 52\n",
                 "CONNECT many": b"OK 52\n", "CONNECT -1": b"OK 52\n"}
        with Agent(listen="unix") as agent:
            for line, answer in cases.items():
                with self.subTest(line):
                    wire = agent.connect()
                    self.assertEqual(wire.exchange(line), answer)
                    self.assertEqual(wire.exchange(ping(1)), pong(1))
                    # Only the first line can be that.
                    self.assertEqual(json.loads(wire.exchange(line))["error"]["code"], -32700)
                    self.assertIsNone(wire.line())
                    wire.close()


class Running(AgentTestCase):
    def setUp(self):
        super().setUp()
        self.agent = self.enterContext(Agent())
        self.wire = self.agent.connect()

    def exec(self, cmd):
        return self.wire.ask("exec", {"cmd": cmd})

    def test_each_language_has_its_interpreter(self):
        cases = {
            "python": ("import sys; print(sys.version_info[0])", "3\n"),
            "python3": ("print(1 + 1)", "2\n"),
            "bash": ("a=(x y); echo ${a[1]} ${BASH_VERSION:0:1}", "y 5\n"),
            "sh": ("echo $0", "sh\n"),
            "PyThOn": ("print('any case')", "any case\n"),
        }
        if self.exec("command -v node")["exit_code"] == 0:
            cases |= {name: ("console.log(typeof require)", "function\n")
                      for name in ("node", "javascript", "js", "JS")}
        for lang, (code, stdout) in cases.items():
            with self.subTest(lang):
                self.assertEqual(self.wire.ask("exec_code", {"lang": lang, "code": code}),
                                 {"exit_code": 0, "stdout": stdout, "stderr": ""})
        self.assertEqual(self.wire.ask("exec_code", {"lang": "COBOL", "code": ""})["stderr"],
                         "unsupported language: COBOL")

    def test_a_missing_interpreter_is_no_error_of_the_request(self):
        with Agent(env={"PATH": str(self.folder)}) as agent:
            answer = agent.connect().ask("exec_code", {"lang": "node", "code": "1"})
            self.assertEqual((answer["exit_code"], answer["stdout"]), (-1, ""))
            self.assertIn("node", answer["stderr"])
            self.assertIn("No such file or directory", answer["stderr"])

    def test_the_status_is_the_exit_code(self):
        self.assertEqual(self.exec("echo out; echo err >&2; exit 3"),
                         {"exit_code": 3, "stdout": "out\n", "stderr": "err\n"})
        self.assertEqual(self.exec("no-such-command")["exit_code"], 127)
        self.assertEqual(self.exec("echo before; kill -SEGV $$"),
                         {"exit_code": -1, "stdout": "before\n", "stderr": ""})

    def test_a_command_has_an_empty_input(self):
        self.assertEqual(self.exec("cat; echo end")["stdout"], "end\n")

    def test_output_beyond_a_mebibyte_is_truncated_and_marked(self):
        cases = {
            f"head -c {MIB} /dev/zero | tr '\\0' a": "a" * MIB,
            f"head -c {MIB + 1} /dev/zero | tr '\\0' a": "a" * MIB + MARKER,
            # Two bytes a character: the bound falls between two, then into one.
            f"python3 -c \"print('é' * {MIB // 2}, end='')\"": "é" * (MIB // 2),
            f"python3 -c \"print('é' * {MIB}, end='')\"": "é" * (MIB // 2) + MARKER,
            f"python3 -c \"print('x' + 'é' * {MIB}, end='')\"": "x" + "é" * (MIB // 2 - 1) + MARKER,
        }
        for cmd, expected in cases.items():
            with self.subTest(cmd):
                self.assertTrue(self.exec(cmd)["stdout"] == expected)
                self.assertTrue(self.exec(f"({cmd}) >&2")["stderr"] == expected)

    def test_what_is_no_text_is_replaced_within_the_bound(self):
        self.assertEqual(self.exec(r"printf 'a\377b\303'")["stdout"], "a\ufffdb\ufffd")
        text = self.exec(f"head -c {2 * MIB} /dev/zero | tr '\\0' '\\377'")["stdout"]
        self.assertTrue(text.endswith(MARKER))
        self.assertTrue(set(text.removesuffix(MARKER)) == {"\ufffd"})
        self.assertLessEqual(len(text.encode()), MIB + len(MARKER))

    def test_both_outputs_at_once(self):
        answer = self.exec(f"head -c {3 * MIB} /dev/zero >&2 & head -c {3 * MIB} /dev/zero; wait")
        for name in ("stdout", "stderr"):
            self.assertTrue(answer[name] == "\0" * MIB + MARKER)

    @unittest.skipIf("PATCHBAY_TEST_SANITIZED" in os.environ, "memory figures mean nothing")
    def test_memory_is_flat_while_gigabytes_are_written(self):
        self.exec(f"head -c {4 * MIB} /dev/zero; head -c {4 * MIB} /dev/zero >&2")
        before = self.agent.rss_kb("VmHWM")
        answer = self.exec("dd if=/dev/zero bs=1M count=2048 2>/dev/null")
        self.assertEqual(len(answer["stdout"]), MIB + len(MARKER))
        self.assertLess(self.agent.rss_kb("VmHWM") - before, 4096)

    def test_code_longer_than_an_argument(self):
        filler = "#" * 300_000
        for lang, code in {"python": f"x = 5\n{filler}\nprint(x, __name__)",
                           "bash": f"x=5\n{filler}\necho $x __main__",
                           "sh": f"x=5\n{filler}\necho $x __main__"}.items():
            with self.subTest(lang):
                self.assertEqual(self.wire.ask("exec_code", {"lang": lang, "code": code}),
                                 {"exit_code": 0, "stdout": "5 __main__\n", "stderr": ""})
        self.assertEqual(self.exec(f": {filler}\n echo long")["stdout"], "long\n")
        if self.exec("command -v node")["exit_code"] == 0:
            code = f"const x = 5;\n//{filler}\nconsole.log(x, typeof require)"
            self.assertEqual(self.wire.ask("exec_code", {"lang": "js", "code": code})["stdout"],
                             "5 function\n")


class Files(AgentTestCase):
    def setUp(self):
        super().setUp()
        self.wire = self.enterContext(Agent(cwd=self.folder)).connect()

    def test_a_file_is_what_was_written(self):
        path = self.folder / "new" / "folders" / "é.txt"
        for content in ("first, and longer", "second", "", "\u0000\u0001\u2028 \"\\\n\t🙂"):
            self.assertEqual(self.wire.ask("write_file", {"path": str(path), "content": content}),
                             {"success": True})
            self.assertEqual(path.read_text(encoding="utf-8"), content)
            self.assertEqual(self.wire.ask("read_file", {"path": str(path)}), {"content": content})

    def test_relative_paths_begin_where_the_agent_runs(self):
        self.wire.ask("write_file", {"path": "beside", "content": "here"})
        self.assertEqual((self.folder / "beside").read_text(encoding="ascii"), "here")

    def test_what_cannot_be_read(self):
        gone, binary, large = (str(self.folder / name) for name in ("gone", "binary", "large"))
        pathlib.Path(binary).write_bytes(b"\xff\xfe")
        with open(large, "wb") as file:
            file.truncate(10 * MIB + 1)
        os.mkfifo(self.folder / "fifo")
        cases = {
            gone: f"failed to stat '{gone}': No such file or directory",
            binary: f"failed to read '{binary}': stream did not contain valid UTF-8",
            large: f"file '{large}' is too large (10485761 bytes, max 10485760 bytes)",
            str(self.folder): f"failed to read '{self.folder}': Is a directory",
            f"{self.folder}/fifo": f"failed to read '{self.folder}/fifo': not a regular file",
            "/dev/zero": "failed to read '/dev/zero': not a regular file",
        }
        for path, message in cases.items():
            with self.subTest(path):
                self.assert_error(-32603, message, self.wire.ask, "read_file", {"path": path})
        os.truncate(large, 10 * MIB)
        self.assertEqual(len(self.wire.ask("read_file", {"path": large})["content"]), 10 * MIB)

    def test_files_without_a_size_are_read_to_their_end(self):
        self.assertIn("Linux", self.wire.ask("read_file", {"path": "/proc/version"})["content"])

    def test_what_cannot_be_written(self):
        os.mkfifo(self.folder / "fifo")
        (self.folder / "file").write_text("x", encoding="ascii")
        cases = {
            f"{self.folder}": f"failed to write '{self.folder}': Is a directory",
            f"{self.folder}/file/below":
                f"failed to create directories for '{self.folder}/file/below': Not a directory",
            f"{self.folder}/fifo": f"failed to write '{self.folder}/fifo': No such device or address",
            "/dev/null": "failed to write '/dev/null': not a regular file",
            "": "failed to write '': No such file or directory",
        }
        for path, message in cases.items():
            with self.subTest(path):
                self.assert_error(-32603, message, self.wire.ask, "write_file",
                                  {"path": path, "content": "y"})

    def test_a_listing_is_sorted_and_complete(self):
        for name in ("b", "a", "B", ".hidden", "ä", "z\n"):
            (self.folder / name).write_text(name, encoding="utf-8")
        (self.folder / "dir").mkdir()
        (self.folder / "dir" / "inside").touch()
        (self.folder / "link to dir").symlink_to("dir")
        (self.folder / "broken").symlink_to("nowhere")
        with open(os.path.join(os.fsencode(self.folder), b"\xff"), "wb"):
            pass
        entries = self.wire.ask("list_dir", {"path": str(self.folder)})["entries"]
        self.assertEqual(entries, [
            {"name": ".hidden", "is_dir": False, "size": 7},
            {"name": "B", "is_dir": False, "size": 1},
            {"name": "a", "is_dir": False, "size": 1},
            {"name": "b", "is_dir": False, "size": 1},
            {"name": "broken", "is_dir": False, "size": 0},
            {"name": "dir", "is_dir": True, "size": 0},
            {"name": "link to dir", "is_dir": False, "size": 0},
            {"name": "z\n", "is_dir": False, "size": 2},
            {"name": "ä", "is_dir": False, "size": 2},
            {"name": "\ufffd", "is_dir": False, "size": 0},
        ])
        gone = f"{self.folder}/gone"
        self.assert_error(-32603, f"failed to read directory '{gone}': No such file or directory",
                          self.wire.ask, "list_dir", {"path": gone})
        file = f"{self.folder}/a"
        self.assert_error(-32603, f"failed to read directory '{file}': Not a directory",
                          self.wire.ask, "list_dir", {"path": file})


class CommandLines(AgentTestCase):
    def test_invalid_options_explain_the_valid_ones(self):
        for program in PROGRAMS.values():
            for arguments in (["--listen", "ftp:x"], ["--listen", "tcp:host"], ["--listen", "vsock:x"],
                          ["--listen", "unix:" + "x" * 200], ["--max-line", "many"], ["--nonsense"],
                          ["--root", "/no/such/folder"], ["--file-threads", "1000"],
                          ["--max-seconds", "1000000000000"]):
                with self.subTest(f"{program} {arguments}"):
                    done = subprocess.run([*program, *arguments], capture_output=True, text=True,
                                          stdin=subprocess.DEVNULL, timeout=TIMEOUT, check=False)
                    self.assertEqual((done.returncode, done.stdout), (2, ""))
                    self.assertNotEqual(done.stderr, "")

    def test_both_programs_have_the_same_options(self):
        ours = run("agent", "--help").stdout
        theirs = subprocess.run([STATIC, "--help"], capture_output=True, text=True, check=True).stdout
        options = {word.strip(",") for word in theirs.split() if word.startswith("--")}
        self.assertGreater(len(options), 12)
        for option in options - {"--version"}:
            self.assertIn(option, ours)

    def test_the_static_program_needs_no_library(self):
        headers = subprocess.run(["readelf", "-l", STATIC], capture_output=True, text=True, check=False)
        if headers.returncode != 0 or "PATCHBAY_TEST_SANITIZED" in os.environ:
            self.skipTest("left out: readelf is not there, or a sanitizer is")
        self.assertNotIn("INTERP", headers.stdout)
        self.assertLess(os.path.getsize(STATIC), 3 * MIB)

    def test_a_socket_is_for_its_owner_and_one_that_was_left_is_replaced(self):
        with Agent(listen="unix") as agent:
            self.assertEqual(os.stat(agent.path).st_mode & 0o777, 0o600)
            done = run("agent", "--listen", f"unix:{agent.path}")
            self.assertEqual(done.returncode, 2)
            self.assertIn("Address already in use", done.stderr)
            agent.process.kill()
            agent.process.wait()
            self.assertTrue(os.path.exists(agent.path))
            again = subprocess.Popen([BINARY, "agent", "--listen", f"unix:{agent.path}"],
                                     stderr=subprocess.PIPE)
            self.assertIn(b"listening on", again.stderr.readline())
            again.terminate()
            self.assertEqual(again.wait(TIMEOUT), 0)
            again.stderr.close()
            self.assertFalse(os.path.exists(agent.path))
            agent.process.returncode = 0


if __name__ == "__main__":
    main()
