"""Configurations of 0.1 still load: the files in v0_1/ are those of its examples and its documentation, unchanged.

Settings that have been renamed since are reported by their new names; what is refused on purpose is in
docs/upgrade.md, and here as such.
"""

import pathlib
import shutil
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../lib")

from certificates import Authority
from harness import TestCase, main, run

FILES = pathlib.Path(__file__).parent / "v0_1"
# Not a configuration of a gateway, or not a configuration.
OTHERS = {"osquery-server.yaml", "library-document.yaml"}
REFUSED = {"upstream-oauth.yaml": "issuer or token_url is missing"}


class ConfigurationOf01(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        for file in FILES.iterdir():
            shutil.copy(file, cls.folder / file.name)
            (cls.folder / file.name).chmod(0o600)
        # What the files name beside themselves.
        shutil.copy(FILES / "library-document.yaml", cls.folder / "library.yaml")
        Authority(cls.folder).server()
        (cls.folder / "client-secret.txt").write_text("secret\n", encoding="ascii")

    def test_each_file_loads(self):
        files = sorted(path.name for path in FILES.iterdir() if path.name not in {*OTHERS, *REFUSED})
        self.assertGreater(len(files), 30)
        for name in files:
            with self.subTest(name):
                done = run("check", name, cwd=self.folder)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_renamed_settings_are_named(self):
        done = run("check", "approval.yaml", cwd=self.folder)
        self.assertIn("approvals.expires is now called approvals.ttl", done.stderr + done.stdout)

    def test_what_is_refused_says_what_is_missing(self):
        for name, reason in REFUSED.items():
            with self.subTest(name):
                done = run("check", name, cwd=self.folder)
                self.assertEqual(done.returncode, 3, done.stdout)
                self.assertIn(reason, done.stdout + done.stderr)

    def test_osquery_server(self):
        done = run("osquery", "-c", "osquery-server.yaml", cwd=self.folder, stdin="")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("rows is now called max_rows", done.stderr)


if __name__ == "__main__":
    main()
