"""Egress from a sandbox without network: a proxy of the gateway that connects to the listed
destinations, refuses others, is limited, and ends with its sandbox."""

import contextlib
import http.server
import json
import os
import pathlib
import socket
import sys
import threading

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import Gateway, McpSession, main, run, text_of, wait_until
from sandbox_case import SandboxCase, cgroups_of, our_descendants
from sandbox_tool_case import ToolCase
from test_sandbox_servers import EXPLORER

# What programs inside begin with: a connection through the proxy, by hand.
PRELUDE = """
import os, socket, sys, time, urllib.request, urllib.error
def ask(target, first="CONNECT {} HTTP/1.1\\r\\nHost: {}\\r\\n\\r\\n"):
    way = socket.create_connection(("127.0.0.1", 3128))
    way.sendall(first.format(target, target).encode())
    return way
def answer(way):
    text = b""
    while b"\\r\\n\\r\\n" not in text:
        piece = way.recv(4096)
        if not piece: break
        text += piece
    return text
def all_of(way):
    text = b""
    while piece := way.recv(65536): text += piece
    return text
"""


class Echo(http.server.BaseHTTPRequestHandler):
    """Answers with the received bytes."""

    def do_GET(self):
        size = int(self.headers.get("Content-Length", 0))
        body = json.dumps(
            {
                "path": self.path,
                "headers": dict(self.headers.items()),
                "body": self.rfile.read(size).decode(),
            }
        ).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, *_):
        pass


