"""How far a plan is, by the marks on its phases."""

import pytest

from baton.artifacts.findings import warnings_in
from baton.artifacts.plan import Phase, block_reason, check_plan, read_plan


def phases(*headings: str) -> list[Phase]:
    return list(read_plan("# Plan\n\n" + "\n\ntext\n\n".join(headings)).phases)


@pytest.mark.parametrize(("bracket", "mark"), [
    ("[COMPLETED]", "COMPLETED"),
    ("[completed]", "COMPLETED"),
    ("[ COMPLETE ]", "COMPLETE"),
    ("[✅ DONE]", "DONE"),
    ("**[SKIPPED: not needed]**", "SKIPPED"),
    ("[COMPLETED 2026-01-02]", "COMPLETED"),
    ("[COMPLETED] (2 h)", "COMPLETED"),
    ("[COMPLETED] [see notes]", "COMPLETED"),
    ("[COMPLETED](notes.md)", "COMPLETED"),
    ("[NOT STARTED] [COMPLETED]", "COMPLETED"),
    ("[COMPLETED] [BLOCKED]", "BLOCKED"),
    ("[COMPLETED - PARTIAL]", "PARTIAL"),
    ("[COMPLETED, partially]", "PARTIAL"),
    ("[PARTIAL]", "PARTIAL"),
    ("[IN PROGRESS]", "IN PROGRESS"),
    ("[IN_PROGRESS]", "IN PROGRESS"),
    ("[in-progress]", "IN PROGRESS"),
    ("[BLOCKED: needs a key]", "BLOCKED"),
    ("[NOT STARTED]", "NOT STARTED"),
    ("[NOT COMPLETED]", "NOT STARTED"),
    ("[INCOMPLETE]", "NOT STARTED"),
    ("[DONEISH]", "NOT STARTED"),
    ("[almost]", "NOT STARTED"),
    ("[x]", "NOT STARTED"),
    ("[]", "NOT STARTED"),
    ("COMPLETED", "NOT STARTED"),
    ("(COMPLETED)", "NOT STARTED"),
    ("[COMPLETED", "NOT STARTED"),
    ("", "NOT STARTED"),
])  # fmt: skip
def test_a_mark_is_the_last_bracket_with_a_known_word(bracket: str, mark: str) -> None:
    assert [phase.mark for phase in phases(f"### Phase 1: Name {bracket}")] == [mark]


@pytest.mark.parametrize(("mark", "closed"), [
    ("COMPLETED", True), ("COMPLETE", True), ("DONE", True), ("SKIPPED", True),
    ("NOT STARTED", False), ("IN PROGRESS", False), ("PARTIAL", False), ("BLOCKED", False), ("FINISHED", False),
])  # fmt: skip
def test_a_phase_is_closed_by_four_words_only(mark: str, closed: bool) -> None:
    assert phases(f"### Phase 1: Name [{mark}]")[0].closed is closed


@pytest.mark.parametrize(("heading", "phase"), [
    ("### Phase 1: Name", "1"),
    ("## Phase 12. Name", "12"),
    ("#### Phase 1a - Name", "1a"),
    ("### Phase 2.1: Name", "2.1"),
    ("### Phase 2.1.10b — Name", "2.1.10b"),
    ("### Phase A: Name", "A"),
    ("### PHASE 3 Name", "3"),
    ("### **Phase 3**: Name", "3"),
    ("### 🚀 Phase 3: Name", "3"),
    ("### Phase 3", "3"),
    ("### Phase  3: Name", "3"),
    ("### __Phase 3__: Name", "3"),
    ("### 2.1 Phase 3: Name", "3"),
    ("### **2.** Phase 3: Name", "3"),
])  # fmt: skip
def test_a_phase_is_found_by_its_id(heading: str, phase: str) -> None:
    assert [(phase.id, phase.line) for phase in phases(heading)] == [(phase, 3)]


@pytest.mark.parametrize("heading", [
    "# Phase 1: Name", "##### Phase 1: Name", "Phase 1: Name", "- Phase 1: Name", "### Phases", "### Phase: Name",
    "### Phase One: Name", "### Phase 1ab: Name", "### The phase 1: Name", "```\n### Phase 1: Name\n```",
])  # fmt: skip
def test_a_heading_that_is_no_phase_is_not_counted(heading: str) -> None:
    assert phases(heading) == []


