"""Find the lines of a document that look like criteria, and those that are in no criterion that was read.

It knows no tool's format: items of lists, numbered paragraphs and rows count by the title they stand under.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from baton.artifacts.outline import HEADING, TITLE_LENGTH, Line, plain_title, read_fences, without_comments
from baton.artifacts.story_file import read_criteria

# A line that is all bold or italic, or ends in a colon, as those write who want a heading without one.
MARKED = re.compile(r"\s*([*_]{1,3})(?P<words>[^*_]{1,80})\1\s*:?\s*")
COLON = re.compile(r"\s*(?P<words>\w[^:|*_`]{0,80}):\s*")
# The line below the head of a table, and a cell that is a name and no more.
TABLE_LINE = re.compile(r"\s*\|?[\s:|-]+\|?\s*")
ONLY_A_NAME = re.compile(r"\W*(?:ac|criterion|c)?[ #.-]{0,2}\d{1,4}\W*|\W*", re.I)
# A step with a bullet of its own: what is below `Given` is one criterion, which a list does not say.
STEP = re.compile(r"\W*(?:then|and|but)\b", re.I)
# A title that names criteria; of other languages those that one word gives away.
NAMES_CRITERIA = re.compile(
    r"\baccept(?:ance|ed when)|crit[eé]ri|\bdone when|\bdefinition of done|akzeptanz|aceptaci|aceita|accettazion"
    r"|критери|受け?入れ?|验收|驗收|인수|kryteri|acceptan|acceptati|\b(?:acs?|dod)\b",
    re.I,
)
# A title that hints at them, but not below one for notes: `Dev Notes > Testing Requirements`.
HINTS_AT_CRITERIA = re.compile(
    r"\bscenario|\brequirement|\bsuccess|\bmust[- ]haves?\b|^\W*must\b|\boutcome|\bdeliverable|\bverification"
    r"|anforderung|exigence|requisit|требовани|要件|需求|要求|요구|検証|验证|검증",
    re.I,
)
# What a title says, and nothing else, under which no criteria stand; `Background sync` is no such title.
OTHER = re.compile(
    r"(?:[\w-]+ )?notes?|context|background|glossary|assumptions?|dependencies|references|non-?goals?|edge cases"
    r"|out[- ]of[- ]scope|not in scope|(?:why this )?priority|user story|why|type|independent tests?"
    r"|(?:key )?entities|tasks?|steps"
)
MARK = re.compile(
    r"(?:[-*+•◦▪–—]|\d{1,9}[.)]|\d{1,9}(?:\.\d{1,9}){1,9}[.)]?|(?:[A-Za-z]|[ivxIVX]{1,5})[.)]|\(\w{1,3}\))"
    r"[ \t]+(?=\S)|(?:-|(?:[•◦▪・‣⁃→⇒➔➜▶►✓✔✅☐☑□■●○]\ufe0f?|\d\ufe0f?\u20e3|<li>)\s*)(?=[^\W\d_]|\[)"
)
BOX = re.compile(r"\[[^\[\]]\][ \t]+")
ITEM_NAME = re.compile(
    r"[*_`\[]{0,3}[A-Za-z]{1,9}[ ._-]?\d{1,5}(?:\.\d{1,5}){0,5}[*_`\]]{0,3}(?:[ \t]*[:.)–—-]|(?<=[*_`\]]))"
)
SCENARIO = re.compile(r"(?:[*_]{1,3}(?:Given|When)|[*_]{0,3}(?:GIVEN|WHEN))\b|Given\b|Scenario(?: Outline)?:")
# What is fenced is shown, but for scenarios as tools run them.
GHERKIN = re.compile(r"\s*(?:Scenario(?: Outline)?:|Given\b)")
QUOTED = re.compile(r"^\s*(?:>[ \t]?)+")
# Titles that only divide what stands under the one before: `For admins:`.
DIVIDES = re.compile(r"(?:for|as|when|while|if|in|on|with)\b", re.I)
KEY = re.compile(r"(?P<words>[A-Za-z]+(?:[_-][A-Za-z]+)+):")
TAG = re.compile(r"<(/?)([A-Za-z_]{2,40})>")
WORD = re.compile(r"[^\W_]+")
# What two lines are compared by: `is 1` is not `is -1`, and `a > b` not `a < b`.
COMPARED_WORD = re.compile(r"[^\W_]+|-(?=\d)|[<>]=?")
# What criteria are called, with or without a colon after it.
CALLED = re.compile(
    r"[*_`\[]{0,3}(?:AC|N?FR|SC|REQ|US|criterion)[ ._#-]{0,2}(?:[A-Za-z]{1,12}[-_])?\d{1,5}[a-z]?\b"
    r"|\d{1,3} ?[:–—-] ",
    re.I,
)
BOLD = re.compile(r"\*\*(?P<words>[^*]+)\*\*:?")
LABEL_LENGTH = 200
# Words by which two lines are held to be the same.
COMPARED = 40


class Demanded(NamedTuple):
    """A line that looks like a criterion: its number from 1, and its words without mark, box and name."""

    number: int
    text: str


class _Label(NamedTuple):
    """A line that is a title for what follows, as deep as `indent` at least."""

    words: str = ""
    indent: int = 0


def find_demanded(text: str) -> list[Demanded]:
    """Return the items that stand right under what speaks of criteria; what is fenced or a comment is none."""
    items = list[Demanded]()
    headings, label, margin = list[tuple[int, str]](), _Label(), -1
    for line, below in pairwise([*_readable(text), Line(0, "", False)]):
        words, indent = line.text.strip(), _indent(line.text)
        if (heading := HEADING.match(line.text)) and len(words) <= TITLE_LENGTH:
            level = len(heading[1])
            headings = [*(above for above in headings if above[0] < level), (level, heading[2])]
            label, margin = _Label(), -1
            if CALLED.match(heading[2]) and _is_under_criteria("", headings[:-1]):
                items.append(Demanded(line.number, heading[2]))
        elif (title := _label(words, indent, below.text)) is not None:
            within = f"{label.words} " if label.words and DIVIDES.match(title.words) else ""
            label, margin = title._replace(words=f"{within}{title.words}"), -1
        elif item := _item(words, below.text):
            if indent < label.indent:
                label, margin = _Label(), -1
            margin = indent if margin < 0 else margin
            if indent <= margin + 1 and _is_under_criteria(label.words, headings) and WORD.search(item):
                items.append(Demanded(line.number, item))
    return items


def is_own_form(text: str) -> bool:
    """Whether a text has one list of criteria, each an item, and nothing else in it looks like one."""
    criteria = read_criteria(text)
    return bool(criteria) and not any(map(STEP.match, criteria)) and not find_uncovered(text, criteria)


def longest_cell(row: str) -> str:
    """Return the longest cell of a table's row that is more than a name."""
    cells = (cell.strip() for cell in row.strip().removeprefix("|").removesuffix("|").split("|"))
    return max((cell for cell in cells if not ONLY_A_NAME.fullmatch(cell)), key=len, default="")


