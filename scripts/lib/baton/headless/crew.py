"""What the stories of one `baton run` share: who works at once, the budget, the user's stop, what is told."""

import os
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from math import floor, inf
from pathlib import Path
from typing import NamedTuple

from baton.bootstrap import HOOKS
from baton.checks.check_tree import check_tree, slot_of
from baton.errors import BatonError
from baton.headless.event import Event, Kind
from baton.headless.schedule import StoryView, beside_others, order_of, view_of, why_held, with_dependencies
from baton.journal.journal import Journal
from baton.journal.paths import Project
from baton.journal.state import State, fold
from baton.project.client_module import OFF, SETTING
from baton.story.answer_source import SESSION
from baton.story.progress import in_plain

LOOK_SECONDS = 0.5
STOPPED, LATE, SPENT, STUCK = (
    "you stopped it",
    "the time of `--wait` is over",
    "the budget of this call is spent",
    "what it waits for does not go on here",
)
SHORT = "too little of the budget is left for its next run"
# No run is sent out for less, in US dollars.
LEAST_SHARE = 0.01
# Of a conversation this is called in: what runs here is none of its calls.
NOT_PASSED = (SESSION, HOOKS, "CLAUDECODE", "CLAUDE_PROJECT_DIR")


class RunOptions(NamedTuple):
    """What `baton run` was given, and where the programs are that it starts."""

    client: str
    plugin: Path
    parallel: int = 1
    budget: float | None = None
    wait: float | None = None
    model: str = ""
    mode: str = "acceptEdits"
    together: bool = False
    exclusive: bool = False


class BoardRow(NamedTuple):
    """What is shown of a story: what its run is for, since when, its tokens, and what was said last."""

    story: str
    task: str = ""
    since: float = 0.0
    tokens: int = 0
    line: str = ""


