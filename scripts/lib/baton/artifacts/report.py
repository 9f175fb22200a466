"""The implementer's report and the verdict of QA."""

import re
from typing import NamedTuple

from baton.artifacts.findings import Finding
from baton.artifacts.outline import LEADING_NUMBER, find_section, plain, read_outline, read_sections

IMPL_SECTIONS = {
    "Changes Made": (
        "changes made", "changes", "files changed", "what changed", "files modified", "files created",
        "files created/modified", "files touched", "summary of changes", "code changes", "implementation changes",
    ),
    "Criteria Mapping": (
        "criteria mapping", "acceptance criteria mapping", "acceptance criteria", "criteria", "criteria coverage",
        "acceptance criteria coverage", "acceptance criteria status", "acceptance criteria check", "ac mapping",
    ),
    "Rules Applied": (
        "rules applied", "rules", "rules followed", "rules compliance", "rules and conventions",
        "conventions followed", "conventions applied", "project rules", "standards applied",
    ),
}  # fmt: skip
BLOCKING = ("blocking failures", "blocking failure", "blockers", "blocking issues")
NOTHING = re.compile(r"(?:none|no blocking failures?|nothing|n/?a|-)[.!]?", re.I)
BACKTICKED = re.compile(r"`([^`\n]+)`")
VERDICT_LINE = re.compile(
    r"(?:final |overall |qa )*verdict\s*(?:\([^()]{0,60}\)\s*)?(?:[:=\u2013\u2014-]|is)\s*(.+)", re.I
)
VERDICT_TITLE = re.compile(r"(?:final |overall |qa )*verdict")
# A heading, or a bold line that stands for one.
TITLE = re.compile(r"\s*(?:#|(?:\*\*|__)[^*_]+(?:\*\*|__)[\s:]*$)")
VERDICT_WORDS = {
    "PASS": "pass", "PASSED": "pass", "FAIL": "fail", "FAILED": "fail",
    "ESCALATE": "escalate", "ESCALATED": "escalate",
}  # fmt: skip
# A template nobody filled: a choice of verdicts, a box nobody ticked; and a verdict with a question mark.
UNDECIDED = re.compile(
    r"\W*\[\s*\]"
    r"|.*\b(?:PASS|FAIL|ESCALATE)\s*[|/?]"
    r"|\W*(?:PASS|FAIL|ESCALATE)\s*(?:,|OR\b)\s*(?:PASS|FAIL|ESCALATE)\b"
)
CONDITIONS = re.compile(r"\b(?:WITH|CONDITIONAL(?:LY)?|EXCEPT|BUT|PARTIAL(?:LY)?|DEFERRED)\b")
CONDITION_FIRST = re.compile(r"CONDITIONAL|PARTIAL(?:LY)?\W+PASS")
CONDITION_NEXT = re.compile(rf"PASS(?:ED)?\W+{CONDITIONS.pattern}")
REMARK = re.compile(r"\s[-\u2013\u2014]\s|\(|[.;]")
PASSING = re.compile(r"\b(?:PASS(?:ED)?|MET|OK|YES|DONE|SATISFIED)\b|\u2705|\u2713|\u2714")
NOT_PASSING = re.compile(r"\b(?:NOT|FAIL(?:ED)?|PENDING|PARTIAL(?:LY)?|DEFERRED|UNMET|NO)\b|\u274c|\u2717")
NO_PASS = re.compile(
    r"\W*(?:NOT \w+|FAIL(?:ED|S)?|PENDING|PARTIAL(?:LY)?(?: \w+)?|DEFERRED|UNMET|BLOCKED)\W*|[\u274c\u2717]\W*"
)
CELL_END = re.compile(r"\||\s[-\u2013\u2014]\s|:\s|[(),;]")
ROW = re.compile(r"\s*(?:\||[-*+]\s|(\d{1,4})[.)]\s)\s*(?:\[[ xX]\]\s)?(.*)")
NUMBERED = re.compile(r"\W*(?:AC|CRITERION|C)[ #.-]{0,2}(\d{1,4})\b|\W*(\d{1,4})\b(?!\s*\w)")