class Silent:
    """Accepts, and never sends anything; counts connections."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self.listener.getsockname()[1]
        self.open, self.changed = set(), threading.Condition()
        self.threads = [threading.Thread(target=self.accept, daemon=True)]
        self.threads[0].start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                peer, _ = self.listener.accept()
                with self.changed:
                    self.open.add(peer)
                threading.Thread(target=self.hold, args=(peer,), daemon=True).start()

    def hold(self, peer):
        with contextlib.suppress(OSError):
            while peer.recv(65536):
                pass
        with self.changed:
            self.open.discard(peer)
        peer.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        with self.changed:
            for peer in self.open:
                with contextlib.suppress(OSError):
                    peer.shutdown(socket.SHUT_RDWR)


class EgressCase(ToolCase):
    def serve(self):
        """The port of an HTTP server."""
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo)
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server.server_port

    def python(self, code, box=None, **more):
        """What a program in a sandbox prints."""
        if box:
            more["sandbox_id"] = box
        ran = self.use("execute_code", language="python", code=PRELUDE + code, **more)
        self.assertEqual((ran["exit_code"], ran["stderr"]), (0, ""), ran)
        return ran["stdout"]

    def visits(self):
        """The log lines about connections."""
        lines = [json.loads(line) for line in self.gateway.stderr.lines if '"sandbox egress"' in line]
        return [{key: str(value) for key, value in line.items()} for line in lines]

    def visit_to(self, destination):
        found = lambda: [one for one in self.visits() if one.get("destination") == destination]
        wait_until(found, f"the line about {destination}")
        return found()[-1]


class Egress(EgressCase):
    def test_what_is_listed_is_reached(self):
        port = self.serve()
        self.start(egress=[f"127.0.0.1:{port}"])
        box = self.make()
        # As any program does it: the environment names the proxy.
        notified = json.loads(
            self.python(
                f"request = urllib.request.Request('http://127.0.0.1:{port}/a?b', b'body')\n"
                "request.add_header('X-Own', 'kept')\n"
                "request.add_header('Proxy-Authorization', 'secret')\n"
                "print(urllib.request.urlopen(request).read().decode())",
                box,
            )
        )
        self.assertEqual((notified["path"], notified["body"]), ("/a?b", "body"))
        self.assertEqual(notified["headers"]["Host"], f"127.0.0.1:{port}")
        self.assertEqual(notified["headers"]["X-Own"], "kept")
        self.assertNotIn("Proxy-Authorization", notified["headers"])
        # And through a tunnel.
        reply = self.python(
            f"way = ask('127.0.0.1:{port}')\n"
            "print(answer(way).decode().splitlines()[0])\n"
            "way.sendall(b'GET /tunnel HTTP/1.0\\r\\n\\r\\n')\n"
            "print(all_of(way).decode())",
            box,
        )
        self.assertTrue(reply.startswith("HTTP/1.1 200 "), reply)
        self.assertIn('"path": "/tunnel"', reply)
        line = self.visit_to(f"127.0.0.1:{port}")
        self.assertEqual((line["upstream"], line["sandbox"], line["allowed"]), ("box", box, "yes"))
        wait_until(lambda: len(self.visits()) == 2, "both lines")
        self.assertTrue(all(int(one["received"]) > 0 for one in self.visits()), self.visits())
        self.assertEqual(int(self.visits()[1]["sent"]), len("GET /tunnel HTTP/1.0\r\n\r\n"))

    def test_what_is_not_listed_is_refused(self):
        port, other = self.serve(), self.serve()
        self.start(egress=[f"127.0.0.1:{port}", f"localhost:{other}", "*.example.invalid"])
        box = self.make()

        def refused(destination):
            reply = self.python(f"way = ask('{destination}')\nprint(all_of(way).decode())", box)
            self.assertTrue(reply.startswith("HTTP/1.1 403 Forbidden\r\n"), reply)
            self.assertEqual(self.visit_to(destination.lower())["allowed"], "no")
            return reply

        reply = refused(f"127.0.0.1:{other}")
        self.assertIn(f'127.0.0.1:{other} is not among the destinations of this sandbox', reply)
        self.assertIn(f"can add \"127.0.0.1:{other}\" to `egress` of 'box'", reply)
        # A name that is listed leads to no address that is not.
        reply = refused(f"localhost:{other}")
        self.assertIn(f"localhost:{other} is at 127.0.0.1:{other}, which is not on the Internet", reply)
        for destination in (
            f"localhost:{port}",
            "169.254.169.254:80",
            f"[::1]:{port}",
            "example.invalid:443",
            "a.example.invalid:8443",
            "a.example.invalid.evil.test:443",
            f"2130706433:{port}",
        ):
            refused(destination)
        # The same for a request without a tunnel.
        reply = self.python(
            f"try: urllib.request.urlopen('http://127.0.0.1:{other}/')\n"
            "except urllib.error.HTTPError as error: print(error.code, error.read().decode())",
            box,
        )
        self.assertIn(f"403 127.0.0.1:{other} is not among", reply)
        # Listed, but not there: that is no refusal.
        reply = self.python("print(all_of(ask('no.example.invalid:443')).decode())", box)
        self.assertTrue(reply.startswith("HTTP/1.1 502 "), reply)
        self.assertEqual(self.visit_to("no.example.invalid:443")["allowed"], "yes")

    def test_another_form_of_a_listed_address(self):
        port = self.serve()
        self.start(egress=[f"127.0.0.1:{port}", f"LOCALHOST:{port}"])
        reply = self.python(
            f"for one in '[::ffff:127.0.0.1]:{port}', 'LocalHost.:{port}':\n"
            "  print(answer(ask(one)).decode().split('\\r\\n')[0])"
        )
        # The name is listed, and so is the address that it is at.
        self.assertEqual(reply.splitlines(), ["HTTP/1.1 200 Connection established"] * 2)

    def test_what_is_no_request_for_a_proxy(self):
        self.start(egress=["example.invalid"])
        box = self.make()
        for request, status in (
            ("GET / HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n", 405),
            ("GET https://example.invalid/ HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n", 400),
            ("GET http://u:p@example.invalid/ HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n", 400),
            ("GET http://example.invalid/ HTTP/1.1\\r\\nHost: x\\r\\nHost: y\\r\\n\\r\\n", 400),
            ("GET http://example.invalid/ HTTP/1.1\\r\\nA: x\\ny\\r\\n\\r\\n", 400),
            ("CONNECT example.invalid HTTP/1.1\\r\\n\\r\\n", 400),
            ("CONNECT example.invalid:0 HTTP/1.1\\r\\n\\r\\n", 400),
            ("CONNECT u@example.invalid:443 HTTP/1.1\\r\\n\\r\\n", 400),
            ("CONNECT example.invalid:443 HTTP/2.0\\r\\n\\r\\n", 505),
            ("nothing\\r\\n\\r\\n", 400),
            ("X" * 20000, 431),
        ):
            with self.subTest(request[:60]):
                reply = self.python(f"print(all_of(ask('', '{request}')).decode())", box)
                self.assertTrue(reply.startswith(f"HTTP/1.1 {status} "), reply)

    def test_there_is_no_other_route(self):
        port = self.serve()
        self.start(egress=[f"127.0.0.1:{port}"])
        box = self.make()
        reply = self.python(
            f"for place in ('127.0.0.1', {port}), ('192.0.2.1', 80):\n"
            "  try: socket.create_connection(place, 5)\n"
            "  except OSError as error: print(error.strerror)\n"
            "print(sorted(os.listdir('/sys/class/net')) if os.path.exists('/sys/class/net') else [])\n"
            "for line in open('/proc/net/dev').readlines()[2:]: print(line.split()[0])",
            box,
        )
        self.assertEqual(
            reply.splitlines(), ["Connection refused", "Network is unreachable", "[]", "lo:"]
        )

    def test_the_socket_stands_alone(self):
        self.start(egress=["example.invalid"])
        box = self.make()
        # It can be connected to, and nothing else can be done with it; there is nothing beside it.
        reply = self.python(
            "print(sorted(os.listdir('/run')))\n"
            "for attempt in (lambda: os.unlink('/run/patchbay-egress'),\n"
            "    lambda: os.rename('/run/patchbay-egress', '/run/x'),\n"
            "    lambda: os.chmod('/run/patchbay-egress', 0o777),\n"
            "    lambda: os.listdir('/sys'), lambda: open('/run/patchbay-egress'),\n"
            "    lambda: socket.socket(socket.AF_UNIX).bind('/run/other')):\n"
            "  try: print(attempt())\n"
            "  except OSError as error: print(type(error).__name__, error.strerror)\n"
            "way = socket.socket(socket.AF_UNIX); way.connect('/run/patchbay-egress')\n"
            "way.sendall(b'CONNECT 127.0.0.1:1 HTTP/1.1\\r\\n\\r\\n'); print(all_of(way).decode())",
            box,
        ).splitlines()
        self.assertEqual(reply[0], "['patchbay-agent', 'patchbay-egress', 'patchbay-init']")
        for line in reply[1:7]:
            self.assertRegex(line, "Error .*(Read-only|not permitted|No such|denied)")
        self.assertIn("403 Forbidden", reply[7])

    def test_without_egress_there_is_nothing_new(self):
        self.start()
        reply = self.python(
            "print(sorted(os.listdir('/run')))\n"
            "print([name for name in os.environ if 'proxy' in name.lower()])\n"
            "try: socket.create_connection(('127.0.0.1', 3128))\n"
            "except OSError as error: print(error.strerror)\n"
            "print(len(open('/proc/net/tcp').readlines()) - 1)\n"
            "print(sorted(int(pid) for pid in os.listdir('/proc') if pid.isdigit())[0])\n"
            "print([open(f'/proc/{pid}/comm').read() for pid in os.listdir('/proc')\n"
            "       if pid.isdigit() and 'relay' in open(f'/proc/{pid}/comm').read()])"
        )
        self.assertEqual(
            reply.splitlines(), ["['patchbay-agent']", "[]", "Connection refused", "0", "1", "[]"]
        )


class Bounds(EgressCase):
    def test_so_many_at_once_and_no_more(self):
        most = 24
        with Silent() as silent:
            self.start(
                egress=[f"127.0.0.1:{silent.port}"],
                egress_limits={"max_connections": most},
                pool={"size": 0},
            )
            reply = self.python(
                f"ways = [ask('127.0.0.1:{silent.port}') for _ in range({most})]\n"
                "print({answer(way).split()[1] for way in ways})\n"
                f"print(all_of(ask('127.0.0.1:{silent.port}')).decode().splitlines()[0])\n"
                "ways.pop().close()\n"
                "while True:\n"
                f"  way = ask('127.0.0.1:{silent.port}')\n"
                "  if answer(way).startswith(b'HTTP/1.1 200'): break\n"
                "print('again')",
            )
            self.assertEqual(
                reply.splitlines(), ["{b'200'}", "HTTP/1.1 503 Service Unavailable", "again"]
            )
            wait_until(lambda: not silent.open, "its connections to be closed")

    def test_a_server_that_never_answers(self):
        with Silent() as silent:
            self.start(
                egress=[f"127.0.0.1:{silent.port}"], egress_limits={"idle_timeout": "300ms"}
            )
            reply = self.python(
                f"way = ask('127.0.0.1:{silent.port}')\n"
                "print(answer(way)[:12]); way.sendall(b'hello'); print(all_of(way))"
            )
            self.assertEqual(reply.splitlines(), ["b'HTTP/1.1 200'", "b''"])
            line = self.visit_to(f"127.0.0.1:{silent.port}")
            self.assertEqual((line["sent"], line["received"]), ("5", "0"))
            wait_until(lambda: not silent.open, "its connection to be closed")

    def test_one_side_that_has_ended(self):
        # The kernel accepts the connection; it is never closed.
        listener = self.enterContext(socket.create_server(("127.0.0.1", 0)))
        port = listener.getsockname()[1]
        self.start(egress=[f"127.0.0.1:{port}"], egress_limits={"half_open_timeout": "300ms"})
        reply = self.python(
            f"way = ask('127.0.0.1:{port}')\n"
            "print(answer(way)[:12]); way.shutdown(socket.SHUT_WR); print(all_of(way))"
        )
        self.assertEqual(reply.splitlines(), ["b'HTTP/1.1 200'", "b''"])
        line = self.visit_to(f"127.0.0.1:{port}")
        self.assertEqual(line["ended"], "the other side did not end")

    def test_one_side_after_the_other(self):
        with Silent() as silent:
            self.start(egress=[f"127.0.0.1:{silent.port}"])
            reply = self.python(
                f"way = ask('127.0.0.1:{silent.port}')\n"
                "print(answer(way)[:12]); way.shutdown(socket.SHUT_WR); print(all_of(way))"
            )
            self.assertEqual(reply.splitlines(), ["b'HTTP/1.1 200'", "b''"])
            self.assertEqual(self.visit_to(f"127.0.0.1:{silent.port}").get("ended", ""), "")

    def test_one_that_asks_for_nothing(self):
        self.start(egress=["example.invalid"], egress_limits={"connect_timeout": "200ms"})
        reply = self.python("print(all_of(ask('', 'CONN')).decode().splitlines()[0])")
        self.assertEqual(reply.strip(), "HTTP/1.1 408 Request Timeout")

    def test_large_transfers_in_both_directions(self):
        size = 8 << 20
        listener = self.enterContext(socket.create_server(("127.0.0.1", 0)))
        port = listener.getsockname()[1]

        def mirror():
            peer, _ = listener.accept()
            with peer:
                while piece := peer.recv(65536):
                    peer.sendall(piece)

        thread = threading.Thread(target=mirror)
        thread.start()
        self.addCleanup(thread.join)
        self.start(egress=[f"127.0.0.1:{port}"])
        reply = self.python(
            "import hashlib, threading\n"
            f"way = ask('127.0.0.1:{port}'); answer(way)\n"
            f"data = os.urandom({size})\n"
            "def send(): way.sendall(data); way.shutdown(socket.SHUT_WR)\n"
            "sender = threading.Thread(target=send); sender.start()\n"
            "print(all_of(way) == data)"
        )
        self.assertEqual(reply, "True\n")
        line = self.visit_to(f"127.0.0.1:{port}")
        self.assertEqual((line["sent"], line["received"]), (str(size), str(size)))


class Endings(EgressCase):
    def hold(self, box, silent):
        """Leaves a program in the sandbox that holds connections open."""
        code = PRELUDE + (
            f"ways = [ask('127.0.0.1:{silent.port}') for _ in range(4)]\n"
            "for way in ways: answer(way)\n"
            "open('ready', 'w').close()\n"
            "time.sleep(1000)\n"
        )
        self.use("write_file", sandbox_id=box, path="hold.py", content=code)
        self.shell(
            box,
            "setsid python3 hold.py > /dev/null 2>&1 < /dev/null &\n"
            "until test -e ready; do sleep 0.02; done",
        )
        wait_until(lambda: len(silent.open) == 4, "the connections")

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.gateway.pid}/fd"))

    def test_the_sandbox_is_destroyed_meanwhile(self):
        with Silent() as silent:
            self.start(egress=[f"127.0.0.1:{silent.port}"], pool={"size": 0})
            self.use("run_command", command="true")
            wait_until(lambda: not cgroups_of(self.gateway.pid), "the first to be gone")
            before = self.descriptors()
            box = self.make()
            self.hold(box, silent)
            self.use("destroy_sandbox", sandbox_id=box)
            wait_until(lambda: not silent.open, "the connections to be closed")
            wait_until(lambda: len(self.visits()) == 4, "the lines about them")
            wait_until(lambda: self.descriptors() <= before, "the descriptors to be closed")
            self.assert_nothing_left()

    def test_the_agent_is_killed_meanwhile(self):
        with Silent() as silent:
            self.start(egress=[f"127.0.0.1:{silent.port}"], pool={"size": 0})
            box = self.make()
            self.hold(box, silent)
            for pid in our_descendants():
                with contextlib.suppress(OSError):
                    command_line = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
                    if command_line.startswith(b"/run/patchbay-agent\0"):
                        os.kill(pid, 9)
            wait_until(lambda: not silent.open, "the connections to be closed")

    def test_the_gateway_stops_or_is_killed_meanwhile(self):
        for kill in (False, True):
            with self.subTest(kill=kill), Silent() as silent:
                self.start(egress=[f"127.0.0.1:{silent.port}"], pool={"size": 0})
                self.hold(self.make(), silent)
                if kill:
                    self.gateway.kill()
                else:
                    self.assertEqual(self.gateway.stop(), 0)
                wait_until(lambda: not silent.open, "the connections to be closed")
                self.assert_nothing_left()


class Others(SandboxCase):
    def serve(self):
        return EgressCase.serve(self)

    def test_a_server_in_a_sandbox(self):
        port = self.serve()
        server = self.folder / "explorer.py"
        server.write_text(EXPLORER, encoding="utf-8")
        upstream = {
            "kind": "stdio",
            "command": "/usr/bin/python3",
            "args": [str(server)],
            "sandbox": {"read": [str(server)], "egress": [f"127.0.0.1:{port}"]},
        }
        with Gateway({"upstreams": {"it": upstream}}) as gateway, McpSession(gateway) as session:
            fetch = "import urllib.request as u; print(u.urlopen('http://127.0.0.1:%d/x').read())"
            notified = text_of(session.call("it__sh", line=f'python3 -c "{fetch % port}"'))
            self.assertIn('"path": "/x"', notified)
            notified = text_of(session.call("it__sh", line=f'python3 -c "{fetch % 1}"'))
            self.assertIn("403", notified)
            wait_until(lambda: "sandbox egress" in gateway.stderr.text(), "a line in the log")
        wait_until(lambda: not cgroups_of(gateway.pid), "its cgroup to be gone")

    def test_one_program_and_an_ordinary_user(self):
        port = self.serve()
        fetch = f"import urllib.request as u; print(u.urlopen('http://127.0.0.1:{port}/').status)"
        bounds = "limits: { not_required: [memory, swap, pids, cpu, io] }"
        for user in (None, 61500) if os.geteuid() == 0 else (None,):
            done = self.sandbox(
                "python3", "-c", fetch, settings=f'egress: ["127.0.0.1:{port}"]\n{bounds}', user=user
            )
            self.assertEqual((done.stdout, done.returncode), ("200\n", 0), done.stderr)

    def test_what_is_wrong_is_a_fault_of_the_file(self):
        path = self.folder / "patchbay.yaml"
        for settings, reply in (
            ('egress: ["http://example.com/"]', "without a scheme or a path"),
            ('egress: ["example.com:99999"]', "not a number from 1 to 65535"),
            ('egress: ["*"]', "is no destination"),
            ('egress: ["*.10.0.0.1"]', "no names below an address"),
            ('egress: ["a.example"], network: host', "leave out one of them"),
            ('egress: ["a.example"], engine: none', "is for `engine: bubblewrap`"),
            ("egress_limits: { connections: 0 }", "connections"),
        ):
            with self.subTest(settings):
                path.write_text("upstreams: { box: { kind: sandbox, %s } }" % settings)
                done = run("check", str(path))
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertIn(reply, done.stderr)
                self.assertIn("egress", done.stderr)


if __name__ == "__main__":
    main()
