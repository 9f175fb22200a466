"""What is printed is bounded, and a terminal obeys none of it."""

import pytest

from baton.commands.output import LIMIT_BYTES, bounded, clipped, printable

CONTROLS = [chr(code) for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"]


@pytest.mark.parametrize("control", CONTROLS, ids=lambda one: f"U+{ord(one):04X}")
def test_a_control_character_is_shown_and_not_sent(control: str) -> None:
    assert printable(f"a{control}b") == f"a{control!r}b".replace("'", "")


@pytest.mark.parametrize("text", ["line\nline\ttab", "ünï 日本 \U0001f600", "\\x1b"])
def test_what_is_no_control_character_stays_as_it_is(text: str) -> None:
    assert printable(text) == text


@pytest.mark.parametrize(
    "text",
    ["x" * 100_000, "line\n" * 20_000, "日" * 100_000, "\x1b" * 5_999, "\U0001f600" * 3_000, "\udc80" * 3_000],
    ids=["one line", "many lines", "three bytes each", "controls", "four bytes each", "no characters"],
)
def test_any_text_fits_and_says_where_the_rest_is(text: str) -> None:
    shown = bounded(text, "baton next 42 --json")
    assert len(shown.encode()) <= LIMIT_BYTES
    assert shown.endswith("\n… the rest: baton next 42 --json")
    assert len(shown.encode()) > LIMIT_BYTES - 100


@pytest.mark.parametrize("size", [0, 1, LIMIT_BYTES])
def test_what_fits_is_shown_whole(size: int) -> None:
    assert bounded("x" * size, "nowhere") == "x" * size


def test_a_character_is_never_cut_in_two() -> None:
    assert clipped("日" * 10, 16, "…") == "日日日日…"
