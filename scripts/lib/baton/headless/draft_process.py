"""The one bounded process of the client that edits memory in its own tree; any later call finds its answer."""

import json
import os
import subprocess
import sys
import time

from baton.checks.check_tree import read_record
from baton.checks.job import is_running
from baton.errors import BatonError
from baton.headless import draft_worker
from baton.headless.chosen import find_client
from baton.headless.client_process import NOT_PASSED
from baton.journal.atomic_file import write_durably
from baton.journal.paths import Project
from baton.project.client_module import OFF, SETTING

SECONDS, TURNS, DOLLARS = 300, 12, 1
TOOLS = "Read,Grep,Glob,Edit,Write"
OTHERS = "Bash,NotebookEdit,Agent,Task,Skill,WebFetch,WebSearch,AskUserQuestion"
POLL_SECONDS = 0.1


class DraftProcess:
    """The process of one draft: started once, with all it needs in a folder beside the story's journal."""

    def __init__(self, project: Project, story_id: str, number: int) -> None:
        self.project, self.number = project, number
        self.folder = project.state / story_id / "draft" / str(number)

    @property
    def was_started(self) -> bool:
        return (self.folder / "job.json").exists()

    @property
    def lives(self) -> bool:
        return is_running(self.folder)

    def keep(self, prompt: str, tree: str) -> None:
        """Keep what it is to be told, and the work tree it is to edit."""
        write_durably(self.folder / "prompt", prompt, self.project.common)
        write_durably(self.folder / "tree", tree, self.project.common)

    def start(self) -> None:
        """Start it; a BatonError where there is no client, or it cannot be started."""
        argv = [
            find_client(), "-p", "--output-format", "json", "--max-turns", str(TURNS),
            "--max-budget-usd", str(DOLLARS),
            "--tools", TOOLS, "--disallowedTools", OTHERS, "--strict-mcp-config",
            "--permission-mode", "acceptEdits",
            "--settings", json.dumps({"disableAllHooks": True}),
        ]  # fmt: skip
        tree = (self.folder / "tree").read_text(encoding="utf-8", errors="surrogateescape")
        job = {"argv": argv, "cwd": tree, "seconds": SECONDS}
        write_durably(self.folder / "job.json", json.dumps(job), self.project.common)
        kept = {name: value for name, value in os.environ.items() if name not in NOT_PASSED}
        try:
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", draft_worker.__file__, str(self.folder)],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                env={**kept, SETTING: OFF}, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise BatonError("the draft could not be started", str(self.folder), str(error.strerror)) from error
        assert process.stdout is not None
        with process.stdout as ready:
            ready.readline()

    def wait(self, seconds: float) -> bool:
        """Wait so long at most; whether it is over."""
        until = time.monotonic() + seconds
        while self.lives and time.monotonic() < until:
            time.sleep(POLL_SECONDS)
        return not self.lives

    def answer(self) -> str:
        """Return what it said at its end; a BatonError where it did not get there."""
        ended = read_record(self.folder / "ended.json")
        said = next(reversed([one for one in map(_read, self._lines()) if one.get("type") == "result"]), {})
        if said and not said.get("is_error"):
            return str(said.get("result", ""))
        why = said.get("result") or said.get("subtype") or ended.get("how") or "it was killed"
        raise BatonError(f"the client gave no answer ({why})", str(self.folder / "log"), "read what it printed")

    def _lines(self) -> list[str]:
        path = self.folder / "log"
        return path.read_text(encoding="utf-8", errors="replace").split("\n") if path.exists() else []


def _read(line: str) -> dict[str, object]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
