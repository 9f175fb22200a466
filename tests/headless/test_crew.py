"""What the stories of one call share: who goes on, beside whom, until when; and what is checked first."""

import os

import pytest

from baton.commands.run_verb import exit_code, table
from baton.errors import BatonError
from baton.headless import crew as crew_module
from baton.headless.chosen import check_permissions, choose_stories, find_client
from baton.headless.client_process import Waiting, environment_of
from baton.headless.crew import HALTS, LATE, SHORT, SPENT, STOPPED, UNNAMED, Crew, RunOptions
from baton.headless.event import Event
from baton.headless.one_story import OneStory, TurnEnd, take_stories_on
from baton.story.begin.dependencies import KnownStory
from bench import ROOT, Bench, call

THREE = ["1", "2", "3"]
Views = dict[str, KnownStory]


@pytest.fixture
def views(monkeypatch: pytest.MonkeyPatch) -> Views:
    """Three stories, as a test wants them."""
    found = {name: KnownStory(name, ()) for name in THREE}
    monkeypatch.setattr(Crew, "_known", lambda self, name: found[name])
    return found


def crew_of(bench: Bench, **options: object) -> Crew:
    return Crew(bench.project, THREE, RunOptions("claude", ROOT, **options), lambda _: None)  # type: ignore[arg-type]


def enter(crew: Crew, story: str) -> str | None:
    """Have a story ask whether it may go on: gives what it is told, None while it waits."""
    asks = crew.enter(story)
    for _ in range(2):
        try:
            next(asks)
        except StopIteration as told:
            return str(told.value)
        crew.let_go()
    return None


def test_the_processes_of_each_story_have_a_number_of_their_own(bench: Bench, views: Views) -> None:
    found = [environment_of(bench.project, one, module=False) for one in ("1", "2", "1")]
    assert [one["BATON_SLOT"] for one in found] == ["1", "2", "1"]


def test_a_story_waits_while_as_many_as_may_work_do(bench: Bench, views: Views) -> None:
    crew = crew_of(bench, parallel=1)
    assert [enter(crew, one) for one in ("1", "2")] == ["", None]
    crew.leave("1", over=True)
    crew.let_go()
    assert [crew.rows[one].stands for one in ("1", "2")] == ["over", "works"]


def test_waiting_for_a_stopped_story_is_told(bench: Bench, views: Views, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew_module, "why_held", lambda one, *_, **__: "waits for 9" if one.id == "2" else "")
    crew = crew_of(bench, parallel=2)
    for name in ("1", "3"):
        enter(crew, name)
        crew.leave(name, over=True)
    assert enter(crew, "2") == "what it waits for does not go on here: waits for 9"


def test_only_the_first_of_two_running_stories_with_one_file_goes_on(bench: Bench, views: Views) -> None:
    for one in ("1", "2"):
        views[one] = KnownStory(one, (), claims=("a",), changing=True)
    crew = crew_of(bench, parallel=2)
    for one in ("1", "2"):
        crew.stay(one)  # each by a process that an earlier call started, and that is over now
    assert [enter(crew, one) for one in ("2", "1")] == [None, ""]


def test_a_stop_and_a_spent_budget_end_all_waits(bench: Bench, views: Views) -> None:
    crew = crew_of(bench, budget=1.0)
    crew.pay("1", 1.0)
    assert enter(crew, "1") == SPENT
    crew.stops = 1
    assert enter(crew, "1") == STOPPED


@pytest.mark.parametrize(("wait", "why"), [(0.0, LATE), (3600.0, ""), (None, "")])
def test_past_its_time_nothing_is_waited_for(wait: float | None, why: str, bench: Bench, views: Views) -> None:
    crew = crew_of(bench, wait=wait)
    assert (crew.halted, enter(crew, "1")) == (why, why)


