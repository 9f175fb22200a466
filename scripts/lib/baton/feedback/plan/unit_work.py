"""A unit at work: its tree, put at a commit and marked; what was accepted of it, and the sum of several.

Accepted work is a commit whose message holds the result. Its id is in the journal: later changes to the unit's
tree, or to the ref, are not looked at.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from baton.artifacts.document import read_document
from baton.errors import BatonError
from baton.feedback.plan.round import BEGIN_ANEW, Round, Unit, load_round
from baton.feedback.store.kept_files import owner_of, read_as, write_as
from baton.feedback.store.outbox import effect_commits, open_outbox
from baton.feedback.store.work_names import number_of
from baton.git.command import Git, find_project
from baton.git.commits import WantedCommit, Work, changed_files, hold_hooks, make_work, reset_to
from baton.git.objects import Merged, commit_tree, keep_commit, merge_trees, tree_of
from baton.git.worktrees import (
    NO_HOOKS,
    RunMark,
    agent_of,
    discard_tree,
    is_cache,
    local_changes,
    make_tree,
    put_at,
    write_mark,
)
from baton.journal.events import EffectDone
from baton.journal.paths import PULLS_FOLDER, Project
from baton.story.run.begin_run import BegunRun, program_tree, refs_of, remove_agents_tree, require_run_tree
from baton.story.run.left_out import is_as_found

HAND_IN = "hand-in"


class ActiveUnit(NamedTuple):
    """A unit that is out, and where what is known of its pull request is kept."""

    folder: Path
    unit: Unit


class UnitPlace(NamedTuple):
    """The work tree of a unit: where it is, whose, the commit it was put at, and what was there from the start."""

    tree: str
    git_dir: str
    agent: str
    born: str
    head: str
    foreign: dict[str, str]
    hook_refusals: int = 0  # how often commit hooks refused what was handed in from it


def begin_unit(project: Project, name: str, make: bool) -> BegunRun:
    """Make a work tree ready for a unit.

    Begun again elsewhere, the unit's tree is the newer one: an agent that died is started once more.
    """
    out = find_unit(project, number_of(name), name)
    base = out.unit.base
    if make:
        tree = program_tree(project, owner_of(out.folder), f"{name}-{base[:8]}", base)
    else:
        require_run_tree(project, name)
        tree = project
    before = read_place(project, out.folder, name)
    if before is None or (before.git_dir, before.head) != (str(tree.git_dir), base):
        _put_in_place(out, tree, "" if make else agent_of(tree))
    return BegunRun(str(tree.root), base, read_document(Path(out.unit.brief)))


def _put_in_place(out: ActiveUnit, tree: Project, agent: str) -> None:
    git, base = Git(tree), out.unit.base
    born = git.commit_of("HEAD")
    put_at(git, base)
    place = UnitPlace(str(tree.root), str(tree.git_dir), agent, born, base, local_changes(git))
    write_mark(tree, RunMark(out.unit.id, owner_of(out.folder)))
    save_place(tree, out.folder, out.unit.id, place)


def save_place(project: Project, folder: Path, unit: str, place: UnitPlace) -> None:
    """Keep where a unit was begun, in place of what was kept before."""
    write_as(project, _path(folder, unit), place)


def read_place(project: Project, folder: Path, unit: str) -> UnitPlace | None:
    """Read where a unit was begun; None where it was not."""
    remedy = "remove it, and begin the unit again"
    return read_as(project, _path(folder, unit), UnitPlace, remedy)


def _path(folder: Path, unit: str) -> Path:
    return folder / "trees" / f"{unit}.json"


def find_unit(project: Project, number: int, name: str) -> ActiveUnit:
    """Return a unit that is out; a BatonError for every other name."""
    places = sorted((project.state / PULLS_FOLDER).glob(f"*/*/*/{number}/round.json"))
    rounds = [(place.parent, current) for place in places if (current := load_round(project, place.parent))]
    match = next((entry for entry in rounds if any(unit.id == name for unit in entry[1].units)), None)
    if match is None:
        what = f"unit {name[:80]!r} is not at work ({'no such unit' if rounds else 'there is no current round'})"
        raise BatonError(what, f"pr-{number}", "end your turn: only what `baton pr plan` made is handed in")
    folder, current = match
    unit = current.unit(name)
    if not unit.is_out:
        remedy = "end your turn: `baton pr land` says when it begins"
        raise BatonError(f"unit {name} is not at work (it waits for others)", f"pr-{number}", remedy)
    return ActiveUnit(folder, unit)


def remove_unit_tree(project: Project, folder: Path, unit: str, commit: str) -> str:
    """Remove the tree of a unit whose work was taken, if nothing else is in it; returns what stays, and why."""
    place = read_place(project, folder, unit)
    if place is None or not Path(place.tree).is_dir():
        return ""
    git = Git(find_project(Path(place.tree)))
    if str(git.project.git_dir) != place.git_dir:
        return ""
    if commit:
        reset_to(git, commit)
    stays = remove_agents_tree(Git(project), git.project.root, place.foreign, place.agent, place.born)
    return f"the work tree {place.tree} stays: {stays}" if stays else ""


class UnitWork(NamedTuple):
    """A unit's work: its commit, the commit it began from, the tree, and the result that was handed in with it."""

    commit: str
    base: str
    tree: str
    result: dict[str, Any]


