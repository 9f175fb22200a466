"""The execution plan: its sections, its phases and the marks that say how far they are."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from baton.artifacts.claims import Claim, read_claims
from baton.artifacts.findings import Finding
from baton.artifacts.outline import (
    LEADING_NUMBER,
    is_heading,
    plain_title,
    read_fences,
    read_outline,
    read_sections,
    without_comments,
)

# Each section by how its title begins: `Edge Cases per Criterion` is one of them.
SECTIONS = {
    "Implementation Sequence": re.compile(r"implementation (?:sequence|steps|phases)\b"),
    "Edge Cases": re.compile(r"edge[ -]cases?\b"),
    "Test Checkpoints": re.compile(r"test(?:ing)? checkpoints?\b|test plan\b"),
    "Risk Register": re.compile(r"risks?\b"),
}
CLOSED_MARKS = ("COMPLETED", "COMPLETE", "DONE", "SKIPPED")
OPEN_MARKS = ("NOT STARTED", "IN PROGRESS", "PARTIAL", "BLOCKED")
HEAD = r"\s+(\d+(?:\.\d+)*[a-z]?|[a-z])\s*(?:[:.\u2013\u2014-]|\s|$)\s*(.*)"
# What a plan calls its phases; the other where it has none of the first.
WORDS = tuple(re.compile(rf"{word}{HEAD}", re.I | re.S) for word in ("phase", "step"))
# What is written for a mark without its brackets.
UNBRACKETED = re.compile(
    r"[\u2705\u2713\u2714\u2611]|(?:(?-i:\b(?:COMPLETED?|DONE|SKIPPED))"
    r"|[-\u2013\u2014(:]\s*(?:completed?|done|skipped|finished)\b)[\W_]*$",
    re.I,
)
BRACKET = re.compile(r"\[([^\[\]]*)\]")
FIRST_MARK = re.compile(r"[^\w\[]*\[[^\[\]]*\](?!\()")
NO_LINK = re.compile(rf"{BRACKET.pattern}(?!\()")
NUMBER = re.compile(r"[0-9]{1,6}(?![0-9])")


class Phase(NamedTuple):
    """A phase of the plan: its id as written, its name, its mark, and what it claims to change."""

    id: str
    name: str
    mark: str
    line: int
    files: tuple[Claim, ...] = ()

    @property
    def closed(self) -> bool:
        return self.mark in CLOSED_MARKS


class Plan(NamedTuple):
    """The part of a plan that the program needs: its phases, in order."""

    phases: tuple[Phase, ...]

    @property
    def closed(self) -> int:
        return sum(phase.closed for phase in self.phases)

    @property
    def claims(self) -> tuple[str, ...] | None:
        """The files and folders that its phases name, all together; None where none names any."""
        named = {file.path for phase in self.phases for file in phase.files if not file.fault}
        return tuple(sorted(named)) or None

    @property
    def first_open(self) -> Phase | None:
        return next((phase for phase in self.phases if not phase.closed), None)


class _Heading(NamedTuple):
    """A phase as its heading has it, and the bracket on it that is no mark, when it has no other."""

    phase: Phase
    unknown: str
    unbracketed: str = ""


def read_plan(text: str) -> Plan:
    """Read the phases of a plan; of two phases with one id the first counts."""
    phases: dict[str, Phase] = {}
    for heading in _headings(text):
        phases.setdefault(heading.phase.id, heading.phase)
    return Plan(tuple(phases.values()))


def _headings(text: str) -> list[_Heading]:
    """Read every heading that names a phase, in order; what the plan's header says of itself is no mark."""
    return next(filter(None, (_headings_of(text, word) for word in WORDS)), [])


