"""`patchbay bus serve`: MCP servers as agents on the bus, called through a gateway."""

import json
import pathlib
import signal
import subprocess
import sys
import tempfile
from types import SimpleNamespace

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    BINARY,
    Background,
    Gateway,
    clean_environment,
    fake,
    main,
    run,
    to_yaml,
    wait_until,
)
from kafka_case import JSON, KafkaCase, Registry, bus_config
from raw_service import AnyPath, RawService
from waiting import TIMEOUT, Lines, stand_still


class Served:
    """`patchbay bus serve` as a context manager."""

    def __init__(self, case, upstreams, *args, **settings):
        self.folder = tempfile.TemporaryDirectory(prefix="patchbay-test-")
        path = f"{self.folder.name}/patchbay.yaml"
        with open(path, "w", encoding="utf-8") as file:
            file.write(to_yaml({"workers": 1, "upstreams": upstreams, **settings}))
        self.command = [
            BINARY, "bus", "serve", "-c", path, "--broker", case.brokers,
            "--schema-registry", case.registry.url, "--registry-topic", case.registry_topic,
            "--partitions", "4", *args,
        ]  # fmt: skip
        self.environment = {}
        self.process = self.stdout = self.stderr = None
        self.ready = lambda line: line == "ready"

    def __enter__(self):
        self.process = subprocess.Popen(
            self.command,
            env=clean_environment(**self.environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.stdout, self.stderr = Lines(self.process.stdout), Lines(self.process.stderr)
        try:
            self.stdout.wait_for(self.ready)
        except AssertionError:
            self.process.kill()
            raise AssertionError("it did not start:\n" + self.stderr.text()[-4000:]) from None
        return self

    def stop(self):
        self.process.terminate()
        return self.process.wait(TIMEOUT)

    def __exit__(self, kind, *_):
        code = self.stop() if self.process.poll() is None else self.process.returncode
        self.stderr.close()
        self.folder.cleanup()
        if kind is None and code not in (0, -9):
            raise AssertionError(f"exit code {code}:\n" + self.stderr.text()[-6000:])


class ServeCase(KafkaCase):
    upstreams = {
        "skills": {"kind": "builtin", "tools": {"allow": ["calculate"]}},
        "fake": fake(tools={"allow": ["die", "progress", "ask_client", "big"]}),
    }
    upstream = {"response_timeout_ms": 20000}
    settings = {"limits": {"call_timeout": "25s"}}

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
            # The tool's own error text is passed on.
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
            # An answered request is committed, so that it is not repeated.
            wait_until(lambda: self.lag("patchbay", "skills__calculate_request") == 0, "no lag")
            self.updates()
            self.question()
            self.too_large()

    def lag(self, group, topic):
        argv = ("lag", group, topic, "--json", "--broker", self.brokers)
        return sum(line["lag"] for line in json.loads(run("bus", *argv).stdout))

    def updates(self):
        """Progress of the tool reaches the caller."""
        with self.gateway.connect() as connection:
            fields = {**JSON, "Accept": "text/event-stream"}
            connection.send("POST", "/api/fake__progress", fields, {"steps": 3})
            events = list(connection.read_head().events())
        self.assertEqual([one.name for one in events].count("progress"), 3)
        self.assertEqual(json.loads(events[-1].data)["content"][0]["text"], "done")

    def too_large(self):
        """An answer that the bus does not take is a failure, and the next request is answered."""
        failed = self.call("fake__big", {"bytes": 2_000_000})
        self.assertEqual(failed.status, 422, failed.body)
        self.assertIn("message.max.bytes", failed.json()["message"])
        self.assertEqual(self.call("fake__big", {"bytes": 10}).status, 200)

    def question(self):
        """What the tool asks reaches the caller, and the answer the tool."""
        form = {"message": "Which size?", "requestedSchema": {"type": "object", "properties": {}}}
        asked = self.call("fake__ask_client", {"method": "elicitation/create", "params": form})
        self.assertEqual(asked.status, 202, asked.body)
        key, question = next(iter(asked.json()["questions"].items()))
        self.assertEqual(question["params"]["message"], "Which size?")
        answers = {key: {"action": "accept", "content": {"size": "XL"}}}
        answer = self.send("POST", asked.json()["answer_at"], answers)
        self.assertEqual(answer.status, 200, answer.body)
        self.assertIn("XL", answer.json()["content"][0]["text"])

    def poison(self):
        """An unreadable request is put aside, and the next one is answered."""
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
            dead_letters = self.peer.consume("fake__die_request.dead-letter")
            self.assertEqual([one["headers"]["patchbay-tries"] for one in dead_letters], ["3"])
            # Answered requests are committed: a second program does not repeat them.
            self.assertEqual(served.stop(), 0)
            self.wait_for_tool("fake__die", there=False)

    def test_work_goes_on_with_another_program(self):
        argv = ["--group", "pair"]
        # A member that is silent for two seconds is considered dead. (The embedded bus needs longer.)
        if self.cluster:
            argv += ["-X", "session.timeout.ms=2000", "-X", "heartbeat.interval.ms=500"]
        with self.serve(*argv) as first, self.serve(*argv):
            self.wait_for_tool("skills__calculate")
            self.assertEqual(self.call("skills__calculate", {"expression": "1+1"}).status, 200)
            first.process.kill()
            answered = lambda: all(
                self.call("skills__calculate", {"expression": "2+2"}).status == 200
                for _ in range(8)
            )
            wait_until(answered, "the other program to take over", 2 * TIMEOUT)


class Rebalance(ServeCase):
    upstreams = {"fake": fake(tools={"allow": ["until"]})}

    def test_what_is_being_dealt_with_is_finished_when_partitions_move(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        gate = pathlib.Path(folder) / "gate"
        ask = lambda n: self.call("fake__until", {"file": str(gate), "text": f"t{n}"})
        with self.serve("--group", "moving") as first:
            self.wait_for_tool("fake__until")
            calls = [Background(ask, n) for n in range(4)]
            wait_until(
                lambda: len(self.peer.consume("fake__until_request")) == 4, "the requests to be out"
            )
            # Another program wants its share, and gets it once these are answered.
            second = Background(self.enterContext, self.serve("--group", "moving"))
            first.stderr.wait_for("partitions leaving")
            gate.touch()
            for n, call in enumerate(calls):
                response = call.result()
                self.assertEqual(response.status, 200, response.body)
                self.assertEqual(response.json()["content"][0]["text"], f"t{n}")
            second.result()
            more = [Background(ask, n) for n in range(8)]
            for call in more:
                self.assertEqual(call.result().status, 200)
        keys = [one["key"] for one in self.peer.consume("fake__until_response")]
        self.assertEqual(len(set(keys)), 12)
        # No work was done twice. (The embedded bus takes no commits while members join.)
        if self.cluster:
            self.assertEqual(len(keys), 12)


class Json(ServeCase):
    def test_it_learns_when_there_is_work(self):
        served = Served(self, self.upstreams, "--group", "json", "--json")
        served.ready = lambda line: line.startswith("{")
        with served:
            (line,) = served.stdout.lines
            reply = json.loads(line)
        self.assertEqual(reply, {"bus": self.brokers, "group": "json", "tools": 5})


class Refused(ServeCase):
    """A registry that takes neither our schema of registrations nor that of one tool."""

    upstreams = {"fake": fake(tools={"allow": ["big", "echo"]})}

    def test_the_other_tools_are_served(self):
        refused = (f"/subjects/{self.registry_topic}-value/", "/subjects/fake__echo_request-value/")

        def respond(request):
            method = request.line.split(" ")[0]
            if method == "POST" and request.path.startswith(refused):
                return 409, "application/json", b'{"error_code":409,"message":"incompatible"}'
            body = json.loads(request.body) if request.body else None
            status, answer = self.registry.ask(method, request.target, body)
            return status, "application/json", json.dumps(answer).encode()

        service = self.enterContext(RawService())
        service.on = AnyPath(respond)
        case = SimpleNamespace(
            brokers=self.brokers,
            registry=Registry(service.url),
            registry_topic=self.registry_topic,
        )
        with Served(case, self.upstreams, "--group", "refused") as served:
            self.wait_for_tool("fake__big")
            self.assertEqual(self.call("fake__big", {"bytes": 10}).status, 200)
            line = served.stderr.wait_for("tool not on the bus")
            self.assertRegex(line, "tool=fake__echo .*incompatible")
            self.assertNotIn("fake__echo", self.tools())


class Environment(ServeCase):
    """The file has the tools and no bus; the environment has its address."""

    def variables(self):
        return {
            "BROKER_URL": self.brokers,
            "SR_URL": self.registry.url,
            "SECURITY_PROTOCOL": "PLAINTEXT",
            "REGISTRY_TOPIC": self.registry_topic,
        }

    def from_environment(self, **variables):
        served = self.serve("--group", "by-environment")
        for option in ("--broker", "--schema-registry", "--registry-topic"):
            at = served.command.index(option)
            del served.command[at : at + 2]
        served.environment = variables
        return served

    def test_the_bus_of_the_environment(self):
        with self.from_environment(**self.variables()):
            self.wait_for_tool("skills__calculate")
            response = self.call("skills__calculate", {"expression": "6 * 7"})
            self.assertEqual(response.json(), {"content": [{"type": "text", "text": "42"}]})

    def refused(self, **variables):
        served = self.from_environment(**variables)
        environment = clean_environment(**variables)
        done = subprocess.run(
            served.command, env=environment, capture_output=True, text=True, timeout=TIMEOUT, check=False
        )
        served.folder.cleanup()
        self.assertNotEqual(done.returncode, 0)
        return done.stderr

    def test_what_is_missing_is_named(self):
        reply = self.refused(BROKER_URL=self.brokers, JAAS_PASSWORD="not-to-be-shown")
        for name in ("JAAS_USERNAME", "SR_URL", "SR_API_KEY", "SR_API_SECRET"):
            self.assertIn(name, reply)
        self.assertNotIn("not-to-be-shown", reply)

    def test_no_bus_anywhere(self):
        reply = self.refused()
        self.assertIn("has no upstream of kind kafka", reply)
        self.assertIn("BROKER_URL", reply)


class Limits(ServeCase):
    """The settings `bus_serve` of the configuration take effect."""

    upstreams = {"fake": fake(tools={"allow": ["until", "die", "big"]})}

    def limited(self, *args, upstreams=None, **limits):
        argv = ("--log-level", "debug", *args)
        return Served(self, upstreams or self.upstreams, *argv, bus_serve=limits)

    def ask(self, name, tool, arguments):
        key = json.dumps({"correlationId": name})
        self.peer.produce(f"{tool}_request", key, arguments)

    def replies_to(self, name, tool):
        key = json.dumps({"correlationId": name})
        return [one["key"] for one in self.peer.consume(f"{tool}_response")].count(key)

    def test_how_many_requests_wait_in_the_program(self):
        gate = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "gate"
        for group, limits, waiting in (
            ("many", {"max_concurrent_requests": 1, "max_backlog": 3}, "requests=3"),
            ("large", {"max_concurrent_requests": 1, "max_backlog_size": "1KiB"}, "requests=2"),
        ):
            names = [f"{group}-{n}" for n in range(9)]
            with self.limited("--group", group, **limits) as served:
                for name in names:
                    self.ask(name, "fake__until", {"file": str(gate), "text": 500 * "x"})
                line = served.stderr.wait_for("partitions paused")
                self.assertIn(f"group={group} {waiting}", line)
                gate.touch()
                served.stderr.wait_for("partitions resumed")
                for name in names:
                    wait_until(lambda: self.replies_to(name, "fake__until") == 1, f"the reply to {name}")
            gate.unlink()

    def test_how_often_it_is_tried_and_what_is_remembered(self):
        with self.limited("--group", "once", max_attempts=1, max_remembered_requests=1):
            self.ask("dies", "fake__die", {})
            dead_letters = lambda: self.peer.consume("fake__die_request.dead-letter")
            wait_until(dead_letters, "a dead letter")
            self.assertEqual([one["headers"]["patchbay-tries"] for one in dead_letters()], ["1"])
            # One that comes again is known only if no other has come meanwhile.
            for name, count in (("a", 1), ("b", 1), ("a", 2)):
                self.ask(name, "fake__big", {"bytes": 10})
                wait_until(lambda: self.replies_to(name, "fake__big") == count, f"the reply to {name}")

    def test_partitions_are_handed_over_in_time(self):
        gate = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "gate"
        # A separate tool, so that no request of others comes in between.
        both = {"upstreams": {"held": fake(tools={"allow": ["until"]})}}
        argv = ("--group", "hasty")
        with self.limited(*argv, handover="300ms", **both) as first:
            self.ask("held", "held__until", {"file": str(gate), "text": "x"})
            wait_until(lambda: self.peer.consume("held__until_request"), "the request to be out")
            with self.limited(*argv, **both):
                line = first.stderr.wait_for("partitions left unfinished")
                self.assertIn("group=hasty requests=1 waited_ms=300", line)
                gate.touch()

    def test_a_group_that_nobody_answers_for_is_left_in_time(self):
        with Gateway(bus_config()) as gateway:
            bus = gateway.get("/health").json()["bus"]
            case = SimpleNamespace(
                brokers=bus["bootstrap"],
                registry=Registry(bus["schema_registry"]),
                registry_topic="_agent_registry",
            )
            with Served(case, self.upstreams, bus_serve={"leave_timeout": "300ms"}) as served:
                stand_still(gateway.process.pid)
                try:
                    self.assertEqual(served.stop(), 0)
                finally:
                    gateway.process.send_signal(signal.SIGCONT)
                served.stderr.wait_for("group not left group=patchbay waited_ms=300")

    def test_bounds(self):
        wrong = {
            "max_backlog": 0,
            "max_backlog_size": 10,
            "rebalance_timeout": "1h",
            "leave_timeout": "1h",
            "max_attempts": 0,
        }
        folder = self.enterContext(tempfile.TemporaryDirectory())
        path = pathlib.Path(folder) / "patchbay.yaml"
        path.write_text(to_yaml({"bus_serve": wrong}), encoding="utf-8")
        done = run("bus", "serve", "-c", str(path), "--broker", self.brokers)
        self.assertNotEqual(done.returncode, 0)
        for name in wrong:
            self.assertIn(f"bus_serve.{name}: ", done.stderr)


class Restrained(ServeCase):
    def test_a_caller_on_the_bus_is_not_asked_about_itself(self):
        """A caller that the rules restrain cannot approve its own call."""
        upstreams = {"held": {"kind": "builtin", "tools": {"allow": ["calculate"]}}}
        rules = [{"role": "local", "approve": ["held.calculate"]}]
        with Served(self, upstreams, rules=rules, approvals={"elicit": True}):
            self.wait_for_tool("held__calculate")
            refused = self.call("held__calculate", {"expression": "6 * 7"})
        self.assertEqual(refused.status, 422, refused.body)
        self.assertIn(b"patchbay approve", refused.body)


if __name__ == "__main__":
    main()
