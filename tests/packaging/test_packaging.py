"""What belongs to the programs is installed and correct: units, manual pages, completions, manifests, bill of materials.

Nothing here builds or installs a package: `./dev package --test` does (check_packages.py).
"""

import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import BINARY, ROOT, TestCase, main, run

PACKAGING = ROOT / "packaging"
MANIFESTS = [PACKAGING / "kubernetes", PACKAGING / "kubernetes-cluster"]
CLUSTER = MANIFESTS[1]
STOP_TIMEOUT_S = 2  # What a program gets by default, once to end by itself and once after SIGTERM.
BUILD = pathlib.Path(BINARY).parent
MAX_EXPOSURE = 2.0
SCHEMAS = "kubernetes-validate==1.37.0"
SBOM_SCHEMA = "cyclonedx-python-lib[json-validation]==11.12.0"
INSTALLED = [
    "etc/patchbay/patchbay.yaml",
    "usr/bin/osquery-mcp-server",
    "usr/bin/patchbay",
    "usr/bin/patchbay-agent",
    "usr/lib/systemd/system/patchbay.service",
    "usr/lib/systemd/system/patchbay.socket",
    "usr/share/bash-completion/completions/patchbay",
    "usr/share/doc/patchbay/LICENSE",
    "usr/share/doc/patchbay/NOTICE",
    "usr/share/doc/patchbay/examples/patchbay.json",
    "usr/share/doc/patchbay/examples/patchbay.rules.test.yaml",
    "usr/share/doc/patchbay/examples/patchbay.rules.yaml",
    "usr/share/doc/patchbay/examples/sandbox.conf",
    "usr/share/fish/vendor_completions.d/patchbay.fish",
    "usr/share/man/man1/osquery-mcp-server.1",
    "usr/share/man/man1/patchbay-agent.1",
    "usr/share/man/man1/patchbay.1",
    "usr/share/patchbay/apparmor/patchbay",
    "usr/share/zsh/site-functions/_patchbay",
]


def command(*args, **options):
    return subprocess.run([str(arg) for arg in args], capture_output=True, text=True, check=False, **options)


@functools.cache
def python_with(requirement):
    """A Python that has this package of PyPI, or None. It is stored beside the build, and fetched once."""
    folder = BUILD / ("python-" + re.sub(r"\W+", "-", requirement))
    python = folder / "bin" / "python3"
    if (folder / "complete").exists():
        return python
    done = command(sys.executable, "-m", "venv", folder)
    if done.returncode == 0:
        done = command(python, "-m", "pip", "install", "-q", "--retries", "1", "--timeout", "10", requirement)
    if done.returncode != 0:
        return None
    (folder / "complete").touch()
    return python


