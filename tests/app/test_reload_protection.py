"""A reload must not weaken the gateway: files that are empty, truncated, half written, or less
strict."""

import json
import os
import pathlib
import signal
import socket
import sys
import tempfile
import threading

sys.path.insert(1, sys.path[0] + "/../lib")

from auth_case import TOKENS, AuthCase, bearer, call_as
from harness import FAKE_SERVER, Gateway, fake, fake_config, main, run, text_of, to_yaml, wait_until


class ProtectionCase(AuthCase):
    def start(self, **settings):
        self.config = fake_config(auth=TOKENS, **settings)
        self.gateway = self.enterContext(Gateway(self.config))

    def refused(self):
        """What /ready reports of refused changes."""
        return json.loads(self.gateway.get("/ready", bearer()).body).get("reload_refused", [])

    def wait_refused(self, why):
        """The log line may come before /ready has it."""
        wait_until(lambda: why in "".join(self.refused()), f"{why} in /ready")

    def hang_up(self):
        self.gateway.process.send_signal(signal.SIGHUP)

    def assert_closed(self):
        self.assert_refused(self.gateway, {})
        self.assert_let_in(self.gateway, bearer())
        answer = call_as(self.gateway, "fake__echo", bearer(), text="still")
        self.assertEqual(text_of(answer), "still")


class Empty(ProtectionCase):
    def test_an_empty_file_is_not_the_defaults(self):
        self.start()
        for text in ("", "\n\n", "# nothing\n", "---\n", "{}\n"):
            with self.subTest(text=text):
                start = self.gateway.stderr.count()
                self.gateway.config_path.write_text(text, encoding="utf-8")
                self.hang_up()
                self.gateway.stderr.wait_for("reload refused", start)
                self.wait_refused("is empty")
                self.assert_closed()
        # Anonymous callers learn whether, and not what.
        self.assertNotIn(b"reload_refused", self.gateway.get("/ready").body)
        self.gateway.write_config(fake_config(auth=TOKENS, limits={"max_calls": 9}))
        wait_until(lambda: self.refused() == [], "the good file to be taken up")

    def test_a_file_that_is_gone_changes_nothing(self):
        self.start()
        self.gateway.config_path.unlink()
        self.hang_up()
        self.gateway.stderr.wait_for("reload refused")
        self.wait_refused("cannot be read")
        self.assert_closed()

    def test_a_gateway_that_began_with_an_empty_file_goes_on(self):
        with Gateway("# nothing yet\n") as gateway:
            gateway.write_config("# still nothing\n")
            gateway.process.send_signal(signal.SIGHUP)
            gateway.write_config({"limits": {"max_calls": 7}})
            gateway.stderr.wait_for("reloaded")
            self.assertNotIn("reload refused", gateway.stderr.text())


