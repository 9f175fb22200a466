"""Every piece of feedback gets a category: by the bot's label, its words, or its path."""

from pathlib import Path

import pytest
from hypothesis import given

from baton.feedback.read.category import CATEGORIES, Category, category_of
from feedback.texts import BODIES, QUICKLY

EXAMPLES = Path(__file__).parents[1] / "examples" / "feedback"


def examples(name: str) -> list[list[str]]:
    lines = (EXAMPLES / name).read_text(encoding="utf-8").splitlines()
    return [line.split(" | ", 1) for line in lines if line]


def share(name: str) -> float:
    right = [category_of(text, "", None).name == expected for expected, text in examples(name)]
    return sum(right) / len(right)


@pytest.mark.parametrize("name", ["categories.txt", "categories_unseen.txt"])
def test_examples_of_every_category_are_told_apart(name: str) -> None:
    assert {expected for expected, _ in examples(name)} == set(CATEGORIES)
    assert share(name) >= 0.95


@pytest.mark.parametrize(("label", "category"), [
    ("Security", "security"), ("🔒 Vulnerability", "security"), ("Performance", "performance"),
    ("Documentation", "documentation"), ("typo", "documentation"), ("Testing", "testing"), ("code style",
    "style"),
    ("Error handling", "error-handling"), ("duplication", "architecture"), ("naming", "naming"),
])  # fmt: skip
def test_a_label_that_names_a_category_is_believed(label: str, category: str) -> None:
    assert category_of("Rename this, it is slow.", label, None) == Category(category, True)


def test_a_label_that_only_hints_gives_way_to_words() -> None:
    assert category_of("SQL injection", "nitpick", None) == Category("security", False)
    assert category_of("Hm.", "nitpick", None) == Category("style", False)
    assert category_of("Hm.", "Potential issue", "a.py") == Category("correctness", False)


@pytest.mark.parametrize(("path", "category"), [
    ("docs/guide.mdx", "documentation"), ("README.md", "documentation"), ("tests/a.py", "testing"),
    ("src/a.test.ts", "testing"), ("pkg/test_a.py", "testing"), ("src/a.py", "correctness"), (None, "other"),
])  # fmt: skip
def test_a_path_speaks_when_nothing_else_does(path: str | None, category: str) -> None:
    assert category_of("Hm.", "", path) == Category(category, False)
    assert category_of("Unused import.", "", path).name == "style"
    assert category_of("", "", "src/a.py").name == "other"


@pytest.mark.parametrize("text", [
    "Hm.\n```py\nassert test_sql_injection()\n```", "Hm.\n> this is slow and untested",
    "Hm. <!-- SQL injection -->",
], ids=["code", "a quote", "a comment"])  # fmt: skip
def test_what_the_reviewer_did_not_say_does_not_count(text: str) -> None:
    assert category_of(text, "", None) == Category("other", False)


def test_the_first_sentence_weighs_more() -> None:
    assert category_of("Unused import. The cache is fine.", "", None).name == "style"
    assert category_of("The cache is slow. Unused import.", "", None).name == "performance"


@pytest.mark.parametrize(("text", "sure"), [
    ("A nit. What now?", False), ("Unused import.", False), ("Unused import: run the formatter.", True),
    ("SQL injection.", False), ("SQL injection: use what sanitizes it.", True),
])  # fmt: skip
def test_two_strong_words_are_sure_one_is_not(text: str, sure: bool) -> None:
    assert category_of(text, "", None).sure == sure


@pytest.mark.parametrize(("text", "category"), [
    ("Validate `ratio` and `min_retries`.\n\nRaise a `ValueError` otherwise.", "validation"),
    ("The decoder's errors leak internal details to the caller.", "security"),
    ("Duplicate adapter validation logic.", "architecture"),
    ("Pin the action to an immutable commit SHA.", "security"),
    ("A quoting mismatch breaks the shell string.", "correctness"),
    ("Shipping is added once too often.", "correctness"),
])  # fmt: skip
def test_real_findings_get_the_category_a_reader_would_give(text: str, category: str) -> None:
    assert category_of(text, "", "src/a.py").name == category


@QUICKLY
@given(text=BODIES, label=BODIES, path=BODIES)
def test_any_text_gets_a_category(text: str, label: str, path: str) -> None:
    assert category_of(text, label, path).name in CATEGORIES
