"""An entry is one line that only says something, and the rest of a memory file stays byte for byte."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.artifacts.outline import ITEM, read_fences, read_sections
from baton.errors import BatonError
from baton.memory.lines import add_line, inert_line, replace_line, story_line

PIECES = st.sampled_from([
    "# ", "## Learned in stories", "- ", "* ", "1. ", "> ", "---", "```", "~~~", "<!--", "-->", "<script>",
    "@secret.md", " @~/.ssh/id", "`", "``", "`@a`", "[x]: y", "[ ] ", "| a |", "\n", "\r\n", "\u2028", "\u200b",
    "words", " ", "=", "\\",
])  # fmt: skip
TEXTS = st.lists(PIECES | st.text(max_size=6), max_size=12).map("".join)
LINES = [
    "# Rules", "## Learned in stories", "## Other", "- one", "  more", "", "text", "```", "```sh", "| a |", "* x",
]  # fmt: skip
MEMORY = st.lists(st.sampled_from(LINES), max_size=14)
# The client's own pattern: what it would read a file by, outside of code.
IMPORT = re.compile(r"(?:^|\s)@(?=\S)")
CODE = re.compile(r"(?<![`\\])(`+)(?!`)(?:.*?[^`])\1(?!`)")


@given(TEXTS)
def test_nothing_in_an_entry_acts(text: str) -> None:
    line = inert_line(text)
    assert line == " ".join(line.split())
    bare = CODE.sub("x", line)
    assert not IMPORT.search(bare), line
    assert not re.search(r"<[!/?A-Za-z]", bare), line
    assert "`" not in bare, line
    assert not re.match(r"#{1,6}(\s|$)|[-*+>](\s|$)|\d{1,9}[.)](\s|$)|```|~~~|-{3,}$|\[", line), line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("read @docs/secret.md first", "read `@docs/secret.md` first"),
        ("`@lru_cache` and me@example.com stay", "`@lru_cache` and me@example.com stay"),
        ("# A heading\n- and an item", "A heading - and an item"),
        ("<!-- hidden --> seen", "&lt;!-- hidden --> seen"),
        ("an open `tick", "an open 'tick"),
        (r"a \` @~/secret `key` is read", r"a \' `@~/secret` `key` is read"),
        ("- [ ] 1. ## all of it", "all of it"),
        ("**Bold** stays, #12 and 3.5 too", "**Bold** stays, #12 and 3.5 too"),
        ("a zero\u200bwidth", "a zero[U+200B]width"),
    ],
)
def test_what_would_act_is_only_read(text: str, line: str) -> None:
    assert inert_line(text) == line


@given(MEMORY, st.sampled_from(["\n", "\r\n"]), st.booleans(), TEXTS)
def test_an_added_line_is_one_item_and_nothing_else_changes(
    lines: list[str], end: str, ends: bool, text: str
) -> None:
    before, line = end.join(lines) + (end if ends and lines else ""), story_line(text, "42")
    try:
        after = add_line(before, line, "CLAUDE.md")
    except BatonError:
        assert read_fences(before.replace("\r\n", "\n")).open_line
        return
    at = after.index(f"- {line}")
    had = any("Learned in stories" in one.title for one in read_sections(before.replace("\r\n", "\n")))
    taken = after[:at] + after[at + len(line) + 2 :]
    kept = taken if had else "".join(taken.rsplit("## Learned in stories", 1))
    assert kept.split() == before.split()
    assert after.startswith(before.rstrip("\r\n")) or had
    assert add_line(after, line, "CLAUDE.md") == after
    assert end in before or end == "\n" or "\r\n" not in after
    assert "\r\n" not in before or "\n" not in after.replace("\r\n", "")
    [where] = [one.number for one in read_fences(after.replace("\r\n", "\n")).lines if one.text == f"- {line}"]
    sections = read_sections(after.replace("\r\n", "\n"))
    assert [one for one in sections if one.line < where][-1].title == "Learned in stories"


@given(st.lists(st.tuples(st.sampled_from(LINES), st.sampled_from(["\n", "\r\n"])), max_size=14))
def test_where_line_ends_are_mixed_every_other_line_stays(parts: list[tuple[str, str]]) -> None:
    before = "# Rules\r\n\n" + "".join(f"{line}{end}" for line, end in parts)
    try:
        after = add_line(before, "new (story 42)", "CLAUDE.md").split("\n")
    except BatonError:
        assert read_fences(before.replace("\r\n", "\n")).open_line
        return
    old = [one for one in before.split("\n") if one.strip()]
    now = [one for one in after if one.strip() and not one.startswith("- new")]
    assert (now[: len(old)], now[len(old) :] in ([], ["## Learned in stories"])) == (old, True)


@given(MEMORY, st.integers(0, 16), st.booleans())
def test_a_replaced_line_is_a_whole_item_or_paragraph_and_nothing_else_changes(
    lines: list[str], number: int, windows: bool
) -> None:
    end = "\r\n" if windows else "\n"
    before = end.join(lines)
    after = replace_line(before, number, "new (story 42)")
    if after is None:
        return
    now = after.split(end)
    assert [*now[: number - 1], *now[number:]] == [*lines[: number - 1], *lines[number:]]
    old = lines[number - 1]
    item = ITEM.match(old)
    assert now[number - 1] == f"{item[0] if item else old[: len(old) - len(old.lstrip())]}new (story 42)"
    assert not lines[number - 1].startswith(("#", "`", "|"))


@pytest.mark.parametrize("text", ["```\nopen\n", "<!-- open\n", "<!-- a\n```\n-->\n```\n"])
def test_what_hides_its_end_is_refused(text: str) -> None:
    with pytest.raises(BatonError, match="never closed"):
        add_line(text, "x", "CLAUDE.md")


@pytest.mark.parametrize(
    "text", ["Write `<!--` so\n", "```html\n<!-- open\n```\n", "<!-- `\nclosed -->\n", "``a ` <!--``\n"]
)
def test_what_only_shows_how_a_comment_begins_hides_nothing(text: str) -> None:
    assert add_line(text, "x", "CLAUDE.md").endswith("- x\n")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("---\nid: x\n---\n", 2), ("# Title\n", 1), ("```\ncode\n```\n", 2), ("@AGENTS.md\n", 1),
        ("| a | b |\n", 1),
        ("- an item\n  that goes on\n", 1), ("one\nparagraph\n", 1), ("<!-- note -->\n", 1),
        ("- an item\n\n  more\n", 1), ("    code\n", 1),
    ],
)  # fmt: skip
def test_what_is_no_line_of_its_own_is_not_replaced(text: str, number: int) -> None:
    assert replace_line(text, number, "new") is None
