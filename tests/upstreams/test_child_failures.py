"""Children that fail in every possible manner, beside a healthy one that must not be affected."""

import contextlib
import json
import os
import signal
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import (
    Background,
    Gateway,
    McpSession,
    TestCase,
    fake,
    fake_config,
    main,
    text_of,
    wait_until,
)


class ChildCase(TestCase):
    def start(self, bad=None, gateway=None, **settings):
        """A gateway with the upstreams `bad` and `good`, and a session; `good` must stay unharmed."""
        bad = {"start_timeout": "3s", **(bad or {})}  # How long the banner waits for a sick one.
        config = fake_config({"bad": fake(**bad), "good": fake()}, **settings)
        self.gateway = self.enterContext(Gateway(config, **(gateway or {})))
        self.session = self.enterContext(McpSession(self.gateway))
        self.good_pid = self.whoami("good")
        return self.session

    def whoami(self, upstream):
        return json.loads(text_of(self.session.call(f"{upstream}__whoami")))["pid"]

    def assert_good_untouched(self):
        self.assertEqual(self.whoami("good"), self.good_pid)

    def assert_bad_recovers(self):
        def answers():
            answer = self.session.call("bad__echo", text="back")
            return "result" in answer and text_of(answer) == "back"

        wait_until(answers, "the child to come back")
        self.assert_good_untouched()

    def dropped(self, reason):
        return self.gateway.metric("patchbay_upstream_dropped_total", upstream="bad", reason=reason)

    def restarts(self):
        return self.gateway.metric("patchbay_upstream_restarts_total", upstream="bad")

    def in_flight(self):
        return self.gateway.metric("patchbay_calls_in_flight")


class Dying(ChildCase):
    def test_dies_during_its_own_call(self):
        session = self.start()
        self.assert_error(session.call("bad__die"), -32000)
        self.assert_bad_recovers()
        self.assertGreaterEqual(self.restarts(), 1)

    def test_killed_with_many_calls_in_flight(self):
        session = self.start()
        calls = [session.call_later("bad__hang") for _ in range(20)]
        other = session.call_later("good__sleep", seconds=1, text="unharmed")
        wait_until(lambda: self.in_flight() == 21, "all calls to be in flight")
        pid = self.whoami("bad")  # What came before this has reached the program.
        os.kill(pid, signal.SIGKILL)
        for call in calls:
            self.assert_error(call.result(), -32000)
        self.assertEqual(text_of(other.result()), "unharmed")
        self.assert_bad_recovers()
        self.assertNotEqual(self.whoami("bad"), pid)

    def test_exits_between_calls(self):
        self.start()
        pid = self.whoami("bad")
        os.kill(pid, signal.SIGTERM)
        self.assert_bad_recovers()
        self.assertNotEqual(self.whoami("bad"), pid)

    def test_closes_stdout_and_keeps_running(self):
        session = self.start(bad={"stop_grace": "200ms"})
        pid = self.whoami("bad")
        self.assert_error(session.call("bad__close_stdout"), -32000)
        self.assert_bad_recovers()
        self.assertNotEqual(self.whoami("bad"), pid)
        wait_until(lambda: pid not in self.gateway.children(), "the old child to be gone")

    def test_ready_falls_and_rises(self):
        with tempfile.TemporaryDirectory() as folder:
            gate = os.path.join(folder, "may-run")
            self.start(bad={"env": {"FAKE_EXIT_UNLESS": gate}})
            response = self.gateway.get("/ready")
            self.assertEqual((response.status, response.json()["status"]), (200, "degraded"))
            self.assertIn("bad", response.body.decode())
            self.assertEqual(self.gateway.metric("patchbay_upstream_up", upstream="bad"), 0)
            self.assertEqual(self.gateway.metric("patchbay_upstream_up", upstream="good"), 1)
            self.assertNotIn("bad__echo", self.session.tool_names())
            open(gate, "w", encoding="ascii").close()
            self.gateway.wait_ready()
            self.assertIn("bad__echo", self.session.tool_names())
            self.assert_bad_recovers()

    def test_crash_loop_opens_the_breaker(self):
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "starts")
            self.start(
                bad={
                    "env": {"FAKE_EXIT": "1", "FAKE_START_LOG": log},
                    "restart": {
                        "initial_interval": "10ms",
                        "max_interval": "60s",
                        "breaker_threshold": 4,
                        "window": "60s",
                    },
                }
            )

            def starts():
                with open(log, encoding="ascii") as lines:
                    return len(lines.readlines())

            wait_until(lambda: starts() >= 4, "the first attempts")
            self.gateway.stderr.wait_for("breaker")
            at_handshake = starts()
            for _ in range(20):  # Calls fail at once, and start nothing.
                answer = self.session.call("bad__echo", text="x")
                self.assertIn(answer["error"]["code"], (-32000, -32602))
            self.assert_good_untouched()
            self.assertLessEqual(starts(), at_handshake + 1)

    def test_program_that_does_not_exist(self):
        self.start(bad={"command": "no-such-program-anywhere"})
        self.assertTrue(self.gateway.degraded())
        self.assertIn(self.session.call("bad__echo")["error"]["code"], (-32000, -32602))
        self.assert_good_untouched()

    def test_working_directory_that_does_not_exist(self):
        self.start(bad={"cwd": "/no/such/folder"})
        self.assertTrue(self.gateway.degraded())
        self.assert_good_untouched()


