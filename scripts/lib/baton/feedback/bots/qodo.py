"""Qodo: numbered findings, tables of suggestions, and the areas its guide points at."""

import re
from collections.abc import Callable

from baton.feedback.bots.inline import title_of
from baton.feedback.bots.layout import Layout, joined, within
from baton.feedback.bots.parts import NOTHING, Parts, Place, checked, place
from baton.feedback.bots.reading import Finding, severity_of
from baton.feedback.text.markdown import Details, Span

NUMBERED = re.compile(r"\s*\d{1,3}\.\s+\S")
NUMBER = re.compile(r"\A\s*\d{1,3}\.\s+")
RESOLVED = re.compile(r"<s>|~~|☑|✓ ?Resolved|\bResolved\b")
LEVELS = re.compile(
    r"<img\s[^<>]*?alt=\"((?:action|remediation|review) (?:required|recommended)|advisory"
    r"|informational)[^\"]*\"[^<>]*>",
    re.I,
)
CODE = re.compile(r"<code>([^<\n]{1,60})</code>")
WORDS = re.compile(r"[A-Za-z][A-Za-z -]*")
LINK = re.compile(r"\[([^\[\]\s()]{1,300}) ?\[R?(\d{1,7})(?:-(\d{1,7}))?\]\]\(")
HINTS = re.compile(rf"{LINK.pattern}|Recommended focus areas(?![\s\S]{{0,300}}<details>)")
COUNT = re.compile(r"<code>[^<\n]{0,40}?\((\d{1,4})\)</code>")
AREA = re.compile(
    r"<a href=['\"][^'\"<>]{0,400}?R(\d{1,7})(?:-R(\d{1,7}))?['\"]>\s*<strong>([^<\n]{1,200})</strong>"
)
CELL = re.compile(r"<td[^<>]*>(?:<br>)?\s*([A-Za-z][A-Za-z -]{2,40})</td>")
EARLIER = re.compile(r"previous suggestions|suggestions up to commit", re.I)
IMPACT = re.compile(r"</details>\s*</td>\s*<td[^<>]*>\s*(high|medium|low)\b", re.I)


def read_qodo(layout: Layout, noise: list[Span]) -> Parts:
    """Read the findings of a comment, by what it is."""
    top = layout.text[:3000]
    read = next((read for words, read in KINDS if words in top), None)
    return read(layout, noise) if read else NOTHING


def _read_numbered(layout: Layout, noise: list[Span]) -> Parts:
    """Read the numbered blocks; those that Qodo calls resolved are none, but count."""
    levels = list(LEVELS.finditer(layout.text))
    findings: list[Finding] = []
    spans: list[Span] = []
    numbered = passed = 0
    for block in layout.details:
        if not NUMBERED.match(block.summary) or (spans and block.start < spans[-1].end):
            continue
        numbered += 1
        spans.append(Span(block.start, block.end))
        while passed < len(levels) and levels[passed].start() < block.start:
            passed += 1
        level = severity_of(levels[passed - 1][1]) if passed else None
        head = layout.text[block.start : block.content.start]
        if not RESOLVED.search(head):
            findings.append(_numbered(layout, noise, block, head, level))
    counts = [
        int(count[1]) for count in COUNT.finditer(layout.text[: spans[0].start if spans else len(layout.text)])
    ]
    problems = checked("Code Review by Qodo", sum(counts), numbered) if sum(counts) > numbered else []
    return Parts(findings, spans, problems, [Span(0, len(layout.text))] if problems else [])


def _numbered(layout: Layout, noise: list[Span], block: Details, head: str, level: str | None) -> Finding:
    tags = [tag for code in CODE.finditer(head) if (tag := " ".join(WORDS.findall(code[1])).strip())]
    title = title_of(
        NUMBER.sub("", " ".join(CODE.sub("", head[head.find("summary>") + 8 :]).split("</summary>")[0].split()))
    )
    body = joined(layout.text, block.content, within(noise, block.content))
    return _finding(title, body, _place(layout, block.content), level, ", ".join(tags))


def _place(layout: Layout, outer: Span) -> Place:
    link = LINK.search(layout.text, outer.start, outer.end)
    return place(*link.groups()) if link else Place()


def _finding(title: str, body: str, at: Place, severity: str | None, label: str) -> Finding:
    body = body if body.startswith(title) else f"{title}\n\n{body}".strip()
    return Finding(title, body, at.path, at.line, at.start_line, severity, label)


def _read_suggestions(layout: Layout, noise: list[Span]) -> Parts:
    """Read the tables of suggestions: category, suggestion, impact; those of before stand in blocks."""
    cells = list(CELL.finditer(layout.text))
    findings: list[Finding] = []
    spans: list[Span] = []
    passed = 0
    for block in layout.details:
        if (spans and block.start < spans[-1].end) or EARLIER.search(block.summary):
            continue
        while passed < len(cells) and cells[passed].start() < block.start:
            passed += 1
        impact = IMPACT.match(layout.text, max(block.end - len("</details>"), 0))
        body = joined(layout.text, block.content, within(noise, block.content)).lstrip("_ \n")
        label = cells[passed - 1][1] if passed else ""
        severity = severity_of(impact[1]) if impact else None
        if not RESOLVED.search(layout.text[block.start : block.content.start]):
            findings.append(_finding(block.summary, body, _place(layout, block.content), severity, label))
        spans.append(Span(block.start, block.end))
    return Parts(findings, spans, [], [])


def _read_areas(layout: Layout, noise: list[Span]) -> Parts:
    """Read the areas that the guide points at; it tells their lines but in no address the file."""
    findings, spans = [], []
    for block in layout.details:
        area = AREA.search(layout.text, block.start, block.content.start)
        if area:
            at = place(None, area[1], area[2])
            body = joined(layout.text, Span(block.start, block.end), within(noise, Span(block.start, block.end)))
            findings.append(_finding(area[3].strip(), body, at, None, "focus area"))
            spans.append(Span(block.start, block.end))
    return Parts(findings, spans, [], [])


KINDS: tuple[tuple[str, Callable[[Layout, list[Span]], Parts]], ...] = (
    ("Code Review by Qodo", _read_numbered),
    ("PR Code Suggestions", _read_suggestions),
    ("PR Reviewer Guide", _read_areas),
)
