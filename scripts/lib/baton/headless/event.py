"""The events of `baton run`: each a line for a person, and data for a program."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from baton.journal.journal import utc_now

# `turn` is the end of a story's; `halts`: from here on nothing is started.
Kind = Literal["starts", "begins", "ended", "waits", "note", "halts", "turn", "over"]
NOTHING: Mapping[str, Any] = {}


class Event(NamedTuple):
    """An event of a story, or of the whole call; `more` is for programs alone."""

    kind: Kind
    says: str
    story: str = ""
    more: Mapping[str, Any] = NOTHING

    @property
    def line(self) -> str:
        """The line for a person."""
        return f"{self.story}: {self.says}" if self.story else self.says

    def to_data(self) -> dict[str, Any]:
        """Return the data for a program."""
        story = {"story": self.story} if self.story else {}
        return {"time": utc_now(), "event": self.kind, **story, "says": self.says, **self.more}