class Hanging(ChildCase):
    def test_a_call_that_is_never_answered_meets_its_deadline(self):
        session = self.start(bad={"timeout": "300ms"})
        self.assert_error(session.call("bad__hang", tag="late"), -32001, "timeout")
        seen = json.loads(text_of(session.call("bad__seen_cancelled")))
        self.assertIn("late", [entry["tag"] for entry in seen])
        wait_until(lambda: self.in_flight() == 0, "the slot to be free")
        self.assert_good_untouched()

    def test_the_general_deadline_applies_too(self):
        session = self.start(limits={"call_timeout": "400ms"})
        self.assert_error(session.call("bad__hang"), -32001, "timeout")

    def test_an_answer_after_the_deadline_is_dropped_and_counted(self):
        session = self.start(bad={"timeout": "300ms"})
        self.assert_error(session.call("bad__late", seconds=0.8), -32001)
        for turn in range(5):
            self.assertEqual(text_of(session.call("bad__echo", text=str(turn))), str(turn))
        wait_until(lambda: self.dropped("late") == 1, "the late answer to be counted")

    def test_stopped_child(self):
        session = self.start(bad={"timeout": "300ms"})
        pid = self.whoami("bad")
        os.kill(pid, signal.SIGSTOP)
        try:
            self.assert_error(session.call("bad__echo", text="x"), -32001)
            self.assert_good_untouched()
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
        self.assert_bad_recovers()

    def test_a_child_that_never_reads(self):
        session = self.start(bad={"timeout": "5s", "max_outbox_size": "1MiB"})
        first = session.call_later("bad__hang_all")
        wait_until(lambda: self.in_flight() >= 1)
        before = self.gateway.rss()
        codes = []
        for _ in range(20):
            call = session.call_later("bad__echo", text="x" * 500_000)
            if not self._soon(call):
                continue
            codes.append(call.result()["error"]["code"])
        self.assertIn(-32003, codes)  # Once the outbox is full, calls are refused at once.
        self.assertLess(self.gateway.rss() - before, 48 << 20)
        self.assert_good_untouched()
        self.assertIn(first.result()["error"]["code"], (-32001, -32000))

    @staticmethod
    def _soon(call):
        call.thread.join(0.5)
        return not call.running()

    def test_slow_start(self):
        self.start(bad={"env": {"FAKE_SLOW_START": "1.5"}})
        self.assert_good_untouched()
        self.assert_bad_recovers()

    def test_initialize_that_is_never_answered(self):
        self.start(bad={"env": {"FAKE_MUTE": "initialize"}, "timeout": "1s"})
        self.assertTrue(self.gateway.degraded())
        self.assert_good_untouched()


