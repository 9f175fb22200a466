"""How criteria are named where they are shown."""

import pytest

from baton.artifacts.story_file import named_criteria


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
