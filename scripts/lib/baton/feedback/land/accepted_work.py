"""What a unit did, as it was accepted: one commit on what it began from, whose message holds the result.

Its id is in the journal: what lies in the unit's tree, or at the ref, later on is not looked at.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from baton.errors import BatonError
from baton.feedback.land.head import refs_of
from baton.feedback.land.outbox import open_outbox, read_events
from baton.feedback.plan.round import AGAIN, Round, Unit
from baton.git.command import Git
from baton.git.commits import Wanted, changes, make_work
from baton.git.objects import commit_tree, set_ref
from baton.git.worktrees import is_cache
from baton.journal.events import EffectDone
from baton.journal.paths import Project
from baton.story.run_work import is_as_found

HAND_IN = "hand-in"


class Taken(NamedTuple):
    """A unit's work: its commit, the commit it began from, the tree, and the result that was handed in with it."""

    commit: str
    base: str
    tree: str
    result: dict[str, Any]


def tree_of_work(git: Git, base: str, foreign: Mapping[str, str]) -> str:
    """Return what lies in a unit's work tree as a tree, whatever was committed there; no hook runs."""
    git.do("read-tree", base)
    tracked = {*git.do("ls-files", "-z").split("\0")}
    left = {
        name
        for name in changes(git)
        if is_as_found(git.project.root, name.rstrip("/"), foreign) or (name not in tracked and is_cache(name))
    }
    tree = make_work(git, Wanted(base, "", left, hooks=False)).tree
    git.do("read-tree", base)  # what is refused must be undone: `git diff` shows it, `git restore` takes it back
    return tree


def changed_modes(git: Git, base: str, tree: str) -> dict[str, str]:
    """Return the files that differ between a commit and a tree, each with its mode in the tree."""
    entries = git.do("diff-tree", "-r", "-z", "--no-renames", base, tree, "--").split("\0")
    return {name: about.split(" ")[1] for about, name in zip(entries[::2], entries[1::2], strict=False)}


def added_lines(git: Git, base: str, tree: str, path: str) -> str:
    """Return the lines a tree adds to a file of a commit."""
    words = ("diff", "--no-color", "--no-ext-diff", "--no-textconv", "--text", "--unified=0")
    lines = git.do(*words, base, tree, "--", path).splitlines()
    return "\n".join(line[1:] for line in lines if line.startswith("+") and not line.startswith("+++ "))


def keep(project: Project, folder: Path, unit: Unit, work: tuple[str, str], result: Any) -> str:
    """Keep a unit's work, its base and its tree, with the result: as a commit, at a ref, and in the journal."""
    git, (base, tree) = Git(project), work
    commit = commit_tree(git, tree, [base], f"{unit.id}\n\n{json.dumps(result)}\n", own=True)
    set_ref(git, f"{refs_of(folder)}/{unit.id}", commit)
    with open_outbox(project, folder, f"the hand-in of {unit.id}") as outbox:
        outbox.note(EffectDone(HAND_IN, unit.id, commit))
    return commit


def load_taken(project: Project, folder: Path, made: Round) -> dict[str, Taken]:
    """Read what was handed in so far, by unit, in order; what was made on another commit counts no more."""
    commits = {
        one.about: one.commit
        for one in read_events(project, folder)
        if isinstance(one, EffectDone) and one.effect == HAND_IN
    }
    git = Git(project)
    known = (one for one in made.units if one.id in commits and one.id not in made.skipped_units)
    found = {one.id: _read(git, folder, commits[one.id]) for one in known}
    return {unit.id: found[unit.id] for unit in made.units if _counts(made, unit, found.get(unit.id))}


def _counts(made: Round, unit: Unit, one: Taken | None) -> bool:
    return one is not None and one.base == made.base_of(unit)


def _read(git: Git, folder: Path, commit: str) -> Taken:
    found = git.ask("cat-file", "commit", commit, no=(1, 128))
    head, _, message = found.out.partition("\n\n")
    fields = dict(line.split(" ", 1) for line in head.splitlines() if " " in line)
    try:
        return Taken(commit, fields["parent"], fields["tree"], json.loads(message.partition("\n\n")[2]))
    except (KeyError, ValueError) as error:
        raise BatonError(f"the hand-in {commit[:12]} is not in the repository", str(folder), AGAIN) from error