class Verdict(NamedTuple):
    """What QA said: pass, fail, escalate, conditional, none or two; with the words it used."""

    value: str
    words: str
    reason: str


def check_impl_report(text: str, path: str) -> list[Finding]:
    """Find what an implementation report lacks: changes made, criteria mapping, rules applied."""
    return _missing(text, path, IMPL_SECTIONS, "impl-report")


def _missing(text: str, path: str, wanted: dict[str, tuple[str, ...]], kind: str) -> list[Finding]:
    sections = read_sections(text)
    findings = []
    for name, aliases in wanted.items():
        found = find_section(sections, *aliases)
        if found is None or found.is_empty:
            where = "end" if found is None else f"line {found.line}"
            fault = "missing" if found is None else "empty"
            findings.append(Finding(path, where, f"{kind}/section-{fault}", f"section {fault}: `## {name}`"))
    return findings


def blocking_failures(text: str) -> str:
    """Return the blocking failures an implementation report names; empty when it names none."""
    found = find_section(read_sections(text), *BLOCKING)
    if found is None:
        return ""
    words = re.sub(r"^[-*+]\s+|[*_`]", "", found.text)
    return "" if NOTHING.fullmatch(words) else found.text


def declared_files(text: str) -> frozenset[str]:
    """Return every path in backticks under the report's changes: what the implementer declares as its own."""
    found = find_section(read_sections(text), *IMPL_SECTIONS["Changes Made"])
    return frozenset(BACKTICKED.findall(found.text)) if found else frozenset()


def read_verdict(text: str) -> Verdict:
    """Read the verdict of a QA report from its front matter, a heading or a line; never from a template."""
    said = [words for words in _verdict_candidates(text) if words]
    values = [_verdict_value(words) for words in said]
    known = [(value, words) for value, words in zip(values, said, strict=True) if value != "none"]
    if not known:
        return Verdict("none", "", "")
    if len({value for value, _ in known}) > 1:
        return Verdict("two", " / ".join(words for _, words in known), "")
    return Verdict(known[-1][0], known[-1][1], _verdict_reason(text))


def _verdict_candidates(text: str) -> list[str]:
    found = []
    lines = [line.text for line in read_outline(text) if not line.fenced]
    for index, line in enumerate(lines):
        bare = LEADING_NUMBER.sub("", re.sub(r"^[^\w<~\[]+", "", _undecorated(line)))
        match = VERDICT_LINE.fullmatch(bare)
        if match:
            found.append(match[1])
        elif TITLE.match(line) and VERDICT_TITLE.fullmatch(plain(bare)):
            after = (lines[later] for later in range(index + 1, len(lines)))
            first = next((one for one in after if _undecorated(one)), "")
            found.append("" if first.startswith("#") else _undecorated(first))
    return found


def _undecorated(line: str) -> str:
    return re.sub(r"[*`#>]", "", line).replace("_", " ").strip()


def _verdict_value(words: str) -> str:
    upper = words.upper()
    if UNDECIDED.match(upper):
        return "none"
    upper = re.sub(r"^[^A-Z]+", "", upper)
    if CONDITION_FIRST.match(upper):
        return "conditional"
    first = re.match(r"[A-Z]+", upper)
    value = VERDICT_WORDS.get(first[0], "none") if first else "none"
    conditional = CONDITION_NEXT.match(upper) or CONDITIONS.search(REMARK.split(upper)[0])
    return "conditional" if value == "pass" and conditional else value


def _verdict_reason(text: str) -> str:
    found = find_section(
        read_sections(text), "reason", "reasons", "findings", "failures", "issues", "why", "escalation reason"
    )
    return found.text if found else ""


class ReportRow(NamedTuple):
    """A criterion's row in a report: its number from 1 when it names one, its words, and whether it passes."""

    number: int | None
    text: str
    passes: bool


