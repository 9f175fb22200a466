"""The text of the rules of a page: sections and rows, with the place of each line.

A rule is a section: its name, when it holds, and one line for each field. Where a rule asks nothing and its
condition is its own name, it may be a row of the table that stands before the sections.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from baton.errors import BatonError

SKILLS = Path(__file__).parents[4] / "skills"
FIELD = re.compile(r"- \*\*([A-Z][a-z]+):\*\*(?: (\S.*))?")
ITEM = re.compile(r"  - (\S.*)")
COLUMNS = ["Rule", "When", "Then", "Because"]
# What no paragraph begins with: it would be read as something else by whoever looks at the page.
NO_PARAGRAPH = tuple("#-<>`~|\t +*")


class PageLine(NamedTuple):
    """A line of a page, or a part of one, with its place."""

    page: str
    number: int
    text: str

    def check(self, holds: object, fault: str) -> None:
        """Raise a BatonError that names this line, unless `holds` is true."""
        if not holds:
            where = f"{path_of(self.page).relative_to(SKILLS.parent).as_posix()}, line {self.number}"
            raise BatonError(fault, where, "fix the page, or install the plugin again")


class RuleText(NamedTuple):
    """The text of a rule: its name, its fields, the items of its answers, and its lines."""

    name: PageLine
    fields: dict[str, PageLine]
    answers: list[PageLine]
    lines: list[str]


def path_of(page: str) -> Path:
    """Return the path of a page, whose name is unique among the skills."""
    return next(SKILLS.glob(f"*/stages/{page}.md"), SKILLS / "implement" / "stages" / f"{page}.md")


@cache
def read_page(page: str) -> list[PageLine]:
    """Return the lines of a page; a BatonError where it cannot be read."""
    path = path_of(page)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BatonError(f"a page of the plugin is unreadable ({error})", str(path), "install it again") from error
    return [PageLine(page, number, line.rstrip()) for number, line in enumerate(text.split("\n"), 1)]


def sections_of(page: str) -> dict[str, list[PageLine]]:
    """Return the lines of each section of a page by its title, the heading first; titles are unique."""
    sections = dict[str, list[PageLine]]()
    for line in read_page(page):
        if line.text.startswith("## "):
            title = line.text[3:]
            line.check("/" not in title, f"`{title}`: the heading of a rule begins with `### `")
            line.check(title not in sections, f"a second section `{title}`")
            sections[title] = [line]
        elif sections:
            sections[title].append(line)
    return sections


def read_rules(lines: Sequence[PageLine]) -> list[RuleText]:
    """Return the rules of a section without its heading: those of the table, then those with a section each."""
    starts = [at for at, line in enumerate(lines) if line.text.startswith("### ")]
    table = lines[: starts[0]] if starts else lines
    ends = [*starts[1:], len(lines)]
    return [*_table_rules(table), *(_section_rule(lines[at:end]) for at, end in zip(starts, ends, strict=False))]


def cells_of(line: PageLine) -> list[str]:
    """Return the cells of a row of a table."""
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.text)[1:-1]]


def two_cells_of(line: PageLine) -> list[str]:
    """Return the cells of a row that has two; a BatonError for any other number."""
    cells = cells_of(line)
    line.check(len(cells) == 2, "a row is to have 2 cells")
    return cells


def _table_rules(lines: Sequence[PageLine]) -> Iterator[RuleText]:
    """Read the paragraphs before the first section, and the table among them."""
    rows = [line for line in lines if line.text.startswith("|")]
    for line in lines:
        is_prose = not line.text or not line.text.startswith(NO_PARAGRAPH)
        line.check(line in rows or is_prose, f"neither a paragraph nor a rule: `{line.text[:40]}`")
    for number, line in enumerate(rows):
        cells = cells_of(line)
        line.check(len(cells) == len(COLUMNS), f"a row is to have {len(COLUMNS)} cells")
        if number == 0:
            line.check(cells == COLUMNS, f"the columns are {', '.join(COLUMNS)}")
        elif number > 1 or set(line.text) - set("|-: "):
            fields = {name: line._replace(text=cell) for name, cell in zip(COLUMNS[1:], cells[1:], strict=True)}
            yield RuleText(line._replace(text=cells[0].strip("`")), fields, [], [line.text])


def _section_rule(lines: Sequence[PageLine]) -> RuleText:
    head, *rest = lines
    rule = RuleText(head._replace(text=head.text[4:]), {}, [], [line.text for line in lines])
    key = ""
    for line in rest:
        key = _add(rule, key, line) if line.text else key
    return rule


def _add(rule: RuleText, key: str, line: PageLine) -> str:
    """Add a line to a rule; returns the field it belongs to."""
    item = ITEM.fullmatch(line.text) if key == "Answers" else None
    if item:
        rule.answers.append(line._replace(text=item[1]))
        return key
    if line.text.startswith("When "):
        line.check(line.text.endswith("."), "the sentence `When …` is one line, and ends with a full stop")
        name, text = "When", line.text[5:-1]
    else:
        match = FIELD.fullmatch(line.text)
        line.check(match, f"no field of a rule: `{line.text[:40]}`: each is one line, `- **Name:** text`")
        assert match
        name, text = match[1], match[2] or ""
    line.check(name not in rule.fields, f"`{name}` stands twice")
    rule.fields[name] = line._replace(text=text)
    return name
