"""Shared by the tests of the osquery server: start it, query it, read the rows or the refusal."""

import json
import pathlib
import stat
import subprocess
import tempfile

from harness import BINARY, TIMEOUT, StdioFrontend, TestCase, clean_environment, result_of, to_yaml

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT "


def call(request_id, tool="query_osquery", **arguments):
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}


def without_osqueryi():
    """A PATH on which there is none, so that the built-in tables answer."""
    return {"PATH": "/nowhere"}


def pipe(text, *args, command=None, env=None):
    """Pipes text through the server to its end; gives the lines it printed."""
    done = subprocess.run(
        command or [BINARY, "osquery", *args],
        input=text,
        env=clean_environment(**(env or {})),
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    if done.returncode != 0:
        raise AssertionError(f"exit code {done.returncode}: {done.stderr}")
    return done.stdout.splitlines()


class OsqueryCase(TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def server(self, *args, env=None, **settings):
        command = [BINARY, "osquery", *args]
        if settings:
            config = self.folder / "osquery.yaml"
            config.write_text(to_yaml(settings), encoding="utf-8")
            command += ["-c", str(config)]
        return self.enterContext(StdioFrontend(command, env=env or without_osqueryi()))

    def ask(self, frontend, sql, **arguments):
        """The texts of the answer, and whether it is an error."""
        self.asked = getattr(self, "asked", 0) + 1
        result = result_of(frontend.request(call(self.asked, sql=sql, **arguments)))
        return [item["text"] for item in result["content"]], result.get("isError", False)

    def rows(self, frontend, sql):
        texts, failed = self.ask(frontend, sql)
        self.assertFalse(failed, texts)
        self.assertEqual(len(texts), 1)
        return json.loads(texts[0])

    def refusal(self, frontend, sql):
        """Why the query failed: no rows, and after them the reason."""
        texts, failed = self.ask(frontend, sql)
        self.assertTrue(failed, f"{sql!r} was answered: {texts}")
        self.assertEqual((len(texts), texts[0]), (2, "[]"))
        return texts[1]

    def stand_in(self, script):
        """An osqueryi that is a shell script."""
        program = self.folder / "osqueryi"
        program.write_text("#!/bin/sh\n" + script + "\n", encoding="utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        return {"PATH": f"{self.folder}:/usr/bin:/bin"}
