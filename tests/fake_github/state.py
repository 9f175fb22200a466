"""What a GitHub host holds: actors, repositories, pull requests and all that is said on them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, NamedTuple

if TYPE_CHECKING:
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
    host: str

    @property
    def typename(self) -> str:
        return self.kind

    @property
    def rest_login(self) -> str:
        return f"{self.login}[bot]" if self.kind == "Bot" else self.login

    @property
    def resource_path(self) -> str:
        return f"/apps/{self.login}" if self.kind == "Bot" else f"/{self.login}"

    @property
    def url(self) -> str:
        return f"https://{self.host}{self.resource_path}"


class Permission(NamedTuple):
    """What an actor may do in a repository; `lookup` is the error that answers who asks for it."""

    level: str
    role: str | None = None
    lookup: int | None = None


@dataclass(eq=False, repr=False)
class Repository:
    """A repository and who may do what in it."""

    id: str
    number: int
    owner: Actor
    name: str
    hub: Hub
    private: bool = False
    default_branch: str = "main"
    typename: ClassVar[str] = "Repository"
    permissions: dict[str, Permission] = field(default_factory=dict)
    pull_requests: dict[int, PullRequest] = field(default_factory=dict)

    @property
    def full_name(self) -> str:
        return f"{self.owner.login}/{self.name}"

    @property
    def url(self) -> str:
        return f"https://{self.hub.host}/{self.full_name}"

    def permission(self, actor: Actor) -> Permission:
        """Give what an actor may do here; everyone may read what is public."""
        if actor is self.owner:
            return Permission("admin")
        return self.permissions.get(actor.id, Permission("none" if self.private else "read"))

    def can_push(self, actor: Actor | None) -> bool:
        return actor is not None and self.permission(actor).level in PUSHES


class Edit(NamedTuple):
    """One change of a text."""

    id: str
    by: Actor | None
    at: str
    body: str


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
    def updated_at(self) -> str:
        return self.edits[-1].at if self.edits else self.created_at

    @property
    def resource_path(self) -> str:
        return f"{self.pull_request.resource_path}#{self.fragment}{self.number}"

    @property
    def url(self) -> str:
        return f"https://{self.repository.hub.host}{self.resource_path}"

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
    submitted_at: str | None
    comments: list[Comment] = field(default_factory=list)

    def visible_to(self, viewer: Actor) -> bool:
        return not self.deleted and (self.state != "PENDING" or self.author is viewer)


@dataclass(eq=False, repr=False, kw_only=True)
class Comment(Text):
    """A comment in a thread."""

    typename = "PullRequestReviewComment"
    fragment = "discussion_r"
    thread: Thread
    review: Review
    original_commit: str

    @property
    def state(self) -> str:
        return "PENDING" if self.review.state == "PENDING" else "SUBMITTED"

    @property
    def reply_to(self) -> Comment | None:
        first = self.thread.comments[0]
        return None if first is self else first

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
    subject_type: str = "LINE"
    diff_side: str = "RIGHT"
    resolved: bool = False
    resolved_by: Actor | None = None
    outdated: bool = False
    comments: list[Comment] = field(default_factory=list)
    typename = "PullRequestReviewThread"

    @property
    def repository(self) -> Repository:
        return self.pull_request.repository

    def visible_comments(self, viewer: Actor) -> list[Comment]:
        return [one for one in self.comments if one.visible_to(viewer)]

    def visible_to(self, viewer: Actor) -> bool:
        return any(one.visible_to(viewer) for one in self.comments)

    def may_resolve(self, viewer: Actor) -> bool:
        return self.pull_request.author is viewer or self.repository.can_push(viewer)

    def reply(self, *, by: str | Actor | None, body: str, association: str = "NONE") -> Comment:
        """Add an answer, in a review of its own; gives the comment."""
        return self.repository.hub.add_reply(self, by, body, association)


class Commit:
    """A commit, known by its id."""

    typename = "Commit"

    def __init__(self, oid: str, repository: Repository) -> None:
        self.oid = oid
        self.repository = repository
        self.id = f"C_{oid[:20]}"
        self.short = oid[:7]
        self.url = f"{repository.url}/commit/{oid}"


class Ref:
    """A branch."""

    typename = "Ref"

    def __init__(self, name: str, repository: Repository, oid: str) -> None:
        self.id = f"REF_{repository.number}_{name}"
        self.name = name
        self.prefix = "refs/heads/"
        self.repository = repository
        self.target = Commit(oid, repository)
