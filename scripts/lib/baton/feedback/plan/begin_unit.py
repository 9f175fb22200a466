"""A resolver's first call: its work tree is put at the commit to work on and marked, and its brief is printed."""

from pathlib import Path
from typing import NamedTuple

from baton.artifacts.document import read_document
from baton.errors import BatonError
from baton.feedback.plan.round import Unit, load_round
from baton.feedback.store.kept_files import PULLS_FOLDER, owner_of, read_as, write_as
from baton.git.command import Git, find_project
from baton.git.commits import back_to
from baton.git.worktrees import RunMark, agent_of, differences, put_at, write_mark
from baton.journal.paths import Project
from baton.story.run.begin_run import BegunRun, program_tree, remove_agents_tree, require_run_tree


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
    out = find_unit(project, int(name.partition("-")[0].removeprefix("pr")), name)
    base = out.unit.base
    if make:
        tree = program_tree(project, owner_of(out.folder), f"{name}-{base[:8]}", base)
    else:
        require_run_tree(project, name)
        tree = project
    before = read_place(project, out.folder, name)
    if before is None or (before.git_dir, before.head) != (str(tree.git_dir), base):
        _put_in_place(out, tree, base, "" if make else agent_of(tree))
    return BegunRun(str(tree.root), base, read_document(Path(out.unit.brief)))


def _put_in_place(out: ActiveUnit, tree: Project, base: str, agent: str) -> None:
    git = Git(tree)
    born = git.commit_of("HEAD")
    put_at(git, base)
    place = UnitPlace(str(tree.root), str(tree.git_dir), agent, born, base, differences(git))
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
        what = f"unit {name[:80]!r} is not out ({'no such unit' if rounds else 'there is no current round'})"
        raise BatonError(what, f"pr-{number}", "end your turn: only what `baton pr plan` made is handed in")
    folder, current = match
    unit = current.unit(name)
    if not unit.is_out:
        remedy = "end your turn: `baton pr land` says when it begins"
        raise BatonError(f"unit {name} is not out (it waits for others)", f"pr-{number}", remedy)
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
        back_to(git, commit)
    stays = remove_agents_tree(Git(project), git.project.root, place.foreign, place.agent, place.born)
    return f"the work tree {place.tree} stays: {stays}" if stays else ""
