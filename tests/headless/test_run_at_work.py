"""A story goes on by processes of the client; what becomes of each is an attempt, or none, and is told."""

from itertools import pairwise
from pathlib import Path

import pytest

from baton.errors import BatonError
from baton.headless.at_work import AtWork
from baton.headless.client_process import Waiting, find_processes
from baton.headless.crew import Row
from baton.headless.one_story import OneStory
from baton.journal.events import Spent
from baton.journal.lock import hold_lock
from baton.journal.paths import Project
from baton.story.ask.step import Step
from bench import Bench
from headless.conftest import NewCrew, take_on
from headless.fake_client import CHILD, starts

pytestmark = pytest.mark.sampled(5)


def test_a_run_is_carried_out_and_the_story_goes_on(crew_of: NewCrew, micro: Bench, programs: Path) -> None:
    told = list[str]()
    crew = crew_of(told=told)
    ended = take_on(crew)
    assert (ended.how, micro.state.stage) == ("complete", "complete")
    assert starts(programs) == [micro.run.id]
    assert [one.split(": ")[0] for one in told] == ["implement in one run", told[-1].split(": ")[0]]
    assert told[-1].startswith("implement in one run ended in ")
    assert find_processes(micro.project, "42") == []


def test_a_runs_spending_is_noted_and_paid(crew_of: NewCrew, micro: Bench) -> None:
    crew = crew_of()
    take_on(crew)
    spent = [event for event in micro.state.events if isinstance(event, Spent)]
    assert [one.models for one in spent] == [{"claude-opus-5-5": [1, 10, 5, 100, 1, 0, 0]}]
    assert (crew.spent, spent[0].session) == (0.5, micro.run.starts[0][1].client_session)


@pytest.mark.parametrize("order", ["fail", "unstarted", "die"])
def test_a_client_that_fails_starts_once_more(order: str, crew_of: NewCrew, micro: Bench, programs: Path) -> None:
    assert take_on(crew_of(order)).how == "complete"
    assert starts(programs) == [micro.run.id] * 2
    assert len(micro.state.runs) == 1


@pytest.mark.parametrize(("order", "said"), [
    ("fail", "API Error: 500"), ("unstarted", "error: unknown option"),
    ("die", "it was killed by signal 9, as where memory is short"),
    ("interrupt", "it was killed by signal 2"), ("crash", "Error: ENOSPC: no space left on device"),
])  # fmt: skip
def test_a_client_that_fails_twice_costs_no_attempt(order: str, said: str, crew_of: NewCrew, micro: Bench) -> None:
    told = list[str]()
    ended = take_on(crew_of(order, order, told=told))
    assert micro.run.judged
    assert micro.run.judged.reason.startswith(f"the client failed: {said}; it does not count as an attempt")
    assert "you stopped" not in told[-1]
    assert (ended.how, ended.says) == ("error", f"the client failed: {said}; `baton run 42` goes on")
    assert micro.rules[-1] == "run/stopped"
    assert take_on(crew_of()).how == "complete"


def test_children_of_a_killed_process_are_ended(crew_of: NewCrew, programs: Path) -> None:
    assert take_on(crew_of("orphan")).how == "complete"
    status = Path(f"/proc/{(programs / CHILD).read_text()}/stat")
    assert not status.exists() or status.read_text().rpartition(") ")[2][0] == "Z"


