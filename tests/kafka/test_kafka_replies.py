"""Hostile replies on a bus: in the wrong topic, for another call, unknown, repeated, late or garbage.
Every call gets the record that its own agent has put into its own reply topic, and nothing else."""

import json
import random
import sys
import uuid

sys.path.insert(1, sys.path[0] + "/../lib")

from harness import Background, main, wait_until
from kafka_case import KafkaCase


def key_of(ident):
    return json.dumps({"correlationId": ident})


class Replies(KafkaCase):
    """Only the test answers: it reads the requests and writes every reply itself."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name in ("ledger", "intruder"):
            cls.peer.register(name)

    def setUp(self):
        self.wait_for_tool("ledger")
        self.wait_for_tool("intruder")

    def begin(self, tool, **arguments):
        """A call in progress, and its correlation id."""
        mark = str(uuid.uuid4())
        call = Background(self.call, tool, {"mark": mark, **arguments})
        found = []

        def asked():
            records = self.peer.consume(f"{tool}.requests")
            found[:] = [one for one in records if mark in (one["value"] or "")]
            return bool(found)

        wait_until(asked, "the request to be on the bus")
        return call, found[0]["headers"]["correlationId"]

    def reply(self, tool, ident, value, **more):
        self.peer.ask(
            "produce", topic=f"{tool}.responses", key=key_of(ident), value=value, **more
        )

    def until_dropped(self, why, before, count=1):
        wait_until(lambda: self.dropped(why) >= before + count, f"{count} to be counted as {why}")

    def test_the_reply_topic_of_another_agent(self):
        """An agent that may write only to its own reply topic cannot answer for others."""
        call, ident = self.begin("ledger")
        before = self.dropped("misplaced")
        forged = {"forged": True}
        other = "intruder.responses"
        self.reply("intruder", ident, forged)
        self.peer.produce(other, ident.upper(), forged)
        self.peer.produce(other, None, forged, correlationId=ident)
        self.peer.produce(other, None, {"correlationId": ident, **forged})
        progress = {"requestIndex": 0, "status": "INPUT_REQUIRED", "message": "Your password?"}
        self.reply("intruder", ident, progress)
        self.until_dropped("misplaced", before, 5)
        self.reply("ledger", ident, {"right": True})
        self.assertEqual(call.result().json(), {"right": True})
        self.gateway.stderr.wait_for("misplaced reply")

    def test_ids_of_two_calls_swapped_between_their_topics(self):
        ours, our_id = self.begin("ledger")
        theirs, their_id = self.begin("intruder")
        before = self.dropped("misplaced")
        self.reply("ledger", their_id, {"for": "intruder", "forged": True})
        self.reply("intruder", our_id, {"for": "ledger", "forged": True})
        self.until_dropped("misplaced", before, 2)
        self.reply("ledger", our_id, {"for": "ledger"})
        self.reply("intruder", their_id, {"for": "intruder"})
        self.assertEqual(ours.result().json(), {"for": "ledger"})
        self.assertEqual(theirs.result().json(), {"for": "intruder"})

    def test_an_id_from_a_caller_has_no_effect(self):
        """A caller that knows the id of another's call gets its own answer, and only that."""
        victim, victim_id = self.begin("ledger")
        spy, spy_id = self.begin("ledger", correlationId=victim_id, requestIndex=0)
        self.assertNotEqual(spy_id, victim_id)
        self.reply("ledger", victim_id, {"for": "victim"})
        self.assertEqual(victim.result().json(), {"for": "victim"})
        self.reply("ledger", spy_id, {"for": "spy"})
        self.assertEqual(spy.result().json(), {"for": "spy"})

    def test_every_partition_of_its_own_topic(self):
        number = self.peer.ask("partitions", topic="ledger.responses")["partitions"]
        for partition in range(number):
            call, ident = self.begin("ledger")
            self.reply("ledger", ident, {"from": partition}, partition=partition)
            self.assertEqual(call.result().json(), {"from": partition})

    def test_unknown_ids(self):
        call, ident = self.begin("ledger")
        before = self.dropped("foreign")
        # An id ends with the number of its client, so the last two could be ids of this gateway.
        digit = "1" if ident[-3] == "0" else "0"
        unknown = (
            str(uuid.uuid4()),
            ident[:-3] + digit + ident[-2:],
            ident[:-12] + "f" * 10 + ident[-2:],
        )
        for one in unknown:
            self.reply("ledger", one, {"forged": True})
        self.until_dropped("foreign", before, len(unknown))
        self.reply("ledger", ident, {"right": True})
        self.assertEqual(call.result().json(), {"right": True})

    def test_replays_of_an_answer(self):
        call, ident = self.begin("ledger")
        before = self.dropped("duplicate")
        self.reply("ledger", ident, {"n": 1})
        self.assertEqual(call.result().json(), {"n": 1})
        again, again_id = self.begin("ledger")
        for _ in range(3):
            self.reply("ledger", ident, {"n": 2})
        self.reply("intruder", ident, {"n": 3})
        self.until_dropped("duplicate", before, 4)
        self.reply("ledger", again_id, {"n": 4})
        self.assertEqual(again.result().json(), {"n": 4})

    def test_garbage_beside_real_replies(self):
        """Records of every broken form, sent to both topics while calls are in progress."""
        dice = random.Random(47)
        calls = {tool: self.begin(tool) for tool in ("ledger", "intruder")}
        idents = [ident for _, ident in calls.values()]
        for number in range(60):
            topic = dice.choice(("ledger.responses", "intruder.responses"))
            self.peer.ask("produce", topic=topic, **broken(dice, idents, number))
        for tool, (call, ident) in calls.items():
            self.reply(tool, ident, {"for": tool})
            self.assertEqual(call.result().json(), {"for": tool})


def broken(dice, idents, number):
    """A record that is no reply to any of these ids."""
    ident = dice.choice(idents)
    cut = ident[: dice.randrange(1, len(ident) - 1)]
    key = dice.choice(
        (
            None,
            "",
            cut,
            key_of(cut),
            key_of(ident + "0"),
            key_of("0" * 300 + ident),
            f'{{"correlationId":"{ident}"',
            f'{{"correlationId":["{ident}"]}}',
            f'{{"correlationId":null,"id":"{ident}"}}',
            {"hex": "00" + dice.randbytes(4).hex() + ident[:20].encode().hex()},
            {"hex": dice.randbytes(dice.randrange(1, 64)).hex()},
        )
    )
    value = dice.choice(
        (
            None,
            "",
            "{not json",
            {"forged": number},
            f'{{"correlationId":"{cut}"}}',
            "[" * 200,
            {"hex": "0000000001" + dice.randbytes(20).hex()},
            {"hex": dice.randbytes(dice.randrange(1, 200)).hex()},
        )
    )
    headers = dice.choice(({}, {"correlationId": cut}, {"correlationId": "x" * 5000}))
    return {"key": key, "value": value, "headers": headers}


class Late(KafkaCase):
    """The call timed out; a later reply of the agent is dropped."""

    upstream = {"response_timeout_ms": 300}

    def test_a_reply_after_the_deadline(self):
        self.peer.register("delayed")
        self.wait_for_tool("delayed")
        response = self.call("delayed", {"n": 1})
        self.assertEqual(response.status, 504)
        (request,) = self.peer.consume("delayed.requests")
        ident = request["headers"]["correlationId"]
        for _ in range(2):
            self.peer.produce("delayed.responses", key_of(ident), {"too": "late"})
        wait_until(lambda: self.dropped("late") == 2, "both to be counted")


if __name__ == "__main__":
    main()
