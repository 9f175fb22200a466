"""What is printed is bounded, and a terminal obeys none of it."""

import json

import pytest

from baton.commands.render import LIMIT_BYTES, bounded, clipped, say_json
from baton.errors import BatonError
from baton.text import printable

CONTROLS = [chr(code) for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"]


@pytest.mark.parametrize("hidden", [*CONTROLS, *"\u200b\u202e\u2066\u00ad\u2028\ufeff\U000e0041\ud800"], ids=ascii)
def test_what_nobody_would_see_is_shown_and_not_sent(hidden: str) -> None:
    assert printable(f"a{hidden}b") == f"a[U+{ord(hidden):04X}]b"
    assert printable(printable(f"a{hidden}b")) == printable(f"a{hidden}b")


@pytest.mark.parametrize(
    "text", ["line\nline\ttab", "ünï 日本 \U0001f600", "\\x1b", "[U+202E]", "\U0001f469\u200d\U0001f4bb"]
)
def test_what_a_person_sees_stays_as_it_is(text: str) -> None:
    assert printable(text) == text


def test_a_space_of_any_width_is_printed_as_one() -> None:
    assert printable("Thème\u00a0: 暗い\u3000モード") == "Thème : 暗い モード"


def test_json_holds_no_character_that_nobody_would_see_and_says_the_same(
    capsys: pytest.CaptureFixture[str],
) -> None:
    told = {"title": "a\u202eb\x1b\u200b\U000e0041 ünï"}
    say_json(told)
    out = capsys.readouterr().out
    assert (json.loads(out), printable(out), "ünï" in out) == (told, out, True)


def test_an_error_shows_what_nobody_would_see() -> None:
    assert str(BatonError("no \u202estory", "a\nb", "\x1b[1m")) == "no [U+202E]story at a\\nb: \\x1b[1m"


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
