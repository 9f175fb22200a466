"""A call that is killed wherever it writes or starts something is called again: every run is carried out once."""

import subprocess
from collections.abc import Callable, Generator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from baton.headless import at_work, client_process, one_story
from baton.headless.client_process import find_processes
from bench import Bench
from headless.conftest import NewCrew, take_on
from headless.fake_client import GO_ON, starts
from killing import Killed

# Where it is killed: at the call of this name so many times, before or after it.
Point = tuple[object, str, int, str]
POINTS: list[Point] = [
    (place, name, number, when)
    for place, name, number in [
        (one_story.OneStory, "_next", 1),
        (at_work, "call_baton", 1),
        (client_process, "_write_record", 1),
        (subprocess, "Popen", 3),
        (client_process, "_write_record", 2),
        (at_work, "open_story", 1),
        (at_work, "note_run_end", 1),
        (one_story.OneStory, "_next", 2),
        (one_story, "forget_processes", 2),
    ]
    for when in ("before", "after")
]


def dies_at(monkeypatch: pytest.MonkeyPatch, place: object, name: str, number: int, when: str) -> None:
    whole: Callable[..., Any] = getattr(place, name)
    calls = count(1)

    def call(*given: Any, **named: Any) -> Any:
        if (now := next(calls)) == number and when == "before":
            raise Killed
        done = whole(*given, **named)
        if isinstance(done, Generator):
            return _dies_after(done, now == number)
        if now == number:
            raise Killed
        return done

    monkeypatch.setattr(place, name, call)


def _dies_after(waiting: Generator[None, None, Any], dies: bool) -> Generator[None, None, Any]:
    done = yield from waiting
    if dies:
        raise Killed
    return done


def take_on_killed(crew_of: NewCrew, *orders: str, at: Point) -> None:
    """Take a story on by a call that is killed there, with a client that carries out these orders."""
    with pytest.MonkeyPatch.context() as patch:
        dies_at(patch, *at)
        with pytest.raises(Killed):
            take_on(crew_of(*orders))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("at", POINTS)
def test_every_run_is_carried_out_once(at: Point, crew_of: NewCrew, micro: Bench, programs: Path) -> None:
    take_on_killed(crew_of, at=at)
    assert take_on(crew_of()).how == "complete"
    assert starts(programs) == [micro.run.id]
    assert len(micro.state.runs) == 1
    assert find_processes(micro.project, "42") == []


def test_a_process_that_is_still_alive_is_waited_for(crew_of: NewCrew, micro: Bench, programs: Path) -> None:
    take_on_killed(crew_of, "hold", at=(at_work, "open_story", 1, "before"))
    (process,) = find_processes(micro.project, "42")
    assert process.lives
    told = list[str]()
    again = crew_of("hold", told=told)
    (programs / GO_ON).touch()
    assert take_on(again).how == "complete"
    assert told[0] == "implement in one run: goes on, started by an earlier call"
    assert starts(programs) == [micro.run.id]


def test_the_second_stop_ends_one_that_an_earlier_call_started(crew_of: NewCrew, micro: Bench) -> None:
    take_on_killed(crew_of, "hold", at=(at_work, "open_story", 1, "before"))
    (process,) = find_processes(micro.project, "42")
    crew = crew_of("hold")
    crew.stops = 2
    ended = take_on(crew)
    assert (ended.how, ended.says) == ("stopped", "you stopped it; `baton run 42` goes on")
    assert (process.lives, micro.rules[-1]) == (False, "run/stopped")
