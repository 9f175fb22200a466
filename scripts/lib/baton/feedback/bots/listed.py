"""Bots that list their findings in one body: Codex, Greptile, Sourcery, cubic, Ellipsis."""

import re

from baton.feedback.bots.layout import Layout
from baton.feedback.bots.noise import plain_words
from baton.feedback.bots.parts import NOTHING, Parts, Place, checked, count_in, found, place, up_to_next
from baton.feedback.bots.reading import Finding
from baton.feedback.text.markdown import Span

BLOB = re.compile(
    r"(?m)^[ \t]*https://[^\s/]{1,100}/[^\s/]{1,100}/[^\s/]{1,100}/blob/[0-9a-f]{7,4"
    r"0}/([^\s#]{1,300})#L(\d{1,7})(?:-L(\d{1,7}))?[ \t]*$"
)
NUMBERED = re.compile(
    r"(?m)^[ \t]*\d{1,3}\\?\.[ \t]+`([^`\n:]{1,300})`(?:,[ \t]*lines?[ \t]*(\d{1,7})(?:[-:](\d{1,7}))?)?[^\n]*$"
)
INDENT = re.compile(r"(?m)^ {3}")
OUTSIDE = re.compile(r"(?:additional comments?|comments? outside (?:the )?diff)(?: range)?")
COMMENT = re.compile(r"(?m)^### Comment \d{1,4}[ \t]*$")
LOCATION = re.compile(
    r"<location>\s*`?([^`<>\s:]{1,300})(?::(\d{1,7})(?:-(\d{1,7}))?)?`?\s*</location>"
    r"|<location path=\"([^\"\n]{1,300})\"(?: line_range=\"(\d{1,7})(?:-(\d{1,7}))?\")?\s*/?>"
)
CONTEXT, CONTEXT_END = "<code_context>", "</code_context>"
ISSUE_BEGIN = "<issue_to_address>"
ISSUE = re.compile(r"</?(?:issue_to_address|suggested_fix)>")
VIOLATION = re.compile(
    r"<([a-z]{3,20})(?: [a-z]+=\"[^\"\n]{0,80}\")*? "
    r"location=\"([^\":\n]{1,300})(?::(\d{1,7})(?:-(\d{1,7}))?)?\"[^<>\n]*>"
)
DRAFT = re.compile(
    r"(?m)^[ \t]*(?:#+[ \t]*)?\d{1,3}\\?\.[ \t]+\[?`?([^`\]\n:]{1,300}):(\d{1,7})(?:-(\d{1,7}))?`?\]?[^\n]*$"
)
DRAFT_WORDS = re.compile(r"(?m)^[ \t]*[-*][ \t]+(?:\*\*)?Draft comment:(?:\*\*)?[ \t]*")
SKIPPED = re.compile(r"Skipped posting `?(\d{1,4})`? draft(?:ed)? comments?")
PROMPT = re.compile(r"prompts? for .*")


def read_codex(layout: Layout, noise: list[Span]) -> Parts:
    """Read the findings that stand under the address of their lines."""
    marks = list(BLOB.finditer(layout.prose))
    if not marks:
        return NOTHING
    stop = next((block.start for block in layout.details if block.start > marks[-1].end()), len(layout.text))
    findings, spans = [], []
    for mark, end in up_to_next(marks, stop):
        findings.append(found(layout, Span(mark.end(), end), noise, place(*mark.groups()), "outside diff"))
        spans.append(Span(mark.start(), end))
    return Parts(findings, spans, [], [])


def read_greptile(layout: Layout, noise: list[Span]) -> Parts:
    """Read the numbered comments that could not be put on a line."""
    parts = Parts([], [], [], [])
    until = 0
    for block in layout.details:
        if block.start < until or not OUTSIDE.fullmatch(plain_words(block.summary)):
            continue
        until = block.end
        marks = list(NUMBERED.finditer(layout.prose, block.content.start, block.content.end))
        for mark, end in up_to_next(marks, block.content.end):
            finding = found(layout, Span(mark.end(), end), noise, place(*mark.groups()), "outside diff")
            parts.findings.append(finding._replace(body=INDENT.sub("", finding.body)))
        problems = checked(plain_words(block.summary).capitalize(), count_in(block.summary), len(marks))
        parts.problems.extend(problems)
        parts.spans.append(Span(block.start, block.end))
        parts.raw.extend([Span(block.start, block.end)] if problems else [])
    return parts


def read_sourcery(layout: Layout, noise: list[Span]) -> Parts:
    """Read the individual comments, which repeat the threads: of the body, else of the prompt it ends with."""
    shown = layout.prose.find("## Individual Comments")
    stop = next((block.start for block in layout.details if block.start > shown), len(layout.text))
    outer = Span(shown, stop) if shown >= 0 else _prompt(layout)
    if outer is None:
        return NOTHING
    marks = list(COMMENT.finditer(layout.text, outer.start, outer.end))
    findings = [
        finding
        for mark, end in up_to_next(marks, outer.end)
        if (finding := _individual(layout.text[mark.end() : end]))
    ]
    told = layout.text.count(ISSUE_BEGIN, outer.start, outer.end)
    problems = checked("Individual comments", told, len(findings)) if told > len(findings) else []
    return Parts(findings, [outer], problems, [outer] if problems else [])


def _prompt(layout: Layout) -> Span | None:
    """Return what stands in the fence of the prompt for agents."""
    block = next((block for block in layout.details if PROMPT.fullmatch(plain_words(block.summary))), None)
    fence = layout.first_fence(block.content) if block else None
    return fence.content if fence else None


def _individual(text: str) -> Finding | None:
    location = LOCATION.search(text)
    if not location:
        return None
    at = place(*location.groups()[:3]) if location[1] else place(*location.groups()[3:])
    body = text[: location.start()] + text[location.end() :]
    start, end = body.find(CONTEXT), body.find(CONTEXT_END)
    if 0 <= start < end:
        body = body[:start] + body[end + len(CONTEXT_END) :]
    return _finding(ISSUE.sub("", body).strip(), at, "individual")


def _finding(text: str, at: Place, section: str) -> Finding:
    layout = Layout(text)
    return found(layout, Span(0, len(text)), [], at, section)


def read_cubic(layout: Layout, noise: list[Span]) -> Parts:
    """Read the violations in the prompt for agents, which repeat the threads."""
    outer = _prompt(layout)
    if outer is None:
        return NOTHING
    findings = []
    for mark in VIOLATION.finditer(layout.text, outer.start, outer.end):
        following = layout.text.find(f"<{mark[1]} ", mark.end(), outer.end)
        limit = following if following >= 0 else outer.end
        end = layout.text.find(f"</{mark[1]}>", mark.end(), limit)
        text = layout.text[mark.end() : end if end >= 0 else limit].strip()
        findings.append(_finding(text, place(*mark.groups()[1:]), "violation"))
    return Parts(findings, [outer], [], [])


def read_ellipsis(layout: Layout, noise: list[Span]) -> Parts:
    """Read the drafts that were not posted; those that are not listed are told of."""
    marks = list(DRAFT.finditer(layout.prose))
    findings, spans = [], []
    for mark, end in up_to_next(marks, len(layout.text)):
        spans.append(Span(mark.start(), end))
        draft = DRAFT_WORDS.search(layout.prose, mark.end(), end)
        span = Span(draft.end() if draft else mark.end(), end)
        findings.append(found(layout, span, noise, place(*mark.groups()), "draft"))
    skipped = SKIPPED.search(layout.prose)
    problems = checked("Skipped draft comments", int(skipped[1]) if skipped else None, len(findings))
    return Parts(findings, spans, problems, [])
