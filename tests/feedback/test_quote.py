"""Untrusted text stays behind its bar, and can be read back as it was."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from baton.feedback.text.excerpt import excerpt
from baton.text import quoted
from feedback.texts import BODIES, PIECES, QUICKLY, Quoted, parse_quoted
from tables import named_cases


@QUICKLY
@given(heading=BODIES, body=BODIES)
@example(heading="a", body="a\r\nb\r\n")
@example(heading=" (its line ends are [U+000D U+000A])", body="a\nb")
def test_any_text_can_be_read_back(heading: str, body: str) -> None:
    assert parse_quoted(quoted(heading, body)) == [Quoted(heading, body)]


@QUICKLY
@given(lines=st.lists(PIECES, max_size=12), end=st.sampled_from(["\n", "\r\n", "\r"]))
def test_any_line_ends_can_be_read_back(lines: list[str], end: str) -> None:
    body = end.join(lines)
    assert parse_quoted(quoted("h", body)) == [("h", body)]


@QUICKLY
@given(heading=BODIES, body=BODIES)
def test_every_line_between_the_first_and_the_last_is_behind_the_bar(heading: str, body: str) -> None:
    first, *lines, last = quoted(heading, body).split("\n")
    assert first.startswith("┌ ")
    assert {line[:1] for line in lines} == {"│"}
    assert last == "└"


@QUICKLY
@given(body=BODIES)
def test_nothing_of_the_body_reaches_the_heading(body: str) -> None:
    first = quoted("H", body).split("\n")[0]
    assert first in ("┌ H", "┌ H (its line ends are [U+000D U+000A])")


@QUICKLY
@given(texts=st.lists(st.tuples(BODIES, BODIES), max_size=4))
def test_several_can_be_read_back(texts: list[tuple[str, str]]) -> None:
    assert parse_quoted("\n".join(quoted(*text) for text in texts)) == texts


QUOTES = {
    "lines and a bottom line of ours": ("bob on a.py", "one\n\n└ two", "┌ bob on a.py\n│ one\n│\n│ └ two\n└"),
    "a heading of several lines": ("a\nb\u2028c\r", "x", "┌ a[U+000A]b[U+2028]c[U+000D]\n│ x\n└"),
    "Windows line ends, which are said once": (
        "h", "a\r\nb\r\n", "┌ h (its line ends are [U+000D U+000A])\n│ a\n│ b\n│\n└",
    ),
    "mixed line ends, shown where they stand": ("h", "a\r\nb\nc", "┌ h\n│ a[U+000D]\n│ b\n│ c\n└"),
    "carriage returns alone": ("h", "a\rb", "┌ h\n│ a[U+000D]b\n└"),
    "two of them": ("h", "a\r\r\n", "┌ h\n│ a[U+000D][U+000D]\n│\n└"),
}  # fmt: skip


@pytest.mark.parametrize(("heading", "body", "text"), QUOTES.values(), ids=QUOTES)
def test_a_quote_looks_as_designed(heading: str, body: str, text: str) -> None:
    assert quoted(heading, body) == text


@named_cases("body, words", {
    "plain": ("Rename this.", "Rename this."),
    "several lines": ("one\n\ntwo\r\n three", "one two three"),
    "emphasis": ("**Fix** the `__init__` of *this*", "Fix the `__init__` of this"),
    "a badge": ("[![P1 Badge](https://a/b)](https://c) Off by one", "Off by one"),
    "tags": ("<sub><sub>x</sub></sub> <b>Slow</b> loop", "x Slow loop"),
    "labels": ("_⚠️ Potential issue_ | _🟠 Major_\n\n**Check it**", "⚠️ Potential issue | 🟠 Major Check it"),
    "marks of lines": ("### Title\n> said\n- and [that](u)", "Title said and that"),
    "a comment": ("<!-- state -->\nWords", "Words"),
    "only code": ("```suggestion\nx = 1\n```", "```suggestion x = 1 ```"),
    "a hidden character": ("x\u200by", "x[U+200B]y"),
    "nothing": ("", ""),
})  # fmt: skip
def test_an_excerpt_is_words(body: str, words: str) -> None:
    assert excerpt(body, 80) == words


def test_an_excerpt_is_cut_at_a_word() -> None:
    assert excerpt("This loop never ends when nobody answers", 20) == "This loop never…"
    assert excerpt("x" * 50, 10) == "x" * 9 + "…"


@QUICKLY
@given(body=BODIES, limit=st.integers(1, 60))
def test_an_excerpt_is_one_line_within_its_limit(body: str, limit: int) -> None:
    said = excerpt(body, limit)
    said.encode()
    assert len(said) <= limit
    assert not {"\n", "\r", "\t"} & set(said)
