"""The user's refs, kept while a run is out: what was lost or moved is told, and never put back unasked."""

import os
import re
from typing import NamedTuple
from weakref import WeakKeyDictionary

from baton.git.command import Git
from baton.git.history import memory_branch
from baton.git.kept_refs import (
    LostRef,
    Refs,
    find_changes,
    is_by_us,
    is_in_reflog,
    kept_refs,
    note_of,
    read_refs,
    reflog,
)
from baton.git.objects import set_refs
from baton.git.worktrees import main_root, own_trees
from baton.journal.paths import Folder
from baton.journal.run import Run
from baton.story.session.session import StorySession
from baton.usage.transcript import commands_of, find_transcript

AGENTS = "refs/heads/worktree-agent-"
REMOTES = "refs/remotes/"
# Of the branches that only moved forward, as many are told.
MOST_FORWARD = 5
# The rule by which the user is asked.
REFS_MOVED_RULE = "run/refs-moved"
# What a run's commands name of git, these plain calls left out; and what takes one out of its work tree.
GIT = re.compile(r"(?<![\w.-])git\b|\.git(?![\w.-])")
READS = re.compile(r"(?<![\w.-])git (?:blame|diff|grep|log|ls-files|ls-tree|rev-parse|show|status)(?=[\s;|&)]|\Z)")
ELSEWHERE = re.compile(r"\b(?:cd|pushd|worktree)\s|\s-C\s*\S|--git-dir|--work-tree|GIT_DIR|GIT_WORK_TREE")
# A git that the shell itself starts, where it is.
HERE = re.compile(r"(?:^|(?<=[;&|\n]))\s*git\s")
# What was read in this call, and the commit that lists exactly this, if there is one. What the call moves later on
# are refs of the program's own, or base, forward: nothing of the user's is lost by that.
SEEN = WeakKeyDictionary[Git, tuple[Refs, str]]()

CUT_OFF = "your repository was made shallow, as by `git fetch --depth`: `git fetch --unshallow` completes it"
GRAFTED = "your repository has a file .git/info/grafts now, which gives commits other parents: remove it"
GONE = (
    "{ref} is gone, which kept what your branches, tags and stash were before this run: "
    "`git fsck --lost-found` lists the commits that nothing leads to any more"
)


class Moved(NamedTuple):
    """Losses while a run was out: how the story branch lost commits, other refs, and lines that are only told."""

    branch: str = ""
    refs: tuple[str, ...] = ()
    told: tuple[str, ...] = ()


def keep_user_refs(story: StorySession, run_id: str) -> str:
    """Note the user's refs as they are before a run, so that git keeps all they hold; return the note's commit.

    Earlier notes go.
    """
    known = SEEN.pop(story.git) if story.git in SEEN else None
    refs, note = known or (read_refs(story.git, _Ours(story).has), "")
    ref = f"{keep_prefix(story.id)}/{run_id}"
    note = note or note_of(story.git, refs)
    set_refs(story.git, _earlier_notes(story) | {ref: note})
    return note


def forget_user_refs(story: StorySession) -> None:
    """Delete what was noted, unless the user is being asked about it."""
    if story.state.question is None or story.state.question.rule != REFS_MOVED_RULE:
        set_refs(story.git, _earlier_notes(story))


def _earlier_notes(story: StorySession) -> dict[str, str]:
    """Return the refs of the notes of earlier runs, each to be deleted."""
    refs = (f"{keep_prefix(story.id)}/{run.id}" for run in story.state.runs)
    return {ref: "" for ref in refs if story.git.store.find(ref)}


