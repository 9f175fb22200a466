"""A pull request and who does something on it, with their form in JSON."""

import re
from typing import Any, NamedTuple

from baton.github.address import PullRequestRef
from baton.text import restored, visible

UNUSUAL = re.compile(r"[^A-Za-z0-9._/-]")
BOT = "[bot]"
LONGEST = 60  # characters of a head's name
# What is named alike in JSON.
PULL_FIELDS = (
    "host", "number", "url", "head_oid", "base", "own", "cross_repository", "maintainer_can_modify", "state",
    "draft",
)  # fmt: skip


class Actor(NamedTuple):
    """Who did something: a login means nothing without its kind, as a user may be named like a bot."""

    login: str
    kind: str  # GitHub's: User, Bot, Mannequin, Organization, EnterpriseUserAccount; empty for a deleted account
    number: int | None = None

    @property
    def account(self) -> str:
        """Its login in small letters, a bot's with `[bot]`: so no user has the same."""
        return f"{self.login.lower()}{BOT if self.kind == 'Bot' else ''}"


GHOST = Actor("ghost", "")


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
        """What it is read by."""
        return PullRequestRef(self.host, self.repository, self.number)

    @property
    def name(self) -> str:
        """What it is called in a message."""
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
        branch = UNUSUAL.sub(lambda found: f"[U+{ord(found[0]):04X}]", self.head)
        name = f"{self.head_repository.partition('/')[0]}:{branch}"
        return f'"{name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"}"'

    def to_data(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            **{name: getattr(self, name) for name in PULL_FIELDS},
            "repo": self.repository,
            "title": None if self.title is None else visible(self.title),
            "head": self.target if self.cross_repository else self.head,
            "head_branch": self.head,
            "head_repo": self.head_repository,
            "author": self.author.login,
        }

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> "PullRequest":
        """Return the pull request that JSON holds, as far as it is kept there."""
        return cls(
            **{name: data[name] for name in PULL_FIELDS},
            repository=data["repo"], id="", title=None if data["title"] is None else restored(data["title"]),
            author=Actor(data["author"], ""), head=data["head_branch"], head_repository=data["head_repo"],
        )  # fmt: skip
