"""Copilot: the findings that a review holds back, which no thread shows."""

import re
from collections.abc import Iterator

from baton.feedback.bots.layout import Layout, blanked, within
from baton.feedback.bots.noise import plain_words
from baton.feedback.bots.parts import Parts, checked, count_in, found, place, up_to_next
from baton.feedback.bots.reading import Finding, severity_of
from baton.feedback.text.markdown import Details, Span

SECTION = re.compile(
    r"comments? suppressed.*|suppressed comments?.*|(?:previously )?missed(?: comments?)?|previously missed.*"
)
HEADING = re.compile(r"(?m)^#{1,6}[ \t]+([^\n]*\(\d{1,4}\))[ \t]*$")
# What ends a section that begins with a heading.
NEXT = re.compile(r"(?m)^#{1,6}[ \t]|^- \*\*(?:Files reviewed|Comments generated|Review effort)|^</details>")
ENTRY = re.compile(
    r"(?m)^[ \t]*(?:\*\*`?|`)([^\s*`:][^*`:\n]{0,300}):(\d{1,7})(?:-(\d{1,7}))?(?:`?\*\*|`)[ \t]*:?[ \t]*$"
)
BULLET = re.compile(r"\s*[*-][ \t]+")
ALT = re.compile(r"alt=\"([A-Za-z ]{2,20})\"")


def read_suppressed(layout: Layout, noise: list[Span]) -> Parts:
    """Read the suppressed comments of a review, their number checked against the heading."""
    parts = Parts([], [], [], [])
    until = 0
    for heading, outer, inner in sorted(_sections(layout), key=lambda section: section[1]):
        if outer.start < until:
            continue
        until = outer.end
        findings = list(_read(layout, noise, inner))
        problems = checked(_name(heading), count_in(heading), len(findings))
        parts.findings.extend(findings)
        parts.spans.append(outer)
        parts.problems.extend(problems)
        parts.raw.extend([outer] if problems else [])
    return parts


def _name(heading: str) -> str:
    words = plain_words(heading)
    return words[:1].upper() + words[1:]


def _sections(layout: Layout) -> Iterator[tuple[str, Span, Span]]:
    """Return the sections that hold comments back: the heading, the whole and what it holds."""
    for block in layout.details:
        if SECTION.fullmatch(plain_words(block.summary)):
            yield block.summary, Span(block.start, block.end), block.content
    for heading in HEADING.finditer(layout.prose):
        if SECTION.fullmatch(plain_words(heading[1])):
            following = NEXT.search(layout.prose, heading.end())
            end = following.start() if following else len(layout.text)
            yield heading[1], Span(heading.start(), end), Span(heading.end(), end)


def _read(layout: Layout, noise: list[Span], outer: Span) -> Iterator[Finding]:
    blocks = [block for block in _outermost(layout, outer) if block.summary]
    nested = [Span(block.start, block.end) for block in blocks]
    for block in blocks:
        yield _read_block(layout, noise, block)
    offset = outer.start
    flat = blanked(layout.prose[offset : outer.end], [Span(a - offset, b - offset) for a, b in nested])
    for entry, end in up_to_next(list(ENTRY.finditer(flat)), len(flat)):
        bullet = BULLET.match(flat, entry.end(), end)
        span = Span(offset + (bullet.end() if bullet else entry.end()), offset + end)
        yield found(layout, span, noise, place(*entry.groups()), "suppressed")


def _outermost(layout: Layout, outer: Span) -> Iterator[Details]:
    until = 0
    for block in layout.inside(outer):
        if block.start >= until:
            until = block.end
            yield block


def _read_block(layout: Layout, noise: list[Span], block: Details) -> Finding:
    """Read a finding that is a block of its own: title in the summary, then its place, then the reasoning."""
    entry = ENTRY.search(layout.prose, block.content.start, block.content.end)
    start = entry.end() if entry else block.content.start
    spans = [*within(noise, block.content), Span(block.content.start, start)] if entry else noise
    finding = found(
        layout, block.content, sorted(spans), place(*entry.groups() if entry else (None, None)), "suppressed"
    )
    level = ALT.search(layout.text, block.start, block.content.start)
    return finding._replace(
        title=block.summary.strip(),
        body=f"{block.summary.strip()}\n\n{finding.body}".strip(),
        severity=severity_of(level[1]) if level else finding.severity,
    )
