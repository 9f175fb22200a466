"""A forked child: does one thing in this process's image, at a fixed moment, and says how it went."""

import errno
import importlib
import io
import os
import pickle
import pkgutil
import secrets
import signal
import sys
import time
import traceback
from collections.abc import Callable
from datetime import datetime, tzinfo
from typing import Any, NamedTuple, TypeVar

import baton
from faults.shim import Call, Family, Shim
from watch import meddled_with

FIRST_MOMENT = 1_767_312_000  # a Friday in January 2026, at midnight in UTC
LATER = FIRST_MOMENT + 3600
FAILED_GIT = ("sh", "-c", "echo 'fatal: unable to read what is there' >&2; exit 128")
EVERYTHING: tuple[Family, ...] = ("file", "process", "end")

for _found in pkgutil.walk_packages(baton.__path__, "baton."):
    if not _found.name.startswith("baton.demo"):
        importlib.import_module(_found.name)  # what is loaded late would look at another clock

_write, _kill = os.write, os.kill
T = TypeVar("T")


class Killed(NamedTuple):
    """The child killed itself at a call, after it had printed this."""

    call: Call
    printed: str


class Done(NamedTuple):
    """The child did all there was to do: what it gave, and where it was struck and went on."""

    value: Any
    struck: Call | None


class Broken(Exception):
    """The child ended in a way nobody asked for."""


def freeze(moment: int) -> None:
    """Let every clock of the program and of git stand still at `moment`."""

    class Frozen(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> "Frozen":
            return cls.fromtimestamp(moment, tz)

    for name, module in list(sys.modules.items()):
        if name.startswith("baton.") and getattr(module, "datetime", None) is datetime:
            module.datetime = Frozen  # type: ignore[attr-defined]
    time.time = lambda: float(moment)
    os.urandom = lambda size, /: b"\xab" * size
    secrets.token_hex = lambda nbytes=None: "ab" * (nbytes or 32)
    os.environ.update(dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), f"{moment} +0000"))


# Takes the descriptor a dying child tells its last words to, and gives its shim.
Make = Callable[[int], Shim]


class Child(NamedTuple):
    """A child that is at work, and where it tells how it ended."""

    id: int
    reading: int


def forked(work: Callable[[], Any], moment: int, make: Make | None = None) -> Any:
    """Do `work` in a child at a moment; gives Done or Killed, and raises Broken for any other end."""
    return ended(begun(work, moment, make))


def begun(work: Callable[[], Any], moment: int, make: Make | None = None) -> Child:
    """Begin to do `work` in a child."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _live(work, moment, make, writing)
    os.close(writing)
    return Child(child, reading)


def ended(at_work: Child) -> Any:
    """Wait for a child; gives Done or Killed, and raises Broken for any other end."""
    child, reading = at_work
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    told = pickle.loads(said) if said else None
    if isinstance(told, Killed) and os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        return told
    if isinstance(told, Done) and status == 0:
        return told
    raise Broken(str(told) if told else f"the child ended with {status} and said nothing")


def value(ended: Done | Killed) -> Any:
    """Give what a child gave that nothing struck."""
    assert isinstance(ended, Done)
    return ended.value


def walk(
    work: Callable[[], Any], note: Callable[[Call], T], families: tuple[Family, ...] = EVERYTHING
) -> tuple[list[T], Any]:
    """Do some work unstruck; gives what is noted at each call, and what the work came to."""
    found: list[T] = []

    def strike(call: Call) -> tuple[str, ...]:
        found.append(note(call))
        return ()

    met: tuple[list[T], Any] = value(
        forked(lambda: (found, work()), FIRST_MOMENT, lambda _: Shim(strike, families))
    )
    return met


def _live(work: Callable[[], Any], moment: int, make: Make | None, writing: int) -> None:
    code = 1
    try:
        freeze(moment)
        shim = make(writing) if make else None
        if shim:
            shim.lasts = writing
            shim.install()
        # What calls is struck at; what the user has there is held against the unstruck course instead.
        with meddled_with("this process is struck"):
            value = work()
        _say(writing, Done(value, getattr(shim.strike, "struck", None) if shim else None))
        code = 0
    except BaseException:  # noqa: BLE001 - the parent is told, and raises it
        _say(writing, traceback.format_exc())
    finally:
        os._exit(code)


def _say(writing: int, value: object) -> None:
    data = pickle.dumps(value)
    while data:
        data = data[_write(writing, data) :]


def killer(number: int, families: tuple[Family, ...] = EVERYTHING) -> Make:
    """Give the maker of a shim that kills the child at its n-th call."""

    def make(writing: int) -> Shim:
        def strike(call: Call) -> tuple[str, ...]:
            if call.number == number:
                _say(writing, Killed(call, _printed()))
                _kill(os.getpid(), signal.SIGKILL)
            return ()

        return Shim(strike, families)

    return make


def _printed() -> str:
    """Give what the command has printed so far."""
    sys.stdout.flush()
    buffer = getattr(sys.stdout, "buffer", None)
    return buffer.getvalue().decode("utf-8", "replace") if isinstance(buffer, io.BytesIO) else ""


class Fault:
    """Fails the n-th call, or all from there on: by an error of the system, or (0) by a program that fails."""

    def __init__(self, number: int, error: int, lasting: bool, instead: tuple[str, ...] = FAILED_GIT) -> None:
        self.number, self.error, self.lasting, self.instead = number, error, lasting, instead
        self.struck: Call | None = None

    def __call__(self, call: Call) -> tuple[str, ...]:
        if call.number < self.number or (self.struck and not self.lasting):
            return ()
        self.struck = self.struck or call
        if self.error:
            raise OSError(self.error, os.strerror(self.error), call.subject)
        return self.instead

    def __str__(self) -> str:
        how = errno.errorcode[self.error] if self.error else "exit 128"
        return f"{how}{' from there on' if self.lasting else ' once'}"


def failer(fault: Fault, families: tuple[Family, ...]) -> Make:
    """Give the maker of a shim that lets calls of some families fail."""
    return lambda _: Shim(fault, families)