def test_the_first_of_two_phases_with_one_id_counts() -> None:
    plan = phases("### Phase 1: First [DONE]", "### Phase 1: Second", "### Phase 1a: Third")
    assert [(phase.id, phase.name, phase.mark) for phase in plan] == [
        ("1", "First", "DONE"), ("1a", "Third", "NOT STARTED"),
    ]  # fmt: skip


def test_the_work_goes_on_at_the_first_phase_that_is_open() -> None:
    plan = read_plan("## Phase 1: a [DONE]\n## Phase 2: b [PARTIAL]\n## Phase 3: c [SKIPPED]\n## Phase 4: d\n")
    assert (plan.closed, plan.first_open and plan.first_open.id) == (2, "2")


def test_nothing_is_open_when_all_is_closed() -> None:
    assert read_plan("## Phase 1: a [DONE]\n").first_open is None
    assert read_plan("no phase").first_open is None


@pytest.mark.parametrize("header", [
    "## Status: [COMPLETED]", "**Status**: [COMPLETED]", "- Status: [COMPLETED]", "Status: COMPLETED",
    "---\nstatus: COMPLETED\n---",
])  # fmt: skip
@pytest.mark.parametrize("mark", ["NOT STARTED", "PARTIAL", "DONE"])
def test_a_phases_mark_counts_whatever_the_header_says(header: str, mark: str) -> None:
    assert [phase.mark for phase in phases(header, f"### Phase 1: Name [{mark}]", header)] == [mark]


def doubts(*headings: str) -> list[tuple[str, str]]:
    return [(one.where, one.rule) for one in warnings_in(check_plan("\n".join(headings), "plan.md"))]


@pytest.mark.parametrize(("headings", "expected"), [
    (["## Phase 1: a", "## Phase 2: b", "## Phase 2: c", "## Phase 2: d"],
     [("line 3", "plan/phase-twice"), ("line 4", "plan/phase-twice")]),
    (["## Phase 1: a", "## Phase 3: b"], [("line 2", "plan/phase-gap")]),
    (["## Phase 2: a"], [("line 1", "plan/phase-gap")]),
    (["## Phase 1: a", "## Phase 9: b", "## Phase 20: c"],
     [("line 2", "plan/phase-gap"), ("line 3", "plan/phase-gap")]),
    (["## Phase 1: a [almost]"], [("line 1", "plan/unknown-mark")]),
    (["## Phase 1: a []"], [("line 1", "plan/unknown-mark")]),
    (["## Phase 1: a", "~~~", "```", "x"], [("line 2", "plan/open-fence")]),
])  # fmt: skip
def test_doubtful_headings_are_a_warning(headings: list[str], expected: list[tuple[str, str]]) -> None:
    assert doubts(*headings) == expected


@pytest.mark.parametrize("headings", [
    ["## Phase 1: a", "## Phase 2: b"], ["## Phase 0: a", "## Phase 1: b"], ["## Phase 2: b", "## Phase 1: a"],
    ["## Phase 1: a", "## Phase 1a: b", "## Phase 2.1: c", "## Phase 2.2: d", "## Phase 3: e"],
    ["## Phase A: a", "## Phase C: c"], ["## Phase 1: a [DONE] [see notes]"], ["## Phase 1: [a](b.md)"],
    ["## Phase 1: a", "```", "## Phase 1: a", "```"], ["## Phase " + "9" * 40],
])  # fmt: skip
def test_plain_headings_are_no_warning(headings: list[str]) -> None:
    assert doubts(*headings) == []


@pytest.mark.parametrize(("text", "reason"), [
    ("## Reason\n\nTwo\nlines.\n\n- and more\n", "Two lines. - and more"),
    ("## Blocked\n\nA.\n\n## Reason\n\nB.\n", "A."),
    ("## The reason\n\nA.\n", "A."),
    ("## Reason\n\n", ""),
    ("## Reason\n\n<!-- why -->\n", ""),
    ("## Reason\n\n<!-- why --> A.\n", "A."),
    ("### 2. **Blocking Issues** (1)\n\nA.\n", "A."),
    ("Reason: A.\n", "A."), ("# Plan\n\n**Reason:** A.\n", "A."), ("# Plan\n\nA.\n## Options\nB.\n", "A."),
])  # fmt: skip
def test_the_reason_of_a_block_is_one_paragraph(text: str, reason: str) -> None:
    assert block_reason(text) == reason
