"""Tool calls that continue after their request was answered: the tasks of 2025-11-25 and the tasks
extension of 2026-07-28. One kind of task; the two differ in how it is represented and how its
questions reach the client.
"""

import asyncio
import datetime
import uuid

from catalog import run_tool
from errors import BAD_PARAMS, Refusal, ToolFailed, refusal_of
from questions import check
from revisions import STATELESS, RELATED_TASK

TTL_MS, POLL_MS = 60_000, 100  # The default.
TERMINAL = ("completed", "failed", "cancelled")


def now():
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")


class Task:
    def __init__(self, revision, on_change, ttl):
        self.id, self.revision, self.on_change = str(uuid.uuid4()), revision, on_change
        self.ttl = ttl
        self.created = self.updated = now()
        self.status, self.outcome = "working", {}
        self.pending = {}  # key -> (question, future of the answer)
        self.changed = asyncio.Event()
        self.runner = None

    def view(self):
        unit = "Ms" if self.revision == STATELESS else ""
        return {
            "taskId": self.id,
            "status": self.status,
            "createdAt": self.created,
            "lastUpdatedAt": self.updated,
            f"ttl{unit}": self.ttl,
            f"pollInterval{unit}": POLL_MS,
        }

    def details(self):
        """With the outcome or the open questions, in the form of 2026-07-28."""
        asked = {key: question for key, (question, _) in self.pending.items()}
        return {**self.view(), **self.outcome, **({"inputRequests": asked} if asked else {})}

    async def become(self, status, **outcome):
        if self.status in TERMINAL:
            return
        self.status, self.outcome, self.updated = status, outcome, now()
        self.changed.set()
        self.changed = asyncio.Event()
        await self.on_change(self)

    async def run(self, entry, call):
        call.input_source = self
        try:
            await self.become("completed", result=await run_tool(entry, call))
        except Exception as error:  # pylint: disable=broad-except
            await self.become("failed", error=refusal_of(error).error)

    async def ask(self, questions, sealed, partly):
        """Stores the questions until they are answered. (A task is its own input source.)"""
        del sealed, partly
        loop = asyncio.get_running_loop()
        mine = {key: loop.create_future() for key in questions}
        self.pending |= {key: (question, mine[key]) for key, question in questions.items()}
        await self.become("input_required")
        return dict(zip(mine, await asyncio.gather(*mine.values())))

    async def answer(self, answers):
        """Unknown keys are ignored; the task continues when no question is open."""
        for key in self.pending.keys() & answers.keys():
            check(self.pending[key][0], answers[key])
        for key in self.pending.keys() & answers.keys():
            self.pending.pop(key)[1].set_result(answers[key])
        if self.status == "input_required" and not self.pending:
            await self.become("working")

    async def refuse(self, failed):
        for _, future in self.pending.values():
            future.set_exception(failed)
        self.pending.clear()
        await self.become("working")

    async def cancel(self):
        self.pending.clear()
        await self.become("cancelled")
        self.runner.cancel()


class Tasks:
    def __init__(self, ttl=None):
        self.all, self.ttl = {}, ttl or TTL_MS

    def start(self, revision, entry, call, on_change):
        task = Task(revision, on_change, self.ttl)
        self.all[task.id] = task
        task.runner = asyncio.ensure_future(task.run(entry, call))
        asyncio.get_running_loop().call_later(self.ttl / 1000, self.all.pop, task.id, None)
        return task

    def find(self, params, revision):
        task = self.all.get(params.get("taskId"))
        if task is None or task.revision != revision:
            raise Refusal(BAD_PARAMS, "There is no such task")
        return task


async def wait_for_result(task, push):
    """tasks/result of 2025-11-25: asks what is open, and waits for the end."""
    while task.status not in TERMINAL:
        changed = task.changed
        asked = {key: question for key, (question, _) in task.pending.items()}
        if not asked:
            await changed.wait()
            continue
        try:
            await task.answer(await push.ask(asked, False, False))
        except ToolFailed as failed:
            await task.refuse(failed)
    if task.status == "cancelled":
        raise Refusal(BAD_PARAMS, "The task was cancelled")
    if "error" in task.outcome:
        error = task.outcome["error"]
        raise Refusal(error["code"], error["message"], error.get("data"))
    return {**task.outcome["result"], "_meta": {RELATED_TASK: {"taskId": task.id}}}
