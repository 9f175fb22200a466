"""A small story that a call of `baton run` takes on, by a client that is none."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from baton.bootstrap import data_home
from baton.headless.crew import Crew, RunOptions
from baton.headless.event import Event
from baton.headless.one_story import TurnEnd, take_story_on
from bench import ROOT, Bench
from headless.fake_client import install

NewCrew = Callable[..., Crew]
LOOK_SECONDS = 0.02
DATA = Path(data_home()).parent  # this machine's, where the launcher finds its packages


def take_on(crew: Crew) -> TurnEnd:
    """Take a story of a call as far as it goes."""
    turn = take_story_on(crew, "42")
    while True:
        crew.let_go()
        try:
            next(turn)
        except StopIteration as end:
            ended: TurnEnd = end.value
            return ended
        time.sleep(LOOK_SECONDS)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the client."""
    monkeypatch.setenv("XDG_DATA_HOME", str(DATA))
    return tmp_path / "programs"


@pytest.fixture
def crew_of(micro: Bench, programs: Path) -> NewCrew:
    """Make what a call shares, with a client that carries out these orders; the story's run is due."""

    def make(*orders: str, told: list[str] | None = None, **options: object) -> Crew:
        found = RunOptions(str(install(programs, *orders)), ROOT, **options)  # type: ignore[arg-type]

        def emit(event: Event) -> None:
            if told is not None and event.kind != "turn":
                told.append(event.says)

        return Crew(micro.project, ["42"], found, emit)

    return make
