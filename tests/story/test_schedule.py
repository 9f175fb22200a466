"""Which stories go on at once: no two at one file, and never none while something can be done."""

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from baton.artifacts.claims import find_shared
from baton.errors import BatonError
from baton.story.begin.dependencies import KnownStory, order_of, why_held
from baton.story.status.backlog import row_of
from bench import PLAN, Bench, Reach
from scale import QUICKLY


def view(story_id: str, *depends_on: str, claims: str = "", status: str = "", running: bool = False) -> KnownStory:
    """Make a view of a story; one that claims files is past planning."""
    claimed = tuple(claims.split()) or None
    over = status == "complete"
    return KnownStory(story_id, depends_on, status, claimed, bool(claimed) and not over, running)


def held(one: KnownStory, *others: KnownStory, exclusive: bool = False, together: bool = False) -> str:
    return why_held(one, others, exclusive=exclusive, together=together)


@pytest.mark.parametrize(("status", "told"), [
    ("implementing", "and which is implementing"), ("", ""), ("asking", "and which asks: `baton question 1`"),
    ("escalated", "and which asks: `baton question 1`"), ("abandoned", "and which was abandoned: take it out"),
    ("undone", "and which was undone: bring it back"),
])  # fmt: skip
def test_a_story_waits_for_one_that_it_depends_on(status: str, told: str) -> None:
    assert held(view("2", "1"), view("1", status=status)).startswith(
        f"waits for 1, which it depends on {told}".strip()
    )
    assert held(view("2", "1"), view("1", status="complete")) == ""


def test_a_dependency_that_is_not_known_holds() -> None:
    assert held(view("2", "1")) == "waits for 1, which it depends on and which is not among the stories"


@pytest.mark.parametrize(("one", "other", "told"), [
    (view("2", claims="src"), view("1", claims="src/a.py", running=True), "waits for 1: both change src/a.py"),
    (view("2", claims="a"), view("1", claims="b", running=True), ""),
    (view("2", claims="a"), view("1", claims="a"), ""),
    (view("2"), view("1", claims="a", running=True), ""),
    (view("2", claims="a"), view("1", running=True), ""),
    (view("2", claims="a"), view("1", claims="a", status="complete", running=True), ""),
])  # fmt: skip
def test_a_story_waits_for_one_that_changes_the_same_file(one: KnownStory, other: KnownStory, told: str) -> None:
    assert held(one, other) == told
    assert held(one, other, together=True) == ""


def test_of_two_that_run_the_first_goes_on_whether_it_is_listed_or_not() -> None:
    two = [view("10", claims="a", running=True), view("9", claims="a", running=True)]
    assert [bool(held(one, *two)) for one in two] == [False, True]
    assert [bool(held(one, other)) for one, other in (two, two[::-1])] == [True, False]


def test_with_exclusive_one_at_a_time_changes_code_and_others_may_plan() -> None:
    running = view("1", claims="a", running=True)
    told = "waits for 1: with `exclusive: true` one story at a time changes code"
    assert held(view("2", claims="b"), running, exclusive=True, together=True) == told
    assert held(view("2"), running, exclusive=True) == ""
    assert held(running, view("2", claims="b"), exclusive=True) == ""


def test_dependencies_come_first_and_else_the_order_given() -> None:
    assert order_of([view("3", "1"), view("2"), view("1")]) == ["1", "3", "2"]
    assert order_of([view("3"), view("2"), view("1")]) == ["3", "2", "1"]
    assert order_of([view("2", "1", status="complete"), view("3", "2")]) == ["2", "3"]


@pytest.mark.parametrize(("views", "told"), [
    ([view("1", "2"), view("2", "3"), view("3", "2")], "these stories wait for one another: 2 → 3 → 2"),
    ([view("1", "1")], "1 → 1"), ([view("1", "9")], "no story 9, which it depends on at story 1: "),
])  # fmt: skip
def test_a_circle_and_an_unknown_id_are_one_line(views: list[KnownStory], told: str) -> None:
    with pytest.raises(BatonError, match=re.escape(told)):
        order_of(views)