def criteria_rows(text: str) -> list[ReportRow]:
    """Read the rows a QA report gives its criteria, from a table or a list under a criteria heading."""
    found = find_section(read_sections(text), *IMPL_SECTIONS["Criteria Mapping"], "criteria results", "results")
    lines = (line.text for line in found.body if not line.fenced) if found else ()
    return [row for line in lines if (row := _row(line))]


def _row(line: str) -> ReportRow | None:
    match = ROW.match(line)
    if not match or not re.search(r"\w", match[2]):
        return None
    upper = match[2].upper()
    numbered = NUMBERED.match(upper)
    number = (numbered[1] or numbered[2]) if numbered else match[1]
    return ReportRow(int(number) if number else None, match[2], _passes(upper))


def _passes(row: str) -> bool:
    """Judge a row by its cells that are nothing but a status, then by the shortest that holds one."""
    cells = [cell.strip() for cell in CELL_END.split(row)]
    said = [cell for cell in cells if PASSING.search(cell) or NOT_PASSING.search(cell) or NO_PASS.fullmatch(cell)]
    if not said or any(NO_PASS.fullmatch(cell) for cell in said):
        return False
    return not NOT_PASSING.search(min(said, key=len))


def open_criteria(text: str, criteria: tuple[str, ...]) -> list[str]:
    """Return the criteria, numbered from 1 in story order, that no row of the report shows as passed."""
    rows = [(row, _words(row.text)) for row in criteria_rows(text)]
    missing = []
    for number, criterion in enumerate(criteria, 1):
        words = _words(criterion)
        matching = [row for row, said in rows if row.number == number or words in said]
        if not matching or not all(row.passes for row in matching):
            missing.append(f"AC{number}: {criterion}")
    return missing


def _words(text: str) -> str:
    """Return the words of a text, each between spaces, so that no word is found in the middle of another."""
    words = re.findall(r"\w+", text.lower())
    return f" {' '.join(words)} "


def check_qa_report(text: str, path: str) -> list[Finding]:
    """Find a QA report without exactly one verdict, its reason, and a row a criterion."""
    return _check_verdict(text, path, "qa-report")


def check_micro_report(text: str, path: str) -> list[Finding]:
    """Find the same in a micro-delivery report: who did the work judged it too."""
    return _check_verdict(text, path, "micro-delivery-report")


def _check_verdict(text: str, path: str, kind: str) -> list[Finding]:
    verdict = read_verdict(text)
    expected = "write one line `Verdict: PASS`, `Verdict: FAIL` or `Verdict: ESCALATE`"
    if verdict.value == "none":
        return [Finding(path, "end", f"{kind}/no-verdict", f"no verdict: {expected}")]
    if verdict.value == "two":
        message = f"two verdicts ({verdict.words[:200]}): {expected}"
        return [Finding(path, "end", f"{kind}/two-verdicts", message)]
    rows = criteria_rows(text)
    if not rows:
        message = "no row for a criterion: add `## Acceptance Criteria` with a row such as `| AC1 | PASS | how |`"
        return [Finding(path, "end", f"{kind}/no-rows", message)]
    return _doubts(verdict, rows, path, kind)


def _doubts(verdict: Verdict, rows: list[ReportRow], path: str, kind: str) -> list[Finding]:
    """Warn of a PASS over a row that does not pass, and of another verdict that says no more than its word."""
    if verdict.value == "pass":
        named = [f"AC{row.number}" for row in rows if row.number is not None and not row.passes]
        message = f"PASS, but these rows do not pass: {', '.join(named[:20])}"
        return [Finding(path, "criteria", f"{kind}/open-row", message, "warning")] if named else []
    if verdict.reason or len(verdict.words.split()) > 1:
        return []
    return [Finding(path, "end", f"{kind}/no-reason", f"{verdict.words} without a `## Reason`", "warning")]
