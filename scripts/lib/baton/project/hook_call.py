"""Ask the client's hook about an agent's call, as the client does."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import baton
from baton.bootstrap import HOOKS
from baton.errors import BatonError
from baton.git.worktrees import RunMark, write_mark
from baton.journal.paths import Project
from baton.process import run

PLUGIN = Path(baton.__file__).resolve().parents[3]
END = "END-OF-ARTIFACT"


def event_of(command: str, text: str, folder: Path, caller: Mapping[str, str]) -> bytes:
    """Return the client's event for its hook on a call of Bash, with a text on its stdin as the briefs show it.

    `caller` names the agent, if it is one's.
    """
    whole = f"{command} <<'{END}'\n{text}\n{END}" if text else command
    call = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": whole}}
    session = {"session_id": "baton", "cwd": str(folder), "permission_mode": "default"}
    return json.dumps({**session, **caller, **call}).encode()


def why_stopped(answer: str) -> str:
    """Say why a hook's answer does not allow a call; empty where it does."""
    try:
        decision = json.loads(answer)["hookSpecificOutput"]
        return "" if decision["permissionDecision"] == "allow" else str(decision["permissionDecisionReason"])
    except (ValueError, TypeError, KeyError):
        return "it says nothing"


def why_no_hand_in() -> str:
    """Say why the hook does not let an agent hand in, tried in a temporary tree; empty where it does."""
    # A client's shells are told which Python to use, its hooks are not.
    shells_own = (HOOKS, "BATON_PYTHON") if HOOKS in os.environ else ()
    env = {name: value for name, value in os.environ.items() if name not in shells_own}
    try:
        with TemporaryDirectory(prefix="baton-doctor-", ignore_cleanup_errors=True) as scratch:
            tree, git_dir = Path(scratch, "tree"), Path(scratch, ".git", "worktrees", "agent-a0")
            git_dir.mkdir(parents=True)
            tree.mkdir()
            (tree / ".git").write_text(f"gitdir: {git_dir}\n")
            write_mark(Project(tree, git_dir, git_dir.parents[1]), RunMark("none", "0"))
            caller = {"agent_id": "a0", "agent_type": "baton:planner"}
            event = event_of("baton hand-in 0 plan --run none", "# Plan", tree, caller)
            words = (str(PLUGIN / "scripts" / "baton"), "hook", "pre-tool-use")
            return why_stopped(run(words, tree, env, stdin=event).out)
    except OSError as error:
        raise BatonError("cannot make a temporary folder", "TMPDIR", f"{error.strerror}; set another") from error
