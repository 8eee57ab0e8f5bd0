"""The peers that come from npm: how they are installed, and the Node that runs them.

They go to tests/peers/node_modules, pinned by lock files. Where npm or its registry cannot be
reached, LeftOut gives the reason in one line, and the tests that need them are skipped.
"""

import fcntl
import os
import pathlib
import re
import shutil
import subprocess

PEERS = pathlib.Path(__file__).resolve().parents[1] / "peers"
MODULES = PEERS / "node_modules"
OWN_NODE = PEERS / "node"  # A folder with a lock file of its own: it is large and rarely needed.

INSTALL_S = 240


class LeftOut(Exception):
    """Why the peers cannot be had here."""


def npm_ci(folder):
    """Does nothing when what the lock file names is already there. Two test files may want the same
    at the same time, so one waits for the other."""
    lock = folder / "package-lock.json"
    stamp = folder / "node_modules" / ".installed-from"
    with lock.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        if stamp.exists() and stamp.read_bytes() == lock.read_bytes():
            return
        run_npm("ci", "--ignore-scripts", cwd=folder)
        stamp.write_bytes(lock.read_bytes())


def npm_native(folder, package, binary, env):
    """The compiled part of a package: fetched ready-made, or compiled, which takes minutes and is
    done only where PATCHBAY_BUILD_PEERS is set (as `./dev soak` does)."""
    home = folder / "node_modules" / package
    with (folder / "package-lock.json").open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        if (home / binary).exists():
            return
        if os.environ.get("PATCHBAY_BUILD_PEERS"):
            run_npm("rebuild", package, cwd=folder, env=env)
        else:
            fetch = [str(folder / "node_modules" / ".bin" / "node-pre-gyp"), "install"]
            done = subprocess.run(fetch, cwd=home, capture_output=True, check=False)
            if done.returncode != 0:
                raise LeftOut(f"{package} is not there ready-made; ./dev soak compiles it")


def run_npm(*arguments, cwd, env=None):
    command = ["npm", *arguments, "--no-audit", "--no-fund", "--fetch-retries=1", "--loglevel=error"]
    try:
        done = subprocess.run(
            command,
            cwd=cwd,
            env=os.environ | (env or {}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=INSTALL_S,
            check=False,
        )
    except FileNotFoundError:
        raise LeftOut("there is no npm") from None
    except subprocess.TimeoutExpired:
        raise LeftOut(f"npm did not finish in {INSTALL_S} s") from None
    if done.returncode != 0:
        raise LeftOut((done.stdout.strip().splitlines() or ["npm failed"])[0])


def node_version(node):
    try:
        reply = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return 0
    match = re.match(r"v(\d+)\.", reply)
    return int(match[1]) if match else 0


def find_node(oldest):
    """A node that is new enough: the system's, or one of our own."""
    found = shutil.which("node")
    if found and node_version(found) >= oldest:
        return found
    npm_ci(OWN_NODE)
    for own in OWN_NODE.glob("node_modules/node-linux-*/bin/node"):
        if node_version(str(own)) >= oldest:
            return str(own)
    raise LeftOut(f"there is no node of version {oldest} or newer")


def install(oldest_node):
    """The node to run the peers with, once everything is installed."""
    node = find_node(oldest_node)
    npm_ci(PEERS)
    return node
