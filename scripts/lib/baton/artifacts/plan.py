"""The execution plan: its sections, its phases and the marks that say how far they are."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from baton.artifacts.findings import Finding
from baton.artifacts.outline import (
    LEADING_NUMBER,
    find_section,
    is_heading,
    open_fence,
    plain,
    read_sections,
    without_comments,
)

SECTIONS = {
    "Implementation Sequence": ("implementation sequence", "implementation steps", "implementation phases"),
    "Edge Cases": ("edge cases", "edge cases and error handling"),
    "Test Checkpoints": ("test checkpoints", "testing checkpoints", "test plan"),
    "Risk Register": ("risk register", "risks", "risks and mitigations"),
}
CLOSED_MARKS = ("COMPLETED", "COMPLETE", "DONE", "SKIPPED")
OPEN_MARKS = ("NOT STARTED", "IN PROGRESS", "PARTIAL", "BLOCKED")
PHASE = re.compile(r"phase\s+(\d+(?:\.\d+)*[a-z]?|[a-z])\s*(?:[:.\u2013\u2014-]|\s|$)\s*(.*)", re.I | re.S)
BRACKET = re.compile(r"\[([^\[\]]*)\]")
NO_LINK = re.compile(rf"{BRACKET.pattern}(?!\()")
NUMBER = re.compile(r"[0-9]{1,6}(?![0-9])")


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


class _Heading(NamedTuple):
    """A phase as its heading has it, and the bracket on it that is no mark, when it has no other."""

    phase: Phase
    unknown: str


def read_plan(text: str) -> Plan:
    """Read the phases of a plan; of two phases with one id the first counts."""
    phases: dict[str, Phase] = {}
    for heading in _headings(text):
        phases.setdefault(heading.phase.id, heading.phase)
    return Plan(tuple(phases.values()))


def _headings(text: str) -> list[_Heading]:
    """Read every heading that names a phase, in order; what the plan's header says of itself is no mark."""
    found = []
    for section in read_sections(text):
        bare = LEADING_NUMBER.sub("", re.sub(r"^[\W_]+", "", section.title.replace("*", "").replace("__", "")))
        match = PHASE.match(re.sub(r"^[\W_]+", "", bare))
        if match and 2 <= section.level <= 4:
            mark, name = _mark(match[2])
            brackets = [] if mark else NO_LINK.findall(name)
            phase = Phase(match[1], name, mark or "NOT STARTED", section.line)
            found.append(_Heading(phase, f"[{brackets[-1]}]" if brackets else ""))
    return found


def _mark(title: str) -> tuple[str, str]:
    """Split a heading into its mark, empty when it has none, and what else it says."""
    for match in reversed(list(BRACKET.finditer(title))):
        words = re.sub(r"[^A-Z]+", " ", match[1].upper()).strip()
        known = next((mark for mark in (*CLOSED_MARKS, *OPEN_MARKS) if re.match(rf"{mark}\b", words)), None)
        if known:
            rest = (title[: match.start()] + title[match.end() :]).strip()
            return ("PARTIAL" if re.search(r"\bPARTIAL(?:LY)?\b", words) else known), rest
    return "", title.strip()


def check_plan(text: str, path: str) -> list[Finding]:
    """Find what keeps a plan from being worked on: a missing or empty section, no readable phase."""
    sections = read_sections(text)
    findings = []
    for name, aliases in SECTIONS.items():
        found = find_section(sections, *aliases)
        if found is None:
            message = f"section missing: add `## {name}`"
            findings.append(Finding(path, "end", "plan/section-missing", message))
        elif found.is_empty:
            message = f"`{found.title}` is empty: say what belongs there, or why nothing does"
            findings.append(Finding(path, f"line {found.line}", "plan/section-empty", message))
    if not read_plan(text).phases:
        message = "no readable phase: write `### Phase 1: Name [NOT STARTED]` under `## Implementation Sequence`"
        findings.append(Finding(path, "end", "plan/no-phase", message))
    return [*findings, *_doubts(text, path)]


class Doubt(NamedTuple):
    """What a plan may not have meant: its line, the rule's last word, and how it is read."""

    line: int
    rule: str
    message: str


def _doubts(text: str, path: str) -> list[Finding]:
    """Warn of what may not have been meant: phases that do not count, marks and text that are not read."""
    headings = _headings(text)
    phases = [heading.phase for heading in headings]
    found = [*_twice(phases), *_gaps(phases)]
    for phase, unknown in headings:
        if unknown:
            found.append(Doubt(phase.line, "unknown-mark", f"{unknown[:60]} is no mark: read as [NOT STARTED]"))
    fence = open_fence(text)
    if fence:
        found.append(Doubt(fence, "open-fence", "a code fence that is never closed: what follows is not read"))
    return [Finding(path, f"line {one.line}", f"plan/{one.rule}", one.message, "warning") for one in found]


def _twice(phases: list[Phase]) -> Iterator[Doubt]:
    first: dict[str, int] = {}
    for phase in phases:
        if phase.id in first:
            message = f"phase {phase.id[:20]} stands at line {first[phase.id]} already: only that one counts"
            yield Doubt(phase.line, "phase-twice", message)
        first.setdefault(phase.id, phase.line)


def _gaps(phases: list[Phase]) -> Iterator[Doubt]:
    lines = {int(match[0]): phase.line for phase in reversed(phases) if (match := NUMBER.match(phase.id))}
    before = 0
    for number in sorted(lines):
        if number > before + 1:
            missing = str(before + 1) if number == before + 2 else f"{before + 1} to {number - 1}"
            yield Doubt(lines[number], "phase-gap", f"phase {number}, but no phase {missing}")
        before = number


REASON_HEADINGS = (
    "reason", "reasons", "block reason", "blocking reason", "blocked", "why blocked", "why this is blocked",
    "why it is blocked", "blocker", "blockers", "blocking issue", "blocking issues",
)  # fmt: skip


def block_reason(text: str) -> str:
    """Return the reason a plan-blocked names under its heading, as one paragraph; empty when there is none."""
    for section in read_sections(text):
        title = plain(section.title)
        if title in REASON_HEADINGS or title.endswith(" reason"):
            said = without_comments("\n".join(line.text for line in section.body if not is_heading(line)))
            words = " ".join(said.split())
            if words:
                return words
    return ""


def check_plan_blocked(text: str, path: str) -> list[Finding]:
    """Find a plan-blocked that gives no reason."""
    if block_reason(text):
        return []
    return [Finding(path, "end", "plan-blocked/no-reason", "no reason: say it under a heading `## Reason`")]
