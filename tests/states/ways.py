"""How states are reached, by their names, each from another one: here the stages, and an example of every kind.

The ways to the others went once they were recorded: `git log --diff-filter=D -p -- tests/states/ways_at_github.py`
shows those to GitHub and rounds, the log of this file those to what was adopted, answered, changed and killed.
"""

from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from typing import Any, NamedTuple
from unittest.mock import patch

import pytest

import bench as benches
import conftest
from baton.journal.events import NAMES, Event
from baton.journal.journal import Journal
from bench import Bench, new_bench
from delivery.scene import DeliveryScene, make_scene
from fake_github.hub import Hub
from fake_github.inside import answer_inside
from feedback import scene as rounds
from killing import Killed
from scenes import SCENES
from states.state import REMOTE
from states.take_on import AGENTS

Play = Callable[[Bench], Any]
NEXT = "next ID"
WAITS = "github/ci-wait"
FETCHED = "rounds/fetched"


class Way(NamedTuple):
    """How a state is reached: from which other one, by what; and the calls its user makes first to go on."""

    start: str
    play: Play
    calls: tuple[str, ...] = (NEXT,)
    id: str = "42"
    runs: int = 1  # so many runs are then made
    like: str = ""  # the state it is kept by, if not the first
    asked: tuple[str, ...] = ()  # the question of a round and its answers


WAYS: dict[str, Way] = {}


def way(name: str, start: str, *calls: str, **more: Any) -> Callable[[Play], Play]:
    """Enter a way."""

    def enter(play: Play) -> Play:
        assert name not in WAYS
        WAYS[name] = Way(start, play, calls or (NEXT,), **more)
        return play

    return enter


# Stages, what each row of the tables leads to, and how the run that is out stands


@way("stages/bench", "")
def begin(bench: Bench) -> None:
    with patch.object(benches, "plant", lambda bench: None):
        new_bench(bench.root)


for before, stage in pairwise(conftest.STAGES):
    way(f"stages/{stage}", f"stages/{before}")(conftest.STAGES[stage])
way("stages/micro", "stages/bench")(conftest.begin_small)
# Scenes that lead where a stage is.
SAME = (
    "planning/valid",
    "report/valid",
    "start/planning",
    "start/micro",
    "in-progress/wait",
    "in-progress/unknown-run",
)
for scene in dict.fromkeys(SCENES.values()):  # each once, by its last row
    rule = [one for one in SCENES if SCENES[one] == scene][-1]
    if rule not in SAME:
        way(f"rules/{rule.replace('/', '-')}", f"stages/{scene.stage}")(scene.play)


@way("runs/judging-handed-in", "stages/judging", "next ID --ended RUN")
def hand_in_all(bench: Bench) -> None:
    """Be the run that is out, and end, but tell nobody of it."""
    with patch.object(Bench, "end", lambda bench: None):
        AGENTS[bench.run.role](bench)


# Cut short


def killed_at(kind: str, number: int, act: Play) -> Play:
    """Do something in a process that ends right before the n-th event of a kind is journalled, or after (+)."""
    real, left = Journal.append, iter(range(number - 1, -1, -1))

    def append(journal: Journal, event: Event) -> Any:
        if NAMES[type(event)] == kind.rstrip("+") and not next(left):
            if kind.endswith("+"):
                real(journal, event)
            raise Killed
        return real(journal, event)

    def play(bench: Bench) -> None:
        with patch.object(Journal, "append", append), suppress(Killed):
            act(bench)

    return play


way("killed/judging-effect-done-2", "runs/judging-handed-in")(killed_at("effect-done", 2, Bench.next))

# At GitHub, and rounds of feedback


def delivered(
    act: Callable[[DeliveryScene], Any], push: Callable[[DeliveryScene], Any], mode: str = "merge"
) -> Play:
    """Have a story that QA is about to pass in a clone of a repository at GitHub, and do something there."""

    def play(bench: Bench) -> DeliveryScene:
        hub, given = Hub(), pytest.MonkeyPatch()
        answer_inside(hub, given)
        made = make_scene(bench, hub, bench.root.with_name(REMOTE), mode, "quiet_s: 0", given)
        made.on_push(lambda sha: push(made))
        act(made)
        return made

    return play


def round_of(act: Callable[[rounds.PullScene], Any], settings: str = rounds.PLAIN) -> Play:
    """Do something in a round on a pull request with two threads and a comment."""

    def play(bench: Bench) -> rounds.PullScene:
        hub, given = Hub(), pytest.MonkeyPatch()
        answer_inside(hub, given)
        given.setattr("baton.github.client.sleep", lambda seconds: None)
        rounds.repository(bench, bench.root.with_name(REMOTE), settings)
        here = rounds.scene(bench, hub, bench.root.with_name(REMOTE))
        here.pull.thread("src/a.py", 1, by="alice", body="Rename this variable.")
        here.pull.thread("src/b.py", 1, by="alice", body="Why is this here?")
        here.pull.comment(by="bob", body="Please say what it is for.")
        act(here)
        return here

    return play


way(WAITS, "stages/judging")(
    delivered(DeliveryScene.deliver, lambda made: made.actions.job(made.head, status="in_progress"))
)
way(FETCHED, "stages/bench")(round_of(rounds.PullScene.fetch))
way("rounds/planned", "stages/bench", like=FETCHED)(round_of(rounds.PullScene.plan))
