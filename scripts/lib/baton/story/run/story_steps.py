"""Tell where a story stands, as a step: a run is sent out, is running or rests; the story is complete."""

from shlex import quote
from typing import Any

from baton.git.history import brought_back
from baton.journal.run import Run
from baton.journal.state import NextAction
from baton.rules.budgets import attempts_allowed
from baton.rules.engine import Decision
from baton.story.ask.answer_source import session_here
from baton.story.ask.question import answer_to
from baton.story.ask.step import Step
from baton.story.run.progress import RESTS, run_label, trees_left
from baton.story.session.session import StorySession, limit_of


def spawn_step(story: StorySession, run: Run, pending: NextAction | None) -> Step:
    """Return the step that sends a run out, or repeats how to."""
    sent = run.dispatched
    brief = str(story.folder.brief(run.id))
    return Step(
        story=story.id,
        phase=run.phase,
        action="spawn",
        rule=sent.rule,
        guard=sent.guard,
        reason=sent.reason,
        label=run_label(story.state, run),
        run=run.id,
        agent=f"baton:{run.role}",
        brief=brief,
        prompt=f"Run {run.id} of story {story.id}: first call `baton begin {run.id}`, then do what it prints.",
        iteration=sent.iteration or None,
        attempt=sent.attempt,
        model=sent.model or None,
        warnings=list(pending.warnings) if pending else [],
        more=lambda: _more_of(story, run),
    )


def _more_of(story: StorySession, run: Run) -> dict[str, Any]:
    """Return what needs the settings, the plan and metadata: most calls of `next` only wait, and need none."""
    allowed = attempts_allowed("iterations", limit_of(story, "iterations"), story.state.events)
    if run.role != "implementer":
        return {"max_iterations": allowed}
    from baton.story.run.resume_context import resume_context  # a run that is out is only waited for

    resume = resume_context(story, run.id, run.dispatched.iteration)
    return {"max_iterations": allowed, "resume": resume._asdict()}


def waiting_step(story: StorySession, decision: Decision) -> Step:
    """Say that a run is running, and how to send it out again or give it up."""
    run = story.state.run
    assert run is not None
    return spawn_step(story, run, None)._replace(
        action="wait",
        rule=decision.rule,
        guard=None,
        reason=decision.reason,
        start_seen=bool(run.starts),
        started_elsewhere=_started_elsewhere(run),
        started_as=run.starts[-1][1].agent if run.starts else None,
    )


def resting_step(story: StorySession, pending: NextAction) -> Step:
    """Say that a story rests since its run was stopped, and how it goes on."""
    return Step(
        story=story.id,
        phase=story.state.phase,
        action="wait",
        rule=pending.rule,
        reason=f"{pending.reason}; {RESTS}: `/implement {story.id}`",
    )


def _started_elsewhere(run: Run) -> bool:
    """Whether the run's last start was seen in another session of the client than the one that asks."""
    session = session_here()
    start_session = run.starts[-1][1].client_session if run.starts else ""
    return bool(session and start_session) and session != start_session


def undone_by(story: StorySession) -> str:
    """Return the commit that reverts the merge of a complete story while you have not said what becomes of it."""
    undone = story.state.undone if story.state.stage == "complete" else []
    stands = undone and answer_to(story, undone[-1]) != "leave" and not brought_back(story.git, *undone)
    return undone[-1] if stands else ""


def complete_step(story: StorySession) -> Step:
    """Say how the story was completed."""
    completed = story.state.completed
    assert completed is not None
    short = completed.commit[:12]
    undone = "".join(f", and undone by {commit[:12]}" for commit in story.state.undone[1:])
    opened = story.state.checked[-1].reason if story.state.checked else ""
    merged, ready = (
        f"merged into {story.settings().base} as {short}",
        f"`{merge_command(story)}` merges it, checked at {short}",
    )
    return Step(
        story=story.id,
        phase="integration",
        action="complete",
        rule=completed.rule,
        reason={"integrate/branch": ready, "integrate/pr": opened}.get(completed.rule, merged) + undone,
        report=completed.report,
        warnings=[*completed.told, *trees_left(story.state)],
    )


def merge_command(story: StorySession) -> str:
    """Return the command that merges a story branch that is ready."""
    started = story.state.started
    assert started is not None
    return f"git switch {quote(story.settings().base)} && git merge --no-ff {quote(started.branch)}"
