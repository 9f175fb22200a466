"""Lists of findings in a body, under headings with a count or by themselves; each bot's form is data."""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import NamedTuple

from baton.feedback.bots.layout import Layout, blanked, within
from baton.feedback.bots.noise import block_name, plain_words
from baton.feedback.bots.parts import Parts, checked, count_in, found, place, up_to_next
from baton.feedback.bots.reading import Finding, severity_of
from baton.feedback.text.markdown import Details, Span


class BodySection(NamedTuple):
    """A section by the words of its heading; what `finds` is False for holds praise, no findings."""

    words: re.Pattern[str]
    name: str
    severity: str | None = None
    label: str = ""
    repeated: bool = False
    finds: bool = True


class ListForm(NamedTuple):
    """How a bot lists findings. The groups of `entry` are the path, unless it is the file's, and the lines."""

    entry: re.Pattern[str]
    sections: tuple[BodySection, ...]
    by_file: bool = False  # a section has a block for each file
    blocks: bool = False  # a block with a summary is a finding
    lead: re.Pattern[str] | None = None  # what may stand between the entry and its text
    indent: str = ""  # what each line of its text begins with
    declared: re.Pattern[str] | None = None  # where the body says how many there are, if in no heading


class _Found(NamedTuple):
    heading: str
    outer: Span
    inner: Span
    section: BodySection


HEADING = re.compile(r"(?m)^#{1,6}[ \t]+([^\n]*\(\d{1,4}\))[ \t]*$")
# What ends a section that begins with a heading.
NEXT = re.compile(r"(?m)^#{1,6}[ \t]|^- \*\*(?:Files reviewed|Comments generated|Review effort)|^</details>")
RULE = re.compile(r"\n[ \t]*(?:---+|___+|\*\*\*+)[ \t]*\Z")
ALT = re.compile(r"alt=\"([A-Za-z ]{2,20})\"")
SectionOf = Callable[[str], BodySection | None]


def list_reader(form: ListForm) -> Callable[[Layout, list[Span]], Parts]:
    """Return what reads bodies of a form, the counts of their headings checked against what was read."""

    @lru_cache(maxsize=256)
    def section_of(summary: str) -> BodySection | None:
        words = plain_words(summary)
        return next((one for one in form.sections if one.words.fullmatch(words)), None)

    return partial(_read, form, section_of)


def _read(form: ListForm, section_of: SectionOf, layout: Layout, noise: list[Span]) -> Parts:
    parts = Parts([], [], [], [])
    until = 0
    for one in sorted(_sections(layout, section_of), key=lambda one: one.outer):
        if one.outer.start < until:
            continue
        until = one.outer.end
        parts.spans.append(one.outer)
        findings, problems = _read_section(form, section_of, layout, noise, one)
        parts.findings.extend(findings)
        parts.problems.extend(problems)
        parts.raw.extend([one.outer] if problems else [])
    return parts


def _sections(layout: Layout, section_of: SectionOf) -> Iterator[_Found]:
    """Return the sections of a body: collapsed blocks, and what stands under a heading with a count."""
    for block in layout.details:
        if section := section_of(block.summary):
            yield _Found(block.summary, Span(block.start, block.end), block.content, section)
    for heading in HEADING.finditer(layout.prose):
        if section := section_of(heading[1]):
            following = NEXT.search(layout.prose, heading.end())
            end = following.start() if following else len(layout.text)
            yield _Found(heading[1], Span(heading.start(), end), Span(heading.end(), end), section)


def _read_section(
    form: ListForm, section_of: SectionOf, layout: Layout, noise: list[Span], one: _Found
) -> tuple[list[Finding], list[str]]:
    """Return the findings of a section, and which counts do not add up."""
    if not one.section.finds:
        return [], []
    name, findings, problems = _capital(one.heading), list[Finding](), list[str]()
    for file in _files(layout, one.inner, section_of) if form.by_file else ():
        path = file.summary[: file.summary.rindex("(")].strip()
        listed = list(_entries(form, layout, noise, file.content, one.section, path))
        problems += checked(f"{name} of {path}", count_in(file.summary), len(listed))
        findings += listed
    if not form.by_file:
        blocks = [block for block in _outermost(layout, one.inner) if block.summary] if form.blocks else []
        findings += [_read_block(form, layout, noise, block, one.section) for block in blocks]
        findings += _entries(form, layout, noise, one.inner, one.section)
    return findings, checked(name, count_in(one.heading), len(findings)) + problems


