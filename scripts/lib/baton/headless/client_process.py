"""A process of the client for a run or a round: started in its own group, found again by later calls, stopped.

It holds a lock on the log it writes, which the kernel frees when it ends, in any way: so a later call can tell
that it is alive without trusting a pid that another process may have by then. Baton's own verbs are called as
processes, too, and waited for beside them.
"""

import fcntl
import json
import os
import re
import signal
import subprocess
import time
import uuid
from collections.abc import Generator, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, NamedTuple, TypeVar

from baton.bootstrap import HOOKS
from baton.checks.check_tree import check_tree, slot_of
from baton.errors import BatonError
from baton.journal.atomic_file import read_plain, write_durably
from baton.journal.paths import Project
from baton.process import Result
from baton.project.installed_client import OFF, SETTING
from baton.story.ask.answer_source import SESSION

# What the user stops a call with: it is kept from the git that this calls, and looked for now and then.
STOPS = {signal.SIGINT, signal.SIGTERM}
FOLDER = "processes"
# What the processes of a pull request's round are recorded by, as others are by their run.
ROUND = "round"
# Of a conversation this is called in: what runs here is none of its calls.
NOT_PASSED = (SESSION, HOOKS, "CLAUDECODE", "CLAUDE_PROJECT_DIR")
# One call may wait for commands, and more than once for git.
CALL_SECONDS = 4 * 3600.0
NAME = re.compile(r"(?P<run>.+)\.(?P<number>\d+)\.jsonl\Z")


T = TypeVar("T")
# What is gone on with each time all stories have had their turn, until it returns something.
Waiting = Generator[None, None, T]


class ProcessRecord(NamedTuple):
    """The record of a process: its session of the client, and its id, which is also its group's."""

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
        match = NAME.match(self.log.name)
        return match["run"] if match else ""

    @property
    def record(self) -> ProcessRecord:
        """Its record; pid 0 where its starter was killed first, and no session where it is unreadable."""
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
        """Give the whole lines that it has written since the last call."""
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
        """Kill the rest of the group of a process that is over, and reap it."""
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
            child = subprocess.Popen(
                [*argv, "--session-id", session], cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=out,
                stderr=err, start_new_session=True, preexec_fn=_take_stops,
            )  # fmt: skip
    except OSError as error:
        remedy = f"{error.strerror}; then call again"
        raise BatonError(f"`{argv[0]}` cannot be started", str(cwd), remedy) from error
    _write_record(project, log, ProcessRecord(session, child.pid))
    return ClientProcess(project, log, child)


def call_baton(project: Project, story_id: str, program: Path, words: list[str]) -> Waiting[dict[str, Any]]:
    """Call baton for a story, out of Ctrl-C's reach; returns its JSON, or raises its error as a BatonError."""
    where, remedy = f"story {story_id}", f"`baton next {story_id}`"
    with TemporaryFile() as out, TemporaryFile() as err:
        try:
            child = subprocess.Popen(
                [str(program), *words], cwd=project.root, env=environment_of(project, story_id, module=False),
                stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True, preexec_fn=_take_stops,
            )  # fmt: skip
        except OSError as error:
            raise BatonError(
                f"`{program}` cannot be started", where, f"{error.strerror}; then call again"
            ) from error
        late = time.monotonic() + CALL_SECONDS
        while (code := child.poll()) is None:
            if time.monotonic() > late:
                os.killpg(child.pid, signal.SIGKILL)
                raise BatonError(f"`baton {words[0]}` did not end in {CALL_SECONDS:.0f} s", where, remedy)
            yield
        for file in (out, err):
            file.seek(0)
        done = Result(code, out.read().decode(errors="surrogateescape"), err.read().decode(errors="replace"))
    if code:
        raise BatonError(done.said.removeprefix("baton: "), where, remedy)
    answer: dict[str, Any] = json.loads(done.out)
    return answer


def own_environment(module: bool) -> dict[str, str]:
    """Return the environment without what is a conversation's; with `module`, the client's module may drive."""
    kept = {name: value for name, value in os.environ.items() if name not in NOT_PASSED}
    return kept if module else {**kept, SETTING: OFF}


def environment_of(project: Project, story_id: str, module: bool) -> dict[str, str]:
    """Return the environment of a story's calls and processes."""
    slot = slot_of(check_tree(project.common, story_id))  # as the project's commands have it
    return {**own_environment(module), "BATON_SLOT": str(slot)}


def _take_stops() -> None:
    """Unblock the stop signals in a program that was just started."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)


def _write_record(project: Project, log: Path, record: ProcessRecord) -> None:
    write_durably(log.with_suffix(".json"), json.dumps(record._asdict()) + "\n", project.common)


def find_processes(project: Project, story_id: str, run: str = "") -> list[ClientProcess]:
    """Return the processes that were started for a run or `ROUND`, or all of a story, oldest first."""
    logs = []
    for log in (project.state / story_id / FOLDER).glob("*.jsonl"):
        name = NAME.match(log.name)
        if name and run in (name["run"], ""):
            logs.append((int(name["number"]), log))
    return [ClientProcess(project, log) for _, log in sorted(logs)]


def plays_round(project: Project, story_id: str) -> bool:
    """Whether a call plays a round for a story, and so will go on with the story."""
    return any(process.lives for process in find_processes(project, story_id, ROUND))


def forget_processes(project: Project, story_id: str, but: str = "") -> None:
    """Remove the files of a story's processes, but for those of one run; stop any that is still alive."""
    for process in find_processes(project, story_id):
        if process.run != but:
            process.stop(signal.SIGTERM)
            for suffix in (".jsonl", ".json", ".err"):
                process.log.with_suffix(suffix).unlink(missing_ok=True)
