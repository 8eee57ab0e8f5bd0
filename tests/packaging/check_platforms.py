"""The archive in dist/ runs on the releases that docs/install.md names: `./dev package --test` runs this, as root.

Each release is made once with debootstrap, in a folder. In it, without a network, the gateway answers a call and stops,
and AppArmor reads the profile. A release whose mirror cannot be reached prints `left out`.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DIST = pathlib.Path(os.environ.get("PATCHBAY_DIST", ROOT / "dist"))
SCRATCH = pathlib.Path(os.environ.get("PATCHBAY_SCRATCH", tempfile.gettempdir()))
UBUNTU_KEYS = pathlib.Path("/usr/share/keyrings/ubuntu-archive-keyring.gpg")
DEBIAN = "http://deb.debian.org/debian"
UBUNTU = "http://archive.ubuntu.com/ubuntu"
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
    def system(self, codename, mirror, *options):
        missing = [name for name in ("debootstrap", "unshare", "chroot") if not shutil.which(name)]
        missing += [] if os.geteuid() == 0 else ["root"]
        if missing:
            self.leave_out(f"no {' and no '.join(missing)}")
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(dir=SCRATCH))) / codename
        done = subprocess.run(["debootstrap", "--variant=minbase", "--include=apparmor,ca-certificates,iproute2",
                               *options, codename, folder, mirror, "/usr/share/debootstrap/scripts/" +
                               ("gutsy" if mirror == UBUNTU else "sid")], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            self.leave_out(f"{codename} cannot be made from {mirror}: {done.stdout[-200:]}{done.stderr[-200:]}")
        return folder

    def leave_out(self, reason):
        print(f"left out: {reason}", flush=True)
        self.skipTest(reason)

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
        self.assert_runs(self.system("trixie", DEBIAN))

    def test_ubuntu_24_04(self):
        options = [f"--keyring={UBUNTU_KEYS}"] if UBUNTU_KEYS.exists() else ["--no-check-gpg"]
        if not UBUNTU_KEYS.exists():
            print("not checked: the signature of Ubuntu, whose keys are in the package ubuntu-keyring", flush=True)
        self.assert_runs(self.system("noble", UBUNTU, *options))


if __name__ == "__main__":
    sys.exit(unittest.main())