class Talking(ChildCase):
    def test_rubbish_is_skipped_and_counted(self):
        session = self.start()
        self.assertEqual(text_of(session.call("bad__rubbish", lines=7)), "after the rubbish")
        self.assertGreaterEqual(self.dropped("not_json"), 7)
        self.assertEqual(self.restarts(), 0)

    def test_rubbish_and_notifications_before_the_handshake(self):
        session = self.start(bad={"env": {"FAKE_CHATTY": "1"}})
        self.assertEqual(text_of(session.call("bad__echo", text="fine")), "fine")

    def test_answers_twice(self):
        session = self.start()
        for turn in range(5):
            self.assertEqual(text_of(session.call("bad__twice", text=f"t{turn}")), f"t{turn}")
            self.assertEqual(text_of(session.call("bad__echo", text=f"e{turn}")), f"e{turn}")
        wait_until(lambda: self.dropped("unknown_id") + self.dropped("late") >= 5)

    def test_answers_with_unknown_ids(self):
        session = self.start()
        waiting = session.call_later("bad__sleep", seconds=0.5, text="patient")
        self.assertEqual(text_of(session.call("bad__unknown_id", text="mine")), "mine")
        self.assertEqual(text_of(waiting.result()), "patient")
        self.assertGreaterEqual(self.dropped("unknown_id"), 2)

    def test_answer_without_result(self):
        session = self.start(bad={"timeout": "2s"})
        self.assertIn("error", session.call("bad__bad_answer"))
        self.assertEqual(text_of(session.call("bad__echo", text="next")), "next")

    def test_flood_without_newline_is_cut(self):
        line = 64 << 20
        session = self.start(bad={"timeout": "25s", "max_message_size": "64MiB"})
        before = self.gateway.rss()
        self.assert_error(session.call("bad__flood_stdout", bytes=200 << 20), -32000)
        self.assertLess(self.gateway.peak_rss() - before, line * 1.25)
        self.assert_bad_recovers()
        wait_until(lambda: self.gateway.rss() - before < 16 << 20, "the memory to be given back")

    def test_flood_of_stderr_is_drained(self):
        session = self.start(bad={"timeout": "25s"})
        self.assertEqual(text_of(session.call("bad__flood_stderr", bytes=20 << 20)), "flooded")
        self.assert_good_untouched()
        # Rate-limited: the log does not repeat all of it.
        self.assertLess(len(self.gateway.stderr.text()), 10 << 20)

    def test_flood_of_notifications(self):
        session = self.start(bad={"timeout": "25s", "max_notifications": 100})
        before = self.gateway.rss()
        flood = session.call_later("bad__flood_notifications", n=200_000)
        for turn in range(20):
            self.assertEqual(text_of(session.call("good__echo", text=str(turn))), str(turn))
        answer = flood.result()
        self.assertEqual(text_of(answer), "flooded")
        self.assertLess(self.gateway.rss() - before, 40 << 20)
        # What passed is a few hundred, by the seconds it took; the rest was counted, and logged in few lines.
        self.assertGreater(self.dropped("too_many"), 150_000)
        logged = [line for line in self.gateway.stderr.lines if "notifications dropped" in line]
        self.assertTrue(0 < len(logged) < 10, logged)
        self.assertIn("max_notifications", logged[0])

    def test_the_answer_of_16_MiB(self):
        session = self.start(bad={"timeout": "20s"})
        self.assertEqual(len(text_of(session.call("bad__big", bytes=15 << 20))), 15 << 20)
        self.assert_error(session.call("bad__big", bytes=17 << 20), -32000)
        self.assert_bad_recovers()

    def test_requests_to_the_client_are_answered(self):
        """Requests that this gateway does not forward are refused, so that the child does not wait forever."""
        session = self.start(bad={"timeout": "10s"})
        for method in ("roots/list", "ping", "sampling/createMessage", "no/such"):
            with self.subTest(method=method):
                reply = json.loads(text_of(session.call("bad__ask_client", method=method)))
                self.assertTrue("result" in reply or reply["error"]["code"], reply)
        self.assertEqual(
            json.loads(text_of(session.call("bad__ask_client", method="ping"))), {"result": {}}
        )


