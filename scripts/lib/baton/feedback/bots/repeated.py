"""Bots whose findings repeat their threads, in a form of their own: Sourcery, cubic."""

import re

from baton.feedback.bots.layout import Layout
from baton.feedback.bots.noise import plain_words
from baton.feedback.bots.parts import NOTHING, Parts, Place, checked, found, place, up_to_next
from baton.feedback.bots.reading import Finding
from baton.feedback.text.markdown import Span

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
PROMPT = re.compile(r"prompts? for .*")


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
