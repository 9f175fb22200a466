"""A pull request and who does something on it."""

import re
from typing import NamedTuple

from baton.github.address import PullRequestRef

UNUSUAL = re.compile(r"[^A-Za-z0-9._/-]")
BOT = "[bot]"
LONGEST = 60  # characters of a head's name


class Actor(NamedTuple):
    """An account that did something: a login needs its kind, as a user may be named like a bot."""

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
        return f'"{name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"}"'
