"""The sources of the console: strict types and style, and the unit tests of its logic, in Node."""

import gzip
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import ROOT
from waiting import TIMEOUT

CONSOLE = ROOT / "web" / "console"
STATIC_IMPORT = re.compile(r'(?:from|import)\s*"\./([^"]+)"')


class Sources(unittest.TestCase):
    def setUp(self):
        if not shutil.which("npm") or not (CONSOLE / "node_modules" / "esbuild").exists():
            print("the sources of the console were left out: its npm packages are not there", flush=True)
            self.skipTest("the npm packages of the console are not there")

    def run_script(self, name):
        done = subprocess.run(
            ["npm", "run", "--silent", name],
            cwd=CONSOLE,
            text=True,
            capture_output=True,
            timeout=4 * TIMEOUT,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stdout[-6000:] + done.stderr[-2000:])
        return done.stdout

    def test_types_and_style(self):
        self.run_script("lint")

    def test_logic(self):
        self.assertIn("# fail 0", self.run_script("test"))

    def test_the_first_view_is_small(self):
        dist = CONSOLE / "dist"
        if not dist.exists():
            self.skipTest("the console is not built")
        page = (dist / "index.html").read_text(encoding="utf-8")
        files = [file for file in (dist / "assets").iterdir() if file.name in page]
        self.assertEqual(len(files), 2)
        imported = self.imported_by(files)
        size = sum(len(gzip.compress(file.read_bytes())) for file in imported)
        self.assertLessEqual(size, 200 * 1024)
        self.assertNotIn("<style", page)
        self.assertNotIn("://", page)

    @staticmethod
    def imported_by(files):
        """With what they import at once; pages that are loaded later are not in it."""
        known = set(files)
        todo = list(files)
        while todo:
            file = todo.pop()
            if file.suffix != ".js":
                continue
            for name in STATIC_IMPORT.findall(file.read_text(encoding="utf-8")):
                found = file.parent / name
                if found not in known:
                    known.add(found)
                    todo.append(found)
        return known


if __name__ == "__main__":
    unittest.main()
