"""Agents on third-party Kafka clients from npm: tests/peers has one folder for each."""

import shutil
import subprocess

from kafka_case import KafkaCase
from npm_peers import PEERS, LeftOut, npm_ci
from waiting import TIMEOUT, Lines


class NpmAgentCase(KafkaCase):
    upstream = {"response_timeout_ms": 20000}
    folder = None

    def setUp(self):
        if not shutil.which("node"):
            self.skipTest("node is not installed")
        try:
            self.install()
        except LeftOut as why:
            self.skipTest(str(why))

    def install(self):
        npm_ci(PEERS / self.folder)

    def start_agent(self, name, *arguments):
        """Runs agent.mjs until the test is over; its tool is there."""
        # Not every client likes a topic that is only about to be there.
        for topic in (f"{name}.requests", f"{name}.responses"):
            self.peer.consume(topic)
        agent = subprocess.Popen(
            ["node", "agent.mjs", *arguments],
            cwd=PEERS / self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.addCleanup(agent.wait)
        self.addCleanup(agent.kill)
        Lines(agent.stdout).wait_for(lambda line: line == "ready", timeout=2 * TIMEOUT)
        self.wait_for_tool(name)
