"""./dev on a machine that lacks packages: what it installs before it builds and runs."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import ROOT

PROGRAM = "#!/bin/sh\n"


class Packages(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        shutil.copy(ROOT / "dev", self.root / "dev")
        shutil.copy(ROOT / "CMakePresets.json", self.root)
        self.log = self.root / "log"
        # Stand-ins for everything that would change the machine or take its time.
        for name in ("apt-get", "sudo", "npm", "cmake", "ninja"):
            self.program(f"bin/{name}", f'echo {name} "$@" >>{self.log}')
        self.program("build/patchbay", f'echo patchbay "$@" >>{self.log}')
        (self.root / "web" / "node_modules").mkdir(parents=True)
        (self.root / "web" / "package-lock.json").touch()

    def program(self, name, body):
        path = self.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(PROGRAM + body + "\n", encoding="utf-8")
        path.chmod(0o755)

    def installed_by(self, command, missing):
        """The packages that ./dev asks for where those in `missing` are not installed."""
        keep = "|".join(missing)
        self.program(
            "bin/dpkg-query",
            f'shift 3; for one; do case $one in {keep}) ;; *) printf "%s:installed " $one;; esac; done',
        )
        done = subprocess.run(
            [self.root / "dev", command],
            env={**os.environ, "PATH": f"{self.root}/bin:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = self.log.read_text(encoding="utf-8").splitlines()
        args = next((line for line in lines if " install " in line), "").split()
        return {word for word in args if word in missing}, lines[-1]

    def test_serve_brings_what_sandboxes_need(self):
        installed, last = self.installed_by("serve", ["bubblewrap", "ninja-build"])
        self.assertEqual(installed, {"bubblewrap", "ninja-build"})
        self.assertEqual(last, "patchbay serve")


if __name__ == "__main__":
    unittest.main()
