"""Settings under the names of Spring applications: a file and the environment."""

import json
import pathlib
import socket
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../lib")

import goals
from harness import Background, Gateway, TestCase, main, run, wait_until

DOCUMENT = """\
# As an application of that kind has it.
spring.application.name=demo
server.port=0
server.tomcat.threads.max=7
mcp.osquery.enabled=true
mcp.osquery.command={command}
mcp.osquery.args=-S {script}
logging.level.com.example.agentdemo.mcp=DEBUG
"""


class PropertiesCase(TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def write(self, text, name="application.properties"):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def document(self):
        return self.write(DOCUMENT.format(command=sys.executable, script=goals.STAND_IN))

    def gateway(self, *args, env=None, config=None):
        return self.enterContext(Gateway(config, args=args, env=env, cwd=str(self.folder)))

    def assert_fault(self, done, *texts):
        self.assertEqual(done.returncode, 3, done.stderr)
        for expected in texts:
            self.assertIn(expected, done.stderr)


class File(PropertiesCase):
    def test_the_one_of_the_document(self):
        gateway = self.gateway("--properties", self.document())
        success, _, output = goals.step(gateway, "osquery: show system info")
        self.assertTrue(success, output)
        self.assertEqual(json.loads(output), {"sql": "SELECT * FROM system_info"})
        gateway.stderr.wait_for("debug Request: ")
        gateway.stderr.wait_for("property ignored name=spring.application.name")

    def test_it_stands_above_the_configuration(self):
        path = self.write("mcp.osquery.enabled=false\nlogging.level.root=WARN\n")
        config = goals.config(goals.stand_in())
        gateway = self.gateway("--properties", path, config=config)
        self.assertEqual(goals.step(gateway, "osquery: show system info")[1], "none")
        self.assertEqual(gateway.log_calls(), [])

    def test_it_is_read_again_with_the_configuration(self):
        path = self.write("mcp.osquery.enabled=true\n")
        config = goals.config(goals.stand_in())
        gateway = self.gateway("--properties", path, config=config)
        self.assertTrue(goals.step(gateway, "osquery: show system info")[0])
        self.write("mcp.osquery.enabled=false\n")
        gateway.write_config({**config, "limits": {"max_calls": 5}})
        wait_until(
            lambda: goals.step(gateway, "osquery: show system info")[1] == "none", "the reload"
        )

    def test_the_limit_of_threads_is_one_of_calls(self):
        path = self.write("server.tomcat.threads.max = 1\n")
        config = goals.config(goals.stand_in(timeout="2s"))
        gateway = self.gateway("--properties", path, config=config)
        slow = Background(goals.step, gateway, "osquery: SELECT 'hang'")
        wait_until(lambda: gateway.metric("patchbay_calls_in_flight") == 1, "the call")
        with gateway.connect() as connection:
            self.assertEqual(goals.post(connection, {"goal": "calculate: 1 + 1"}).status, 503)
        self.assertFalse(slow.result()[0])

    def test_the_port(self):
        with socket.create_server(("127.0.0.1", 0)) as chosen:
            port = chosen.getsockname()[1]
        path = self.write(f"server.port={port}\n")
        config = {**goals.config(), "listen": "127.0.0.1:0"}
        self.assertEqual(self.gateway("--properties", path, config=config).port, port)

    def test_faults_name_file_and_line(self):
        path = self.write(
            "server.port=x\nserver.tomcat.threads.max=0\nmcp.osquery.enabled=maybe\n"
            "logging.level.root=LOUD\nmcp.osquery.raw_sql=sometimes\nmcp.osquery.args='open\n"
        )
        done = run("serve", "--properties", path)
        self.assert_fault(done, *[f"application.properties:{line}: " for line in range(1, 6)])
        self.assert_fault(run("serve", "--properties", "missing.properties"), "missing.properties")

    def test_other_machines_stay_out(self):
        path = self.write("server.address=0.0.0.0\nserver.port=0\n")
        self.assert_fault(run("serve", "--properties", path), "reachable from other machines")


class Environment(PropertiesCase):
    def test_names_of_the_environment(self):
        gateway = self.gateway(
            env={
                "MCP_OSQUERY_ENABLED": "true",
                "MCP_OSQUERY_COMMAND": sys.executable,
                "MCP_OSQUERY_ARGS": f"-S '{goals.STAND_IN}'",
                "LOGGING_LEVEL_COM_EXAMPLE_AGENTDEMO_MCP": "DEBUG",
            }
        )
        self.assertTrue(goals.step(gateway, "osquery: list users")[0])
        gateway.stderr.wait_for("debug Request: ")

    def test_they_stand_above_the_file(self):
        gateway = self.gateway(
            "--properties", self.document(), env={"MCP_OSQUERY_ENABLED": "false"}
        )
        self.assertEqual(goals.step(gateway, "osquery: list users")[1], "none")

    def test_a_switch_for_faults(self):
        gateway = self.gateway(env={"MCP_DEBUG": "1"}, config=goals.config(goals.stand_in()))
        gateway.stderr.wait_for("debug Request: ")

    def test_faults_name_the_variable(self):
        done = run("serve", env={"SERVER_PORT": "80x"})
        self.assert_fault(done, "environment: SERVER_PORT: must be a whole number")


if __name__ == "__main__":
    main()
