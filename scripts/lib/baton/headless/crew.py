"""The table of the stories of one `baton run`: those that work, side by side, their shares, and when to halt."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from math import floor, inf
from pathlib import Path
from typing import Literal, NamedTuple

from baton.errors import BatonError
from baton.headless.client_process import Waiting
from baton.headless.event import Event, Kind
from baton.journal.journal import Journal
from baton.journal.paths import Project
from baton.journal.state import State, fold
from baton.story.begin.dependencies import KnownStory, order_of, why_held, with_dependencies
from baton.story.run.progress import in_plain
from baton.story.status.backlog import row_of

STOPPED, LATE, SPENT, STUCK = (
    "you stopped it",
    "the time of `--wait` is over",
    "the budget of this call is spent",
    "what it waits for does not go on here",
)
SHORT = "too little of the budget is left for its next run"
FINISHED = "no run is started any more, and those at work are finished"
# What is told once nothing is started any more: at the first stop, at the second, and once it is late.
HALTS = {
    0: f"{LATE}: {FINISHED}",
    1: f"{FINISHED}; Ctrl-C again stops them",
    2: "the runs at work are stopped, which does not count as an attempt",
}
UNNAMED = "nothing names the files it changes: it runs beside others"
# No run is sent out for less, in US dollars.
LEAST_SHARE = 0.01


class RunOptions(NamedTuple):
    """The options of `baton run`, and the paths of the programs it starts."""

    client: str
    plugin: Path
    parallel: int = 1
    budget: float | None = None
    wait: float | None = None
    model: str = ""
    mode: str = "acceptEdits"
    together: bool = False
    exclusive: bool = False

    @property
    def program(self) -> Path:
        """Baton itself."""
        return self.plugin / "scripts" / "baton"


Stand = Literal["waits", "works", "rests", "over"]


@dataclass
class Row:
    """A story of the call.

    `stands`: it waits for a place, works, rests until something elsewhere is done, or is over. `going`: it may
    change code until its turn is over, between its runs too. `stuck` is why it gets no place any more.
    """

    id: str
    known: KnownStory
    stands: Stand = "rests"
    going: bool = False
    stuck: str = ""
    share: float | None = None  # what its run that is out may spend
    needs: float = 0.0  # what its next run must, where the last was cut off by its share
    told_beside: bool = False
    # What is shown of it: what its run is for, since when, its tokens, and what was said last.
    task: str = ""
    since: float = 0.0
    tokens: int = 0
    line: str = "waits for its turn"


class Crew:
    """The stories of one call, in the order in which they go on, and their budget."""

    def __init__(
        self, project: Project, names: list[str], options: RunOptions, emit: Callable[[Event], object]
    ) -> None:
        self.project = project
        self.options = options
        self.emit = emit
        self.spent = 0.0
        # How often the user has asked to stop: once, no run is started; twice, those that are out are stopped.
        self.stops = 0
        self.halt = ""  # what was told of that
        self._began = time.monotonic()
        self.rows = {name: Row(name, self._known(name)) for name in names}
        self._elsewhere = list[KnownStory]()
        self._look_elsewhere()
        order = order_of([*(row.known for row in self.rows.values()), *self._elsewhere])
        self.rows = {name: self.rows[name] for name in order if name in self.rows}

    # What a story asks before it goes on

    def enter(self, story: str) -> Waiting[str]:
        """Wait until a story may go on, its dependencies first; returns why it may not any more, or ""."""
        row = self.rows[story]
        row.known, row.stands = self._known(story), "waits"
        self._look_elsewhere()
        while not (why := self.closed or row.stuck) and self.rows[story].stands == "waits":
            yield
        return why

    def let_go(self) -> None:
        """Let waiting stories go on, in order, where they may; tell why the others do not."""
        self._tell_halt()
        known, held = self._known_now(), dict[str, str]()
        for row in [] if self.closed else self._standing("waits"):
            if why := self._why_held(row, known):
                held[row.id] = why
                self.tell(row.id, f"waits: {why}", "waits")
            elif len(self._standing("works")) < self.options.parallel:
                self.stay(row.id)
                self._tell_beside(row)
                known = self._known_now()
        if len(held) == self._left():  # nobody works, and nobody will; who is short of a share gives up first
            short = [story for story, why in held.items() if why == SHORT]
            for story in short or held:
                self.rows[story].stuck = SHORT if short else f"{STUCK}: {held[story]}"

    def _tell_halt(self) -> None:
        """Tell once, and again at the second stop, that nothing is started any more."""
        words = HALTS[min(self.stops, 2)] if self.halted else ""
        if words != self.halt:
            self.halt = words
            self.emit(Event("halts", words))

    def _tell_beside(self, row: Row) -> None:
        """Tell once that the files a story changes are not known, where others go on beside it."""
        unnamed = row.known.changing and row.known.claims is None
        if unnamed and self.options.parallel > 1 and len(self.rows) > 1 and not row.told_beside:
            row.told_beside = True
            self.tell(row.id, UNNAMED)

    def stay(self, story: str) -> None:
        """Give a story a place, also one whose process is still alive."""
        row = self.rows[story]
        row.stands, row.going = "works", row.going or row.known.changing

    def leave(self, story: str, over: bool = False) -> None:
        """Let others go on, while a story waits for something elsewhere or once its turn is over."""
        row = self.rows[story]
        row.stands = "over" if over else "rests"
        with suppress(BatonError):  # whoever goes on with it says what is wrong
            row.known = self._known(story)
            self._look_elsewhere()
        if over:
            row.going, row.share = False, None  # the share is that of a run that could not be started

    @property
    def halted(self) -> str:
        """The reason only the runs that are out are waited for; empty while there is none."""
        late = self.options.wait is not None and time.monotonic() - self._began >= self.options.wait
        return STOPPED if self.stops else LATE if late else ""

    @property
    def closed(self) -> str:
        """The reason nothing more is started; empty while there is none."""
        over = self.options.budget is not None and self.spent >= self.options.budget
        return self.halted or (SPENT if over else "")

    @property
    def share(self) -> float:
        """The share of a run that goes out now, in US dollars; infinite without a budget.

        The free part of the budget is divided among as many runs as can go out beside those that are.
        """
        if self.options.budget is None:
            return inf
        out = [row.share for row in self.rows.values() if row.share is not None]
        free = self.options.budget - self.spent - sum(out)
        places = min(self.options.parallel, self._left()) - len(out)
        return floor(max(0.0, free) / max(1, places) * 10_000) / 10_000

    def take_share(self, story: str, used: float) -> float:
        """Give a story's run its share, once; returns the rest of it for a process after `used` dollars."""
        row = self.rows[story]
        row.share = self.share if row.share is None else row.share
        return max(0.0001, row.share - used)

    def pay(self, story: str, cost: float, *, short: bool = False) -> None:
        """Add the cost of a story's run, and take its share back; `short`: the share cut it off."""
        row = self.rows[story]
        self.spent += cost
        row.needs, row.share = (row.share or 0.0) if short else 0.0, None

    def _standing(self, stands: Stand) -> list[Row]:
        return [row for row in self.rows.values() if row.stands == stands]

    def _left(self) -> int:
        """Return the number of stories that are not over."""
        return len(self.rows) - len(self._standing("over"))

    def _known_now(self) -> dict[str, KnownStory]:
        """Return all stories by their ids, each with whether it runs now."""
        rows = self.rows.values()
        own = {row.id: row.known._replace(running=row.going or row.stands == "works") for row in rows}
        return own | {story.id: story for story in self._elsewhere}

    def _why_held(self, row: Row, known: dict[str, KnownStory]) -> str:
        """Say what a story waits for, of others or of the budget; empty when it may go on."""
        how = {"exclusive": self.options.exclusive, "together": self.options.together}
        why = why_held(known[row.id], list(known.values()), **how)
        return why or (SHORT if self.share < max(LEAST_SHARE, row.needs) else "")

    # What is told, and passed on

    def tell(self, story: str, words: str, kind: Kind = "note", **more: str) -> None:
        """Tell the user one line on a story."""
        line, row = in_plain(words), self.rows[story]
        if line != row.line:  # what is waited for is looked at again and again
            row.line = line
            self.emit(Event(kind, line, story, more))

    def pause(self, seconds: float) -> Waiting[None]:
        """Wait for `seconds`, or until nothing is started any more."""
        until = time.monotonic() + seconds
        while not self.closed and time.monotonic() < until:
            yield

    def state_of(self, story: str) -> State:
        """Read a story's journal as it stands."""
        return fold(Journal(self.project.journal(story)).records)

    def _known(self, story: str) -> KnownStory:
        return row_of(self.project, self.state_of(story)).known(running=False)

    def _look_elsewhere(self) -> None:
        """Read the dependencies of stories that are not of this call."""
        known = with_dependencies(self.project, [row.known for row in self.rows.values()])
        self._elsewhere = [story for story in known if story.id not in self.rows]
