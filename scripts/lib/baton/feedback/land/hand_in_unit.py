"""The result a resolver hands in from its work tree: checked against its unit and its work, and kept with it."""

import os
from collections.abc import Collection, Iterator

from baton.artifacts.document import read_document
from baton.artifacts.file_name import is_test, quote_name
from baton.artifacts.findings import Finding, faults, warnings_in
from baton.artifacts.kinds import READING, check_artifact
from baton.artifacts.resolver_result import (
    KIND,
    WITH_PRIOR,
    WITHOUT_PRIOR,
    Assessment,
    ResolverResult,
    normalized_result,
    read_result,
)
from baton.feedback.plan.head_commands import keeps_home
from baton.feedback.plan.reader_run import receive_reading
from baton.feedback.plan.resolver_brief import brief_path
from baton.feedback.plan.round import Unit
from baton.feedback.plan.unit_work import (
    ActiveUnit,
    UnitPlace,
    find_unit,
    keep_work,
    read_place,
    run_hooks,
    save_place,
    tree_of_work,
)
from baton.feedback.record.fetch_pull import settings_for
from baton.feedback.record.record import load_record_in
from baton.feedback.store.kept_files import owner_of
from baton.feedback.store.questions import Answers
from baton.feedback.text.outgoing import reply_faults
from baton.git.command import Git
from baton.git.commits import WantedCommit
from baton.git.listing import Listing, name_twins
from baton.git.object_store import LINK, SUBMODULE
from baton.git.paper_trees import Changes, changes_between
from baton.journal.paths import Project
from baton.project.protected_files import hooks_folder, protected_sort
from baton.secrets.scan import DIFF, secrets_added, secrets_in
from baton.story.judge.hand_in import HandInResult
from baton.story.judge.refusals import MOST_REFUSALS
from baton.story.run.begin_run import check_own_tree, refs_of, trees_of
from baton.text import clip, visible

UNDO_IT = "undo your change to it, leave it as it is, and hand in needs-human"
HOOK_REFUSES = (
    "a commit hook of the project refuses this work; fix what it names, or undo it and hand in needs-human"
)
MOST_SHOWN, MOST_SAID = 8, 1_500
# What stands around the form in a brief.
FORM_BEGINS, FORM_ENDS = "<<'END-OF-ARTIFACT'\n", "END-OF-ARTIFACT"
Fault = tuple[str, str, str]
# What a name may be in a tree and is no file of this repository, by its mode.
NO_FILES = {LINK: "a symbolic link", SUBMODULE: "another repository"}


def receive_artifact(project: Project, about: tuple[str, str, str], text: str, source: str) -> HandInResult:
    """Take what a reader or a resolver hands in for a pull request, `pr-7`, of a kind, for a reading or a unit."""
    name, kind, unit = about
    if kind == READING:
        return receive_reading(project, name, unit, text, source)
    return receive_result(project, int(name.removeprefix("pr-")), unit, text, source)


def receive_result(project: Project, number: int, unit: str, text: str, source: str) -> HandInResult:
    """Keep a unit's result with its work, in place of earlier ones; or refuse it, and keep nothing."""
    out = find_unit(project, number, unit)
    place = _own_place(project, out)
    findings = check_artifact(KIND, text, source)
    if faults(findings):
        return HandInResult(False, "", findings, (), _form(out))
    value, notes = normalized_result(text)
    result, git = read_result(text), Git(project)
    tree = tree_of_work(git, place.head, place.foreign)
    changed = changes_between(git, place.head, tree)
    problems = [*unit_faults(out.unit, result), *_work(result, git, place.head, tree, changed), *_leaving(result)]
    problems += [*_outside(out.unit, result, changed), *_twins(git, place.head, tree, changed)]
    if changed and not problems:
        problems += _refused_by_hooks(project, out, place, tree)
    findings += [Finding(source, where, f"{KIND}/{rule}", message) for where, rule, message in problems]
    if faults(findings):
        return HandInResult(False, "", findings, notes, _form(out))
    commit = keep_work(project, out.folder, out.unit, (place.head, tree), value)
    return HandInResult(
        True, f"{refs_of(owner_of(out.folder))}/{unit} ({commit[:12]})", warnings_in(findings), notes
    )


def _refused_by_hooks(project: Project, out: ActiveUnit, place: UnitPlace, tree: str) -> Iterator[Fault]:
    """Yield the refusal of a unit's work by the user's commit hooks, where they may run; none after two refusals.

    A hook that cannot run has judged nothing, and the message is not the unit's.
    """
    record = load_record_in(project, out.folder)
    may_run = keeps_home(Answers(project, out.folder), record.pull, settings_for(Git(project), record.pull))
    if place.hook_refusals >= MOST_REFUSALS or not may_run:
        return
    wanted = WantedCommit(place.head, "", (), record.pull.head)
    where = trees_of(project, owner_of(out.folder)) / f"{out.unit.id}-hooks"
    if output := run_hooks(Git(project), where, wanted, tree).refused:
        refusals = place.hook_refusals + 1
        save_place(project, out.folder, out.unit.id, place._replace(hook_refusals=refusals))
        yield "$.results", "commit-hook", f"{HOOK_REFUSES}:\n{clip(visible(output), MOST_SAID)}"


def _form(out: ActiveUnit) -> str:
    """Return the form in the unit's brief, with its items; empty where the brief is gone."""
    path = brief_path(out.folder, out.unit.id)
    brief = read_document(path) if path.exists() else ""
    return brief.partition(FORM_BEGINS)[2].partition(FORM_ENDS)[0].rstrip()


