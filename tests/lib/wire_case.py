"""Shared by the tests of the wire protocol."""

from harness import Gateway, TestCase
from wire_client import WireClient

UNLIMITED = {"rate_limiting": {"enabled": False}}


class WireGateway(Gateway):
    """`patchbay serve` with a TCP listener of the wire protocol on a port that the system chose."""

    def __init__(self, config=None, wire=None, **more):
        section = {"tcp": "127.0.0.1:0", **UNLIMITED, **(wire or {})}
        super().__init__({"workers": 1, **(config or {}), "wire": section}, **more)
        self.wire_port = None

    def __enter__(self):
        super().__enter__()
        self.wire_port = int(self.stdout.wait_for("wire tcp").rpartition(":")[2])
        return self

    def client(self, **more):
        return WireClient(self.wire_port, **more)


class WireCase(TestCase):
    def start(self, config=None, wire=None, **more):
        return self.enterContext(WireGateway(config, wire, **more))

    def client(self, gateway, **more):
        return self.enterContext(gateway.client(**more))
