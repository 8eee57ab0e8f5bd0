"""The address of a client behind a proxy: X-Forwarded-For, Forwarded and the PROXY protocol."""

import json
import pathlib
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(1, sys.path[0] + "/../lib")

from auth_case import TOKENS, bearer
from certificates import Authority
from harness import (
    Gateway,
    TestCase,
    fake_config,
    main,
    run,
    stateless_headers,
    stateless_message,
    wait_until,
)
from rawhttp import Connection
from tls_case import trusting
from wire_case import WireGateway
from wire_client import call

HERE = "127.0.0.1"
SIGNATURE = b"\r\n\r\n\0\r\nQUIT\n"
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")


def proxied(from_=(HERE,), **settings):
    return {"proxies": {"from": list(from_), **settings}}


def v1(client):
    return f"PROXY TCP4 {client} 10.0.0.1 40000 443\r\n".encode()


def v2(client, command=0x21, more=b""):
    block = socket.inet_aton(client) + socket.inet_aton("10.0.0.1") + struct.pack("!HH", 40000, 443)
    return SIGNATURE + bytes([command, 0x11]) + struct.pack("!H", len(block + more)) + block + more


def records(gateway):
    path = pathlib.Path(gateway.folder.name) / "audit.jsonl"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return [json.loads(line) for line in text.splitlines()]


class ProxiedCase(TestCase):
    def start(self, config=None, **more):
        config = fake_config(audit={"file": "audit.jsonl"}, **(config or {}))
        return self.enterContext(Gateway(config, **more))

    def post(self, connection, headers=None):
        message = stateless_message("tools/call", {"name": "fake__echo", "arguments": {"text": "x"}})
        return connection.request("POST", "/mcp", {**stateless_headers(message), **(headers or {})}, message)

    def seen(self, gateway, count=1):
        """The addresses in the audit log."""
        wait_until(lambda: len(records(gateway)) >= count, f"{count} records")
        return [one.get("from") for one in records(gateway)]

    def assert_ended(self, connection):
        try:
            self.assertEqual(connection.socket.recv(100), b"")
        except ConnectionResetError:
            pass  # It has not read everything that was sent.

    def connect_with(self, gateway, preamble, port=None):
        connection = self.enterContext(Connection(HERE, port or gateway.port))
        connection.socket.sendall(preamble)
        return connection


