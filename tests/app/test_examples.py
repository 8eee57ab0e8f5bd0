"""The examples and the documents are correct: each folder of examples/ runs and prints its
expected.txt, and what the documents name exists."""

import ast
import functools
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import BINARY, ROOT, TIMEOUT, Gateway, TestCase, clean_environment, main, run

EXAMPLES = sorted(path.parent.name for path in (ROOT / "examples").glob("*/try.sh"))
EXAMPLE_PORT = re.compile(r"\b287\d\d\b")  # What the examples' own servers listen on.
AT_A_TIME = 4
TRY_TIMEOUT = 4 * TIMEOUT  # A script makes many calls, and others run beside it.
CODE = re.compile(r"```.*?```", re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
SOURCE_FILE = re.compile(r"`((?:[a-z_]+/)+[a-z_]+\.(?:cc|h))`")
WHOLE_PROGRAM_TEST = re.compile(r"`(test_\w+)\.(\w+)\.(test_\w+)`")
UNIT_TEST = re.compile(r"`unit (\w+)\.(\w+)`")
SOURCE_NAME = re.compile(r"`([A-Z]\w+)::(\w+)(?:\(\))?`")
LOCATED_FUNCTION = re.compile(r"`((?:[a-z_]+/)+[a-z_]+\.cc)`:\s+`([a-z]\w+)(?:\(\))?`")
LOCATED_NAME = re.compile(r"`((?:[a-z_]+/)+[a-z_]+\.(?:cc|h))`:\s+`([A-Z]\w+)::(\w+)(?:\(\))?`")


def config_of(folder):
    return next(name for name in ("config.yaml", "config.json") if (folder / name).exists())


def free_ports(count):
    """Ports that nobody listens on, chosen by the system, in ascending order."""
    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = sorted(listener.getsockname()[1] for listener in listeners)
    for listener in listeners:
        listener.close()
    return ports


def copy_examples(target):
    """Copies examples/ and gives its servers free ports, so that several checkouts can be tested at
    the same time."""
    shutil.copytree(ROOT / "examples", target)
    target.parent.chmod(0o755)  # Sandboxes read files of examples as another user.
    texts = {}
    for path in target.rglob("*"):
        if path.is_file():
            try:
                texts[path] = path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue
    used = sorted({port for text in texts.values() for port in EXAMPLE_PORT.findall(text)})
    ports = dict(zip(used, map(str, free_ports(len(used)))))
    for path, text in texts.items():
        fresh = EXAMPLE_PORT.sub(lambda match: ports[match[0]], text)
        if fresh != text:
            path.write_text(fresh, encoding="utf-8")


@functools.cache
def source(name):
    path = ROOT / "src" / name
    return path.read_text(encoding="utf-8") if path.exists() else ""


def defines(name, owner, function):
    """Whether a source file defines owner::function, or its header does inside the class."""
    if re.search(rf"^\S.*\b{owner}::{function}\(", source(name), re.MULTILINE):
        return True
    header = source(str(pathlib.Path(name).with_suffix(".h")))
    body = re.search(rf"^(?:class|struct) (?:\[\[nodiscard\]\] )?{owner}\b[^;]*?{{.*?^}};", header,
                     re.MULTILINE | re.DOTALL)
    return bool(body and re.search(rf"\b{function}\([^;]*\) [^;]*{{", body.group(0)))


def defines_function(name, function):
    """Whether a source file defines a function that belongs to no class."""
    return bool(re.search(rf"^\S[^(;]*\b{function}\(", source(name), re.MULTILINE))


def documents():
    """Every Markdown file of the checkout that is ours."""
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [
            name
            for name in folders
            if name != "node_modules" and not name.startswith((".", "build"))
        ]
        yield from (pathlib.Path(folder, name) for name in files if name.endswith(".md"))


def read(*parts):
    return ROOT.joinpath(*parts).read_text(encoding="utf-8")


def sources():
    for path in sorted((ROOT / "src").rglob("*")):
        if path.suffix in (".cc", ".h"):
            yield path.read_text(encoding="utf-8")


class Examples(TestCase):
    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="patchbay-test-"))
        cls.copy = pathlib.Path(folder) / "examples"
        copy_examples(cls.copy)
        for script in cls.copy.glob("*/prepare.sh"):
            subprocess.run(["sh", script.name], cwd=script.parent, check=True, capture_output=True)

    def test_there_are_some(self):
        self.assertGreaterEqual(len(EXAMPLES), 5)

    def test_each_is_complete(self):
        for folder in (ROOT / "examples").iterdir():
            if not folder.is_dir():
                continue
            with self.subTest(folder.name):
                have = {path.name for path in folder.iterdir()}
                self.assertLessEqual({"README.md", "try.sh", "expected.txt"}, have)
                self.assertIn(f"({folder.name}/README.md)", read("examples", "README.md"))

    def test_each_configuration_is_valid(self):
        for name in EXAMPLES:
            with self.subTest(name):
                folder = self.copy / name
                path = f"{pathlib.Path(BINARY).parent}:{os.environ['PATH']}"
                done = run("check", config_of(folder), cwd=folder, env={"PATH": path})
                warnings = folder / "warnings.txt"
                expected = warnings.read_text(encoding="utf-8") if warnings.exists() else ""
                # What this machine lacks is no fault of the example.
                lacking = r"(?m)^warning: upstreams[.][\w-]+: cannot.*\n"
                warned = re.sub(lacking, "", done.stderr)
                self.assertEqual((done.returncode, done.stdout, warned), (0, "ok\n", expected))

    def test_each_prints_what_is_expected(self):
        with ThreadPoolExecutor(AT_A_TIME) as pool:
            runs = {name: pool.submit(self.try_out, self.copy / name) for name in EXAMPLES}
        for name, ran in runs.items():
            with self.subTest(name):
                output = ran.result()
                if output is None:
                    print(f"{name} is left out: this machine lacks what it needs")
                    continue
                expected = (self.copy / name / "expected.txt").read_text(encoding="utf-8")
                self.assertEqual(output, expected)

    @staticmethod
    def can_run(folder, path):
        if not (folder / "needs.sh").exists():
            return True
        env = clean_environment(PATH=path)
        done = subprocess.run(
            ["sh", "needs.sh"], cwd=folder, env=env, capture_output=True, check=False
        )
        return done.returncode == 0

    def try_out(self, folder):
        """The output of try.sh, or None where it cannot run."""
        path = f"{pathlib.Path(BINARY).parent}:{os.environ['PATH']}"
        if not self.can_run(folder, path):
            return None
        any_port = "127.0.0.1:0"
        args = ("-c", config_of(folder), "--tls-listen", any_port, "--wire-listen", any_port)
        with Gateway(args=args, cwd=folder, env={"PATH": path}) as gateway:
            secure = [line for line in gateway.stdout.lines if "https://" in line]
            port = secure[0].split("https://")[1].split()[0].rpartition(":")[2] if secure else ""
            wire = [line for line in gateway.stdout.lines if "wire tcp" in line]
            done = subprocess.run(
                ["sh", "try.sh"],
                cwd=folder,
                env=clean_environment(
                    PATH=path,
                    PATCHBAY_URL=gateway.url,
                    PATCHBAY_TLS_URL=f"https://localhost:{port}/mcp",
                    PATCHBAY_WIRE_URL=wire[0].split()[-1] if wire else "",
                ),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=TRY_TIMEOUT,
                check=False,
            )
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout


