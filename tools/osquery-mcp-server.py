#!/usr/bin/env python3
"""The osquery MCP server under the name that configurations give a script of Python. It is the
program beside this file, which takes over the process. For Python 3.7 and later."""

import os
import sys

FOLDER = os.path.dirname(os.path.realpath(__file__))
PROGRAM = os.path.join(FOLDER, "osquery-mcp-server")

try:
    os.execv(PROGRAM, [PROGRAM] + sys.argv[1:])
except OSError as error:
    sys.exit("cannot run {}: {}".format(PROGRAM, error.strerror))
