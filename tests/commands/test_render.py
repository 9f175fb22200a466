"""What is printed is bounded, and a terminal obeys none of it."""

import json

import pytest

from baton.commands.output import (
    LIMIT_BYTES,
    bounded,
    clipped,
    colored,
    say,
    say_json,
    show_clock,
    show_time,
)
from baton.errors import BatonError
from baton.text import printable, span

CONTROLS = [chr(code) for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"]


@pytest.mark.parametrize("hidden", [*CONTROLS, *"\u200b\u202e\u2066\u00ad\u2028\ufeff\U000e0041\ud800"], ids=ascii)
def test_hidden_characters_are_shown_by_name(hidden: str) -> None:
    assert printable(f"a{hidden}b") == f"a[U+{ord(hidden):04X}]b"
    assert printable(printable(f"a{hidden}b")) == printable(f"a{hidden}b")


@pytest.mark.parametrize(
    "text", ["line\nline\ttab", "ünï 日本 \U0001f600", "\\x1b", "[U+202E]", "\U0001f469\u200d\U0001f4bb"]
)
def test_visible_text_stays_as_it_is(text: str) -> None:
    assert printable(text) == text


def test_a_space_of_any_width_is_printed_as_one() -> None:
    assert printable("Thème\u00a0: 暗い\u3000モード") == "Thème : 暗い モード"


def test_json_says_the_same_without_a_character_nobody_sees(capsys: pytest.CaptureFixture[str]) -> None:
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
def test_a_text_that_fits_is_shown_whole(size: int) -> None:
    assert bounded("x" * size, "nowhere") == "x" * size


def test_a_character_is_never_cut_in_two() -> None:
    assert clipped("日" * 10, 16, "…") == "日日日日…"


@pytest.mark.parametrize("whole", [True, False])
def test_only_the_client_is_spared(whole: bool, client: None, capsys: pytest.CaptureFixture[str]) -> None:
    say("x" * 9_000, "elsewhere", whole)
    assert (len(capsys.readouterr().out) > LIMIT_BYTES) == whole


def test_a_pipe_gets_everything(capsys: pytest.CaptureFixture[str]) -> None:
    say("PROBLEM " + "x" * 9_000, "elsewhere")
    assert capsys.readouterr().out == "PROBLEM " + "x" * 9_000 + "\n"


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize(("text", "shown"), [
    ("PROBLEM git", "\x1b[31m\x1b[1mPROBLEM\x1b[0m git"), ("no PROBLEM", "no PROBLEM"),
    ("ok      git", "\x1b[32mok\x1b[0m      git"), ("NEW (1)", "\x1b[1mNEW (1)\x1b[0m"),
    ("QA said FAIL", "QA said \x1b[31m\x1b[1mFAIL\x1b[0m"), ("THEN baton", "\x1b[1mTHEN\x1b[0m baton"),
    ("DONE (1)", "\x1b[1mDONE (1)\x1b[0m"),
])  # fmt: skip
def test_important_words_are_colored_on_a_terminal(text: str, shown: str) -> None:
    assert colored(text) == shown


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_colors_can_be_turned_off(name: str, value: str, terminal: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    assert colored("PROBLEM") == "PROBLEM"


@pytest.mark.parametrize(("end", "length"), [
    ("03:04:05", "0 s"), ("03:05:04", "59 s"), ("03:05:05", "1 min"), ("05:04:04", "1 h"), ("03:04:00", "0 s"),
])  # fmt: skip
def test_a_length_of_time_is_one_number(end: str, length: str) -> None:
    assert span("2026-01-02T03:04:05Z", f"2026-01-02T{end}Z") == length


def test_a_time_is_relative_and_local_on_a_terminal_alone(terminal: None, monkeypatch: pytest.MonkeyPatch) -> None:
    time = "2026-01-02T03:04:05Z"
    assert (show_time(time)[-9:], show_clock(time)[:8]) == (" days ago", "2026-01-")
    monkeypatch.undo()
    assert (show_time(time), show_clock(time)) == (time, time)
