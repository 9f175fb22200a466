"""The answers that tell where a story stands and change nothing."""

import os
from shlex import quote

from baton.journal.events import EffectDone
from baton.journal.run import Run
from baton.journal.state import Pending
from baton.rules.budgets import allowed
from baton.rules.engine import Decision
from baton.story.session import StorySession
from baton.story.step import Resume, Step


def spawn_step(story: StorySession, run: Run, pending: Pending | None) -> Step:
    """The answer that sends a run out, or repeats how to."""
    sent = run.dispatched
    brief = str(story.folder.brief(run.id))
    return Step(
        story=story.id,
        phase=run.phase,
        action="spawn",
        rule=sent.rule,
        guard=sent.guard,
        reason=sent.reason,
        run=run.id,
        agent=f"baton:{run.role}",
        brief=brief,
        prompt=f"Run {run.id} of story {story.id}: first call `baton begin {run.id}`, then do what it prints.",
        iteration=sent.iteration or None,
        max_iterations=allowed("iterations", story.limit("iterations"), story.state.events),
        attempt=sent.attempt,
        model=story.config.models.get(run.role),
        resume=_resume(story, run) if run.role == "implementer" else None,
        warnings=list(pending.warnings) if pending else [],
    )


def _resume(story: StorySession, run: Run) -> Resume:
    from baton.story.resume_context import (
        resume_context,  # it reads a plan and metadata, and no other role's answer does
    )

    return resume_context(story, run.id, run.dispatched.iteration)


def waiting_step(story: StorySession, decision: Decision) -> Step:
    """Say that a run is out, and how to send it out again or give it up."""
    run = story.state.run
    assert run is not None
    return spawn_step(story, run, None)._replace(
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


def question_step(story: StorySession) -> Step:
    """Give the open question."""
    question = story.state.question
    assert question is not None
    return Step(
        story=story.id,
        phase=story.state.phase,
        action=question.action,
        rule=question.rule,
        reason=question.reason,
        question=question.text,
    )


def complete_step(story: StorySession) -> Step:
    """Say how the story was completed."""
    completed = story.state.completed
    assert completed is not None
    short = completed.commit[:12]
    reverts = (one.commit for one in story.state.events if isinstance(one, EffectDone) and one.effect == "revert")
    undone = "".join(f", and undone by {commit[:12]}" for commit in reverts if commit)
    merged, ready = (
        f"merged into {story.base} as {short}",
        f"`{merge_command(story)}` merges it, checked at {short}",
    )
    return Step(
        story=story.id,
        phase="integration",
        action="complete",
        rule=completed.rule,
        reason=(ready if completed.rule == "integrate/branch" else merged) + undone,
        report=completed.report,
    )


def merge_command(story: StorySession) -> str:
    """Give the command that merges a story branch that is ready."""
    started = story.state.started
    assert started is not None
    return f"git switch {quote(story.base)} && git merge --no-ff {quote(started.branch)}"
