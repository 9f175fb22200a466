"""The one bounded process of the client that edits memory in its own tree; any later call finds its answer."""

import fcntl
import json
import subprocess
import sys
import time
from pathlib import Path

from baton.checks import logged_process
from baton.checks.job import is_running
from baton.errors import BatonError
from baton.headless.chosen import find_client
from baton.headless.client_process import own_environment
from baton.headless.stream import Stream
from baton.journal.atomic_file import write_durably
from baton.journal.paths import Project

SECONDS, TURNS, DOLLARS = 300, 12, 1
TOOLS = "Read,Grep,Glob,Edit,Write"
OTHERS = "Bash,NotebookEdit,Agent,Task,Skill,WebFetch,WebSearch,AskUserQuestion"
POLL_SECONDS = 0.1


class DraftProcess:
    """The process of one draft: started once, by what is in a folder beside the story's journal.

    It holds the lock there while it lives, and prints to the log.
    """

    def __init__(self, project: Project, story_id: str, number: int) -> None:
        self.project = project
        self.folder = project.state / story_id / "draft" / str(number)

    @property
    def was_started(self) -> bool:
        return (self.folder / "lock").exists()

    @property
    def lives(self) -> bool:
        return is_running(self.folder)

    def keep(self, prompt: str) -> None:
        """Keep its prompt."""
        write_durably(self.folder / "prompt", prompt, self.project.common)

    def start(self, tree: Path) -> None:
        """Start it in the work tree that it is to edit; a BatonError where there is no client, or that fails."""
        with open(self.folder / "lock", "wb") as lock, open(self.folder / "prompt", "rb") as prompt:
            fcntl.flock(lock, fcntl.LOCK_EX)
            argv = [
                find_client(), "-p", "--output-format", "json", "--max-turns", str(TURNS),
                "--max-budget-usd", str(DOLLARS),
                "--tools", TOOLS, "--disallowedTools", OTHERS, "--strict-mcp-config",
                "--permission-mode", "acceptEdits",
                "--settings", json.dumps({"disableAllHooks": True}),
            ]  # fmt: skip
            bounds = (logged_process.__file__, str(self.folder / "log"), str(SECONDS))
            try:
                subprocess.Popen(
                    [sys.executable, "-I", "-S", *bounds, *argv], cwd=tree, env=own_environment(module=False),
                    stdin=prompt, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                    pass_fds=[lock.fileno()], start_new_session=True,
                )  # fmt: skip
            except OSError as error:
                what, remedy = "the draft could not be started", str(error.strerror)
                raise BatonError(what, str(self.folder), remedy) from error

    def wait(self, seconds: float) -> bool:
        """Wait so long at most; returns whether it is over."""
        until = time.monotonic() + seconds
        while self.lives and time.monotonic() < until:
            time.sleep(POLL_SECONDS)
        return not self.lives

    def answer(self) -> str:
        """Return its answer; a BatonError where it ended without one."""
        path = self.folder / "log"
        result = Stream(path.read_bytes().split(b"\n") if path.exists() else ()).result
        if result and not result.get("is_error"):
            return str(result.get("result", ""))
        why = result.get("result") or result.get("subtype") or f"it was killed, or took longer than {SECONDS} s"
        raise BatonError(f"the client gave no answer ({why})", str(path), "read what it printed")
