"""A story's journal and files as a commit that travels: made, held against its branch, taken over.

`refs/baton/stories/<id>` holds it, here and on the remote. Its tree is what another clone needs; its parents are
the state before it, so that a push is a fast-forward, and the story branch's head, so that nothing is lost.
"""

import os
import re
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from baton.errors import BatonError
from baton.git.branches import advance_branch
from baton.git.command import Git
from baton.git.objects import (
    commit_to_look_at,
    empty_tree,
    files_in,
    parents_of,
    scratch_folder,
    with_files,
)
from baton.git.remotes import state_remote
from baton.journal import index
from baton.journal.atomic_file import write_durably
from baton.journal.events import Adopted, Answered, Dispatched, EffectDone
from baton.journal.journal import RESTART, Journal
from baton.journal.lock import hold_lock
from baton.journal.paths import STORIES, Folder, Project
from baton.journal.repository import know_repository
from baton.journal.state import State, fold
from baton.secrets.scan import secrets_in

FOLDER, JOURNAL = "story", "journal.jsonl"
CLAIM = "claimed"  # by which run of a workflow, and when; of a state alone, and kept in no clone
# What of a story's folder another clone needs; results of commands, locks and work trees are this machine's own.
CARRIED = (JOURNAL, "files", "accepted", "history", "briefs", "return-meta.json", "report.md")
PAPERS = "files/"
REPOSITORY = re.compile(r"[0-9a-f]{16}")
SAID = "the journal and the files of a story"


class Carried(NamedTuple):
    """A state that came from elsewhere: its commit, the story branch's head, the files by their path."""

    commit: str
    tip: str
    files: dict[str, bytes]

    @property
    def journal(self) -> bytes:
        return self.files.get(JOURNAL, b"")


def state_ref(story_id: str) -> str:
    """Return the ref a story's state is kept under, here and on the remote."""
    return f"{STORIES}/{story_id}"


# Made


def make_state(project: Project, story_id: str, before: str, claim: bytes | None = None) -> str:
    """Make the commit of a story as it is, on top of the one before; that one where nothing changed since.

    `claim` says who works on it from now on, empty for nobody; None keeps a claim where nothing else changed.
    """
    git, was = Git(project), read_state(Git(project), before) if before else Carried("", "", {})
    with hold_lock(project.journal(story_id).with_name("lock"), "keeping the story's state"):
        files = _files_here(project, story_id)
        tip = fold(Journal(project.journal(story_id)).records).head
    held = was.files.pop(CLAIM, b"")
    if (files, tip) == (was.files, was.tip) and claim in (None, held):
        return before
    text = b"\n".join(files.values()).decode(errors="replace")
    if secrets := secrets_in(text, os.environ):
        remedy = f"it stays on this machine only, in {project.state / story_id}"
        raise BatonError(f"what looks like a secret ({secrets[0].kind}) in its files", f"story {story_id}", remedy)
    whole = {**files, **({CLAIM: claim} if claim else {})}
    tree = with_files(git, empty_tree(git), {f"{FOLDER}/{name}": data for name, data in whole.items()})
    return commit_to_look_at(git, tree, [*([before] if before else []), tip], SAID)


def _files_here(project: Project, story_id: str) -> dict[str, bytes]:
    """Return the files of a story's folder that travel, by their paths in it."""
    top = project.journal(story_id).parent
    paths = (path for name in CARRIED for path in (top / name, *(top / name).rglob("*")))
    plain = sorted(path for path in paths if path.is_file() and not path.is_symlink())
    return {path.relative_to(top).as_posix(): path.read_bytes() for path in plain}


# Checked against itself, its branch, and what was known


def read_state(git: Git, commit: str) -> Carried:
    """Read a state's commit; what is missing in it is found when it is checked."""
    parents = parents_of(git, commit)
    return Carried(commit, parents[-1] if parents else "", files_in(git, commit, FOLDER))


def check_state(project: Project, story_id: str, carried: Carried) -> State:
    """Hold a state against its own chain and its branch; a BatonError says in one line what does not fit."""
    git, where = Git(project), f"{state_ref(story_id)} at {carried.commit[:12]}"
    drops = f"`git push {state_remote(git) or 'REMOTE'} :{state_ref(story_id)}` drops it"
    remedy = f"nothing was taken; {drops}, and `baton next {story_id}` goes on where the story was last known"
    try:
        state = _fold_apart(story_id, carried.journal)
        if wrong := _mismatch(git, story_id, carried, state):
            raise BatonError(wrong, "", "")
    except BatonError as error:
        if error.remedy == RESTART:
            raise
        raise BatonError(
            f"the state of story {story_id} cannot be trusted ({error.what})", where, remedy
        ) from error
    return state


