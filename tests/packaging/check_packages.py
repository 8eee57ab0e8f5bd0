"""The packages in dist/ work: `./dev package --test` runs this. It needs root, debootstrap, systemd-nspawn and minutes.

A fresh Debian system is made once in a temporary folder. The .deb files are installed, upgraded, removed and purged
there under a running systemd, which starts, reloads, restarts and stops the service. The archive runs from a folder of
its own, its object files are linked again, and the image is run. Each check that lacks its tool prints `left out`.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from podman import Podman

ROOT = pathlib.Path(__file__).resolve().parents[2]
DIST = pathlib.Path(os.environ.get("PATCHBAY_DIST", ROOT / "dist"))
SCRATCH = pathlib.Path(os.environ.get("PATCHBAY_SCRATCH", tempfile.gettempdir()))
STARTED_S = 180
TOKEN = "0123456789abcdef0123456789abcdef"


def run(*command, check=True, **options):
    done = subprocess.run([str(arg) for arg in command], capture_output=True, text=True, check=False, **options)
    if check and done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def need(case, *programs):
    missing = [name for name in programs if not shutil.which(name)]
    if os.geteuid() != 0:
        missing.append("root")
    if missing:
        print(f"left out: no {' and no '.join(missing)}", flush=True)
        case.skipTest(f"no {' and no '.join(missing)}")


def mirror():
    """The release of this machine and where its packages come from."""
    done = run("apt-get", "indextargets", "--format", "$(REPO_URI) $(CODENAME)", "Component: main")
    codename = re.search(r"^VERSION_CODENAME=(\w+)", pathlib.Path("/etc/os-release").read_text(), re.M)[1]
    rows = [line.split() for line in done.stdout.splitlines()]
    return codename, next(uri for uri, suite in rows if suite == codename)


def package(name, folder=DIST):
    return next(path for path in folder.glob(f"{name}_*.deb"))


def wait_for(condition, what):
    end = time.monotonic() + STARTED_S
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not within {STARTED_S} s")
        time.sleep(0.2)


class Machine:
    """A Debian system under systemd, in a folder, without a network but for loopback."""

    def __init__(self, folder):
        self.folder, self.process, self.pid = folder, None, None

    def start(self):
        # /proc as on a real machine: what nspawn covers there would keep sandboxes from mounting theirs.
        env = os.environ | {"SYSTEMD_NSPAWN_API_VFS_WRITABLE": "1"}
        self.log = open(self.folder.parent / "boot.log", "w", encoding="utf-8")
        self.process = subprocess.Popen(
            ["systemd-nspawn", "-q", "-D", self.folder, "--register=no", "--keep-unit", "--private-network",
             "--console=pipe", "-b"], stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT, env=env)
        wait_for(self.find_init, "start of systemd")
        wait_for(lambda: self.shell("systemctl is-system-running", check=False).stdout.strip() in
                 ("running", "degraded"), "start of the system")
        self.shell("ip link set lo up 2>/dev/null || true; awk '$2 ~ \"^/proc/.\" { print $2 }' /proc/mounts | "
                   "sort -r | while read -r path; do umount \"$path\" || true; done")

    def find_init(self):
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        self.pid = next((int(pid) for pid in children.read_text().split()), None)
        return self.pid is not None

    def shell(self, script, check=True):
        return run("nsenter", "-t", self.pid, "-a", "/bin/sh", "-c",
                   f"export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive; {script}",
                   check=check)

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.base = None

    @classmethod
    def tearDownClass(cls):
        if cls.base:
            shutil.rmtree(cls.base, ignore_errors=True)

    def system(self):
        """A fresh copy of the Debian system, which is made once, with the libraries that the packages need."""
        need(self, "debootstrap", "systemd-nspawn", "nsenter")
        if not Packages.base:
            Packages.base = pathlib.Path(tempfile.mkdtemp(prefix="patchbay-packages-", dir=SCRATCH))
            codename, uri = mirror()
            run("debootstrap", "--variant=minbase", "--include=systemd,systemd-sysv,curl,procps,iproute2,adduser",
                codename, Packages.base / "debian", uri)
            folder = Packages.base / "debian"
            shutil.copytree(DIST, folder / "dist", ignore=lambda _, names: [n for n in names if not n.endswith(".deb")])
            # Only what they depend on: they are installed by the tests.
            wanted = run("dpkg-deb", "-f", package("patchbay"), "Depends").stdout
            names = [part.split()[0] for part in wanted.split(",") if part.strip()]
            run("chroot", folder, "apt-get", "install", "-y", "-qq", "--no-install-recommends", "bubblewrap", "python3",
                *names, env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"})
        folder = pathlib.Path(tempfile.mkdtemp(dir=Packages.base)) / "machine"
        run("cp", "-a", Packages.base / "debian", folder)
        self.addCleanup(shutil.rmtree, folder.parent, ignore_errors=True)
        return folder

    def machine(self):
        machine = Machine(self.system())
        machine.start()
        self.addCleanup(machine.stop)
        return machine

    def state(self, machine):
        return machine.shell("systemctl is-active patchbay.service", check=False).stdout.strip()

    def assert_serves(self, machine):
        answer = machine.shell("patchbay call skills__calculate expression='2 + 3 * 4'", check=False)
        self.assertEqual(answer.stdout.strip(), "14", answer.stderr + machine.shell(
            "journalctl -u patchbay --no-pager | tail -30", check=False).stdout)

    def test_install_upgrade_purge(self):
        machine = self.machine()
        newer = pathlib.Path(machine.folder) / "newer"
        repack(package("patchbay"), newer, machine.folder.parent)
        machine.shell("dpkg -i /dist/patchbay_*.deb /dist/patchbay-agent_*.deb")
        self.assertEqual(self.state(machine), "active")
        self.assertEqual(machine.shell("systemctl is-enabled patchbay.service").stdout.strip(), "enabled")
        socket = machine.shell("systemctl is-enabled patchbay.socket", check=False).stdout.strip()
        self.assertEqual(socket, "disabled")
        self.assert_serves(machine)
        pid = self.main_pid(machine)
        machine.shell("echo '# A line of the administrator.' >> /etc/patchbay/patchbay.yaml")
        machine.shell("dpkg --force-confdef --force-confold -i /newer/patchbay_*.deb")
        self.assertIn("9.9.9", machine.shell("dpkg-query -W patchbay").stdout)
        self.assertEqual(self.state(machine), "active")
        self.assertNotEqual(self.main_pid(machine), pid)
        self.assertIn("A line of the administrator", machine.shell("cat /etc/patchbay/patchbay.yaml").stdout)
        self.assert_serves(machine)
        machine.shell("apt-get remove -y -qq patchbay")
        self.assertNotEqual(self.state(machine), "active")
        machine.shell("test -e /etc/patchbay/patchbay.yaml && test -e /var/lib/private/patchbay")
        machine.shell("apt-get purge -y -qq patchbay patchbay-agent")
        left = machine.shell("find / -xdev -path /dist -prune -o -path /newer -prune -o -path /proc -prune -o "
                             "-path /var/log -prune -o -path /tmp -prune -o -name '*patchbay*' -print").stdout.split()
        self.assertEqual([path for path in left if not path.startswith(("/run/", "/sys/"))], [])

    def main_pid(self, machine):
        return machine.shell("systemctl show -p MainPID --value patchbay.service").stdout.strip()

    def test_service(self):
        machine = self.machine()
        machine.shell("dpkg -i /dist/patchbay_*.deb /dist/patchbay-agent_*.deb")
        self.assertEqual(self.state(machine), "active")
        user = machine.shell(f"ps -o uid= -p {self.main_pid(machine)}").stdout.strip()
        self.assertGreaterEqual(int(user), 61184, "a dynamic user")
        self.assertEqual(machine.shell("systemctl show -p WatchdogUSec --value patchbay").stdout.strip(), "30s")
        machine.shell("systemctl reload patchbay")
        self.assertEqual(self.state(machine), "active")
        before = self.main_pid(machine)
        machine.shell("systemctl restart patchbay")
        self.assertNotEqual(self.main_pid(machine), before)
        self.assert_serves(machine)
        machine.shell("systemctl stop patchbay")
        self.assertEqual(self.state(machine), "inactive")
        self.assertEqual(machine.shell("systemctl show -p Result --value patchbay").stdout.strip(), "success")

    def test_a_frozen_gateway_is_restarted(self):
        machine = self.machine()
        machine.shell("dpkg -i /dist/patchbay_*.deb; mkdir -p /run/systemd/system/patchbay.service.d; "
                      "printf '[Service]\\nWatchdogSec=2s\\n' > /run/systemd/system/patchbay.service.d/w.conf; "
                      "systemctl daemon-reload; systemctl restart patchbay")
        before = self.main_pid(machine)
        machine.shell(f"kill -STOP {before}")
        wait_for(lambda: self.main_pid(machine) not in (before, "0") and self.state(machine) == "active", "restart")
        self.assert_serves(machine)

    def test_socket_activation(self):
        machine = self.machine()
        machine.shell("dpkg -i /dist/patchbay_*.deb; systemctl stop patchbay; systemctl start patchbay.socket")
        self.assertEqual(self.state(machine), "inactive")
        self.assert_serves(machine)
        self.assertEqual(self.state(machine), "active")
        # Connections wait in the socket while the service restarts.
        machine.shell("systemctl restart --no-block patchbay; curl -fsS --max-time 30 http://127.0.0.1:8080/health")

    def test_a_new_process_takes_over(self):
        machine = self.machine()
        machine.shell("dpkg -i /dist/patchbay_*.deb")
        before = self.main_pid(machine)
        machine.shell("systemctl kill --kill-whom=main --signal=USR2 patchbay")
        wait_for(lambda: self.main_pid(machine) not in (before, "0"), "another main process")
        wait_for(lambda: machine.shell(f"test ! -e /proc/{before}", check=False).returncode == 0, "end of the first")
        self.assertEqual(self.state(machine), "active")
        self.assertEqual(machine.shell("systemctl show -p NRestarts --value patchbay").stdout.strip(), "0")
        self.assert_serves(machine)

    def test_programs_of_upstreams_run_in_the_strict_service(self):
        machine = self.machine()
        shutil.copy(ROOT / "examples" / "stdio-child" / "calc_server.py", machine.folder / "usr" / "local" / "calc.py")
        (machine.folder / "calc.yaml").write_text(
            "listen: 127.0.0.1:8080\nupstreams:\n  skills: { kind: builtin }\n"
            "  calc: { kind: stdio, command: python3, args: [/usr/local/calc.py] }\n")
        machine.shell("dpkg -i /dist/patchbay_*.deb; cp /calc.yaml /etc/patchbay/patchbay.yaml; "
                      "systemctl restart patchbay")
        self.assertEqual(self.state(machine), "active")
        wait_for(lambda: "calc" in machine.shell("patchbay tools", check=False).stdout, "tools of the program")

    def test_a_secret_is_a_credential(self):
        machine = self.machine()
        (machine.folder / "token.yaml").write_text(
            "listen: 127.0.0.1:8080\nupstreams: { skills: { kind: builtin } }\n"
            "auth: { tokens: [{ name: me, token: \"${file:/run/credentials/patchbay.service/token}\" }] }\n")
        machine.shell(
            f"dpkg -i /dist/patchbay_*.deb; (umask 077; echo {TOKEN} > /etc/patchbay/token); "
            "cp /token.yaml /etc/patchbay/patchbay.yaml; mkdir -p /etc/systemd/system/patchbay.service.d; "
            "printf '[Service]\\nLoadCredential=token:/etc/patchbay/token\\n' > "
            "/etc/systemd/system/patchbay.service.d/secrets.conf; systemctl daemon-reload; systemctl restart patchbay",
            check=False)
        self.assertEqual(self.state(machine), "active", machine.shell("journalctl -u patchbay | tail -20").stdout)
        refused = machine.shell("patchbay call skills__calculate expression=1", check=False)
        self.assertNotEqual(refused.returncode, 0)
        done = machine.shell(f"PATCHBAY_TOKEN={TOKEN} patchbay call skills__calculate expression='2 + 3 * 4'")
        self.assertEqual(done.stdout.strip(), "14")

    def test_sandboxes_run_with_the_drop_in(self):
        machine = self.machine()
        (machine.folder / "box.yaml").write_text(
            "listen: 127.0.0.1:8080\nupstreams:\n  box:\n    kind: sandbox\n"
            "    limits: { not_required: [memory, swap, pids, cpu, io] }\n")
        machine.shell(
            "dpkg -i /dist/patchbay_*.deb /dist/patchbay-agent_*.deb; cp /box.yaml /etc/patchbay/patchbay.yaml; "
            "useradd --system --home-dir /var/lib/patchbay --shell /usr/sbin/nologin patchbay; install -D -m 644 /usr/share/doc/patchbay/examples/sandbox.conf "
            "/etc/systemd/system/patchbay.service.d/sandbox.conf; systemctl daemon-reload; systemctl restart patchbay")
        self.assertEqual(self.state(machine), "active", machine.shell("journalctl -u patchbay | tail -20").stdout)
        done = machine.shell("patchbay call box__run_command command='echo uid $(id -u)'", check=False)
        self.assertIn("uid 1000", done.stdout, done.stderr + machine.shell(
            "journalctl -u patchbay --no-pager | tail -30", check=False).stdout)


def repack(path, folder, scratch):
    """The same package with a higher version."""
    folder.mkdir()
    tree = scratch / "repacked"
    run("dpkg-deb", "-R", path, tree)
    control = tree / "DEBIAN" / "control"
    control.write_text(re.sub(r"^Version: .*$", "Version: 9.9.9-1", control.read_text(), flags=re.M))
    run("dpkg-deb", "--root-owner-group", "-Zgzip", "-b", tree, folder / "patchbay_9.9.9-1.deb")


class Archive(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(dir=SCRATCH)))

    def unpacked(self, pattern):
        file = next(path for path in DIST.glob(pattern))
        run("tar", "-C", self.folder, "-xf", file)
        return next(path for path in self.folder.iterdir())

    def test_runs_from_any_folder(self):
        tree = self.unpacked("patchbay-*-linux-*.tar.zst")
        moved = tree.rename(self.folder / "a folder")
        program = moved / "bin" / "patchbay"
        loaded = run("ldd", program).stdout
        self.assertNotIn("not found", loaded)
        outside = [line for line in loaded.splitlines() if "=> /" in line and str(moved) not in line]
        for line in outside:
            self.assertRegex(line, r"lib(c|m|resolv|pthread|dl|rt)\.so|ld-linux")
        self.assertIn("patchbay", run(program, "version").stdout)
        self.assertTrue((moved / "share" / "doc" / "patchbay" / "sbom.cdx.json").exists())

    def test_runs_without_the_libraries_of_this_machine(self):
        """In a folder with the C library and nothing else."""
        need(self, "chroot", "unshare")
        tree = self.unpacked("patchbay-*-linux-*.tar.zst").rename(self.folder / "patchbay")
        for line in run("ldd", tree / "bin" / "patchbay").stdout.splitlines():
            for path in re.findall(r"(/\S+)", line):
                if "patchbay/" not in path:
                    target = self.folder / path.lstrip("/")
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(path, target)
        (self.folder / "proc").mkdir()  # The loader finds its folder there.
        done = run("unshare", "--mount", "--pid", "--fork", "sh", "-c",
                   'mount -t proc proc "$0/proc" && exec chroot "$0" /patchbay/bin/patchbay version', self.folder)
        self.assertIn("patchbay", done.stdout)

    def test_the_agent_can_be_linked_again(self):
        need(self, "c++")
        tree = self.unpacked("patchbay-agent-objects-*.tar.zst")
        run("./relink", cwd=tree)
        self.assertIn("statically linked", run("ldd", tree / "patchbay-agent", check=False).stdout)
        done = run(tree / "patchbay-agent", input='{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}\n')
        self.assertEqual(json.loads(done.stdout)["id"], 1)
        self.assertTrue((tree / "LGPL-2.1").exists())


class Image(unittest.TestCase):
    def setUp(self):
        need(self, "buildah")
        self.file = next(iter(DIST.glob("patchbay-*.oci.tar")), None)
        if not self.file:
            print("left out: no image in dist/", flush=True)
            self.skipTest("no image")
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(dir=SCRATCH)))
        self.tool = ["buildah", "--storage-driver", "vfs", "--root", self.folder / "root", "--runroot", self.folder / "run"]
        self.name = run(*self.tool, "from", f"docker-archive:{self.file}").stdout.strip()
        self.addCleanup(lambda: run(*self.tool, "rm", "--all", check=False))

    def test_what_it_states(self):
        config = json.loads(run(*self.tool, "inspect", self.name).stdout)["Docker"]["config"]
        self.assertEqual(config["User"], "65532:65532")
        self.assertEqual(config["Healthcheck"]["Test"][:3], ["CMD", "patchbay", "status"])
        self.assertEqual(config["Entrypoint"], ["patchbay"])

    def test_it_serves(self):
        # As podman would: its own user, its own root. The network is this machine's loopback.
        command = [*self.tool, "run", "--isolation", "chroot", "--env", f"PATCHBAY_TOKEN={TOKEN}", self.name, "--"]
        self.assertIn("ok", run(*command, "patchbay", "check", "/etc/patchbay/patchbay.yaml").stdout)
        with subprocess.Popen([str(arg) for arg in (*command, "patchbay", "serve", "-c", "/etc/patchbay/patchbay.yaml",
                              "--listen", "127.0.0.1:0")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True) as process:
            try:
                port, printed = None, ""
                for line in process.stdout:
                    printed += line
                    port = port or next(iter(re.findall(r"127\.0\.0\.1:(\d+)", line)), None)
                    if line.startswith("ready"):
                        break
                self.assertTrue(port, printed)
                url = f"http://127.0.0.1:{port}/mcp"
                env = ["--env", f"PATCHBAY_URL={url}", "--env", f"PATCHBAY_TOKEN={TOKEN}"]
                inside = [*self.tool, "run", "--isolation", "chroot", *env, self.name, "--", "patchbay"]
                self.assertIn("ready", run(*inside, "status", "--timeout", "4s").stdout)
                self.assertEqual(run(*inside, "call", "skills__calculate", "expression=2+3*4").stdout.strip(), "14")
            finally:
                process.terminate()

    def test_podman_runs_it(self):
        """As docs/install.md has it, but for the network: read-only, and healthy by its own check."""
        need(self, "podman", "runc", "unshare")
        podman = Podman(self.folder)
        image = podman.load(self.file)
        podman("run", "-d", "--name", "patchbay", "--network", "none", "-e", f"PATCHBAY_TOKEN={TOKEN}", "--read-only",
               "--tmpfs", "/tmp", "-v", "state:/var/lib/patchbay", image)
        self.addCleanup(podman, "rm", "-f", "-v", "patchbay", check=False)
        wait_for(lambda: podman("healthcheck", "run", "patchbay", check=False).returncode == 0, "health")
        done = podman("exec", "patchbay", "patchbay", "call", "skills__calculate", "expression=2+3*4")
        self.assertEqual(done.stdout.strip(), "14")
        stated = "{{.State.Status}} {{.Config.User}} {{.HostConfig.ReadonlyRootfs}}"
        self.assertEqual(podman("inspect", "patchbay", "--format", stated).stdout.strip(), "running 65532:65532 true")
        podman("stop", "-t", 20, "patchbay")
        self.assertEqual(podman("inspect", "patchbay", "--format", "{{.State.ExitCode}}").stdout.strip(), "0")


if __name__ == "__main__":
    unittest.main()
