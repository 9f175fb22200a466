"""What nobody sees is shown by its number, what people write stays, and both can be read back."""

import unicodedata

import pytest
from hypothesis import given

from baton.text import clip, is_hidden, join_words, one_line, plural, restored, seen, visible
from feedback.texts import BODIES, QUICKLY
from tables import named_cases


@QUICKLY
@given(text=BODIES)
def test_any_text_can_be_read_back(text: str) -> None:
    assert restored(visible(text)) == text


@QUICKLY
@given(text=BODIES)
def test_what_is_shown_is_utf_8_without_control_characters(text: str) -> None:
    shown = visible(text)
    shown.encode()
    assert {one for one in shown if unicodedata.category(one)[0] in "CZ"} <= {"\n", "\t", " ", "\u200d", *FLAG}


FLAG = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
STAYS = {
    "ASCII": "a b\tc\nd", "accents": "é e\u0301 ñ", "Chinese": "重命名，谢谢", "Japanese": "テスト",
    "Korean": "한국어",
    "Arabic": "مرحبا", "Hebrew": "שלום", "Hindi": "नमस्ते", "Russian": "привет", "an emoji": "🎉",
    "a heart": "❤️", "a warning": "⚠️", "a family": "👨‍👩‍👧‍👦", "a skin tone": "👍🏽", "a profession": "🧑🏽‍💻",
    "a flag": "🇫🇷", "a rainbow flag": "🏳️‍🌈", "the flag of England": FLAG, "a keycap": "1️⃣ #️⃣",
    "an eye in a bubble": "👁️‍🗨️", "a bracket": "[x] [U] U+200B",
}  # fmt: skip


@pytest.mark.parametrize("text", STAYS.values(), ids=STAYS)
def test_what_people_write_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


@named_cases("text, shown", {
    "a zero-width space": ("a\u200bb", "a[U+200B]b"),
    "a joiner between letters": ("a\u200db", "a[U+200D]b"),
    "a non-joiner": ("نمی\u200cخواهم", "نمی[U+200C]خواهم"),
    "an override": ("\u202eabc", "[U+202E]abc"),
    "a tag character": ("\U000e0041", "[U+E0041]"),
    "a selector after a letter": ("a\ufe0f", "a[U+FE0F]"),
    "a second selector": ("❤️\ufe0f", "❤️[U+FE0F]"),
    "a supplementary selector": ("👍\U000e0100", "👍[U+E0100]"),
    "a joiner before a letter": ("👩\u200dx", "👩[U+200D]x"),
    "a digit that is no keycap": ("1\ufe0f", "1[U+FE0F]"),
    "tags that make no known flag": ("\U0001f3f4\U000e0061\U000e007f", "🏴[U+E0061][U+E007F]"),
    "a space that does not break": ("a\u00a0b", "a[U+00A0]b"),
    "a carriage return": ("a\r\n", "a[U+000D]\n"),
    "a line separator": ("\u2028", "[U+2028]"),
    "an escape": ("\x1b]52", "[U+001B]]52"),
    "half a character": ("\ud800", "[U+D800]"),
    "what looks like a mark": ("[U+200B]", "[U+005B]U+200B]"),
})  # fmt: skip
def test_what_nobody_sees_is_shown(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert restored(shown) == text


@pytest.mark.parametrize("code", [
    0x00AD, 0x034F, 0x061C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180E, 0x180F, 0x200B, 0x200F, 0x2028,
    0x202A, 0x2060,
    0x2061, 0x2063, 0x2065, 0x2069, 0x2800, 0x3000, 0x3164, 0xE000, 0xFE00, 0xFEFF, 0xFFA0, 0xFFF0, 0xFFF9,
    0xFFFF,
    0x16FE4, 0x1BCA0, 0x1D173, 0xE0001, 0xE007F, 0xE01EF, 0xE0FFF, 0xF0000, 0x10FFFF, 0x7F, 0x85, 0x0,
], ids=hex)  # fmt: skip
def test_a_character_that_prints_nothing_is_hidden(code: int) -> None:
    assert is_hidden(chr(code))


def test_what_only_looks_like_a_mark_is_no_mark() -> None:
    assert restored("[U+FFFFFF] [U+12] [U+zzzz]") == "[U+FFFFFF] [U+12] [U+zzzz]"


def test_a_text_as_a_person_reads_it_has_no_hidden_characters() -> None:
    assert seen("<!\u200b-- x\u00a0y 👨‍👩‍👧") == "<!-- x\u00a0y 👨‍👩‍👧"


@pytest.mark.parametrize(("text", "line"), [
    (" a\n b\tc\x1b[0m\u2028d ", "a b c [0m d"), ("", ""), ("a b", "a b"),
])  # fmt: skip
def test_a_text_becomes_one_line(text: str, line: str) -> None:
    assert one_line(text) == line


def test_a_text_is_cut_counted_and_listed() -> None:
    assert (clip("abcdef", 4), clip("abcd", 4)) == ("abc…", "abcd")
    assert (plural(1, "command"), plural(0, "command"), plural(2, "journal")) == (
        "1 command",
        "0 commands",
        "2 journals",
    )
    assert (join_words(["a", "b"]), join_words(["a", "b", "c"], 2)) == ("a, b", "a, b and 1 more")
