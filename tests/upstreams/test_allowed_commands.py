"""`stdio.allowed_commands`: the only programs that upstreams may run."""

import pathlib
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import Gateway, McpSession, TestCase, fake, main, run, text_of, to_yaml


class AllowedCommands(TestCase):
    def check(self, commands, command):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "patchbay.yaml")
            upstreams = {"a": {"kind": "stdio", "command": command}}
            stdio = {"allowed_commands": commands}
            path.write_text(to_yaml({"upstreams": upstreams, "stdio": stdio}), encoding="utf-8")
            return run("check", str(path))

    def test_only_those_may_be_run(self):
        self.assertEqual(self.check(["python3"], "python3").returncode, 0)
        self.assertEqual(self.check(["/usr/bin/env"], "env").returncode, 0)
        refused = self.check(["python3"], "env")
        self.assertEqual(refused.returncode, 3)
        self.assertIn("a.command: ", refused.stderr)
        self.assertIn("stdio.allowed_commands", refused.stderr)
        self.assertEqual(self.check([], "python3").returncode, 3)

    def test_what_a_name_leads_to_is_looked_at_again_before_it_is_run(self):
        with tempfile.TemporaryDirectory() as folder:
            link = pathlib.Path(folder, "server")
            link.symlink_to(pathlib.Path("/usr/bin/env").resolve())
            upstream = fake(command=str(link), args=["-i", "false"])
            upstreams = {"a": upstream, "skills": {"kind": "builtin"}}
            stdio = {"allowed_commands": ["env"]}
            with Gateway({"upstreams": upstreams, "stdio": stdio}) as gateway:
                link.unlink()
                link.symlink_to(pathlib.Path("/bin/sh").resolve())
                gateway.stderr.wait_for("is not one of stdio.allowed_commands")

    def test_a_reload_that_breaks_the_list_is_refused(self):
        stdio = {"allowed_commands": [fake()["command"]]}
        with Gateway({"upstreams": {"a": fake()}, "stdio": stdio}) as gateway:
            bad = {"a": fake(), "b": {"kind": "stdio", "command": "env"}}
            gateway.write_config({"upstreams": bad, "stdio": stdio})
            gateway.stderr.wait_for("reload refused")
            with McpSession(gateway) as session:
                self.assertEqual(text_of(session.call("a__echo", text="x")), "x")


if __name__ == "__main__":
    main()
