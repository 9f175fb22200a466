"""The turn to be merged: one story at a time has it, so that each is checked once, on the base it meets."""

import time
from pathlib import Path

from baton.checks.check_tree import trees_folder
from baton.journal.atomic_file import write_durably
from baton.journal.lock import hold_lock
from baton.journal.repository import read_stories
from baton.story.ask.step import Step, decided_step
from baton.story.integrate.integration_steps import CHECK_SECONDS, decide_step
from baton.story.session.session import StorySession

# A story keeps its turn by calls that come at least so often; one that nobody goes on with holds up no other.
KEPT_SECONDS = CHECK_SECONDS + 30
LOOK_SECONDS = 0.5


def await_turn(story: StorySession) -> Step | None:
    """Take the turn to be merged, or keep it; returns the step that waits for the story that has it."""
    path = _place(story)
    with hold_lock(path.with_suffix(".lock"), f"baton next {story.id}"):
        holder = _holder(story)
        if not holder:
            write_durably(path, story.id, story.project.common)
            return None
    step = decided_step(story, decide_step(story, "merge/turn", holder), "integration")
    return step._replace(seconds=CHECK_SECONDS, hold=lambda seconds: _wait(story, seconds))


def _place(story: StorySession) -> Path:
    return trees_folder(story.project.common) / "merging.id"


def _holder(story: StorySession) -> str:
    """Return the other story whose turn it is; empty when it is nobody's."""
    try:
        name, since = _place(story).read_text(encoding="utf-8"), _place(story).stat().st_mtime
    except (OSError, ValueError):
        return ""
    if name == story.id or time.time() - since > KEPT_SECONDS:
        return ""
    pending = next((state.pending for state in read_stories(story.project, [name]).states), None)
    return name if pending and pending.then == "integrate" else ""


def _wait(story: StorySession, seconds: float) -> bool:
    """Wait until the turn is free; returns whether it is."""
    deadline = time.monotonic() + seconds
    while (held := _holder(story)) and time.monotonic() < deadline:
        time.sleep(LOOK_SECONDS)
    return not held
