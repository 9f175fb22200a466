"""Whether an agent is in the work tree that the client made for it, and its run was begun there.

Told by files alone: it is asked before every call of an agent.
"""

import json
import os

from baton.hooks.calls import Event

BEGUN, NEW, GONE = "begun", "new", "gone"
# What `baton begin` leaves in the git folder of a run's tree.
MARK = "baton-run"


def standing(event: Event) -> str:
    """Say how it stands with the tree of one of baton's agents."""
    git_dir = _git_dir(str(event.get("cwd") or ""))
    agent = event.get("agent_id")
    if not git_dir or (agent and os.path.basename(git_dir) != f"agent-{agent}"):
        return GONE
    return BEGUN if marked(git_dir) else NEW


def marked(git_dir: str) -> bool:
    """Whether a run was begun in the work tree of this git folder."""
    try:
        with open(os.path.join(git_dir, MARK), encoding="utf-8") as file:
            mark = json.loads(file.read(4096))
    except (OSError, ValueError):
        return False
    return isinstance(mark, dict) and bool(mark.get("run"))


def top_of(folder: str) -> str:
    """Return the top of the work tree a folder lies in; nothing outside of one."""
    while folder.startswith("/"):
        if os.path.lexists(os.path.join(folder, ".git")):
            return folder
        if folder == "/":
            break
        folder = os.path.dirname(folder)
    return ""


def _git_dir(folder: str) -> str:
    """Return the git folder of the linked work tree a folder lies in; nothing for any other checkout."""
    top = top_of(folder)
    try:
        with open(os.path.join(top or "/", ".git"), encoding="utf-8", errors="surrogateescape") as file:
            word, _, path = file.read(8192).rstrip("\n").partition(" ")
    except OSError:  # a folder: the user's own checkout
        return ""
    git_dir = os.path.normpath(os.path.join(top, path))
    is_linked = word == "gitdir:" and os.path.basename(os.path.dirname(git_dir)) == "worktrees"
    return git_dir if is_linked and os.path.isdir(git_dir) else ""
