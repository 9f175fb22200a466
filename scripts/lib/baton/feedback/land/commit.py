"""From the units to one pushed commit: their sum on the head, the user's hooks, one validation, the push."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from baton.errors import BatonError
from baton.feedback.land.land_round import LandContext
from baton.feedback.plan.head_commands import (
    ValidationResult,
    question_at_land,
    required_commands,
    sort_weighed,
    with_home,
)
from baton.feedback.plan.pull_head import fetch_head, push_once, push_place
from baton.feedback.plan.round_question import round_question
from baton.feedback.plan.unit_work import CombinedWork, combine_work, run_hooks
from baton.feedback.store.kept_files import owner_of
from baton.feedback.store.outbox import Outbox
from baton.feedback.store.questions import Question
from baton.git.commits import WantedCommit, Work
from baton.git.objects import commit_to_look_at, commit_tree, parents_of, set_ref, tree_of
from baton.git.paper_trees import changes_between
from baton.story.checks.compare_checks import Running, Subject, weigh
from baton.story.run.begin_run import refs_of, trees_of
from baton.text import join_words, one_line

LONGEST_EVIDENCE = 2_000  # characters of what failing commands printed
HOOK_FIRST = "see to the hook, then call again"


class Fixed(NamedTuple):
    """The commit that was pushed, empty where nothing was changed, and how the commands went on it."""

    commit: str = ""
    validated: ValidationResult = ValidationResult()


class UnitsToRestart(NamedTuple):
    """Units to start once more, on the sum of the others: the reason for each, and the output of a program."""

    units: Mapping[str, str]
    output: str = ""


def push_fixes(landing: LandContext, outbox: Outbox) -> Fixed | Running | Question | UnitsToRestart:
    """Push the fixes to the head, or return what is in the way: commands, a question or units to start again."""
    git, pull = landing.git, landing.pull
    if not landing.changed:
        return Fixed()
    fetch_head(git, pull)
    if commit := _pushed_before(landing, outbox):
        outcome = _validate(landing, commit, _tries(landing, commit))
        return outcome if isinstance(outcome, Running) else Fixed(commit, outcome)
    push_place(git, pull)
    if question := question_at_land(git, landing.answers, pull, landing.fetched.config):
        return question
    combined = combine_work(git, pull.head_oid, landing.taken)
    if combined.conflicts:
        return _in_conflict(landing, combined)
    ours = _commit(landing, outbox, combined.tree)
    if isinstance(ours, UnitsToRestart):
        return ours
    validated = _validated(landing, ours)
    if isinstance(validated, ValidationResult):
        push_once(git, pull, ours, outbox, hooks=landing.home is None)
        return Fixed(ours, validated)
    return validated


def _pushed_before(landing: LandContext, outbox: Outbox) -> str:
    """Return the commit of this round that the head has already; empty where there is none."""
    for commit in landing.round.commits_in(outbox.all_made("commit")):
        if outbox.known("push", commit) and landing.git.contains(commit, landing.pull.head_oid):
            outbox.end("push", commit, commit)
            return commit
    return ""


def _in_conflict(landing: LandContext, combined: CombinedWork) -> UnitsToRestart | Question:
    """Return the conflicting units to start once more, one for each file; a Question for one that was before."""
    head, number = landing.pull.head_oid, landing.round.number
    perhaps = ", or with what was pushed meanwhile" if head != landing.round.head else ""
    perhaps += ", or builds on one that was given up" if landing.round.skipped_units else ""
    again, taken = dict[str, str](), set[str]()
    for unit, files in combined.conflicts.items():
        why = f"it conflicts with the other fixes in {', '.join(files[:5])}{perhaps}"
        about = f"{unit} {landing.taken[unit].commit} {head}"
        if landing.round.unit(unit).again and landing.answers.given("land/conflict", about) != "again":
            return round_question("land/conflict", about, {"unit": unit, "why": why, "number": number})
        if taken.isdisjoint(files):
            again[unit] = why
        taken.update(files)
    return UnitsToRestart(again)


def _commit(landing: LandContext, outbox: Outbox, tree: str) -> str | UnitsToRestart:
    """Make the round's commit of a tree, as the user's hooks leave it, once for each head and tree."""
    git, pull, head = landing.git, landing.pull, landing.pull.head_oid
    about = f"{landing.round.id} on {head} {tree}"
    if known := outbox.all_made("commit").get(about):
        return known
    work = _under_hooks(landing, tree, landing.message)
    if work.refused:
        return _sent_back(landing, work.refused)
    if why := work.message_refused or work.broken:
        what = "refuses the commit's message" if work.message_refused else "cannot run"
        raise BatonError(f"a commit hook {what} ({one_line(why)[-300:]})", pull.name, HOOK_FIRST)
    _check_hooks(landing, work.tree)
    commit = commit_tree(git, work.tree, [head], work.message)
    set_ref(git, f"{refs_of(owner_of(landing.folder))}/{landing.round.id}", commit)
    outbox.end("commit", about, commit)
    return commit


def _under_hooks(landing: LandContext, tree: str, message: str = "") -> Work:
    """Run the user's commit hooks on a tree; without a message, those for messages are left out."""
    place = trees_of(landing.project, owner_of(landing.folder)) / landing.round.id
    other = f"fix: {message[:1].lower()}{message[1:]}" if message else ""
    head, branch, hooks = landing.pull.head_oid, landing.pull.head, landing.home is None
    wanted = WantedCommit(head, message, (), branch, hooks=hooks, fallback=other)
    return run_hooks(landing.git, place, wanted, tree)


