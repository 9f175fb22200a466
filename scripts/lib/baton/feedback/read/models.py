"""What was said on a pull request, each piece with its form in JSON."""

from collections.abc import Collection
from itertools import chain, repeat
from typing import Any, NamedTuple

from baton.feedback.bots.reading import Reading
from baton.feedback.read.pull_request import Actor, PullRequest
from baton.text import restored, visible

TRUSTED, UNTRUSTED, UNVERIFIED = "trusted", "untrusted", "unverified"
# What is named alike in JSON.
THREAD_FIELDS = ("id", "path", "line", "start_line", "original_line", "original_start_line", "outdated", "commit")


class Comment(NamedTuple):
    """One text: a comment in a thread, a comment on the pull request, or what a review says as a whole."""

    id: str
    number: int  # that of its URL
    author: Actor
    body: str  # once its author was judged: empty but for the viewer's own
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
    is_bot: bool = False  # of a review bot that the settings name
    parsed: Reading = Reading()  # what it says; empty where its author is not trusted

    @property
    def at(self) -> str:
        """When it came to read as it does."""
        return max(self.created_at, self.edited_at)

    @property
    def text(self) -> str:
        """What of it is to be read."""
        return self.parsed.text

    @property
    def is_submitted(self) -> bool:
        """Whether it says something, and is no draft."""
        return bool(self.size) and self.state != "PENDING"

    def to_data(self) -> dict[str, Any]:
        """Return it as JSON has it; the body of one that is not trusted stays behind, but for its size."""
        trusted = self.trust == TRUSTED
        return {
            "id": self.id, "author": self.author.login, "trust": self.trust,
            "body": visible(self.text) if trusted else None, "created_at": self.created_at, "url": self.url,
            **({} if trusted else {"body_bytes": self.size}),
            **({"edited_at": self.edited_at} if self.edited_at else {}),
        }  # fmt: skip

    @classmethod
    def from_data(cls, data: dict[str, Any], number: int = 0) -> "Comment":
        """Return the comment that JSON holds, as far as it is kept there."""
        return cls(
            data["id"], number, Actor(data["author"], ""), "", data["created_at"], data["url"], own=False,
            state=data.get("state", ""), edited_at=data.get("edited_at", ""), size=data.get("body_bytes", 0),
            trust=data["trust"], parsed=Reading(text=restored(data["body"] or "")),
        )  # fmt: skip


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
    category: str = ""  # of a settled one
    answered: str = ""  # our last verdict on it, as far as its comments are known

    @property
    def lines(self) -> range:
        """The lines it is on; of one whose code is gone, those it was on."""
        line = self.line or self.original_line
        start = self.start_line if self.line else self.original_start_line
        return range(start or line, line + 1) if line else range(0)

    @property
    def is_open(self) -> bool:
        """Whether it is unresolved, and more than a draft of the viewer's."""
        draft = self.comments and all(comment.state == "PENDING" for comment in self.comments)
        return not self.resolved and not draft

    def to_data(self) -> dict[str, Any]:
        """Return an unresolved thread as JSON has it."""
        first = self.comments[0] if self.comments else None
        return {
            **{name: getattr(self, name) for name in THREAD_FIELDS},
            "url": first.url if first else "",
            "root_comment_id": first.number if first else None,
            "comments": [comment.to_data() for comment in self.comments if comment.state != "PENDING"],
        }

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> "Thread":
        """Return the unresolved thread that JSON holds."""
        numbers = chain([data["root_comment_id"]], repeat(0))
        comments = tuple(map(Comment.from_data, data["comments"], numbers))
        return cls(
            **{name: data[name] for name in THREAD_FIELDS},
            resolved=False, last_at="", comments=comments,
        )  # fmt: skip

    def to_resolved_data(self) -> dict[str, Any]:
        """Return a resolved thread as JSON has it."""
        comments = [comment.to_data() for comment in self.comments]
        return {
            "thread_id": self.id, "path": self.path, "line": self.line or self.original_line,
            "start_line": self.lines.start or None, "category": self.category, "answered": self.answered,
            "first_comment_body": comments[0]["body"], "last_comment_at": self.last_at, "comments": comments,
        }  # fmt: skip

    @classmethod
    def from_resolved_data(cls, data: dict[str, Any]) -> "Thread":
        """Return the resolved thread that JSON holds."""
        return cls(
            data["thread_id"], data["path"], data["line"], data["start_line"], None, None, resolved=True,
            outdated=False, last_at=data["last_comment_at"], category=data["category"], answered=data["answered"],
            comments=tuple(map(Comment.from_data, data["comments"])),
        )  # fmt: skip


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
