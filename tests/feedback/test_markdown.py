"""Fences, comments and folded blocks are found where GitHub finds them."""

from itertools import pairwise

import pytest
from hypothesis import given

from baton.feedback.text.markdown import Span, blank_spans, comments_in, fences_in
from feedback.texts import BODIES, QUICKLY


def parts(text: str, spans: list[Span]) -> list[str]:
    return [text[start:end] for start, end in spans]


def fenced(text: str) -> list[tuple[str, str, bool]]:
    return [(fence.info, text[fence.content.start : fence.content.end], fence.closed) for fence in fences_in(text)]


FENCES = {
    "closed": ("```py\nx\n```\nz", [("py", "x\n", True)]),
    "tildes": ("~~~\n```\n~~~", [("", "```\n", True)]),
    "a longer one": ("````md\n```suggestion\n```\n````", [("md", "```suggestion\n```\n", True)]),
    "closed by a longer one": ("```\nx\n`````", [("", "x\n", True)]),
    "never closed": ("```\nx", [("", "x", False)]),
    "a closing mark has no words": ("```\n``` x\n", [("", "``` x\n", False)]),
    "empty": ("```suggestion\n```", [("suggestion", "", True)]),
    "indented by three": ("   ```\nx\n   ```", [("", "x\n", True)]),
    "far to the right, never closed": ("    ```\nx", []),
    "far to the right, as in a list": ("1. a\n    ```\n    x\n    ```", [("", "    x\n", True)]),
    "backticks in its words": ("``` a`b\nx", []),
    "in a quote": ("> ```\n> x\n> ```\ny", [("", "> x\n", True)]),
    "ended by the end of its quote": ("> ```\n> x\ny", [("", "> x\n", False)]),
    "in a list item": ("1. a\n\n   ```\n   x\n   ```\n", [("", "   x\n", True)]),
    "on the line of its item": ("- ```\n  x\n  ```\n", [("", "  x\n", True)]),
    "ended by the next item": ("- ```\n  x\n- y", [("", "  x\n", False)]),
    "Windows line ends": ("```a\r\nx\r\n```\r\ny", [("a", "x\r\n", True)]),
    "in HTML after a blank line": ("<details>\n\n```\nx\n```\n", [("", "x\n", True)]),
    "in a comment": ("<!--\n```\nx\n```\n-->", []),
    "after a comment": ("<!-- a -->\n```\nx\n```", [("", "x\n", True)]),
}


@pytest.mark.parametrize(("text", "found"), FENCES.values(), ids=FENCES)
def test_a_fence_is_read_as_markdown_has_it(text: str, found: list[tuple[str, str, bool]]) -> None:
    assert fenced(text) == found


def test_a_fence_reaches_from_its_line_to_its_closing_mark() -> None:
    text = "a\n  ```\n  x\n  ``` \nb"
    assert [text[fence.start : fence.end] for fence in fences_in(text)] == ["  ```\n  x\n  ```"]


COMMENTS = {
    "closed": ("a <!-- b --> c", ["<!-- b -->"]),
    "over lines": ("<!-- a\n\nb -->\nc", ["<!-- a\n\nb -->"]),
    "closed as HTML closes it": ("<!-- a --!> b", ["<!-- a --!>"]),
    "empty": ("<!--> a", ["<!-->"]),
    "open at the start of a line": ("a\n<!-- b\n\nc", []),
    "open in a line": ("a <!-- b", []),
    "closed after a blank line": ("a <!-- b\n\nc -->", []),
    "in a fence": ("```\n<!-- a -->\n```", []),
    "in inline code": ("a `<!-- b -->` c", []),
    "escaped": ("a \\<!-- b -->", []),
    "after a backtick without a pair": ("a ` <!-- b -->", []),
    "after code that ends in a backslash": ("`a\\` <!-- b --> `", ["<!-- b -->"]),
    "between backticks of two paragraphs": ("a `\n\n<!-- b --> `", ["<!-- b -->"]),
    "between backticks of two items": ("- a `\n- <!-- b --> `", []),
    "in what may be code of two lines": ("a `\nb ` <!-- c --> `", []),
    "at the start of such a line": ("a `\n<!-- c --> `", ["<!-- c -->"]),
    "a backtick inside": ("x <!-- ` --> `<!-- b -->`", ["<!-- ` -->"]),
}


@pytest.mark.parametrize(("text", "found"), COMMENTS.values(), ids=COMMENTS)
def test_a_comment_is_read_as_github_hides_it(text: str, found: list[str]) -> None:
    assert parts(text, comments_in(text)) == found


@QUICKLY
@given(text=BODIES)
def test_whatever_is_read_lies_in_the_text_in_order(text: str) -> None:
    spans = [[Span(one.start, one.end) for one in found] for found in (fences_in(text), comments_in(text))]
    assert all(0 <= start <= end <= len(text) for found in spans for start, end in found)
    assert all(found == sorted(found) for found in spans)
    assert all(before.end <= after.start for found in spans[:2] for before, after in pairwise(found))


@QUICKLY
@given(text=BODIES)
def test_blanking_spans_moves_no_other_character(text: str) -> None:
    spans = sorted([*comments_in(text), *(Span(fence.start, fence.end) for fence in fences_in(text))])
    left = blank_spans(text, spans)
    assert len(left) == len(text)
    inside = {at for start, end in spans for at in range(start, end)}
    assert all(left[at] in ((" ", "\n") if at in inside else text[at]) for at in range(len(text)))