def _capital(summary: str) -> str:
    words = plain_words(summary)
    return words[:1].upper() + words[1:]


def _files(layout: Layout, outer: Span, section_of: SectionOf) -> Iterator[Details]:
    """Return the blocks of a section that are named after a file and a count."""
    until = 0
    for inner in layout.inside(outer):
        counted = count_in(inner.summary) is not None and not block_name(inner.summary)
        if inner.start >= until and counted and section_of(inner.summary) is None:
            until = inner.end
            yield inner


def _outermost(layout: Layout, outer: Span) -> Iterator[Details]:
    until = 0
    for block in layout.inside(outer):
        if block.start >= until:
            until = block.end
            yield block


def _entries(
    form: ListForm, layout: Layout, noise: list[Span], outer: Span, section: BodySection, path: str | None = None
) -> Iterator[Finding]:
    """Return the findings listed in a part of a body; blocks in it hold none."""
    offset = outer.start
    nested = [Span(block.start - offset, block.end - offset) for block in _outermost(layout, outer)]
    flat = blanked(layout.prose[offset : outer.end], nested)
    return (finding for _, finding in _listed(form, layout, noise, (offset, flat), section, path))


def _listed(
    form: ListForm, layout: Layout, noise: list[Span], part: tuple[int, str], section: BodySection,
    path: str | None = None,
) -> Iterator[tuple[Span, Finding]]:  # fmt: skip
    """Return each finding with where it stands; `part` is where a part begins, and what of it is searched."""
    offset, flat = part
    for mark, limit in up_to_next(list(form.entry.finditer(flat)), len(flat)):
        lead = form.lead.match(flat, mark.end(), limit) if form.lead else None
        begin = lead.end() if lead else mark.end()
        rule = RULE.search(flat[begin:limit].rstrip())
        end = begin + rule.start() if rule else limit
        at = place(path, *mark.groups()) if form.by_file else place(*mark.groups())
        finding = found(layout, Span(offset + begin, offset + end), noise, at, section.name, section.label)
        yield (
            Span(offset + mark.start(), offset + limit),
            finding._replace(
                severity=finding.severity or section.severity,
                repeated=section.repeated,
                body=finding.body.replace(f"\n{form.indent}", "\n"),
            ),
        )


def _read_block(
    form: ListForm, layout: Layout, noise: list[Span], block: Details, section: BodySection
) -> Finding:
    """Read a finding that is a block of its own: title in the summary, then its place, then the reasoning."""
    entry = form.entry.search(layout.prose, block.content.start, block.content.end)
    start = entry.end() if entry else block.content.start
    spans = [*within(noise, block.content), Span(block.content.start, start)] if entry else noise
    at = place(*entry.groups() if entry else (None, None))
    finding = found(layout, block.content, sorted(spans), at, section.name)
    level = ALT.search(layout.text, block.start, block.content.start)
    return finding._replace(
        title=block.summary.strip(),
        body=f"{block.summary.strip()}\n\n{finding.body}".strip(),
        severity=severity_of(level[1]) if level else finding.severity,
    )


def loose_reader(form: ListForm) -> Callable[[Layout, list[Span]], Parts]:
    """Return what reads bodies whose findings stand under no heading, up to the block that follows the last."""
    [section] = form.sections

    def read(layout: Layout, noise: list[Span]) -> Parts:
        marks = list(form.entry.finditer(layout.prose))
        last = marks[-1].end() if marks else 0
        stop = next((block.start for block in layout.details if block.start > last), len(layout.text))
        listed = list(_listed(form, layout, noise, (0, layout.prose[:stop]), section))
        said = form.declared.search(layout.prose) if form.declared else None
        problems = checked(f"Skipped {section.name} comments", int(said[1]) if said else None, len(listed))
        return Parts([finding for _, finding in listed], [span for span, _ in listed], problems, [])

    return read
