"""Fresh systems of other releases, each in a folder, for the tests of packages. They need root and debootstrap."""

import os
import pathlib
import shutil
import subprocess

UBUNTU_KEYS = pathlib.Path("/usr/share/keyrings/ubuntu-archive-keyring.gpg")
DEBIAN = "http://deb.debian.org/debian"
UBUNTU = "http://archive.ubuntu.com/ubuntu"
# Codename, mirror, script of debootstrap, and components.
RELEASES = {
    "debian-13": ("trixie", DEBIAN, "sid", "main"),
    "ubuntu-24.04": ("noble", UBUNTU, "gutsy", "main,universe"),
}


class LeftOut(Exception):
    """The system cannot be made here; the text says why."""


def make(release, folder, packages):
    """Makes the system in `folder`, which must not exist, with `packages`, names with commas between."""
    missing = [name for name in ("debootstrap", "unshare", "chroot") if not shutil.which(name)]
    missing += [] if os.geteuid() == 0 else ["root"]
    if missing:
        raise LeftOut(f"no {' and no '.join(missing)}")
    codename, mirror, script, components = RELEASES[release]
    options = []
    if mirror == UBUNTU and UBUNTU_KEYS.exists():
        options = [f"--keyring={UBUNTU_KEYS}"]
    elif mirror == UBUNTU:
        options = ["--no-check-gpg"]
        print("not checked: the signature of Ubuntu, whose keys are in the package ubuntu-keyring", flush=True)
    done = subprocess.run(
        ["debootstrap", "--variant=minbase", f"--components={components}", f"--include={packages}", *options,
         codename, folder, mirror, f"/usr/share/debootstrap/scripts/{script}"],
        capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise LeftOut(f"{codename} cannot be made from {mirror}: {done.stdout[-200:]}{done.stderr[-200:]}")
    sources = pathlib.Path(folder) / "etc/apt/sources.list"
    lines = [f"deb {mirror} {suite} {components.replace(',', ' ')}\n" for suite in (codename, f"{codename}-updates")]
    sources.write_text("".join(lines))
