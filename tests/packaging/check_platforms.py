"""The archive in dist/ runs on the releases that docs/install.md names: `./dev package --test` runs this, as root.

Each release is made once with debootstrap, in a folder. In it, without a network, the gateway answers a call and stops,
and AppArmor reads the profile. A release whose mirror cannot be reached prints `left out`.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import fresh_system

ROOT = pathlib.Path(__file__).resolve().parents[2]
DIST = pathlib.Path(os.environ.get("PATCHBAY_DIST", ROOT / "dist"))
SCRATCH = pathlib.Path(os.environ.get("PATCHBAY_SCRATCH", tempfile.gettempdir()))
# In the system: the profile, the program, a call, the stop.
CALL = """
set -e
ip link set lo up 2>/dev/null || true
mount -t proc proc "$1/proc"
mount --bind /dev "$1/dev"
exec chroot "$1" /bin/sh -ec '
  export PATH=/opt/patchbay/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
  apparmor_parser -Q -K /opt/patchbay/share/patchbay/apparmor/patchbay 2>/dev/null
  patchbay-agent --version
  cd /tmp
  patchbay serve --listen 127.0.0.1:8080 >log 2>&1 &
  gateway=$!
  tries=0
  until patchbay status >/dev/null 2>&1; do
    tries=$((tries + 1))
    [ $tries -lt 60 ] || { cat log; exit 1; }
    sleep 0.5
  done
  patchbay call skills__calculate "expression=2 + 3 * 4"
  kill $gateway
  wait $gateway
'
"""


class Platforms(unittest.TestCase):
    def system(self, release):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(dir=SCRATCH))) / release
        try:
            fresh_system.make(release, folder, "apparmor,ca-certificates,iproute2")
        except fresh_system.LeftOut as reason:
            print(f"left out: {reason}", flush=True)
            self.skipTest(str(reason))
        return folder

    def assert_runs(self, folder):
        archive = next(path for path in DIST.glob("patchbay-*-linux-x86_64.tar.zst"))
        place = folder / "opt" / "patchbay"
        place.mkdir(parents=True)
        subprocess.run(["tar", "-C", place, "--strip-components=1", "-xf", archive], check=True)
        done = subprocess.run(["unshare", "--mount", "--pid", "--fork", "--kill-child", "--net", "sh", "-c", CALL, "sh", folder],
                              capture_output=True, text=True, check=False, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout.split("\n")[-2], "14", done.stdout)

    def test_debian_13(self):
        self.assert_runs(self.system("debian-13"))

    def test_ubuntu_24_04(self):
        self.assert_runs(self.system("ubuntu-24.04"))


if __name__ == "__main__":
    sys.exit(unittest.main())
