"""What to do next: the one step of a story, and the loop that leads to it."""

import os
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from baton.decide.budgets import allowed, starts
from baton.decide.engine import Decision, decide
from baton.decide.facts import UnderWayFacts
from baton.decide.tables import UNDER_WAY
from baton.drive.dispatch import dispatch, spawn_step
from baton.drive.gate import commit_run, conclude
from baton.drive.integrate import integrate
from baton.drive.judge import judge
from baton.drive.opened import OpenStory
from baton.drive.package import stop
from baton.drive.start import check_place, start
from baton.drive.step import Step
from baton.errors import BatonError
from baton.story.events import Ended, Flagged
from baton.story.run import Run


class Asked(NamedTuple):
    """What the caller of `next` says: which run has ended, and the flags that are given."""

    ended: str = ""
    plan_only: bool = False
    max_iterations: int | None = None
    no_loop: bool = False


def advance(story: OpenStory, asked: Asked, rested: int = 0) -> Step:
    """Take a story to its next outward step; called again without anything having changed, it says the same.

    `rested` is the length the journal had when the pause ended that a step asked for, 0 when none was made.
    """
    decision = _under_way(story, asked.ended)
    if not decision or decision.action in ("wait", "ask"):
        _take_flags(story, asked)
    if decision:
        return _answer_under_way(story, decision)
    while True:
        run = story.state.run
        if run and not run.filed and (run.judged or story.state.stage == "decided"):  # decided: it was given up
            check_place(story)
            conclude(story, run, commit_run(story, run, None))
        step = STAGES[story.state.stage](story, rested == len(story.journal.records))
        if step is not None:
            return step


def _take_flags(story: OpenStory, asked: Asked) -> None:
    """Journal what was given; a flag holds until given again, `--no-loop` until `--max-iterations` is given."""
    flags = story.state.flags
    wanted = Flagged(
        plan_only=asked.plan_only or flags.plan_only,
        max_iterations=asked.max_iterations or flags.max_iterations,
        no_loop=asked.no_loop or (flags.no_loop and asked.max_iterations is None),
    )
    if wanted != flags:
        story.note(wanted)


def _under_way(story: OpenStory, ended: str) -> Decision | None:
    state = story.state
    named = state.find_run(ended) if ended else None
    run = state.run if state.stage == "out" else None
    if run and named is run and not run.has_ended:
        story.note(Ended(run.id, "caller"))
        run = story.state.run
    seen = starts(run.id, state.events) if run else 0
    facts = UnderWayFacts(
        stage=state.stage,
        ended_run="none" if not ended else "known" if named else "unknown",
        run_ended=bool(run and (run.has_ended or run.judged)),
        restarts_used_up=bool(run) and seen >= allowed("restarts", story.limit("restarts"), state.events),
    )
    told = {
        "ended": ended,
        "out": f"{run.id} is out" if run else "no run is out",
        "run": run.id if run else "",
        "starts": seen,
        "seen": _seen(run) if run else "",
    }
    return decide(UNDER_WAY, facts, told)


def _seen(run: Run) -> str:
    if not run.starts:
        return f"sent out at {run.time}, no start of it has been seen"
    time, start = run.starts[-1]
    return f"its start was seen at {time} in client session {start.client_session or 'unknown'}"


def _answer_under_way(story: OpenStory, decision: Decision) -> Step:
    if decision.action == "refuse":
        remedies = {
            "under-way/unknown-run": f"`baton timeline {story.id}` shows its runs",
            "under-way/abandoned": _anew(story),
        }
        raise BatonError(decision.reason, f"story {story.id}", remedies[decision.rule])
    if decision.rule == "under-way/restarts":
        run = story.state.run
        assert run is not None
        stop(story, decision, run.phase, story.folder.relative, [])
    if decision.rule == "under-way/wait":
        return waiting_step(story, decision)
    step = STAGES[story.state.stage](story, False)
    assert step is not None
    return step


def _anew(story: OpenStory) -> str:
    """Say how a person makes a new story of an abandoned one."""
    return f"a person starts it anew with `baton story new --from {story.folder.relative}`"


def waiting_step(story: OpenStory, decision: Decision) -> Step:
    """Say that a run is out, and how to send it out again or give it up."""
    run = story.state.run
    assert run is not None
    return replace(
        spawn_step(story, run, None),
        action="wait",
        rule=decision.rule,
        guard=None,
        reason=decision.reason,
        start_seen=bool(run.starts),
        started_elsewhere=_started_elsewhere(run),
    )


def _started_elsewhere(run: Run) -> bool:
    """Whether the run's last start was seen in another session of the client than the one that asks."""
    here = os.environ.get("CLAUDE_CODE_SESSION_ID", "")
    there = run.starts[-1][1].client_session if run.starts else ""
    return bool(here and there) and here != there


def _new(story: OpenStory, _: bool) -> Step | None:
    start(story)
    return None


def _out(story: OpenStory, _: bool) -> Step | None:
    run = story.state.run
    assert run is not None
    check_place(story)
    judged = judge(story, run)
    made = commit_run(story, run, judged)
    # What a hook says of the work is judged with it. A commit whose judgement a crash lost is found made.
    story.note(judge(story, run, made.refused) if made.refused else judged)
    conclude(story, run, made)
    return None


def _decided(story: OpenStory, rested: bool) -> Step | None:
    pending = story.state.pending
    assert pending is not None
    if pending.then == "integrate":
        return integrate(story)
    return dispatch(story, pending, rested)


def _question(story: OpenStory, _: bool) -> Step | None:
    package = story.state.package
    assert package is not None
    return Step(
        story=story.id,
        phase=story.state.phase,
        action=package.action,
        rule=package.rule,
        reason=package.reason,
        escalation=package.text,
    )


def _complete(story: OpenStory, _: bool) -> Step | None:
    completed = story.state.completed
    assert completed is not None
    return Step(
        story=story.id,
        phase="integration",
        action="complete",
        rule=completed.rule,
        reason=f"merged into {story.base} as {completed.commit[:12]}",
        report=completed.report,
    )


STAGES: dict[str, Callable[[OpenStory, bool], Step | None]] = {
    "new": _new,
    "out": _out,
    "decided": _decided,
    "question": _question,
    "complete": _complete,
}
