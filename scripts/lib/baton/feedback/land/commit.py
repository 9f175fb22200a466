"""From the units to one pushed commit: their sum on the head, the user's hooks, one validation, the push."""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from baton.errors import BatonError
from baton.feedback.land.accepted_work import changed_modes
from baton.feedback.land.combine_units import Sum, put_together, run_hooks
from baton.feedback.land.consent import at_land, keeps_home
from baton.feedback.land.head import bring, push_place, refs_of
from baton.feedback.land.land import LandContext
from baton.feedback.land.outbox import Outbox
from baton.feedback.land.push import push_once
from baton.feedback.land.validate import ValidationResult, validate
from baton.feedback.land.validate import Wanted as Run
from baton.feedback.plan.round import Round
from baton.feedback.questions import Answers, Question
from baton.feedback.read.models import PullRequest
from baton.feedback.store import owner_of
from baton.git.command import Git
from baton.git.commits import Wanted
from baton.git.objects import commit_to_look_at, commit_tree, parents_of, set_ref, tree_of
from baton.journal.paths import Project
from baton.story.begin_run import trees_of
from baton.story.compare_checks import Running

# Of more units none is left out to see which one fails the commands: each costs a run of them.
MOST_TRIED = 6


class Fixed(NamedTuple):
    """The commit that was pushed, empty where nothing was changed, and how the commands went on it."""

    commit: str = ""
    validated: ValidationResult = ValidationResult()


class Waiting(NamedTuple):
    """Commands still run: what to say of them, and how to wait for them (seconds; True when they ended)."""

    told: str
    hold: Callable[[float], object]


class Again(NamedTuple):
    """Units to be started once more: why each, what a program said, and the head the sum of the others is on."""

    units: Mapping[str, str]
    said: str
    head: str


class Fixing(NamedTuple):
    """The fixes of a round on their way to the head of the pull request."""

    landing: LandContext
    answers: Answers
    outbox: Outbox

    @property
    def git(self) -> Git:
        return self.landing.git

    @property
    def pull(self) -> PullRequest:
        return self.landing.pull

    @property
    def home(self) -> Path | None:
        """The empty home folder of a stranger's code; None where commands see the user's own."""
        if keeps_home(self.answers, self.pull, self.landing.read.config):
            return None
        landing = self.landing
        return home_of(landing.project, landing.folder, landing.round)


def home_of(project: Project, folder: Path, made: Round) -> Path:
    """Return the place of the empty home folder."""
    return trees_of(project, owner_of(folder)) / f"home-{made.id}"


def push_fixes(fixing: Fixing) -> Fixed | Waiting | Question | Again:
    """Bring the fixes to the head, as far as it goes: to commands that run, or to what is in the way."""
    landing, git = fixing.landing, fixing.git
    if not landing.changed:
        return Fixed()
    bring(git, fixing.pull)
    if commit := _pushed_before(fixing):
        told = _validate(fixing, commit, _tries(fixing, commit))
        return Fixed(commit, told if isinstance(told, ValidationResult) else ValidationResult())
    push_place(git, fixing.pull)
    if question := at_land(git, fixing.answers, fixing.pull, landing.read.config):
        return question
    made = put_together(git, fixing.pull.head_oid, landing.taken)
    if made.conflicts:
        return _in_conflict(fixing, made)
    ours = _commit(fixing, made.tree)
    if isinstance(ours, Again):
        return ours
    validated = _validated(fixing, ours)
    if isinstance(validated, ValidationResult):
        push_once(git, fixing.pull, ours, fixing.outbox, hooks=fixing.home is None)
        return Fixed(ours, validated)
    return validated


def _pushed_before(fixing: Fixing) -> str:
    """Return the commit of this round that the head has already."""
    for about, commit in fixing.outbox.all_made("commit").items():
        intended = fixing.outbox.known("push", commit)
        if about.startswith(f"{fixing.landing.round.id} ") and intended and _has(fixing, commit):
            fixing.outbox.end("push", commit, commit)
            return commit
    return ""


def _has(fixing: Fixing, commit: str) -> bool:
    return fixing.git.contains(commit, fixing.pull.head_oid)


def _in_conflict(fixing: Fixing, made: Sum) -> Again | Question:
    """Send out once more what does not apply; a unit that did so before is put to the user."""
    landing, head = fixing.landing, fixing.pull.head_oid
    why = {unit: f"it conflicts with the other fixes in {_names(files)}" for unit, files in made.conflicts.items()}
    if head != landing.round.head:
        why = {unit: f"{one}, or with what was pushed meanwhile" for unit, one in why.items()}
    if landing.round.skipped_units:
        why = {unit: f"{one}, or builds on one that was given up" for unit, one in why.items()}
    for unit in why:
        about = f"{unit} {landing.taken[unit].commit} {head}"
        if landing.round.unit(unit).again and fixing.answers.given("land/conflict", about) != "again":
            reason = f"{unit} was started once more already; {why[unit]}"
            does = {"again": "sends it out once more, on the sum of the others"}
            ask = f"Once more, or go on without it: `baton pr land {landing.round.number} --skip-unit {unit}`?"
            return Question("land/conflict", about, reason, ask, does)
    return Again(why, "", head)


def _names(files: list[str]) -> str:
    return ", ".join(files[:5])


