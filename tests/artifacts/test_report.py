"""What a report says, and that nothing but an explicit PASS is one."""

import pytest

from baton.artifacts.report import (
    blocking_failures,
    check_micro_report,
    check_qa_report,
    criteria_rows,
    declared_files,
    open_criteria,
    read_verdict,
)

CRITERIA = ("The page is dark", "The choice is kept")


@pytest.mark.parametrize(("text", "value"), [
    pytest.param("Verdict: PASS", "pass", id="a line"),
    pytest.param("## Verdict: PASS", "pass", id="a heading"),
    pytest.param("## 5. Verdict: PASS", "pass", id="a numbered heading"),
    pytest.param("### 🏁 **Final Verdict** — `PASS`", "pass", id="a decorated heading"),
    pytest.param("**QA Verdict:** PASS", "pass", id="a bold label"),
    pytest.param("__Overall verdict__ = Pass", "pass", id="underscores and an equals sign"),
    pytest.param("> - Verdict is PASSED.", "pass", id="a quoted list item"),
    pytest.param("Verdict: ✅ PASS (cycle 2)", "pass", id="an emoji and a cycle"),
    pytest.param("Verdict: PASS - no test failed", "pass", id="a reason after a dash"),
    pytest.param("Verdict: PASS WITHOUT remarks", "pass", id="without is not with"),
    pytest.param("## Verdict\n\n**PASS**", "pass", id="below its heading"),
    pytest.param("## 🏁 Final Verdict\n\n✅ PASS", "pass", id="below its heading of two words"),
    pytest.param("**Overall Verdict:**\n\nPASS", "pass", id="below its bold label"),
    pytest.param("**Verdict (cycle 2):** PASS", "pass", id="a cycle before the colon"),
    pytest.param("## Verdict\n\n> - PASS", "pass", id="below its heading, decorated"),
    pytest.param("---\nverdict: PASS\n---\n", "pass", id="front matter"),
    pytest.param("---\nverdict: PASS\n---\n## Verdict: PASS", "pass", id="front matter that agrees"),
    pytest.param("Verdict: PASS | FAIL\n\nVerdict: PASS", "pass", id="a template beside the verdict"),
    pytest.param("Verdict: PASS\n```\nVerdict: FAIL\n```", "pass", id="another in a fence"),
    pytest.param("Verdict: FAIL", "fail", id="a fail"),
    pytest.param("Verdict: FAILED - AC1 does not pass", "fail", id="a fail that says what does not pass"),
    pytest.param("Verdict: FAIL with two faults, AC3 passed", "fail", id="a fail with something that passed"),
    pytest.param("Verdict: FAIL, but close to a PASS", "fail", id="a fail that is close"),
    pytest.param("Verdict: ESCALATE", "escalate", id="an escalation"),
    pytest.param("Verdict: escalated (a person must choose)", "escalate", id="an escalation in other letters"),
    pytest.param("Verdict: PASS WITH NOTES", "conditional", id="with"),
    pytest.param("Verdict: PASS_WITH_DEFERRED", "conditional", id="with, in one word"),
    pytest.param("Verdict: PASS, but AC2 is slow", "conditional", id="but"),
    pytest.param("Verdict: PASS (with reservations)", "conditional", id="with, in parentheses"),
    pytest.param("Verdict: PASS — except AC2", "conditional", id="except, after a dash"),
    pytest.param("Verdict: Conditional pass", "conditional", id="conditional"),
    pytest.param("Verdict: CONDITIONAL", "conditional", id="conditional alone"),
    pytest.param("Verdict: PARTIAL PASS", "conditional", id="partial"),
    pytest.param("Verdict: NOT PASS", "none", id="not"),
    pytest.param("Verdict: no PASS", "none", id="no"),
    pytest.param("Verdict: PASSABLE", "none", id="a longer word"),
    pytest.param("Verdict: PASS?", "none", id="a question"),
    pytest.param("Verdict: pending", "none", id="pending"),
    pytest.param("Verdict: PASS | FAIL | ESCALATE", "none", id="a template with bars"),
    pytest.param("Verdict: PASS/FAIL/ESCALATE", "none", id="a template with slashes"),
    pytest.param("Verdict: <PASS, FAIL or ESCALATE>", "none", id="a template with commas"),
    pytest.param("Verdict: PASS or FAIL", "none", id="a template with or"),
    pytest.param("## Verdict\n\n- [ ] PASS\n- [ ] FAIL", "none", id="boxes nobody ticked"),
    pytest.param("- [ ] Verdict: PASS", "none", id="one box nobody ticked"),
    pytest.param("## Verdict\n\n## Passed tests\n\n12", "none", id="a heading with nothing below"),
    pytest.param("## Verdict", "none", id="a heading at the end"),
    pytest.param("<!-- Verdict: PASS -->", "none", id="a comment"),
    pytest.param("~~Verdict: PASS~~", "none", id="struck out"),
    pytest.param("The verdict: PASS", "none", id="in the middle of a line"),
    pytest.param("PASS", "none", id="a bare word"),
    pytest.param("```\nVerdict: PASS\n```", "none", id="in a fence"),
    pytest.param("", "none", id="nothing"),
    pytest.param("Verdict: PASS\nVerdict: FAIL", "two", id="two lines"),
    pytest.param("Verdict: PASS\n\n## Final Verdict\n\nFAIL", "two", id="a line and what is below a heading"),
    pytest.param("Verdict (cycle 1): FAIL\nVerdict (cycle 2): PASS", "two", id="two cycles"),
    pytest.param("---\nverdict: FAIL\n---\n## Verdict: PASS", "two", id="front matter that disagrees"),
    pytest.param("Verdict: PASS\nFinal verdict: PASS WITH NOTES", "two", id="a pass and a conditional pass"),
])  # fmt: skip
def test_a_verdict_is_what_was_said_and_no_more(text: str, value: str) -> None:
    assert read_verdict(f"# QA report\n\n{text}\n" if not text.startswith("---") else text).value == value