class Spawning(ChildCase):
    def test_clean_environment_plus_configured(self):
        session = self.start(
            bad={"env": {"MINE": "yes"}}, gateway={"env": {"SECRET_OF_GATEWAY": "s3cret"}}
        )
        seen = json.loads(text_of(session.call("bad__env")))
        self.assertEqual(seen["MINE"], "yes")
        self.assertNotIn("SECRET_OF_GATEWAY", seen)
        self.assertIn("PATH", seen)

    def test_working_directory_and_arguments_without_a_shell(self):
        with tempfile.TemporaryDirectory() as folder:
            session = self.start(bad={"cwd": folder})
            self.assertEqual(text_of(session.call("bad__cwd")), os.path.realpath(folder))
            marker = os.path.join(folder, "owned")
            upstream = fake(
                args=["-S", fake()["args"][1], f"; touch {marker}", f"$(touch {marker})"]
            )
            with Gateway(fake_config({"x": upstream})) as gateway, McpSession(gateway) as other:
                self.assertEqual(text_of(other.call("x__echo", text="ok")), "ok")
            self.assertFalse(os.path.exists(marker))

    def test_program_is_found_in_the_path(self):
        session = self.start(bad={"command": "python3"})
        self.assertEqual(text_of(session.call("bad__echo", text="found")), "found")

    def test_no_descriptors_leak(self):
        session = self.start()
        with self.gateway.connect() as held:
            held.request("GET", "/health")
            session.call("bad__die")
            self.assert_bad_recovers()
            descriptors = json.loads(text_of(session.call("bad__fds")))
            self.assertEqual([fd for fd in descriptors if fd > 3], [])  # 3 lists the directory.

    def test_own_process_group(self):
        self.start()
        pid = self.whoami("bad")
        self.assertEqual(os.getpgid(pid), pid)
        self.assertNotEqual(os.getpgid(self.gateway.pid), pid)

    def test_instances_share_the_calls(self):
        self.start(bad={"instances": 3})
        wait_until(lambda: len(self.gateway.children()) == 4, "three instances and the good one")
        self.assertEqual(len(self.whoami_at_once(6)), 3)
        self.assertEqual(len({self.whoami("bad") for _ in range(30)}), 3)  # One by one, too.

    def test_one_of_several_instances_dies(self):
        session = self.start(bad={"instances": 3})
        before = self.whoami_at_once(6)
        self.assertEqual(len(before), 3)
        session.call("bad__die")
        served = 0
        for turn in range(20):
            answer = session.call("bad__echo", text=str(turn))
            served += "result" in answer
        self.assertGreater(served, 10)
        wait_until(lambda: len(self.gateway.children()) == 4, "the third instance to be back")
        wait_until(lambda: len(self.whoami_at_once(6)) == 3, "calls on all three")
        self.assertEqual(len(before & self.whoami_at_once(6)), 2)

    def whoami_at_once(self, count):
        """The processes that answer this many calls in flight together."""
        calls = [self.session.call_later("bad__whoami", seconds=0.3) for _ in range(count)]
        return {json.loads(text_of(call.result()))["pid"] for call in calls}

    def test_a_thousand_calls_share_one_pipe(self):
        session = self.start()
        sleepers = [session.call_later("bad__sleep", seconds=0.3, text=f"s{n}") for n in range(50)]

        def quick(number):
            with McpSession(self.gateway) as own:
                return [
                    text_of(own.call("bad__echo", text=f"{number}-{turn}")) for turn in range(100)
                ]

        workers = [Background(quick, number) for number in range(10)]
        for number, worker in enumerate(workers):
            self.assertEqual(worker.result(), [f"{number}-{turn}" for turn in range(100)])
        for number, sleeper in enumerate(sleepers):
            self.assertEqual(text_of(sleeper.result()), f"s{number}")


if __name__ == "__main__":
    main()
