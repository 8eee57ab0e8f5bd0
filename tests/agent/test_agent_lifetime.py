"""Many requests at once, cancellation, and what remains when commands, peers and agents end."""

import os
import random
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(1, sys.path[0] + "/../lib")

from agent_case import Agent, AgentTestCase, pid_from
from harness import BINARY, SCALE, TIMEOUT, alive, main, wait_until


def until(path):
    """A command that ends once the file is there."""
    return f"until [ -e {path} ]; do sleep 0.01; done"


class ManyAtOnce(AgentTestCase):
    def test_side_by_side_on_one_connection(self):
        with Agent(listen="unix") as agent:
            wire, go = agent.connect(), self.folder / "go"
            self.assertTrue(wire.ask("capabilities", {"concurrent": True})["concurrent"])
            waiting = [wire.begin("exec", {"cmd": until(go)}) for _ in range(5)]
            self.assertEqual(wire.ask("ping"), {"pong": True})
            self.assertEqual(wire.ask("exec", {"cmd": "echo quick"})["stdout"], "quick\n")
            wait_until(lambda: len(agent.children()) == 5, "five commands")
            go.touch()
            for number in waiting:
                self.assertEqual(wire.result(number)["exit_code"], 0)

    def test_many_connections(self):
        with Agent(listen="unix") as agent:
            go = self.folder / "go"
            wires = [agent.connect() for _ in range(20)]
            numbers = [wire.begin("exec", {"cmd": until(go)}) for wire in wires]
            other = agent.connect()
            self.assertEqual(other.ask("ping"), {"pong": True})
            wait_until(lambda: len(agent.children()) == 20, "twenty commands")
            go.touch()
            for wire, number in zip(wires, numbers):
                self.assertEqual(wire.result(number)["exit_code"], 0)

    def test_bounds(self):
        with Agent("--max-requests", "3", "--max-connections", "2", "--max-commands", "4",
                   listen="unix") as agent:
            wire, second = agent.connect(), agent.connect()
            wire.ask("capabilities", {"concurrent": True})
            second.ask("capabilities", {"concurrent": True})
            running = [wire.begin("exec", {"cmd": "sleep 1000"}) for _ in range(3)]
            self.assert_error(-32003, "3 requests are being answered already", wire.ask, "ping")
            running.append(second.begin("exec", {"cmd": "sleep 1000"}))
            wait_until(lambda: len(agent.children()) == 4, "four commands")
            self.assert_error(-32003, "4 commands are running already", second.ask, "exec",
                              {"cmd": "true"})
            self.assertIsNone(agent.connect().line())  # Closed at once.
            # There is always room for a request to end another.
            self.assertEqual(wire.ask("cancel", {"id": running[0]}), {"cancelled": True})

    def test_a_storm_leaves_nothing_behind(self):
        with Agent(listen="unix") as agent:
            descriptors = lambda: len(os.listdir(f"/proc/{agent.pid}/fd"))
            agent.connect().ask("list_dir", {"path": "/"})  # The threads for files have begun.
            before = descriptors()
            chance = random.Random(5)
            for _ in range(max(1, int(10 * SCALE))):
                wires = [agent.connect() for _ in range(5)]
                for wire in wires:
                    wire.ask("capabilities", {"concurrent": True})
                    for number in range(100, 120):
                        method, params = chance.choice([
                            ("exec", {"cmd": "echo quick"}),
                            ("exec", {"cmd": "sleep 1000"}),
                            ("exec", {"cmd": "sleep 1000", "timeout": 0.01}),
                            ("exec", {"cmd": "head -c 100000 /dev/zero", "stream": True}),
                            ("exec", {"cmd": "cat > /dev/null", "stdin": "x" * 200_000}),
                            ("start", {"cmd": "sleep 1000", "bound": True, "interactive": True}),
                            ("read_file", {"path": "/proc/cpuinfo"}),
                            ("cancel", {"id": chance.randrange(100, 120)}),
                        ])
                        wire.begin(method, params, number)
                for wire in wires:
                    wire.close()
            wait_until(lambda: not agent.children(), "all processes to end")
            wait_until(lambda: descriptors() <= before, "all descriptors to be closed")

    def test_a_stalled_reader_stalls_its_program_and_not_the_agent(self):
        with Agent("--max-outbox", "65536", listen="unix") as agent:
            sock, path = agent.socket(), self.folder / "progress"
            sock.sendall(b'{"jsonrpc":"2.0","id":1,"method":"exec","params":{"stream":true,"cmd":'
                         b'"i=0; while [ $i -lt 400 ]; do head -c 65536 /dev/zero; i=$((i+1)); '
                         + f'echo $i > {path}; done"}}}}\n'.encode())
            progress = lambda: int(path.read_text(encoding="ascii") or 0) if path.exists() else 0
            wait_until(lambda: progress() > 0, "the program to begin")

            def stands_still():
                before = progress()
                time.sleep(0.3)
                return progress() == before

            wait_until(stands_still, "the program to wait")
            self.assertLess(progress(), 400)
            self.assertEqual(agent.connect().ask("ping"), {"pong": True})
            if "PATCHBAY_TEST_SANITIZED" not in os.environ:
                self.assertLess(agent.rss_kb(), 40_000)
            sock.close()
            wait_until(lambda: not agent.children(), "the program to be killed")


