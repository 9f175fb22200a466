"""The project's commands on a commit: started in the background, waited for, read back."""

import fcntl
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from baton.artifacts.config import Command
from baton.checks import worker
from baton.checks.check_tree import check_tree, read_record
from baton.checks.result import Outcome, read_outcome
from baton.errors import BatonError
from baton.git.command import Git
from baton.git.paper_trees import without_papers
from baton.journal.atomic_file import write_durably
from baton.journal.paths import Papers, Project

POLL_SECONDS = 0.1
# Of how many commits the results are kept in one place.
MOST_COMMITS = 40
# What the commands rest on: where one of these was another, what came after it counts for nothing.
GROUND = ("setup", "build")
# How often a job is begun whose worker dies.
MOST_STARTS = 3


class Checks:
    """Some of a project's commands on one commit, each run once for its tree, in the check tree of their owner."""

    def __init__(
        self,
        project: Project,
        place: Path,
        commit: str,
        commands: Sequence[Command],
        limit: int,
        salt: str = "",
        owner: str = "",
        apart: Papers | None = None,
        exclusive: bool = False,
    ) -> None:
        """`place` is the folder their results are kept in, `limit` the seconds a command may take.

        `owner` is the story or pull request whose check tree is used. What was run for a tree is not run again,
        whatever commit has that tree, but with another `salt`. Papers `apart`, a story's own, do not count.
        With `exclusive` they run while those of no other run that have it.
        """
        self.project = project
        self.commit = commit
        self.commands = commands
        self.limit = limit
        self.exclusive = exclusive
        git = Git(project)
        self.tree_id = git.find(f"{commit}^{{tree}}")
        tested = without_papers(git, self.tree_id, apart) if apart and self.tree_id else self.tree_id or commit
        self.is_base = place == baselines(project)
        self.folder = place / _digest([os.path.realpath(project.common), tested, salt])
        self._tree = check_tree(project.common, owner)
        self.tree = str(self._tree.path)
        ground = [command for command in commands if command.step in GROUND]
        self._due = [_row(command, ground) for command in commands if command.step != "setup"]
        self._setup = next((_row(command, []) for command in commands if command.step == "setup"), None)
        # What kept some commands from being run need not keep others.
        self._stuck = f"stuck-{_digest(commands)[:8]}.json"

    def outcomes(self) -> list[Outcome] | None:
        """Return the outcomes of the commands, or None while they have not all been run.

        Where what they need failed, that comes last, and those that were not run are left out.
        """
        outcomes = [read_outcome(self.folder, row["kept"]) for row in self._due]
        known = [outcome for outcome in outcomes if outcome]
        if len(known) == len(outcomes):
            return known
        stuck = read_outcome(self.folder, self._stuck)
        return [*known, stuck] if stuck else None

    def begin(self) -> list[Outcome] | None:
        """Start the commands unless they run or have been run; return their outcomes, or None for not yet."""
        outcomes = self.outcomes()
        if outcomes is None and not is_running(self.folder):
            self._start()
        return outcomes

    def wait(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> list[Outcome] | None:
        """Wait for the commands that were begun; None when they take longer than `seconds`."""
        deadline = clock() + seconds
        while (outcomes := self.outcomes()) is None and clock() < deadline:
            if not is_running(self.folder):  # its worker died, or it was at other commands on this tree
                self.begin()
            time.sleep(POLL_SECONDS)
        return outcomes

    def progress(self, now: float) -> str:
        """Say which command runs, for how long at the time `now` (seconds since 1970), and its last line."""
        running = read_record(self.folder / "running.json")
        if running.get("waits"):
            return "waits for the commands of another commit"
        name, log, since = (running.get(key) for key in ("name", "log", "since"))
        if not (isinstance(name, str) and isinstance(log, str) and isinstance(since, (int, float))):
            return "the check tree is being made ready"
        last = Outcome(name, 0, 0, self.folder / log).tail.rpartition("\n")[2]
        minutes, seconds = divmod(max(int(now - since), 0), 60)
        return f"`{name}` for {minutes}:{seconds:02} min" + (f", last line: {last}" if last else "")

    def stop(self) -> None:
        """End the running commands, and all that they started."""
        signalled = set[int]()
        while is_running(self.folder):
            runner = read_record(self.folder / "running.json").get("runner")
            if isinstance(runner, int) and runner not in signalled:
                signalled.add(runner)
                with suppress(ProcessLookupError):
                    os.kill(runner, signal.SIGTERM)
            time.sleep(POLL_SECONDS)

    def forget_stuck(self) -> None:
        """Forget why the commands could not be run, so that they are tried again when next asked for."""
        (self.folder / self._stuck).unlink(missing_ok=True)

    def _start(self) -> None:
        forget_old(self.folder.parent, self.folder)
        before = read_record(self.folder / "job.json")
        job = {
            "common": str(self.project.common),
            "owner": self._tree.owner,
            "commit": self.commit,
            "tree": self.tree_id,
            "stay": self.folder.name,
            "limit": self.limit,
            "exclusive": self.exclusive,
            "is_base": self.is_base,
            "setup": self._setup,
            "stuck": self._stuck,
            "commands": self._due,
        }
        starts = before.get("starts") if {**before, "starts": 0} == {**job, "starts": 0} else 0
        if isinstance(starts, int) and starts >= MOST_STARTS:
            return self._give_up()
        job["starts"] = starts + 1 if isinstance(starts, int) else 1
        write_durably(self.folder / "job.json", json.dumps(job, indent=1), self.project.common)
        (self.folder / "running.json").unlink(missing_ok=True)
        self._start_worker()

    def _start_worker(self) -> None:
        # The child must hold its lock before we look whether it runs: it tells us through this pipe's end.
        try:
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", worker.__file__, str(self.folder)],
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
        if not began and not is_running(self.folder) and self.outcomes() is None:
            raise BatonError("the commands could not be started", str(self.folder), "see that it can be written")

    def _give_up(self) -> None:
        """Have the job end without a result: its worker died each time, and would be started for ever."""
        died = {"name": "worker", "code": 1, "seconds": 0.0, "log": "worktree.log", "ended": "not-started"}
        write_durably(self.folder / self._stuck, json.dumps(died), self.project.common)


def _row(command: Command, ground: Sequence[Command]) -> dict[str, Any]:
    """Return a command as the worker takes it; its result is named by it and by what it rests on."""
    before = ground[: ground.index(command)] if command in ground else ground
    name = "setup" if command.step == "setup" else f"{command.step}-{_digest([*before, command])[:8]}"
    line, path, report = command.line, command.path, command.report
    files = {"kept": f"{name}.json", "log": f"{name}.log", "report": report}
    return {"name": command.name, "step": command.step, "line": line, "path": path, **files}


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:16]


def story_checks(project: Project, story_id: str) -> Path:
    """Return the folder of what was run on a story's commits."""
    return project.state / story_id / "checks"


def baselines(project: Project) -> Path:
    """Return the folder of what was run on commits of base branches, for all stories."""
    return project.state / "baselines" / "checks"


def is_running(folder: Path) -> bool:
    """Whether a worker is at work on the job in `folder`."""
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


def forget_old(place: Path, but: Path) -> None:
    """Remove the results of all but the newest commits in a place; one that is missed is made again."""
    kept = []
    for path in place.glob("*/"):
        with suppress(FileNotFoundError):  # another story's call has removed it
            if path != but and not is_running(path):
                kept.append((path.stat().st_mtime, path))
    for _, folder in sorted(kept, reverse=True)[MOST_COMMITS:]:
        shutil.rmtree(folder, ignore_errors=True)
