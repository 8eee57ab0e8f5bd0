"""The built-in tables of the osquery server, compared with other sources of the same facts."""

import os
import pathlib
import socket
import subprocess
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../lib")

from fake_bus import FakeBus
from harness import main, wait_until
from osquery_case import OsqueryCase, without_osqueryi


class Tables(OsqueryCase):

    def test_every_table_can_be_read_whole(self):
        frontend = self.server(denied_tables=[])
        names = [
            row["name"]
            for row in self.rows(frontend, "SELECT name FROM osquery_registry WHERE active = 1")
        ]
        self.assertGreaterEqual(len(names), 34)
        for name in names:
            with self.subTest(name):
                where = " WHERE path = '/etc/passwd'" if name in ("file", "hash") else ""
                self.rows(frontend, f"SELECT * FROM {name}{where} LIMIT 5")

    def test_a_process(self):
        frontend = self.server()
        child = subprocess.Popen(["sleep", "1000"], cwd="/usr")
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        wait_until(
            lambda: self.rows(frontend, f"SELECT name FROM processes WHERE pid = {child.pid}")
            == [{"name": "sleep"}]
        )
        (row,) = self.rows(frontend, f"SELECT * FROM processes WHERE pid = {child.pid}.0")
        self.assertEqual(row["cmdline"], "sleep 1000")
        self.assertEqual(row["cwd"], "/usr")
        self.assertEqual(row["parent"], str(os.getpid()))
        self.assertEqual((row["uid"], row["euid"]), (str(os.getuid()), str(os.geteuid())))
        self.assertEqual(row["path"], os.readlink(f"/proc/{child.pid}/exe"))
        self.assertEqual(row["on_disk"], "1")
        self.assertEqual(row["threads"], "1")

    def test_all_processes_are_listed_with_their_parents(self):
        frontend = self.server()
        listed = {row["pid"] for row in self.rows(frontend, "SELECT pid FROM processes")}
        self.assertIn(str(os.getpid()), listed)
        self.assertIn(str(frontend.process.pid), listed)
        joined = self.rows(
            frontend,
            "SELECT c.pid FROM processes c JOIN processes p ON c.parent = p.pid "
            f"WHERE p.pid = {os.getpid()}",
        )
        self.assertIn({"pid": str(frontend.process.pid)}, joined)

    def test_listening_sockets(self):
        frontend = self.server()
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
            rows = self.rows(
                frontend,
                "SELECT p.pid, p.name, l.port, l.address, l.family, l.protocol, l.fd "
                "FROM listening_ports l JOIN processes p USING (pid) "
                f"WHERE l.port = {port}",
            )
            name = pathlib.Path("/proc/self/comm").read_text(encoding="utf-8").strip()
            self.assertEqual(
                rows,
                [
                    {
                        "pid": str(os.getpid()),
                        "name": name,
                        "port": str(port),
                        "address": "127.0.0.1",
                        "family": str(int(socket.AF_INET)),
                        "protocol": "6",
                        "fd": str(listener.fileno()),
                    }
                ],
            )
            with socket.create_connection(("127.0.0.1", port)) as connection:
                own = connection.getsockname()[1]
                rows = self.rows(
                    frontend,
                    "SELECT fd, remote_address, remote_port, state FROM process_open_sockets "
                    f"WHERE pid = {os.getpid()} AND local_port = {own}",
                )
                self.assertEqual(
                    rows,
                    [
                        {
                            "fd": str(connection.fileno()),
                            "remote_address": "127.0.0.1",
                            "remote_port": str(port),
                            "state": "ESTABLISHED",
                        }
                    ],
                )

    def test_open_files(self):
        frontend = self.server()
        with tempfile.NamedTemporaryFile() as open_file:
            rows = self.rows(
                frontend,
                f"SELECT path FROM process_open_files WHERE pid = {os.getpid()} "
                f"AND fd = {open_file.fileno()}",
            )
            self.assertEqual(rows, [{"path": open_file.name}])

    def test_files_below_the_allowed_folders_only(self):
        allowed = self.folder / "allowed"
        allowed.mkdir()
        secret = self.folder / "secret"
        secret.write_text("secret", encoding="utf-8")
        (allowed / "plain").write_text("hello\n", encoding="utf-8")
        (allowed / "out").symlink_to(secret)
        (allowed / "up").symlink_to(self.folder)
        os.mkfifo(allowed / "pipe")
        frontend = self.server(file_roots=[str(allowed)])

        def paths(where, table="file"):
            return [
                pathlib.Path(row["path"]).name
                for row in self.rows(frontend, f"SELECT path FROM {table} WHERE {where} ORDER BY path")
            ]

        self.assertEqual(paths(f"directory = '{allowed}'"), ["out", "pipe", "plain", "up"])
        self.assertEqual(paths(f"path LIKE '{allowed}/pl%'"), ["plain"])
        self.assertEqual(paths(f"path = '{allowed}/plain'"), ["plain"])
        for hidden in (
            f"path = '{secret}'",
            f"path = '{allowed}/../secret'",
            f"path = '{allowed}/up/secret'",
            f"directory = '{allowed}/up'",
            f"directory = '{self.folder}'",
            f"path LIKE '{allowed}/up/%'",
            "path = '/proc/self/environ'",
        ):
            with self.subTest(hidden):
                self.assertEqual(paths(hidden), [])
        digests = self.rows(frontend, f"SELECT path, sha256 FROM hash WHERE directory = '{allowed}'")
        self.assertEqual(
            digests,
            [
                {
                    "path": f"{allowed}/plain",
                    "sha256": "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03",
                }
            ],
        )
        self.assertIn("needs path", self.refusal(frontend, "SELECT * FROM file"))

    def test_units_of_systemd(self):
        unit = ("a.service", "The a", "loaded", "active", "running", "", "/u/a", 7, "start", "/j/7")
        other = ("b.target", "B", "loaded", "inactive", "dead", "", "/u/b", 0, "", "/")
        bus = FakeBus(self.folder, [unit, other], {"FragmentPath": "/etc/a", "User": "nobody"})
        self.addCleanup(bus.close)
        frontend = self.server(env={**without_osqueryi(), **bus.environment})
        row = self.rows(frontend, "SELECT * FROM systemd_units WHERE id = 'a.service'")
        self.assertEqual(
            row,
            [
                {
                    "id": "a.service",
                    "description": "The a",
                    "load_state": "loaded",
                    "active_state": "active",
                    "sub_state": "running",
                    "unit_file_state": "",
                    "following": "",
                    "object_path": "/u/a",
                    "job_id": "7",
                    "job_type": "start",
                    "job_path": "/j/7",
                    "fragment_path": "/etc/a",
                    "user": "nobody",
                    "source_path": "",
                }
            ],
        )
        states = self.rows(frontend, "SELECT id, active_state FROM systemd_units")
        self.assertEqual([state["id"] for state in states], ["a.service", "b.target"])
        # Where there is no systemd there are no units.
        nowhere = {"DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere"}
        frontend = self.server(env={**without_osqueryi(), **nowhere})
        self.assertEqual(self.rows(frontend, "SELECT * FROM systemd_units"), [])

    def test_accounts(self):
        frontend = self.server()
        (root,) = self.rows(frontend, "SELECT * FROM users WHERE username = 'root'")
        self.assertEqual((root["uid"], root["directory"]), ("0", "/root"))
        groups = self.rows(
            frontend,
            "SELECT g.groupname FROM users u JOIN user_groups USING (uid) "
            "JOIN groups g ON g.gid = user_groups.gid WHERE u.username = 'root'",
        )
        self.assertIn({"groupname": "root"}, groups)


if __name__ == "__main__":
    main()