class Weaker(ProtectionCase):
    def assert_weaker(self, setting, config):
        start = self.gateway.stderr.count()
        self.gateway.write_config(config)
        line = self.gateway.stderr.wait_for("reload refused", start)
        self.assertIn(setting, line)
        self.assertIn("restart", line)
        self.wait_refused(setting)
        self.assert_closed()

    def test_what_protects_stays_until_a_restart(self):
        rules = [{"role": "any", "allow": ["fake.*"]}]
        self.start(
            rules=rules,
            http={"hosts": ["gw.example"]},
            stdio={"allowed_commands": [fake()["command"]]},
            audit={"file": "calls.jsonl"},
        )

        def without(key):
            return {name: value for name, value in self.config.items() if name != key}

        self.assert_weaker("auth: it is gone", without("auth"))
        self.assert_weaker("rules: they are gone", without("rules"))
        self.assert_weaker("stdio.allowed_commands", without("stdio"))
        self.assert_weaker("audit", without("audit"))
        self.assert_weaker("http.hosts", {**self.config, "http": {"hosts": ["gw.example", "any"]}})
        self.assert_weaker("pins", {**self.config, "pins": "ignore"})
        # The half of a file that a slow writer has got to.
        text = to_yaml(self.config)
        self.assert_weaker("auth: it is gone", text[: text.index("auth:")])

    def test_a_listener_is_not_opened_wider(self):
        self.start(listen="127.0.0.1:0")
        port = self.gateway.port
        start = self.gateway.stderr.count()
        self.gateway.write_config({**self.config, "listen": f"0.0.0.0:{port}"})
        self.assertIn("listen", self.gateway.stderr.wait_for("restart needed", start))
        self.gateway.stderr.wait_for("reloaded", start)
        with socket.socket() as probe, self.assertRaises(ConnectionRefusedError):
            probe.connect(("127.0.0.2", port))
        self.assert_closed()
        # Where nobody is asked who they are, the file itself is refused.
        config = {**self.config, "listen": f"0.0.0.0:{port}"}
        del config["auth"]
        start = self.gateway.stderr.count()
        self.gateway.write_config(config)
        self.assertIn("reachable from other machines", self.gateway.stderr.wait_for("reload refused", start))
        self.assert_closed()

    def test_the_running_configuration_may_allow_it(self):
        self.start(rules=[{"role": "any", "allow": ["fake.*"]}])
        # The new file cannot allow it for itself.
        self.assert_weaker("rules", fake_config(auth=TOKENS, reload={"allow_weaker": True}))
        self.gateway.write_config({**self.config, "reload": {"allow_weaker": True}})
        self.gateway.stderr.wait_for("reloaded")
        self.gateway.write_config(fake_config(auth=TOKENS))
        self.gateway.stderr.wait_for("reload weakens")
        wait_until(lambda: self.refused() == [])


# What protects is at the end of each section, where it is lost first.
CALLERS = """\
reload:
  stable_interval: 10ms
auth:
  tokens:
    - name: ann
      token: token-of-ann-0123456789
      roles: [reader]
"""
PROGRAMS = """\
upstreams:
  fake:
    command: {python}
    args: [-S, {server}]
    tools:
      allow:
        - "*"
      deny:
        - fail
    isolation: per-session
"""
RULES = """\
rules:
  - role: any
    allow:
      - fake.echo_*s_public
  - role: reader
    allow:
      - fake.echo
      - fake.a*
      - fake.progress
    deny:
      - fake.add
    when:
      - pointer: /text
        matches: ^[a-z]+$
"""


class CutOff(ProtectionCase):
    def tools(self):
        response = self.list_tools(self.gateway, self.ann)
        self.assertEqual(response.status, 200, response.body)
        return {tool["name"] for tool in json.loads(response.body)["result"]["tools"]}

    def assert_nobody_may_do_more(self, text):
        text = text.format(python=sys.executable, server=FAKE_SERVER)
        self.gateway = self.enterContext(Gateway(text))
        self.ann = bearer("token-of-ann-0123456789")
        before = self.tools()
        self.assertIn("fake__echo", before)
        self.assertFalse(before & {"fake__add", "fake__fail"})
        cuts = [0]
        for line in text.splitlines(keepends=True):
            cuts += [cuts[-1] + len(line) // 2, cuts[-1] + len(line) - 2, cuts[-1] + len(line)]
        # From the end: where a cut is used, the next one is compared with that.
        for cut in reversed(cuts[:-1]):
            with self.subTest(end=text[max(cut - 30, 0) : cut]):
                start = self.gateway.stderr.count()
                self.gateway.config_path.write_text(text[:cut], encoding="utf-8")
                self.hang_up()
                self.gateway.stderr.wait_for(lambda line: "reload refused" in line or "reloaded" in line, start)
                self.assert_refused(self.gateway, {})
                self.assertLessEqual(self.tools(), before)
                answer = call_as(self.gateway, "fake__echo", self.ann, text="NO")
                self.assertNotIn("NO", json.dumps(answer.get("result")), "the condition is gone")

    def test_the_rules(self):
        self.assert_nobody_may_do_more(CALLERS + PROGRAMS + RULES)

    def test_the_upstreams(self):
        self.assert_nobody_may_do_more(CALLERS + RULES + PROGRAMS)

    def test_the_callers(self):
        self.assert_nobody_may_do_more(RULES + PROGRAMS + CALLERS)


class RewrittenInPlace(ProtectionCase):
    def test_fifty_in_place_rewrites_under_load(self):
        self.start()
        failures, answered, done = [], [], threading.Event()

        def work(headers):
            while not done.is_set():
                try:
                    if not headers:
                        status = self.status(self.gateway)
                        if status != 401:
                            failures.append(f"a stranger got {status}")
                    else:
                        answer = call_as(self.gateway, "fake__echo", headers, text="x")
                        if "result" not in answer:
                            failures.append(answer)
                    answered.append(1)
                except Exception as error:  # pylint: disable=broad-except
                    failures.append(error)

        threads = [threading.Thread(target=work, args=(one,)) for one in (bearer(), bearer(), {})]
        for thread in threads:
            thread.start()
        for number in range(50):
            config = {"log": {"level": "info"}, **self.config, "limits": {"max_calls": 100 + number}}
            text = to_yaml(config)
            cut = len(text) * (number % 10) // 10
            with open(self.gateway.config_path, "w", encoding="utf-8") as file:
                seen = len(answered)
                file.write(text[:cut])
                file.flush()
                self.hang_up()
                # Calls are made while the file is cut off, long enough for it to be looked at.
                wait_until(lambda: failures or len(answered) > seen + 3)
                file.write(text[cut:])
        self.gateway.stderr.wait_for("reloaded")
        done.set()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])


