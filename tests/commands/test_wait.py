"""Waiting ends when a run does, and looks no more often than the journal changes."""

from pathlib import Path

import pytest

from baton.commands.wait import is_over, wait_for
from baton.git.command import find_project
from baton.journal.journal import Journal
from bench import PLAN, Bench


def waited(bench: Bench, name: str, pause: object = None) -> list[str]:
    project = find_project(bench.root)
    return wait_for([name], [is_over(project, name)], 5, pause or never)  # type: ignore[arg-type]


def never(seconds: float) -> None:
    raise AssertionError("it waits")


def test_it_ends_when_the_run_has_ended(planning: Bench) -> None:
    run, looks = planning.run.id, list[float]()

    def meanwhile(seconds: float) -> None:
        looks.append(seconds)
        if len(looks) == 3:
            planning.next("--ended", run)

    assert waited(planning, run, meanwhile) == [run]
    assert len(looks) == 3
    assert waited(planning, run) == [run]


def test_no_time_is_not_waited_for() -> None:
    assert wait_for(["x"], [lambda: False], 0, never) == []


def test_handing_in_does_not_end_a_run(planning: Bench) -> None:
    planning.hand_in("plan", PLAN)
    planning.meta("planned")
    said = planning.baton("wait", planning.run.id, "--seconds", "0", "--json")
    assert (said.code, said.json) == (0, {"ended": []})


def test_for_a_story_it_ends_with_whatever_happens(planning: Bench) -> None:
    assert waited(planning, "42", lambda _: planning.next("--max-iterations", "3")) == ["42"]


def test_for_a_story_that_is_over_it_ends_at_once(judging: Bench) -> None:
    assert not is_over(find_project(judging.root), "42")()
    judging.judge()
    assert is_over(find_project(judging.root), "42")()


def test_a_journal_that_did_not_change_is_not_read_again(planning: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    over, read = is_over(find_project(planning.root), planning.run.id), list[Path]()

    def read_journal(path: Path) -> Journal:
        read.append(path)
        return Journal(path)

    monkeypatch.setattr("baton.commands.wait.Journal", read_journal)
    assert [over() for _ in range(5)] == [False] * 5
    assert len(read) == 1


def test_a_run_nobody_started_is_one_line(planning: Bench) -> None:
    said = planning.baton("wait", "sess_1_a_qa1").refused
    assert "no run sess_1_a_qa1" in said
    assert said.endswith("`baton status` names the stories, `baton timeline ID` a story's runs\n")
