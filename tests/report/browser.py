"""A page in a real browser, which is asked over a pipe what it loaded, what it said, and how wide it is."""

import base64
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# The browser reads what it is asked from descriptor 3, and answers on 4.
START = (
    "import os, sys; [os.dup2(int(sys.argv[at]), at + 2) for at in (1, 2)]; os.execvp(sys.argv[3], sys.argv[3:])"
)
SECONDS = 60


class Browser:
    """One tab of a browser without a window, and all that happened in it."""

    def __init__(self, asks: int, answers: int) -> None:
        self._asks, self._answers, self._read = asks, answers, b""
        self._numbers, self._session = count(1), ""
        self.events: list[Any] = []

    def call(self, method: str, **params: Any) -> Any:
        """Have the browser do something; returns what it gives."""
        number = next(self._numbers)
        session = {"sessionId": self._session} if self._session else {}
        asked = {"id": number, "method": method, "params": params, **session}
        os.write(self._asks, json.dumps(asked).encode() + b"\0")
        while (said := self._next()).get("id") != number:
            self.events.append(said)
        assert "result" in said, said
        return said["result"]

    def _next(self) -> Any:
        while b"\0" not in self._read:
            part = os.read(self._answers, 1 << 16)
            assert part, "the browser has ended"
            self._read += part
        said, _, self._read = self._read.partition(b"\0")
        return json.loads(said)

    def open_tab(self) -> None:
        """Open a tab, and have it tell everything."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for part in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{part}.enable")

    def show(self, path: Path, width: int, scheme: str) -> None:
        """Show a page in a window of this width, in the light or in the dark."""
        self.events.clear()
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 700}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Page.navigate", url=path.as_uri())
        while not self.named("Page.loadEventFired"):
            self.events.append(self._next())

    def named(self, *methods: str) -> list[Any]:
        """Return what happened of these kinds since the page was asked for."""
        return [event["params"] for event in self.events if event.get("method") in methods]

    def value(self, expression: str) -> Any:
        """Return the value of an expression in the page."""
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"]["value"]

    def picture(self, path: Path) -> None:
        """Keep a picture of the whole page."""
        taken = self.call("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(taken["data"]))


@contextmanager
def browsing(home: Path) -> Iterator[Browser]:
    """Start a browser with a home of its own; the test is left out where there is none."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip("this machine has no Chromium to open a report in")
    to_browser, from_browser = os.pipe(), os.pipe()
    words = [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--remote-debugging-pipe",
        f"--user-data-dir={home}",
    ]
    process = subprocess.Popen(
        [sys.executable, "-c", START, str(to_browser[0]), str(from_browser[1]), program, *words],
        pass_fds=(to_browser[0], from_browser[1]), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(to_browser[0])
    os.close(from_browser[1])
    try:
        browser = Browser(to_browser[1], from_browser[0])
        browser.open_tab()
        yield browser
        browser._session = ""
        browser.call("Browser.close")
    finally:
        os.close(to_browser[1])
        os.close(from_browser[0])
        try:
            process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
