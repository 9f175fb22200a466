"""A document is its headings and what is under them; what is fenced is neither."""

import pytest

from baton.artifacts.outline import (
    find_section,
    plain_title,
    read_fences,
    read_outline,
    read_sections,
    without_comments,
)
from tables import named_cases


def titles(text: str) -> list[tuple[int, str]]:
    return [(section.level, section.title) for section in read_sections(text)]


@pytest.mark.parametrize(("line", "expected"), [
    ("# Title", [(1, "Title")]),
    ("   ###### Title", [(6, "Title")]),
    ("##\tTitle \t ", [(2, "Title")]),
    ("## Title ##", [(2, "Title")]),
    ("## Title #######  ", [(2, "Title")]),
    ("## C#", [(2, "C#")]),
    ("## #", [(2, "")]),
    ("## ", [(2, "")]),
    ("##Title", []),
    ("####### Title", []),
    ("    # Title", []),
    ("text # Title", []),
    ("\\# Title", []),
])  # fmt: skip
def test_a_heading_is_read_as_markdown_has_it(line: str, expected: list[tuple[int, str]]) -> None:
    assert titles(line) == expected


@named_cases("text, expected", {
    "closed": ("```\n# in\n```\n# out", ["out"]),
    "tildes": ("~~~ python\n# in\n```\n# in\n~~~\n# out", ["out"]),
    "longer than what it holds": ("````\n```\n# in\n````\n# out", ["out"]),
    "closed by a longer one": ("```\n# in\n`````\n# out", ["out"]),
    "a closing mark has no words": ("```\n# in\n``` x\n# in", []),
    "never closed": ("```\n# in", []),
    "indented by three": ("   ```\n# in\n   ```\n# out", ["out"]),
    "indented by four is no fence": ("    ```\n# out", ["out"]),
    "backticks in its words are no fence": ("``` a`b\n# out", ["out"]),
    "two backticks are no fence": ("``\n# out", ["out"]),
})  # fmt: skip
def test_a_fenced_line_is_no_heading(text: str, expected: list[str]) -> None:
    assert [title for _, title in titles(text)] == expected


@pytest.mark.parametrize(("text", "line"), [
    ("```\nx\n```", None), ("a\n```\nx", 2), ("```\nx\n```\n~~~\nx", 4), ("", None), ("a\n\n````\n```\n", 3),
])  # fmt: skip
def test_a_fence_that_is_never_closed_is_found(text: str, line: int | None) -> None:
    assert read_fences(text).open_line == (line or 0)


@pytest.mark.parametrize(("text", "rest"), [
    ("a<!-- b -->c", "ac"), ("<!--\na\n--><!---->", ""), ("a <!-- b", "a <!-- b"), ("--> a", "--> a"), ("", ""),
])  # fmt: skip
def test_a_comment_is_left_out(text: str, rest: str) -> None:
    assert without_comments(text) == rest


def test_a_section_with_nothing_but_a_comment_is_empty() -> None:
    sections = read_sections("## A\n\n<!-- b -->\n## C\n<!-- d --> e\n## F\n\n### G\n")
    assert [section.is_empty for section in sections] == [True, False, False, True]


def test_a_section_holds_its_sub_sections_up_to_the_next_of_its_level() -> None:
    sections = read_sections("# A\na\n## B\nb\n### C\nc\n## D\nd\n# E\ne\n")
    assert [section.text.split("\n")[-1] for section in sections] == ["d", "c", "c", "d", "e"]
    assert [section.line for section in sections] == [1, 3, 5, 7, 9]


@pytest.mark.parametrize("odd", ["\u2028", "\x0b", "\x0c", "\x85", "\x1c"])
def test_only_a_line_feed_ends_a_line(odd: str) -> None:
    assert [line.text for line in read_outline(f"a{odd}# b\nc")] == [f"a{odd}# b", "c"]


@pytest.mark.parametrize("title", [
    "Edge Cases", "edge cases", "**Edge Cases**", "_Edge_ `Cases`:", "3. Edge Cases", "3.1.4 Edge Cases",
    "3) Edge Cases",
    "IV. Edge Cases", "⚠️ Edge Cases", "3. ⚠️ Edge Cases", "⚠️ 3. Edge Cases", "Edge   Cases (all of them)",
    "**Edge Cases** (3):",
    "Edge Cases —",
])  # fmt: skip
def test_a_title_is_what_it_says(title: str) -> None:
    assert plain_title(title) == "edge cases"


@pytest.mark.parametrize("title", ["Edge Cases and more", "No Edge Cases", "Edge-Cases", "3Edge Cases", ""])
def test_a_title_that_says_something_else_does_not_match(title: str) -> None:
    assert plain_title(title) != "edge cases"


def test_the_first_of_two_sections_is_found() -> None:
    sections = read_sections("## B\nfirst\n## A\n## b\nsecond\n")
    found = find_section(sections, "a", "b")
    assert found is not None
    assert found.text == "first"
    assert find_section(sections, "c") is None
