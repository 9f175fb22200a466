"""Run programs and return their output; nothing goes through a shell."""

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from select import select
from typing import NamedTuple

from baton.errors import BatonError

FAULT = ("fatal:", "error:")
# How soon it is seen that a program has ended whose output somebody else holds open.
LOOK_SECONDS = 1.0


class Result(NamedTuple):
    """The exit code of a program, and its output."""

    code: int
    out: str
    err: str

    @property
    def said(self) -> str:
        """The error in one line: the first line that begins as in `FAULT`, else the last lines of both streams."""
        lines = [line.strip() for line in (self.err + "\n" + self.out).splitlines()]
        kept = [line for line in lines if line and not line.startswith("hint:")]
        named = [line for line in kept if line.startswith(FAULT)]
        return "; ".join(named[:1] or kept[-3:])[:400] or f"exit code {self.code}, without a word"

    @property
    def tail(self) -> str:
        """The end of the output, of both streams."""
        lines = [line.rstrip() for line in (self.out + "\n" + self.err).splitlines() if line.strip()]
        return "\n".join(lines[-20:])[-1500:] or self.said


class TimedOut(BatonError):
    """A program did not end in time."""


class Dialog:
    """A program kept running, which answers each text written to it."""

    def __init__(self, argv: Sequence[str], cwd: Path, env: Mapping[str, str]) -> None:
        """Start it; OSError when it cannot be started."""
        pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
        self._process = subprocess.Popen(argv, cwd=cwd, env=dict(env), stdin=pipe, stdout=pipe, stderr=nothing)

    def ask(self, text: str) -> bytes:
        """Write a text; returns the line that answers it, without its end; OSError when it has ended."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(text.encode(errors="surrogateescape"))
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line.endswith(b"\n"):
            raise BrokenPipeError("the program has ended")
        return line[:-1]

    def read(self, size: int) -> bytes:
        """Read `size` more bytes of its answer; OSError when it has ended."""
        assert self._process.stdout
        data = self._process.stdout.read(size)
        if len(data) != size:
            raise BrokenPipeError("the program has ended")
        return data

    def close(self) -> None:
        """End it, and wait until it has ended."""
        for stream in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                if stream:
                    stream.close()
        self._process.wait()


def run(
    argv: Sequence[str],
    cwd: Path,
    env: Mapping[str, str] | None = None,
    seconds: float = 60,
    stdin: bytes = b"",
    apart: bool = False,
) -> Result:
    """Run `argv` in `cwd` on `stdin`; with `apart`, in a session of its own, which is killed as a whole when late.

    A BatonError when it is not installed or does not end in time.
    """
    pipe, given = subprocess.PIPE, os.environ if env is None else env
    try:
        child = subprocess.Popen(
            argv, cwd=cwd, env=given, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=apart
        )
        with child:
            try:
                out, err = _said_by(child, stdin, time.monotonic() + seconds)
            finally:
                if child.poll() is None:
                    _end(child, apart)
    except OSError as error:
        remedy = f"{error.strerror}; then call again"
        if isinstance(error, FileNotFoundError):
            remedy = "install it" if os.path.isdir(cwd) else "call from a folder that exists"
        raise BatonError(f"`{argv[0]}` cannot be started", str(cwd), remedy) from error
    except subprocess.TimeoutExpired as error:
        what = f"`{' '.join(argv[:3])}` did not end in {seconds:.0f} s"
        raise TimedOut(what, str(cwd), "see what it waits for") from error
    return Result(child.returncode, out.decode(errors="surrogateescape"), err.decode(errors="replace"))


def _said_by(child: "subprocess.Popen[bytes]", stdin: bytes, until: float) -> tuple[bytes, bytes]:
    """Return the output of a program on both streams until it ends, even if a child of its own holds them open."""
    while True:
        try:
            left = max(0.0, until - time.monotonic())
            # What is not written at the first look would never be: with a text to read there is one look.
            return child.communicate(stdin, left if stdin else min(LOOK_SECONDS, left))
        except subprocess.TimeoutExpired as late:
            held = [stream for stream in (child.stdout, child.stderr) if stream and not stream.closed]
            if child.poll() is not None and not select(held, (), (), 0)[0]:
                return late.stdout or b"", late.stderr or b""
            if time.monotonic() >= until:
                raise


def _end(child: "subprocess.Popen[bytes]", apart: bool) -> None:
    """Kill a program; with `apart`, its whole group."""
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL) if apart else child.kill()
