"""Where a question stands beside the client: what allows something stands in the client alone."""

import pytest

from baton.rules.engine import decide
from baton.rules.facts import AskingFacts
from baton.rules.pages import story_tables, table_of
from rules.domains import every_state


@pytest.mark.parametrize(("place", "rule"), [
    ("pull", "asking/pull"), ("issue", "asking/issue"), ("none", "asking/nowhere"),
])  # fmt: skip
def test_it_stands_where_there_is_a_place_unless_it_allows_something(place: str, rule: str) -> None:
    for allows, expected in ((False, rule), (True, "asking/client")):
        assert decide(table_of("asking"), AskingFacts(allows, place), {}).rule == expected  # type: ignore[arg-type]


def test_nothing_is_posted_but_by_the_two_rows_that_say_so_and_no_story_comes_through() -> None:
    posting = {
        decide(table_of("asking"), one, {}).rule
        for one in every_state(table_of("asking"))
        if decide(table_of("asking"), one, {}).action == "post"
    }
    assert (posting, table_of("asking") in story_tables()) == ({"asking/pull", "asking/issue"}, False)
