"""The client that baton runs in: whether it can run baton's module, and what its hook lets an agent do."""

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory

import baton
from baton.bootstrap import HOOKS
from baton.checks.check_tree import read_record
from baton.errors import BatonError
from baton.git.worktrees import RunMark, write_mark
from baton.journal.paths import Project
from baton.process import run

PLUGIN = Path(baton.__file__).resolve().parents[3]
END = "END-OF-ARTIFACT"
# The first version in which modules run without a switch.
OLDEST = (2, 1, 330)
SETTING, OFF = "BATON_MODULE", "off"
# Set where the client was started with `--bare`, in which it has no tool that starts agents.
BARE = "CLAUDE_CODE_SIMPLE"
# What the client tells its children of itself, such as `claude-code_2-1-330_harness`.
AGENT_NAME = re.compile(r"claude-code_(\d+)-(\d+)-(\d+)")
MANAGED = "/etc/claude-code/managed-settings.json"


def find_client(folder: Path, environment: Mapping[str, str]) -> tuple[int, ...]:
    """Return the version of the client this is called in, else of the one on PATH; empty for none."""
    match = AGENT_NAME.match(environment.get("AI_AGENT", ""))
    if not match and which("claude"):
        try:
            match = re.match(r"(\d+)\.(\d+)\.(\d+)", run(("claude", "--version"), folder, seconds=20).out)
        except BatonError:
            return ()
    return tuple(map(int, match.groups())) if match else ()


def why_off(root: Path, version: tuple[int, ...], environment: Mapping[str, str]) -> str:
    """Say why the module cannot run; empty where no reason is seen."""
    if version < OLDEST:
        return f"Claude Code {'.'.join(map(str, OLDEST))} or newer runs it"
    if environment.get(SETTING) == OFF:
        return f"{SETTING}={OFF}"
    folders = (root / ".claude", Path.home() / ".claude")
    own = [folder / name for folder in folders for name in ("settings.json", "settings.local.json")]
    for path in (*own, Path(MANAGED)):
        settings = read_record(path)  # nothing of one that the client could not read either
        env = settings.get("env")
        if isinstance(env, dict) and env.get(SETTING) == OFF:
            return f"{SETTING}={OFF} in {path}"
        for name in ("disableAllHooks", "allowManagedHooksOnly"):
            if settings.get(name) is True:
                return f"`{name}` in {path}"
    return ""


def is_bare(environment: Mapping[str, str]) -> bool:
    """Whether the client this is called in can start no agents."""
    return environment.get(BARE, "0") not in ("", "0")


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
