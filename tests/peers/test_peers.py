"""Interoperability: the official SDK clients in front, the reference servers behind.

The peers come from npm into tests/peers/node_modules. Where npm or its registry cannot be reached,
the tests are skipped with the reason.
"""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

sys.path.insert(1, sys.path[0] + "/../lib")

from npm_peers import MODULES, PEERS, LeftOut, install

ROOT = Path(__file__).resolve().parents[2]
PATCHBAY = os.environ.get("PATCHBAY_BIN", str(ROOT / "build" / "patchbay"))

OLDEST_NODE = 20  # SDK v2 needs it; Debian 12 has 18.
START_S = 30
SCRIPT_S = 180


class Gateway:
    """A running `patchbay serve`; its log is stored for the report of a failure."""

    def __init__(self, config):
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [PATCHBAY, "serve", "-c", str(config), "--listen", "127.0.0.1:0"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log, text=True)
        self.url = None
        self.ready = threading.Event()
        threading.Thread(target=self._read_stdout, daemon=True).start()
        if not self.ready.wait(START_S) or not self.url:
            self.stop()
            raise AssertionError(f"the gateway did not become ready; its log:\n{self.read_log()}")

    def _read_stdout(self):
        for line in self.process.stdout:
            match = re.search(r"http://127\.0\.0\.1:\d+/mcp", line)
            if match and not self.url:
                self.url = match[0]
            if line.strip() == "ready":
                self.ready.set()
        self.ready.set()

    def read_log(self):
        self.log.seek(0)
        return self.log.read()[-8000:]

    def stop(self):
        """The exit code after SIGTERM; -9 if it had to be killed."""
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()


@unittest.skipUnless(os.access(PATCHBAY, os.X_OK), "patchbay is not built")
class PeersTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            cls.node = install(OLDEST_NODE)
        except LeftOut as reason:
            print(f"the peers from npm were left out: {reason}", flush=True)
            raise unittest.SkipTest(str(reason))
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name).resolve()
        cls.shared = cls.folder / "shared"
        (cls.shared / "sub").mkdir(parents=True)
        (cls.shared / "note.txt").write_text("first line\nzweite Zeile äöü 😀\n", encoding="utf-8")
        (cls.shared / "sub" / "empty.txt").touch()
        servers = MODULES / "@modelcontextprotocol"
        cls.everything = [cls.node, str(servers / "server-everything" / "dist" / "index.js"), "stdio"]
        cls.files = [cls.node, str(servers / "server-filesystem" / "dist" / "index.js"), str(cls.shared)]
        cls.config = cls.folder / "patchbay.yaml"
        # JSON is YAML, and quotes itself.
        cls.config.write_text(json.dumps({"upstreams": {
            "skills": {"kind": "builtin"},
            "everything": {"kind": "stdio", "command": cls.everything[0], "args": cls.everything[1:]},
            "files": {"kind": "stdio", "command": cls.files[0], "args": cls.files[1:]},
        }, "validation": {"arguments": "off"},  # As if called directly.
            "wire": {"tcp": "off", "rate_limiting": {"enabled": False}}}, indent=1))
        cls.gateway = Gateway(cls.config)
        cls.addClassCleanup(cls.gateway.stop)

    def run_script(self, name, *arguments):
        command = [self.node, str(PEERS / name), *arguments]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, timeout=SCRIPT_S)
            output, code = done.stdout, done.returncode
        except subprocess.TimeoutExpired as late:
            output, code = (late.stdout or b"").decode(errors="replace"), "none: it hung"
        if code != 0:
            self.fail(f"{name}: exit code {code}\n{output[-8000:]}\n-- gateway log:\n{self.gateway.read_log()}")

    def test_sdk_v1_over_http(self):
        self.run_script("sdk_v1_http.mjs", self.gateway.url)

    def test_sdk_v2_over_http(self):
        self.run_script("sdk_v2_http.mjs", self.gateway.url)

    def test_sdk_v1_over_sse(self):
        self.run_script("sdk_v1_sse.mjs", self.gateway.url.removesuffix("/mcp") + "/sse")

    def test_sdk_v1_over_stdio(self):
        self.run_script("sdk_v1_stdio.mjs", PATCHBAY, "stdio", "-c", str(self.config))

    def test_sdk_v2_over_stdio(self):
        self.run_script("sdk_v2_stdio.mjs", PATCHBAY, "stdio", "-c", str(self.config))

    def test_sdk_v1_through_a_router(self):
        self.run_script("sdk_v1_stdio.mjs", PATCHBAY, "router", "--gateway", self.websocket())

    def test_sdk_v2_through_a_router(self):
        self.run_script("sdk_v2_stdio.mjs", PATCHBAY, "router", "--gateway", self.websocket())

    def websocket(self):
        return self.gateway.url.replace("http://", "ws://")

    def test_everything_answers_as_if_called_directly(self):
        calls = [
            ["echo", {"message": "grüße 😀"}],
            ["get-sum", {"a": 2, "b": 40.5}],
            ["get-sum", {"a": "not a number"}],
            ["get-tiny-image", {}],
            ["get-structured-content", {"location": "Chicago"}],
            ["get-annotated-message", {"messageType": "error", "includeImage": True}],
            ["get-resource-links", {"count": 3}],
        ]
        self.run_script("compare.mjs", self.gateway.url, "everything", json.dumps(calls), *self.everything)

    def test_filesystem_answers_as_if_called_directly(self):
        shared = str(self.shared)
        calls = [
            ["list_allowed_directories", {}],
            ["read_text_file", {"path": f"{shared}/note.txt"}],
            ["read_text_file", {"path": f"{shared}/note.txt", "head": 1}],
            ["read_text_file", {"path": "/etc/passwd"}],
            ["read_text_file", {"path": f"{shared}/not_there"}],
            ["list_directory", {"path": shared}],
            ["directory_tree", {"path": shared}],
            ["search_files", {"path": shared, "pattern": "**/*.txt"}],
            ["read_multiple_files", {"paths": [f"{shared}/note.txt", f"{shared}/sub/empty.txt"]}],
        ]
        self.run_script("compare.mjs", self.gateway.url, "files", json.dumps(calls), *self.files)

    def test_a_file_written_through_the_gateway_is_there(self):
        text = "written by a tool\n" * 5_000
        target = self.shared / "sub" / "written.txt"
        body = json.dumps({"path": str(target), "content": text})
        done = subprocess.run([PATCHBAY, "call", self.gateway.url, "files__write_file", body],
                              capture_output=True, text=True, timeout=30)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(target.read_text(), text)


if __name__ == "__main__":
    unittest.main()
