"""The project's commands on a commit: started in the background, waited for, read back."""

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from baton.artefacts.config import Command
from baton.errors import BatonError
from baton.outside import runner
from baton.story.durable import write_durably
from baton.story.places import Project

POLL_SECONDS = 0.1
TAIL_LINES = 15
AROUND = 3
# Of longer output, what is read is the end: runners sum up there.
MOST_BYTES = 5_000_000
# How many commits' baselines are kept.
BASELINES = 20
# How often a job is begun whose runner dies.
MOST_STARTS = 3


class Outcome(NamedTuple):
    """How one command went: its exit code, how long it took, where its output is, and how it ended.

    `ended` is `exit`, `time-out`, `no-folder` (the commit has none where it would run) or `not-started`.
    """

    name: str
    code: int
    seconds: float
    log: Path
    ended: str = "exit"

    @property
    def is_cut(self) -> bool:
        """Whether it wrote more than `output` gives."""
        return self.log.exists() and self.log.stat().st_size > MOST_BYTES

    @property
    def output(self) -> str:
        """What it wrote on both streams; nothing when there is no log."""
        try:
            with self.log.open("rb") as file:
                file.seek(max(os.fstat(file.fileno()).st_size - MOST_BYTES, 0))
                return file.read().decode("utf-8", "replace")
        except FileNotFoundError:
            return ""

    @property
    def tail(self) -> str:
        """The last lines of the output, without terminal escapes."""
        return "\n".join(self._lines()[-TAIL_LINES:])

    @property
    def shown(self) -> str:
        """The lines around the first that tells of an error, and the last ones, without terminal escapes."""
        from baton.outside.failures import ERROR  # what reads an output takes long to load

        lines = self._lines()
        end = max(len(lines) - TAIL_LINES, 0)
        first = next((at for at, line in enumerate(lines[:end]) if ERROR.search(line)), None)
        if first is None:
            return "\n".join(lines[end:])
        around = lines[max(first - AROUND, 0) : min(first + AROUND, end)]
        return "\n".join([*around, *(["…"] if first + AROUND < end else []), *lines[end:]])

    def _lines(self) -> list[str]:
        text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f]", "", self.output)
        return [line[:200] for line in text.splitlines() if line.strip()]


