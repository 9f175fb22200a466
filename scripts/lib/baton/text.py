"""Text for display: hidden characters made visible, and back; in a fence, one line, cut, counted, listed."""

import re
import unicodedata
from collections.abc import Sequence
from datetime import datetime

# By category, not by a list of known attacks: what is added to Unicode later is covered too.
HIDDEN_CATEGORIES = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"}
# Letters, marks and symbols that print nothing, and ranges in which nothing ever prints.
PRINT_NOTHING = frozenset((
    0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x2800, 0x3164, *range(0xFE00, 0xFE10), 0xFFA0,
    *range(0xFFF0, 0xFFF9), 0x16FE4, 0x1D159, *range(0xE0000, 0xE1000),
))  # fmt: skip
STAY = frozenset("\n\t ")
EMOJI = (
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u27bf\u2900-\u297f\u2b00-\u2bff"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
FLAGS = "|".join(
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
)
JOINED = re.compile(rf"{FLAGS}|[0-9#*]\ufe0f\u20e3|{EMOJI}(?:\ufe0f?(?:\u200d{EMOJI}\ufe0f?)+|\ufe0f)")
MARK = "[U+"
SPACES = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
ASCII_SEEN = re.compile(r"[\n\t -~]*")
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
# The fence around what somebody wrote.
TOP, SIDE, BOTTOM = "┌", "│", "└"
# No heading can hold this: `visible` marks the `[U+` of every text.
CRLF = " (its line ends are [U+000D U+000A])"
LINE_END = "[U+000A]"
UNITS = (("day", 86_400), ("h", 3_600), ("min", 60), ("s", 1))
SHOWN = re.compile(r"\[U\+([0-9A-F]{4,6})\]")


class _Table(dict[int, str]):
    """The form in which each character is shown, added when it is first met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        self[code] = f"{MARK}{code:04X}]" if is_hidden(character) else character
        return self[code]


def is_hidden(character: str) -> bool:
    """Whether a character is shown by its number when it stands alone."""
    if character in STAY:
        return False
    return ord(character) in PRINT_NOTHING or unicodedata.category(character) in HIDDEN_CATEGORIES


TABLE = _Table()


def visible(text: str) -> str:
    """Show each hidden character as `[U+200B]`; emoji stay whole, a literal `[U+` is marked too."""
    return revealed(text.replace(MARK, "[U+005B]U+"))


def printable(text: str) -> str:
    """Return a text as it may be printed; idempotent, also on a text that was made visible."""
    return revealed(SPACES.sub(" ", text))


def revealed(text: str) -> str:
    """Show each hidden character as `[U+200B]`; a literal `[U+` stays."""
    if text.isascii():
        return text if ASCII_SEEN.fullmatch(text) else text.translate(TABLE)
    if not hidden(text):
        return text
    result = []
    position = 0
    for match in JOINED.finditer(text):
        if not any(unicodedata.category(character) == "Cn" for character in match[0]):
            result += [text[position : match.start()].translate(TABLE), match[0]]
            position = match.end()
    return "".join(result) + text[position:].translate(TABLE)


def quoted(heading: str, body: str) -> str:
    """Put a text behind `│ `, line by line, under a heading on one line; nothing in it can end the fence."""
    windows = "\n" in body and body.count("\r\n") == body.count("\n") == body.count("\r")
    lines = visible(body.replace("\r\n", "\n") if windows else body).split("\n")
    first = f"{TOP} {on_one_line(heading)}{CRLF if windows else ''}"
    return "\n".join([first, *(f"{SIDE} {line}" if line else SIDE for line in lines), BOTTOM])


def on_one_line(text: str) -> str:
    """Return a name as it may stand in a line, with what nobody would see made visible."""
    return visible(text).replace("\n", LINE_END).replace("\t", "[U+0009]")


def restored(text: str) -> str:
    """Return the original of a text from `visible`."""
    return SHOWN.sub(lambda match: chr(int(match[1], 16)) if int(match[1], 16) <= 0x10FFFF else match[0], text)


def hidden(text: str) -> set[str]:
    """Return the characters of a text that `visible` shows by their numbers."""
    if ASCII_SEEN.fullmatch(text):
        return set()
    alone = text if text.isascii() else JOINED.sub("", text)
    return {character for character in set(alone) if is_hidden(character)}


def seen(text: str) -> str:
    """Return a text without the characters that print nothing."""
    while gone := {ord(character): None for character in hidden(text) if not character.isspace()}:
        text = text.translate(gone)  # which may leave the joiner of an emoji alone
    return text


def one_line(text: str) -> str:
    """Return a text without line breaks and control characters."""
    return " ".join(CONTROL.sub(" ", text).split())


def clip(text: str, most: int) -> str:
    """Return a text, cut to at most `most` characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def join_words(names: Sequence[str], most: int = 10) -> str:
    """Return names in a row: the first few, and the number of the rest."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def with_article(noun: str) -> str:
    """Return a noun with the article it takes: `a plan`, `an impl-report`."""
    return f"{'an' if noun[:1] in 'aeiou' else 'a'} {noun}"


def plural(number: int, noun: str) -> str:
    """Return a number with its noun: `1 item`, `2 items`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def seconds_between(start: str, end: str) -> int:
    """Return the seconds from one time to another, 0 where it is not later."""
    return max(0, int((datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()))


def span(start: str, end: str) -> str:
    """Return the time between two times in words, in the largest unit that fits."""
    return lasting(seconds_between(start, end), 1)


def lasting(seconds: float, most: int = 2) -> str:
    """Return a duration in words, in at most `most` units; from ten minutes on, without seconds."""
    left, parts = max(0, round(seconds)), list[str]()
    left -= left % 60 if left >= 600 else 0
    for unit, size in UNITS:
        count, left = divmod(left, size)
        if count or parts:
            parts.append(plural(count, unit) if unit == "day" else f"{count} {unit}")
    return " ".join(part for part in parts[:most] if not part.startswith("0 ")) or "0 s"


def fit_columns(text: str, most: int) -> str:
    """Return a line, cut to at most `most` columns of a terminal: wide characters take two."""
    if len(text) <= most and text.isascii():
        return text
    room, end = most, 0
    for at, character in enumerate(text):
        room -= 0 if unicodedata.combining(character) else 1 + (unicodedata.east_asian_width(character) in "WF")
        if room < 0:
            return f"{text[:end]}…"
        end = at + 1 if room else end  # as far as leaves a column for what says that there is more
    return text
