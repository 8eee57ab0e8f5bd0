"""When a gateway is ready, and what it reports about a machine that lacks something."""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(1, sys.path[0] + "/../lib")

from auth_case import TOKENS, bearer
from certificates import Authority
from harness import (
    BINARY,
    Gateway,
    Lines,
    McpSession,
    TestCase,
    clean_environment,
    fake,
    fake_config,
    main,
    run,
    to_yaml,
    wait_until,
)

SICK = {"fake": fake(), "sick": fake(command="/no/such")}


class Required(TestCase):
    def test_an_upstream_that_is_down_makes_the_gateway_degraded(self):
        with Gateway({**fake_config(SICK), "auth": TOKENS}) as gateway:
            response = gateway.get("/ready")
            self.assertEqual((response.status, response.json()), (200, {"status": "degraded", "upstreams": []}))
            known = gateway.get("/ready", bearer()).json()
            self.assertEqual([one["state"] for one in known["upstreams"]], ["up", "down"])

    def test_others_than_the_required_ones_may_be_down(self):
        config = fake_config(SICK, ready={"required_upstreams": ["fa*"]})
        with Gateway(config) as gateway:
            self.assertTrue(gateway.degraded())

    def test_a_required_one_makes_it_not_ready_until_it_comes(self):
        with tempfile.TemporaryDirectory() as folder:
            gate = pathlib.Path(folder) / "may-run"
            config = pathlib.Path(folder) / "patchbay.yaml"
            late = fake(env={"FAKE_EXIT_UNLESS": str(gate)})
            settings = fake_config({"late": late}, ready={"required_upstreams": ["late"]})
            config.write_text(to_yaml(settings), encoding="utf-8")
            process = subprocess.Popen(
                [BINARY, "serve", "-c", str(config), "--listen", "127.0.0.1:0"],
                env=clean_environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            self.addCleanup(process.wait)
            self.addCleanup(process.terminate)
            lines = Lines(process.stdout)
            waiting = lines.wait_for("not ready")
            self.assertIn("late (ready.required_upstreams)", waiting)
            self.assertRegex(lines.text(), "upstream   late  stdio  down  the program exited")
            url = lines.wait_for("http://").split("http://")[1].split("/")[0]
            self.assertEqual(self.status(url), (503, "not ready"))
            self.assertNotIn("ready", lines.text().splitlines())
            gate.touch()
            lines.wait_for(lambda line: line == "ready")
            self.assertEqual(self.status(url), (200, "ready"))

    def status(self, url):
        done = subprocess.run(
            ["curl", "-s", "-w", "%{http_code}", f"http://{url}/ready"], capture_output=True, text=True, check=True
        )
        body, _, code = done.stdout.rpartition("\n")
        return int(code), json.loads(body)["status"]

    def test_a_name_that_no_upstream_has_is_a_fault(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "patchbay.yaml"
            path.write_text("upstreams: {}\nready: { required_upstreams: [x] }\n", encoding="utf-8")
            done = run("check", str(path))
            self.assertEqual(done.returncode, 3)
            self.assertIn("ready.required_upstreams: there is no upstream 'x'", done.stderr)


class Problems(TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def write(self, name, text, mode=0o644):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        path.chmod(mode)
        return str(path)

    def config(self):
        authority = Authority(self.folder)
        cert, key = authority.server("expired", days=-1)
        script = self.write("script", "#!/no/such/interpreter\n", 0o755)
        by_env = self.write("by_env", "#!/usr/bin/env no-such-interpreter-anywhere\n", 0o755)
        return {
            "upstreams": {
                "fake": fake(),
                "gone": {"kind": "stdio", "command": "no-such-program-anywhere"},
                "script": {"kind": "stdio", "command": script},
                "by_env": {"kind": "stdio", "command": by_env},
                "box": {"kind": "sandbox", "bwrap": "/no/such/bwrap"},
                "boxed": fake(sandbox={"bwrap": "/no/such/bwrap"}),
            },
            "auth": {**TOKENS, "token_file": str(self.folder / "tokens")},
            "tls": {"listen": "127.0.0.1:0", "cert": cert, "key": key},
        }

    WANTED = (
        "auth.token_file: .*tokens does not exist",
        "tls.cert: the certificate expired on 20",
        "upstreams.gone: cannot find the program 'no-such-program-anywhere' in PATH",
        "upstreams.script: cannot run .*/script: its interpreter /no/such/interpreter",
        "upstreams.by_env: cannot run .*/by_env: its interpreter: .*no-such-interpreter-anywhere",
        "upstreams.box: .*bwrap",
        "upstreams.boxed: .*bwrap",
    )

    def test_check_warns_of_them(self):
        path = self.write("patchbay.yaml", to_yaml(self.config()))
        done = run("check", path)
        self.assertEqual((done.returncode, done.stdout), (0, "ok\n"), done.stderr)
        for wanted in self.WANTED:
            self.assertRegex(done.stderr, "(?m)^warning: " + wanted)

    def test_the_log_and_ready_have_them_until_they_are_mended(self):
        with Gateway(self.config()) as gateway:
            for wanted in self.WANTED:
                self.assertRegex(gateway.stderr.text(), wanted)
            problems = gateway.get("/ready", bearer()).json()["problems"]
            self.assertEqual(len(problems), len(self.WANTED))
            for wanted, problem in zip(self.WANTED, problems, strict=True):
                self.assertRegex(problem, "^" + wanted)
            self.assertNotIn("problems", gateway.get("/ready").json())
            config = self.config()
            config["upstreams"] = {"fake": fake()}
            self.write("tokens", "", 0o600)
            gateway.write_config(config)
            gateway.stderr.wait_for("problem solved")
            left = lambda: gateway.get("/ready", bearer()).json().get("problems", [])
            wait_until(lambda: len(left()) == 1, "the rest to be solved")

    def test_state_that_others_can_replace(self):
        state = self.folder / "state"
        state.mkdir(0o700)
        config = {"upstreams": {"fake": fake()}, "state": str(state)}
        path = self.write("patchbay.yaml", to_yaml(config))
        (state / "pins.sqlite").touch(0o600)
        self.assertNotIn("state:", run("check", path).stderr)
        for changed, mode in ((state, 0o777), (state / "pins.sqlite", 0o666)):
            with self.subTest(changed=changed):
                before = changed.stat().st_mode
                changed.chmod(mode)
                done = run("check", path)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stderr, "(?m)^warning: state: .*pins.sqlite may be (changed|replaced)")
                self.assertIn("chmod", done.stderr)
                changed.chmod(before)

    def test_the_dates_of_certificates_are_a_metric(self):
        authority = Authority(self.folder)
        cert, key = authority.server(days=2)
        tls = {"listen": "127.0.0.1:0", "cert": cert, "key": key}
        with Gateway({**fake_config(), "tls": tls}) as gateway:
            until = gateway.metric("patchbay_certificate_expiry_timestamp_seconds", setting="tls.cert")
            self.assertAlmostEqual(until, time.time() + 2 * 86400, delta=3600)


class OwnPrograms(TestCase):
    def test_the_own_osquery_server_needs_no_permission(self):
        with Gateway({"stdio": {"allowed_commands": []}}) as gateway, McpSession(gateway) as session:
            self.assertIn("osquery__query_osquery", session.tool_names())

    def test_other_uses_of_the_program_do(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "patchbay.yaml"
            other = {"kind": "stdio", "command": "/proc/self/exe", "args": ["sandbox", "sh"]}
            config = {"upstreams": {"x": other}, "stdio": {"allowed_commands": []}}
            path.write_text(json.dumps(config), encoding="utf-8")
            done = run("check", str(path))
            self.assertEqual(done.returncode, 3)
            self.assertIn("stdio.allowed_commands", done.stderr)


main()
