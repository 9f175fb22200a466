"""Numbers over the stories that changed last: each figure counts what it says, and not its neighbour."""

import os
import shutil
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.journal.events import Completed, Event, Spent
from baton.journal.journal import Journal, Record
from baton.journal.run import ROLES
from baton.story.status.statistics import Followed, Statistics, read_newest, statistics_of
from bench import Bench, PlayScene
from journal.happenings import COMPLETED, CREATED, answered, asked, dispatched, ended, judged
from scenes import spend

OPUS, HAIKU = "claude-opus-5-5", "claude-haiku-4-5"
QUESTION = asked("qa/escalate", "qa", "escalate", accept="below", abandon="abandon")
ABANDONED = (QUESTION, answered("qa/escalate", "abandon", "abandon"))
SENT = dispatched("p1", "planner")
COMMON = {"runs", "tokens", "requests", "input", "cache_read", "cache_write", "output_at_least", "seconds"}


def followed(*events: Event, undone: bool = False) -> Followed:
    """Give a story to which this happened after it was made, a minute each."""
    times = (f"2026-11-24T08:{at:02}:00Z" for at in range(60))
    return Followed([Record(0, next(times), event) for event in (CREATED, *events)], undone)


def counted(*events: Event) -> Statistics:
    return statistics_of([followed(*events)])


def told(rows: Sequence[tuple[str, int, str]]) -> dict[str, int]:
    return {rule: times for rule, times, _ in rows}


def figures(bench: Bench, *words: str) -> Any:
    """Return the figures that the report of all stories has."""
    return bench.baton("report", "--all", "--json", *words).json["figures"]


def came_to(bench: Bench) -> dict[str, int]:
    """Return how many stories came to what, without those that none came to."""
    return {name: count for name, count in figures(bench)["outcomes"].items() if count}


def made(bench: Bench, story_id: str, minute: int, *events: Event) -> None:
    """Make a story that changed last at this minute, as its journal and the time of its file say."""
    path, at = bench.project.journal(story_id), f"2026-01-02T03:{minute:02}:00Z"
    path.parent.mkdir(parents=True)
    journal = Journal(path, clock=lambda: at)
    for event in (CREATED._replace(story=story_id, repository="", folder=f"specs/{story_id}_x"), *events):
        journal.append(event)
    os.utime(path, (datetime.fromisoformat(at).timestamp(),) * 2)


@pytest.mark.parametrize(("story", "outcome"), [
    (followed(), "not_begun"),
    (followed(SENT), "under_way"),
    (followed(SENT, ended("p1"), judged("p1", "implementer")), "under_way"),
    (followed(SENT, QUESTION), "waiting_for_you"),
    (followed(SENT, QUESTION, answered("qa/escalate", "qa")), "under_way"),
    (followed(SENT, *ABANDONED), "abandoned"),
    (followed(SENT, COMPLETED), "merged"),
    (followed(SENT, Completed("integrate/pr", "head", "report.md")), "complete_not_merged"),
    (followed(SENT, Completed("integrate/branch", "head", "report.md")), "complete_not_merged"),
    (followed(SENT, COMPLETED, undone=True), "undone"),
])  # fmt: skip
def test_a_story_counts_for_one_outcome(story: Followed, outcome: str) -> None:
    outcomes = statistics_of([story]).outcomes
    assert [(name, count) for name, count in outcomes.items() if count] == [(outcome, 1)]


def test_a_story_that_asked_twice_is_one_story_with_two_questions() -> None:
    by_judgment = judged("p1", "", "planning/blocked")._replace(question={"phase": "planning", "findings": []})
    found = statistics_of([followed(SENT, by_judgment, *ABANDONED), followed(SENT, judged("p1", "implementer"))])
    assert (found.with_a_question, found.outcomes["waiting_for_you"]) == (1, 0)
    assert told(found.questions) == {"planning/blocked": 1, "qa/escalate": 1}


def test_what_a_question_was_about_is_said_as_explain_does(bench: Bench) -> None:
    [row] = counted(SENT, QUESTION).questions
    assert row.when == bench.baton("explain", "qa/escalate", "--json").json["rows"][-1]["when"]


def test_an_attempt_failed_that_a_budget_was_charged_with() -> None:
    stopped, invalid = (
        judged("p1", "planner", "run/stopped"),
        judged("p2", "planner", "planning/invalid", "planning"),
    )
    found = counted(SENT, stopped, dispatched("p2", "planner"), invalid, judged("p3", "qa", "report/valid"))
    assert told(found.failed_attempts) == {"planning/invalid": 1}


def test_runs_count_by_role_and_the_conversation_is_none() -> None:
    spent = Spent("p1", "s", {OPUS: [1, 10]}, 60), Spent("", "s", {OPUS: [1, 5]})
    found = counted(SENT, dispatched("q1", "qa"), *spent)
    assert {name: (used["runs"], used["tokens"]) for name, used in found.by_role.items()} == {
        "planner": (1, 10), "conversation": (0, 5), "qa": (1, 0),
    }  # fmt: skip
    assert (found.in_all["runs"], found.in_all["tokens"], found.in_all["runs_not_known"]) == (2, 15, 1)


