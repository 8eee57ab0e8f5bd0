"""A page in a real Chromium, driven over its debugging protocol: loads, clicks, types, looks.

Everything that a page must not do is gathered: errors on the console, violations of its content
security policy, and requests to another host than its own.
"""

import base64
import json
import pathlib
import subprocess
import tempfile
import time
import urllib.parse
import urllib.request

import chromium
from waiting import TIMEOUT, wait_until
from ws_client import WsClient

KEYS = {
    "Enter": {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"},
    "Escape": {"key": "Escape", "code": "Escape", "windowsVirtualKeyCode": 27},
    "Tab": {"key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9},
    "ArrowDown": {"key": "ArrowDown", "code": "ArrowDown", "windowsVirtualKeyCode": 40},
}
CONTROL = 2

# Finds elements by what a person sees; `role` is the tag or the role.
FIND = """
window.findElements ??= (selector, text) => [...document.querySelectorAll(selector)].filter((element) => {
  const label = (element.getAttribute('aria-label') ?? element.textContent ?? '').trim();
  return element.checkVisibility() && (text === null || label === text || label.startsWith(text));
});
window.pressPoint ??= (element) => {
  if (!element) return null;
  element.scrollIntoView({block: 'center', behavior: 'instant'});
  const box = element.getBoundingClientRect();
  const point = [box.x + box.width / 2, box.y + box.height / 2];
  const hit = document.elementFromPoint(...point);
  return hit && (element.contains(hit) || hit.contains(element)) ? point : null;
};
window.policyViolations ??= [];
document.addEventListener('securitypolicyviolation', (event) => {
  window.policyViolations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
});
"""


class ScriptError(Exception):
    """A script in the page has thrown."""


class ChromiumPage:
    """One browser with one page and an empty profile, as a context manager."""

    def __init__(self, size=(1280, 860)):
        self.size = size
        self.folder = tempfile.TemporaryDirectory(prefix="patchbay-browser-", ignore_cleanup_errors=True)
        self.process = self.socket = None
        self.last_id, self.results = 0, {}
        self.faults, self.requests = [], []

    def __enter__(self):
        width, height = self.size
        self.process = subprocess.Popen(
            [
                chromium.program(),
                *chromium.FLAGS,
                f"--user-data-dir={self.folder.name}",
                f"--window-size={width},{height}",
                "--remote-debugging-port=0",
                "about:blank",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        port_file = pathlib.Path(self.folder.name) / "DevToolsActivePort"
        # Two lines: the port, and a path that is not needed.
        written = lambda: port_file.read_text(encoding="utf-8") if port_file.exists() else ""
        port = int(wait_until(lambda: "\n" in written() and written(), "the browser").split("\n")[0])
        target = wait_until(lambda: self._page_target(port), "a page in the browser")
        self.socket = WsClient(port, path=urllib.parse.urlsplit(target).path)
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.command(f"{domain}.enable")
        self.command("Page.addScriptToEvaluateOnNewDocument", source=FIND)
        self.resize(width, height)
        self.prefer("dark")
        return self

    def __exit__(self, *_):
        if self.socket:
            self.socket.socket.close()
        self.process.terminate()
        self.process.wait(TIMEOUT)
        self.folder.cleanup()

    @staticmethod
    def _page_target(port):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=TIMEOUT) as answer:
            pages = [item for item in json.load(answer) if item["type"] == "page"]
        return pages[0]["webSocketDebuggerUrl"] if pages else None

    # ---- The protocol

    def command(self, method, **params):
        self.last_id += 1
        wanted = self.last_id
        self.socket.send({"id": wanted, "method": method, "params": params})
        while wanted not in self.results:
            self._receive()
        answer = self.results.pop(wanted)
        if "error" in answer:
            raise ScriptError(f"{method}: {answer['error']}")
        return answer["result"]

    def _receive(self):
        message = json.loads(self.socket.read_text())
        if "id" in message:
            self.results[message["id"]] = message
            return
        params = message.get("params", {})
        method = message["method"]
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.faults.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.faults.append(" ".join(str(part.get("value", part.get("description"))) for part in params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.faults.append(f"{params['entry']['text']} {params['entry'].get('url', '')}")

    def evaluate(self, script):
        """The value of an expression, as JSON; promises are awaited."""
        answer = self.command("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise ScriptError(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    # ---- What a person does

    def resize(self, width, height, mobile=False):
        self.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile
        )

    def prefer(self, scheme):
        """dark or light, as the system of a person says; and nothing that moves."""
        features = [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        self.command("Emulation.setEmulatedMedia", features=features)

    def open(self, url):
        self.command("Page.navigate", url=url)
        self.wait_for("document.readyState === 'complete'", url)

    def wait_for(self, script, what=None):
        try:
            return wait_until(lambda: self._pause() or self.evaluate(script), what or script)
        except AssertionError as error:
            raise AssertionError(f"{error}; the page has: {self.text()[:1500]!r}; {self.faults}") from None

    @staticmethod
    def _pause():
        time.sleep(0.02)

    def wait_text(self, text, selector="body"):
        find = f"document.querySelector({json.dumps(selector)})?.innerText.includes({json.dumps(text)})"
        return self.wait_for(find, f"the text {text!r} in {selector}")

    def wait_no_text(self, text, selector="body"):
        find = f"!document.querySelector({json.dumps(selector)}).innerText.includes({json.dumps(text)})"
        return self.wait_for(find, f"no text {text!r} in {selector}")

    def text(self, selector="body"):
        return self.evaluate(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''")

    def click(self, selector, text=None):
        """The first visible element of this selector, whose label or text begins with `text`."""
        # It may still move, or be under something else: it is pressed once a press would reach it.
        box = self.wait_for(
            f"pressPoint(findElements({json.dumps(selector)}, {json.dumps(text)})[0])", f"{selector} {text or ''}"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.command(
                "Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1
            )

    def fill(self, selector, value, text=None):
        """Replaces the text of a field."""
        element = f"findElements({json.dumps(selector)}, {json.dumps(text)})[0]"
        self.wait_for(f"Boolean({element})", f"{selector} {text or ''}")
        self.evaluate(f"(() => {{ const e = {element}; e.focus(); e.select?.(); }})()")
        if value:
            self.command("Input.insertText", text=value)
        else:
            self.evaluate(
                f"(() => {{ const e = {element}; e.value = ''; e.dispatchEvent(new Event('input', {{bubbles: true}})); }})()"
            )

    def choose(self, selector, value, text=None):
        element = f"findElements({json.dumps(selector)}, {json.dumps(text)})[0]"
        self.wait_for(f"Boolean({element})", f"{selector} {text or ''}")
        self.evaluate(
            f"(() => {{ const e = {element}; e.value = {json.dumps(value)};"
            " e.dispatchEvent(new Event('change', {bubbles: true})); })()"
        )

    def press(self, key, modifiers=0):
        known = KEYS.get(key, {"key": key, "text": key})
        fields = {**known, "modifiers": modifiers}
        if modifiers & CONTROL:
            fields.pop("text", None)
        self.command("Input.dispatchKeyEvent", type="keyDown", **fields)
        self.command("Input.dispatchKeyEvent", type="keyUp", **{**fields, "text": ""})

    def screenshot(self, path, whole=False):
        image = self.command("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        pathlib.Path(path).write_bytes(base64.b64decode(image["data"]))

    # ---- What must not happen

    def policy_violations(self):
        return self.evaluate("window.policyViolations ?? []")

    def foreign_requests(self, origin):
        """Requests to another host than the one of the test."""
        own = (origin, "data:", "blob:", "about:")
        return [url for url in self.requests if not url.startswith(own)]
