"""The first row that fits is taken; there is no default."""

from typing import NamedTuple

import pytest

from baton.errors import BatonError
from baton.rules.engine import Row, Table, may_decide


class Weather(NamedTuple):
    sky: str
    cold: bool


ROWS = (
    Row("weather/snow", "", {"sky": ("grey",), "cold": (True,)}, "wait", "snow on the {place}"),
    Row("weather/rain", "", {"sky": ("grey", "black")}, "ask", "rain"),
    Row("weather/more", "", {"sky": ("grey",)}, "spawn", "more rain", then="umbrella"),
)
TABLE = Table("weather", Weather, ROWS)


def rule(sky: str, cold: bool, below: str = "", table: Table = TABLE) -> str | None:
    decision = may_decide(table, Weather(sky, cold), {"place": "hill"}, (below,))
    return decision.rule if decision else None


def test_the_first_row_that_fits_is_taken() -> None:
    assert [rule("grey", True), rule("grey", False), rule("black", True)] == [
        "weather/snow", "weather/rain", "weather/rain"
    ]  # fmt: skip


def test_a_decision_carries_its_rows_action_and_a_reason_made_of_what_is_told() -> None:
    decision = may_decide(TABLE, Weather("grey", True), {"place": "hill", "more": 1})
    assert decision is not None
    assert (decision.action, decision.then, decision.reason) == ("wait", "", "snow on the hill")


def test_what_is_told_is_not_read_as_a_template() -> None:
    decision = may_decide(TABLE, Weather("grey", True), {"place": "{cold} {0}"})
    assert decision is not None
    assert decision.reason == "snow on the {cold} {0}"


def test_a_reason_whose_facts_are_not_told_is_a_bug() -> None:
    with pytest.raises(KeyError, match="place"):
        may_decide(TABLE, Weather("grey", True), {})


def test_a_state_without_a_row_is_an_error_that_names_the_facts() -> None:
    with pytest.raises(BatonError, match="no rule for sky=blue, cold=False at the rules `weather`"):
        rule("blue", False)


def test_a_table_that_need_not_match_gives_nothing() -> None:
    assert rule("blue", False, table=TABLE._replace(total=False)) is None


@pytest.mark.parametrize(("below", "expected"), [
    ("", "weather/snow"), ("weather/snow", "weather/rain"), ("weather/rain", "weather/more"),
    ("another/table", "weather/snow"),
])  # fmt: skip
def test_rows_down_to_the_one_a_person_passed_are_skipped(below: str, expected: str) -> None:
    assert rule("grey", True, below) == expected


def test_no_row_is_left_below_the_last() -> None:
    with pytest.raises(BatonError, match="no rule for"):
        rule("grey", True, "weather/more")
