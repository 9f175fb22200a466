"""How criteria are named where they are shown."""

import pytest

from baton.artifacts.criteria import named_criteria, read_criteria


@pytest.mark.parametrize("own", ["AC-1: ", "**AC1:** ", "**AC-01** ", "[AC 1] ", "AC1 - ", "Criterion 1) "])
def test_the_name_a_criterion_has_already_is_not_said_twice(own: str) -> None:
    assert named_criteria([f"{own}sub(3, 2) is 1"]) == ["AC1: sub(3, 2) is 1"]


@pytest.mark.parametrize("words", [
    "AC-2: sub(3, 2) is 1", "AC1.2: sub(3, 2) is 1", "AC10: more", "criterion 1 of the shop",
    "ACTIVE 1: more", "1 is the result",
    "AC1", "**AC1: sub(3, 2) is 1**",
])  # fmt: skip
def test_any_other_beginning_of_a_criterion_stays(words: str) -> None:
    assert named_criteria([words]) == [f"AC1: {words}"]


@pytest.mark.parametrize(("items", "criteria"), [
    (["When a, it is b", "When c, it is d", "and e"], ["When a, it is b", "When c, it is d, and e"]),
    (["Given a", "When b", "Then c", "When d", "Then e"], ["Given a, When b, Then c, When d, Then e"]),
    (["Given a, b", "When c, d", "When e, f"], ["Given a, b", "When c, d", "When e, f"]),
    (["When a", "Then b", "When c", "Then d"], ["When a, Then b", "When c, Then d"]),
])  # fmt: skip
def test_the_steps_of_a_scenario_are_one_criterion_and_two_conditions_are_two(
    items: list[str], criteria: list[str]
) -> None:
    assert read_criteria("## Acceptance Criteria\n" + "".join(f"- {one}\n" for one in items)) == criteria


@pytest.mark.parametrize(("head", "row", "criterion"), [
    ("| # | Given | Then |", "| 1 | a longer a | b |", "a longer a, b"),
    ("| Input | Expected result |", "| 3, 2 | 1.5 |", "3, 2, 1.5"),
    ("| AC | What | Priority |", "| AC1 | it runs | must |", "it runs"),
])  # fmt: skip
def test_a_row_is_its_longest_cell_or_the_cells_that_say_it_together(head: str, row: str, criterion: str) -> None:
    assert read_criteria(f"## Acceptance Criteria\n{head}\n|---|---|---|\n{row}\n") == [criterion]
