"""The metrics of sandbox egress."""

import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import Gateway, McpSession, main, text_of, wait_until
from test_sandbox_egress import EgressCase
from test_sandbox_servers import EXPLORER


class Counted(EgressCase):
    def test_all_of_it_is_counted(self):
        port = self.serve()
        self.start(
            egress=[f"127.0.0.1:{port}", "no.example.invalid"], egress_limits={"max_connections": 1}
        )
        self.assertEqual(self.counted(), {})
        self.python(
            f"way = ask('127.0.0.1:{port}'); answer(way)\n"
            "all_of(ask('127.0.0.1:1'))\n"  # One too many.
            "way.sendall(b'GET / HTTP/1.0\\r\\n\\r\\n'); all_of(way)"
        )
        wait_until(lambda: self.counted() == {"allowed": 1, "surplus": 1}, "the first two")
        for target, outcome in (
            ("'127.0.0.1:1'", "refused"),
            ("'no.example.invalid:443'", "failed"),
            ("'', 'GET / HTTP/1.1\\r\\n\\r\\n'", "malformed"),
        ):
            self.python(f"all_of(ask({target}))")
            wait_until(lambda name=outcome: self.counted().get(name) == 1, outcome)
        metric = lambda name, **labels: self.gateway.metric(
            f"patchbay_sandbox_egress_{name}", upstream="box", **labels
        )
        self.assertEqual(metric("bytes_total", direction="sent"), len("GET / HTTP/1.0\r\n\r\n"))
        self.assertEqual(
            metric("bytes_total", direction="received"),
            sum(int(one["received"]) for one in self.visits()),
        )
        self.assertEqual(metric("open"), 0)

    def counted(self):
        """How many connections have ended, by outcome; without those of which there are none."""
        outcomes = ("allowed", "refused", "failed", "surplus", "malformed")
        all_of_them = {
            outcome: self.gateway.metric(
                "patchbay_sandbox_egress_connections_total", upstream="box", outcome=outcome
            )
            for outcome in outcomes
        }
        return {outcome: count for outcome, count in all_of_them.items() if count}

    def test_without_egress_there_is_nothing_to_count(self):
        self.start()
        self.assertNotIn("patchbay_sandbox_egress", self.gateway.get("/metrics").body.decode())

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
        self.gateway = self.enterContext(Gateway({"upstreams": {"box": upstream}}))
        session = self.enterContext(McpSession(self.gateway))
        fetch = "import urllib.request as u; print(u.urlopen('http://127.0.0.1:%d/x').read())"
        for target in (port, 1):
            text_of(session.call("box__sh", line=f'python3 -c "{fetch % target}"'))
        wait_until(lambda: self.counted() == {"allowed": 1, "refused": 1}, "both to be counted")


if __name__ == "__main__":
    main()
