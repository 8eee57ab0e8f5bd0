"""Shutdown while the gateway connects: every kind of upstream, with a server that never answers."""

import os
import socket
import sys
import threading
import unittest

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    BINARY,
    TIMEOUT,
    Gateway,
    StdioFrontend,
    TestCase,
    main,
    to_yaml,
    wait_until,
)

LONG = "10m"
HTTP = {"start_timeout": LONG, "connect_timeout": LONG}


class Silence:
    """Accepts connections, reads, and never answers, or sends only `first`."""

    def __init__(self, first=b""):
        self.first = first
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.connections = []
        self.received = threading.Event()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.connections.append(connection)
            threading.Thread(target=self._read, args=(connection,), daemon=True).start()

    def _read(self, connection):
        try:
            if connection.recv(65536):
                if self.first:
                    connection.sendall(self.first)
                self.received.set()
                while connection.recv(65536):
                    pass
        except OSError:
            pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()
        for connection in self.connections:
            connection.close()


EVENTS = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
SLEEPER = {"command": sys.executable, "args": ["-S", "-c", "import sys; sys.stdin.read()"]}
CLIENT = {"kind": "client_credentials", "client_id": "x", "client_secret": "y"}


def upstreams(port):
    """Upstreams of all kinds that connect to something, by what is tried."""
    at = f"127.0.0.1:{port}"
    token = {"auth": {**CLIENT, "token_url": f"http://{at}/token"}}
    return {
        "http": {"kind": "http", "url": f"http://{at}/mcp", **HTTP},
        "sse": {"kind": "sse", "url": f"http://{at}/sse", **HTTP},
        "custom": {"kind": "custom-http-sse", "url": f"http://{at}/", **HTTP},
        "tls": {"kind": "http", "url": f"https://{at}/mcp", **HTTP},
        "socket": {"kind": "tcp", "address": at, **HTTP},
        "wire": {"kind": "wire-tcp", "url": f"tcp://{at}", **HTTP},
        "wires": {"kind": "wire-tcp", "url": f"tcps://{at}", **HTTP},
        "ws": {"kind": "ws", "url": f"ws://{at}/ws", **HTTP},
        "openapi": {"kind": "openapi", "document": f"http://{at}/api.json", "fetch_timeout": "60s"},
        "kafka": {"kind": "kafka", "kafka": {"bootstrap.servers": at}},
        "token": {"kind": "http", "url": f"http://{at}/mcp", **token, **HTTP},
    }


class Connecting(TestCase):
    def test_a_stop_reaches_every_kind_of_upstream(self):
        for name in upstreams(0):
            with self.subTest(name), Silence() as silence:
                self.stop_while_connecting(silence, upstreams(silence.port)[name])

    def test_a_stream_that_never_names_its_endpoint(self):
        with Silence(EVENTS) as silence:
            self.stop_while_connecting(silence, upstreams(silence.port)["sse"])

    def stop_while_connecting(self, silence, upstream):
        config = {"upstreams": {"slow": upstream}, "limits": {"start_timeout": "0"}, "workers": 1}
        with Gateway(config) as gateway:
            self.assertTrue(silence.received.wait(TIMEOUT), "the gateway did not connect")
            self.assertEqual(gateway.stop(), 0)

    def test_a_program_that_never_answers(self):
        upstream = {"kind": "stdio", "start_timeout": LONG, **SLEEPER}
        config = {"upstreams": {"slow": upstream}, "limits": {"start_timeout": "0"}}
        with Gateway(config) as gateway:
            wait_until(gateway.children, "the program to run")
            self.assertEqual(gateway.stop(), 0)


# Has a name server that never answers, in a mount namespace of its own.
UNRESPONSIVE_NAMES = 'mount --bind "$1" /etc/resolv.conf && shift && exec "$@"'


@unittest.skipIf(os.geteuid() != 0, "only root can be a name server and mount")
class Names(TestCase):
    def test_a_name_server_that_never_answers(self):
        config = {"slow": {"kind": "http", "url": "http://nobody.example/mcp", **HTTP}}
        gateway = Gateway({"upstreams": config, "limits": {"start_timeout": "0"}, "workers": 1})
        path = f"{gateway.folder.name}/resolv.conf"
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
            server.bind(("127.0.0.77", 53))
            server.settimeout(TIMEOUT)
            with open(path, "w", encoding="utf-8") as file:
                file.write("nameserver 127.0.0.77\noptions timeout:30 attempts:5\n")
            around = ["unshare", "--mount", "--propagation", "private"]
            gateway.command = [*around, "sh", "-c", UNRESPONSIVE_NAMES, "sh", path, *gateway.command]
            with gateway:
                server.recv(4096)
                self.assertEqual(gateway.stop(), 0)


class Stdin(TestCase):
    def test_a_conversation_ends_with_its_input(self):
        with Silence(EVENTS) as silence:
            folder = self.enterContext(Gateway({})).folder.name
            path = f"{folder}/slow.yaml"
            with open(path, "w", encoding="utf-8") as file:
                file.write(to_yaml({"upstreams": {"slow": upstreams(silence.port)["sse"]}}))
            with StdioFrontend([BINARY, "stdio", "-c", path]) as frontend:
                self.assertTrue(silence.received.wait(TIMEOUT))
                self.assertEqual(frontend.close_stdin(), 0)


if __name__ == "__main__":
    main()
