"""A report is data: what is decided from it, how its words are read, its form, and the Markdown made of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.artifacts.data import load_object
from baton.artifacts.findings import faults
from baton.artifacts.kinds import check_artifact
from baton.artifacts.report import (
    IMPL,
    QA,
    REPORT_KINDS,
    ReportRow,
    RunReport,
    criteria_faults,
    normalized_report,
    open_criteria,
    read_report,
)
from baton.artifacts.report_text import render_report, report_form
from bench import VERDICT

CRITERIA = ("The page is dark", "The choice is kept: always")
WORDS = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs"))).map(str.strip).filter(bool)


def read(kind: str, text: str) -> RunReport:
    return read_report(normalized_report(kind, text).value)


def rows(*results: str) -> RunReport:
    return RunReport(
        "PASS", rows=tuple(ReportRow(f"AC{n}", result, "seen") for n, result in enumerate(results, 1))
    )


# What is decided from it


@pytest.mark.parametrize(("results", "left"), [
    (("PASS", "PASS"), []), (("PASS",), ["AC2"]), (("FAIL", "DEFERRED"), ["AC1", "AC2"]), ((), ["AC1", "AC2"]),
])  # fmt: skip
def test_a_criterion_is_open_without_a_pass_of_its_own(results: tuple[str, ...], left: list[str]) -> None:
    assert [criterion.partition(":")[0] for criterion in open_criteria(rows(*results), CRITERIA)] == left


def test_every_criterion_has_a_row_and_every_row_a_criterion() -> None:
    assert criteria_faults(rows("PASS", "FAIL"), CRITERIA) == []
    assert criteria_faults(rows("PASS"), CRITERIA) == ["no row for AC2"]
    assert criteria_faults(rows("PASS", "PASS", "PASS"), CRITERIA) == ["AC3 is not a criterion of this story"]


@pytest.mark.parametrize(("verdict", "rule"), [
    ("PASS", None), ("passed", None), ("✅ **PASS**", None), ("FAIL", None), ("escalated", None),
    ("PASS with notes", "enum"), ("PASS once AC2 is documented", "enum"), ("PASS, but slow", "enum"),
    ("NOT PASS", "enum"), ("PASS | FAIL", "enum"), ("PASS or FAIL", "enum"), ("conditional pass", "enum"),
    ("PARTIAL", "enum"), ("?", "enum"), ("❌ PASS", "enum"), ("PASS?", "enum"),
])  # fmt: skip
def test_only_the_three_words_are_a_verdict(verdict: str, rule: str | None) -> None:
    found = check_artifact(QA, VERDICT.format(verdict, "why"), "r")
    assert [one.rule for one in found] == ([f"qa-report/{rule}"] if rule else [])


# How its words are read


@pytest.mark.parametrize("said", ["[]", "None", "None.", "n/a", "- None", '""', "null", "no", "[none]"])
def test_the_words_for_nothing_block_nothing(said: str) -> None:
    report = report_form(IMPL, CRITERIA).replace("blocking_failures: []", f"blocking_failures: {said}")
    assert (faults(check_artifact(IMPL, report, "r")), read(IMPL, report).blocking_failures) == ([], ())


@pytest.mark.parametrize("said", [
    "None from this story, but `test_old` fails", "no: the parser crashes", "No network", "nothing works",
])  # fmt: skip
def test_whatever_else_is_said_blocks(said: str) -> None:
    report = report_form(IMPL, CRITERIA).replace("blocking_failures: []", f"blocking_failures: {said}")
    assert read(IMPL, report).blocking_failures == (said,)


@pytest.mark.parametrize(
    "name", ["AC1", "ac1", "AC-1", "ac 1", "1", "Criterion 1", "`AC1`", "AC1: The page is dark"]
)
def test_a_criterion_is_known_by_its_number(name: str) -> None:
    assert read(QA, VERDICT.format("PASS", "x").replace("AC1", name)).rows[0].id == "AC1"


@pytest.mark.parametrize(("change", "file"), [
    ("file: ./src/a b.py", "src/a b.py"), ("file: `a.py`", "a.py"),
    ("`a.py`: what", "a.py"), ("a.py — what", "a.py"),
])  # fmt: skip
def test_a_change_names_its_file(change: str, file: str) -> None:
    text = f"changes_made:\n  - {change}\n{report_form(IMPL, CRITERIA).partition('what: what changed and why')[2]}"
    assert (faults(check_artifact(IMPL, text, "r")), read(IMPL, text).files) == ([], (file,))


# Its form


@pytest.mark.parametrize("kind", REPORT_KINDS)
@pytest.mark.parametrize("criteria", [(), CRITERIA, ("", "")], ids=["none left", "told", "known already"])
def test_the_form_as_it_is_would_be_taken(kind: str, criteria: tuple[str, ...]) -> None:
    form = report_form(kind, criteria, ["a b: c.py", "#d"])
    assert faults(check_artifact(kind, form, "r")) == []
    assert [row.id for row in read(kind, form).rows] == [f"AC{n}" for n in range(1, len(criteria) + 1)]
    assert kind == QA or read(kind, form).files == ("a b: c.py", "#d")


# The Markdown made of it


@given(verdict=st.sampled_from(["PASS", "FAIL"]), seen=WORDS, reason=WORDS)
def test_the_rendered_report_has_a_row_for_each_criterion(verdict: str, seen: str, reason: str) -> None:
    value = {"verdict": verdict, "reason": reason, "criteria": [
        {"id": f"AC{number}", "result": verdict, "evidence": seen} for number in (1, 2)
    ]}  # fmt: skip
    lines = render_report(QA, value, CRITERIA).splitlines()
    assert lines[:3] == ["# QA report", "", f"Verdict: {verdict}"]
    assert [line.count(" | ") >= 2 for line in lines if line.startswith("| AC")] == [True, True]


def test_the_rendered_report_shows_every_field() -> None:
    text = render_report(IMPL, load_object(report_form(IMPL, CRITERIA, ["a.py"]), IMPL), CRITERIA)
    assert text == (
        "# Implementation report\n\nwhat was done, in one line, as a commit's subject\n\n"
        "## Changes Made\n\n- `a.py`: what changed and why\n\n"
        "## Criteria Mapping\n\n- AC1: where it is met, and the test that shows it\n"
        "- AC2: where it is met, and the test that shows it\n\n"
        "## Rules Applied\n\n- the project's rules and conventions you kept to\n\n"
        "## Blocking Failures\n\n- None\n\n"
        "## Known Failures\n\n- None\n\n## Notes\n\nanything else, for people\n"
    )
