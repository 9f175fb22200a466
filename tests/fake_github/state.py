"""What a GitHub host holds: actors, repositories, pull requests and all that is said on them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, NamedTuple

if TYPE_CHECKING:
    from .actions import Actions
    from .hub import Hub
    from .pull_request import PullRequest

PUSHES = ("admin", "maintain", "write")


@dataclass(eq=False, repr=False)
class Actor:
    """Who writes: `kind` is the GraphQL type."""

    id: str
    number: int
    login: str
    kind: str

    @property
    def typename(self) -> str:
        return self.kind

    @property
    def rest_login(self) -> str:
        return f"{self.login}[bot]" if self.kind == "Bot" else self.login


class Permission(NamedTuple):
    """What an actor may do in a repository; `lookup` is the error that answers who asks for it."""

    level: str
    lookup: int | None = None


class Issue(NamedTuple):
    """An issue of a repository."""

    title: str
    body: str | None
    author: Actor | None
    state: str = "open"
    edit: Edit | None = None
    renamed: Edit | None = None
    updated_at: str = "2026-01-05T10:00:00Z"


@dataclass(eq=False, repr=False)
class Remark:
    """A comment on an issue."""

    number: int
    author: Actor | None
    body: str
    created_at: str
    url: str
    edits: list[Edit] = field(default_factory=list)
    deleted: bool = False


@dataclass(eq=False, repr=False)
class Repository:
    """A repository and who may do what in it."""

    id: str
    number: int
    owner: Actor
    name: str
    hub: Hub
    typename: ClassVar[str] = "Repository"
    permissions: dict[str, Permission] = field(default_factory=dict)
    pull_requests: dict[int, PullRequest] = field(default_factory=dict)
    issues: dict[int, Issue] = field(default_factory=dict)
    issue_comments: dict[int, list[Remark]] = field(default_factory=dict)
    actions: Actions | None = None
    archived: bool = False
    methods: tuple[str, ...] = ("squash", "merge", "rebase")
    approvals: int = 0  # how many a merge needs
    bypassers: set[Actor] = field(default_factory=set)  # whom the rules of base do not hold

    @property
    def full_name(self) -> str:
        return f"{self.owner.login}/{self.name}"

    def permission(self, actor: Actor) -> Permission:
        """Give what an actor may do here; everyone may read."""
        if actor is self.owner:
            return Permission("admin")
        return self.permissions.get(actor.id, Permission("read"))

    def said_on(self, number: int) -> list[Remark] | list[IssueComment]:
        """Give the comments on an issue, or on a pull request as a whole."""
        pull = self.pull_requests.get(number)
        return pull.comments if pull else self.issue_comments.setdefault(number, [])

    def can_bypass(self, actor: Actor) -> bool:
        return self.can_push(actor) and actor in self.bypassers

    def can_push(self, actor: Actor | None) -> bool:
        return actor is not None and self.permission(actor).level in PUSHES


class Edit(NamedTuple):
    """One change of a text."""

    by: Actor | None
    at: str

    @property
    def typename(self) -> str:
        return "RenamedTitleEvent"


@dataclass(eq=False, repr=False, kw_only=True)
class Text:
    """What all texts on a pull request have in common."""

    id: str
    number: int
    pull_request: PullRequest
    author: Actor | None
    body: str
    created_at: str
    association: str = "NONE"
    edits: list[Edit] = field(default_factory=list)
    minimized: str | None = None
    deleted: bool = False
    typename: ClassVar[str]
    fragment: ClassVar[str]

    @property
    def repository(self) -> Repository:
        return self.pull_request.repository

    @property
    def url(self) -> str:
        return f"{self.pull_request.url}#{self.fragment}{self.number}"

    def visible_to(self, viewer: Actor) -> bool:
        return not self.deleted


@dataclass(eq=False, repr=False, kw_only=True)
class IssueComment(Text):
    """A comment on the pull request as a whole."""

    typename = "IssueComment"
    fragment = "issuecomment-"


@dataclass(eq=False, repr=False, kw_only=True)
class Review(Text):
    """A review: its own text, and the comments in lines that were sent with it."""

    typename = "PullRequestReview"
    fragment = "pullrequestreview-"
    state: str = "COMMENTED"
    commit: str

    @property
    def comments(self) -> list[Comment]:
        """What was said in lines with it."""
        said = (comment for thread in self.pull_request.threads for comment in thread.comments)
        return [one for one in said if one.review is self]

    def visible_to(self, viewer: Actor) -> bool:
        return not self.deleted and (self.state != "PENDING" or self.author is viewer)


class Commit(NamedTuple):
    """A commit, known by its id alone."""

    oid: str


@dataclass(eq=False, repr=False, kw_only=True)
class Comment(Text):
    """A comment in a thread."""

    typename = "PullRequestReviewComment"
    fragment = "discussion_r"
    thread: Thread
    review: Review
    original_commit: Commit

    @property
    def state(self) -> str:
        return "PENDING" if self.review.state == "PENDING" else "SUBMITTED"

    def visible_to(self, viewer: Actor) -> bool:
        return not self.deleted and self.review.visible_to(viewer)


@dataclass(eq=False, repr=False, kw_only=True)
class Thread:
    """A conversation at a place of the diff; `line` is None where that place is no longer in it."""

    id: str
    pull_request: PullRequest
    path: str
    line: int | None
    start_line: int | None
    original_line: int | None
    original_start_line: int | None
    resolved: bool = False
    outdated: bool = False
    comments: list[Comment] = field(default_factory=list)
    typename = "PullRequestReviewThread"

    @property
    def repository(self) -> Repository:
        return self.pull_request.repository

    def visible_to(self, viewer: Actor) -> bool:
        return any(comment.visible_to(viewer) for comment in self.comments)

    def may_resolve(self, viewer: Actor) -> bool:
        return self.pull_request.author is viewer or self.repository.can_push(viewer)

    def reply(self, *, by: str | Actor | None, body: str) -> Comment:
        """Add an answer, in a review of its own as on GitHub; gives the comment."""
        review = self.pull_request.review(by=by)
        return self.pull_request.say(self, by=by, body=body, review=review)
