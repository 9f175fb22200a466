"""A program that runs with its output in a log, for so long and no longer, and leaves nothing running.

The standard library alone: the process that runs the project's commands uses it.
"""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping

# What a command gets to end by itself when its time is up.
GRACE_SECONDS = 5.0
TERMINATED = 128 + signal.SIGTERM


def run_logged(
    log: str,
    argv: list[str],
    cwd: str,
    environment: Mapping[str, str],
    limit: float,
    stdin: int = subprocess.DEVNULL,
) -> tuple[int, str]:
    """Run a program with its output in `log`; returns its exit code and how it ended."""
    _Termination.is_held = True  # between the start and the name of what was started, nobody could end it
    try:
        with open(log, "wb") as file:
            process = subprocess.Popen(
                argv,
                cwd=cwd,
                env=environment,
                stdin=stdin,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
    except OSError as error:
        _Termination.is_held = False
        return _noted(log, error)
    try:
        _Termination.is_held = False
        if _Termination.has_come:
            sys.exit(TERMINATED)
        return process.wait(limit), "exit"
    except subprocess.TimeoutExpired:
        _signal(process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_SECONDS)
        return 124, "time-out"
    finally:
        # What it left running in its group would hold on to the work tree.
        _signal(process.pid, signal.SIGKILL)
        process.wait()


def keep_end(log: str, most: int) -> None:
    """Cut the beginning of an output off that is longer than so many bytes."""
    if (more := os.path.getsize(log) - most) > 0:
        with open(log, "r+b") as file:
            file.seek(more)
            end = file.read()
            file.seek(0)
            file.write(end)
            file.truncate()


class _Termination:
    """Whether SIGTERM is only noted for now, and whether it came."""

    is_held = False
    has_come = False


def end_at_sigterm() -> None:
    """Have SIGTERM end this process in order: what `logged` runs is ended first."""
    signal.signal(signal.SIGTERM, _end)


def _end(*_: object) -> None:
    _Termination.has_come = True
    if not _Termination.is_held:
        sys.exit(TERMINATED)


def _signal(group: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):  # nobody is left in it
        os.killpg(group, number)


def _noted(log: str, error: OSError) -> tuple[int, str]:
    """Keep why a command did not start where its output would be: a runner that died would be started again."""
    with open(log, "w", encoding="utf-8", errors="backslashreplace") as file:
        print(error, file=file)
    return 127, "not-started"


if __name__ == "__main__":  # LOG SECONDS PROGRAM…: run it here, with this process's own environment and input
    end_at_sigterm()
    sys.exit(run_logged(sys.argv[1], sys.argv[3:], os.getcwd(), os.environ, float(sys.argv[2]), 0)[0])
