"""A program that runs with its output in a log, for so long and no longer, and leaves nothing running.

The standard library alone: the process that runs the project's commands uses it.
"""

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping

# What a command gets to end by itself when its time is up.
GRACE_SECONDS = 5.0


def logged(
    log: str,
    argv: list[str],
    cwd: str,
    environment: Mapping[str, str],
    limit: float,
    stdin: int = subprocess.DEVNULL,
) -> tuple[int, str]:
    """Run a program with its output in `log`; returns its exit code and how it ended."""
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
        return _noted(log, error)
    try:
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


def _signal(group: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):  # nobody is left in it
        os.killpg(group, number)


def _noted(log: str, error: OSError) -> tuple[int, str]:
    """Keep why a command did not start where its output would be: a runner that died would be started again."""
    with open(log, "w", encoding="utf-8", errors="backslashreplace") as file:
        print(error, file=file)
    return 127, "not-started"
