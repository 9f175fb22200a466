"""One call of `next`: the story taken to its next outward step under its lock, pauses made without it."""

import time
from typing import NamedTuple

from baton.errors import BatonError
from baton.git.command import Git
from baton.git.worktrees import ignore_trees
from baton.journal.events import Ended, OptionsSet
from baton.journal.paths import Project, checked_id
from baton.journal.run import Run
from baton.rules.budgets import allowed, starts
from baton.rules.engine import Decision, decide
from baton.rules.facts import InProgressFacts
from baton.rules.tables import IN_PROGRESS
from baton.story.answer_source import shown_here
from baton.story.question import stop
from baton.story.session import StorySession, opened
from baton.story.step import Step, complete_step, question_step, waiting_step

# How long one call waits for what goes on by itself, in all.
WAIT_SECONDS = 90.0


class Asked(NamedTuple):
    """What the caller of `next` says: which run has ended, and the flags that are given."""

    ended: str = ""
    plan_only: bool = False
    max_iterations: int | None = None
    no_loop: bool = False
    session: str = ""  # of the client, in which a question would be shown


def take_turn(project: Project, story_id: str, purpose: str, asked: Asked, seconds: float = WAIT_SECONDS) -> Step:
    """Take a story to its next outward step; `purpose` names this call to others who wait for the lock."""
    if not project.has_story(checked_id(story_id)):
        from baton.story.start import take_up

        take_up(project, story_id)
    ignore_trees(Git(project))
    deadline = time.monotonic() + seconds
    rested = 0
    while True:
        with opened(project, story_id, purpose) as story:
            step = advance(story, asked, rested)
            if step.question and asked.session and asked.session not in story.state.shown:
                story.note(shown_here(asked.session))
            rested = story.journal.seq
        left = deadline - time.monotonic()
        if step.hold is None or left <= 0:
            return step
        if not step.hold(left):
            rested, deadline = 0, 0.0  # told once more, for how it stands now


def advance(story: StorySession, asked: Asked, rested: int = 0) -> Step:
    """Take a story to its next outward step; called again without anything having changed, it says the same.

    `rested` is the length the journal had when the pause ended that a step asked for, 0 when none was made.
    """
    decision = _under_way(story, asked.ended)
    if not decision or decision.action in ("wait", "ask"):
        _take_flags(story, asked)
    if decision:
        return _answer_under_way(story, decision)
    # What follows needs most of the program, and what is asked most often is about a run that is out.
    from baton.story.stages import go_on

    return go_on(story, rested)


def _take_flags(story: StorySession, asked: Asked) -> None:
    """Journal what was given; a flag holds until given again, `--no-loop` until `--max-iterations` is given."""
    flags = story.state.flags
    wanted = OptionsSet(
        plan_only=asked.plan_only or flags.plan_only,
        max_iterations=asked.max_iterations or flags.max_iterations,
        no_loop=asked.no_loop or (flags.no_loop and asked.max_iterations is None),
    )
    if wanted != flags:
        story.note(wanted)


def _under_way(story: StorySession, ended: str) -> Decision | None:
    state = story.state
    named = state.find_run(ended) if ended else None
    run = state.run if state.stage == "running" else None
    if run and named is run and not run.has_ended:
        story.note(Ended(run.id, "caller"))
        run = story.state.run
    seen = starts(run.id, state.events) if run else 0
    facts = InProgressFacts(
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
    return decide(IN_PROGRESS, facts, told)


def _seen(run: Run) -> str:
    if not run.starts:
        return f"sent out at {run.time}, no start of it has been seen"
    time, start = run.starts[-1]
    return f"its start was seen at {time} in client session {start.client_session or 'unknown'}"


def _answer_under_way(story: StorySession, decision: Decision) -> Step:
    if decision.action == "refuse":
        remedies = {
            "in-progress/unknown-run": f"`baton timeline {story.id}` shows its runs",
            "in-progress/abandoned": _anew(story),
        }
        raise BatonError(decision.reason, f"story {story.id}", remedies[decision.rule])
    if decision.rule == "in-progress/restarts":
        run = story.state.run
        assert run is not None
        stop(story, decision, run.phase, story.folder.relative, [])
    if decision.rule == "in-progress/wait":
        return waiting_step(story, decision)
    return complete_step(story) if decision.action == "complete" else question_step(story)


def _anew(story: StorySession) -> str:
    """Say how a person makes a new story of an abandoned one."""
    return f"a person starts it anew with `baton story new --from {story.folder.relative}`"
