"""How many findings a text says it has, held against those that were read in it and stand in threads."""

import pytest

from baton.feedback.reader.check_reading import HeadFiles, Share, check_reading, declared_count
from baton.feedback.reader.texts import Text

FILES = HeadFiles((), lambda name: 0)


def section(name: str) -> str:
    return f"<details>\n<summary>{name}</summary>\n\nWords.\n\n</details>\n"


@pytest.mark.parametrize(("words", "number"), [
    ("I found 3 issues.", 3), ("Comments generated: 3", 3), ("**3 issues found** across 2 files", 3),
    ("**Actionable comments posted: 3**", 3), ("> Found **3** potential problems.", 3),
    (section("🧹 Nitpick comments (3)"), 3), (section("🛑 Comments failed to post (3)"), 3),
    ("I found 3 files without tests.", 0), ("Reviewed 3 commits.", 0), ("See issue 3, found on Monday.", 0),
    (section("3 files"), 0), ("Name the unit.", 0), ("", 0),
])  # fmt: skip
def test_a_number_counts_where_it_is_one_of_findings(words: str, number: int) -> None:
    assert declared_count(words) == number


def test_sections_are_added_up_and_a_number_in_prose_is_of_all_of_them() -> None:
    sections = section("Nitpick comments (2)") + section("Outside diff range comments (3)")
    assert declared_count(sections) == 5
    assert declared_count(f"Actionable comments posted: 4\n{sections}") == 5
    assert declared_count(f"Actionable comments posted: 6\n{sections}") == 6


@pytest.mark.parametrize("words", [
    "```\nI found 3 issues.\n```", section("🔇 Additional comments (3)"), "~~~md\nComments posted: 3\n~~~",
])  # fmt: skip
def test_neither_an_example_nor_praise_counts(words: str) -> None:
    assert (declared_count(words), declared_count(f"{words}\n\nI found 2 issues.")) == (0, 2)


@pytest.mark.parametrize(("there", "asked"), [(4, True), (3, False), (2, False)])
@pytest.mark.parametrize("says", ["actionable", "ignore"])
def test_a_body_that_counts_more_than_is_there_is_asked_about(says: str, there: int, asked: bool) -> None:
    words = f"I found {there} issues. Name the unit."
    text = Text("R_1", "review", "coderabbitai", True, words, words, threads=2 if says == "actionable" else 3)
    found = [{"quote": "Name the unit.", "category": "naming"}] if says == "actionable" else []
    value = {"reading": "r", "texts": [{"id": "t1", "says": says, **({"findings": found} if found else {})}]}
    made = check_reading(value, Share("r", {"t1": text}, {}), FILES)
    assert ([doubt.rule for doubt in made.doubts], made.faults) == (["count"] * asked, ())


def test_a_thread_that_counts_is_not_asked_about() -> None:
    text = Text("T_1", "inline", "coderabbitai", True, "I found 4 issues.", "I found 4 issues.")
    value = {"reading": "r", "texts": [{"id": "t1", "says": "ignore"}]}
    assert check_reading(value, Share("r", {"t1": text}, {}), FILES).doubts == ()
