"""Commands that are run on a terminal."""

import os
import pty
import subprocess

from harness import BINARY, clean_environment


def on_terminal(*args, **variables):
    """What a command prints to a terminal, with the line ends of a terminal."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [BINARY, *args],
        env=clean_environment(**variables),
        stdin=subprocess.DEVNULL,
        stdout=slave,
        stderr=slave,
    )
    os.close(slave)
    output = b""
    try:
        while piece := os.read(master, 65536):
            output += piece
    except OSError:
        pass  # The other end is closed.
    os.close(master)
    process.wait()
    return output.decode()