class Crew:
    """The stories of one call, each in a thread of its own."""

    def __init__(
        self, project: Project, names: list[str], options: RunOptions, emit: Callable[[Event], object]
    ) -> None:
        self.project = project
        self.options = options
        self.spent = 0.0
        self._began = time.monotonic()
        # How often the user has asked to stop: once, no run is started; twice, those that are out are stopped.
        self.stops = 0
        self.rows = {name: BoardRow(name, line="waits for its turn") for name in names}
        self.emit = emit
        self._changed = threading.Condition()
        self._views = {name: self._view(name) for name in names}
        self.order = [
            one for one in order_of(with_dependencies(project, self._views.values())) if one in self._views
        ]
        self._under_way = set(names)
        self._working = set[str]()
        # Those that were let go on to change code: until they end or ask, between their runs too.
        self._going = set[str]()
        self._waiting: list[str] = []
        self._told_beside = set[str]()
        # What each run that is out may spend; and what the next of a story must, whose last was cut off by that.
        self._shares = dict[str, float]()
        self._needs = dict[str, float]()

    # What a story asks before it goes on

    def enter(self, story: str) -> str:
        """Wait until a story may go on, its dependencies first; returns why it may not any more, or nothing."""
        with self._changed:
            self._views[story] = self._view(story)
            self._working.discard(story)
            self._waiting.append(story)
            told = ""
            try:
                while not (why := self.closed):
                    if self._next_free() == story:
                        self.stay(story)
                        self._tell_beside(story)
                        return ""
                    held = self._held(story)
                    if held and held != told:
                        self.tell(story, f"waits: {held}", "waits")
                        told = held
                    if held and self._is_stuck(held):
                        return SHORT if held == SHORT else f"{STUCK}: {held}"
                    self._changed.wait(LOOK_SECONDS)
                return why
            finally:
                self._waiting.remove(story)
                self._changed.notify_all()

    def _tell_beside(self, story: str) -> None:
        """Say once of a story that nobody knows what it changes, where others go on beside it."""
        line = beside_others(self._views[story])
        if line and self.options.parallel > 1 and len(self.order) > 1 and story not in self._told_beside:
            self._told_beside.add(story)
            self.tell(story, line)

    def stay(self, story: str) -> None:
        """Count a story in whose process is still alive."""
        with self._changed:
            self._working.add(story)
            if self._views[story].changing:
                self._going.add(story)

    def leave(self, story: str, over: bool = False) -> None:
        """Let others go on, while a story waits or once its turn is over."""
        with self._changed:
            self._working.discard(story)
            with suppress(BatonError):  # whoever goes on with it says what is wrong
                self._views[story] = self._view(story)
            if over:
                self._under_way.discard(story)
                self._going.discard(story)
                self._shares.pop(story, None)  # of a run that could not be started
            self._changed.notify_all()

    @property
    def halted(self) -> str:
        """Why nothing but the runs that are out is waited for any more; empty while it is."""
        late = self.options.wait is not None and time.monotonic() - self._began >= self.options.wait
        return STOPPED if self.stops else LATE if late else ""

    @property
    def closed(self) -> str:
        """Why nothing more is started; empty while it is."""
        over = self.options.budget is not None and self.spent >= self.options.budget
        return self.halted or (SPENT if over else "")

    @property
    def share(self) -> float:
        """What a run may spend, in US dollars, that goes out now; endless without a budget.

        What is neither spent nor given to those that are out is for as many as can go out beside them.
        """
        if self.options.budget is None:
            return inf
        free = self.options.budget - self.spent - sum(self._shares.values())
        places = min(self.options.parallel, len(self._under_way)) - len(self._shares)
        return floor(max(0.0, free) / max(1, places) * 10_000) / 10_000

    def take_share(self, story: str, used: float) -> float:
        """Give a story's run its share, once; returns what is left of it for a process after `used` dollars."""
        with self._changed:
            if story not in self._shares:
                self._shares[story] = self.share
            return max(0.0001, self._shares[story] - used)

    def _next_free(self) -> str:
        """Return the first story, in their order, that may go on now."""
        if len(self._working) >= self.options.parallel:
            return ""
        waiting = (one for one in self.order if one in self._waiting)
        return next((one for one in waiting if not self._held(one)), "")

    def _held(self, story: str) -> str:
        views = [one._replace(running=name in self._working | self._going) for name, one in self._views.items()]
        others = with_dependencies(self.project, views)
        options = self.options
        why = why_held(self._views[story], others, exclusive=options.exclusive, together=options.together)
        short = self.share < max(LEAST_SHARE, self._needs.get(story, 0.0))
        return why or (SHORT if short else "")

    def _is_stuck(self, held: str) -> bool:
        """Whether all that go on wait for one another; those that are short of a share give up first."""
        if self._working or set(self._waiting) != self._under_way or self._next_free():
            return False
        return held == SHORT or SHORT not in map(self._held, self._waiting)

    # What is told, and passed on

    def tell(self, story: str, words: str, kind: Kind = "note", **more: str) -> None:
        """Tell the user what happened to a story, in one line."""
        line = in_plain(words)
        if line != self.rows[story].line:  # what is waited for is looked at again and again
            self.show(story, line=line)
            self.emit(Event(kind, line, story, more))

    def show(self, story: str, **changed: object) -> None:
        """Change what is shown of a story."""
        self.rows[story] = self.rows[story]._replace(**changed)  # type: ignore[arg-type]

    def pay(self, story: str, cost: float, *, short: bool = False) -> None:
        """Add what a story's run has cost, and take its share back; `short`: it was cut off by that."""
        with self._changed:
            self.spent += cost
            share = self._shares.pop(story, 0.0)
            self._needs[story] = share if short else 0.0
            self._changed.notify_all()

    def environment(self, story: str, module: bool) -> Mapping[str, str]:
        """Return the environment of a story's calls and processes; `module`: the client's may drive."""
        kept = {name: value for name, value in os.environ.items() if name not in NOT_PASSED}
        slot = slot_of(check_tree(self.project.common, story))  # as the project's commands have it
        return {**kept, "BATON_SLOT": str(slot), **({} if module else {SETTING: OFF})}

    def pause(self, seconds: float) -> None:
        """Wait so long, or until the user stops it."""
        until = time.monotonic() + seconds
        while not self.closed and (left := until - time.monotonic()) > 0:
            time.sleep(min(LOOK_SECONDS, left))

    def state_of(self, story: str) -> State:
        """Read a story's journal as it stands."""
        return fold(Journal(self.project.journal(story)).records)

    def _view(self, story: str) -> StoryView:
        return view_of(self.project, self.state_of(story), running=False)
