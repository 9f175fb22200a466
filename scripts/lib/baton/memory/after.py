"""What follows the end of a story: what was accepted lands, and what waits is told."""

from baton.errors import BatonError
from baton.memory.draft import draft_once, keep_section
from baton.memory.land import land_accepted
from baton.story.memory import delta_line, delta_stands
from baton.story.session import StorySession
from baton.story.step import Step


def after_story(story: StorySession, step: Step) -> Step:
    """Return the last step of a story with what became of its memory delta; nothing of that holds it up."""
    try:
        said = [f"memory: {one}" for one in land_accepted(story)]
    except BatonError as error:
        said = [f"memory: {error}"]
    hold = draft_once(story)
    if hold:
        said.append(f"memory: it is being drafted; `baton memory triage {story.id}` shows the draft")
    keep_section(story)
    line = delta_line(delta_stands(story.folder, story.state), story.id)
    return step._replace(warnings=[*step.warnings, *said, *([line] if line else [])], hold=hold)