@pytest.mark.parametrize(("wait", "stops", "told"), [
    (None, (0, 0), []), (None, (1, 1, 2, 3), [1, 2]), (3600.0, (0, 1), [1]), (0.0, (0, 0, 2), [0, 2]),
])  # fmt: skip
def test_that_nothing_is_started_any_more_is_told_once(
    wait: float | None, stops: tuple[int, ...], told: list[int], bench: Bench, views: Views
) -> None:
    crew, happened = crew_of(bench, wait=wait), list[Event]()
    crew.emit = happened.append
    for crew.stops in stops:
        crew.let_go()
    assert [(one.kind, one.says) for one in happened] == [("halts", HALTS[one]) for one in told]


def test_a_fault_ends_one_storys_turn_alone(bench: Bench, views: Views, monkeypatch: pytest.MonkeyPatch) -> None:
    def go_on(story: OneStory) -> Waiting[TurnEnd]:
        yield
        if story.id == "1":
            raise ZeroDivisionError
        return TurnEnd(story.id, "complete", "merged")

    monkeypatch.setattr(OneStory, "go_on", go_on)
    crew, happened = crew_of(bench), list[Event]()
    crew.emit = happened.append
    ended, [bug] = take_stories_on(crew, lambda: None)
    assert isinstance(bug, ZeroDivisionError)
    assert [(one.kind, one.story) for one in happened] == [("turn", one) for one in ("1", "2", "3")]
    assert [one.how for one in ended] == ["error", "complete", "complete"]


def test_the_rest_of_the_budget_is_shared_among_the_possible_runs(bench: Bench, views: Views) -> None:
    crew = crew_of(bench, parallel=2, budget=6.0)
    assert [crew.take_share(one, 0) for one in ("1", "2")] == [3.0, 3.0]
    crew.pay("1", 1.0)
    assert crew.take_share("1", 0) == 2.0  # 3 of the 5 that are left are given out
    crew.pay("1", 2.0)
    crew.leave("1", over=True)
    crew.pay("2", 1.0)
    crew.leave("2", over=True)
    assert (crew.share, crew_of(bench).share) == (2.0, float("inf"))


@pytest.mark.parametrize("parallel", [1, 2, 3])
@pytest.mark.parametrize("part", [0.3, 1.0])
def test_shares_and_spending_fit_the_budget(parallel: int, part: float, bench: Bench, views: Views) -> None:
    crew, out, spent = crew_of(bench, parallel=parallel, budget=5.0), dict[str, float](), 0.0
    for number in range(12):
        one = THREE[number % parallel]
        if one in out:
            spent += part * out.pop(one)
            crew.pay(one, spent - crew.spent)
        if not crew._why_held(crew.rows[one], crew._known_now()):
            out[one] = crew.take_share(one, 0)
        assert spent + sum(out.values()) <= 5.0
    assert spent > 3.0


def test_a_second_process_of_a_run_has_what_the_first_has_left(bench: Bench, views: Views) -> None:
    crew = crew_of(bench, parallel=2, budget=6.0)
    assert [crew.take_share("1", used) for used in (0, 2.0)] == [3.0, 1.0]


@pytest.mark.parametrize(("others", "goes_on"), [(0.2, True), (0.9, False)])
def test_what_others_leave_extends_a_spent_share(others: float, goes_on: bool, bench: Bench, views: Views) -> None:
    crew = crew_of(bench, parallel=3, budget=3.0)
    for one in THREE:
        enter(crew, one)
        crew.take_share(one, 0)
    crew.pay("1", 1.0, short=True)
    for one in THREE[1:]:
        crew.pay(one, others)
        crew.leave(one, over=True)
    assert enter(crew, "1") == ("" if goes_on else SHORT)


def test_a_story_short_of_a_share_gives_up(bench: Bench, views: Views, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew_module, "why_held", lambda one, *_, **__: "waits for 1" if one.id != "1" else "")
    for short, stuck in ((True, [SHORT, "", ""]), (False, ["", "", ""])):
        crew = crew_of(bench, budget=2.0)
        crew.take_share("1", 0)
        crew.pay("1", 1.5, short=short)
        for one in THREE:
            next(crew.enter(one))
        crew.let_go()
        assert [row.stuck for row in crew.rows.values()] == stuck  # where it is not short, the first goes on


