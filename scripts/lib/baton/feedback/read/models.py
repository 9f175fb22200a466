"""A pull request and what was said on it, as read from GitHub; nothing here is judged yet."""

import re
from typing import NamedTuple

UNUSUAL = re.compile(r"[^A-Za-z0-9._/-]")
LONGEST = 60  # characters of a head's name


class Actor(NamedTuple):
    """Who did something: a login means nothing without its kind, as a user may be named like a bot."""

    login: str
    kind: str  # GitHub's: User, Bot, Mannequin, Organization, EnterpriseUserAccount; empty for a deleted account
    number: int | None = None


GHOST = Actor("ghost", "")


class Comment(NamedTuple):
    """One text: a comment in a thread, a comment on the pull request, or what a review says as a whole."""

    id: str
    number: int  # that of its URL
    author: Actor
    body: str
    created_at: str
    url: str
    own: bool  # the viewer wrote it
    state: str = ""  # of a review, and of a comment in a thread: PENDING while only the viewer sees it
    edited_at: str = ""
    editor: Actor | None = None
    minimized: str = ""  # why it was minimized
    can_push: bool | None = None  # what GitHub says beside a review of its author; None: it does not say
    review: str = ""  # the review a comment in a thread belongs to
    size: int = 0  # the bytes of its body; of a blank one none

    @property
    def at(self) -> str:
        """When it came to read as it does."""
        return max(self.created_at, self.edited_at)


class Thread(NamedTuple):
    """A review thread with its comments, oldest first."""

    id: str
    path: str
    line: int | None
    start_line: int | None
    original_line: int | None
    original_start_line: int | None
    resolved: bool
    outdated: bool
    last_at: str  # when the newest of its comments was written
    comments: tuple[Comment, ...]
    cursor: str = ""  # where its comments go on that were not read; empty when all were
    commit: str = ""  # the head when it was begun


class PullRequest(NamedTuple):
    """The pull request itself."""

    host: str
    repository: str
    number: int
    id: str
    title: str
    url: str
    state: str
    draft: bool
    author: Actor
    base: str
    head: str
    head_oid: str
    head_repository: str
    cross_repository: bool
    maintainer_can_modify: bool
    viewer_permission: str
    own: bool  # the viewer opened it

    @property
    def target(self) -> str:
        """Name the head to be shown, `"owner:branch"`: of a fork's, its author chose the words."""
        branch = UNUSUAL.sub(lambda found: f"[U+{ord(found[0]):04X}]", self.head)
        named = f"{self.head_repository.partition('/')[0]}:{branch}"
        return f'"{named if len(named) <= LONGEST else named[: LONGEST - 1] + "…"}"'


class Feedback(NamedTuple):
    """All that was said, with what was asked of GitHub for it."""

    pull: PullRequest
    viewer: str
    threads: list[Thread]
    comments: tuple[Comment, ...]
    reviews: tuple[Comment, ...]
