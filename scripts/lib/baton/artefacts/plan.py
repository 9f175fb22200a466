"""The execution plan: its sections, its phases and the marks that say how far they are."""

import re
from typing import NamedTuple

from baton.artefacts.findings import Finding
from baton.artefacts.outline import find_section, plain, read_sections

SECTIONS = {
    "Implementation Sequence": ("implementation sequence", "implementation steps", "implementation phases"),
    "Edge Cases": ("edge cases", "edge cases and error handling"),
    "Test Checkpoints": ("test checkpoints", "testing checkpoints", "test plan"),
    "Risk Register": ("risk register", "risks", "risks and mitigations"),
}
CLOSED_MARKS = ("COMPLETED", "COMPLETE", "DONE", "SKIPPED")
OPEN_MARKS = ("NOT STARTED", "IN PROGRESS", "PARTIAL", "BLOCKED")
PHASE = re.compile(r"phase (\d+(?:\.\d+)*[a-z]?|[a-z])\s*(?:[:.\u2013\u2014-]|\s|$)\s*(.*)", re.I | re.S)
BRACKET = re.compile(r"\[([^\[\]]*)\]")


class Phase(NamedTuple):
    """A phase of the plan: its id as written, its name and its mark."""

    id: str
    name: str
    mark: str
    line: int

    @property
    def closed(self) -> bool:
        return self.mark in CLOSED_MARKS


class Plan(NamedTuple):
    """What the program needs of a plan: its phases, in order."""

    phases: tuple[Phase, ...]

    @property
    def closed(self) -> int:
        return sum(phase.closed for phase in self.phases)

    @property
    def first_open(self) -> Phase | None:
        return next((phase for phase in self.phases if not phase.closed), None)


def read_plan(text: str) -> Plan:
    """Read the phases of a plan; of two phases with one id the first counts."""
    phases: dict[str, Phase] = {}
    for section in read_sections(text):
        match = PHASE.match(re.sub(r"^[^\w]+", "", section.title.replace("*", "")))
        if not match or not 2 <= section.level <= 4:
            continue
        mark, bare_title = _mark(match[2])
        phases.setdefault(match[1], Phase(match[1], bare_title, mark, section.line))
    return Plan(tuple(phases.values()))


def _mark(title: str) -> tuple[str, str]:
    for match in reversed(list(BRACKET.finditer(title))):
        words = re.sub(r"[^A-Z]+", " ", match[1].upper()).strip()
        known = next((mark for mark in (*CLOSED_MARKS, *OPEN_MARKS) if re.match(rf"{mark}\b", words)), None)
        if known:
            rest = (title[: match.start()] + title[match.end() :]).strip()
            return ("PARTIAL" if re.search(r"\bPARTIAL(?:LY)?\b", words) else known), rest
    return "NOT STARTED", title.strip()


def check_plan(text: str, path: str) -> list[Finding]:
    """Find what keeps a plan from being worked on: a missing or empty section, no readable phase."""
    sections = read_sections(text)
    findings = []
    for name, aliases in SECTIONS.items():
        found = find_section(sections, *aliases)
        if found is None:
            message = f"section missing: add `## {name}`"
            findings.append(Finding(path, "end", "plan/section-missing", message))
        elif not found.text:
            message = f"`{found.title}` is empty: say what belongs there, or why nothing does"
            findings.append(Finding(path, f"line {found.line}", "plan/section-empty", message))
    if not read_plan(text).phases:
        message = "no readable phase: write `### Phase 1: Name [NOT STARTED]` under `## Implementation Sequence`"
        findings.append(Finding(path, "end", "plan/no-phase", message))
    return findings


REASON_HEADINGS = ("reason", "block reason", "blocking reason", "blocked", "why blocked", "blocker", "blockers")


def block_reason(text: str) -> str:
    """Give the reason a plan-blocked names under its heading, as one paragraph; empty when there is none."""
    for section in read_sections(text):
        title = plain(section.title)
        if title in REASON_HEADINGS or title.endswith(" reason"):
            words = " ".join(line.text.strip() for line in section.body if line.text.strip())
            if words:
                return words
    return ""


def check_plan_blocked(text: str, path: str) -> list[Finding]:
    """Find a plan-blocked that gives no reason."""
    if block_reason(text):
        return []
    return [Finding(path, "end", "plan-blocked/no-reason", "no reason: say it under a heading `## Reason`")]
