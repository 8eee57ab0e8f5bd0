"""Shared by the tests of restarts: gateways with one state folder, one after the other."""

import pathlib
import tempfile

from harness import Gateway, TestCase


class RestartCase(TestCase):
    def setUp(self):
        super().setUp()
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.state = self.folder / "state"

    def config(self, upstreams, **settings):
        base = {"workers": 2, "state": str(self.state), "names": {"prefix": "never"}}
        return {**base, "upstreams": upstreams, **settings}

    def start(self, config):
        return self.enterContext(Gateway(config))

    def restart(self, gateway, config, *sessions, kill=False):
        """Ends the gateway and starts the next one, with which the sessions continue."""
        if kill:
            gateway.kill()
        else:
            gateway.stop()
        following = self.start(config)
        self.move(following, *sessions)
        return following

    def move(self, gateway, *sessions):
        for session in sessions:
            session.connection.close()
            session.gateway, session.connection = gateway, gateway.connect()

    def reload(self, gateway, config):
        start = gateway.stderr.count()
        gateway.write_config(config)
        gateway.stderr.wait_for(" reloaded ", start)
