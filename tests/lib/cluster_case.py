"""Shared by the tests of clusters: gateways with one store and the same keys, which act as one. On one
machine the store may be a file; OnRedis adds a server to a case."""

import unittest

import redis_case
from harness import fake, wait_until
from restart_case import RestartCase

KEYS = ["k" * 40]
LEASE = "1s"


class ClusterCase(RestartCase):
    admin = None  # The headers of an admin, where callers are authenticated.

    def store(self):
        return {}

    def config(self, upstreams=None, **settings):
        section = settings.pop("cluster", {})
        cluster = {"listen": "127.0.0.1:0", "keys": KEYS, "lease_timeout": LEASE}
        cluster = {**cluster, **self.store(), **section}
        return super().config(upstreams or {"fake": fake()}, cluster=cluster, **settings)

    def start_nodes(self, count, config=None):
        nodes = [self.start(config or self.config()) for _ in range(count)]
        self.await_members(nodes)
        return nodes

    def members(self, node):
        return node.get("/control/v1/cluster", self.admin).json()["members"]

    def await_members(self, nodes):
        """Waits until each of the nodes sees exactly these."""
        for node in nodes:
            wait_until(
                lambda node=node: len(self.members(node)) == len(nodes),
                f"{len(nodes)} members to be known",
            )


@unittest.skipUnless(redis_case.PROGRAM, "there is no redis-server or valkey-server")
class OnRedis:
    """Each gateway has a folder of its own, and all have one server."""

    def setUp(self):
        self.server = redis_case.RedisServer()
        self.addCleanup(self.server.stop)
        super().setUp()

    def store(self):
        return {"store": "redis", "redis": {"url": f"redis://127.0.0.1:{self.server.port}"}}

    def start(self, config):
        number = getattr(self, "started", 0)
        self.started = number + 1
        return super().start({**config, "state": str(self.folder / f"state{number}")})
