"""The five revisions of MCP: what each of them knows.

A server that is locked to a revision must not expose anything newer: methods, capabilities and the
members of listed items that came later are left out here, by table.
"""

SESSION_BASED = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS = "2026-07-28"
ALL = (*SESSION_BASED, STATELESS)

PREFIX = "io.modelcontextprotocol/"
VERSION, CAPABILITIES = PREFIX + "protocolVersion", PREFIX + "clientCapabilities"
LOG_LEVEL, SERVER_INFO = PREFIX + "logLevel", PREFIX + "serverInfo"
SUBSCRIPTION, RELATED_TASK = PREFIX + "subscriptionId", PREFIX + "related-task"
TASKS = PREFIX + "tasks"

LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")

# What a client must have declared to be asked this, and since when a server may ask.
NEEDS = {
    "sampling/createMessage": ("sampling", "2024-11-05"),
    "roots/list": ("roots", "2024-11-05"),
    "elicitation/create": ("elicitation", "2025-06-18"),
}

# Members of tools, prompts, resources and templates, by the revisions that have them.
MEMBERS = {
    "title": ("2025-06-18", STATELESS),
    "_meta": ("2025-06-18", STATELESS),
    "outputSchema": ("2025-06-18", STATELESS),
    "icons": ("2025-11-25", STATELESS),
    "execution": ("2025-11-25", "2025-11-25"),
}


def within(revision, first, last=STATELESS):
    return ALL.index(first) <= ALL.index(revision) <= ALL.index(last)


def since(revision, first):
    return within(revision, first)


def trimmed(item, revision, kind):
    """A listed item without what the revision does not know."""
    known = {k: v for k, v in item.items() if k not in MEMBERS or within(revision, *MEMBERS[k])}
    if kind == "tools" and not since(revision, "2025-03-26"):
        known.pop("annotations", None)  # Resources have had theirs from the beginning.
    return known


def capabilities(revision):
    known = {
        "tools": {"listChanged": True},
        "prompts": {"listChanged": True},
        "resources": {"subscribe": True, "listChanged": True},
        "logging": {},
    }
    if since(revision, "2025-03-26"):
        known["completions"] = {}
    if revision == "2025-11-25":
        known["tasks"] = {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}
    if revision == STATELESS:
        known["extensions"] = {TASKS: {}}
    return known


def server_info(revision):
    info = {"name": "conformance-server", "version": "1.0.0"}
    if since(revision, "2025-06-18"):
        info["title"] = "Conformance server"
    if since(revision, "2025-11-25"):
        info["description"] = "Offers what the official conformance suite asks for."
    return info