class Checks:
    """Some of a project's commands on one commit, run once, in a work tree of their own."""

    def __init__(
        self, project: Project, place: Path, commit: str, commands: Sequence[Command], limit: int, salt: str = ""
    ) -> None:
        """`place` is the folder their results are kept in, `limit` the seconds a command may take.

        What was run is not run again, but with another `salt`.
        """
        self.project = project
        self.commit = commit
        self.commands = commands
        self.limit = limit
        known = json.dumps([str(project.common), commit, commands, salt])
        key = hashlib.sha256(known.encode()).hexdigest()[:16]
        self.folder = place / key
        cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
        self.tree = os.path.join(cache, "baton", "trees", f"{place.parent.name}-{key}")

    def outcomes(self) -> list[Outcome] | None:
        """Give how the commands went, or None while they have not all been run."""
        path = self.folder / "result.json"
        if not path.exists():
            return None
        results = json.loads(path.read_text(encoding="utf-8"))["results"]
        return [
            Outcome(one["name"], one["code"], one["seconds"], self.folder / one["log"], one["ended"])
            for one in results
        ]

    def begin(self) -> list[Outcome] | None:
        """Start the commands unless they run or have been run; gives how they went, or None for not yet."""
        found = self.outcomes()
        if found is None and not _is_running(self.folder):
            self._start()
        return found

    def wait(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> list[Outcome] | None:
        """Wait for the commands that were begun; None when they take longer than `seconds`."""
        deadline = clock() + seconds
        while (found := self.outcomes()) is None and clock() < deadline:
            if not _is_running(self.folder):
                return self.outcomes()
            time.sleep(POLL_SECONDS)
        return found

    def progress(self, now: float) -> str:
        """Say which command runs, for how long at the time `now` (seconds since 1970), and its last line."""
        try:
            running = json.loads((self.folder / "running.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            return "the work tree is being made"
        outcome = Outcome(running["name"], 0, 0, self.folder / running["log"])
        minutes, seconds = divmod(max(int(now - running["since"]), 0), 60)
        said = outcome.tail.rpartition("\n")[2]
        return f"`{outcome.name}` for {minutes}:{seconds:02} min" + (f", last line: {said}" if said else "")

    def _start(self) -> None:
        sweep_trees(self.project, self.folder.parent)
        starts = self._starts() + 1
        if starts > MOST_STARTS:
            return self._give_up()
        job = {
            "starts": starts,
            "repository": str(self.project.root),
            "commit": self.commit,
            "tree": self.tree,
            "limit": self.limit,
            "commands": [
                {"name": one.name, "line": one.line, "path": one.path, "log": log}
                for one, log in zip(self.commands, _logs(self.commands), strict=True)
            ],
        }
        write_durably(self.folder / "job.json", json.dumps(job, indent=1), self.project.common)
        # The child must hold its lock before we look whether it runs: it tells us through this pipe's end.
        try:
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", runner.__file__, str(self.folder)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            remedy = f"{error.strerror}; call again"
            raise BatonError("the commands could not be started", str(self.folder), remedy) from error
        assert process.stdout is not None
        with process.stdout as ready:
            began = ready.readline()
        if not began and not _is_running(self.folder) and self.outcomes() is None:
            raise BatonError("the commands could not be started", str(self.folder), "see that it can be written")

    def _starts(self) -> int:
        """Count how often a runner was started on this job and died of it."""
        try:
            return int(json.loads((self.folder / "job.json").read_text(encoding="utf-8"))["starts"])
        except FileNotFoundError:
            return 0

    def _give_up(self) -> None:
        """Have the job end without a result: its runner died each time, and would be started for ever."""
        died = {"name": "runner", "code": 1, "seconds": 0.0, "log": "worktree.log", "ended": "not-started"}
        write_durably(self.folder / "result.json", json.dumps({"results": [died]}), self.project.common)


def _logs(commands: Sequence[Command]) -> list[str]:
    """Name the logs of commands: by their step, and by a number where that has several."""
    steps = [one.step for one in commands]
    return [
        f"{step}-{steps[:index].count(step) + 1}.log" if steps.count(step) > 1 else f"{step}.log"
        for index, step in enumerate(steps)
    ]


def story_checks(project: Project, story_id: str) -> Path:
    """Give the folder of what was run on a story's commits."""
    return project.state / story_id / "checks"


def baselines(project: Project) -> Path:
    """Give the folder of what was run on commits of base branches, for all stories."""
    return project.state / "baselines" / "checks"


def _is_running(folder: Path) -> bool:
    """Whether a runner is at work on the job in `folder`."""
    try:
        with (folder / "lock").open("r+b") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    except OSError as error:
        raise BatonError("cannot read the lock", str(folder / "lock"), f"{error.strerror}; call again") from error
    return False


def sweep_trees(project: Project, place: Path) -> None:
    """Remove the work trees that killed runners left of the jobs in `place`."""
    for path in place.glob("*/job.json"):
        tree = json.loads(path.read_text(encoding="utf-8"))["tree"]
        # Of a tree that is gone already, git's note may be left.
        ended = (path.parent / "result.json").exists() and not os.path.lexists(tree)
        if not ended and not _is_running(path.parent):
            runner.remove_tree(str(project.root), tree)


def sweep_story(project: Project, story_id: str) -> None:
    """Remove the work trees that killed runners left of a story's jobs and of baselines."""
    for place in (story_checks(project, story_id), baselines(project)):
        sweep_trees(project, place)


def forget_old_baselines(project: Project) -> None:
    """Remove the results of all but the newest baselines; one that is missed is made again."""
    kept = [(one.stat().st_mtime, one) for one in baselines(project).glob("*/") if not _is_running(one)]
    for _, folder in sorted(kept, reverse=True)[BASELINES:]:
        shutil.rmtree(folder, ignore_errors=True)


def learned(project: Project, owner: str) -> frozenset[str]:
    """Stub."""
    return frozenset()
