"""The upstream with prompts, resources and templates: testing/items_server.py."""

import os
import sys

from harness import ROOT

ITEMS_SERVER = os.path.join(ROOT, "testing", "items_server.py")


def items(name="items", **env):
    return {
        "kind": "stdio",
        "command": sys.executable,
        "args": ["-S", ITEMS_SERVER],
        "env": {"ITEMS_NAME": name, **env},
    }
