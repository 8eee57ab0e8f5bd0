"""Shared by all connections: the lists and their changes, tasks, and subscriptions."""

import asyncio

import asking_tools  # noqa: F401  (fills the table of tools)
import items
from record import Record
from revisions import SESSION_BASED, STATELESS
from seal import Seal
from tasks import Tasks


class Server:
    def __init__(self, revisions, record=None, page=None, task_ttl=None):
        self.revisions, self.page = revisions, page
        self.session_based = [revision for revision in SESSION_BASED if revision in revisions]
        self.stateless = STATELESS in revisions
        self.record, self.seal, self.tasks = Record(record), Seal(), Tasks(task_ttl)
        self.counts = {"tools": 0, "prompts": 0, "resources": 0, "updates": 0}
        self.sessions = set()  # Of the handshake revisions.
        self.listeners = set()  # Streams of subscriptions/listen.
        self.stopping = asyncio.Event()

    def list(self, kind, member, revision, params):
        """The result of a list method. `kind` is resourceTemplates for templates."""
        page_items, cursor = items.page(items.listed(kind, revision, self.counts), params, self.page)
        return {member: page_items, **({"nextCursor": cursor} if cursor else {})}

    async def changed(self, kind):
        self.counts[kind] += 1
        method = f"notifications/{kind}/list_changed"
        for session in list(self.sessions):
            await session.notify(method)
        for listener in list(self.listeners):
            await listener.notify(f"{kind}ListChanged", True, method, {})

    async def updated(self, uri):
        self.counts["updates"] += 1
        method, params = "notifications/resources/updated", {"uri": uri}
        for session in list(self.sessions):
            if uri in session.subscribed:
                await session.notify(method, params)
        for listener in list(self.listeners):
            await listener.notify("resourceSubscriptions", uri, method, params)

    async def task_changed(self, task):
        for listener in list(self.listeners):
            await listener.notify("taskIds", task.id, "notifications/tasks", task.details())
