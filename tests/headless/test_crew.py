"""What the stories of one call share: who goes on, beside whom, until when; and what is checked first."""

from __future__ import annotations

import os
import threading

import pytest

from baton.commands.run import exit_code, table
from baton.errors import BatonError
from baton.headless import crew as crew_module
from baton.headless.chosen import check_permissions, choose_stories, find_client
from baton.headless.crew import LATE, SHORT, SPENT, STOPPED, Crew, RunOptions
from baton.headless.one_story import TurnEnd
from baton.headless.schedule import StoryView
from bench import ROOT, Bench, call

THREE = ["1", "2", "3"]
Views = dict[str, StoryView]


@pytest.fixture
def views(monkeypatch: pytest.MonkeyPatch) -> Views:
    """Three stories, as a test wants them."""
    found = {name: StoryView(name, (), None, over=False, changing=False, running=False) for name in THREE}
    monkeypatch.setattr(Crew, "_view", lambda self, name: found[name])
    return found


def crew_of(bench: Bench, **options: object) -> Crew:
    return Crew(bench.project, THREE, RunOptions("claude", ROOT, **options), lambda _: None)  # type: ignore[arg-type]


def test_the_processes_of_each_story_have_a_number_of_their_own(bench: Bench, views: Views) -> None:
    crew = crew_of(bench)
    assert [crew.environment(one, module=False)["BATON_SLOT"] for one in ("1", "2", "1")] == ["1", "2", "1"]


def test_where_as_many_as_may_work_do_one_waits(bench: Bench, views: Views) -> None:
    crew = crew_of(bench, parallel=1)
    crew.enter("1")
    waiting = threading.Thread(target=crew.enter, args=("2",))
    waiting.start()
    crew.leave("1", over=True)
    waiting.join(10)
    assert (waiting.is_alive(), crew.closed) == (False, "")


def test_who_waits_for_one_that_does_not_go_on_is_told(
    bench: Bench, views: Views, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crew_module, "why_held", lambda one, *_, **__: "waits for 9" if one.id == "2" else "")
    crew = crew_of(bench, parallel=2)
    for name in ("1", "3"):
        crew.enter(name)
        crew.leave(name, over=True)
    assert crew.enter("2") == "what it waits for does not go on here: waits for 9"


def test_a_stop_and_a_spent_budget_end_all_waits(bench: Bench, views: Views) -> None:
    crew = crew_of(bench, budget=1.0)
    crew.pay("1", 1.0)
    assert crew.enter("1") == SPENT
    crew.stops = 1
    assert crew.enter("1") == STOPPED


@pytest.mark.parametrize(("wait", "why"), [(0.0, LATE), (3600.0, ""), (None, "")])
def test_once_its_time_is_over_nothing_is_waited_for(
    wait: float | None, why: str, bench: Bench, views: Views
) -> None:
    crew = crew_of(bench, wait=wait)
    assert (crew.halted, crew.enter("1")) == (why, why)


def test_what_is_left_is_shared_among_the_runs_that_can_be_out(bench: Bench, views: Views) -> None:
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
def test_what_is_given_out_and_spent_is_never_more_than_the_budget(
    parallel: int, part: float, bench: Bench, views: Views
) -> None:
    crew, out, spent = crew_of(bench, parallel=parallel, budget=5.0), dict[str, float](), 0.0
    for number in range(12):
        one = THREE[number % parallel]
        if one in out:
            spent += part * out.pop(one)
            crew.pay(one, spent - crew.spent)
        if not crew._held(one):
            out[one] = crew.take_share(one, 0)
        assert spent + sum(out.values()) <= 5.0
    assert spent > 3.0


def test_a_second_process_of_a_run_has_what_the_first_has_left(bench: Bench, views: Views) -> None:
    crew = crew_of(bench, parallel=2, budget=6.0)
    assert [crew.take_share("1", used) for used in (0, 2.0)] == [3.0, 1.0]


@pytest.mark.parametrize(("others", "goes_on"), [(0.2, True), (0.9, False)])
def test_who_spent_its_share_goes_on_where_others_leave_as_much(
    others: float, goes_on: bool, bench: Bench, views: Views
) -> None:
    crew = crew_of(bench, parallel=3, budget=3.0)
    for one in THREE:
        crew.enter(one)
        crew.take_share(one, 0)
    crew.pay("1", 1.0, short=True)
    for one in THREE[1:]:
        crew.pay(one, others)
        crew.leave(one, over=True)
    assert crew.enter("1") == ("" if goes_on else SHORT)


def test_who_is_short_of_a_share_gives_up_before_those_that_wait_for_it(
    bench: Bench, views: Views, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crew_module, "why_held", lambda one, *_, **__: "waits for 1" if one.id != "1" else "")
    crew = crew_of(bench, budget=2.0)
    crew.take_share("1", 0)
    crew.pay("1", 1.5, short=True)
    crew._waiting += THREE
    assert [crew._is_stuck(one) for one in ("waits for 1", SHORT)] == [False, True]
    crew.pay("1", 0.0)
    assert [crew._is_stuck(one) for one in ("waits for 1", SHORT)] == [False, False]  # the first may go on


def test_a_process_knows_nothing_of_the_conversation_it_was_called_in(
    bench: Bench, views: Views, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s1")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "/c")
    found = crew_of(bench).environment("1", module=False)
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
    crew.show("2", task="QA", since=1.0, tokens=12_300, line="Bash: baton check test")
    head, _, *rows = table(crew, 121.0)
    assert head == "stories: 3; runs at work: 1; $0.00 of $2.00 so far"
    assert rows[1] == "2  QA  2 min  12.3k tokens  Bash: baton check test"


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