def _sent_back(landing: LandContext, output: str) -> UnitsToRestart:
    """Return the unit that hooks refuse, to be started once more; a BatonError for one that was before."""
    unit = _find_culprit(landing, lambda tree: not _under_hooks(landing, tree).refused)
    assert isinstance(unit, str)  # no hook is waited for
    if not landing.round.unit(unit).again:
        return UnitsToRestart({unit: "your commit hooks refuse it"}, output)
    what = f"a commit hook refuses what {unit} did once more ({one_line(output)[-300:]})"
    raise BatonError(what, landing.pull.name, f"{_without(landing, unit)}; or {HOOK_FIRST}")


def _check_hooks(landing: LandContext, tree: str) -> None:
    """Raise a BatonError where a commit hook undid the fixes, or added a file that no unit changed."""
    pull = landing.pull
    if tree == tree_of(landing.git, pull.head_oid):
        raise BatonError("nothing is left of the fixes: a commit hook undid them", pull.name, HOOK_FIRST)
    if added := sorted(changes_between(landing.git, pull.head_oid, tree).keys() - landing.changed):
        what = f"a commit hook added {added[0]!r}, which no unit changed; nothing was pushed"
        raise BatonError(what, pull.name, "have the hook leave that to you, then call again")


def _without(landing: LandContext, unit: str) -> str:
    """Say how to go on without a unit; where it is not known which, name those that changed something."""
    units = _changing(landing)
    known = unit or (units[0] if len(units) == 1 else "")
    which = "it" if known else f"one of {join_words(units)}"
    return f"`baton pr land {landing.round.number} --skip-unit {known or 'UNIT'}` goes on without {which}"


def _changing(landing: LandContext) -> list[str]:
    return [unit for unit, names in landing.changes.items() if names]


def _validated(landing: LandContext, commit: str) -> ValidationResult | Running | Question | UnitsToRestart:
    """Run the project's commands on the commit; a new failure is started once more, then asked about."""
    tries = _tries(landing, commit)
    result = _validate(landing, commit, tries)
    if isinstance(result, Running):
        return result
    about = f"{commit} {tries}"
    if not result.failures or landing.answers.given("land/validation", about) == "accept":
        return result
    unit = "" if result.unclear else _find_culprit(landing, lambda tree: _is_green(landing, tree))
    if isinstance(unit, Running):
        return unit
    if unit and not landing.round.unit(unit).again:
        output = "\n".join(failure.outcome.shown for failure in result.introduced)
        return UnitsToRestart({unit: f"with it {result.summary()}"}, output)
    logs = ", ".join(str(failure.outcome.log) for failure in result.failures)
    values = {"failed": result.summary(), "logs": logs, "without": _without(landing, unit)}
    evidence = "\n".join(failure.outcome.shown for failure in result.failures)[-LONGEST_EVIDENCE:]
    return round_question("land/validation", about, values, evidence=evidence)


def _tries(landing: LandContext, commit: str) -> int:
    """Count how often the user had the commands run again on a commit."""
    tries = 0
    while landing.answers.given("land/validation", f"{commit} {tries}") == "retry":
        tries += 1
    return tries


def _find_culprit(landing: LandContext, is_good: Callable[[str], bool | Running]) -> str | Running:
    """Return the unit that spoils the sum, by halves: the tree of those before it is good, with it not."""
    units = _changing(landing)
    good, bad = 0, len(units)
    while bad - good > 1:
        middle = (good + bad) // 2
        some = {unit: landing.taken[unit] for unit in units[:middle]}
        passed = is_good(combine_work(landing.git, landing.pull.head_oid, some).tree)
        if isinstance(passed, Running):
            return passed
        good, bad = (middle, bad) if passed else (good, middle)
    return units[good]


def _is_green(landing: LandContext, tree: str) -> bool | Running:
    """Whether no command fails on a tree that passes on the head."""
    result = _validate(landing, commit_to_look_at(landing.git, tree, [landing.pull.head_oid]), 0)
    return result if isinstance(result, Running) else not result.introduced


def _validate(landing: LandContext, commit: str, tries: int) -> ValidationResult | Running:
    """Run the commands on a commit, and on the head before it where that tells whether a failure is new."""
    git, config, [before] = landing.git, landing.fetched.config, parents_of(landing.git, commit)
    subject = Subject(
        project=landing.project,
        place=landing.folder / "checks",
        commands=[with_home(command, landing.home) for command in required_commands(config)],
        limit=config.command_timeout_s,
        exclusive=config.exclusive,
        tries=tries,
        owner=owner_of(landing.folder),
        base="the head before",
        base_of=lambda _: before,
        changed=lambda new: git.changed(before, new),
    )
    weighed = weigh(subject, commit)
    return weighed if isinstance(weighed, Running) else sort_weighed(weighed)