def find_moved(story: StorySession, run: Run, branch: str) -> Moved:
    """Find the user's refs that were lost while a run was out, and whether the run can have done it.

    `branch` says how the story branch lost commits.
    """
    git, ref = story.git, f"{keep_prefix(story.id)}/{run.id}"
    note = run.dispatched.noted or ref  # a run can write the ref, but not the journal
    before, now = kept_refs(git, note), read_refs(git, _Ours(story).has)
    SEEN[git] = now, git.commit_of(note) if before == now else ""
    if before == now:
        return Moved(branch)
    commands = _commands(run)
    changing = [command for command in commands or () if names_git(command)]
    if before is None:
        gone = (GONE.format(ref=ref),) if _was_noted_here(story, run) else ()
        return Moved(branch, gone) if commands is None or changing else Moved(branch, told=gone)
    left = any(map(_may_leave, changing))  # else what a checkout itself tells of was done there
    wrote = any("update-ref" in command for command in changing)
    changes = find_changes(git, before, now, left)
    forward = [change for change in changes if change.kind == "forward"]
    lost = [
        change
        for change in changes
        if change.kind != "forward" and (left or wrote or not is_in_reflog(git, change))
    ]
    lines = _forward(story, run, forward, left, wrote)
    lines += (CUT_OFF,) if now.shallow and not before.shallow else ()
    lines += (GRAFTED,) if now.grafts and not before.grafts else ()
    if not lost:
        return Moved(branch, told=lines)
    if commands is None or changing:
        return Moved(
            branch, tuple(str(change) for change in lost if not (change.now and _is_remotes(change))), lines
        )
    return Moved(branch, told=(*(str(change) for change in lost if not _is_remotes(change)), *lines))


def _was_noted_here(story: StorySession, run: Run) -> bool:
    """Whether the user's refs were noted in this clone, and not in another from which the story came."""
    came = story.project.may_travel(story.id) or (run.begun and not os.path.isdir(run.begun.git_dir))
    return bool(run.dispatched.noted) and not came


def names_git(command: str) -> bool:
    """Whether a shell command may change what git keeps: it names git otherwise than for a plain look."""
    return bool(GIT.search(READS.sub(" ", command)))


def _may_leave(command: str) -> bool:
    """Whether a command may have git work in another checkout than the run's: also where a program starts it."""
    return bool(ELSEWHERE.search(command) or GIT.search(HERE.sub(" ", READS.sub(" ", command))))


def _is_remotes(change: LostRef) -> bool:
    """Whether a ref follows a remote, where others may move it as they like."""
    return change.kind == "ref" and change.name.startswith(REMOTES)


def _forward(story: StorySession, run: Run, moved: list[LostRef], left: bool, wrote: bool) -> tuple[str, ...]:
    """List the branches that moved forward, but for those the program or the user moved, by their reflogs.

    What a run committed in its tree is nobody else's, wherever it is. No reflog is believed that the run can have
    written: it `left` its tree, or `wrote` refs itself.
    """
    if not moved:
        return ()
    git, tree = story.git, run.begun.tree if run.begun else os.devnull
    commits = {line.partition(" ")[0] for line in reflog(git, "HEAD", "%H %gs", tree) if " commit" in line}
    by_others = [branch for branch in moved if not (left or wrote) and is_in_reflog(git, branch)]
    by_others += [branch for branch in moved if not wrote and is_by_us(git, branch)]
    others = [branch for branch in moved if branch.now in commits or branch not in by_others]
    more = [f"and {len(others) - MOST_FORWARD} more branches moved forward"] if len(others) > MOST_FORWARD else []
    return (*map(str, others[:MOST_FORWARD]), *more)


def keep_prefix(story_id: str) -> str:
    """Return the prefix of the refs that keep the user's refs as noted before a story's runs."""
    return f"refs/baton/keep/{story_id}"


class _Ours:
    """The refs and work trees that are the program's own, or an agent's."""

    def __init__(self, story: StorySession) -> None:
        state, ids = story.project.state, story.project.story_ids()
        kept = (
            (story_id, path) for story_id in ids for path in (state / story_id / "files").rglob(f"{story_id}_*")
        )
        branches = (Folder(path.parent, path.name, story_id).branch for story_id, path in kept)
        self.stories = {story.branch, *map(memory_branch, ids), *branches}
        self.trees = f"{os.path.realpath(own_trees())}/"
        self.agents = f"{os.path.realpath(main_root(story.git))}/.claude/worktrees/agent-"

    def has(self, name: str) -> bool:
        if name.startswith("/"):
            return os.path.realpath(name).startswith((self.trees, self.agents))
        if name.startswith(("refs/baton/", AGENTS)):
            return True
        of_remote = name.startswith(REMOTES)
        short = name.split("/", 3)[-1] if of_remote else name.removeprefix("refs/heads/")
        return short in self.stories


def _commands(run: Run) -> list[str] | None:
    """Return the shell commands of a run's agents; None where the client's record of one is not found."""
    commands = list[str]()
    for _, start in run.starts:
        listed = commands_of(find_transcript(start.client_session, start.agent)) if start.agent else None
        if listed is None:
            return None
        commands += listed
    return commands if run.starts else None