def test_waiting_for_github_holds_nothing(crew_of: NewCrew, micro: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    wait = Step("42", "integration", "wait", "ci/wait", "its checks run", seconds=30, until="2026-11-24T12:00:00Z")
    steps = iter([wait, wait, Step("42", "integration", "complete", "integrate/base", "merged")])
    paused, told = list[float](), list[str]()
    crew = crew_of(told=told)

    def step(*_: object) -> Waiting[Step]:
        yield
        return next(steps)

    def pause(seconds: float) -> Waiting[None]:
        paused.append(seconds if crew.rows["42"].stands == "rests" else 0)
        yield

    monkeypatch.setattr(OneStory, "_next", step)
    monkeypatch.setattr(crew, "pause", pause)
    assert take_on(crew).says == "merged"
    assert (paused, told) == ([30, 30], ["waits: its checks run"])


def test_a_merge_meanwhile_is_in_the_tree(crew_of: NewCrew, micro: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    micro.next("--ended", micro.run.id, "--stopped")
    crew, moved = crew_of(), list[str]()
    goes_on = crew.enter

    def wait(story: str) -> Waiting[str]:
        moved.append(micro.commit({"new.py": f"NEW = {len(moved)}\n"}))
        return (yield from goes_on(story))

    monkeypatch.setattr(crew, "enter", wait)
    assert take_on(crew).how == "complete"
    assert micro.git("merge-base", moved[-1], micro.run.dispatched.head) == moved[-1]


def test_once_the_budget_is_spent_no_run_is_started(crew_of: NewCrew, micro: Bench) -> None:
    crew = crew_of(budget=0.5)
    assert crew.share == 0.5
    assert take_on(crew).how == "complete"  # to be merged costs nothing
    assert (crew.share, crew.closed) == (0.0, "the budget of this call is spent")


@pytest.mark.parametrize(("budget", "how", "says"), [
    (0.5, "stopped", "the budget of this call is spent"), (None, "waits", "the client failed: done"),
], ids=["of this call", "of another"])  # fmt: skip
def test_a_run_that_a_budget_cut_off_is_no_attempt(
    budget: float | None, how: str, says: str, crew_of: NewCrew, micro: Bench
) -> None:
    ended = take_on(crew_of("spend", budget=budget))
    assert (ended.how, ended.says, micro.rules[-1]) == (how, f"{says}; `baton run 42` goes on", "run/stopped")


def test_too_small_a_budget_ends_the_turn(crew_of: NewCrew, micro: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = take_on(crew_of("spend", budget=2.0))
    assert (ended.how, ended.says) == (
        "stopped",
        "too little of the budget is left for its next run; `baton run 42` goes on",
    )
    crew = crew_of("work", "spend", budget=2.0, parallel=2)
    crew.rows["43"] = Row("43", crew.rows["42"].known)
    pay = crew.pay

    def pay_as_the_other_ends(story: str, cost: float, *, short: bool) -> None:
        pay(story, cost, short=short)
        crew.rows["43"].stands = "over"

    monkeypatch.setattr(crew, "pay", pay_as_the_other_ends)
    assert (take_on(crew).how, crew.spent) == ("complete", 1.0)


def test_a_run_past_the_time_is_judged(crew_of: NewCrew, micro: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    crew = crew_of()
    start = AtWork._start

    def start_late(run: AtWork) -> Waiting[None]:
        yield from start(run)
        crew.options = crew.options._replace(wait=0.0)

    monkeypatch.setattr(AtWork, "_start", start_late)
    assert (take_on(crew).how, micro.state.stage) == ("complete", "complete")


def test_once_the_time_is_over_no_run_is_started(crew_of: NewCrew, programs: Path) -> None:
    ended = take_on(crew_of(wait=0.0))
    assert (ended.how, ended.says) == ("unfinished", "the time of `--wait` is over; `baton run 42` goes on")
    assert starts(programs) == []


def test_a_process_is_told_its_share(crew_of: NewCrew, micro: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    given = list[str]()

    def start(project: Project, story: str, run: str, argv: list[str], *_: object) -> None:
        given.extend(argv)
        raise BatonError("not now", "here", "later")

    monkeypatch.setattr("baton.headless.at_work.start_process", start)
    assert [take_on(crew_of(budget=one)).how for one in (0.123456, None)] == ["error", "error"]
    assert [two for one, two in pairwise(given) if one == "--max-budget-usd"] == ["0.1234"]


def test_the_second_of_two_calls_for_one_story_says_so(crew_of: NewCrew, micro: Bench) -> None:
    with hold_lock(micro.project.state / "42" / "supervisor.lock", "baton run"):
        ended = take_on(crew_of())
    assert ended.how == "error"
    assert "(baton run)" in ended.says


def test_a_question_ends_the_turn_and_is_shown(crew_of: NewCrew, micro: Bench) -> None:
    micro.edit({"x": "1"})
    micro.insist("return-meta", '{"status": "blocked", "errors": [{"message": "no network"}]}')
    ended = take_on(crew_of())
    assert ended.how == "asks"
    assert ended.question is not None


def test_a_run_that_a_client_works_on_is_left_to_it(crew_of: NewCrew, micro: Bench, programs: Path) -> None:
    micro.meta("in_progress")  # whoever hands something in has started
    ended = take_on(crew_of())
    assert (ended.how, starts(programs)) == ("waits", [])
    assert ended.says.endswith(f"`baton next 42 --ended {micro.run.id}`")
