"""One call of `next`: steps taken under the locks, pauses made without them."""

import time

from baton.git.command import Git
from baton.git.worktrees import ignore_trees
from baton.journal.paths import Project, checked_id
from baton.story.advance import Asked, advance
from baton.story.answer_source import shown_here
from baton.story.session import opened
from baton.story.step import Step

# How long one call waits for what goes on by itself, in all.
WAIT_SECONDS = 90.0


def take_turn(project: Project, story_id: str, purpose: str, asked: Asked, seconds: float = WAIT_SECONDS) -> Step:
    """Take a story to its next outward step; `purpose` names this call to others who wait for the lock."""
    if not project.has_story(checked_id(story_id)):
        from baton.story.resume_from_branch import take_up

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