class Endings(AgentTestCase):
    def test_a_cancelled_command_ends_with_its_group(self):
        with Agent() as agent:
            wire, path = agent.connect(), self.folder / "pid"
            number = wire.begin("exec", {"cmd": f"sleep 1000 & echo $! > {path}; wait"})
            queued = wire.begin("exec", {"cmd": "echo never"})
            inner = pid_from(path)
            self.assertEqual(wire.ask("cancel", {"id": queued}), {"cancelled": True})
            self.assert_error(-32000, "cancelled", wire.result, queued)
            self.assertEqual(wire.ask("cancel", {"id": number}), {"cancelled": True})
            self.assert_error(-32000, "cancelled", wire.result, number)
            self.assert_gone(inner)
            self.assertEqual(wire.ask("cancel", {"id": number}), {"cancelled": False})
            wait_until(lambda: not agent.children(), "all to be reaped")

    def test_what_a_command_leaves_running_is_killed_with_it(self):
        with Agent() as agent:
            path = self.folder / "pid"
            # It holds the outputs, and is not waited for.
            answer = agent.connect().ask("exec", {"cmd": f"sleep 1000 & echo $! > {path}; echo out"})
            self.assertEqual((answer["exit_code"], answer["stdout"]), (0, "out\n"))
            self.assert_gone(pid_from(path))

    def test_a_process_that_leaves_the_group_is_not_waited_for_and_ends_with_the_agent(self):
        with Agent() as agent:
            path = self.folder / "pid"
            cmd = f"setsid sh -c 'echo $$ > {path}.new; mv {path}.new {path}; exec sleep 1000' & " \
                  f"until [ -e {path} ]; do sleep 0.01; done; echo out"
            self.assertEqual(agent.connect().ask("exec", {"cmd": cmd})["stdout"], "out\n")
            pid = pid_from(path)
            self.assertTrue(alive(pid))
        self.assertFalse(alive(pid))

    def test_no_zombies(self):
        with Agent() as agent:
            wire = agent.connect()
            for _ in range(30):
                wire.ask("exec", {"cmd": "setsid sh -c 'sleep 0.01' & (true &) ; true"})
            wait_until(lambda: not agent.children(), "all to be reaped")

    def test_a_peer_that_goes_takes_its_commands_along(self):
        with Agent(listen="unix") as agent:
            path, wire = self.folder / "pid", agent.connect()
            wire.begin("exec", {"cmd": f"sleep 1000 & echo $! > {path}; wait"})
            inner = pid_from(path)
            wire.close()
            self.assert_gone(inner)

    def test_a_peer_that_half_closes_is_still_answered(self):
        for listen in ("unix", "tcp"):
            with self.subTest(listen), Agent(listen=listen) as agent:
                wire = agent.connect()
                wire.send(b'{"jsonrpc":"2.0","id":1,"method":"exec","params":["sleep 0.2; echo late"]}\n')
                wire.socket.shutdown(socket.SHUT_WR)
                self.assertIn(b"late", wire.line())
                self.assertIsNone(wire.line())

    def test_over_tcp_what_was_asked_has_a_time_to_end(self):
        with Agent("--linger-seconds", "0", listen="tcp") as agent:
            path = self.folder / "pid"
            wire = agent.connect()
            wire.begin("exec", {"cmd": f"echo $$ > {path}; exec sleep 1000"})
            pid = pid_from(path)
            wire.close()
            self.assert_gone(pid)

    def test_the_end_of_the_reader_of_a_pipe_is_noticed(self):
        path = self.folder / "pid"
        process = subprocess.Popen([BINARY, "agent"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"exec","params":["echo $$ > %s; exec sleep 1000"]}\n'
                            % os.fsencode(path))
        process.stdin.flush()
        pid = pid_from(path)
        process.stdout.close()
        self.assert_gone(pid)
        self.assertEqual(process.wait(TIMEOUT), 0)
        process.stdin.close()

    def test_nothing_outlives_the_agent(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
            agent = Agent(listen="unix")
            wire = agent.connect()
            paths = [self.folder / f"{number}-{i}" for i in range(2)]
            wire.ask("start", {"cmd": f"echo $$ > {paths[0]}; exec sleep 1000"})
            wire.begin("exec", {"cmd": f"echo $$ > {paths[1]}; exec sleep 1000"})
            pids = [pid_from(path) for path in paths]
            agent.process.send_signal(number)
            self.assertEqual(agent.process.wait(TIMEOUT), -9 if number == signal.SIGKILL else 0)
            for pid in pids:
                self.assert_gone(pid)
            agent.process.returncode = 0
            agent.__exit__(None, None, None)

    def test_requests_from_a_file(self):
        path = self.folder / "requests"
        path.write_text('{"jsonrpc":"2.0","id":1,"method":"exec","params":["echo from a file"]}\n',
                        encoding="ascii")
        with open(path, "rb") as requests, open(self.folder / "answers", "wb") as answers:
            done = subprocess.run([BINARY, "agent"], stdin=requests, stdout=answers, timeout=TIMEOUT,
                                  check=False)
        self.assertEqual(done.returncode, 0)
        self.assertIn("from a file", (self.folder / "answers").read_text(encoding="ascii"))


if __name__ == "__main__":
    main()
