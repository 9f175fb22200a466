"""A pull request, built up in tests as what people did on it, in that order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from .state import Actor, Comment, Commit, IssueComment, Repository, Review, Text, Thread

OPINIONS = ("APPROVED", "CHANGES_REQUESTED", "DISMISSED")
Who = str | Actor | None
T = TypeVar("T", bound=Text)


class Inline(NamedTuple):
    """A comment that is sent with a review: it opens a thread at its place."""

    path: str
    line: int | None
    body: str
    start_line: int | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class PullRequest(Text):
    """A pull request and everything on it; its number is its own, `database_id` is the host's."""

    typename = "PullRequest"
    fragment = ""
    in_repository: Repository
    database_id: int
    title: str
    head: str
    base: str
    head_oid: str
    head_repository: Repository | None
    maintainer_can_modify: bool = False
    draft: bool = False
    state: str = "OPEN"
    locked: bool = False
    merge_commit: str = ""
    state_unknown: bool = False  # GitHub has not worked out yet whether it can be merged
    asked: list[Actor] = field(default_factory=list)
    threads: list[Thread] = field(default_factory=list)
    reviews: list[Review] = field(default_factory=list)
    comments: list[IssueComment] = field(default_factory=list)
    pull_request: PullRequest = field(init=False)

    def __post_init__(self) -> None:
        self.pull_request = self

    @property
    def repository(self) -> Repository:
        return self.in_repository

    @property
    def url(self) -> str:
        return f"https://{self.repository.hub.host}/{self.repository.full_name}/pull/{self.number}"

    def follow(self) -> None:
        """See what was pushed to its head meanwhile; without its branch, or its base, it is closed."""
        source = self.head_repository.actions if self.head_repository else None
        if source is None or self.state != "OPEN":
            return
        head = source.head(self.head)
        base = self.repository.actions
        is_there = head and (base is None or base.head(self.base))
        self.head_oid, self.state = (head, "OPEN") if is_there else (self.head_oid, "CLOSED")

    @property
    def decision(self) -> str | None:
        """What its reviews come to, where some are needed."""
        newest = {review.author: review.state for review in self.reviews if review.state in OPINIONS}
        states = [state for who, state in newest.items() if self.repository.can_push(who)]
        if not self.repository.approvals:
            return None
        if "CHANGES_REQUESTED" in states:
            return "CHANGES_REQUESTED"
        return "APPROVED" if states.count("APPROVED") >= self.repository.approvals else "REVIEW_REQUIRED"

    def pending_review(self, viewer: Actor) -> Review | None:
        """Give the review that the viewer has begun and not sent, if there is one."""
        pending = (review for review in self.reviews if review.state == "PENDING" and not review.deleted)
        return next((one for one in pending if one.author is viewer), None)

    def comment(self, *, by: Who, body: str, association: str = "NONE") -> IssueComment:
        """Add a comment on the pull request as a whole."""
        kept = IssueComment(**self._text("IC", by, body), association=association)
        self.comments.append(kept)
        return self._known(kept)

    def review(
        self, *, by: Who, body: str = "", state: str = "COMMENTED", threads: Sequence[Inline] = (),
        commit: str | None = None,
    ) -> Review:  # fmt: skip
        """Add a review, with the threads that it opens; `PENDING` is one that is not sent yet."""
        kept = Review(**self._text("PRR", by, body), state=state, commit=commit or self.head_oid)
        self.reviews.append(self._known(kept))
        for thread in threads:
            self.thread(
                thread.path, thread.line, by=by, body=thread.body, start_line=thread.start_line, review=kept
            )
        return kept

    def thread(
        self, path: str, line: int | None, *, by: Who, body: str, start_line: int | None = None,
        resolved: bool = False, outdated: bool = False, review: Review | None = None, commit: str | None = None,
    ) -> Thread:  # fmt: skip
        """Open a thread at a line (None: at the file), in a review of its own or in the one that is given."""
        hub = self.repository.hub
        kept = Thread(
            id=hub.ids.of("PRRT", self.repository.number), pull_request=self, path=path,
            line=None if outdated else line, start_line=None if outdated else start_line, original_line=line,
            original_start_line=start_line, outdated=outdated, resolved=resolved,
        )  # fmt: skip
        self.threads.append(kept)
        hub.nodes[kept.id] = kept
        given = review or self.review(by=by, commit=commit)
        self.say(kept, by=by, body=body, review=given, commit=commit)
        return kept

    def say(self, thread: Thread, *, by: Who, body: str, review: Review, commit: str | None = None) -> Comment:
        """Add a comment to a thread, as part of a review."""
        text = self._text("PRRC", by, body)
        kept = Comment(**text, thread=thread, review=review, original_commit=Commit(commit or review.commit))
        thread.comments.append(kept)
        return self._known(kept)

    def _text(self, prefix: str, by: Who, body: str) -> dict[str, Any]:
        hub = self.repository.hub
        number = hub.ids.next(prefix)
        return {
            "id": hub.ids.make(prefix, self.repository.number, number), "number": number, "pull_request": self,
            "author": hub.who(by), "body": body, "created_at": hub.tick(),
        }  # fmt: skip

    def _known(self, text: T) -> T:
        self.repository.hub.nodes[text.id] = text
        return text