def tests_of(module):
    """(class, test) of a file of whole-program tests."""
    (path,) = (ROOT / "tests").glob(f"*/{module}.py")
    classes = ast.parse(path.read_text(encoding="utf-8")).body
    return {
        (owner.name, one.name)
        for owner in classes
        if isinstance(owner, ast.ClassDef)
        for one in owner.body
        if isinstance(one, ast.FunctionDef)
    }


class Documents(TestCase):
    def test_relative_links_lead_somewhere(self):
        for document in documents():
            for target in LINK.findall(CODE.sub("", document.read_text(encoding="utf-8"))):
                if re.match(r"[a-z]+:|#", target):
                    continue
                with self.subTest(document=str(document.relative_to(ROOT)), link=target):
                    self.assertTrue((document.parent / target.partition("#")[0]).exists())

    def test_the_readme_has_the_two_commands(self):
        text = read("README.md")
        self.assertIn("./dev serve", text)
        self.assertIn("./dev test", text)

    def test_files_in_the_life_of_a_call_exist(self):
        files = SOURCE_FILE.findall(read("docs", "life-of-a-call.md"))
        self.assertGreater(len(files), 20)
        for name in files:
            with self.subTest(name):
                self.assertTrue((ROOT / "src" / name).exists())

    def test_functions_in_the_life_of_a_call_exist(self):
        """`file`: `Class::function` is defined in that file, or in the header of the same name."""
        page = read("docs", "life-of-a-call.md")
        placed = LOCATED_NAME.findall(page)
        self.assertGreater(len(placed), 40)
        for name, owner, function in placed:
            with self.subTest(f"{name}: {owner}::{function}"):
                self.assertTrue(defines(name, owner, function))
        for name, function in LOCATED_FUNCTION.findall(page):
            with self.subTest(f"{name}: {function}"):
                self.assertTrue(defines_function(name, function))
        files = [str(path.relative_to(ROOT / "src")) for path in (ROOT / "src").rglob("*.cc")]
        for owner, function in set(SOURCE_NAME.findall(page)):
            with self.subTest(f"{owner}::{function}"):
                self.assertTrue(any(defines(name, owner, function) for name in files))

    def test_the_table_of_errors_is_that_of_the_code(self):
        codes = re.findall(r'CodeInfo\{"(\w+)", (\d+), (-\d+)\}', read("src", "core", "error.h"))
        row = re.compile(r"^\| `(\w+)` \| (\d+) \| (-\d+) \|", re.MULTILINE)
        rows = row.findall(read("docs", "mcp.md"))
        self.assertGreater(len(codes), 10)
        self.assertEqual(rows, codes)

    def test_the_tests_that_the_security_page_names_exist(self):
        text = read("docs", "security.md")
        named = set(WHOLE_PROGRAM_TEST.findall(text)) - {("test_x", "Class", "test_name")}
        self.assertGreater(len(named), 100)
        for module, owner, test in sorted(named):
            with self.subTest(f"{module}.{owner}.{test}"):
                self.assertIn((owner, test), tests_of(module))
        code = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*_test.cc"))
        unit_tests = set(re.findall(r"\bTEST(?:_F)?\((\w+), (\w+)\)", code))
        for suite, test in sorted(set(UNIT_TEST.findall(text)) - {("Suite", "Name")}):
            with self.subTest(f"{suite}.{test}"):
                self.assertTrue((suite, test) in unit_tests, f"src/ has no test {suite}.{test}")

    def test_every_metric_is_named(self):
        text = read("docs", "metrics.md")
        found = {name for code in sources() for name in re.findall(r'"(patchbay_\w+?)(?:_sum|_bucket)?"', code)}
        found = {name for name in found if not name.startswith("patchbay_console")}  # Cookies.
        self.assertGreater(len(found), 10)
        for name in sorted(found):
            with self.subTest(name):
                self.assertIn(f"`{name}`", text)

    def test_every_command_is_described(self):
        text = read("docs", "commands.md")
        names = re.findall(r'\badd(?:_subcommand)?\(\s*"(\w+)",', read("src", "cli", "main.cc"))
        self.assertGreater(len(names), 10)
        for name in names:
            with self.subTest(name):
                self.assertIn(f"## `patchbay {name}", text)


if __name__ == "__main__":
    main()
