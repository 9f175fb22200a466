"""The interactive client in a pseudo-terminal: what it shows, what is typed, what it asks."""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pexpect
import pyte

ROWS, COLUMNS = 60, 160
GLANCE = 0.05
GLANCES_BETWEEN_ANSWERS = 20
PATIENCE = 60.0
READY = "❯"
ENTER = "\r"
RULE = re.compile(r"\s*─{20,}\s*")
FIRST_OPTION = re.compile(r"\s*❯ 1\. ")
# Dotted lines and advice change with the client's mood, not with what it asks.
TRIMMINGS = re.compile(r"\s*(╌+|Tip: .*)\s*")


def dialog(screen: str) -> str | None:
    """Take a screen; return what the client asks on it, from its head line to the question, or None."""
    lines = screen.splitlines()
    options = next((at for at, line in enumerate(lines) if FIRST_OPTION.match(line)), None)
    if options is None:
        return None
    rules = [at for at, line in enumerate(lines[:options]) if RULE.fullmatch(line)]
    asked = lines[rules[-1] + 1 if rules else 0 : options]
    said = [line.strip() for line in asked if line.strip() and not TRIMMINGS.fullmatch(line)]
    return "\n".join(said) if any(line.endswith("?") for line in said) else None


class Terminal:
    """The client on a screen; `prompts` holds every question it has put to the user, in order."""

    def __init__(self, command: list[str], folder: Path, environment: dict[str, str]) -> None:
        self.prompts: list[str] = []
        self.answer: str | None = None
        self._asked: str | None = None
        self._glances = 0
        self._screen = pyte.Screen(COLUMNS, ROWS)
        self._stream = pyte.ByteStream(self._screen)
        self._child: pexpect.spawn[bytes] = pexpect.spawn(
            command[0], command[1:], cwd=str(folder), env=environment, dimensions=(ROWS, COLUMNS), timeout=None
        )

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Hang up."""
        try:
            self._child.close(force=True)
        except pexpect.ExceptionPexpect:  # killed in the end, it takes longer to go than is waited for
            self._child.wait()

    def kill(self) -> None:
        """End the client at once, as a power cut would."""
        self._child.kill(signal.SIGKILL)

    def screen(self) -> str:
        """Return what was on the screen when last looked at."""
        return "\n".join(line.rstrip() for line in self._screen.display).rstrip()

    def look(self) -> bool:
        """Take in what the client has printed meanwhile; return whether it is still there."""
        try:
            self._stream.feed(self._child.read_nonblocking(1 << 16, timeout=GLANCE))
        except pexpect.TIMEOUT:
            # Only a screen at rest is read: a half-drawn dialog would count as another one.
            self._note_dialog()
        except pexpect.EOF:
            return False
        return True

    def wait_for(self, happened: Callable[[], object], seconds: float = PATIENCE) -> None:
        """Take a condition on the screen or the model; return once it holds, fail if it does not in time."""
        until = time.monotonic() + seconds
        while not happened():
            there = self.look()
            assert there or happened(), f"the client has ended:\n{self.screen()}"
            assert time.monotonic() < until, f"not within {seconds} s; on the screen:\n{self.screen()}"

    def shows(self, text: str) -> bool:
        """Take a text; return whether the screen holds it, line breaks and spacing aside."""
        return _squeezed(text) in _squeezed(self.screen())

    def type(self, text: str) -> None:
        """Take a prompt; type it and press Enter once it shows: sooner, Enter would be part of a paste."""
        self.wait_for(lambda: self.shows(READY))
        self._child.send(text)
        self.wait_for(lambda: self.shows(text[-40:]))
        self.press(ENTER)

    def press(self, keys: str) -> None:
        """Take keys; press them."""
        self._child.send(keys)

    def wait_for_prompt(self, words: str = "") -> str:
        """Take words; return the question with them in it, once the client has put it to the user."""
        self.wait_for(lambda: any(words in prompt for prompt in self.prompts))
        return next(prompt for prompt in self.prompts if words in prompt)

    def _note_dialog(self) -> None:
        asked = dialog(self.screen())
        if asked != self._asked:
            self._asked, self._glances = asked, 0
            self.prompts += [asked] if asked else []
        # A dialog that was only just drawn may not take keys yet: then it stands still, and is answered again.
        if asked and self.answer is not None and self._glances % GLANCES_BETWEEN_ANSWERS == 0:
            self.press(self.answer)
        self._glances += 1


def _squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)