def _own_place(project: Project, out: ActiveUnit) -> UnitPlace:
    """Return the place of a unit; a BatonError where this is not its work tree."""
    place = read_place(project, out.folder, out.unit.id)
    begun = (place.tree, place.git_dir) if place and place.head == out.unit.base else ("", "")
    check_own_tree(project, out.unit.id, *begun)
    assert place is not None
    return place


def unit_faults(unit: Unit, result: ResolverResult) -> Iterator[Fault]:
    """Find the faults of a result against its unit; its form and the work tree are checked elsewhere."""
    yield from _items(unit, result)
    yield from _assessment(unit, result.assessment)


def _items(unit: Unit, result: ResolverResult) -> Iterator[Fault]:
    if result.unit != unit.id:
        yield "$.unit", "other-unit", f"{quote_name(result.unit)} is not the unit that hands in: write {unit.id}"
    for index, item in enumerate(result.results):
        if item.feedback_id not in unit.items:
            why = "was resolved before and is not answered" if item.feedback_id in unit.prior else "is not yours"
            message = f"{quote_name(item.feedback_id)} {why}; this unit has {_listed(unit.items)}"
            yield f"$.results[{index}].feedback_id", "foreign-id", message
    answered = {item.feedback_id for item in result.results}
    if missing := [name for name in unit.items if name not in answered]:
        yield "$.results", "missing-id", f"no verdict for {_listed(missing)}: each item of the unit has one"


def _listed(names: tuple[str, ...] | list[str]) -> str:
    more = f" and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
    return ", ".join(name[:40] for name in names[:MOST_SHOWN]) + more


def _assessment(unit: Unit, assessment: Assessment | None) -> Iterator[Fault]:
    where = "$.cluster_assessment"
    if not unit.is_cluster:
        if assessment:
            yield where, "no-cluster", "this unit is no cluster: leave `cluster_assessment` out"
        return
    modes = WITH_PRIOR if unit.prior else WITHOUT_PRIOR
    known = "with prior resolutions" if unit.prior else "without prior resolutions"
    if assessment is None:
        yield where, "no-assessment", f"a cluster needs one, its `mode` one of: {', '.join(modes)}"
    elif assessment.mode not in modes:
        yield f"{where}.mode", "mode", f"`{assessment.mode}` {known}: one of {', '.join(modes)}"


def _work(result: ResolverResult, git: Git, base: str, tree: str, changed: Changes) -> Iterator[Fault]:
    """Find changes that are not as declared, files that may not be changed, and secrets."""
    hooks = hooks_folder(git)
    declared = {
        name: f"$.results[{index}].files_changed[{number}]"
        for index, item in enumerate(result.results)
        for number, name in enumerate(item.files_changed)
    }
    for name in dict.fromkeys([*declared, *changed]):
        where = declared.get(name, "$.results")
        if what := protected_sort(name, hooks):
            yield where, "protected", f"{quote_name(name)} is {what}: {UNDO_IT}"
            continue
        if name not in changed:
            ignored = ", and git ignores it" if git.ignored_by(name) else ""
            yield (
                where,
                "unchanged",
                f"{quote_name(name)} is as it was{ignored}: take it out, or make the change",
            )
            continue
        if name not in declared:
            yield (
                where,
                "undeclared",
                f"{quote_name(name)} was changed: name it in `files_changed`, or undo the change",
            )
        _, now = changed[name]
        if now and now.mode in NO_FILES:
            yield where, "file", f"{quote_name(name)} is {NO_FILES[now.mode]}: {UNDO_IT}"
        elif secrets := secrets_added(git.do(*DIFF, base, tree, "--", name), os.environ):
            message = (
                f"{quote_name(name)}, line {secrets[0].line}, has what looks like a secret ({secrets[0].kind})"
            )
            yield where, "secret", f"{message}: take it out"
    for number, name in enumerate(result.assessment.files_investigated if result.assessment else ()):
        if not (git.has(name, base) or git.has(name, tree)):
            where = f"$.cluster_assessment.files_investigated[{number}]"
            yield where, "file", f"{quote_name(name)} is not a file that git knows"


def _outside(unit: Unit, result: ResolverResult, changed: Collection[str]) -> Iterator[Fault]:
    """Find files a cluster changed outside its area, but for those of its unit, investigated ones and tests."""
    named = {*unit.files, *(result.assessment.files_investigated if result.assessment else ())}
    for name in changed if unit.is_cluster else ():
        if not (name.startswith(unit.area) or name in named or is_test(name)):
            remedy = "undo it, or say in `files_investigated` that it belongs"
            message = f"{quote_name(name)} lies outside {unit.area}: {remedy}"
            yield "$.results", "area", message


def _twins(git: Git, base: str, tree: str, changed: Changes) -> Iterator[Fault]:
    """Find new files whose names are those of others where case does not count: such systems hold only one."""
    added = (name for name, (before, _) in changed.items() if before is None)
    for name, other in name_twins(added, Listing(git, base), Listing(git, tree)):
        message = f"{quote_name(name)} is {quote_name(other)} on systems that take no notice of case: use one name"
        yield "$.results", "twin", message


def _leaving(result: ResolverResult) -> Iterator[Fault]:
    """Find replies that cannot be posted, and secrets in what would be."""
    for index, item in enumerate(result.results):
        for name, text in (("reply_text", item.reply_text), ("reason", item.reason), ("change", item.change)):
            if secrets := secrets_in(text, os.environ):
                what = f"line {secrets[0].line} has what looks like a secret ({secrets[0].kind}): take it out"
                yield f"$.results[{index}].{name}", "secret", what
        for fault in () if item.asks_nothing else reply_faults(item.reply_text):
            yield f"$.results[{index}].reply_text", fault.rule, fault.message
