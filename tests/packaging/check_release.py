"""The .deb packages are built in a fresh system of another release, installed there, and make a call: `./dev platform
RELEASE` runs this, as root. It takes as long as a build of a release.

The system has the network of this machine, from which it takes its packages. A release whose mirror cannot be reached
prints `left out`.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import fresh_system

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRATCH = pathlib.Path(os.environ.get("PATCHBAY_SCRATCH", tempfile.gettempdir()))
PACKAGES = "ca-certificates,iproute2,git"
IN_IT = """
set -e
mount -t proc proc "$1/proc"
mount --rbind /dev "$1/dev"
exec chroot "$1" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive sh -ec "$2"
"""
BUILD = "cd /src && ./dev package deb"
CALL = """
  ip link set lo up
  cd /tmp
  patchbay version
  patchbay-agent --version
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
"""


def run_in(folder, script, *isolation):
    command = ["unshare", "--mount", "--pid", "--fork", "--kill-child", *isolation, "sh", "-c", IN_IT, "sh", folder, script]
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout


def copy_checkout(to):
    """What is under version control, and nothing that was built."""
    to.mkdir()
    names = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True, capture_output=True).stdout
    archive = subprocess.run(["tar", "-C", ROOT, "--null", "-T", "-", "-c"], check=True, input=names, capture_output=True)
    subprocess.run(["tar", "-C", to, "-x"], check=True, input=archive.stdout)


def check(release, folder):
    fresh_system.make(release, folder, PACKAGES)
    for name in ("resolv.conf", "hosts"):
        shutil.copy(f"/etc/{name}", folder / "etc" / name)
    copy_checkout(folder / "src")
    run_in(folder, BUILD)
    run_in(folder, "apt-get install -y -qq --no-install-recommends /src/dist/patchbay*.deb")
    answer = run_in(folder, CALL, "--net").rstrip()
    print(answer, flush=True)
    if answer.split("\n")[-1] != "14":
        sys.exit(f"FAIL  {release}: the call printed something else than 14")
    to = ROOT / "dist" / release
    to.mkdir(parents=True, exist_ok=True)
    for package in (folder / "src" / "dist").glob("*.deb"):
        shutil.copy(package, to)
    print(f"ok    {release}: the packages are in dist/{release}")


def main():
    release = sys.argv[1]
    with tempfile.TemporaryDirectory(dir=SCRATCH) as folder:
        try:
            check(release, pathlib.Path(folder) / release)
        except fresh_system.LeftOut as reason:
            print(f"left out: {reason}")


if __name__ == "__main__":
    main()
