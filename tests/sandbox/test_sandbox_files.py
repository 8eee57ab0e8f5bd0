"""The files of a sandbox from outside: reading, writing, resources, and never anything outside the
workspace, whatever a program inside does meanwhile."""

import base64
import sys

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import main, result_of
from sandbox_tool_case import ToolCase

# Exchanges two names in one step.
RACER = """
import ctypes
libc = ctypes.CDLL(None)
def swap(one, other): libc.renameat2(-100, one, -100, other, 2)
"""


class Files(ToolCase):
    def test_files_go_in_and_out(self):
        self.start()
        box = self.make()
        written = self.use("write_file", sandbox_id=box, path="a/b.txt", content="grüße\n")
        self.assertEqual(written["bytes"], 8)
        self.assertEqual(self.shell(box, "cat a/b.txt && echo more >> a/b.txt")["stdout"], "grüße\n")
        read = self.use("read_file", sandbox_id=box, path="/workspace/a/b.txt")
        self.assertEqual(read["content"], "grüße\nmore\n")
        self.assertTrue(read["eof"])
        listed = self.use("list_directory", sandbox_id=box)["entries"]
        self.assertEqual(listed, [{"name": "a", "is_dir": True, "size": 0, "type": "dir"}])
        listed = self.use("list_directory", sandbox_id=box, path="/workspace/a")["entries"]
        self.assertEqual([(one["name"], one["size"]) for one in listed], [("b.txt", 13)])

    def test_bytes_that_are_no_text(self):
        self.start()
        box = self.make()
        data = bytes(range(256)) * 100
        self.use(
            "write_file",
            sandbox_id=box,
            path="data",
            content=base64.b64encode(data).decode(),
            encoding="base64",
        )
        self.assertIn(str(len(data)), self.shell(box, "wc -c data")["stdout"])
        self.assertIn("base64", self.refusal("read_file", sandbox_id=box, path="data"))
        read = self.use(
            "read_file", sandbox_id=box, path="data", encoding="base64", offset=256, length=3
        )
        self.assertEqual(base64.b64decode(read["content"]), b"\0\1\2")
        self.assertFalse(read["eof"])

    def test_as_resources(self):
        self.start()
        box = self.make()
        uri = self.use("write_file", sandbox_id=box, path="a b/ü", content="text")["uri"]
        templates = result_of(self.session.request("resources/templates/list"))["resourceTemplates"]
        listed = templates[0]["uriTemplate"].removesuffix("sandbox://{sandbox_id}/{+path}") + uri
        content = result_of(self.session.request("resources/read", {"uri": listed}))["contents"][0]
        self.assertEqual(content["text"], "text")
        self.shell(box, "printf '\\377' > raw")
        listed = listed[: -len(uri)] + f"sandbox://{box}/raw"
        content = result_of(self.session.request("resources/read", {"uri": listed}))["contents"][0]
        self.assertEqual(base64.b64decode(content["blob"]), b"\xff")
        answer = self.session.request("resources/read", {"uri": listed + "-not"})
        self.assertIn("error", answer)

    def test_no_path_leads_out(self):
        self.start()
        box = self.make()
        self.shell(
            box,
            "ln -s /etc/passwd file; ln -s / root; ln -s /proc/self/root magic; mkfifo pipe; "
            "echo x > one; ln one two; ln -s /workspace/one inside; truncate -s 30M sparse; mkdir d",
        )
        for path in (
            "file root/etc/passwd magic/etc/passwd pipe one two inside sparse d ../etc/passwd "
            "/etc/passwd /workspace/../etc/passwd /proc/1/environ %2e%2e/etc/passwd"
        ).split() + ["", "a\0b", "x" * 5000]:
            with self.subTest(path=path):
                self.assertTrue(self.refusal("read_file", sandbox_id=box, path=path))
                if path not in ("sparse",) and not path.startswith("%"):
                    refused = self.refusal("write_file", sandbox_id=box, path=path, content="x")
                    self.assertTrue(refused)
        for path in ("root", "magic", "root/etc", "/", "/etc", ".."):
            self.assertTrue(self.refusal("list_directory", sandbox_id=box, path=path))
        self.assertEqual(self.shell(box, "ls /workspace/x* 2>/dev/null; true")["stdout"], "")

    def race(self, box, code, look):
        """Calls `look` until the code inside, which changes things all the time, has ended."""
        running = self.session.call_later(
            "box__execute_code", sandbox_id=box, language="python", code=RACER + code
        )
        looks = 0
        while running.running() or looks < 50:
            look()
            looks += 1
        ran = result_of(running.result())["structuredContent"]
        self.assertEqual((ran["exit_code"], ran["stderr"]), (0, ""))

    def attempt(self, tool, **arguments):
        """The structured result of a tool, or None if it was refused."""
        answer = result_of(self.session.call(f"box__{tool}", **arguments))
        return None if answer.get("isError") else answer["structuredContent"]

    def test_names_that_move_lead_nowhere(self):
        """A link and a folder are swapped as fast as possible while the host reads and writes."""
        self.start()
        box = self.make()
        self.shell(box, "mkdir there; echo harmless > there/passwd; ln -s /etc link")
        read, written, listed = set(), set(), set()

        def look():
            piece = self.attempt("read_file", sandbox_id=box, path="there/passwd")
            read.add(piece and piece["content"])
            put = self.attempt("write_file", sandbox_id=box, path="there/new", content="x")
            written.add(bool(put))
            entries = self.attempt("list_directory", sandbox_id=box, path="there")
            listed.add(entries and tuple(one["name"] for one in entries["entries"]))

        self.race(box, "for _ in range(1_000_000): swap(b'there', b'link')", look)
        # Both sides of the race were seen, and nothing else.
        self.assertEqual(read, {"harmless\n", None})
        self.assertEqual(written, {True, False})
        self.assertLessEqual(listed, {("passwd",), ("new", "passwd"), None})
        self.assertEqual(self.shell(box, "ls /etc/new")["stdout"], "")

    def test_a_file_that_becomes_a_link_is_not_followed(self):
        """Now a file, now a link to a file outside, now another name of a file of the same folder."""
        self.start()
        box = self.make()
        self.shell(box, "echo mine > mine; ln -s /etc/passwd link; echo two > two; ln two second")
        seen = set()

        def look():
            piece = self.attempt("read_file", sandbox_id=box, path="mine")
            seen.add(piece and piece["content"])
            self.attempt("write_file", sandbox_id=box, path="mine", content="mine\n")

        code = "for _ in range(300_000): swap(b'mine', b'link'); swap(b'mine', b'second')"
        self.race(box, code, look)
        self.assertLessEqual(seen, {"mine\n", "", None})
        self.assertIn(None, seen)
        self.assertEqual(self.shell(box, "cat two")["stdout"], "two\n")

    def test_too_much(self):
        self.start(max_content_size="1MiB", limits={"max_disk_size": "4MiB", "max_files": 100})
        box = self.make()
        self.shell(box, "head -c 2M /dev/zero > big; truncate -s 1T huge; echo $?")
        self.assertIn("at most", self.refusal("read_file", sandbox_id=box, path="big"))
        part = self.use("read_file", sandbox_id=box, path="big", offset=5, length=10)
        self.assertEqual(part["size"], 2 << 20)
        for _ in range(3):
            self.session.call(
                "box__write_file", sandbox_id=box, path="more", content="x" * 1_000_000, append=True
            )
        self.assertIn(
            "no room",
            self.refusal("write_file", sandbox_id=box, path="more", content="x" * 900_000, append=True),
        )


if __name__ == "__main__":
    main()