def _headings_of(text: str, word: re.Pattern[str]) -> list[_Heading]:
    headings = []
    for section in read_sections(text):
        title = section.title.replace("*", "").replace("__", "")
        first = FIRST_MARK.match(title)
        bare = LEADING_NUMBER.sub("", re.sub(r"^[\W_]+", "", title[first.end() :] if first else title))
        match = word.match(re.sub(r"^[\W_]+", "", bare))
        if match and 2 <= section.level <= 4:
            mark, name = _mark(f"{match[2]} {first[0] if first else ''}")
            brackets = [] if mark else NO_LINK.findall(name)
            loose = None if mark or brackets else UNBRACKETED.search(f"{title[: title.find(match[1])]}\n{name}")
            files = tuple(read_claims(section.body))
            phase = Phase(match[1], name, mark or "NOT STARTED", section.line, files)
            unknown = f"[{brackets[-1]}]" if brackets else ""
            headings.append(_Heading(phase, unknown, loose[0].strip() if loose else ""))
    return headings


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
    for name, title in SECTIONS.items():
        section = next((section for section in sections if title.match(plain_title(section.title))), None)
        if section is None:
            message = f"section missing: add `## {name}`"
            findings.append(Finding(path, "end", "plan/section-missing", message))
        elif section.is_empty:
            message = f"`{section.title}` is empty: say what belongs there, or why nothing does"
            findings.append(Finding(path, f"line {section.line}", "plan/section-empty", message))
    if not read_plan(text).phases:
        message = "no readable phase: write `### Phase 1: Name [NOT STARTED]` under `## Implementation Sequence`"
        findings.append(Finding(path, "end", "plan/no-phase", message))
    return [*findings, *_doubts(text, path)]


class Doubt(NamedTuple):
    """A part of a plan that may not be meant so: its line, the rule's last word, and how it is read."""

    line: int
    rule: str
    message: str


def _doubts(text: str, path: str) -> list[Finding]:
    """Warn of what may not have been meant: phases that do not count, marks and text that are not read."""
    headings = _headings(text)
    phases = [heading.phase for heading in headings]
    doubts = [*_twice(phases), *_gaps(phases)]
    lost = {file for phase in phases for file in phase.files if file.fault}
    doubts += [Doubt(file.line, "file", f"{file.fault}: it claims nothing") for file in sorted(lost)]
    for phase, unknown, unbracketed in headings:
        if unknown:
            doubts.append(Doubt(phase.line, "unknown-mark", f"{unknown[:60]} is no mark: read as [NOT STARTED]"))
        if unbracketed:
            message = f"`{unbracketed[:60]}` is no mark: read as [NOT STARTED]; a mark stands in brackets"
            doubts.append(Doubt(phase.line, "unbracketed-mark", message))
    if headings and not _headings_of(text, WORDS[0]):
        doubts.append(Doubt(phases[0].line, "steps", "no `### Phase N`: its steps are read as phases"))
    fences = read_fences(text)
    if fences.open_line:
        message = "a code fence that is never closed: what follows is not read"
        doubts.append(Doubt(fences.open_line, "open-fence", message))
    if fences.nested_line:
        message = "code fences within one another: read as quoted to the end of the outer one"
        doubts.append(Doubt(fences.nested_line, "nested-fence", message))
    return [
        Finding(path, f"line {doubt.line}", f"plan/{doubt.rule}", doubt.message, "warning") for doubt in doubts
    ]


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
# They say what could be done, not what stops the planner.
OPTIONS = re.compile(r".*\b(?:options?|alternatives?)\b.*|next steps?|recommendations?")


def block_reason(text: str) -> str:
    """Return the reason a plan-blocked names, under its heading or without, in one paragraph; empty for none."""
    return _reason_section(text) or _without_a_heading(text)


def _reason_section(text: str) -> str:
    for section in read_sections(text):
        title = plain_title(section.title)
        if title in REASON_HEADINGS or title.endswith(" reason"):
            reason = without_comments("\n".join(line.text for line in section.body if not is_heading(line)))
            words = " ".join(reason.split())
            if words:
                return words
    return ""


def _without_a_heading(text: str) -> str:
    """Return the text after `Reason:`, else all text that is no option."""
    kept, options = list[str](), False
    for line in read_outline(without_comments(text)):
        if is_heading(line):
            options = bool(OPTIONS.fullmatch(plain_title(line.text.lstrip("# "))))
        elif not options:
            kept.append(line.text)
    words = " ".join(" ".join(kept).replace("*", "").replace("__", "").split())
    reason = words.partition("Reason:")[2].strip() or words
    return reason if re.search(r"\w", reason) else ""


def check_plan_blocked(text: str, path: str) -> list[Finding]:
    """Find a plan-blocked that says nothing."""
    if _reason_section(text):
        return []
    if block_reason(text):
        message = "no heading `## Reason`: what it says is taken for the reason"
        return [Finding(path, "end", "plan-blocked/no-heading", message, "warning")]
    return [Finding(path, "end", "plan-blocked/no-reason", "no reason: say it under a heading `## Reason`")]
