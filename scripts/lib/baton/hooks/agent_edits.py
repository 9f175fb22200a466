"""Which files one of baton's agents may edit in the work tree of its run."""

import os

from baton.hooks.calls import Event
from baton.hooks.git_folder import named_git_dir, top_of
from baton.hooks.run_tree import edited_path, is_in_git, read_mark
from baton.rules.writes import WORKERS, why_not_write

# As agents write it that do not hand it in: it is read all the same.
WRITTEN = ".return-meta.json"


def why_not_edit(event: Event, tool: str) -> str:
    """Return why one of baton's agents may not edit the file it names; nothing where it may."""
    role = str(event.get("agent_type") or "").partition(":")[2]
    return why_not_write(role, _kind(event, tool, role))


def _kind(event: Event, tool: str, role: str) -> str:
    if is_in_git(event, tool, anywhere=True):
        return "git"
    top = os.path.realpath(top_of(str(event.get("cwd") or "/")))
    name = os.path.relpath(os.path.realpath(edited_path(event, tool)), top)
    if f"{name}/".startswith("../"):
        return "outside"
    if paper := _paper(top, name.lower()):
        return paper
    return "tracked" if role in WORKERS or _is_tracked(top, name) else "new"


def _paper(top: str, name: str) -> str:
    """Say which of the stories' papers a file is; nothing for one that is none."""
    folder, story = _own_story(top)
    if not folder:
        return ""
    stories = os.path.dirname(folder)
    if name.endswith("/story.md") and os.path.dirname(os.path.dirname(name)) == stories:
        return "story"
    if not name.startswith(f"{folder}/") or name.endswith(f"/{WRITTEN}"):
        return ""
    return "plan" if name == f"{folder}/{story}.execution-plan.md" else "papers"


def _own_story(top: str) -> tuple[str, str]:
    """Return the folder of the run's story, and its id, in lower case; nothing for a run of no story."""
    mark = read_mark(named_git_dir(os.path.join(top, ".git")))
    return str(mark.get("folder", "")).lower(), str(mark.get("story", "")).lower()


def _is_tracked(top: str, name: str) -> bool:
    """Whether git knows a file; it is asked only for those who change none."""
    if not os.path.lexists(os.path.join(top, name)):
        return False
    import subprocess  # slow to load, and git is asked for few edits

    words = ("git", "-c", "core.fsmonitor=false", "--literal-pathspecs", "ls-files", "--error-unmatch", "--", name)
    try:
        done = subprocess.run(words, cwd=top, capture_output=True, timeout=5, check=False)
    except (OSError, subprocess.SubprocessError):
        return True
    return done.returncode == 0
