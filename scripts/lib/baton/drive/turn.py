"""One call of `next`: steps taken under the locks, pauses made without them."""

import time

from baton.drive.advance import Asked, advance
from baton.drive.opened import opened
from baton.drive.step import Step
from baton.drive.word import shown_here
from baton.outside.git import Git
from baton.outside.worktrees import ignore_trees
from baton.story.places import Project, checked_id

# How long one call waits for what goes on by itself, in all.
WAIT_SECONDS = 90.0


def take_turn(project: Project, story_id: str, purpose: str, asked: Asked, seconds: float = WAIT_SECONDS) -> Step:
    """Take a story to its next outward step; `purpose` names this call to others who wait for the lock."""
    if not project.has_story(checked_id(story_id)):
        from baton.drive.take_up import take_up

        take_up(project, story_id)
    ignore_trees(Git(project))
    deadline = time.monotonic() + seconds
    rested = 0
    while True:
        with opened(project, story_id, purpose) as story:
            step = advance(story, asked, rested)
            if step.escalation and asked.session and asked.session not in story.state.shown:
                story.note(shown_here(asked.session))
            rested = story.journal.seq
        left = deadline - time.monotonic()
        if step.hold is None or left <= 0:
            return step
        if not step.hold(left):
            rested, deadline = 0, 0.0  # told once more, for how it stands now
