"""What is taken out of the body of a review or a comment: its findings, and what did not add up."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from baton.feedback.bots.inline import finding_text, title_of
from baton.feedback.bots.layout import Layout
from baton.feedback.bots.reading import Finding
from baton.feedback.text.markdown import Span


class Place(NamedTuple):
    """Where a finding is: the file and its lines."""

    path: str | None = None
    line: int | None = None
    start_line: int | None = None


class Parts(NamedTuple):
    """The findings of a body, the spans they were in, and the raw parts that must stay readable."""

    findings: list[Finding]
    spans: list[Span]
    problems: list[str]
    raw: list[Span]


NOTHING = Parts([], [], [], [])
COUNT = re.compile(r"\((\d{1,4})\)\s*$")


def place(path: str | None, first: str | None, last: str | None = None) -> Place:
    """Return a place from a path and the numbers that were read beside it."""
    start, end = int(first or 0), int(last or first or 0)
    if not end:
        return Place(path or None)
    return Place(path or None, max(start, end), min(start, end) if start != end and start else None)


def found(layout: Layout, span: Span, spans: list[Span], at: Place, section: str, label: str = "") -> Finding:
    """Make the finding that this part of a body is."""
    text, head = finding_text(layout, span, spans)
    return Finding(
        title=title_of(text),
        body=text,
        path=at.path,
        line=at.line,
        start_line=at.start_line,
        severity=head.severity,
        label=head.label or label,
        section=section,
    )


def up_to_next(marks: list[re.Match[str]], end: int) -> Iterator[tuple[re.Match[str], int]]:
    """Return each mark with where what it begins ends: at the next one, the last at the end."""
    for number, mark in enumerate(marks, 1):
        yield mark, marks[number].start() if number < len(marks) else end


def count_in(heading: str) -> int | None:
    """Return the count in brackets that ends a heading."""
    count = COUNT.search(heading[-12:])
    return int(count[1]) if count else None


def checked(heading: str, declared: int | None, read: int) -> list[str]:
    """Return the problem of a heading that declares another number than was read."""
    if declared is None or declared == read:
        return []
    return [f"{heading} declares {declared}, {read} {'was' if read == 1 else 'were'} read"]
