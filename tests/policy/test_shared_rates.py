"""Gateways with a shared store keep the limits of `limits.rates` together."""

import sys
import time

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import Background, main, stateless_headers, stateless_message, wait_until
from redis_case import RedisCase

GATEWAYS = 3
ECHO = stateless_message("tools/call", {"name": "echo", "arguments": {"text": "x"}})


class SharedRates(RedisCase):
    def gateways(self, redis, row, count=GATEWAYS):
        config = self.config(self.url(redis), limits={"rates": [row]})
        found = [self.start(config) for _ in range(count)]
        for gateway in found:
            wait_until(lambda gateway=gateway: self.connected(gateway), "the store")
            gateway.wait_ready()
        return found

    def accepted(self, gateways, calls=None, least_s=0.0):
        """Calls one gateway after the other, `calls` times or for that long: how many are accepted, and the
        seconds from the first to the last call."""
        connections = [self.enterContext(gateway.connect()) for gateway in gateways]
        begun, made, accepted = time.monotonic(), 0, 0
        while made < (calls or 0) or time.monotonic() - begun < least_s:
            connection = connections[made % len(connections)]
            response = connection.request("POST", "/mcp", stateless_headers(ECHO), ECHO)
            self.assertIn(response.status, (200, 429))
            accepted += response.status == 200
            made += 1
        self.made = made
        return accepted, time.monotonic() - begun

    def test_a_limit_holds_for_all_together(self):
        limit, window_s = 300, 2
        row = {"per": "principal", "max_calls": limit, "window": f"{window_s}s"}
        gateways = self.gateways(self.server(), row)
        accepted, took = self.accepted(gateways, least_s=2.5 * window_s)
        expected = limit + took * limit / window_s
        # Without the others, each would accept as many.
        self.assertGreater(self.made, 1.5 * expected)
        self.assertGreaterEqual(accepted, 0.9 * expected)
        self.assertLessEqual(accepted, 1.1 * expected)

    def test_clients_at_the_same_time(self):
        limit = 600
        row = {"per": "everyone", "max_calls": limit, "window": "1h"}
        gateways = self.gateways(self.server(), row)
        clients = [Background(lambda: self.accepted(gateways, calls=limit)) for _ in range(3)]
        accepted = sum(client.result()[0] for client in clients)
        self.assertGreaterEqual(accepted, limit)
        self.assertLessEqual(accepted, 1.1 * limit)

    def test_a_small_limit_is_exceeded_by_few(self):
        gateways = self.gateways(self.server(), {"per": "principal", "max_calls": 5, "window": "1h"})
        accepted, _ = self.accepted(gateways, calls=60)
        self.assertGreaterEqual(accepted, 5)
        # Alone each would accept five; how many pass before the others know depends on the machine.
        self.assertLess(accepted, 5 * GATEWAYS)

    def test_one_that_starts_later_knows_what_was_used(self):
        redis, row = self.server(), {"per": "principal", "max_calls": 100, "window": "1h"}
        (first,) = self.gateways(redis, row, 1)
        self.assertEqual(self.accepted([first], calls=100)[0], 100)
        (second,) = self.gateways(redis, row, 1)
        # Alone it would accept all of them; how many pass before it knows depends on the machine.
        self.assertLess(self.accepted([second], calls=100)[0], 50)

    def test_without_the_server_each_keeps_the_limit_alone(self):
        redis, limit = self.server(), 50
        gateways = self.gateways(redis, {"per": "principal", "max_calls": limit, "window": "1h"})
        redis.stop()
        for gateway in gateways:
            wait_until(lambda gateway=gateway: not self.connected(gateway), "the loss to be noticed")
        accepted, _ = self.accepted(gateways, calls=2 * GATEWAYS * limit)
        self.assertEqual(accepted, GATEWAYS * limit)
        gateways[0].stderr.wait_for(" rates not shared ")
        redis.start()
        for gateway in gateways:
            wait_until(lambda gateway=gateway: self.connected(gateway), "the store to be found again")
        self.assertEqual(self.accepted(gateways, calls=3)[0], 0)


if __name__ == "__main__":
    main()
