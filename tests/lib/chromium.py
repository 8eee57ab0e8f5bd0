"""Chromium without a window, for tests of what a web page can do to the gateway."""

import contextlib
import shutil
import subprocess
import tempfile

from waiting import TIMEOUT

# The last of them keep the browser from talking to anybody but the pages of the test.
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def program():
    """The path of Chromium, or None where there is none."""
    return shutil.which("chromium")


@contextlib.contextmanager
def browsing(url):
    """Has a new browser open the URL, and ends it."""
    with tempfile.TemporaryDirectory(prefix="patchbay-browser-", ignore_cleanup_errors=True) as folder:
        browser = subprocess.Popen(
            [program(), *FLAGS, f"--user-data-dir={folder}", url],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            yield
        finally:
            browser.terminate()
            browser.wait(TIMEOUT)
