"""The stories that are under way, drawn anew while they go on."""

import os
import shutil
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime

from baton.commands import render
from baton.commands.watch_frame import Watched, frame
from baton.delivery.checks import JOB_LIMIT_S
from baton.delivery.session import time_of
from baton.errors import BatonError
from baton.journal import index
from baton.journal.events import IntegrationStepDone
from baton.journal.journal import Journal, utc_now
from baton.journal.paths import Project, stamp_of
from baton.journal.state import State, fold
from baton.story.session import look_at, read_journal
from baton.text import fit_columns

# After how long you are asked about what is waited for, in seconds or by the setting that has them.
ASKED_AFTER: dict[str, str | int] = {
    "ci/wait": JOB_LIMIT_S, "ci/expected": "checks_wait_s", "ci/unreported": "checks_wait_s",
    "review/wait": "review_wait_s", "deploy/wait": "deploy_wait_s",
}  # fmt: skip
# How often it is looked whether a journal has changed.
LOOK_S = 1.0
CLEAR, HOME, END_OF_LINE, END_OF_SCREEN = "\x1b[2J", "\x1b[H", "\x1b[K", "\x1b[J"


class Screen:
    """A terminal on which frames are drawn over one another: cleared once, and only when something changed."""

    def __init__(self, write: Callable[[str], object], size: Callable[[], os.terminal_size]) -> None:
        self._write = write
        self._size = size
        self._before: tuple[object, ...] = ()

    def draw(self, lines: list[str]) -> None:
        """Show these lines, as far as they fit."""
        size = self._size()
        shown = lines if len(lines) < size.lines else [*lines[: size.lines - 2], "…"]
        fitting = [fit_columns(line, size.columns - 1) for line in shown]
        if self._before == (size, fitting):
            return
        first = "" if self._before[:1] == (size,) else CLEAR
        self._before = (size, fitting)
        self._write("".join([first, HOME, *(f"{line}{END_OF_LINE}\n" for line in fitting), END_OF_SCREEN]))


def show_progress(project: Project, story_id: str | None) -> None:
    """Draw what goes on until nothing does; where no user reads it now, print it once."""
    if story_id:
        read_journal(project, story_id)
    if not render.on_terminal() or os.environ.get("TERM", "dumb") == "dumb":
        seen = read_anew(project, story_id, {})
        render.say("\n".join(frame(seen.values(), utc_now())), "baton status --json")
        return
    watch(project, story_id, Screen(write_out, shutil.get_terminal_size))


def write_out(text: str) -> None:
    """Print a piece of a frame, now."""
    sys.stdout.write(text)
    sys.stdout.flush()


def watch(
    project: Project,
    story_id: str | None,
    screen: Screen,
    pause: Callable[[float], object] = time.sleep,
    now: Callable[[], str] = utc_now,
) -> None:
    """Draw the stories again and again, read anew where their journals changed, until none goes on."""
    seen: dict[str, Watched] = {}
    while True:
        seen = read_anew(project, story_id, seen)
        screen.draw(frame(seen.values(), now()))
        if not any(one.goes_on for one in seen.values()):
            return
        pause(LOOK_S)


def read_anew(project: Project, story_id: str | None, seen: dict[str, Watched]) -> dict[str, Watched]:
    """Return the story that is named, else those that are under way or were when last looked."""
    found = dict[str, Watched]()
    for name in [story_id] if story_id else dict.fromkeys([*seen, *_names(project)]):
        stamp = stamp_of(project.journal(name))
        before = seen.get(name)
        one = before if before and before.stamp == stamp else _read(project, name, stamp)
        if story_id or before or one.goes_on or one.fault:
            found[name] = one
    return found


def _names(project: Project) -> list[str]:
    place = str(project.state)
    known = index.index_exists(place)
    return [*filter(project.is_story, index.read_lines(place, index.UNDER_WAY))] if known else project.story_ids()


def _read(project: Project, story_id: str, stamp: tuple[int, ...]) -> Watched:
    try:
        records = Journal(project.journal(story_id)).records
        if not records:
            return Watched(stamp, [], None, fault=f"{story_id} is gone")
        state = fold(records)
        return Watched(stamp, records, state, _until(project, state))
    except BatonError as error:
        return Watched(stamp, [], None, fault=f"{story_id} cannot be read: {error}")


def _until(project: Project, state: State) -> str:
    """Return when you are asked about what a story waits for on GitHub; nothing for any other."""
    last = state.events[-1]
    if not isinstance(last, IntegrationStepDone) or last.rule not in ASKED_AFTER or state.stage != "ready":
        return ""
    limit = ASKED_AFTER[last.rule]
    story = look_at(project, state.created.story)
    seconds = limit if isinstance(limit, int) else getattr(story.config, limit)
    asked = datetime.fromtimestamp(time_of(story, last.commit) + seconds, UTC)
    return asked.strftime("%Y-%m-%dT%H:%M:%SZ")
