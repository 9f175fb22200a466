"""One call of `baton next`: take a story under its lock to what is to be done next; wait without the lock."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from baton.errors import BatonError
from baton.git.command import git_works
from baton.git.git_refusals import GitRefused, ask_twice
from baton.git.worktrees import ignore_trees
from baton.journal.events import Ended, OptionsSet
from baton.journal.paths import Project, validate_story_id
from baton.journal.run import STOPPED, Run
from baton.rules.budgets import count_starts
from baton.rules.engine import Decision, may_decide
from baton.rules.facts import InProgressFacts
from baton.rules.pages import table_of
from baton.story.ask.answer_source import note_shown
from baton.story.ask.question import ask_question
from baton.story.ask.step import Step, question_step
from baton.story.run.story_steps import complete_step, undone_by, waiting_step
from baton.story.session.open_story import open_story
from baton.story.session.session import StorySession, limit_of

# What follows a wait is imported where it is needed, the two doors too (delivery, memory): most calls only wait.
if TYPE_CHECKING:
    from baton.story.answer.notify import Notice

# Opens the story under its lock: again after each wait, as others may have taken it on.
Opened = Callable[[], AbstractContextManager[StorySession]]
# How long one call waits for what goes on by itself, in all.
WAIT_SECONDS = 90.0


class NextOptions(NamedTuple):
    """The options of a call of `next`: which run has ended, and the flags that are given."""

    ended: str = ""
    plan_only: bool = False
    max_iterations: int | None = None
    no_loop: bool = False
    session: str = ""  # of the client, in which a question would be shown
    stopped: bool = False  # the run that has ended was stopped by the user
    rest: bool = False  # no other run is begun
    because: str = ""  # why that run was stopped, if not by the user


def run_next(
    project: Project, story_id: str, purpose: str, options: NextOptions, seconds: float = WAIT_SECONDS
) -> Step:
    """Take a story to its next outward step; `purpose` names this call to others who wait for the lock."""
    carry_back = _bring_here(project, story_id)
    step = _take_on(partial(open_story, project, story_id, purpose, options.session), options, seconds)
    if carry_back:
        carry_back(project, story_id)
    return step


def _bring_here(project: Project, story_id: str) -> Callable[[Project, str], object] | None:
    """Have a story here that its remote or its branch carries; returns what takes it back to a remote, or None."""
    is_here = project.has_story(validate_story_id(story_id))
    if is_here and not project.may_travel(story_id):
        return None
    from baton.story.session.travel import fetch_state, push_state

    travels = fetch_state(project, story_id)
    if not (is_here or travels):
        from baton.story.begin.start import resume_from_branch

        resume_from_branch(project, story_id)
    return push_state if travels else None


def _take_on(opened: Opened, options: NextOptions, seconds: float) -> Step:
    """Take a story on until there is a step for the caller; what goes on by itself is waited for in between."""
    deadline = time.monotonic() + seconds
    paused_at_seq, warnings = 0, list[str]()
    while True:
        with opened() as story:
            step = _take_step(story, options, paused_at_seq)
            notice = _journal_notice(story, step)
            paused_at_seq = story.journal.seq
        if notice:
            notice.call()
        warnings += step.warnings  # also of a run that was judged before a wait
        left = deadline - time.monotonic()
        if step.hold is None or left <= 0:
            return step._replace(warnings=[*dict.fromkeys(warnings)])
        if not step.hold(left):
            paused_at_seq, deadline = 0, 0.0  # told once more, for how it stands now


def _take_step(story: StorySession, options: NextOptions, paused_at_seq: int) -> Step:
    """Take a story to its next step, with all that belongs to it: one line for each, in this order."""
    before = story.state.asked_seq
    ignore_trees(story.git)
    step = _advance(story, options, paused_at_seq)
    step = _hear_github(story, step, before)
    step = _land_memory(story, step)
    if step.question:
        note_shown(story, options.session)
    return step


def _land_memory(story: StorySession, step: Step) -> Step:
    """Have what a story taught written where the user accepted it, and tell what waits."""
    has_delta = story.folder.artifact("memory-delta").exists()
    if step.action != "complete" or not (has_delta or story.settings().config.triage == "draft"):
        return step
    from baton.memory.land_memory import after_story

    return after_story(story, step)


def _journal_notice(story: StorySession, step: Step) -> "Notice | None":
    """Journal, and return, the call that tells the user of this step, where one is configured and due."""
    if step.action == "wait" or not story.settings().config.notify:
        return None
    from baton.story.answer.notify import journal_notice

    return journal_notice(story, step.reason)


def _advance(story: StorySession, options: NextOptions, paused_at_seq: int) -> Step:
    """Take a story on; where git refuses that twice, though it works, the user is asked."""
    try:
        return ask_twice(lambda: _advance_once(story, options, paused_at_seq))
    except GitRefused as refused:
        stage = story.state.stage
        if stage not in ("running", "ready") or not git_works(story.project.root):
            raise
        decision = _decide_in_progress(story, NextOptions(), refused)
        assert decision is not None
        ask_question(story, decision, story.state.phase, str(story.folder.path))
        return question_step(story)


def _advance_once(story: StorySession, options: NextOptions, paused_at_seq: int) -> Step:
    """Take a story to its next outward step; called again without anything having changed, it says the same.

    `paused_at_seq` is the length the journal had when the pause began that a step asked for, 0 without one.
    """
    decision = _decide_in_progress(story, options)
    if not decision or decision.action in ("wait", "ask"):
        _set_options(story, options)
    if decision:
        return _step_in_progress(story, decision)
    # What follows needs most of the program, and what is asked most often is about a run that is running.
    from baton.story.stages import advance_until_step

    return advance_until_step(story, paused_at_seq, rests=options.stopped or options.rest)


def _hear_github(story: StorySession, step: Step, before: int) -> Step:
    """Have GitHub settle a question where it can; go on with the answer, which becomes a warning of the step.

    Only of a question that was open `before` is it asked whether its cause is gone: a new one was just looked at.
    """
    warnings = list[str]()
    while step.question and (story.settings().config.ask_on == "github" or _may_be_gone(story, before)):
        from baton.delivery.look_again import hear_github

        heard = hear_github(story, looks=_may_be_gone(story, before))
        if not heard.taken:
            step = question_step(story)._replace(warnings=[heard.warning] if heard.warning else [])
            break
        if story.state.stage == "abandoned":
            step = Step(story.id, story.state.phase, "complete", step.rule, heard.taken)
            break
        warnings += filter(None, heard)
        step = _advance(story, NextOptions(), 0)
    return step._replace(warnings=[*warnings, *step.warnings])


def _may_be_gone(story: StorySession, before: int) -> bool:
    question = story.state.question
    if question is None or story.state.asked_seq != before:
        return False
    from baton.rules.all_tables import closing_rows

    return question.rule in closing_rows()


def _set_options(story: StorySession, options: NextOptions) -> None:
    """Journal the options; a flag holds until given again, `--no-loop` until `--max-iterations` is given."""
    flags = story.state.flags
    wanted = OptionsSet(
        plan_only=options.plan_only or flags.plan_only,
        max_iterations=options.max_iterations or flags.max_iterations,
        no_loop=options.no_loop or (flags.no_loop and options.max_iterations is None),
    )
    if wanted != flags:
        story.note(wanted)


def _decide_in_progress(
    story: StorySession, options: NextOptions, refused: GitRefused | None = None
) -> Decision | None:
    state, ended, stopped = story.state, options.ended, options.stopped
    named = state.find_run(ended) if ended else None
    run = state.run if state.stage == "running" else None
    if run and named is run and (stopped or not run.has_ended):
        story.note(Ended(run.id, STOPPED if stopped else "caller", why=options.because))
        run = story.state.run
    starts = count_starts(run.id, state.events) if run else 0
    undone = undone_by(story)
    facts = InProgressFacts(
        stage=state.stage,
        undone=bool(undone),
        git_refuses=refused is not None,
        ended_run="none" if not ended else "known" if named else "unknown",
        run_ended=bool(run and (run.has_ended or run.judged)),
        restarts_used_up=starts > 1 and starts >= limit_of(story, "restarts"),
    )
    values = {
        "ended": ended,
        "undone": undone[:12],
        "refused": f"{refused.what} at {refused.where}: {refused.fix}" if refused else "",
        "out": f"{run.id} is running" if run else "no run is active",
        "run": run.id if run else "",
        "starts": starts,
        "seen": _describe_start(run) if run else "",
    }
    return may_decide(table_of("in-progress"), facts, values)


def _describe_start(run: Run) -> str:
    if not run.starts:
        return f"started at {run.time}; the client has not reported its start"
    time, start = run.starts[-1]
    return f"its start was seen at {time} in client session {start.client_session or 'unknown'}"


def _step_in_progress(story: StorySession, decision: Decision) -> Step:
    if decision.action == "refuse":
        remedies = {
            "in-progress/unknown-run": f"`baton timeline {story.id}` shows its runs",
            "in-progress/abandoned": f"start it anew with `baton story new --from {story.folder.relative}`",
        }
        raise BatonError(decision.reason, f"story {story.id}", remedies[decision.rule])
    state, run = story.state, story.state.run
    if decision.rule == "in-progress/restarts" and run:
        ask_question(story, decision, run.phase, story.folder.relative)
    if decision.rule == "in-progress/undone" and state.completed:
        ask_question(story, decision, state.phase, state.completed.report, about=undone_by(story))
    if decision.rule == "in-progress/wait":
        return waiting_step(story, decision)
    return complete_step(story) if decision.action == "complete" else question_step(story)