def _commit(fixing: Fixing, tree: str) -> str | Again:
    """Return the round's commit of a tree, as the user's hooks leave it; made once for each head and tree."""
    landing, git, head = fixing.landing, fixing.git, fixing.pull.head_oid
    about = f"{landing.round.id} on {head} {tree}"
    if known := fixing.outbox.made("commit", about):
        return known
    branch = fixing.pull.head if git.branch_commit(fixing.pull.head) == head else ""
    place = trees_of(landing.project, owner_of(landing.folder)) / landing.round.id
    wanted = Wanted(head, landing.message, (), branch, hooks=fixing.home is None)
    work = run_hooks(git, place, wanted, tree)
    if work.refused:
        if unit := _culprit(landing, work.refused):
            return Again({unit: "your commit hooks refuse it"}, work.refused, head)
        what = f"a commit hook refuses the fixes ({' '.join(work.refused.split())[-300:]})"
        raise BatonError(what, fixing.pull.name, f"{_without(landing)}; or change the hook, then call again")
    _check_hooks(landing, fixing.pull, work.tree)
    commit = commit_tree(git, work.tree, [head], work.message)
    set_ref(git, f"{refs_of(landing.folder)}/{landing.round.id}", commit)
    fixing.outbox.end("commit", about, commit)
    return commit


def _check_hooks(landing: LandContext, pull: PullRequest, tree: str) -> None:
    """Refuse what a commit hook made of the fixes: nothing, or a file that no unit changed."""
    if tree == tree_of(landing.git, pull.head_oid):
        remedy = f"{_without(landing)}; or change the hook, then call again"
        raise BatonError("nothing is left of the fixes: a commit hook undid them", pull.name, remedy)
    if added := sorted(set(changed_modes(landing.git, pull.head_oid, tree)) - landing.changed):
        what = f"a commit hook added {added[0]!r}, which no unit changed; nothing was pushed"
        raise BatonError(what, pull.name, "have the hook leave that to you, then call again")


def _without(landing: LandContext) -> str:
    return f"`baton pr land {landing.round.number} --skip-unit UNIT` goes on without a unit"


def _validated(fixing: Fixing, commit: str) -> ValidationResult | Waiting | Question | Again:
    """Run the project's commands on the commit; a new failure is started once more, then asked about."""
    tries = _tries(fixing, commit)
    told = _validate(fixing, commit, tries)
    if isinstance(told, Running):
        return Waiting(told.told, told.checks.wait)
    accepted = fixing.answers.given("land/validation", f"{commit} {tries}") == "accept"
    if not (told.introduced or told.unclear) or accepted:
        return told
    output = "\n".join(one.outcome.shown for one in told.introduced)
    if not told.unclear and not tries:
        unit = _culprit(fixing.landing, output) or _left_out(fixing)
        if isinstance(unit, Running):
            return Waiting(f"which fix it is: {unit.told}", unit.checks.wait)
        if unit:
            return Again({unit: f"with it {told.summary()}"}, output, fixing.pull.head_oid)
    logs = ", ".join(str(one.outcome.log) for one in (*told.introduced, *told.unclear))
    return Question(
        "land/validation", f"{commit} {tries}", f"{told.summary()}; nothing was pushed. Output: {logs}",
        f"Run the commands again, or push the commit as it is? {_without(fixing.landing)}.",
        {"retry": "runs the commands again", "accept": "pushes it all the same"},
    )  # fmt: skip


def _tries(fixing: Fixing, commit: str) -> int:
    """Count how often the user had the commands run again on a commit."""
    tries = 0
    while fixing.answers.given("land/validation", f"{commit} {tries}") == "retry":
        tries += 1
    return tries


def _validate(fixing: Fixing, commit: str, tries: int) -> ValidationResult | Running:
    landing, [before] = fixing.landing, parents_of(fixing.git, commit)
    run = Run(commit, before, tries, fixing.home)
    return validate(fixing.git, landing.folder, landing.read.config, run)


def _culprit(landing: LandContext, said: str) -> str:
    """Return the unit to send out once more for a failure: the last whose files it names; empty for none."""
    changing = {unit: names for unit, names in landing.changes.items() if names}
    named = [unit for unit, names in changing.items() if any(name in said for name in names)]
    found = named[-1] if named else next(iter(changing)) if len(changing) == 1 else ""
    return found if found and not landing.round.unit(found).again else ""


def _left_out(fixing: Fixing) -> str | Running:
    """Return the unit without which the commands pass, looked for from the last; empty where there is none."""
    landing, head = fixing.landing, fixing.pull.head_oid
    changing = [unit for unit, names in landing.changes.items() if names]
    for unit in reversed(changing if len(changing) <= MOST_TRIED else ()):
        made = put_together(fixing.git, head, {name: one for name, one in landing.taken.items() if name != unit})
        if made.conflicts or landing.round.unit(unit).again:
            continue
        told = _validate(fixing, commit_to_look_at(fixing.git, made.tree, [head]), 0)
        if isinstance(told, Running):
            return told
        if not (told.introduced or told.unclear):
            return unit
    return ""


def forget_home(project: Project, folder: Path, made: Round) -> None:
    """Remove the home folder a stranger's code had."""
    shutil.rmtree(home_of(project, folder, made), ignore_errors=True)
