"""Watching files: one inotify instance for all of them, and polling where there is none."""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import Gateway, McpSession, TestCase, fake, fake_config, main, wait_until

# A user namespace has bounds of its own: there the test takes nothing from anybody else.
NO_INOTIFY = "echo 0 >/proc/sys/user/max_inotify_instances && exec \"$@\""
UNSHARED = ["unshare", "--user", "--map-root-user", "sh", "-c", NO_INOTIFY, "sh"]


def can_unshare():
    try:
        return subprocess.run([*UNSHARED, "true"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def document(name):
    paths = {f"/{name}": {"get": {"operationId": name, "responses": {"200": {"description": "x"}}}}}
    info = {"title": "x", "version": "1"}
    return json.dumps({"openapi": "3.1.0", "info": info, "paths": paths})


def open_files(pid):
    """What the descriptors of a process refer to, without those that are closed meanwhile."""
    links = []
    for descriptor in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(FileNotFoundError):
            links.append(pathlib.Path(os.readlink(f"/proc/{pid}/fd/{descriptor}")))
    return links


class OneInstance(TestCase):
    def test_many_files_share_it_and_each_is_reported(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        upstreams = {}
        for number in range(20):
            place = folder / str(number % 3)
            place.mkdir(exist_ok=True)
            path = place / f"api{number}.json"
            path.write_text(document("first"), encoding="utf-8")
            upstreams[f"u{number}"] = {
                "kind": "openapi",
                "document": str(path),
                "server": "http://127.0.0.1:1",
            }
        config = {"upstreams": upstreams, "state": str(folder / "state"), "workers": 1}
        with Gateway(config) as gateway, McpSession(gateway) as session:
            links = open_files(gateway.pid)
            self.assertEqual(sum("inotify" in str(link) for link in links), 1)
            for number in (0, 7, 19):
                path = pathlib.Path(upstreams[f"u{number}"]["document"])
                path.write_text(document("second"), encoding="utf-8")
            wait_until(
                lambda: {f"u{n}__second" for n in (0, 7, 19)} <= set(session.tool_names()),
                "the new documents",
            )
            config["upstreams"] = {"u1": upstreams["u1"]}
            gateway.write_config(config)
            wait_until(lambda: session.tool_names() == ["u1__first"], "the new configuration")

    def test_a_folder_that_is_made_anew_is_watched_again(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "docs"
        folder.mkdir()
        path = folder / "api.json"
        path.write_text(document("first"), encoding="utf-8")
        one = {"kind": "openapi", "document": str(path), "server": "http://127.0.0.1:1"}
        with (
            Gateway({"upstreams": {"u": one}}) as gateway,
            McpSession(gateway) as session,
        ):
            path.unlink()
            folder.rmdir()
            gateway.stderr.wait_for("files are polled")
            folder.mkdir()
            path.write_text(document("second"), encoding="utf-8")
            wait_until(lambda: session.tool_names() == ["u__second"], "the document to be back")

    def test_a_file_that_the_configuration_names_is_watched_too(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        secret = folder / "secret"
        secret.write_text("old", encoding="utf-8")
        config = fake_config({"fake": fake(env={"FAKE_TAG": f"${{file:{secret}}}"})})
        with Gateway(config) as gateway, McpSession(gateway) as session:
            secret.write_text("new", encoding="utf-8")

            def tag():
                answer = session.call("fake__whoami")
                return "result" in answer and "new" in json.dumps(answer)

            wait_until(tag, "the new secret")


@unittest.skipUnless(can_unshare(), "user namespaces cannot be made here")
class Polling(TestCase):
    def test_without_inotify_files_are_polled(self):
        gateway = Gateway(fake_config({"a": fake()}))
        gateway.command = UNSHARED + gateway.command
        with gateway, McpSession(gateway) as session:
            gateway.stderr.wait_for("files are polled")
            gateway.write_config(fake_config({"a": fake(), "b": fake()}))
            wait_until(lambda: "b__echo" in session.tool_names(), "the change to be seen")


if __name__ == "__main__":
    main()
