"""The search skill: an index over folders that replaces the mock."""

import os
import pathlib
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../lib")

import goals
from harness import Gateway, McpSession, TestCase, main, run, text_of, wait_until


class Search(TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.write("bees.md", "Honey bees live in large colonies.")
        self.write("deep/ants.txt", "Ants live in colonies too.")
        self.write("picture.png", "honey that is not text")
        self.write(".hidden/secret.txt", "honey in secret")

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def config(self, **search):
        settings = {"folders": [str(self.folder)], "refresh_interval": "50ms", **search}
        return {"upstreams": {"skills": {"kind": "builtin", "search": settings}}}

    def found(self, gateway, sought):
        """The names of the files found."""
        output = goals.step(gateway, f"search: {sought}")[2]
        self.assertNotIn("still reading", output)
        lines = output.splitlines()[1:]
        return [pathlib.Path(line.partition(") ")[2].partition(" - ")[0]).name for line in lines]

    def test_files_are_found_by_their_text(self):
        with Gateway(self.config()) as gateway:
            self.assertEqual(self.found(gateway, "honey"), ["bees.md"])
            self.assertEqual(sorted(self.found(gateway, "colonies")), ["ants.txt", "bees.md"])
            self.assertEqual(self.found(gateway, "nothing"), [])
            success, skill, output = goals.step(gateway, "find honey")
            self.assertEqual((success, skill), (True, "SearchSkill"))
            self.assertIn("bees.md - Honey bees live in large colonies.", output)

    def test_the_mock_is_replaced(self):
        with Gateway(self.config()) as gateway, McpSession(gateway) as session:
            names = session.tool_names()
            self.assertIn("skills__search", names)
            self.assertNotIn("skills__mock_search", names)
            self.assertIn("bees.md", text_of(session.call("skills__search", query="honey")))

    def test_changes_are_followed(self):
        with Gateway(self.config()) as gateway:
            self.assertEqual(self.found(gateway, "wasps"), [])
            path = self.write("new.txt", "Wasps are not bees.")
            wait_until(lambda: self.found(gateway, "wasps") == ["new.txt"], "the new file")
            os.remove(path)
            wait_until(lambda: self.found(gateway, "wasps") == [], "the file to be forgotten")

    def test_links_do_not_lead_out(self):
        with tempfile.TemporaryDirectory() as outside:
            pathlib.Path(outside, "out.txt").write_text("treasure", encoding="utf-8")
            (self.folder / "link.txt").symlink_to(pathlib.Path(outside, "out.txt"))
            (self.folder / "folder").symlink_to(outside)
            with Gateway(self.config()) as gateway:
                self.assertEqual(self.found(gateway, "treasure"), [])

    def test_limits(self):
        with Gateway(self.config(files=1, results=1)) as gateway:
            self.assertEqual(len(self.found(gateway, "colonies")), 1)

    def test_a_folder_that_is_not_there(self):
        config = self.config(folders=["/nonexistent/folder"])
        with Gateway(config) as gateway:
            self.assertEqual(self.found(gateway, "honey"), [])
            gateway.stderr.wait_for("search folder folder=/nonexistent/folder")

    def test_a_reload_replaces_the_index(self):
        with Gateway(self.config()) as gateway:
            self.assertEqual(self.found(gateway, "honey"), ["bees.md"])
            gateway.write_config({"upstreams": {"skills": {"kind": "builtin"}}})
            wait_until(
                lambda: goals.step(gateway, "search: honey")[1] == "MockSearchSkill", "the mock"
            )

    def test_faults_in_the_settings(self):
        path = self.folder / "wrong.yaml"
        path.write_text("upstreams: {s: {kind: builtin, search: {folder: x}}}", encoding="utf-8")
        done = run("check", str(path))
        self.assertEqual(done.returncode, 3)
        self.assertIn("upstreams.s.search", done.stderr)


if __name__ == "__main__":
    main()
