"""What follows the end of a story: what was accepted is written, and what waits is told."""

from baton.errors import BatonError
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
    waits = waiting_line(count_waiting(story.folder, story.state), story.id)
    return step._replace(warnings=[*step.warnings, *said, *([waits] if waits else [])])