@pytest.mark.parametrize(("parallel", "told"), [(3, ["1"]), (1, [])])
def test_a_story_of_unknown_files_is_told_once(parallel: int, told: list[str], bench: Bench, views: Views) -> None:
    views |= {"1": KnownStory("1", (), changing=True), "2": KnownStory("2", (), claims=("a",), changing=True)}
    happened = list[Event]()
    crew = crew_of(bench, parallel=parallel)
    crew.emit = happened.append
    for one in (*THREE, *THREE):
        enter(crew, one)
    assert [one.story for one in happened if one.says == UNNAMED] == told


def test_a_process_knows_no_conversation(bench: Bench, views: Views, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s1")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "/c")
    found = environment_of(bench.project, "1", module=False)
    assert ("CLAUDE_CODE_SESSION_ID" in found, found["CLAUDE_CONFIG_DIR"]) == (False, "/c")


@pytest.mark.parametrize(("ends", "code"), [
    (["complete", "complete"], 0), (["complete", "asks"], 1), (["waits"], 1), (["asks", "error"], 2),
    (["complete", "stopped"], 4), (["asks", "stopped", "waits"], 4), (["stopped", "error"], 2),
    (["asks", "unfinished"], 5), (["unfinished", "stopped"], 4),
])  # fmt: skip
def test_the_exit_code_says_what_weighs_most_of_how_stories_ended(ends: list[str], code: int) -> None:
    assert exit_code([TurnEnd("1", how, "") for how in ends]) == code


def test_the_table_shows_each_story_in_one_line(bench: Bench, views: Views) -> None:
    crew = crew_of(bench, budget=2.0)
    row = crew.rows["2"]
    row.task, row.since, row.tokens, row.line = "QA", 1.0, 12_300, "Bash: baton check test"
    head, _, *rows = table(crew, 6.0)
    assert head == "stories: 3; runs at work: 1; $0.00 of $2.00 so far"
    assert rows[1] == "2  QA  5 s  12.3k tokens  Bash: baton check test"


def test_rules_that_are_missing_are_named_before_anything_starts(story: Bench) -> None:
    story.configure("base: main\nintegrate: {mode: local}\ncommands: {test: npm test}\n")
    with pytest.raises(BatonError, match=r"no rule allows Bash\(npm test\).*`baton init --allow` adds that"):
        check_permissions(story.project, "acceptEdits")
    assert (
        check_permissions(story.project, "bypassPermissions") == "Permission mode bypassPermissions: nothing asks."
    )
    assert story.baton("init", "--allow").code == 0
    assert check_permissions(story.project, "acceptEdits").startswith(
        "Permission mode acceptEdits: edits do not ask;"
    )


def test_without_the_client_nothing_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.devnull)
    with pytest.raises(BatonError, match="no `claude` on PATH"):
        find_client()


def test_ready_are_those_that_go_on_without_the_user(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.new()
    assert choose_stories(bench.project, (), ready=True) == ["42"]
    bench.next()  # it asks
    assert choose_stories(bench.project, (), ready=True) == []
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s1")
    bench.answer("accept")  # and its run is given to a client
    assert choose_stories(bench.project, (), ready=True) == []
    assert choose_stories(bench.project, ("42",), ready=True) == ["42"]


def test_a_run_sent_out_that_nobody_could_start_is_ready(micro: Bench) -> None:
    assert choose_stories(micro.project, (), ready=True) == ["42"]


def test_a_call_without_stories_and_one_for_none_that_is_there_are_refused(bench: Bench) -> None:
    assert "name stories, or say --ready" in bench.baton("run").refused
    with pytest.raises(BatonError, match="no story 7"):
        choose_stories(bench.project, ("7",), ready=False)
    assert call("run", "--help").code == 0
