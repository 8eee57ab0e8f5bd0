"""The recipes of docs/extending.md are correct: their code, put where each block says, compiles.

A block begins with a comment that names its file and, if that file exists already, the place in it.
The sources are left alone: changed copies lie in a folder in which the compiler looks first. Only
the syntax and the types are checked, in one run of the compiler, with the options of the build.
"""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import textwrap
import unittest

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import BINARY, ROOT, TestCase, main

PAGE = ROOT / "docs" / "extending.md"
SOURCES = ROOT / "src"
COMMANDS = pathlib.Path(BINARY).parent / "compile_commands.json"
BLOCK = re.compile(r"^( *)```cpp\n(.*?)^\1```$", re.M | re.S)
HEAD = re.compile(r"// (\S+\.(?:cc|h))(?:, (.+))?\n")

# What a place is, for a person and for a copy: the block goes before this text.
PLACES = {
    ("app/registry.cc", "among the includes"): '#include "skills/echo.h"',
    ("app/registry.cc", "in kSkills"): "&kCalculatorSkill",
    ("app/registry.cc", "among the functions"): "template <config::Section S>\nconstexpr UpstreamKind kind_of",
    ("app/registry.cc", "in kUpstreamKinds"): 'kind_of<upstreams::StdioSettings>("stdio"',
    ("app/registry_frontends.cc", "among the includes"): '#include "frontends/goal/frontend.h"',
    ("app/registry_frontends.cc", "among the functions"): "// The row of a frontend.",
    ("app/registry_frontends.cc", "in kFrontends"): "row<frontends::SharedMcpFrontend",
    ("app/settings.h", "among the includes"): '#include "frontends/console/settings.h"',
    ("app/settings.h", "in Settings"): "frontends::ConsoleSettings console;",
    ("app/settings.cc", "in the fields of Settings"): '{"console", &app::Settings::console',
    ("cli/commands.h", "at the end"): "}  // namespace patchbay::app",
    ("cli/main.cc", "in add_configuration()"): 'auto& check = add("check"',
    ("cli/main.cc", "among the members"): "app::HelpOptions help_options_;",
    ("osquery/tables/all.h", "among the tables"): "extern const Table kProcessMemoryMap;",
    ("osquery/tables/all.cc", "in kTables"): "&kProcessMemoryMap,",
}


def blocks(page):
    """The file, the place in it (None: it is new), and the code of each block."""
    for indent, text in BLOCK.findall(page):
        code = textwrap.dedent(text) if indent else text
        head = HEAD.match(code)
        assert head, f"no file is named: {code[:80]!r}"
        yield head[1], head[2], code


def changed_sources(page):
    """The contents of the files that the page adds or changes."""
    files = {}
    for path, place, code in blocks(page):
        if place is None:
            assert path not in files and not (SOURCES / path).exists(), path
            files[path] = code
            continue
        text = files.get(path) or (SOURCES / path).read_text()
        before = PLACES[path, place]
        assert text.count(before) == 1, f"{path}: {before!r} is there {text.count(before)} times"
        files[path] = text.replace(before, code.split("\n", 1)[1] + before)
    return files


def compiler():
    """The compiler and its options, as the build runs it for cli/main.cc."""
    entries = json.loads(COMMANDS.read_text())
    entry = next(one for one in entries if one["file"].endswith("/src/cli/main.cc") or "patchbay.dir" in one["command"])
    arguments = shlex.split(entry["command"])
    at = next(i for i, one in enumerate(arguments) if re.search(r"clang\+\+(-\d+)?$|g\+\+(-\d+)?$", one))
    options = [one for one in arguments[at + 1 :] if re.match(r"-(I|isystem|D|std|W|f(?!file))", one)]
    return [arguments[at], *options], entry["directory"]


class Recipes(TestCase):
    @unittest.skipUnless(COMMANDS.exists(), "the program was not built here")
    def test_the_code_of_the_page_compiles(self):
        files = changed_sources(PAGE.read_text())
        command, folder = compiler()
        with tempfile.TemporaryDirectory() as name:
            for path, text in files.items():
                target = pathlib.Path(name) / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text)
            sources = sorted((path for path in files if path.endswith(".cc")), key=lambda path: path == "cli/main.cc")
            whole = "".join(f'#include "{path}"\n' for path in sources)
            done = subprocess.run(
                [command[0], f"-I{name}", *command[1:], "-fsyntax-only", "-x", "c++", "-"],
                input=whole, text=True, capture_output=True, cwd=folder, env={**os.environ, "LC_ALL": "C"},
            )
        self.assertEqual(done.returncode, 0, done.stderr[:6000])

    def test_every_place_is_used(self):
        used = {(path, place) for path, place, _ in blocks(PAGE.read_text()) if place}
        self.assertEqual(set(PLACES), used)


main()
