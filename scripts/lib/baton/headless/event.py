"""What happens while `baton run` goes on: an event is a line for a person, and data for a program."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from baton.journal.journal import utc_now

# `turn` is the end of a story's; `halts`: from here on nothing is started.
Kind = Literal["starts", "begins", "ended", "waits", "note", "halts", "turn", "over"]
NOTHING: Mapping[str, Any] = {}


class Event(NamedTuple):
    """What happened to a story, or to all of a call; `more` is what only a program wants to know."""

    kind: Kind
    says: str
    story: str = ""
    more: Mapping[str, Any] = NOTHING

    @property
    def line(self) -> str:
        """What a person reads."""
        return f"{self.story}: {self.says}" if self.story else self.says

    def to_data(self) -> dict[str, Any]:
        """Return what a program reads."""
        story = {"story": self.story} if self.story else {}
        return {"time": utc_now(), "event": self.kind, **story, "says": self.says, **self.more}
