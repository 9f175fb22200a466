"""Ask GitHub whether somebody may push to a repository."""

import re
from collections.abc import Sequence
from typing import Any

from baton.errors import BatonError
from baton.feedback.read.models import Actor
from baton.feedback.read.trust import MAY_PUSH
from baton.github.client import GitHub

# A login as it may go into a path; an enterprise's managed users have an underscore in theirs.
LOGIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}\Z")
NOT_TOLD = (403, 404)


def ask_pushers(github: GitHub, repository: str, actors: Sequence[Actor]) -> dict[str, bool | None]:
    """Ask of each user whether they may push: one request each, by login in small letters; None: not told.

    Who may not push themselves is refused, whoever they ask about: then it is asked no further.
    """
    told: dict[str, bool | None] = dict.fromkeys(one.login.lower() for one in actors)
    for actor in actors:
        if not LOGIN.match(actor.login):
            raise BatonError(f"{actor.login!r} is no login", github.host, "look whether this is the host you mean")
        answer = github.get(f"repos/{repository}/collaborators/{actor.login}/permission", NOT_TOLD)
        if answer.status == 403:
            break
        told[actor.login.lower()] = _may_push(answer.data, actor)
    return told


def _may_push(data: Any, actor: Actor) -> bool | None:
    """Read what was answered; None when it is of another account, or of a role that is not known."""
    if not isinstance(data, dict):
        return None
    user = data.get("user")
    number = user.get("id") if isinstance(user, dict) else None
    if actor.number is not None and number not in (None, actor.number):
        return None  # the login changed hands since
    return MAY_PUSH.get(str(data.get("permission")))
