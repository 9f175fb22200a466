"""A resolver hands its result in: held against its unit and the work tree, kept whole or not at all."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from baton.artefacts.file_name import told
from baton.artefacts.findings import Finding, faults, mild
from baton.artefacts.kinds import check_artefact
from baton.artefacts.resolver_result import (
    KIND,
    WITH_PRIOR,
    WITHOUT_PRIOR,
    Assessment,
    ResolverResult,
    normalised_result,
    read_result,
)
from baton.drive.receive import Receipt
from baton.errors import BatonError
from baton.feedback.in_tree import Tree
from baton.feedback.round import Round, Unit, load_round, results_folder
from baton.feedback.store import FOLDER
from baton.outside.git import Git
from baton.outside.protected import hooks_folder, protection
from baton.story.durable import write_durably
from baton.story.places import Project

LEAVE = "undo your change to it, leave it as it is, and hand in needs-human"
SHOWN = 8


class Out(NamedTuple):
    """A unit that is out, and where what is known of its pull request is kept."""

    folder: Path
    round: Round
    unit: Unit


def receive_result(project: Project, number: int, unit: str, text: str, source: str) -> Receipt:
    """Take a unit's result in place of the one before, or refuse it with findings: then nothing is written."""
    out = find_unit(project, number, unit)
    findings = check_artefact(KIND, text, source)
    if faults(findings):
        return Receipt(False, "", findings)
    value, notes = normalised_result(text)
    findings += check_unit(out.unit, read_result(text), Tree(Git(project)), source)
    if faults(findings):
        return Receipt(False, "", findings, notes)
    path = results_folder(out.folder, out.round) / f"{out.unit.id}.json"
    write_durably(path, json.dumps(value, indent=1, ensure_ascii=False) + "\n", project.common)
    return Receipt(True, str(path), mild(findings), notes)


def find_unit(project: Project, number: int, name: str) -> Out:
    """Give a unit that is out; a BatonError for every other name."""
    places = sorted((project.state / FOLDER).glob(f"*/*/*/{number}/round.json"))
    rounds = [(one.parent, made) for one in places if (made := load_round(project, one.parent))]
    if not rounds:
        what = f"unit {name[:80]!r} is not out (no round is in hand)"
        raise BatonError(what, f"pr-{number}", "end your turn: only what `baton pr plan` made is handed in")
    named = (one for one in rounds if any(unit.id == name for unit in one[1].units))
    folder, made = next(named, rounds[0])
    unit = made.unit(name)
    if all(unit not in wave for wave in made.waves[: max(made.sent, 1)]):
        remedy = "end your turn: `baton pr land` says when its wave begins"
        raise BatonError(f"unit {name} is not out (its wave has not begun)", f"pr-{number}", remedy)
    return Out(folder, made, unit)


Fault = tuple[str, str, str]


def check_unit(unit: Unit, made: ResolverResult, tree: Tree, source: str) -> list[Finding]:
    """Find what a result says that is not so of its unit or of the work tree; its form is checked elsewhere."""
    found = [*_items(unit, made), *_assessment(unit, made.assessment), *_files(unit, made, tree)]
    return [Finding(source, where, f"{KIND}/{rule}", message) for where, rule, message in found]


def _items(unit: Unit, made: ResolverResult) -> Iterator[Fault]:
    if made.unit != unit.id:
        yield "$.unit", "other-unit", f"{told(made.unit)} is not the unit that hands in: write {unit.id}"
    for index, one in enumerate(made.results):
        if one.feedback_id not in unit.items:
            before = "was resolved before and is not answered" if one.feedback_id in unit.prior else "is not yours"
            message = f"{told(one.feedback_id)} {before}; this unit has {_listed(unit.items)}"
            yield f"$.results[{index}].feedback_id", "foreign-id", message
    said = {one.feedback_id for one in made.results}
    if missing := [one for one in unit.items if one not in said]:
        yield "$.results", "missing-id", f"no verdict for {_listed(missing)}: each item of the unit has one"


def _listed(names: tuple[str, ...] | list[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(name[:40] for name in names[:SHOWN]) + more


def _assessment(unit: Unit, made: Assessment | None) -> Iterator[Fault]:
    where = "$.cluster_assessment"
    if not unit.is_cluster:
        if made:
            yield where, "no-cluster", "this unit is no cluster: leave `cluster_assessment` out"
        return
    modes = WITH_PRIOR if unit.prior else WITHOUT_PRIOR
    known = "with prior resolutions" if unit.prior else "without prior resolutions"
    if made is None:
        yield where, "no-assessment", f"a cluster needs one, its `mode` one of: {', '.join(modes)}"
    elif made.mode not in modes:
        yield f"{where}.mode", "mode", f"`{made.mode}` {known}: one of {', '.join(modes)}"


def _files(unit: Unit, made: ResolverResult, tree: Tree) -> Iterator[Fault]:
    hooks = hooks_folder(tree.git)
    for index, one in enumerate(made.results):
        for number, name in enumerate(one.files_changed):
            where = f"$.results[{index}].files_changed[{number}]"
            if what := protection(name, hooks):
                yield where, "protected", f"{told(name)} is {what}: {LEAVE}"
            elif fault := tree.fault(name):
                yield where, "file", f"{told(name)} {fault}"
    changed = {name for one in made.results for name in one.files_changed}
    for number, name in enumerate(made.assessment.files_investigated if made.assessment else ()):
        if name not in changed and (fault := tree.fault(name)):
            yield f"$.cluster_assessment.files_investigated[{number}]", "file", f"{told(name)} {fault}"