class Packaging(TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def need(self, *programs):
        missing = [name for name in programs if not shutil.which(name)]
        if missing:
            self.leave_out(f"no {' and no '.join(missing)}")

    def leave_out(self, why):
        print(f"left out: {self.id().rpartition('.')[2]}: {why}", flush=True)
        self.skipTest(why)

    def install(self, *args):
        self.need("cmake")
        if not (BUILD / "cmake_install.cmake").exists():
            self.leave_out("the program is not in the folder of a build")
        done = command("cmake", "--install", BUILD, *args, env=os.environ | {"DESTDIR": str(self.folder)})
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_install(self):
        self.install("--prefix", "/usr")
        for path in INSTALLED:
            self.assertTrue((self.folder / path).exists(), path)
        unit = (self.folder / "usr/lib/systemd/system/patchbay.service").read_text(encoding="utf-8")
        self.assertIn("ExecStart=/usr/bin/patchbay serve -c /etc/patchbay/patchbay.yaml ", unit)
        self.assertNotIn("@", re.sub(r"@(system-service|privileged|resources)", "", unit))
        checked = run("check", str(self.folder / "etc/patchbay/patchbay.yaml"))
        self.assertEqual(checked.returncode, 0, checked.stderr)

    def test_install_keeps_a_configuration(self):
        kept = self.folder / "opt/x/etc/patchbay/patchbay.yaml"
        kept.parent.mkdir(parents=True)
        kept.write_text("listen: 127.0.0.1:9999\n", encoding="utf-8")
        self.install("--prefix", "/opt/x")
        self.assertEqual(kept.read_text(encoding="utf-8"), "listen: 127.0.0.1:9999\n")
        unit = (self.folder / "opt/x/lib/systemd/system/patchbay.service").read_text(encoding="utf-8")
        self.assertIn("ExecStart=/opt/x/bin/patchbay serve -c /opt/x/etc/patchbay/patchbay.yaml ", unit)

    def units(self):
        """The units in a folder, for the program of this build."""
        text = (PACKAGING / "systemd" / "patchbay.service.in").read_text(encoding="utf-8")
        text = text.replace("@bindir@/patchbay", BINARY).replace("@sysconfdir@", "/etc")
        (self.folder / "patchbay.service").write_text(text, encoding="utf-8")
        shutil.copy(PACKAGING / "systemd" / "patchbay.socket", self.folder)
        return self.folder / "patchbay.service", self.folder / "patchbay.socket"

    def drop_in(self):
        folder = self.folder / "patchbay.service.d"
        folder.mkdir()
        shutil.copy(PACKAGING / "systemd" / "sandbox.conf", folder)

    def test_units_are_valid(self):
        self.need("systemd-analyze")
        for step in (lambda: None, self.drop_in):
            step()
            done = command("systemd-analyze", "verify", "--man=no", *self.units())
            # This machine's own units may have faults.
            faults = [line for line in (done.stdout + done.stderr).splitlines() if "patchbay" in line]
            self.assertEqual(faults, [])

    def exposure(self):
        done = command("systemd-analyze", "security", "--offline=true", "--no-pager", self.units()[0])
        return float(re.search(r"Overall exposure level for patchbay.service: ([\d.]+)", done.stdout)[1])

    def test_exposure(self):
        self.need("systemd-analyze")
        strict = self.exposure()
        self.assertLessEqual(strict, MAX_EXPOSURE)
        self.drop_in()
        self.assertLessEqual(self.exposure(), 3.0, "sandbox.conf")

    def test_manual_pages(self):
        self.need("man")
        (self.folder / "patchbay.1").write_text(run("man").stdout, encoding="utf-8")
        for page in (self.folder / "patchbay.1", *(PACKAGING / "man").glob("*.1")):
            with self.subTest(page.name):
                done = command("man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page,
                               env=os.environ | {"LC_ALL": "C.UTF-8", "MANROFFSEQ": "", "MANWIDTH": "80"})
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_completions_parse(self):
        for shell in ("bash", "zsh", "fish"):
            with self.subTest(shell):
                if not shutil.which(shell):
                    print(f"left out: the completions of {shell}: no {shell}", flush=True)
                    continue
                script = self.folder / shell
                script.write_text(run("completion", shell).stdout, encoding="utf-8")
                done = command(shell, "-n", script)
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def validator(self):
        python = python_with(SCHEMAS)
        if not python:
            self.leave_out(f"no {SCHEMAS} from PyPI")
        return [python, "-m", "kubernetes_validate", "--strict", "-k", "1.30"]

    def test_manifests(self):
        validate = self.validator()
        for folder in MANIFESTS:
            with self.subTest(folder.name):
                text = (folder / "kustomization.yaml").read_text(encoding="utf-8")
                listed = re.findall(r"^  - (\S+)$", text, re.M)
                files = {path.name for path in folder.glob("*.yaml")} - {"kustomization.yaml"}
                self.assertEqual(set(listed), files)
                done = command(*validate, *(folder / name for name in listed))
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_schema_refuses_a_wrong_manifest(self):
        validate = self.validator()
        faults = {
            "deployment": ("readOnlyRootFilesystem", "readonlyRootFilesystem"),
            "networkpolicy": ("podSelector", "podSelectors"),
            "horizontalpodautoscaler": ("minReplicas", "minimumReplicas"),
        }
        for folder in MANIFESTS:
            for name, (right, wrong) in faults.items():
                with self.subTest(folder=folder.name, manifest=name):
                    text = (folder / f"{name}.yaml").read_text(encoding="utf-8")
                    self.assertIn(right, text)
                    changed = self.folder / "changed.yaml"
                    changed.write_text(text.replace(right, wrong), encoding="utf-8")
                    self.assertNotEqual(command(*validate, changed).returncode, 0)

    def manifest(self, name, folder=MANIFESTS[0]):
        python, *_ = self.validator()
        done = command(python, "-c", "import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.stdin)))",
                       input=(folder / f"{name}.yaml").read_text(encoding="utf-8"))
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_manifests_fit_each_other(self):
        for folder in MANIFESTS:
            with self.subTest(folder.name):
                self.assert_fit(functools.partial(self.manifest, folder=folder))

    def assert_fit(self, manifest):
        deployment = manifest("deployment")
        pod = deployment["spec"]["template"]
        labels = pod["metadata"]["labels"]
        budget = manifest("poddisruptionbudget")["spec"]
        selectors = [deployment["spec"]["selector"]["matchLabels"], manifest("service")["spec"]["selector"],
                     budget["selector"]["matchLabels"],
                     manifest("networkpolicy")["spec"]["podSelector"]["matchLabels"]]
        selectors += [spread["labelSelector"]["matchLabels"] for spread in pod["spec"]["topologySpreadConstraints"]]
        for selector in selectors:
            self.assertLessEqual(selector.items(), labels.items())
        self.assertEqual(budget["maxUnavailable"], 1)
        scaled = manifest("horizontalpodautoscaler")["spec"]
        self.assertEqual((scaled["scaleTargetRef"]["kind"], scaled["scaleTargetRef"]["name"]),
                         (deployment["kind"], deployment["metadata"]["name"]))
        # With one pod, nothing would answer while that pod moves to another node.
        self.assertGreaterEqual(scaled["minReplicas"], 2)
        self.assertNotIn("replicas", deployment["spec"], "the autoscaler sets it")

    def test_pods_are_restricted_and_probed(self):
        for folder in MANIFESTS:
            with self.subTest(folder.name):
                self.assert_restricted(self.manifest("deployment", folder)["spec"]["template"]["spec"])

    def assert_restricted(self, pod):
        """What the Pod Security Standard `restricted` demands, and the probes."""
        self.assertTrue(pod["securityContext"]["runAsNonRoot"])
        self.assertEqual(pod["securityContext"]["seccompProfile"]["type"], "RuntimeDefault")
        self.assertFalse({"hostNetwork", "hostPID", "hostIPC"} & pod.keys())
        for container in pod["containers"]:
            context = container["securityContext"]
            self.assertFalse(context["allowPrivilegeEscalation"])
            self.assertTrue(context["readOnlyRootFilesystem"])
            self.assertEqual(context["capabilities"], {"drop": ["ALL"]})
            self.assertIn("memory", container["resources"]["limits"])
            ports = {port["name"] for port in container["ports"]}
            paths = {"startupProbe": "/ready", "readinessProbe": "/ready", "livenessProbe": "/health"}
            for probe, path in paths.items():
                get = container[probe]["httpGet"]
                self.assertEqual(get["path"], path)
                self.assertIn(get["port"], ports)

    def test_the_port_of_the_cluster_is_for_gateways_only(self):
        manifest = functools.partial(self.manifest, folder=CLUSTER)
        labels = manifest("deployment")["spec"]["template"]["metadata"]["labels"]
        service = manifest("service")["spec"]
        self.assertEqual([port["targetPort"] for port in service["ports"]], ["http"])
        self.assertEqual(service["sessionAffinity"], "None")
        policy = manifest("networkpolicy")["spec"]
        for direction, peers in (("ingress", "from"), ("egress", "to")):
            allowed = [rule for rule in policy[direction]
                       if "cluster" in [port["port"] for port in rule.get("ports", ["cluster"])]]
            self.assertEqual([rule[peers] for rule in allowed], [[{"podSelector": {"matchLabels": labels}}]])

    def test_pods_have_the_time_that_a_stop_takes(self):
        pod = self.manifest("deployment", CLUSTER)["spec"]["template"]["spec"]
        text = (CLUSTER / "configmap.yaml").read_text(encoding="utf-8")
        announce, drain = map(int, re.search(r"announce_timeout: (\d+)s, drain_timeout: (\d+)s", text).groups())
        self.assertGreater(announce, 0, "connections would be refused while proxies still send them")
        self.assertGreater(pod["terminationGracePeriodSeconds"], announce + drain + 2 * STOP_TIMEOUT_S)

    def test_what_the_configuration_reads_is_in_the_pod(self):
        """Variables and files of the cluster's configuration come from the Deployment and one Secret."""
        pod = self.manifest("deployment", CLUSTER)["spec"]["template"]["spec"]
        text = (CLUSTER / "configmap.yaml").read_text(encoding="utf-8")
        text = re.sub(r"^ *#.*\n", "", text, flags=re.M)
        container = pod["containers"][0]
        variables = {one["name"]: one["valueFrom"] for one in container["env"]}
        self.assertEqual(set(re.findall(r"\$\{env:(\w+)\}", text)), variables.keys())
        self.assertEqual(variables["POD_IP"]["fieldRef"]["fieldPath"], "status.podIP")
        mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
        secrets = [volume for volume in pod["volumes"] if "secret" in volume]
        files = {f"{mounts[volume['name']]}/{item['path']}" for volume in secrets for item in volume["secret"]["items"]}
        self.assertEqual(set(re.findall(r"\$\{file:(\S+?)\}", text)), files)
        port = re.search(r"^ +listen: 0\.0\.0\.0:(\d+)\n +advertise: \"\$\{env:POD_IP\}:\1\"", text, re.M)
        ports = {one["name"]: one["containerPort"] for one in container["ports"]}
        self.assertEqual(int(port[1]), ports["cluster"])
        # What has to be in the Secret is what the instructions create.
        keys = {one["secretKeyRef"]["key"] for one in variables.values() if "secretKeyRef" in one}
        keys |= {item["key"] for volume in secrets for item in volume["secret"]["items"]}
        guide = (ROOT / "docs" / "install.md").read_text(encoding="utf-8").partition("## Several gateways")[2]
        self.assertEqual(set(re.findall(r"--from-literal=([\w-]+)=", guide)), keys)

    def configuration_of(self, name):
        """The configuration in a manifest, as a file."""
        text = (PACKAGING / name).read_text(encoding="utf-8")
        if "patchbay.yaml: |" in text:
            text = re.sub(r"^    ", "", text.partition("patchbay.yaml: |\n")[2], flags=re.M)
        path = self.folder / "patchbay.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    def test_configurations_of_image_and_manifests(self):
        env = {"PATCHBAY_TOKEN": "0123456789abcdef" * 2, "POD_IP": "10.0.0.1", "POD_NAME": "patchbay-0",
               "PATCHBAY_REDIS_URL": "redis://patchbay:secret@127.0.0.1:6379/0"}
        key = self.folder / "cluster-key"
        key.write_text("k" * 44, encoding="utf-8")
        for name in ("container/etc/patchbay/patchbay.yaml", *(f"{folder.name}/configmap.yaml" for folder in MANIFESTS)):
            with self.subTest(name):
                path = self.configuration_of(name)
                text = path.read_text(encoding="utf-8").replace("/run/secrets/patchbay/cluster-key", str(key))
                path.write_text(text, encoding="utf-8")
                done = run("check", str(path), env=env)
                self.assertEqual((done.returncode, done.stdout), (0, "ok\n"), done.stderr)

    def test_bill_of_materials(self):
        self.need("dpkg-query", "ldd", "readelf")
        if os.environ.get("PATCHBAY_TEST_SANITIZED"):
            self.leave_out("a build with sanitizers")
        first, second = (command(ROOT / "tools" / "sbom", BUILD, env=os.environ | {"SOURCE_DATE_EPOCH": "0"})
                         for _ in range(2))
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertEqual(first.stdout, second.stdout)
        names = {one["name"] for one in json.loads(first.stdout)["components"]}
        self.assertLessEqual({"patchbay", "patchbay-agent", "libssl3", "libc6-dev", "libcli11-dev"}, names)
        python = python_with(SBOM_SCHEMA)
        if not python:
            self.leave_out(f"no {SBOM_SCHEMA} from PyPI")
        check = ("import sys; from cyclonedx.validation.json import JsonStrictValidator as V; "
                 "from cyclonedx.schema import SchemaVersion as S; "
                 "fault = V(S.V1_6).validate_str(sys.stdin.read()); sys.exit(repr(fault) if fault else 0)")
        done = command(python, "-c", check, input=first.stdout)
        self.assertEqual(done.returncode, 0, done.stderr)

    def changed_bill(self, old, new):
        """What tools/sbom prints with another list of licences."""
        tool = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "tools" / "sbom"
        tool.parent.mkdir()
        text = (ROOT / "tools" / "sbom").read_text(encoding="utf-8")
        self.assertIn(old, text)
        tool.write_text(text.replace(old, new), encoding="utf-8")
        for name in ("web", "CMakeLists.txt"):
            (tool.parent.parent / name).symlink_to(ROOT / name)
        return command(sys.executable, tool, BUILD, "--list")

    def test_licences_are_those_of_the_copyright_files(self):
        self.need("dpkg-query", "ldd", "readelf")
        if os.environ.get("PATCHBAY_TEST_SANITIZED"):
            self.leave_out("a build with sanitizers")
        wrong = self.changed_bill('"libyaml": "MIT"', '"libyaml": "Zlib"')
        self.assertNotEqual(wrong.returncode, 0)
        self.assertIn("does not have the words of Zlib", wrong.stderr)
        # A library that nobody has looked at has the names of its own file.
        unknown = self.changed_bill('    "libseccomp": "LGPL-2.1-only",\n', "")
        self.assertEqual(unknown.returncode, 0, unknown.stderr)
        self.assertRegex(unknown.stdout, r"libseccomp2 \S+, LGPL-2\.1 \(shared\)")
        # What is linked statically must have been looked at.
        static = self.changed_bill('    "glibc": "LGPL-2.1-or-later",\n', "")
        self.assertNotEqual(static.returncode, 0)
        self.assertIn("check the licence of glibc", static.stderr)


if __name__ == "__main__":
    main()