def find_uncovered(text: str, criteria: Iterable[str]) -> list[Demanded]:
    """Return the demanded lines that no criterion begins with, nor goes on with after a mark or comma."""
    bare = [without_comments(criterion) for criterion in criteria]
    held, whole = sorted({start for item in bare for start in _starts(item)}), [_words(item) for item in bare]
    lines = list[Demanded]()
    for line in find_demanded(text):
        wanted = _words(without_comments(line.text))
        words = " ".join(wanted.split(" ", COMPARED)[:COMPARED]).rstrip() + " "
        at = bisect_left(held, words)
        if at == len(held) or not held[at].startswith(words) or not any(wanted in each for each in whole):
            lines.append(line)
    return lines


def _words(text: str) -> str:
    return f"{' '.join(COMPARED_WORD.findall(text.casefold()))} "


def _starts(criterion: str) -> Iterator[str]:
    """Return the words of a criterion from its begin on, and from each place after more than a blank."""
    folded, end = criterion.casefold(), 0
    places = list[int]()
    words = list[str]()
    for match in COMPARED_WORD.finditer(folded):
        if not words or not folded[end : match.start()].isspace():
            places.append(len(words))
        words.append(match[0])
        end = match.end()
    return (f"{' '.join(words[at : at + COMPARED])} " for at in places)


