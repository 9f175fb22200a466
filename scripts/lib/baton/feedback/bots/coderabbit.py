"""CodeRabbit: the findings that a review keeps in collapsed sections, file by file."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from baton.feedback.bots.layout import Layout, blanked
from baton.feedback.bots.noise import block_name, plain_words
from baton.feedback.bots.parts import Parts, checked, count_in, found, place, up_to_next
from baton.feedback.bots.reading import Finding
from baton.feedback.text.markdown import Details, Span


class BodySection(NamedTuple):
    """A section by the words of its heading; what `finds` is False for holds praise, no findings."""

    words: re.Pattern[str]
    name: str
    severity: str | None = None
    label: str = ""
    repeated: bool = False
    finds: bool = True


SECTIONS = (
    BodySection(re.compile(r"additional comments?(?: not posted)?"), "additional", finds=False),
    BodySection(re.compile(r"outside diff range(?: and nitpick)? comments?.*"), "outside diff"),
    BodySection(re.compile(r"(?:.* )?comments? outside (?:of )?the diff"), "outside diff"),
    BodySection(re.compile(r"nitpick comments?"), "nitpick", severity="low", label="nitpick"),
    BodySection(re.compile(r"duplicate comments?"), "duplicate", repeated=True),
    BodySection(re.compile(r"critical comments?"), "critical", severity="critical"),
    BodySection(re.compile(r"major comments?"), "major", severity="high"),
    BodySection(re.compile(r"minor comments?"), "minor", severity="medium"),
    BodySection(re.compile(r"trivial comments?"), "trivial", severity="low"),
    BodySection(re.compile(r"(?:inline )?(?:review )?comments? (?:that )?failed to post"), "failed to post"),
)
HEADER = re.compile(r"(?m)^[ \t]*(?:Lines? )?`(\d{1,7})(?:-(\d{1,7}))?`[ \t]*:[ \t]*")
RULE = re.compile(r"\n[ \t]*(?:---+|___+|\*\*\*+)[ \t]*\Z")


def read_sections(layout: Layout, noise: list[Span]) -> Parts:
    """Read the sections of a review, their counts checked against what was read."""
    parts = Parts([], [], [], [])
    until = 0
    for block in layout.details:
        section = section_of(block.summary)
        if block.start < until or section is None:
            continue
        until = block.end
        parts.spans.append(Span(block.start, block.end))
        if section.finds:
            _read_section(layout, noise, block, section, parts)
    return parts


@lru_cache(maxsize=256)
def section_of(summary: str) -> BodySection | None:
    """Return the section that a heading opens."""
    words = plain_words(summary)
    return next((section for section in SECTIONS if section.words.fullmatch(words)), None)


def _read_section(layout: Layout, noise: list[Span], block: Details, section: BodySection, parts: Parts) -> None:
    heading = _heading(block.summary)
    problems: list[str] = []
    read = 0
    for file in _files(layout, block):
        findings = list(_read_file(layout, noise, file, section))
        path = file.summary[: file.summary.rindex("(")].strip()
        problems += checked(f"{heading} of {path}", count_in(file.summary), len(findings))
        parts.findings.extend(findings)
        read += len(findings)
    problems = checked(heading, count_in(block.summary), read) + problems
    if problems:
        parts.problems.extend(problems)
        parts.raw.append(Span(block.start, block.end))


def _heading(summary: str) -> str:
    words = plain_words(summary)
    return words[:1].upper() + words[1:]


def _files(layout: Layout, block: Details) -> Iterator[Details]:
    """Return the blocks of a section that are named after a file and a count."""
    until = 0
    for inner in layout.inside(block.content):
        counted = count_in(inner.summary) is not None and not block_name(inner.summary)
        if inner.start >= until and counted and section_of(inner.summary) is None:
            until = inner.end
            yield inner


def _read_file(layout: Layout, noise: list[Span], file: Details, section: BodySection) -> Iterator[Finding]:
    path = file.summary[: file.summary.rindex("(")].strip()
    offset = file.content.start
    nested = [Span(inner.start - offset, inner.end - offset) for inner in layout.inside(file.content)]
    flat = blanked(layout.prose[offset : file.content.end], nested)
    for header, end in up_to_next(list(HEADER.finditer(flat)), len(flat)):
        rule = RULE.search(flat[header.end() : end].rstrip())
        end = header.end() + rule.start() if rule else end
        span = Span(offset + header.end(), offset + end)
        finding = found(layout, span, noise, place(path, header[1], header[2]), section.name, section.label)
        yield finding._replace(severity=finding.severity or section.severity, repeated=section.repeated)
