"""Ways in which agents get a report wrong: each is refused, and the form that goes with it would be taken."""

import pytest

from baton.artifacts.findings import faults
from baton.artifacts.kinds import check_artifact
from baton.artifacts.report import IMPL, MICRO, QA, REPORT_KINDS, criteria_faults, normalized_report, read_report
from baton.artifacts.report_text import report_form

CRITERIA = ("The page is dark", "The choice is kept: always")
FORMS = {kind: report_form(kind, CRITERIA, ["src/page.py"]) for kind in REPORT_KINDS}
SECOND = "  - id: AC2\n    result: PASS\n    evidence: |\n      what was run, and what it showed\n"
REASON = "verdict: PASS\nreason: |\n  why; for a FAIL each fault, where it is and how to see it"
CHANGES = "changes_made:\n  - file: src/page.py\n    what: what changed and why\n"
PLACE = "  - id: AC2\n    where: where it is met, and the test that shows it\n"
ROWS = f"criteria:{FORMS[QA].partition('criteria:')[2].partition('known')[0]}"
# What of the form each gets wrong: its own text, and what is written in its place.
WRONG: dict[str, tuple[str, str, str]] = {
    "prose": (QA, FORMS[QA], "All criteria pass.\n"),
    "markdown": (QA, FORMS[QA], "# QA report\n\nVerdict: PASS\n\n| AC1 | PASS | ran it |\n"),
    "nothing": (QA, FORMS[QA], "\n"),
    "a list": (QA, FORMS[QA], "- PASS\n"),
    "json that is cut off": (QA, FORMS[QA], '{"verdict": "PASS", "criteria": ['),
    "another role's report": (QA, FORMS[QA], FORMS[IMPL]),
    "no verdict": (QA, "verdict: PASS\n", ""),
    "a verdict of its own": (QA, "verdict: PASS", "verdict: OK"),
    "a condition": (QA, "verdict: PASS", "verdict: PASS with reservations"),
    "a condition to come": (QA, "verdict: PASS", "verdict: PASS once AC2 is documented"),
    "two verdicts": (QA, "verdict: PASS", "verdict: PASS | FAIL"),
    "a verdict twice": (QA, "verdict: PASS", "verdict: PASS\nverdict: FAIL"),
    "a mark that contradicts": (QA, "verdict: PASS", "verdict: ❌ PASS"),
    "FAIL without a reason": (QA, REASON, "verdict: FAIL"),
    "a row left out": (QA, SECOND, ""),
    "a row twice": (QA, "id: AC2", "id: AC1"),
    "a row of no criterion": (QA, "id: AC2", "id: AC7"),
    "a row without its id": (QA, "id: AC2", "name: AC2"),
    "a row without a result": (QA, "    result: PASS\n", ""),
    "a row that fails": (QA, "result: PASS", "result: FAIL"),
    "a row that is deferred": (QA, "result: PASS", "result: DEFERRED"),
    "a row that passes in part": (QA, "result: PASS", "result: PASS (mostly)"),
    "a row that is not applicable": (QA, "result: PASS", "result: N/A"),
    "no evidence": (QA, "    evidence: |\n      what was run, and what it showed\n", ""),
    "empty evidence": (QA, "evidence: |\n      what was run, and what it showed", 'evidence: ""'),
    "rows as text": (QA, ROWS, "criteria: all pass\n"),
    "a key of its own": (QA, "verdict: PASS", "verdict: PASS\nscore: 9"),
    "blocking failures of QA": (QA, "known_failures: []", "known_failures: []\nblocking_failures: [x]"),
    "no changes": (IMPL, CHANGES, ""),
    "changes in one text": (IMPL, CHANGES, "changes_made: all of them\n"),
    "a change without its file": (IMPL, "  - file: src/page.py\n    what:", "  - what:"),
    "no word on what blocks": (IMPL, "blocking_failures: []\n", ""),
    "blockers under another name": (IMPL, "blocking_failures: []", "blockers: []"),
    "no mapping": (IMPL, "criteria_mapping:\n", "mapping:\n"),
    "a criterion without a place": (IMPL, PLACE, ""),
    "no rules": (IMPL, "rules_applied:\n  - the project's rules and conventions you kept to\n", ""),
    "an end of its own": (IMPL, "blocking_failures: []", "blocking_failures: []\nstatus: done-ish"),
    "an error without words": (IMPL, "known_failures: []", "known_failures: []\nerrors:\n  - type: timeout"),
    "PASS beside blocking failures": (MICRO, "blocking_failures: []", "blocking_failures: [it crashes]"),
    "a small story without changes": (MICRO, CHANGES, ""),
    "ESCALATE without a reason": (MICRO, REASON, "verdict: ESCALATE"),
}  # fmt: skip


def what_is_wrong(kind: str, text: str) -> list[str]:
    found = [fault.rule for fault in faults(check_artifact(kind, text, "r"))]
    return found or criteria_faults(read_report(normalized_report(kind, text).value), CRITERIA)


@pytest.mark.parametrize(("kind", "right", "wrong"), WRONG.values(), ids=WRONG)
def test_a_wrong_report_is_refused_and_its_form_would_be_taken(kind: str, right: str, wrong: str) -> None:
    assert right in FORMS[kind]
    assert what_is_wrong(kind, FORMS[kind].replace(right, wrong, 1))
    assert what_is_wrong(kind, FORMS[kind]) == []


def test_there_are_forty() -> None:
    assert len(WRONG) >= 40
