"""A process of the client for a run or a round: started in its own group, found again by anybody, and stopped.

It holds a lock on the log it writes, which the kernel frees when it ends, however it ends: so a later call can
tell that it is still alive without trusting a number that another process may have by then.
"""

import fcntl
import json
import os
import re
import signal
import subprocess
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from baton.errors import BatonError
from baton.journal.atomic_file import read_plain, write_durably
from baton.journal.paths import Project

FOLDER = "processes"
# What the processes of a pull request's round are recorded by, as others are by their run.
ROUND = "round"
NAME = re.compile(r"(?P<run>.+)\.(?P<number>\d+)\.jsonl\Z")


class ProcessRecord(NamedTuple):
    """What is written down of a process: its session of the client, and its id, which is its group's, too."""

    session: str
    pid: int


class ClientProcess:
    """One process of the client, alive or over."""

    def __init__(self, project: Project, log: Path, child: "subprocess.Popen[bytes] | None" = None) -> None:
        self.log = log
        self.project = project
        self._child = child
        self.signal = 0  # that it was ended by, as far as is known
        self._read = 0

    @property
    def run(self) -> str:
        """The run it is for, or `ROUND`."""
        found = NAME.match(self.log.name)
        return found["run"] if found else ""

    @property
    def record(self) -> ProcessRecord:
        """What was written down of it; zeros where its starter was killed first."""
        data = read_plain(self.log.with_suffix(".json"), self.project.common)
        try:
            return ProcessRecord(**json.loads(data or b""))
        except (ValueError, TypeError):
            return ProcessRecord("", 0)

    @property
    def lives(self) -> bool:
        """Whether it is still alive."""
        try:
            descriptor = os.open(self.log, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
        return False

    def lines(self) -> Iterator[bytes]:
        """Return the whole lines that it has written since this was last asked."""
        with suppress(OSError), open(self.log, "rb") as file:
            file.seek(self._read)
            while (line := file.readline()).endswith(b"\n"):
                self._read += len(line)
                yield line

    def complaint(self) -> str:
        """Return the last line it wrote to stderr."""
        with suppress(OSError):
            lines = self.log.with_suffix(".err").read_text(encoding="utf-8", errors="replace").split("\n")
            return next((line.strip() for line in reversed(lines) if line.strip()), "")
        return ""

    def stop(self, number: signal.Signals) -> None:
        """Send a signal to all of its group, while it lives."""
        pid = self.record.pid
        if pid > 1 and self.lives:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, number)

    def close(self) -> None:
        """Stop what a process that is over has left running, and take it off the system's list."""
        if self._child is not None:  # until it is waited for, nobody else has its number
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._child.pid, signal.SIGKILL)
            self.signal = max(0, -self._child.wait())
            self._child = None


def start_process(
    project: Project, story_id: str, run: str, argv: list[str], cwd: Path, env: Mapping[str, str]
) -> ClientProcess:
    """Start the client for a run or `ROUND`, with a session of its own; a BatonError where that fails."""
    number = len(find_processes(project, story_id, run)) + 1
    log = project.state / story_id / FOLDER / f"{run}.{number}.jsonl"
    session = str(uuid.uuid4())
    _write_record(project, log, ProcessRecord(session, 0))
    write_durably(log, "", project.common)
    try:
        with open(log, "ab") as out, open(log.with_suffix(".err"), "ab") as err:
            fcntl.flock(out, fcntl.LOCK_EX)
            with interruptible():
                child = subprocess.Popen(
                    [*argv, "--session-id", session], cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=out,
                    stderr=err, start_new_session=True,
                )  # fmt: skip
    except OSError as error:
        remedy = f"{error.strerror}; then call again"
        raise BatonError(f"`{argv[0]}` cannot be started", str(cwd), remedy) from error
    _write_record(project, log, ProcessRecord(session, child.pid))
    return ClientProcess(project, log, child)


def keep_interrupts() -> None:
    """Keep Ctrl-C, which a terminal sends to all that belong to a call, from the programs this thread calls."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


@contextmanager
def interruptible() -> Iterator[None]:
    """Start a program, in a group of its own, that takes interrupts as any other does."""
    before = signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _write_record(project: Project, log: Path, record: ProcessRecord) -> None:
    write_durably(log.with_suffix(".json"), json.dumps(record._asdict()) + "\n", project.common)


def find_processes(project: Project, story_id: str, run: str = "") -> list[ClientProcess]:
    """Return the processes that were started for a run or `ROUND`, or any of a story, oldest first."""
    found = []
    for log in (project.state / story_id / FOLDER).glob("*.jsonl"):
        name = NAME.match(log.name)
        if name and run in (name["run"], ""):
            found.append((int(name["number"]), log))
    return [ClientProcess(project, log) for _, log in sorted(found)]


def plays_round(project: Project, story_id: str) -> bool:
    """Whether a call plays a round for a story, and so will go on with the story itself."""
    return any(one.lives for one in find_processes(project, story_id, ROUND))


def forget_processes(project: Project, story_id: str, but: str = "") -> None:
    """Remove what is left of the processes of a story, of all but one run's; what is still alive is stopped."""
    for one in find_processes(project, story_id):
        if one.run != but:
            one.stop(signal.SIGTERM)
            for suffix in (".jsonl", ".json", ".err"):
                one.log.with_suffix(suffix).unlink(missing_ok=True)
