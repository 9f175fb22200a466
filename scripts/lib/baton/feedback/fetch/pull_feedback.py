"""A pull request and the feedback on it, as it was fetched: who did something, threads, comments and reviews."""

import re
from collections.abc import Collection
from typing import NamedTuple

from baton.github.accounts import Actor
from baton.github.address import PullRequestRef

UNUSUAL = re.compile(r"[^A-Za-z0-9._/-]")
LONGEST_BRANCH = 60  # characters of a head's name
TRUSTED, UNTRUSTED, UNVERIFIED = "trusted", "untrusted", "unverified"


class PullRequest(NamedTuple):
    """The pull request itself."""

    host: str
    repository: str
    number: int
    id: str  # GitHub's own; not kept
    title: str | None  # None where whoever gave it is not trusted
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
    own: bool  # the viewer opened it

    @property
    def ref(self) -> PullRequestRef:
        """The reference it is fetched by."""
        return PullRequestRef(self.host, self.repository, self.number)

    @property
    def name(self) -> str:
        """Its name in a message, `owner/repository#number`."""
        return f"{self.repository}#{self.number}"

    @property
    def head_ref(self) -> str:
        """The branch of its head, as a ref of the repository that is in."""
        return f"refs/heads/{self.head}"

    @property
    def is_strange(self) -> bool:
        """Whether it is code of somebody who need not be allowed to push."""
        return self.cross_repository and not self.own

    @property
    def target(self) -> str:
        """The head to be shown, `"owner:branch"`: of a fork's, its author chose the words."""
        branch = UNUSUAL.sub(lambda match: f"[U+{ord(match[0]):04X}]", self.head)
        name = f"{self.head_repository.partition('/')[0]}:{branch}"
        return f'"{name if len(name) <= LONGEST_BRANCH else name[: LONGEST_BRANCH - 1] + "…"}"'


class Comment(NamedTuple):
    """One text: a comment in a thread, a comment on the pull request, or what a review says as a whole."""

    id: str
    number: int  # that of its URL
    author: Actor
    body: str  # once its author was judged: empty where they are not trusted
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
    trust: str = ""  # empty until its author was judged
    trust_reason: str = ""
    unknown: Actor | None = None  # the author, or the editor, of whom it is not known whether they are trusted
    is_bot: bool = False  # of a trusted review bot

    @property
    def at(self) -> str:
        """The time it was written, or edited last."""
        return max(self.created_at, self.edited_at)

    @property
    def is_submitted(self) -> bool:
        """Whether it says something, and is no draft."""
        return bool(self.size) and self.state != "PENDING"


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
    answered: str = ""  # our last verdict on it, as far as its comments are known

    @property
    def lines(self) -> range:
        """The lines it is on; of one whose code is gone, those it was on."""
        line = self.line or self.original_line
        start = self.start_line if self.line else self.original_start_line
        return range(start or line, line + 1) if line else range(0)

    @property
    def is_draft(self) -> bool:
        """Whether nobody but the viewer sees it yet."""
        return bool(self.comments) and all(comment.state == "PENDING" for comment in self.comments)

    @property
    def is_open(self) -> bool:
        """Whether it is unresolved, and more than a draft of the viewer's."""
        return not self.resolved and not self.is_draft


class PendingReview(NamedTuple):
    """The review the viewer has begun and not submitted; replies would vanish into it."""

    id: str
    url: str


class Feedback(NamedTuple):
    """All that was said on a pull request."""

    pull: PullRequest
    viewer: str
    threads: list[Thread]
    comments: tuple[Comment, ...]
    reviews: tuple[Comment, ...]

    @property
    def bodies(self) -> tuple[Comment, ...]:
        """The comments on the pull request, and what reviews say as a whole."""
        return (*self.comments, *self.reviews)

    @property
    def all_comments(self) -> tuple[Comment, ...]:
        """Every text there is."""
        in_threads = (comment for thread in self.threads for comment in thread.comments)
        return (*in_threads, *self.reviews, *self.comments)

    @property
    def pending_review(self) -> PendingReview | None:
        """The review the viewer has begun and not submitted."""
        drafts = (review for review in self.reviews if review.state == "PENDING" and review.own)
        return next((PendingReview(draft.id, draft.url) for draft in drafts), None)

    def newest_resolved(self, limit: int, settled: Collection[str] = ()) -> tuple[Thread, ...]:
        """Return the resolved and `settled` threads that were spoken in last, newest first, at most `limit`."""
        resolved = [
            thread for thread in self.threads if thread.comments and (thread.resolved or thread.id in settled)
        ]
        return tuple(sorted(resolved, key=lambda thread: thread.last_at, reverse=True)[:limit])
