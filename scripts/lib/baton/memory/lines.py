"""An entry as a line of a memory file: nothing in it acts, and the rest of the file stays byte for byte."""

import re

from baton.artifacts.outline import HEADING, ITEM, Line, plain, read_fences, read_sections
from baton.errors import BatonError
from baton.text import one_line, visible

HEADING_TITLE = "Learned in stories"
LONGEST = 2_000
CODE = re.compile(r"(?<![`\\])`(?!`)[^`\n]+`(?!`)")
# What begins first holds: a comment that is closed, or a code span.
CLOSED = re.compile(r"<!--.*?-->|(?<![`\\])(`+)(?!`)[^\n]*?(?<!`)\1(?!`)", re.S)
# What would begin a block, and what the client would read a file by (`@path`), or take for markup.
BLOCK = re.compile(
    r"[-*+](?=\s|$)|\d{1,9}[.)](?=\s|$)|\[[ xX]\](?=\s|$)|#{1,6}(?=\s|$)|>|~{3,}|[-_=]{3,}(?=\s|$)|\*{3,}(?=\s|$)"
)
IMPORT = re.compile(r"(?<![\w`])@(?=\S)[^\s`]*")
TAG = re.compile(r"<(?=[!/?A-Za-z])")


def inert_line(text: str) -> str:
    """Return a text as one line that is only read: no block, tag, comment or import, its code spans closed."""
    line = visible(one_line(text.encode("utf-8", "replace").decode()))[:LONGEST]
    while found := BLOCK.match(line):
        line = line[found.end() :].lstrip()
    parts, end = [], 0
    for code in CODE.finditer(line):
        parts += [_harmless(line[end : code.start()]), code[0]]
        end = code.end()
    line = " ".join("".join([*parts, _harmless(line[end:])]).split())
    return f"\\{line}" if line[:1] == "[" else line


def _harmless(text: str) -> str:
    return IMPORT.sub(r" `\g<0>` ", TAG.sub("&lt;", text.replace("`", "'")))


def story_line(text: str, story_id: str) -> str:
    """Return what is written of an entry: its text, and which story it is from."""
    return f"{inert_line(text)} (story {story_id})"


def add_line(text: str, line: str, where: str) -> str:
    """Add an item under the heading of what stories taught, which is made where there is none; once."""
    end = "\r\n" if text.count("\r\n") == text.count("\n") > 0 else "\n"
    if any(one.rstrip("\r") == f"- {line}" for one in text.split("\n")):
        return text
    _check_closed(text, where)
    lines = text.split(end)
    sections = [
        one
        for one in read_sections("\n".join(lines).removeprefix("\ufeff"))
        if plain(one.title) == HEADING_TITLE.lower()
    ]
    if not sections:
        gap = "" if not text or text.endswith(end * 2) else end if text.endswith(end) else end * 2
        last = end if not text or text.endswith(end) else ""
        return f"{text}{gap}## {HEADING_TITLE}{end}{end}- {line}{last}"
    section = sections[-1]
    stop = next((one.number for one in section.body if not one.fenced and HEADING.match(one.text)), 0)
    until = stop - 1 if stop else section.line + len(section.body)
    while until > section.line and not lines[until - 1].strip():
        until -= 1
    is_item = until > section.line and (ITEM.match(lines[until - 1]) or lines[until - 1][:1] in " \t")
    lines[until:until] = [f"- {line}"] if is_item else ["", f"- {line}"]
    return end.join(lines)


def _check_closed(text: str, where: str) -> None:
    """Refuse a file whose end is hidden: what is added to it would be hidden too."""
    read = read_fences(text.replace("\r\n", "\n"))
    if number := read.open_line:
        raise BatonError(
            "a code fence that is never closed", f"{where}:{number}", "close it on base; then call again"
        )
    if "<!--" in CLOSED.sub("", "\n".join(one.text for one in read.lines if not one.fenced)):
        raise BatonError("a comment that is never closed", where, "close it on base; then call again")


def replace_line(text: str, number: int, line: str) -> str | None:
    """Put a text in the place of a list item or a paragraph of one line; None where that line is anything else."""
    lines = text.split("\n")
    read = read_fences(text.replace("\r", "")).lines
    if not 0 < number <= len(lines) or _in_front_matter(lines, number) or not _stands_alone(read, number - 1):
        return None
    old = lines[number - 1]
    marked = ITEM.match(old)
    lead = marked[0] if marked else old[: len(old) - len(old.lstrip())]
    lines[number - 1] = f"{lead}{line}" + ("\r" if old.endswith("\r") else "")
    return "\n".join(lines)


def _in_front_matter(lines: list[str], number: int) -> bool:
    closes = [index for index, one in enumerate(lines[1:], 2) if one.strip() == "---"]
    return lines[0].lstrip("\ufeff").strip() == "---" and bool(closes) and number <= closes[0]


def _stands_alone(lines: tuple[Line, ...], at: int) -> bool:
    """Whether a line is all there is of an item or a paragraph."""
    one = lines[at]
    item = ITEM.match(one.text)
    words = one.text[item.end() if item else 0 :].strip()
    if (
        one.fenced
        or not words
        or (not item and one.text[:4].isspace())
        or HEADING.match(one.text)
        or re.match(r"[@<|>#=~`]|-->", words)
        or "<!--" in words
    ):
        return False
    return _ends(lines, at + 1) and (bool(item) or at == 0 or _is_blank(lines[at - 1]))


def _ends(lines: tuple[Line, ...], at: int) -> bool:
    if at >= len(lines) or _is_blank(lines[at]):
        # Behind an empty line an indented one still belongs to an item.
        return at + 1 >= len(lines) or lines[at + 1].text[:2] != "  " or bool(ITEM.match(lines[at + 1].text))
    return not lines[at].fenced and bool(ITEM.match(lines[at].text) or HEADING.match(lines[at].text))


def _is_blank(line: Line) -> bool:
    return not line.text.strip() or bool(HEADING.match(line.text))