def test_a_verdict_carries_its_words_and_its_reason() -> None:
    verdict = read_verdict("Verdict: **FAIL** (cycle 2)\n\n## 2. Findings\n\nThe page is light.\n\n## More\n\nx\n")
    assert (verdict.words, verdict.reason) == ("FAIL (cycle 2)", "The page is light.")


def test_two_verdicts_are_both_quoted() -> None:
    assert read_verdict("Verdict: PASS\nVerdict: FAIL\n").words == "PASS / FAIL"


@pytest.mark.parametrize("row", [
    "| AC1 | PASS | `test_page` |",
    "| **AC-1** | ✅ | seen |",
    "| 1 | The page is dark | Met | no regressions |",
    "| AC1: The page is dark | ✔ passed | Failed uploads are retried |",
    "- AC1: PASS — the choice is not lost on reload",
    "- [x] AC1: done",
    "* Criterion 1: OK, nothing failed",
    "1. The page: PASS",
    "| C 1 | yes | 12 tests (1 pending elsewhere) |",
    "| The page is dark. | PASS | |",
    "+ the PAGE is **dark**: PASS",
])  # fmt: skip
def test_a_row_shows_that_a_criterion_passes(row: str) -> None:
    assert open_criteria(f"## Acceptance Criteria\n\n{row}\n", CRITERIA[:1]) == []


@pytest.mark.parametrize("row", [
    "| AC1 | FAIL | ok on desktop |",
    "| AC1 | yes | FAIL |",
    "| AC1 | ❌ | done in part |",
    "| AC1 | NOT MET | ok |",
    "| AC1 | PASS (deferred) | |",
    "| AC1 | partially met | yes |",
    "| AC1 | PENDING | |",
    "| AC1 | | |",
    "| AC1 | `test_page` |",
    "- AC1: not passed",
    "- [ ] AC1: the page",
    "- 1 test of 3 passed",
    "- 1 page: PASS",
    "| AC2 | PASS | |",
    "| AC11 | PASS | |",
    "| AC1a | PASS | |",
    "| The page is darker | PASS | |",
    "AC1: PASS",
    "```\n| AC1 | PASS |\n```",
])  # fmt: skip
def test_a_row_leaves_a_criterion_open(row: str) -> None:
    assert open_criteria(f"## Acceptance Criteria\n\n{row}\n", CRITERIA[:1]) == ["AC1: The page is dark"]


