"""The table of the files a run may edit, built from the data that the hook reads."""

from typing import Literal, NamedTuple

from baton.rules.engine import Row, Table
from baton.rules.writes import WRITES


class WriteFacts(NamedTuple):
    """The role of a run that would edit a file with one of the client's tools, and the kind of file."""

    role: Literal["planner", "implementer", "qa", "micro-delivery", "pr-comment-resolver"]
    path: Literal["git", "outside", "story", "plan", "papers", "tracked", "new"]


def _rows(kind: str) -> list[Row]:
    what, who, why = WRITES[kind]
    if kind == "new":
        return [Row("write/new", what, {}, "proceed", "it may")]
    allowed = Row(
        f"write/{kind}", f"{what}: {', '.join(who)}", {"path": (kind,), "role": who}, "proceed", "it may"
    )
    others = Row(f"write/{kind}", f"{what}: any other" if who else what, {"path": (kind,)}, "refuse", why)
    return [*([allowed] if who else []), others]


WRITE = Table("write", WriteFacts, tuple(row for kind in WRITES for row in _rows(kind)))