def tree_of_work(git: Git, base: str, foreign: Mapping[str, str]) -> str:
    """Return the content of a unit's work tree as a tree, whatever was committed there; no hook runs."""
    tracked = reset_to(git, base)
    left = {
        name
        for name in changed_files(git)
        if is_as_found(git.project.root, name.rstrip("/"), foreign) or (name not in tracked and is_cache(name))
    }
    tree = make_work(git, WantedCommit(base, "", left, hooks=False)).tree
    reset_to(git, base)  # what is refused must be undone: `git diff` shows it, `git restore` takes it back
    return tree


def keep_work(project: Project, folder: Path, unit: Unit, work: tuple[str, str], result: Any) -> str:
    """Keep a unit's work, its base and its tree, with the result: as a commit, at a ref, and in the journal."""
    git, (base, tree) = Git(project), work
    ref = f"{refs_of(owner_of(folder))}/{unit.id}"
    commit = keep_commit(git, ref, tree, [base], f"{unit.id}\n\n{json.dumps(result)}\n")
    with open_outbox(project, folder, f"the hand-in of {unit.id}") as outbox:
        outbox.note(EffectDone(HAND_IN, unit.id, commit))
    return commit


def load_unit_work(project: Project, folder: Path, round: Round) -> dict[str, UnitWork]:
    """Return the work handed in so far, by unit, in the round's order; work on another base counts no more."""
    commits = effect_commits(folder, HAND_IN)
    git = Git(project)
    known = (unit for unit in round.units if unit.id in commits and unit.id not in round.skipped_units)
    handed_in = {unit.id: (unit.base, _read(git, folder, commits[unit.id])) for unit in known}
    return {name: taken for name, (base, taken) in handed_in.items() if taken.base == base}


def _read(git: Git, folder: Path, commit: str) -> UnitWork:
    answer = git.ask("cat-file", "commit", commit, no=(1, 128))
    head, _, message = answer.out.partition("\n\n")
    fields = dict(line.split(" ", 1) for line in head.splitlines() if " " in line)
    try:
        return UnitWork(commit, fields["parent"], fields["tree"], json.loads(message.partition("\n\n")[2]))
    except (KeyError, ValueError) as error:
        raise BatonError(f"the hand-in {commit[:12]} is not in the repository", str(folder), BEGIN_ANEW) from error


class CombinedWork(NamedTuple):
    """The tree that units make on a commit, and the files in which a unit's change conflicts, by unit."""

    tree: str
    conflicts: dict[str, list[str]]


def combine_work(git: Git, onto: str, taken: Mapping[str, UnitWork]) -> CombinedWork:
    """Put the change of each unit on a commit, in order; one that conflicts is left out."""
    tree, conflicts = tree_of(git, onto), {}
    for unit, work in taken.items():
        merged = _applied(git, tree, work)
        if merged.conflicts:
            conflicts[unit] = merged.conflicts
        else:
            tree = merged.tree
    return CombinedWork(tree, conflicts)


def _applied(git: Git, tree: str, work: UnitWork) -> Merged:
    """Merge a unit's change into a tree; the commit the unit began from is the common ancestor."""
    before = tree_of(git, work.base)
    if before in (tree, work.tree):
        return Merged(work.tree if before == tree else tree, [])
    return merge_trees(git, commit_tree(git, tree, [work.base], "sum", own=True), work.commit)


def run_hooks(git: Git, place: Path, wanted: WantedCommit, tree: str) -> Work:
    """Run the user's commit hooks on a tree, in a work tree that is made for it and thrown away.

    They see the wanted branch only where it is at the commit that the tree is made on.
    """
    if git.branch_commit(wanted.branch) != wanted.head:
        wanted = wanted._replace(branch="")
    with hold_hooks(git.project, place.name):
        make_tree(git, place, wanted.head)
        try:
            own = Git(find_project(place))
            own.do(*NO_HOOKS, "read-tree", "--reset", "-u", tree)
            return make_work(own, wanted)
        finally:
            discard_tree(git.project.common, place)
