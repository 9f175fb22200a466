"""Accounts on GitHub: who did something, and whether they may push."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from baton.errors import BatonError
from baton.github.client import GitHub

BOT = "[bot]"
# A login as it may go into a path; an enterprise's managed users have an underscore in theirs.
LOGIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}\Z")
NOT_TOLD = (403, 404)
UNTOLD = "GitHub does not say whether they may push"

# The roles GitHub's permission look-up answers with, by whether they may push; `maintain` and `triage` come as the
# one below them (https://docs.github.com/rest/collaborators/collaborators). What is in neither is a role of
# tomorrow: it cannot be judged.
MAY_PUSH = {"admin": True, "maintain": True, "write": True, "triage": False, "read": False, "none": False}

# Whether an account may push, by login in small letters; None where it cannot be known.
PushPermissions = Mapping[str, bool | None]


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


def read_actor(node: Any) -> Actor:
    """Read who it was; an account that was deleted is nobody."""
    if node is None:
        return GHOST
    return _actor(str(node["login"]), str(node["__typename"]), node.get("databaseId"))


@lru_cache(maxsize=1024)
def _actor(login: str, kind: str, number: int | None) -> Actor:
    """Return an actor, each once however much they said."""
    return Actor(login, kind, number)


def fetch_push_permissions(github: GitHub, repository: str, actors: Sequence[Actor]) -> dict[str, bool | None]:
    """Ask of each user whether they may push: one request each, by login in small letters; None: not told.

    Who may not push themselves is refused, whoever they ask about: then it is asked no further.
    """
    pushers: dict[str, bool | None] = dict.fromkeys(actor.login.lower() for actor in actors)
    for actor in actors:
        if not LOGIN.match(actor.login):
            raise BatonError(f"{actor.login!r} is not a login", github.host, "check that this is the right host")
        answer = github.get(f"repos/{repository}/collaborators/{actor.login}/permission", NOT_TOLD)
        if answer.status == 403:
            break
        pushers[actor.login.lower()] = _read_permission(answer.data, actor)
    return pushers


def _read_permission(data: Any, actor: Actor) -> bool | None:
    """Return whether an actor may push; None where the answer is of another account, or of an unknown role."""
    if not isinstance(data, dict):
        return None
    user = data.get("user")
    number = user.get("id") if isinstance(user, dict) else None
    if actor.number is not None and number not in (None, actor.number):
        return None  # the login changed hands since
    return MAY_PUSH.get(str(data.get("permission")))
