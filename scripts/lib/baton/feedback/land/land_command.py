"""Land the current round: wait for its units and the project's commands, then take it to the pull request."""

import shutil
import time
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path

from baton.checks.cleanup import remove_trees
from baton.errors import BatonError
from baton.feedback.land.commit import Fixed, UnitsToRestart, push_fixes
from baton.feedback.land.kept_summary import LANDED_FILE, LandedRound, keep_landed, keep_summary, load_landed
from baton.feedback.land.land_round import LandContext, empty_home, open_landing, preview_landing
from baton.feedback.land.land_summary import NEXT_ACTION, LandResult
from baton.feedback.land.settle import answer_and_resolve
from baton.feedback.plan.ask_readers import ask_readers
from baton.feedback.plan.pull_head import move_local_branches
from baton.feedback.plan.resolver_brief import add_restart_reason
from baton.feedback.plan.round import Round, load_round, save_round
from baton.feedback.plan.round_step import RoundStep, send_out, step_to_ask
from baton.feedback.plan.unit_work import load_unit_work, remove_unit_tree
from baton.feedback.store.kept_files import owner_of
from baton.feedback.store.outbox import open_outbox
from baton.feedback.store.questions import Answers, Question
from baton.git.command import Git
from baton.git.objects import drop_refs
from baton.journal.lock import hold_lock
from baton.journal.paths import Project
from baton.story.checks.compare_checks import Running
from baton.story.run.begin_run import refs_of
from baton.text import plural

# How long one call waits for the project's commands, in all.
WAIT_SECONDS = 90.0


def land_round(
    project: Project, folder: Path, skipped: Collection[str], dry_run: bool, seconds: float = WAIT_SECONDS
) -> RoundStep:
    """Land the current round as far as it goes; `skipped` are units it goes on without."""
    deadline = time.monotonic() + seconds
    while True:
        with hold_lock(folder / "land.lock", "baton pr land"):
            outcome = _land(project, folder, skipped, dry_run)
        left = deadline - time.monotonic()
        if not isinstance(outcome, Running):
            return outcome
        if left <= 0 or not outcome.checks.wait(left):
            return RoundStep("wait", "land/running", outcome.told, then=f"baton pr land {folder.name}")


def _land(project: Project, folder: Path, skipped: Collection[str], dry_run: bool) -> RoundStep | Running:
    round = load_round(project, folder)
    own = {unit.id for unit in round.units} if round else set[str]()  # it may be over by the time one is given up
    if round and round.landed and own.issuperset(skipped) and (before := _repeat_summary(project, folder, round)):
        return before
    if round is None or round.landed:
        raise BatonError(
            "there is no current round", f"pr-{folder.name}", f"plan one: `baton pr plan {folder.name}`"
        )
    skipped_units = {*round.skipped_units, *(round.unit(name).id for name in skipped)}
    if skipped_units != set(round.skipped_units):
        round = round._replace(skipped_units=tuple(sorted(skipped_units)))
        save_round(project, folder, round)
    taken = load_unit_work(project, folder, round)
    if (missing := round.missing_units(taken)) and dry_run:
        what = f"{plural(len(missing), 'unit')} not handed in yet; nothing was begun"
        raise BatonError(what, f"pr-{round.number}", "call again when all your agents have ended")
    if missing:
        return send_out(project, folder, round, "round/next", "there is room for more agents")
    landing = open_landing(project, folder, round, taken)
    if dry_run:
        return RoundStep(
            "look", "land/dry-run", "nothing was changed", lines=tuple(preview_landing(landing)), whole=True
        )
    outcome = _carried_out(landing)
    if isinstance(outcome, Running):
        return outcome
    if isinstance(outcome, Question):
        Answers(project, folder).ask(outcome)
        return step_to_ask(outcome, round.number)
    if isinstance(outcome, UnitsToRestart):
        return _sent_again(landing, outcome)
    return _keep_summary(landing, outcome)


def _carried_out(landing: LandContext) -> LandResult | Running | Question | UnitsToRestart:
    """Push the fixes, then answer and resolve what they settle."""
    with open_outbox(landing.project, landing.folder, "baton pr land") as outbox:
        fixed = push_fixes(landing, outbox)
        if not isinstance(fixed, Fixed):
            return fixed
        landed = answer_and_resolve(landing, fixed, outbox)
    return replace(landed, notes=tuple(_moved(landing, fixed.commit)) if fixed.commit else ())


def _moved(landing: LandContext, commit: str) -> Iterator[str]:
    if landing.home:
        yield "HOOKS your commit hooks did not run: it is a stranger's code"
    yield from move_local_branches(landing.git, landing.pull, commit, hooks=landing.home is None)


def _sent_again(landing: LandContext, again: UnitsToRestart) -> RoundStep:
    """Send units out once more, on the sum of the others."""
    project, folder = landing.project, landing.folder
    units = {unit.id: unit for unit in landing.round.units}
    for name, why in again.units.items():
        unit = units.pop(name)
        remove_unit_tree(project, folder, name, landing.taken[name].commit)
        add_restart_reason(project, Path(unit.brief), why, again.output)
        units[name] = unit._replace(base="", again=why)  # after all others, which it is made on
    round = landing.round._replace(head=landing.pull.head_oid, units=tuple(units.values()))
    reason = "; ".join(f"{name}: {why}" for name, why in again.units.items())
    return send_out(project, folder, round, "land/again", reason)


def _keep_summary(landing: LandContext, result: LandResult) -> RoundStep:
    """Keep the summary of a round, so that the call after one cut short here returns it, and return it."""
    project, folder = landing.project, landing.folder
    if not result.round.targeted and (readers := ask_readers(project, result.fetched.record, "land")):
        return readers
    answers = Answers(project, folder)
    answers.keep_decisions(result.decisions)
    if result.question:
        answers.ask(result.question)
    asked = result.question.key if result.question else ""
    landed = keep_summary(project, folder, result.kept(asked))
    save_round(project, folder, result.round)
    return _clear_away(project, folder, result.round, landed)


def _clear_away(project: Project, folder: Path, round: Round, landed: LandedRound) -> RoundStep:
    """Remove the trees and refs of a landed round; returns its summary with what stays, and keeps that."""
    step, taken = landed.step, load_unit_work(project, folder, round)
    stay = [
        remove_unit_tree(project, folder, unit.id, taken[unit.id].commit if unit.id in taken else "")
        for unit in round.units
    ]
    if step.action == NEXT_ACTION["complete"]:
        stay.append(remove_trees(project, owner_of(folder)))
    shutil.rmtree(empty_home(project, folder, round), ignore_errors=True)
    drop_refs(Git(project), refs_of(owner_of(folder)))
    step = step._replace(lines=(*step.lines, *(f"TREE {tree}" for tree in stay if tree)))
    keep_landed(project, folder, landed._replace(step=step, cleared=True))
    return step


def _repeat_summary(project: Project, folder: Path, round: Round) -> RoundStep | None:
    """Return the summary of the round that landed last, cleared away by now; None where it was answered."""
    landed = load_landed(project, folder)
    if landed is None:
        remedy = f"`baton pr fetch {folder.name}` says what is open now"
        raise BatonError("the summary of the last round is gone", str(folder / LANDED_FILE), remedy)
    summary = landed.step if landed.cleared else _clear_away(project, folder, round, landed)
    if summary.action != "ask":
        return summary
    question = Answers(project, folder).open
    if question is None or question.key == landed.asked:
        return question and summary
    return step_to_ask(question, round.number)
