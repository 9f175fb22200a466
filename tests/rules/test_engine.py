"""The first row that fits is taken; there is no default."""

from typing import NamedTuple

import pytest

from baton.errors import BatonError
from baton.rules.engine import Row, Table, decide, may_decide


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


@pytest.mark.parametrize("place", ["hill", "{cold} {0}"], ids=["words", "what would be a template"])
def test_a_decision_carries_its_rows_action_and_a_reason_made_of_what_is_told(place: str) -> None:
    decision = decide(TABLE, Weather("grey", True), {"place": place, "more": 1})
    assert (decision.action, decision.then, decision.reason) == ("wait", "", f"snow on the {place}")


def test_a_reason_whose_facts_are_not_told_is_a_bug() -> None:
    with pytest.raises(KeyError, match="place"):
        may_decide(TABLE, Weather("grey", True), {})


def test_a_state_without_a_row_is_an_error_that_names_the_facts_or_nothing_where_none_need_fit() -> None:
    with pytest.raises(BatonError, match="no rule for sky=blue, cold=False at the rules `weather`"):
        rule("blue", False)
    with pytest.raises(BatonError, match="no rule for"):
        rule("grey", True, "weather/more")
    assert rule("blue", False, table=TABLE._replace(total=False)) is None


@pytest.mark.parametrize(("sky", "cold", "below", "expected"), [
    ("grey", True, "", "weather/snow"), ("grey", False, "", "weather/rain"), ("black", True, "", "weather/rain"),
    ("grey", True, "weather/snow", "weather/rain"), ("grey", True, "weather/rain", "weather/more"),
    ("grey", True, "another/table", "weather/snow"),
])  # fmt: skip
def test_below_a_row_a_person_passed_the_first_is_taken(sky: str, cold: bool, below: str, expected: str) -> None:
    assert rule(sky, cold, below) == expected
