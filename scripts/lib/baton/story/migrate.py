"""Journals of earlier versions, read as if this one had written them."""

from collections.abc import Sequence
from typing import Any

from baton.errors import BatonError
from baton.story.events import NAMES, SCHEMA_VERSION, Created

Body = dict[str, Any]


def version_of(bodies: Sequence[Body], where: str) -> int:
    """Give the version a journal's first event names; a BatonError for one this program cannot know."""
    begun = bodies and bodies[0]["kind"] == NAMES[Created]
    version = bodies[0]["data"]["version"] if begun else SCHEMA_VERSION
    if not isinstance(version, int) or not 1 <= version <= SCHEMA_VERSION:
        what = f"a journal of version {version}, and this baton knows those up to {SCHEMA_VERSION}"
        raise BatonError(what, where, "update the plugin; nothing was changed")
    return version


def upgraded(bodies: Sequence[Body], repository: str = "") -> list[Body]:
    """Give the bodies of an earlier version's records as this version has them.

    Version 1 named the repository by its path, which a move changes; `repository` is its name now. And it had an
    event of its own after the answer that abandons a story.
    """
    first = {**bodies[0]["data"], "version": SCHEMA_VERSION, "repository": repository}
    kept = [{**bodies[0], "data": first}, *(one for one in bodies[1:] if one["kind"] != "abandoned")]
    return [{**one, "seq": seq} for seq, one in enumerate(kept, 1)]
