"""The pages of docs/guides/ are correct: their blocks run from top to bottom in an empty folder.

A block that begins with a comment that names a file is written to that file. Blocks of `sh` run in
order, in one shell; a block of `text` is what the `sh` block before it prints. A line above a block
says what it needs (`<!-- needs: nginx -->`) or that it changes the system (`<!-- not run: why -->`):
where something is missing the block is left out, which a line reports.
"""

import contextlib
import functools
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import BINARY, ROOT, TIMEOUT, TestCase, clean_environment, main

GUIDES = ROOT / "docs" / "guides"
BLOCK = re.compile(r"(?:^<!-- (needs|not run): ([^>]*?) -->\n)?^```(\w+)\n(.*?)^```$", re.M | re.S)
FILE = re.compile(r"(?:#|//) ([\w./-]+\.\w+|Dockerfile)\n")
PORT = re.compile(r"\b808[01]\b")
PAGE_TIMEOUT = 8 * TIMEOUT  # Some pages install packages.
MARK = "@@ block"


def answers(*command):
    """Whether a package manager reaches the registry that it is set up for."""
    if not shutil.which(command[0]):
        return False
    try:
        asked = subprocess.run(command, capture_output=True, timeout=20, check=False)
    except subprocess.TimeoutExpired:
        return False
    return asked.returncode == 0


@functools.cache
def have(need):
    if need == "pypi":
        return answers(sys.executable, "-m", "pip", "index", "versions", "mcp")
    if need == "npm":
        return answers("npm", "view", "--fetch-retries=0", "is-number", "version")
    if need == "node22":
        node = shutil.which("node")
        version = subprocess.run([node, "--version"], capture_output=True, text=True, check=False) if node else None
        return bool(version) and int(version.stdout.strip("v").split(".")[0]) >= 22
    if need == "docker":
        found = shutil.which("docker")
        return bool(found) and subprocess.run([found, "info"], capture_output=True, check=False).returncode == 0
    return bool(shutil.which(need) or shutil.which(need, path="/usr/sbin"))


def blocks_of(page):
    """(kind, text, why it is left out) of each block of a page."""
    for mark, detail, kind, text in BLOCK.findall(page.read_text(encoding="utf-8")):
        missing = [need for need in detail.split() if not have(need)] if mark == "needs" else []
        why = f"no {' and no '.join(missing)}" if missing else detail if mark == "not run" else ""
        yield kind, text, why


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return str(listener.getsockname()[1])


class Guides(TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.ports = {"8080": free_port(), "8081": free_port()}
        programs = pathlib.Path(BINARY).parent
        self.env = clean_environment(
            PATH=f"{programs}:{os.environ['PATH']}:/usr/sbin",
            HOME=str(self.folder),
            PIP_CACHE_DIR=str(pathlib.Path.home() / ".cache" / "pip"),  # Packages are fetched once.
            npm_config_cache=str(pathlib.Path.home() / ".npm"),
            PATCHBAY_URL=f"http://127.0.0.1:{self.ports['8080']}/mcp",
        )

    def adapted(self, text):
        text = text.replace("/usr/local/bin/patchbay ", f"{BINARY} ")
        return PORT.sub(lambda match: self.ports[match[0]], text)

    def run_script(self, script):
        """The output of each block. Whatever it started is ended."""
        out, err = self.folder / ".out", self.folder / ".err"
        with open(out, "wb") as stdout, open(err, "wb") as stderr:
            process = subprocess.Popen(
                ["bash", "-e", "-c", script],
                cwd=self.folder,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )
            try:
                code = process.wait(PAGE_TIMEOUT)
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        printed = out.read_text(encoding="utf-8", errors="replace")
        self.assertEqual(code, 0, printed + err.read_text(encoding="utf-8", errors="replace"))
        return [part.partition("\n")[2] for part in printed.split(MARK)[1:]]

    def check_page(self, page):
        script, expected, count, skipped = [], {}, 0, False
        for kind, text, why in blocks_of(page):
            if why:
                print(f"a block of {page.name} is left out: {why}", flush=True)
            named = FILE.match(text)
            if kind == "text":
                if not skipped:
                    expected[count - 1] = text
            elif kind == "sh":
                skipped = bool(why)
                if not why:
                    script += [f'echo "{MARK}"', self.adapted(text)]
                    count += 1
            elif named:
                path = self.folder / named[1]
                path.write_text(self.adapted(text), encoding="utf-8")
            else:
                self.fail(f"a block of {kind} has no name of a file: {text[:40]}")
        outputs = self.run_script("\n".join(script)) if script else []
        self.assertEqual(len(outputs), count)
        for index, text in expected.items():
            self.assertEqual(outputs[index].strip(), text.strip())

    def test_the_index_names_each_page(self):
        index = (GUIDES / "README.md").read_text(encoding="utf-8")
        for page in GUIDES.glob("*.md"):
            if page.name != "README.md":
                self.assertIn(f"({page.name})", index)
        self.assertIn("guides/README.md", (ROOT / "docs" / "README.md").read_text(encoding="utf-8"))

    def test_the_first_commands_of_the_kafka_page(self):
        if subprocess.run(["/usr/bin/python3", "-c", "import confluent_kafka"], check=False).returncode:
            self.skipTest("no python3-confluent-kafka")
        text = (ROOT / "docs" / "kafka.md").read_text(encoding="utf-8")
        block = next(block for _, _, kind, block in BLOCK.findall(text) if kind == "sh")
        (self.folder / "examples").symlink_to(ROOT / "examples")
        self.env["SERVER_PORT"] = self.ports["8080"]
        self.assertEqual(self.run_script(f"echo '{MARK}'\n{self.adapted(block)}"), ['{"text": "HELLO"}'])


def add_test(page):
    name = "test_" + page.stem.replace("-", "_")
    setattr(Guides, name, lambda self: self.check_page(page))


for one in sorted(GUIDES.glob("*.md")):
    if one.name != "README.md":
        add_test(one)


if __name__ == "__main__":
    main()
