"""The words and the examples are kept true: each folder of examples/ is run and compared with what
it promises, and what the documents name must exist."""

import ast
import functools
import os
import pathlib
import re
import subprocess

from harness import BINARY, PATIENCE, ROOT, Gateway, TestCase, clean_environment, main, run

EXAMPLES = sorted(path.parent for path in (ROOT / "examples").glob("*/try.sh"))
CODE = re.compile(r"```.*?```", re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
SOURCE_FILE = re.compile(r"`((?:[a-z_]+/)+[a-z_]+\.(?:cc|h))`")
WHOLE_PROGRAM_TEST = re.compile(r"`(test_\w+)\.(\w+)\.(test_\w+)`")
UNIT_TEST = re.compile(r"`unit (\w+)\.(\w+)`")
SOURCE_NAME = re.compile(r"`([A-Z]\w+)::(\w+)(?:\(\))?`")
LOCATED_NAME = re.compile(r"`((?:[a-z_]+/)+[a-z_]+\.(?:cc|h))`:\s+`([A-Z]\w+)::(\w+)(?:\(\))?`")


def config_of(folder):
    return next(name for name in ("config.yaml", "config.json") if (folder / name).exists())


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


class Examples(TestCase):
    @classmethod
    def setUpClass(cls):
        for folder in EXAMPLES:
            if (folder / "prepare.sh").exists():
                subprocess.run(["sh", "prepare.sh"], cwd=folder, check=True, capture_output=True)

    def test_there_are_some(self):
        self.assertGreaterEqual(len(EXAMPLES), 5)

    def test_each_is_whole(self):
        for folder in (ROOT / "examples").iterdir():
            if not folder.is_dir():
                continue
            with self.subTest(folder.name):
                have = {path.name for path in folder.iterdir()}
                self.assertLessEqual({"README.md", "try.sh", "expected.txt"}, have)
                self.assertIn(f"({folder.name}/README.md)", read("examples", "README.md"))

    def test_each_configuration_is_good(self):
        for folder in EXAMPLES:
            with self.subTest(folder.name):
                done = run("check", config_of(folder), cwd=folder)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "ok\n", ""))

    def test_each_does_what_it_says(self):
        for folder in EXAMPLES:
            if not self.can_run(folder):
                print(f"{folder.name} is left out: this machine has not what it needs")
                continue
            with self.subTest(folder.name):
                self.assertEqual(self.try_out(folder), read(folder, "expected.txt"))

    @staticmethod
    def can_run(folder):
        if not (folder / "needs.sh").exists():
            return True
        path = f"{pathlib.Path(BINARY).parent}:{os.environ['PATH']}"
        env = clean_environment(PATH=path)
        done = subprocess.run(
            ["sh", "needs.sh"], cwd=folder, env=env, capture_output=True, check=False
        )
        return done.returncode == 0

    def try_out(self, folder):
        path = f"{pathlib.Path(BINARY).parent}:{os.environ['PATH']}"
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
                timeout=PATIENCE,
                check=False,
            )
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout


def tests_of(module):
    """(class, test) of a file of whole-program tests."""
    classes = ast.parse(read("tests", f"{module}.py")).body
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

    def test_the_readme_shows_the_two_commands(self):
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
        for suite, test in sorted(set(UNIT_TEST.findall(text)) - {("Suite", "Name")}):
            with self.subTest(f"{suite}.{test}"):
                self.assertRegex(code, rf"TEST(_F)?\({suite}, {test}\)")

    def test_every_metric_is_named(self):
        text = read("docs", "operations.md")
        found = {name for code in sources() for name in re.findall(r'"(patchbay_\w+)"', code)}
        self.assertGreater(len(found), 10)
        for name in sorted(found):
            with self.subTest(name):
                self.assertIn(f"`{name}`", text)

    def test_every_command_is_described(self):
        text = read("docs", "commands.md")
        for name in re.findall(r'add_subcommand\("(\w+)"', read("src", "app", "main.cc")):
            with self.subTest(name):
                self.assertIn(f"## `patchbay {name}", text)


if __name__ == "__main__":
    main()
