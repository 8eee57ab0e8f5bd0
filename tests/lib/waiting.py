"""Waiting without sleeping: polling, threads with a result, and pipes drained in full.

TIMEOUT is the bound after which a test fails. It is generous, and sanitizer runs may raise it with
PATCHBAY_TEST_TIMEOUT.
"""

import os
import pathlib
import signal
import threading
import time

TIMEOUT = float(os.environ.get("PATCHBAY_TEST_TIMEOUT", "30"))


def wait_until(predicate, what="the expected state", timeout=TIMEOUT):
    """Polls until the predicate gives something true, and returns that."""
    deadline = time.monotonic() + timeout
    while True:
        value = predicate()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"gave up waiting for {what}")
        time.sleep(0.01)


def stand_still(pid):
    """Stops a process, and yields once each of its threads has stopped: the signal goes to one of
    them, and until that one runs the others do."""
    os.kill(pid, signal.SIGSTOP)
    states = lambda: [
        (task / "stat").read_text().rpartition(")")[2].split()[0]
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir()
    ]
    wait_until(lambda: set(states()) == {"T"}, "all threads to stand still")


class Background:
    """A function that runs in its own thread; result() waits for it and raises what it raised."""

    def __init__(self, function, *args, **kwargs):
        self.value = self.error = None
        self.thread = threading.Thread(target=self._run, args=(function, args, kwargs), daemon=True)
        self.thread.start()

    def _run(self, function, args, kwargs):
        try:
            self.value = function(*args, **kwargs)
        except BaseException as error:  # pylint: disable=broad-except
            self.error = error

    def result(self, timeout=TIMEOUT):
        self.thread.join(timeout)
        if self.thread.is_alive():
            raise AssertionError("a background call did not end")
        if self.error:
            raise self.error
        return self.value

    def running(self):
        return self.thread.is_alive()


class Lines:
    """The lines of a pipe, drained by a thread so that the writer never blocks.

    With read=False the pipe stays open and unread.
    """

    def __init__(self, pipe, read=True):
        self.lines, self.ended, self.condition = [], not read, threading.Condition()
        self.pipe, self.read = pipe, read
        if read:
            threading.Thread(target=self._drain, args=(pipe,), daemon=True).start()

    def _drain(self, pipe):
        with pipe:
            for line in pipe:
                with self.condition:
                    self.lines.append(line.decode("utf-8", "replace").rstrip("\n"))
                    self.condition.notify_all()
        with self.condition:
            self.ended = True
            self.condition.notify_all()

    def wait_for(self, wanted, start=0, timeout=TIMEOUT):
        """The first line (from `start` on) that contains the text, or satisfies the predicate."""
        matches = wanted if callable(wanted) else lambda line: wanted in line
        deadline = time.monotonic() + timeout
        with self.condition:
            seen = start
            while True:
                for line in self.lines[seen:]:
                    if matches(line):
                        return line
                seen = max(start, len(self.lines))
                left = deadline - time.monotonic()
                if self.ended or left <= 0:
                    raise AssertionError(f"no line with {wanted!r} in:\n{self.text()[-4000:]}")
                self.condition.wait(left)

    def close(self):
        """Closes a pipe that was left unread."""
        if not self.read:
            self.pipe.close()

    def text(self):
        return "\n".join(self.lines)

    def count(self):
        with self.condition:
            return len(self.lines)

    def wait_end(self, timeout=TIMEOUT):
        with self.condition:
            self.condition.wait_for(lambda: self.ended, timeout)
        return self.lines
