"""Send a run out: branch checked out, old artefacts filed away, brief written, journalled."""

import math
import time

from baton.decide.budgets import allowed, made_without_loop, used
from baton.decide.engine import Decision, decide
from baton.decide.facts import GuardFacts
from baton.decide.streaks import backoff, laps, repeats
from baton.decide.tables import GUARD
from baton.drive.brief import write_brief
from baton.drive.checking import begin_baseline
from baton.drive.gate import file_away, keep_out_of_git
from baton.drive.opened import OpenStory
from baton.drive.package import stop
from baton.drive.start import check_out, commands_confirmed
from baton.drive.step import Step
from baton.drive.tell import spawn_step
from baton.story.events import Dispatched
from baton.story.roles import MENDS_DELTA, ROLES
from baton.story.run import Run
from baton.story.state import Pending


def dispatch(story: OpenStory, pending: Pending, rested: bool) -> Step | None:
    """Spawn the role that is due unless the guard asks; None when it does (a package is then open).

    Where a pause is due and was not made, gives the step that waits for it.
    """
    guard, seconds = _guard(story, pending)
    if guard.action == "ask":
        plan = story.folder.relative_to_root(story.folder.artefact("plan"))
        stop(story, guard, ROLES[pending.then].phase, plan, list(pending.findings))
        return None
    if guard.rule == "guard/backoff" and not rested:
        return _pause(story, guard, seconds)
    left = check_out(story)
    run = _send_out(story, pending, guard.rule)
    step = spawn_step(story, run, pending)
    warnings = [*step.warnings, *_branch_notice(story, left)]
    if len(story.state.runs) == 1 and commands_confirmed(story) and (problem := begin_baseline(story)):
        warnings.append(problem)
    return step._replace(warnings=warnings)


def _pause(story: OpenStory, guard: Decision, seconds: float) -> Step:
    def hold(at_most: float) -> bool:
        time.sleep(min(seconds, at_most))
        return seconds <= at_most

    return Step(
        story=story.id,
        phase=story.state.phase,
        action="wait",
        rule=guard.rule,
        reason=guard.reason,
        seconds=math.ceil(seconds),
        hold=hold,
    )


def _guard(story: OpenStory, pending: Pending) -> tuple[Decision, float]:
    """Decide what stands in the way of the next run; gives the seconds to wait before it, too."""
    events = story.state.events
    made, most = used("iterations", events), allowed("iterations", story.limit("iterations"), events)
    seconds = backoff(laps(events), story.config.backoff_s)
    facts = GuardFacts(
        role=pending.then,  # type: ignore[arg-type]
        over_budget=False,  # nothing measures what a story costs yet
        iterations_used_up=made >= most or made_without_loop(events),
        same_error_again=repeats(laps(events)) > 1,
    )
    told = {"iterations": made, "gained": _gained(story), "due": pending.reason, "seconds": seconds}
    guard = decide(GUARD, facts, told)
    assert guard is not None
    return guard, seconds


def _send_out(story: OpenStory, pending: Pending, guard: str) -> Run:
    """File away what earlier runs left, write the brief, journal the run; gives it."""
    role = pending.then
    events = story.state.events
    keep_out_of_git(story.folder, story.config.artefacts)
    if pending.rule not in MENDS_DELTA:
        file_away(story.folder, ROLES[role].filed, story.state)
    number = story.state.count(role) + 1
    run_id = f"{story.state.created.session}_{ROLES[role].suffix}{number}"
    write_brief(story, pending, run_id, number)
    story.note(
        Dispatched(
            run=run_id,
            role=role,
            iteration=number if role == "implementer" else story.state.count("implementer"),
            attempt=used(pending.debits, events) + 1 if pending.debits else 1,
            head=story.git.commit_of("HEAD"),
            rule=pending.rule,
            guard=guard,
            reason=pending.reason,
        )
    )
    run = story.state.run
    assert run is not None
    return run


def _branch_notice(story: OpenStory, left: str) -> list[str]:
    """Say that another branch is checked out now, and which one comes back."""
    started = story.state.started
    if not left or started is None:
        return []
    return [
        f"{started.branch} is checked out here while the story runs; {started.left_branch} comes back at its end"
    ]


def _gained(story: OpenStory) -> str:
    judged = [run.judged for run in story.state.runs if run.role == "implementer" and run.judged]
    if not judged:
        return "none has ended"
    before, last = judged[-2:][0], judged[-1]
    reached = f"{last.closed} of {last.total} phases are closed"
    return reached if len(judged) < 2 else f"{reached}, {before.closed} before the last run"
