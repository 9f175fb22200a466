"""`story.md`: what is to be done and how one will see that it is done."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from baton.artifacts.document import read_document
from baton.artifacts.findings import Finding
from baton.artifacts.outline import find_section, read_sections
from baton.artifacts.strict_yaml import YamlFault, load_yaml, split_front_matter
from baton.errors import BatonError

CRITERIA_TITLES = (
    "acceptance criteria", "acceptance criterion", "criteria", "success criteria", "acceptance tests", "ac", "acs",
    "definition of done", "done when",
)  # fmt: skip
ITEM = re.compile(r"(\s*)(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(.*)")
# The name that a criterion begins with, where its author gave it one.
OWN_NAME = re.compile(
    r"(?P<mark>[*_`]{0,2})\[?(?:AC|criterion)[ #._-]{0,2}0*(?P<number>\d{1,4})\]?"
    r"(?:(?P=mark)\s*[:.)\u2013\u2014-]|[:.)]?(?P=mark))(?<!\w)\s+",
    re.I,
)
DEFERRED = re.compile(r"^\W*\(deferred\)|\(deferred\)[\s*_`]*(?:[:;.,–—-]|$)", re.I)
UNDERLINED = re.compile(r"(?m)^(\S.*)\n=+[ \t]*$")
COMPLEXITY = range(11)
# What is written anew when a text becomes a story.
OWN_FIELDS = ("id", "title", "status", "source")
TITLE_LINE = re.compile(r'^title: "(?:[^"\\]|\\.)*"$', re.M)  # as the program writes it
# The complexity up to which one run does a whole story.
MICRO_MAX_COMPLEXITY = 2
# A line of words, no sentence, with nothing right below it.
OPENING = re.compile(r"\s*(\w[^\n]{0,99}[^\s.:;,!?])[ \t]*(?:\n[ \t]*\n|\s*\Z)")


class Story(NamedTuple):
    """A story as its file tells it; `criteria` in order, the deferred ones left out."""

    id: str
    title: str
    complexity: int | None
    language: str
    status: str
    criteria: tuple[str, ...]
    deferred: tuple[str, ...]
    source: str = ""  # the path or URL of what it was made of
    source_hash: str = ""  # of an issue: the hash of its text as it was read, and when that had last changed
    source_updated_at: str = ""
    depends_on: tuple[str, ...] = ()  # the ids of the stories that are to be over before it begins
    sources: tuple[str, ...] = ()  # the texts it was made of, where its criteria are read from those by a planner
    beside: tuple[str, ...] = ()  # what lies beside these
    part: str = ""  # the words that say which part of them is meant
    comments: int = 0  # how many comments its issue had, which nobody read
    write_back: bool = False  # whether the files it was made of are to say that it is complete
    miscounted: str = ""  # what stands for the complexity and is none

    @property
    def origin(self) -> str:
        """The source, without the words that say which part of it is meant."""
        return self.source.removesuffix(f" {self.part}") if self.part else self.source

    @property
    def is_confirmed(self) -> bool:
        """Whether it has criteria: one that was made of a text without them has none until they are confirmed."""
        return bool(self.criteria or self.deferred)

    @property
    def is_small(self) -> bool:
        """Whether one run does it whole; of unknown complexity, or without criteria, it does not."""
        return self.complexity is not None and self.is_confirmed and self.complexity <= MICRO_MAX_COMPLEXITY


def named_criteria(criteria: Sequence[str]) -> list[str]:
    """Return criteria with their names in reports, as `AC1: words`; each name stands once."""
    return [f"AC{number}: {_without_name(number, words)}" for number, words in enumerate(criteria, 1)]


def _without_name(number: int, words: str) -> str:
    own = OWN_NAME.match(words)
    return words[own.end() :] if own and int(own["number"]) == number else words


def read_criteria(body: str) -> list[str]:
    """Return the items of the list below the first heading that names the criteria, in order.

    What is indented further than the first item goes on with the one before it.
    """
    section = find_section(read_sections(body), *CRITERIA_TITLES)
    items, margin = list[str](), 0
    for line in (line.text for line in section.body if not line.fenced) if section else ():
        match = ITEM.match(line)
        indent = len(match[1].expandtabs(4)) if match else 0
        if match and (not items or indent <= margin + 1):
            margin = indent if not items else margin
            items.append(match[2].strip())
        elif items and line.startswith((" ", "\t")) and line.strip():
            items[-1] += " " + line.strip()
    return [item for item in items if item]


def load_story(path: Path) -> Story:
    """Read the story in a file; a BatonError when it is gone or unreadable."""
    try:
        return read_story(read_document(path))
    except YamlFault as fault:
        raise BatonError(f"unreadable front matter ({fault})", str(path), "fix it, then call again") from fault


def read_story(text: str) -> Story:
    """Read a story; YamlFault when its front matter cannot be read."""
    head, body = split_front_matter(text)
    fields = load_yaml(head) or {}
    if not isinstance(fields, dict):
        raise YamlFault("line 1: the front matter is not a mapping")
    items = read_criteria(body)
    complexity, source = fields.get("complexity"), fields.get("source")
    known = type(complexity) is int and complexity in COMPLEXITY
    issue = source if isinstance(source, dict) else {}
    return Story(
        id=str(fields.get("id") or ""),
        title=str(fields.get("title") or "") or find_title(body),
        complexity=complexity if known else None,
        miscounted=str(complexity).lower() if isinstance(complexity, int | float) and not known else "",
        language=str(fields.get("language") or ""),
        status=str(fields.get("status") or ""),
        criteria=tuple(item for item in items if not DEFERRED.search(item)),
        deferred=tuple(item for item in items if DEFERRED.search(item)),
        source=source_name(source),
        source_hash=str(issue.get("hash") or ""),
        source_updated_at=str(issue.get("updated_at") or ""),
        depends_on=_read_ids(fields.get("depends_on")),
        sources=_read_paths(fields.get("sources")),
        beside=_read_paths(fields.get("beside")),
        part=str(fields.get("part") or ""),
        comments=count if type(count := issue.get("comments")) is int else 0,
        write_back=fields.get("write_back") is True,
    )


def _read_paths(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()


def _read_ids(value: object) -> tuple[str, ...]:
    """Read ids, one or a list; YamlFault for any other value."""
    ids = value if isinstance(value, list) else [] if value is None else [value]
    if any(isinstance(item, bool) or not isinstance(item, str | int | float) or not str(item) for item in ids):
        raise YamlFault("`depends_on:` is not a list of story ids, as in `depends_on: [41, E06S41]`")
    return tuple(dict.fromkeys(map(str, ids)))


def source_name(source: object) -> str:
    """Return the path or URL of what a story was made of, from `source` in its front matter; or of its issue."""
    if not isinstance(source, dict):
        return str(source or "")
    if "repository" not in source:
        return str(source.get("url") or "")
    return f"https://{source.get('host') or 'github.com'}/{source['repository']}/issues/{source.get('number')}"


def find_title(body: str) -> str:
    """Return a text's first heading of the first level, under whichever mark, or the line it opens with alone."""
    marked = next((section.title for section in read_sections(body) if section.level == 1), "")
    underlined = UNDERLINED.search(body)
    opening = OPENING.match(body)
    return marked or (underlined[1] if underlined else "") or (opening[1] if opening else "")


