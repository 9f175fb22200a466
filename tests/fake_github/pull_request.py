"""A pull request, built up in tests as what people did on it, in that order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from .state import Actor, Comment, IssueComment, Repository, Review, Text, Thread

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
    base_oid: str
    head_repository: Repository | None
    maintainer_can_modify: bool = False
    draft: bool = False
    state: str = "OPEN"
    locked: bool = False
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
    def resource_path(self) -> str:
        return f"/{self.in_repository.full_name}/pull/{self.number}"

    def all_comments(self) -> Iterator[Comment]:
        return (comment for thread in self.threads for comment in thread.comments)

    def pending_review(self, viewer: Actor) -> Review | None:
        """Give the review that the viewer has begun and not sent, if there is one."""
        return next((one for one in self.reviews if one.state == "PENDING" and one.author is viewer), None)

    def comment(self, *, by: Who, body: str, association: str = "NONE") -> IssueComment:
        """Add a comment on the pull request as a whole."""
        kept = IssueComment(**self._text("IC", by, body, association))
        self.comments.append(kept)
        return self._known(kept)

    def review(
        self, *, by: Who, body: str = "", state: str = "COMMENTED", threads: Sequence[Inline] = (),
        association: str = "NONE", commit: str | None = None,
    ) -> Review:  # fmt: skip
        """Add a review, with the threads that it opens; `PENDING` is one that is not sent yet."""
        text = self._text("PRR", by, body, association)
        sent = None if state == "PENDING" else text["created_at"]
        kept = Review(**text, state=state, submitted_at=sent, commit=commit or self.head_oid)
        self.reviews.append(self._known(kept))
        for one in threads:
            self.thread(one.path, one.line, by=by, body=one.body, start_line=one.start_line, review=kept)
        return kept

    def thread(
        self, path: str, line: int | None, *, by: Who, body: str, start_line: int | None = None,
        resolved: bool = False, resolved_by: Who = None, outdated: bool = False, review: Review | None = None,
        association: str = "NONE", commit: str | None = None, diff_side: str = "RIGHT",
    ) -> Thread:  # fmt: skip
        """Open a thread at a line (None: at the file), in a review of its own or in the one that is given."""
        hub = self.repository.hub
        resolver = hub.who(resolved_by)
        kept = Thread(
            id=hub.ids.of("PRRT", self.repository.number), pull_request=self, path=path, diff_side=diff_side,
            line=None if outdated else line, start_line=None if outdated else start_line, original_line=line,
            original_start_line=start_line, subject_type="FILE" if line is None else "LINE", outdated=outdated,
            resolved=resolved or resolver is not None,
            # GitHub's type for who resolved is User: a bot that did is not said.
            resolved_by=resolver if resolver and resolver.kind == "User" else None,
        )  # fmt: skip
        self.threads.append(kept)
        hub.nodes[kept.id] = kept
        given = review or self.review(by=by, association=association, commit=commit)
        self.say(kept, by=by, body=body, review=given, association=association, commit=commit)
        return kept

    def say(
        self, thread: Thread, *, by: Who, body: str, review: Review, association: str = "NONE",
        commit: str | None = None,
    ) -> Comment:  # fmt: skip
        """Add a comment to a thread, as part of a review."""
        text = self._text("PRRC", by, body, association)
        kept = Comment(**text, thread=thread, review=review, original_commit=commit or review.commit)
        thread.comments.append(kept)
        review.comments.append(kept)
        return self._known(kept)

    def _text(self, prefix: str, by: Who, body: str, association: str) -> dict[str, Any]:
        hub = self.repository.hub
        number = hub.ids.next(prefix)
        return {
            "id": hub.ids.make(prefix, self.repository.number, number), "number": number, "pull_request": self,
            "author": hub.who(by), "body": body, "created_at": hub.tick(), "association": association,
        }  # fmt: skip

    def _known(self, text: T) -> T:
        self.repository.hub.nodes[text.id] = text
        return text
