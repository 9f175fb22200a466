"""Places in a source, and the words the program copies from there."""

import json

import pytest

from baton.artifacts.intake import Intake, read_places
from baton.story.begin.intake_question import intake_text_of

FILE = "docs/cache.md"
TABLE = "| Id | Says |\n|----|------|\n| 1 | it is fast |\n| 2 | it is small |\n"
EACH = {
    "- [ ] it is fast\n  and small\n- [x] it is shared\n": ["it is fast and small", "it is shared"],
    "1.1. WHEN a THEN b\n\n1.2. WHEN c THEN d\n": ["WHEN a THEN b", "WHEN c THEN d"],
    "1. it is fast\n   - as the old one\n2. it is small\n": ["it is fast as the old one", "it is small"],
    TABLE: ["it is fast", "it is small"],
    "- **AC1**: it is fast\n": ["**AC1**: it is fast"],
    "- 日本語で表示する\n- it is fast\n": ["日本語で表示する", "it is fast"],
}


def taken(text: str, *criteria: dict[str, str], **more: object) -> tuple[Intake, list[str]]:
    """Return what is read of a text by these entries, and what is wrong with them."""
    intake, findings = read_places(json.dumps({"criteria": criteria, **more}), {FILE: text}, "stdin")
    return intake, [finding.message for finding in findings]


@pytest.mark.parametrize("text", EACH)
def test_each_item_is_one_with_what_stands_deeper(text: str) -> None:
    intake, wrong = taken(text, {"each": f"{FILE}:1-{text.count(chr(10))}"})
    assert (list(intake.words), wrong) == (EACH[text], [])


def test_a_scenario_is_one_with_its_steps() -> None:
    text = "#### Scenario: full\n\n- **WHEN** it is full\n- **THEN** it refuses\n"
    intake, wrong = taken(text, {"at": f"{FILE}:1-4"})
    assert (intake.words, wrong) == (("Scenario: full **WHEN** it is full **THEN** it refuses",), [])


@pytest.mark.parametrize(("quote", "is_there"), [
    ("it is fast", True), ("it is\n  fast", True), ("- it is fast", True), ("it is Fast", False),
])  # fmt: skip
def test_a_quote_is_a_part_of_its_lines_word_for_word(quote: str, is_there: bool) -> None:
    intake, wrong = taken("- we say it is fast, mostly\n", {"at": f"{FILE}:1", "quote": quote})
    assert (bool(intake.criteria), bool(wrong)) == (is_there, not is_there)


def test_the_heading_of_a_criterion_is_the_one_that_tells_something() -> None:
    text = "# Cache\n\n## Requirement 3: size\n\n### Acceptance Criteria\n\n- it is small\n"
    assert taken(text, {"at": f"{FILE}:7"})[0].criteria[0].heading == "Requirement 3: size"


@pytest.mark.parametrize(("entry", "wrong"), [
    ({"at": f"{FILE}:9"}, "has 4 lines"), ({"at": f"{FILE}:2-1"}, "has 4 lines"), ({"at": "x.md:1"}, "a source"),
    ({"at": f"{FILE}:2"}, "nothing at"), ({"each": f"{FILE}:1"}, "no item of a list"),
])  # fmt: skip
def test_a_place_without_words_is_refused(entry: dict[str, str], wrong: str) -> None:
    assert wrong in taken("# Cache\n\n- it is fast\n", entry)[1][0]


def test_a_source_that_is_not_mentioned_is_a_finding() -> None:
    sources = {FILE: "- it is fast\n", "docs/more.md": "Words.\n"}
    hand_in = {"criteria": [{"at": f"{FILE}:1"}]}
    assert "nothing is said of docs/more.md" in read_places(json.dumps(hand_in), sources, "stdin")[1][0].message
    left = {**hand_in, "left_out": [{"at": "docs/more.md", "why": "context"}]}
    assert read_places(json.dumps(left), sources, "stdin")[1] == []


@pytest.mark.parametrize(("text", "says", "is_clear"), [
    ("## Requirements\n\n- it is fast\n", {}, True), ("- it is fast\n", {}, False),
    ("## Requirements\n\n- it is fast\n", {"says": "it takes a second"}, False),
])  # fmt: skip
def test_what_is_copied_from_named_criteria_is_clear(text: str, says: dict[str, str], is_clear: bool) -> None:
    assert taken(text, {"at": f"{FILE}:{text.count(chr(10))}", **says})[0].is_clear == is_clear


# How the user is asked about it


@pytest.mark.parametrize(("number", "words", "is_whole"), [
    (4, 30, True), (12, 5, True),
    (6, 40, False), (20, 5, False),
], ids=["long ones", "short ones", "too long for a screen", "too many for a screen"])  # fmt: skip
def test_each_criterion_is_shown_whole_where_all_fit_on_a_screen(number: int, words: int, is_whole: bool) -> None:
    text = "## Requirements\n\n" + "".join(f"- {n} {'word ' * words}END\n" for n in range(number))
    intake, _ = taken(text, {"each": f"{FILE}:3-{number + 2}"})
    asked = intake_text_of(intake, "42", "2 phases", 0)
    assert (asked.count("END") == number, "baton show 42 criteria" in asked) == (is_whole, not is_whole)
    assert len(asked.splitlines()) <= 17
