"""SIGUSR1: the calls that are stored in memory are written to a file, or to the log."""

import json
import os
import pathlib
import signal
import stat
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import Gateway, McpSession, TestCase, fake_config, main, stateless_call, wait_until

HOSTILE = "evil\u001b[2J\u202e<script>\n{\"a\":1}"


def recorded(gateway):
    return gateway.get("/control/v1/calls?method=tools/call&limit=500").json()["calls"]


class Dump(TestCase):
    def dump(self, gateway):
        """Sends the signal; returns the log line about the written file."""
        start = gateway.stderr.count()
        gateway.process.send_signal(signal.SIGUSR1)
        return gateway.stderr.wait_for("recorded", start)

    def config(self, gateway_folder=None, **settings):
        return fake_config(log={"format": "json"}, **({"state": gateway_folder} if gateway_folder else {}), **settings)

    def gateway_with_state(self, **settings):
        gateway = Gateway(self.config("state", **settings))
        folder = pathlib.Path(gateway.folder.name) / "state"
        folder.mkdir(mode=0o700)
        return gateway, folder / "calls.jsonl"

    def test_a_file_in_the_state_folder(self):
        gateway, file = self.gateway_with_state(workers=2)
        with gateway:
            for i in range(5):
                stateless_call(gateway, "fake__echo", text=f"secret {i}")
            with McpSession(gateway) as session:
                session.call(HOSTILE)
            wait_until(lambda: len(recorded(gateway)) == 6, "six calls")
            line = json.loads(self.dump(gateway))
            self.assertEqual((line["event"], line["calls"]), ("calls recorded", len(file.read_text().splitlines())))
            self.assertEqual(pathlib.Path(gateway.folder.name, line["file"]), file)
            self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600)
            lines = [json.loads(one) for one in file.read_text(encoding="utf-8").splitlines()]
            calls = [one for one in lines if one["method"] == "tools/call"]
            self.assertEqual(calls, recorded(gateway)[::-1])
            self.assertNotIn("secret", file.read_text())
            self.assertNotIn("\x1b", file.read_text())
            stateless_call(gateway, "fake__add", a=1, b=2)
            wait_until(lambda: len(recorded(gateway)) == 7, "seven calls")
            self.dump(gateway)
            self.assertIn("fake__add", file.read_text())
            self.assertEqual(os.listdir(file.parent).count("calls.jsonl"), 1)
            self.assertFalse([name for name in os.listdir(file.parent) if name.startswith("calls.jsonl.")])

    def test_a_link_is_not_followed(self):
        gateway, file = self.gateway_with_state()
        victim = file.parent.parent / "victim"
        victim.write_text("untouched")
        file.symlink_to(victim)
        with gateway:
            stateless_call(gateway, "fake__echo", text="x")
            wait_until(lambda: recorded(gateway), "the call")
            self.dump(gateway)
            self.assertEqual(victim.read_text(), "untouched")
            self.assertFalse(file.is_symlink())
            self.assertIn("fake__echo", file.read_text())

    def test_without_a_state_folder_they_go_to_the_log(self):
        with Gateway(self.config(workers=1, telemetry={"max_recent_calls": 500})) as gateway:
            for i in range(120):
                stateless_call(gateway, "fake__echo", text=str(i))
            wait_until(lambda: len(recorded(gateway)) == 120, "the calls")
            start = gateway.stderr.count()
            gateway.process.send_signal(signal.SIGUSR1)
            last = json.loads(gateway.stderr.wait_for("calls recorded", start))
            self.assertEqual(last["calls"], 100)
            lines = [json.loads(line) for line in gateway.stderr.lines[start:]]
            records = [json.loads(line["record"]) for line in lines if line["event"] == "recorded call"]
            self.assertEqual(len(records), 100)
            self.assertEqual(records[-1]["tool"], "fake.echo")

    def test_a_folder_that_cannot_be_written_is_reported(self):
        gateway, file = self.gateway_with_state()
        with gateway:
            for entry in file.parent.iterdir():
                entry.unlink()
            file.parent.rmdir()
            line = json.loads(self.dump(gateway))
            self.assertEqual((line["level"], line["event"]), ("error", "calls not recorded"))
            stateless_call(gateway, "fake__echo", text="it goes on")


main()