def test_a_run_and_its_minutes_count_for_the_model_that_did_most_of_it() -> None:
    found = counted(SENT, Spent("p1", "s", {HAIKU: [9, 10], OPUS: [1, 90]}, 61)).by_model
    assert {name: (used["runs"], used["minutes"], used["tokens"]) for name, used in found.items()} == {
        OPUS: (1, 2, 90), HAIKU: (0, 0, 10),
    }  # fmt: skip


def test_the_model_is_the_one_that_ran_not_the_one_that_was_asked_for() -> None:
    found = counted(SENT._replace(model="opus"), Spent("p1", "s", {HAIKU: [1, 1_000_000]}, 61))
    assert [(name, used["usd"]) for name, used in found.by_model.items()] == [(HAIKU, [1, 1])]


COUNTS = st.lists(st.integers(0, 10**9), min_size=1, max_size=7)
USED = st.dictionaries(st.sampled_from([OPUS, HAIKU, "claude-haiku-5-5", "gpt-6"]), COUNTS, max_size=3)


Runs = list[tuple[str, dict[str, list[int]], int]]


def happened(runs: Runs) -> Iterator[Event]:
    """Give what a story's runs, and the conversation without a role, have used."""
    for at, (role, models, seconds) in enumerate(runs):
        run = f"r{at}" if role else ""
        yield from [dispatched(run, role)] if role else []
        yield Spent(run, "s", models, seconds if role else 0, "?")


@given(st.lists(st.lists(st.tuples(st.sampled_from([*ROLES, ""]), USED, st.integers(0, 9999)), max_size=20)))
def test_what_was_used_by_role_by_model_and_in_all_is_the_same(stories: list[Runs]) -> None:
    found = statistics_of([followed(*happened(runs)) for runs in stories])
    for name in (*COMMON, "runs_not_known"):
        for groups in (found.by_role, found.by_model):
            assert sum(used[name] for used in groups.values()) == found.in_all[name], name
    low, high = (round(sum(used["usd"][end] for used in found.by_model.values()), 2) for end in (0, 1))
    assert (low, high) == pytest.approx(found.in_all["usd"], abs=0.02)


def test_a_story_that_was_merged_says_so_until_it_is_undone(judging: Bench) -> None:
    judging.judge()
    spend(judging, 1_500_000)
    assert (came_to(judging), figures(judging)["with_a_question"]) == ({"merged": 1}, 1)
    commit = judging.baton("undo", "42", "--json").json["commit"]
    found = figures(judging)
    assert (found["outcomes"]["merged"], found["outcomes"]["undone"]) == (0, 1)
    assert (found["in_all"]["usd"], found["by_role"]["qa"]["runs"]) == ([6, 6], 1)
    judging.git("revert", "--no-edit", commit)
    assert came_to(judging) == {"merged": 1}


@pytest.mark.parametrize(("rule", "outcome"), [
    ("in-progress/abandoned", "abandoned"), ("qa/escalate", "waiting_for_you"),
    ("integrate/branch", "complete_not_merged"),
])  # fmt: skip
def test_what_a_story_came_to_is_read_from_its_journal(rule: str, outcome: str, play: PlayScene) -> None:
    assert came_to(play(rule)[0]) == {outcome: 1}


def test_only_the_stories_that_changed_last_count(bench: Bench) -> None:
    for minute, story_id in enumerate(("1", "2", "3")):
        made(bench, story_id, minute, SENT)
    os.utime(bench.project.journal("1"))  # a file may be newer than what it tells, as a copy is
    found = figures(bench, "--last", "2")
    assert (found["stories"], found["changed_from"]) == (2, "2026-01-02T03:01:00Z")


def test_journals_that_did_not_change_are_not_read(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    read = list[Path]()

    def read_one(path: Path) -> Journal:
        read.append(path)
        return Journal(path)

    for number in range(9):
        made(bench, str(number), number)
    monkeypatch.setattr("baton.story.session.open_story.Journal", read_one)
    assert len(read_newest(bench.project, 2)[0]) == 2
    assert [path.parent.name for path in read] == ["8", "7"]


def test_a_journal_that_cannot_be_read_is_named_and_the_others_count(bench: Bench) -> None:
    made(bench, "1", 1)
    made(bench, "2", 2)
    bench.project.journal("2").write_bytes(b"not a journal\n")
    made(bench, "3", 3)
    bench.project.journal("3").unlink()
    shutil.copytree(bench.project.journal("1").parent, bench.project.journal("4").parent)  # would count twice
    found = bench.baton("report", "--all", "--json").json
    assert (found["figures"]["stories"], len(found["not_read"])) == (1, 3)
    assert sum("a journal of story 1 at " in one for one in found["not_read"]) == 1


def test_without_a_story_every_count_is_nothing(bench: Bench) -> None:
    assert (figures(bench)["stories"], came_to(bench)) == (0, {})