class Pipes(ProtectionCase):
    """A named pipe in place of a file: nobody writes to it, and nobody reads it."""

    def test_a_reload_does_not_wait_for_it(self):
        pipe = str(pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "pipe")
        os.mkfifo(pipe, 0o600)
        token = {"name": "x", "token": "${file:" + pipe + "}"}
        endpoint = {"endpoint": "https://127.0.0.1:1", "tls": {"ca": pipe}}
        for more in (
            {"tls": {"listen": "127.0.0.1:0", "cert": pipe, "key": pipe}},
            {"telemetry": {"otlp": endpoint}},
            {"upstreams": {"far": {"kind": "http", "url": "https://127.0.0.1:1/mcp", "tls": {"ca": pipe}}}},
            {"auth": {"tokens": [token, *TOKENS["tokens"]]}},
            {"auth": {**TOKENS, "token_file": pipe}},
        ):
            with self.subTest(more=more):
                self.start()
                self.gateway.write_config({**self.config, **more})
                self.assertIn("reload refused", self.gateway.stderr.wait_for("not a regular file"))
                self.assert_closed()
                self.assertEqual(self.gateway.stop(), 0)

    def test_nor_do_audit_records(self):
        pipe = str(pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "pipe")
        os.mkfifo(pipe, 0o600)
        self.start(audit={"file": pipe})
        self.assert_closed()
        self.gateway.stderr.wait_for("audit failed")
        self.assertEqual(self.gateway.stop(), 0)


class Credentials(ProtectionCase):
    def start_with_files(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.tokens = self.folder / "tokens"
        made = run("token", "create", "ann", "--file", str(self.tokens))
        self.ann = bearer(made.stdout.split()[0])
        auth = {"tokens": TOKENS["tokens"], "token_file": str(self.tokens)}
        self.gateway = self.enterContext(Gateway(fake_config(auth=auth)))
        self.assert_let_in(self.gateway, self.ann)

    def test_an_emptied_or_missing_token_file_changes_nothing(self):
        self.start_with_files()
        text = self.tokens.read_text(encoding="utf-8")
        for change, why in (
            (lambda: self.tokens.write_text("", encoding="utf-8"), "is empty"),
            (self.tokens.unlink, "is gone"),
        ):
            start = self.gateway.stderr.count()
            change()
            self.assertIn(why, self.gateway.stderr.wait_for("credentials not reloaded", start))
            self.wait_refused(why)
            self.assert_let_in(self.gateway, self.ann)
        self.tokens.write_text(text, encoding="utf-8")
        wait_until(lambda: self.refused() == [], "the file to be back")

    def test_the_last_token_can_be_revoked(self):
        self.start_with_files()
        self.assertEqual(run("token", "revoke", "ann", "--file", str(self.tokens)).returncode, 0)
        wait_until(lambda: self.status(self.gateway, self.ann) == 401, "the token to be revoked")
        self.assert_let_in(self.gateway, bearer())


if __name__ == "__main__":
    main()
