"""The log: JSON lines fit the documented schema, text lines cannot be forged, and lines for the
journal of systemd begin with their priority."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    BINARY,
    ROOT,
    TIMEOUT,
    Gateway,
    McpSession,
    TestCase,
    clean_environment,
    fake,
    fake_config,
    main,
    stateless_call,
    stateless_headers,
    stateless_message,
    wait_until,
)

try:
    import jsonschema
except ImportError:
    jsonschema = None

HOSTILE = 'evil\n2026-11-15T04:00:00.123Z info call who=root\u001b[2J" a=b \u202e\\'
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
STAMP = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z"
# `<N>` and the level that it stands for.
LEVELS = {"<7>": "debug", "<6>": "info", "<4>": "warn", "<3>": "error"}


def be_busy(gateway):
    """Calls of several kinds, over several frontends, good and bad ones."""
    for name in ("fake__echo", "fake__fail", "fake__rpc_error", "no_such_tool"):
        stateless_call(gateway, name, text="a secret argument")
    with McpSession(gateway) as session:
        session.call(HOSTILE)
        session.call("x" * 10_000)
        session.call("fake__echo", text="x")
        session.request("tools/list")
        session.request("no/such/method")
    gateway.get("/mcp/v1/tools")
    with gateway.connect() as connection:
        connection.request("POST", "/api/fake.echo", {"Content-Type": "application/json"}, {"text": "x"})
        message = stateless_message("tools/call", {"name": "fake__add", "arguments": {"a": 1, "b": 2}})
        headers = {**stateless_headers(message), "traceparent": f"00-{TRACE}-00f067aa0ba902b7-01"}
        connection.request("POST", "/mcp", headers, message)
    gateway.write_config("listen: [broken")
    gateway.stderr.wait_for("reload refused")


class Json(TestCase):
    @unittest.skipUnless(jsonschema, "there is no python3-jsonschema")
    def test_every_line_fits_the_schema(self):
        schema = json.loads((ROOT / "docs" / "log-line.schema.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(schema)
        config = fake_config(
            {"fake": fake(), "gone": {"kind": "stdio", "command": "/nonexistent/program"}},
            log={"format": "json", "level": "debug", "messages": True},
        )
        with Gateway(config) as gateway:
            be_busy(gateway)
            gateway.stop()
            lines = [json.loads(line) for line in gateway.stderr.lines]
        for line in lines:
            validator.validate(line)
        calls = [line for line in lines if line["event"] == "call"]
        self.assertGreaterEqual({call["frontend"] for call in calls}, {"mcp-http", "rest"})
        self.assertGreaterEqual({call["outcome"] for call in calls}, {"ok", "tool_error", "upstream_error"})
        self.assertIn(TRACE, {call.get("trace") for call in calls})
        self.assertTrue(any(call.get("client", "").startswith("tests") for call in calls))
        self.assertIn(HOSTILE, {call.get("name") for call in calls})
        self.assertGreaterEqual({line["level"] for line in lines}, {"debug", "info", "warn", "error"})
        self.assertNotIn("secret argument", json.dumps(calls))
        stamps = [line["ts"] for line in lines]
        self.assertEqual(stamps, sorted(stamps))

    @unittest.skipUnless(jsonschema, "there is no python3-jsonschema")
    def test_the_schema_refuses_other_lines(self):
        schema = json.loads((ROOT / "docs" / "log-line.schema.json").read_text(encoding="utf-8"))
        validator = jsonschema.Draft202012Validator(schema)
        good = {"ts": "2026-11-15T04:00:00.123Z", "level": "info", "event": "stopping", "calls": 1}
        validator.validate(good)
        for wrong in ({"ts": "today"}, {"level": "loud"}, {"calls": None}, {"event": ""}, {"event": "call"}):
            with self.assertRaises(jsonschema.ValidationError, msg=wrong):
                validator.validate({**good, **wrong})

    def test_every_key_of_a_call_is_documented(self):
        text = (ROOT / "docs" / "logs.md").read_text(encoding="utf-8")
        schema = json.loads((ROOT / "docs" / "log-line.schema.json").read_text(encoding="utf-8"))
        for key in set(schema["then"]["properties"]) - {"ts", "level", "event"}:
            self.assertRegex(text, rf"(?m)^\| .*`{key}`.* \|", key)


class Text(TestCase):
    def test_no_value_begins_a_line(self):
        with Gateway(fake_config()) as gateway:
            with McpSession(gateway) as session:
                session.call(HOSTILE)
            gateway.stop()
            for line in gateway.stderr.lines:
                self.assertRegex(line, rf"^{STAMP} (debug|info|warn|error) ")
                self.assertNotIn("\x1b", line)
            self.assertEqual(sum(" call " in line for line in gateway.stderr.lines if "who=root" in line), 1)


class Journal(TestCase):
    """systemd sets JOURNAL_STREAM to the device and the inode of the descriptor."""

    def lines(self, stream, **log):
        """The lines that a gateway writes to a file; `stream` makes JOURNAL_STREAM of its status."""
        with tempfile.TemporaryDirectory() as folder, open(folder + "/stderr", "w+b") as file:
            config = {
                "listen": "127.0.0.1:0",
                "log": {"level": "debug", **log},
                "upstreams": {"gone": {"kind": "stdio", "command": "/nonexistent/program"}},
            }
            path = folder + "/patchbay.yaml"
            with open(path, "w", encoding="utf-8") as out:
                json.dump(config, out)
            os.chmod(path, 0o600)
            variables = {"JOURNAL_STREAM": stream(os.fstat(file.fileno()))}
            process = subprocess.Popen([BINARY, "serve", "-c", path], stdout=subprocess.DEVNULL, stderr=file,
                                       cwd=folder, env=clean_environment(**variables))
            try:
                written = pathlib.Path(folder, "stderr").read_bytes
                wait_until(lambda: b"upstream down" in written(), "a warning")
                process.terminate()
                self.assertEqual(process.wait(TIMEOUT), 0)
                return written().decode().splitlines()
            finally:
                process.kill()
                process.wait()

    def test_lines_begin_with_their_priority(self):
        lines = self.lines(lambda status: f"{status.st_dev}:{status.st_ino}")
        seen = set()
        for line in lines:
            found = re.match(rf"(<[0-9]>){STAMP} ([a-z]+) ", line)
            self.assertTrue(found, line)
            self.assertEqual(LEVELS[found[1]], found[2])
            seen.add(found[2])
        self.assertGreaterEqual(seen, {"info", "warn"})
        stamps = [re.search(STAMP, line)[0] for line in lines]
        self.assertEqual(stamps, sorted(stamps))

    def test_another_descriptor_has_none(self):
        for line in self.lines(lambda status: f"{status.st_dev}:{status.st_ino + 1}"):
            self.assertRegex(line, rf"^{STAMP} ")

    def test_json_lines_have_none(self):
        for line in self.lines(lambda status: f"{status.st_dev}:{status.st_ino}", format="json"):
            json.loads(line)


main()
