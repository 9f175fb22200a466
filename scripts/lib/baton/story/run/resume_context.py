"""Find where an implementation run takes up the work."""

import os
from pathlib import Path
from typing import NamedTuple

from baton.artifacts.document import read_document
from baton.artifacts.metadata import read_metadata
from baton.artifacts.plan import Plan, read_plan
from baton.errors import BatonError
from baton.journal.paths import is_inside
from baton.journal.run import ROLES, Run
from baton.story.ask.question import accumulated_errors
from baton.story.session.session import StorySession
from baton.story.session.story_files import is_metadata, text_of, tree_plan


class Resume(NamedTuple):
    """The place where an implementation run takes up the work: its phase, and the newest handoff."""

    resume_phase: str | None
    handoff_path: str | None
    iteration: int
    session_id: str
    plan_path: str
    errors: list[str]


def plan_of(story: StorySession) -> Plan:
    """Read the plan; one without phases when it is not there."""
    return read_plan(text_of(story, "plan"))


def next_run(story: StorySession, role: str) -> tuple[str, int]:
    """Return the id that the next run of a role will have, and its number."""
    number = story.state.count(role) + 1
    return f"{story.state.created.session}_{ROLES[role].suffix}{number}", number


def resume_context(story: StorySession, run_id: str, iteration: int) -> Resume:
    """Say where an implementation run takes up the work: by the plan's marks, and the newest handoff."""
    phase = plan_of(story).first_open
    return Resume(
        resume_phase=phase.id if phase else None,
        handoff_path=_handoff(story),
        iteration=iteration,
        session_id=run_id,
        plan_path=story.folder.relative_to_root(story.folder.artifact("plan")),
        errors=accumulated_errors(story),
    )


def place_of(story: StorySession, run: Run, kind: str, root: Path) -> Path:
    """Return where an artifact of a run lies; a handoff is named for the next phase of the plan below `root`."""
    if kind != "handoff":
        return story.folder.artifact(kind)
    # The run's own time: handed in again, after a crash or a correction, a handoff replaces itself.
    stamp = run.time.replace("-", "").replace(":", "")
    plan = read_plan(tree_plan(story, root) or text_of(story, "plan"))
    phase = plan.first_open or (plan.phases[-1] if plan.phases else None)
    return story.folder.path / "handoffs" / f"phase-{phase.id if phase else 0}-handoff-{stamp}.md"


def resume_from_files(start: Path, name: str) -> Resume:
    """Return where work takes up by a plan alone, and the newest of the handoffs that lie beside it."""
    plan = read_plan(read_document(start / name))
    if not plan.phases:
        raise BatonError("no phase in it", name, "name an execution plan; `baton validate plan FILE` checks one")
    notes = sorted((start / name).parent.glob("handoffs/*.md"), key=lambda note: note.stem.rpartition("-")[2])
    handoff = os.path.relpath(notes[-1], start) if notes else None
    return Resume(plan.first_open.id if plan.first_open else None, handoff, 1, "", name, [])


def _handoff(story: StorySession) -> str | None:
    """Return the handoff of the last implementation run that left one, unless a later one said how it ended."""
    for run in reversed(story.state.runs):
        if run.role == "planner":
            return None
        if run.role != "implementer" or not run.judged:
            continue
        named = _named_handoff(story, run)
        if named and is_inside(story.folder.root, named):
            return named
        if run.has_reported:
            return None
    return None


def _named_handoff(story: StorySession, run: Run) -> str:
    if "handoff" in run.handed_in:
        return run.handed_in["handoff"].path
    filed = story.folder.history(run.id) / story.folder.artifact("return-meta").name
    text = read_document(filed) if filed.exists() else ""
    return read_metadata(text).handoff_path if is_metadata(story, text) else ""
