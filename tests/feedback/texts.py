"""Texts of every kind for the property tests, and how many they try: 500,
or 10,000 when `BATON_LONG` is set."""

import os
from typing import NamedTuple

from hypothesis import settings
from hypothesis import strategies as st

from baton.text import BOTTOM, CRLF, SIDE, TOP, restored

LONG = "BATON_LONG" in os.environ or "BATON_EXAMPLES" in os.environ
EXAMPLES = int(os.environ.get("BATON_EXAMPLES", "10000" if LONG else "500"))
QUICKLY = settings(max_examples=EXAMPLES, derandomize=not LONG, deadline=None)

PIECES = st.sampled_from([
    "```", "````", "~~~", "```suggestion\n", "│", "│ ", "└", "┌", "┌ a", "\n│", "\n└\n", "[U+", "[U+200B]",
    "[U+005B]",
    "[U+000D U+000A]", "[", "]", "U+", "<!--", "-->", "--!>", "<details>", "</details>", "<summary>",
    "</summary>",
    "<div>", "> ", ">", "- ", "1. ", "    ", "\t", " ", "\n", "\n", "\n\n", "\r\n", "\r\n", "\r", "`",
    "``", "\\", "x",
    "# ", "| a |", "***", "![a](b)", "[a](b)", "&lt;", "&#99999999999;", "\u200b", "\u202e", "\u2066",
    "\u2028", "\x85",
    "\x00", "\x1b[0m", "\ufeff", "\u00a0", "\ufe0f", "\u200d", "\U000e0041", "\U000e0100", "\ud800",
    "\udfff", "👩", "👩‍💻",
    "❤️", "1️⃣", "🇫🇷", "🏽", "é", "e\u0301", "漢", "ع", "\U0010ffff", "\U0001faff",
])  # fmt: skip
ANY = st.text(st.characters(exclude_categories=()))
BODIES = ANY | st.lists(PIECES, max_size=30).map("".join) | st.lists(PIECES | ANY, max_size=8).map("".join)


class Quoted(NamedTuple):
    """A heading of ours and a text of somebody else's."""

    heading: str
    body: str


def parse_quoted(text: str) -> list[Quoted]:
    """Read back what `quoted` gave, one or several, each on lines of its own."""
    found = []
    heading, lines = "", list[str]()
    for line in text.split("\n"):
        if line.startswith(TOP):
            heading, lines = line[2:], []
        elif line.startswith(SIDE):
            lines.append(line[2:])
        elif line == BOTTOM:
            found.append(_read(heading, lines))
    return found


def _read(heading: str, lines: list[str]) -> Quoted:
    bare = heading.removesuffix(CRLF)
    body = restored("\n".join(lines))
    return Quoted(restored(bare), body if bare == heading else body.replace("\n", "\r\n"))