def with_title(text: str, title: str) -> str:
    """Return a story.md with another title; as it is for none, or where somebody else wrote its title."""
    head, body = split_front_matter(text)
    if not (title and TITLE_LINE.search(head)):
        return text
    line = f"title: {json.dumps(title, ensure_ascii=False)}"
    return f"---\n{TITLE_LINE.sub(lambda _: line, head, count=1)}---\n{body}"


def check_story(text: str, path: str) -> list[Finding]:
    """Find what a story lacks before anyone can work on it: id, title, at least one criterion."""
    try:
        story = read_story(text)
    except YamlFault as fault:
        return [Finding(path, "front matter", "story/front-matter", str(fault))]
    findings = []
    for name, value in (("id", story.id), ("title", story.title)):
        if not value:
            message = f"no `{name}:` in the front matter{', and no heading `# Title`' if name == 'title' else ''}"
            findings.append(Finding(path, "front matter", f"story/{name}-missing", message))
    if story.miscounted:
        message = f"`complexity: {story.miscounted}` is not a whole number from 0 to 10: write one, or none"
        findings.append(Finding(path, "front matter", "story/complexity", message))
    if story.deferred and not story.criteria:
        message = "every acceptance criterion is deferred: list one that is not, under `## Acceptance Criteria`"
        findings.append(Finding(path, "end", "story/no-criteria", message))
    elif not story.criteria and not story.sources:
        message = "no criterion below `## Acceptance Criteria`: the planner reads them, you confirm them"
        findings.append(Finding(path, "end", "story/no-criteria", message, "warning"))
    return findings
