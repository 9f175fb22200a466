"""The project's commands on a commit: started in the background, waited for, read back."""

import fcntl
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from baton.errors import BatonError
from baton.outside import runner
from baton.story.durable import write_durably
from baton.story.places import Project

ORDER = ("setup", "build", "test")
POLL_SECONDS = 0.1
TAIL_LINES = 15


class Outcome(NamedTuple):
    """How one command went: its exit code, how long it took, where its output is, and the end of it."""

    name: str
    code: int
    seconds: float
    log: Path

    @property
    def tail(self) -> str:
        """The last lines of the output, without terminal escapes."""
        text = self.log.read_text(encoding="utf-8", errors="replace") if self.log.exists() else ""
        text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f]", "", text)
        lines = [line for line in text.splitlines() if line.strip()]
        return "\n".join(line[:200] for line in lines[-TAIL_LINES:])


class Checks:
    """The commands of a project on one commit, run once for each try, in a work tree of their own."""

    def __init__(
        self, project: Project, story_id: str, commit: str, commands: Mapping[str, str], tries: int
    ) -> None:
        self.project = project
        self.commit = commit
        self.commands = [(name, commands[name]) for name in ORDER if name in commands]
        key = hashlib.sha256(json.dumps([str(project.common), commit, self.commands, tries]).encode()).hexdigest()[
            :16
        ]
        self.folder = project.state / story_id / "checks" / key
        cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
        self.tree = os.path.join(cache, "baton", "trees", f"{story_id}-{key}")

    def outcomes(self) -> list[Outcome] | None:
        """Give how the commands went, or None while they have not all been run."""
        path = self.folder / "result.json"
        if not path.exists():
            return None
        results = json.loads(path.read_text(encoding="utf-8"))["results"]
        return [
            Outcome(one["name"], one["code"], one["seconds"], self.folder / f"{one['name']}.log")
            for one in results
        ]

    def begin(self) -> list[Outcome] | None:
        """Start the commands unless they run or have been run; gives how they went, or None for not yet."""
        found = self.outcomes()
        if found is None and not self._running():
            self._start()
        return found

    def wait(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> list[Outcome] | None:
        """Wait for the commands that were begun; None when they take longer than `seconds`."""
        deadline = clock() + seconds
        while (found := self.outcomes()) is None and clock() < deadline:
            if not self._running():
                return self.outcomes()
            time.sleep(POLL_SECONDS)
        return found

    def _start(self) -> None:
        sweep_trees(self.project, self.folder.parent.parent.name)
        job = {
            "repository": str(self.project.root),
            "commit": self.commit,
            "tree": self.tree,
            "commands": self.commands,
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
        if not began and not self._running() and self.outcomes() is None:
            raise BatonError("the commands could not be started", str(self.folder), "see that it can be written")

    def _running(self) -> bool:
        return _is_running(self.folder)


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


def sweep_trees(project: Project, story_id: str) -> None:
    """Remove the work trees that killed runners left of a story's jobs."""
    for path in (project.state / story_id / "checks").glob("*/job.json"):
        tree = json.loads(path.read_text(encoding="utf-8"))["tree"]
        if os.path.lexists(tree) and not _is_running(path.parent):
            runner.remove_tree(str(project.root), tree)
