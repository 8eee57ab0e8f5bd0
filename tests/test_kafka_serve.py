"""`patchbay bus serve`: MCP servers as agents on the bus, called through a gateway."""

import subprocess
import tempfile

from harness import (
    BINARY,
    Background,
    clean_environment,
    fake,
    main,
    to_yaml,
    wait_until,
)
from kafka_case import KafkaCase
from waiting import PATIENCE, Lines


class Served:
    """`patchbay bus serve` as a context manager."""

    def __init__(self, case, upstreams, *args):
        self.folder = tempfile.TemporaryDirectory(prefix="patchbay-test-")
        path = f"{self.folder.name}/patchbay.yaml"
        with open(path, "w", encoding="utf-8") as file:
            file.write(to_yaml({"workers": 1, "upstreams": upstreams}))
        self.command = [
            BINARY, "bus", "serve", "-c", path, "--broker", case.brokers,
            "--schema-registry", case.registry.url, "--registry-topic", case.registry_topic,
            "--partitions", "4", *args,
        ]  # fmt: skip
        self.process = self.stdout = self.stderr = None

    def __enter__(self):
        self.process = subprocess.Popen(
            self.command,
            env=clean_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.stdout, self.stderr = Lines(self.process.stdout), Lines(self.process.stderr)
        try:
            self.stdout.wait_for(lambda line: line == "ready")
        except AssertionError:
            self.process.kill()
            raise AssertionError("it did not start:\n" + self.stderr.text()[-4000:]) from None
        return self

    def stop(self):
        self.process.terminate()
        return self.process.wait(PATIENCE)

    def __exit__(self, kind, *_):
        code = self.stop() if self.process.poll() is None else self.process.returncode
        self.stderr.close()
        self.folder.cleanup()
        if kind is None and code not in (0, -9):
            raise AssertionError(f"exit code {code}:\n" + self.stderr.text()[-6000:])


class ServeCase(KafkaCase):
    upstreams = {
        "skills": {"kind": "builtin", "tools": {"allow": ["calculate"]}},
        "fake": fake(tools={"allow": ["die", "progress", "ask_client"]}),
    }
    upstream = {"response_timeout_ms": 20000}
    settings = {"limits": {"call": "25s"}}

    def serve(self, *args, **upstreams):
        return Served(self, upstreams or self.upstreams, *args)


class Tools(ServeCase):
    def test_tools_are_agents(self):
        with self.serve():
            self.wait_for_tool("skills__calculate")
            tool = self.tools()["skills__calculate"]
            self.assertIn("expression", tool["inputSchema"]["properties"])
            response = self.call("skills__calculate", {"expression": "6 * 7"})
            self.assertEqual(response.json(), {"content": [{"type": "text", "text": "42"}]})
            # Arguments are checked here already.
            self.assertEqual(self.call("skills__calculate", {}).status, 400)
            # What the tool says of its own failure comes through.
            failed = self.call("skills__calculate", {"expression": "1 / 0"})
            self.assertEqual(failed.status, 422)
            calls = [
                Background(lambda n=n: self.call("skills__calculate", {"expression": f"{n}+1"}))
                for n in range(30)
            ]
            for n, call in enumerate(calls):
                self.assertEqual(call.result().json()["content"][0]["text"], str(n + 1))
            self.poison()
            self.duplicates()

    def poison(self):
        """What cannot be read is put aside, and the next request is answered."""
        topic = "skills__calculate_request"
        self.peer.produce(topic, '{"correlationId":"bad-1"}', "{not json")
        self.peer.produce(topic, None, "{}")
        aside = lambda: self.peer.consume(f"{topic}.dead-letter")
        wait_until(lambda: len(aside()) == 2, "two dead letters")
        self.assertEqual(
            {one["headers"]["patchbay-why"] for one in aside()},
            {"the request is not JSON", "it has no correlation id"},
        )
        replies = self.peer.consume("skills__calculate_response")
        failed = [one for one in replies if one["key"] == '{"correlationId":"bad-1"}']
        self.assertEqual(len(failed), 1)
        self.assertEqual(self.call("skills__calculate", {"expression": "1"}).status, 200)

    def duplicates(self):
        """A request that comes twice is answered once."""
        topic, key = "skills__calculate_request", '{"correlationId":"twice-1"}'
        for _ in range(3):
            self.peer.produce(topic, key, {"expression": "1+1"})
        self.assertEqual(self.call("skills__calculate", {"expression": "1"}).status, 200)
        wait_until(lambda: self.replies_to(key) >= 1, "the reply")
        self.peer.produce(topic, '{"correlationId":"after-1"}', {"expression": "1"})
        wait_until(lambda: self.replies_to('{"correlationId":"after-1"}') == 1, "the next reply")
        self.assertEqual(self.replies_to(key), 1)

    def replies_to(self, key):
        return [one["key"] for one in self.peer.consume("skills__calculate_response")].count(key)


class Failures(ServeCase):
    def test_a_server_that_keeps_breaking_is_given_up_after_three_tries(self):
        with self.serve("--unregister") as served:
            self.wait_for_tool("fake__die")
            response = self.call("fake__die")
            self.assertEqual(response.status, 422)
            letters = self.peer.consume("fake__die_request.dead-letter")
            self.assertEqual([one["headers"]["patchbay-tries"] for one in letters], ["3"])
            # What has been answered is committed: a second program does not do it again.
            self.assertEqual(served.stop(), 0)
            self.wait_for_tool("fake__die", there=False)

    def test_work_goes_on_with_another_program(self):
        with self.serve("--group", "pair") as first, self.serve("--group", "pair"):
            self.wait_for_tool("skills__calculate")
            self.assertEqual(self.call("skills__calculate", {"expression": "1+1"}).status, 200)
            first.process.kill()
            answered = lambda: all(
                self.call("skills__calculate", {"expression": "2+2"}).status == 200
                for _ in range(8)
            )
            wait_until(answered, "the other program to take over", 2 * PATIENCE)


if __name__ == "__main__":
    main()
