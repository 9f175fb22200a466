"""The issue a story was made of, once its text has changed: what is asked about that, and what is taken of it."""

from typing import NamedTuple

from baton.errors import BatonError
from baton.story.question import answer_to
from baton.story.session import StorySession
from baton.story.story_files import accept_text, kept_as_accepted

QUESTION = "Should the story be what its issue says now (accept), or stay as it is (restore)?"


class IssueChange(NamedTuple):
    """What became of a story's issue since it was read: all of it empty where nothing did.

    `trouble` is why it is no open issue, or was not read. Where its text changed, `hash` is of that as it is now,
    `quote` the difference, and `text` the story.md that would be made of it.
    """

    trouble: str = ""
    reason: str = ""
    hash: str = ""
    quote: str = ""
    text: str = ""


def was_settled(story: StorySession, digest: str) -> bool:
    """Whether the user has said that the story stays as it is beside this text of its issue."""
    return answer_to(story, _about(digest)) == "restore"


def keep_change(story: StorySession, change: IssueChange) -> dict[str, str]:
    """Keep the story that a changed issue would make, to be accepted; returns what the question says of it."""
    path = story.project.state / story.id / "issue.md"
    digest = accept_text(story, path, change.text)
    shown = {"artifact": str(path), "quote": change.quote, "question": QUESTION}
    return {**shown, "about": _about(change.hash), "text": digest}


def take_change(story: StorySession, digest: str) -> None:
    """Put the story that was kept by its hash in the place of story.md, as when the user had written it."""
    from baton.story.edit import edit_story

    text = kept_as_accepted(story, digest, story.folder.artifact("story")).decode()
    if found := edit_story(story, "story", text, "issue"):
        remedy = "answer `restore`, or change the story yourself: `baton story edit`"
        raise BatonError(f"the issue makes no story: {found[0].message}", f"story {story.id}", remedy)


def _about(digest: str) -> str:
    return f"the issue as {digest}"
