"""podman for the tests of the image, with what a machine without all rights refuses left out.

Where `podman run` works, nothing is left out. Elsewhere (no CAP_SYS_RESOURCE, cgroups of both versions) the container
has no limits of its own: a program between podman and runc takes them out of its configuration, and podman runs in a
mount namespace in which /sys/fs/cgroup is version 2. Namespaces, user, capabilities, seccomp and the read-only root stay.
"""

import pathlib
import shlex
import subprocess

UNLIMITED = '''#!/usr/bin/python3
import json, os, sys
for option, name in (("--bundle", "config.json"), ("--process", "")):
    if option in sys.argv:
        path = os.path.join(sys.argv[sys.argv.index(option) + 1], name).rstrip("/")
        with open(path) as file:
            config = json.load(file)
        process = config.get("process", config)
        process.pop("rlimits", None)
        process.pop("oomScoreAdj", None)
        config.get("linux", {}).pop("resources", None)
        with open(path, "w") as file:
            json.dump(config, file)
os.execvp("runc", ["runc", *sys.argv[1:]])
'''


class Podman:
    def __init__(self, folder):
        """Keeps everything in `folder`."""
        self.limited = True
        self.command = ["podman", "--storage-driver", "vfs", "--root", f"{folder}/images", "--runroot", f"{folder}/run",
                        "--cgroup-manager", "cgroupfs", "--events-backend", "file"]
        self.runtime = pathlib.Path(folder) / "unlimited"

    def __call__(self, *args, check=True):
        command = shlex.join([*self.command, *map(str, args)])
        if not self.limited:
            command = f"umount -R /sys/fs/cgroup; mount -t cgroup2 cgroup2 /sys/fs/cgroup && exec {command}"
        shell = ["sh", "-c", command] if self.limited else ["unshare", "--mount", "--propagation", "private", "sh", "-c", command]
        done = subprocess.run(shell, capture_output=True, text=True, check=False)
        if check and done.returncode != 0:
            raise AssertionError(f"podman {' '.join(map(str, args))}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def load(self, file):
        """The name of the image in an archive, which runs from now on."""
        name = self("load", "-i", file).stdout.split()[-1]
        if self("run", "--rm", "--network", "none", name, "version", check=False).returncode != 0:
            print("left out: limits of the container, which this machine does not let podman set", flush=True)
            self.runtime.write_text(UNLIMITED, encoding="ascii")
            self.runtime.chmod(0o755)
            self.command += ["--runtime", str(self.runtime)]
            self.limited = False
        return name
