"""Whether an agent is in the work tree of its run, and which files a call would read outside or edit.

Told by files and the standard library alone: it is asked before every call of an agent.
"""

import json
import os
from collections.abc import Iterator

from baton.hooks.calls import Event, input_of, option_values
from baton.hooks.git_folder import named_git_dir, top_of

BEGIN_FIRST = "run `baton begin RUN` first: RUN is in your prompt"
TREE_GONE = "your work tree is gone: end your turn"
# What `baton begin` leaves in the git folder of a run's tree.
MARK = "baton-run"
EDITS = {"Edit": "file_path", "Write": "file_path", "NotebookEdit": "notebook_path"}
READS_A_FILE = ("--body-file", "--file", "--from", "--reading", "--verdicts")


def why_not_begun(event: Event) -> str:
    """Return why one of baton's agents may do nothing where it is; nothing where its run was begun."""
    git_dir = _git_dir(str(event.get("cwd") or ""))
    agent = event.get("agent_id")
    if not git_dir or (agent and os.path.basename(git_dir) != f"agent-{agent}"):
        return TREE_GONE
    return "" if read_mark(git_dir).get("run") else BEGIN_FIRST


def read_mark(git_dir: str) -> dict[str, object]:
    """Return the mark `baton begin` left in a tree; empty where there is none, or it cannot be read."""
    try:
        with open(os.path.join(git_dir, MARK), encoding="utf-8") as file:
            mark = json.loads(file.read(4096))
    except (OSError, ValueError, RecursionError):
        return {}
    return mark if isinstance(mark, dict) else {}


def files_outside(event: Event, arguments: list[str]) -> Iterator[str]:
    """Return the files a call would read that lie outside of the work tree it is made in."""
    cwd = str(event.get("cwd") or os.getcwd())
    top = os.path.realpath(top_of(cwd) or cwd)
    for path in _files(arguments):
        whole = os.path.realpath(os.path.join(cwd, path))
        if path != "-" and not path.startswith("#") and not f"{whole}/".startswith(f"{top}/"):
            yield path


def _files(arguments: list[str]) -> Iterator[str]:
    if arguments[:1] == ["validate"]:
        yield from (argument for argument in arguments[2:] if not argument.startswith("-"))
    for option in READS_A_FILE:
        yield from option_values(arguments, option)


def _git_dir(folder: str) -> str:
    """Return the git folder of the linked work tree a folder lies in; nothing for any other checkout."""
    git_dir = named_git_dir(os.path.join(top_of(folder) or "/", ".git"))
    is_linked = os.path.basename(os.path.dirname(git_dir)) == "worktrees"
    return git_dir if is_linked and os.path.isdir(git_dir) else ""


def is_in_git(event: Event, tool: str, anywhere: bool = False) -> bool:
    """Whether a tool would edit baton's records, or with `anywhere` any file of git's own."""
    path = edited_path(event, tool)
    return any(_names_git(spelling.lower(), anywhere) for spelling in (path, os.path.realpath(path)))


def _names_git(path: str, anywhere: bool) -> bool:
    return ".git/baton" in path or path.endswith(f"/{MARK}") or (anywhere and "/.git/" in f"{path}/")


def edited_path(event: Event, tool: str) -> str:
    """Return the path that a tool would edit."""
    return os.path.normpath(os.path.join(str(event.get("cwd") or "/"), input_of(event, EDITS[tool])))