class Headers(ProxiedCase):
    def test_the_client_is_the_last_hop_that_is_no_named_proxy(self):
        gateway = self.start(proxied((HERE, "10.0.0.0/8")))
        with gateway.connect() as connection:  # One connection, several clients.
            for hops in ("192.0.2.1", "6.6.6.6, 192.0.2.2", "6.6.6.6, 192.0.2.3, 10.1.1.1"):
                self.assertEqual(self.post(connection, {"X-Forwarded-For": hops}).status, 200)
            self.post(connection)
        self.assertEqual(self.seen(gateway, 4), ["192.0.2.1", "192.0.2.2", "192.0.2.3", HERE])

    def test_what_is_malformed_or_from_another_peer_is_ignored(self):
        for from_, hops in (((HERE,), "192.0.2.1, x"), (("10.0.0.5",), "192.0.2.1")):
            gateway = self.start(proxied(from_))
            with gateway.connect() as connection:
                self.assertEqual(self.post(connection, {"X-Forwarded-For": hops}).status, 200)
            self.assertEqual(self.seen(gateway), [HERE])

    def test_forwarded_instead(self):
        gateway = self.start(proxied(header="forwarded"))
        with gateway.connect() as connection:
            both = {"X-Forwarded-For": "6.6.6.6", "Forwarded": 'for="[2001:db8::7]:80";proto=https'}
            self.assertEqual(self.post(connection, both).status, 200)
        self.assertEqual(self.seen(gateway), ["2001:db8::7"])

    def test_rates_and_lockouts_are_those_of_the_client(self):
        rates = {"rates": [{"per": "address", "calls": 1, "window": "1h"}]}
        auth = {**TOKENS, "failures": {"max_failures": 1, "window": "1h"}}
        gateway = self.start({**proxied(), "auth": auth, "limits": rates})

        def status(client, token=None):
            headers = {"X-Forwarded-For": client, **(bearer(token) if token else bearer())}
            with gateway.connect() as connection:
                return self.post(connection, headers).status

        self.assertEqual([status("192.0.2.1"), status("192.0.2.1"), status("192.0.2.2")], [200, 429, 200])
        self.assertEqual(status("192.0.2.3", "wrong-token-0123456789"), 401)
        self.assertEqual(status("192.0.2.3", "wrong-token-9876543210"), 429)
        self.assertEqual(status("192.0.2.4", "wrong-token-9876543210"), 401)

    def test_connections_of_a_proxy_count_for_no_single_address(self):
        gateway = self.start({**proxied(), "limits": {"max_connections_per_address": 1}})
        with gateway.connect() as one, gateway.connect() as two:
            self.assertEqual([self.post(one).status, self.post(two).status], [200, 200])

    @unittest.skipUnless(NGINX, "nginx is not installed")
    def test_behind_nginx(self):
        gateway = self.start(proxied())
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        with socket.socket() as probe:
            probe.bind((HERE, 0))
            port = probe.getsockname()[1]
        paths = "".join(
            f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        config = folder / "nginx.conf"
        config.write_text(
            f"""daemon off; pid {folder}/nginx.pid; error_log stderr; worker_processes 1;
            events {{ worker_connections 64; }}
            http {{ access_log off; {paths}
              server {{ listen {HERE}:{port};
                location / {{ proxy_pass http://{HERE}:{gateway.port};
                  proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; }} }} }}""",
            encoding="utf-8",
        )
        nginx = subprocess.Popen([NGINX, "-c", str(config), "-e", "stderr"], stderr=subprocess.DEVNULL)
        self.addCleanup(nginx.wait)
        self.addCleanup(nginx.terminate)

        def reachable():
            with socket.socket() as probe:
                return probe.connect_ex((HERE, port)) == 0

        wait_until(reachable, "nginx")
        with Connection(HERE, port) as connection:
            connection.socket.close()
            connection.socket = socket.create_connection((HERE, port), source_address=("127.0.0.2", 0))
            headers = {"X-Forwarded-For": "6.6.6.6", "Host": f"{HERE}:{gateway.port}"}
            self.assertEqual(self.post(connection, headers).status, 200)
        self.assertEqual(self.seen(gateway), ["127.0.0.2"])


class ProxyProtocol(ProxiedCase):
    LISTEN = proxied(proxy_protocol=["listen"])

    def test_both_versions_name_the_client(self):
        gateway = self.start(self.LISTEN)
        for header in (v1("192.0.2.1"), v2("192.0.2.2"), v2("192.0.2.3", more=b"\x04\x00\x01x")):
            connection = self.connect_with(gateway, header)
            self.assertEqual(self.post(connection).status, 200)
            self.assertEqual(self.post(connection).status, 200)
        local = self.connect_with(gateway, v2("192.0.2.4", command=0x20))
        self.assertEqual(self.post(local).status, 200)
        wanted = [ip for ip in ("192.0.2.1", "192.0.2.2", "192.0.2.3") for _ in "12"] + [HERE]
        self.assertEqual(self.seen(gateway, 7), wanted)

    def test_a_header_that_names_nobody_makes_no_proxy_of_the_client(self):
        auth = {**TOKENS, "proxies": [{"from": [HERE], "header": "X-User", "roles": ["admin"]}]}
        gateway = self.start({**self.LISTEN, "auth": auth})
        stated = {"X-Forwarded-For": "6.6.6.6", "X-User": "eve"}
        headers = (b"PROXY UNKNOWN\r\n", b"PROXY UNKNOWN ffff::1 ffff::2 1 2\r\n", v2("192.0.2.4", command=0x20))
        for header in headers:
            connection = self.connect_with(gateway, header)
            self.assertEqual(self.post(connection, stated).status, 401, header)
            connection = self.connect_with(gateway, header)
            self.assertEqual(self.post(connection, {**stated, **bearer()}).status, 200, header)
        self.assertEqual(self.seen(gateway, 3), [HERE] * 3)

    def test_a_header_in_pieces(self):
        gateway = self.start(self.LISTEN)
        connection = self.connect_with(gateway, b"")
        connection.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in v1("192.0.2.9"):
            connection.socket.sendall(bytes([byte]))
        self.assertEqual(self.post(connection).status, 200)
        self.assertEqual(self.seen(gateway), ["192.0.2.9"])

    def test_a_connection_without_it_is_refused(self):
        gateway = self.start(proxied(proxy_protocol=["listen"], proxy_header_timeout="50ms"))
        large = SIGNATURE + b"\x21\x11" + struct.pack("!H", 5000)
        for bytes_, why in (
            (b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n", "does not begin with its header"),
            (b"PROXY TCP4 192.0.2.300 1.1.1.1 1 1\r\n", "malformed"),
            (large, "proxies.max_proxy_header_size"),
            (b"PROXY ", "proxies.proxy_header_timeout"),
        ):
            with self.subTest(why):
                connection = self.connect_with(gateway, bytes_)
                self.assert_ended(connection)
                gateway.stderr.wait_for(why)

    def test_only_named_proxies_are_taken(self):
        gateway = self.start(proxied(("10.0.0.5",), proxy_protocol=["listen"]))
        self.assert_ended(self.connect_with(gateway, b""))
        gateway.stderr.wait_for("proxies.from")

    def test_a_share_of_the_connections_is_the_clients(self):
        gateway = self.start({**self.LISTEN, "limits": {"max_connections_per_address": 1}})
        one = self.connect_with(gateway, v1("192.0.2.1"))
        self.assertEqual(self.post(one).status, 200)
        self.assertEqual(self.connect_with(gateway, v1("192.0.2.1")).read_head().status, 429)
        self.assertEqual(self.post(self.connect_with(gateway, v1("192.0.2.2"))).status, 200)

    def test_under_tls(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        authority = Authority(folder)
        authority.server()
        tls = {
            "listen": f"{HERE}:0",
            "cert": authority.path("server.pem"),
            "key": authority.path("server.key"),
        }
        gateway = self.start({"tls": tls, **proxied(proxy_protocol=["tls.listen"])})
        port = int(gateway.stdout.wait_for("https://").split("https://")[1].split()[0].rpartition(":")[2])
        connection = self.connect_with(gateway, v2("192.0.2.5"), port)
        context = trusting(authority.path("ca.pem"))
        connection.socket = context.wrap_socket(connection.socket, server_hostname="localhost")
        self.assertEqual(self.post(connection).status, 200)
        with gateway.connect() as plain:  # The other listener has none.
            self.assertEqual(self.post(plain).status, 200)
        self.assertEqual(self.seen(gateway, 2), ["192.0.2.5", HERE])

    def test_the_wire_protocol(self):
        config = fake_config(audit={"file": "audit.jsonl"}, **proxied(proxy_protocol=["wire.tcp"]))
        gateway = self.enterContext(WireGateway(config))
        client = self.enterContext(gateway.client())
        client.send_bytes(v1("192.0.2.6"))
        client.initialize()
        client.result(call("fake__echo", {"text": "x"}, 2))
        self.assertEqual(self.seen(gateway), ["192.0.2.6"])


class Checks(ProxiedCase):
    def test_faults_of_the_section(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "patchbay.yaml"
            for section, why in (
                ("{ from: [nonsense] }", "'nonsense' is not an address"),
                ("{ proxy_protocol: [listen] }", "it needs `from`"),
                ("{ from: [10.0.0.1], proxy_protocol: [http] }", "proxies.proxy_protocol"),
            ):
                path.write_text(f"proxies: {section}\n", encoding="utf-8")
                done = run("check", str(path))
                self.assertEqual(done.returncode, 3)
                self.assertIn(why, done.stderr)


main()