def _fold_apart(story_id: str, journal: bytes) -> State:
    """Fold a journal in a folder of its own, so that a wrong one never takes the place of a right one."""
    with scratch_folder() as scratch:
        path = scratch / "baton" / story_id / JOURNAL
        path.parent.mkdir(parents=True)
        path.write_bytes(journal)
        read = Journal(path)
        if read.torn or not read.records:
            raise BatonError("its journal is cut off", "", "")
        return fold(read.records)


def _mismatch(git: Git, story_id: str, carried: Carried, state: State) -> str:
    """Say what in a state contradicts its journal; empty for nothing."""
    created, started = state.created, state.started
    folder = Folder(Path(), created.folder, story_id)
    names = [PurePosixPath(created.folder), *map(PurePosixPath, carried.files)]
    if created.story != story_id or not REPOSITORY.fullmatch(created.repository):
        return f"its journal is that of story {created.story}"
    if any(name.is_absolute() or {"..", ".git", "."} & set(name.parts) for name in names):
        return "a file of it lies outside its folder"
    if {name.parts[0] for name in names[1:]} - {*CARRIED, CLAIM} or not folder.path.name.startswith(
        f"{story_id}_"
    ):
        return "it has files no story has"
    if started and started.branch != folder.branch:
        return f"its branch is {started.branch}, not {folder.branch}"
    if state.head != carried.tip:
        return f"{folder.branch} is at {carried.tip[:12]}, and its journal ends at {state.head[:12]}"
    gone = [sha for sha in _commits_of(state) if not (git.commit_of(sha) and git.contains(sha, carried.tip))]
    return f"{folder.branch} does not contain {gone[0][:12]}, which its journal names" if gone else ""


def _commits_of(state: State) -> list[str]:
    """Return the commits the story branch must contain by its journal, since it was last adopted as it was."""
    commits = [state.created.tip]
    for event in state.events:
        if isinstance(event, Adopted) or (isinstance(event, Answered) and event.head):
            commits = [event.head]
        elif isinstance(event, Dispatched):
            commits.append(event.head)
        elif isinstance(event, EffectDone) and event.effect == "branch":
            commits.append(event.about)
    return list(dict.fromkeys(commits))


# Taken over


def take_state(project: Project, story_id: str, carried: Carried) -> None:
    """Put a state that was checked in the place of an older one of its story, or where there was none."""
    git, top = Git(project), project.journal(story_id).parent
    state = check_state(project, story_id, carried)
    know_repository(project, state.created.repository)
    with hold_lock(top / "lock", "taking over the story's state"):
        branch, is_new = Folder(Path(), state.created.folder, story_id).branch, not project.has_story(story_id)
        _check_branch(git, branch, carried.tip)
        if not is_new:  # cut short here, all of it is taken again
            _move_branch(git, branch, carried.tip)
        for name in _files_here(project, story_id):
            if name not in carried.files:
                (top / name).unlink()
        for name, data in carried.files.items():
            if name not in (JOURNAL, CLAIM):
                write_durably(top / name, data, project.common)
        write_durably(top / JOURNAL, carried.journal, project.common)
        if is_new:  # cut short here, its next step makes it
            _move_branch(git, branch, carried.tip)
    index.add_line(str(project.state), index.UNDER_WAY, story_id)


def find_own_changes(project: Project, story_id: str, *known: Carried) -> str:
    """Name a paper of the story that was changed here and is so in none of the states; empty for none."""
    papers = {name: data for name, data in _files_here(project, story_id).items() if name.startswith(PAPERS)}
    return next((name for name, data in papers.items() if data not in [old.files.get(name) for old in known]), "")


def _check_branch(git: Git, branch: str, tip: str) -> None:
    local = git.branch_commit(branch)
    if local and not git.contains(local, tip) and not git.contains(tip, local):
        remedy = f"`git branch --move {branch} {branch}-mine` keeps it; then call again"
        raise BatonError(f"{branch} has commits here that the story does not have", str(git.project.root), remedy)


def _move_branch(git: Git, branch: str, tip: str) -> None:
    local = git.branch_commit(branch)
    if local and git.contains(tip, local):
        return  # commits on top are taken in by the story's next step
    moved = advance_branch(git, branch, local, tip)
    if moved.how != "moved":
        raise BatonError(moved.said, branch, moved.remedy or "call again")