@st.composite
def stories(draw: st.DrawFn) -> list[KnownStory]:
    """Give stories that depend on earlier ones alone, in any order, some planned, some over; none runs or asks."""
    made = list[KnownStory]()
    for number in range(draw(st.integers(1, 7))):
        needs = draw(st.sets(st.sampled_from([one.id for one in made]), max_size=2)) if made else set[str]()
        claims = draw(st.sets(st.sampled_from(["a", "a/b", "c", "d", "."]), max_size=2))
        status = draw(st.sampled_from(["", "", "complete"]))
        made.append(view(str(number), *sorted(needs), claims=" ".join(sorted(claims)), status=status))
    return draw(st.permutations(made))


def let_go(views: list[KnownStory], exclusive: bool, together: bool) -> list[KnownStory]:
    """Let every story go on that may, one after the other, as a supervisor does."""
    for index, one in enumerate(views):
        goes = not one.over and not why_held(one, views, exclusive=exclusive, together=together)
        views = [*views[:index], one._replace(running=goes), *views[index + 1 :]]
    return views


@QUICKLY
@given(stories(), st.booleans(), st.booleans())
def test_while_work_is_left_something_goes_on(views: list[KnownStory], exclusive: bool, together: bool) -> None:
    while any(not view.over for view in views):
        views = let_go(views, exclusive, together)
        assert any(view.running for view in views)
        views = [_goes_on(view) for view in views]


def _goes_on(one: KnownStory) -> KnownStory:
    """Take a story that ran a stage further: from its plan to code, from there to its end."""
    if not one.running:
        return one
    status = "complete" if one.changing else ""
    return one._replace(running=False, status=status, changing=not one.changing, claims=one.claims or ("a",))


@QUICKLY
@given(stories(), st.booleans())
def test_no_two_that_claim_one_file_are_let_go_on_together(views: list[KnownStory], exclusive: bool) -> None:
    running = [one for one in let_go(views, exclusive, together=False) if one.running and one.changing]
    pairs = [(one, other) for one in running for other in running if one.id < other.id]
    assert not [pair for pair in pairs if find_shared(pair[0].claims or (), pair[1].claims or ())]
    assert not (exclusive and pairs)


@QUICKLY
@given(stories().map(lambda views: [view._replace(running=not view.over) for view in views]), st.booleans())
def test_of_those_that_run_already_one_may_go_on(views: list[KnownStory], exclusive: bool) -> None:
    views = [view._replace(depends_on=()) for view in views]
    assume(any(view.running for view in views))
    for listed in (views, None):
        free = [
            view for view in views
            if view.running and not why_held(
                view, listed or [other for other in views if other != view], exclusive=exclusive, together=False
            )
        ]  # fmt: skip
        assert free
        shared = [(a, b) for a in free for b in free if a.id < b.id and a.changing and b.changing]
        assert not [1 for a, b in shared if find_shared(a.claims or (), b.claims or ())]


@pytest.mark.parametrize(("stage", "changing"), [("story", False), ("planning", False), ("implementing", True)])
def test_a_view_says_what_the_journal_and_the_papers_say(stage: str, changing: bool, reach: Reach) -> None:
    bench = reach(stage)
    found = row_of(bench.project, bench.state).known(running=True)
    assert found == KnownStory("42", (), bench.state.status, None, changing, running=True)


def test_a_small_story_changes_code_from_its_beginning(bench: Bench) -> None:
    bench.new("Subtract numbers", "--complexity", "1")
    assert row_of(bench.project, bench.state).known(running=False).changing


def test_a_view_has_what_the_plan_claims_until_it_is_over(planning: Bench) -> None:
    planning.plan(PLAN.replace("[NOT STARTED]\n", "[NOT STARTED]\n\nFiles: calc.py\n", 1))
    assert row_of(planning.project, planning.state).known(running=False).claims == ("calc.py",)
    planning.implement()
    planning.judge()
    found = row_of(planning.project, planning.state).known(running=False)
    assert (found.over, found.changing) == (True, False)