def test_each_criterion_needs_a_row_of_its_own() -> None:
    report = "## Results\n\n| AC | Result |\n|---|---|\n| AC1 | PASS |\n"
    assert open_criteria(report, CRITERIA) == ["AC2: The choice is kept"]
    assert open_criteria(report + "| The choice is kept | PASS |\n", CRITERIA) == []


def test_of_two_rows_for_one_criterion_both_must_pass() -> None:
    report = "## Criteria\n\n- AC1: PASS\n- AC2: PASS\n"
    assert open_criteria(report, CRITERIA) == []
    assert open_criteria(report + "- AC1: FAIL\n", CRITERIA) == ["AC1: The page is dark"]


def test_rows_elsewhere_do_not_count() -> None:
    assert criteria_rows("## Evidence\n\n- AC1: PASS\n") == []


def test_a_row_is_read_with_its_number_and_its_words() -> None:
    rows = criteria_rows(
        "## Criteria\n\n| AC | Result |\n|:--|--:|\n| AC02 | FAIL | `x` |\n\ntext\n3) Third: PASS\n"
    )
    assert [(row.number, row.passes) for row in rows] == [(None, False), (2, False), (3, True)]
    assert rows[1].text == "AC02 | FAIL | `x` |"


@pytest.mark.parametrize("text", [
    "", "None", "- None.", "**None**", "* _No blocking failures_.", "N/A", "n/a", "-", "Nothing!",
    "No blocking failure",
])  # fmt: skip
def test_no_blocking_failure_is_named(text: str) -> None:
    assert blocking_failures(f"## Blocking Failures\n\n{text}\n") == ""


@pytest.mark.parametrize("text", [
    "- `test_page` fails", "None of the tests run", "- None\n- but one", "No", "```\nAssertionError\n```",
])  # fmt: skip
def test_a_blocking_failure_is_given_as_it_stands(text: str) -> None:
    assert blocking_failures(f"## 4. **Blockers** (1)\n\n{text}\n\n## More\n\nNone\n") == text


def test_a_report_without_the_section_names_no_blocking_failure() -> None:
    assert blocking_failures("## Changes Made\n\n- it fails\n") == ""


def test_declared_files_are_the_paths_in_backticks_under_the_changes() -> None:
    report = "## Changes Made\n\n- `src/a.py`, `b c.txt`: x\n### New\n`ŝ.md`\n## Rules\n`not/this.py`\n"
    assert declared_files(report) == {"src/a.py", "b c.txt", "ŝ.md"}


@pytest.mark.parametrize("text", ["", "## Changes Made\n\n- src/a.py\n", "## Changes Made\n\n`a\nb`\n", "`a`\n"])
def test_what_is_not_in_backticks_there_is_not_declared(text: str) -> None:
    assert declared_files(text) == frozenset()


@pytest.mark.parametrize(("text", "rules"), [
    ("Verdict: PASS\n\n## Criteria\n\n- AC1: PASS\n", []),
    ("Verdict: PASS\n\n## Criteria\n\n- AC1: PASS\n- AC2: PENDING\n- AC3: FAIL\n", ["open-row"]),
    ("Verdict: PASS\n\n## Criteria\n\n| AC | Result |\n|---|---|\n| AC1 | PASS |\n", []),
    ("Verdict: FAIL\n\n## Criteria\n\n- AC1: FAIL\n", ["no-reason"]),
    ("Verdict: ESCALATE - a person must choose\n\n## Criteria\n\n- AC1: FAIL\n", []),
    ("Verdict: FAIL\n\n## Reason\n\nIt is light.\n\n## Criteria\n\n- AC1: FAIL\n", []),
    ("Verdict: PASS\n", ["no-rows"]),
    ("Verdict: NOT PASS\n", ["no-verdict"]),
])  # fmt: skip
def test_qa_and_micro_reports_are_held_to_the_same(text: str, rules: list[str]) -> None:
    assert [one.rule for one in check_qa_report(text, "r")] == [f"qa-report/{rule}" for rule in rules]
    assert [one.rule for one in check_micro_report(text, "r")] == [
        f"micro-delivery-report/{rule}" for rule in rules
    ]
