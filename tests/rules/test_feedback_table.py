"""What a pull request's feedback is judged by: every row is reached, and each moment has its own."""

import string
from typing import get_args

import pytest

from baton.rules.all_tables import all_tables
from baton.rules.engine import Action, Row, decide
from baton.rules.feedback import FEEDBACK, FeedbackFacts, plan_facts
from baton.rules.pages import story_tables
from rules.domains import domain, every_state, neighbors

STATES: list[FeedbackFacts] = every_state(FEEDBACK)
IDS = [f"{row.rule}, {', '.join(map(str, row.facts.values()))}" for row in FEEDBACK.rows]
each_row = pytest.mark.parametrize("row", FEEDBACK.rows, ids=IDS)
TOLD = {"review", "state", "counted", "volume", "resolved", "left", "cycles", "pattern"}
# What a row may look at, by the moment it is for; anything else is of another moment.
LOOKED_AT = {
    "plan": {"pending_review", "new", "targeted", "volume", "signal"},
    "land": {"pending_review", "closed"},
    "landed": {"new", "targeted", "first_cycle", "converging"},
}
PLAN, LAND, LANDED = FeedbackFacts("plan"), FeedbackFacts("land"), FeedbackFacts("landed")


def chosen(facts: FeedbackFacts) -> Row:
    decision = decide(FEEDBACK, facts, dict.fromkeys(TOLD, "something"))
    assert decision is not None
    return decision.row


def test_some_row_fits_whatever_the_facts_are() -> None:
    assert FEEDBACK.total
    assert len(STATES) == 3 * 2**8
    assert {chosen(facts).rule for facts in STATES} == {row.rule for row in FEEDBACK.rows}


@each_row
def test_a_row_is_chosen_in_some_state_and_not_in_one_beside_it(row: Row) -> None:
    fires = [facts for facts in STATES if chosen(facts) is row]
    assert fires, "no state leads to this row"
    assert any(chosen(other) is not row for facts in fires for other in neighbors(facts))


@each_row
def test_a_row_names_values_its_facts_can_have_but_not_all_of_them(row: Row) -> None:
    values = domain(FeedbackFacts)
    assert all(set(accepted) < set(values[name]) for name, accepted in row.facts.items())


@each_row
def test_a_row_is_told_what_it_names_and_asks_when_it_stops(row: Row) -> None:
    assert {name for _, name, _, _ in string.Formatter().parse(row.reason) if name} <= TOLD
    assert row.action in get_args(Action)
    assert (row.stop is not None) == (row.action in ("ask", "escalate"))


@pytest.mark.parametrize("moment", LOOKED_AT)
def test_what_is_of_another_moment_changes_nothing(moment: str) -> None:
    for facts in (one for one in STATES if one.moment == moment):
        beside = [one for one in neighbors(facts) if one.moment == moment and chosen(one) is not chosen(facts)]
        changed = {name for one in beside for name in one._fields if getattr(one, name) != getattr(facts, name)}
        assert changed <= LOOKED_AT[moment]


@pytest.mark.parametrize(("facts", "rule", "action"), [
    (PLAN._replace(pending_review=True), "pr/pending-review", "refuse"),
    (LAND._replace(pending_review=True), "pr/pending-review", "refuse"),
    (LANDED._replace(pending_review=True, new=False), "verify/clean", "complete"),
    (LAND._replace(closed=True), "pr/closed", "refuse"),
    (PLAN._replace(closed=True), "gate/none", "proceed"),
    (PLAN._replace(new=False, volume=True, signal=True), "pr/nothing", "complete"),
    (LAND._replace(new=False), "pr/go", "proceed"),
    (PLAN, "gate/none", "proceed"),
    (PLAN._replace(volume=True), "gate/volume", "cluster"),
    (PLAN._replace(signal=True), "gate/cross", "cluster"),
    (PLAN._replace(signal=True, volume=True), "gate/cross", "cluster"),
    (PLAN._replace(signal=True, volume=True, targeted=True), "gate/none", "proceed"),
    (LANDED._replace(new=False, first_cycle=False, converging=False), "verify/clean", "complete"),
    (LANDED, "verify/again", "plan"),
    (LANDED._replace(first_cycle=False), "verify/pattern", "ask"),
    (LANDED._replace(converging=False), "verify/pattern", "ask"),
    (LANDED._replace(converging=False, targeted=True), "verify/targeted", "complete"),
], ids=[
    "plan beside a draft of ones own", "land beside one", "a draft begun while it was landed",
    "a closed one is not landed", "a closed one is planned",
    "nothing new, whatever was resolved", "what is new is no matter before landing", "few", "three",
    "one after resolved ones", "three after resolved ones", "what a URL names is never clustered",
    "clean, however long it took", "the first time", "the second time", "rounds that feed themselves",
    "what a URL names is no round of all",
])  # fmt: skip
def test_a_pull_request_is_judged_by_the_first_row_that_fits(facts: FeedbackFacts, rule: str, action: str) -> None:
    row = chosen(facts)
    assert (row.rule, row.action) == (rule, action)


@pytest.mark.parametrize(("items", "new", "volume"), [
    ((3, 0, 3), True, True), ((3, 1, 3), True, False), ((2, 0, 3), True, False), ((2, 0, 2), True, True),
    ((4, 4, 3), True, False), ((0, 0, 3), False, False),
], ids=["three", "one of three is outdated", "two", "two are enough", "all are outdated", "none"])  # fmt: skip
def test_outdated_items_are_new_but_count_for_no_volume(
    items: tuple[int, int, int], new: bool, volume: bool
) -> None:
    number, outdated, threshold = items
    facts = plan_facts(number, outdated, False, threshold)
    assert (facts.moment, facts.new, facts.volume) == ("plan", new, volume)


def test_a_signal_and_a_target_are_passed_on() -> None:
    assert chosen(plan_facts(1, 0, True, 3)).rule == "gate/cross"
    assert chosen(plan_facts(1, 0, True, 3, targeted=True)).rule == "gate/none"


def test_whoever_is_asked_may_go_on_or_leave_it() -> None:
    [asking] = [row for row in FEEDBACK.rows if row.stop]
    assert asking.rule == "verify/pattern"
    assert asking.stop is not None
    leads_to = {option: one.then for option, one in asking.stop.options.items()}
    assert leads_to == {"continue": "plan", "leave": "complete"}


def test_no_story_comes_through_this_table() -> None:
    assert FEEDBACK in all_tables()
    assert FEEDBACK not in story_tables()
    names = [table.phase for table in all_tables()]
    assert len(set(names)) == len(names)
    assert not {row.rule for row in FEEDBACK.rows} & {row.rule for table in story_tables() for row in table.rows}
