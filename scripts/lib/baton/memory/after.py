"""What follows the end of a story: what was accepted is written, and what waits is told."""

from baton.errors import BatonError
from baton.memory.draft import draft_triage, keep_section
from baton.memory.write import write_accepted
from baton.story.memory import count_waiting, waiting_line
from baton.story.session import StorySession
from baton.story.step import Step


def after_story(story: StorySession, step: Step) -> Step:
    """Return the last step of a story with what became of its memory delta; nothing of that holds it up."""
    try:
        said = [f"memory: {one}" for one in write_accepted(story)]
    except BatonError as error:
        said = [f"memory: {error}"]
    hold = draft_triage(story) if story.config.triage == "draft" else None
    keep_section(story)
    if hold:
        said.append(f"memory: its triage is being drafted; `baton memory triage {story.id}` shows the draft")
    waits = waiting_line(count_waiting(story.folder, story.state), story.id)
    return step._replace(warnings=[*step.warnings, *said, *([waits] if waits else [])], hold=hold)