def _readable(text: str) -> list[Line]:
    """Return the lines but for fences and comments; what is opened and never closed is text."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    fences = read_fences(text)
    last = max((line.number for line in fences.lines if "-->" in line.text), default=0)
    lines, within = list[Line](), False
    in_table = False
    for line in fences.lines:
        if line.fenced and not 0 < fences.open_line < line.number and not GHERKIN.match(line.text):
            continue
        in_table = "|" in line.text and (in_table or bool(TABLE_LINE.fullmatch(line.text)))
        if in_table and not line.text.lstrip().startswith("|"):
            line = line._replace(text=f"| {line.text}")
        bare = line.text.lstrip() if line.fenced and line.text.lstrip().startswith("Scenario") else line.text
        line = line._replace(text=QUOTED.sub("", bare))
        opens = line.text.lstrip().startswith("<!--") and line.number <= last
        if not within and not opens and line.text.strip():
            lines.append(line)
        within = (within or opens) and "-->" not in line.text
    return lines


def _indent(line: str) -> int:
    return len(line[: len(line) - len(line.lstrip())].expandtabs(4))


def _label(words: str, indent: int, below: str) -> _Label | None:
    """Return a line as a label if it is a title by its form; an item only where what follows stands deeper."""
    if tag := TAG.fullmatch(words):
        return _Label("" if tag[1] else tag[2].replace("_", " "), 0)
    mark = MARK.match(words)
    if len(words) > LABEL_LENGTH or (mark and _indent(below) <= indent):
        return None
    bare = words[mark.end() :] if mark else words
    title = MARKED.fullmatch(bare) or BOLD.fullmatch(bare) or COLON.fullmatch(bare) or KEY.fullmatch(bare)
    if ITEM_NAME.match(bare) and not _item(below.strip(), ""):
        return None  # `**AC1: words**` says it all itself
    return _Label(title["words"].replace("_", " "), indent + 1 if mark else indent) if title else None


def _item(words: str, below: str) -> str:
    """Return the words of an item: of a list, a table, a paragraph with a number or name, or a scenario."""
    if words.startswith("|"):
        is_head = TABLE_LINE.fullmatch(below[:TITLE_LENGTH]) and "-" in below
        return "" if is_head or not WORD.search(words) else longest_cell(words)
    mark, name = MARK.match(words), ITEM_NAME.match(words)
    if not (mark or name or any(pattern.match(words) for pattern in (SCENARIO, BOX, CALLED))):
        return ""
    bare = words[mark.end() :] if mark else words
    box = BOX.match(bare)
    bare = bare[box.end() :] if box else bare
    name = ITEM_NAME.match(bare)
    return bare[name.end() :].strip() or bare if name else bare


def _is_under_criteria(label: str, headings: Sequence[tuple[int, str]]) -> bool:
    """Whether a title that a line stands under speaks of criteria; a document's own does only by itself."""
    titles = [label, *(title for level, title in headings if level > 1 or len(headings) == 1)]
    if any(map(NAMES_CRITERIA.search, titles)):
        return not OTHER.fullmatch(plain_title(label))
    return any(map(HINTS_AT_CRITERIA.search, titles)) and not any(
        OTHER.fullmatch(plain_title(title)) for title in titles
    )
