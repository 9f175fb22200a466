"""The ways a text can be read: as it is shown, without escapes, decoded, without what stands between letters."""

import html
import re
import unicodedata
from base64 import b64decode
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

# An escape of Markdown's, and how baton shows a character that nobody would see.
MARKDOWN = re.compile(r"\\([_.+/=\[-])")
SHOWN = re.compile(r"\[U\+[0-9A-F]{4,6}\]")
CODE = r"[0-9A-Fa-f]{2}"
ESCAPE = re.compile(
    rf"%({CODE})|\\x({CODE})|\\u00({CODE})|&(?:#[0-9]{{1,7}}|#[xX][0-9A-Fa-f]{{1,6}}|[A-Za-z]{{2,8}});"
)
# One run, on several lines too; what stands before the secret in it decides where its groups begin.
BASE64 = re.compile(r"[A-Za-z0-9+/_-]{24,}(?:\n[ \t>+]{0,4}[A-Za-z0-9+/_-]{4,})*")
HEX = re.compile(rf"(?:{CODE}){{12,}}[0-9A-Fa-f]?")
BETWEEN_LINES = re.compile(r"\n[ \t>+]{0,4}")
URL_SAFE = str.maketrans("-_", "+/")
READABLE = re.compile(rb"[\t\n\r -~]{12,}")
BETWEEN = re.compile(r"[^A-Za-z0-9]+")
ENCODED = ", encoded"


class Reading(NamedTuple):
    """A text as it can be read, where its lines begin, the number of the first, and `, encoded` if it was."""

    text: str
    starts: list[int]
    first: int = 1
    how: str = ""

    def line(self, position: int) -> int:
        """Return the number of the line a position is on."""
        return self.first + bisect_right(self.starts, position) - 1


def readings(text: str) -> Iterator[Reading]:
    """Return the ways a text can be read; what is encoded twice is decoded twice."""
    shown = _lined(_shown(text))
    bare = _lined(ESCAPE.sub(_meant, shown.text), ENCODED)
    for outer in (shown, bare) if bare.text != shown.text else (shown,):
        yield outer
        for start, inner in _decoded(outer.text):
            yield Reading(inner, [0], outer.line(start), ENCODED)
            for _, twice in _decoded(inner):
                yield Reading(twice, [0], outer.line(start), ENCODED)


def squeezed(reading: Reading) -> Reading:
    """Return a reading's letters and digits alone: `gh**p_`, `g h p` and `"ghp" + "_"` are the same in it."""
    lines = [BETWEEN.sub("", line) for line in reading.text.split("\n")]
    starts = [0]
    for line in lines[:-1]:
        starts.append(starts[-1] + len(line))
    return Reading("".join(lines), starts if len(reading.starts) > 1 else [0], reading.first, reading.how)


def _lined(text: str, how: str = "") -> Reading:
    return Reading(text, [0, *(end.end() for end in re.finditer("\n", text))], how=how)


def _shown(text: str) -> str:
    """Return a text in plain ASCII, as a person reads it: without what prints nothing, wide letters as letters."""
    plain = text.replace("\r\n", "\n")
    odd = {one for one in set(plain) if not (" " <= one <= "~" or one in "\n\t\r")}
    # One character at a time: a whole text is not normalized in linear time.
    table = {ord(one): _ascii(unicodedata.normalize("NFKD", one)) for one in odd}
    return SHOWN.sub("", MARKDOWN.sub(r"\1", plain.translate(table)))


def _ascii(text: str) -> str:
    return "".join(one for one in text if " " <= one <= "~")


def _meant(escape: re.Match[str]) -> str:
    """Return the character an escape stands for; line ends as blanks, so that lines stay where they are."""
    code = escape[1] or escape[2] or escape[3]
    character = chr(int(code, 16)) if code else html.unescape(escape[0])
    return " " if character.isspace() else _ascii(character)


def _decoded(text: str) -> Iterator[tuple[int, str]]:
    """Return where each run of base64 or hex begins, and what can be read of it, so that pictures give nothing."""
    for run in BASE64.finditer(text):
        plain = BETWEEN_LINES.sub("", run[0]).translate(URL_SAFE)
        for shift in range(4):
            whole = plain[shift : shift + (len(plain) - shift) // 4 * 4]
            left = plain[shift + len(whole) :]
            yield from _readable(
                run.start(), b64decode(whole + (left + "=" * (4 - len(left)) if len(left) > 1 else ""))
            )
    for run in HEX.finditer(text):
        for shift in range(2):
            whole = run[0][shift : shift + (len(run[0]) - shift) // 2 * 2]
            yield from _readable(run.start(), bytes.fromhex(whole))


def _readable(start: int, said: bytes) -> Iterator[tuple[int, str]]:
    if found := READABLE.findall(said):
        yield start, b"\n".join(found).decode("ascii")
