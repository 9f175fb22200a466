"""Documents as agents and other tools shape them, fourteen a kind: all are read for what they say."""

import json
from typing import Any

import pytest

from baton.artifacts.findings import faults
from baton.artifacts.handoff import check_handoff
from baton.artifacts.metadata import check_metadata, read_metadata
from baton.artifacts.plan import check_plan, read_plan
from baton.artifacts.story_file import check_story, read_story

DONE = "The parser reads quoted fields; `test_parse.py` passes.\n"
HANDOFFS = {
    "next alone": f"# Phase 2 Handoff\n\n## Done\n{DONE}\n## Next\nPhase 3: write the printer.\n",
    "notes for a phase": f"# Handoff\n## Results\n{DONE}\n## Notes for Phase 3\n- begin at `printer.py`\n",
    "state for a phase": f"# H\n{DONE}\n## State for Phase 3\n- tokens: `lex.py`\n- Next: the printer\n",
    "inputs for a phase": f"# H\n## Landed\n{DONE}\n## Inputs for Phase 3\n`lex.Token`\n",
    "for a phase": f"# H\n## Outcome\n{DONE}\n## For Phase 3\nuse `Token.kind`\n",
    "handoff notes": f"# H\n{DONE}\n### Handoff Notes for Phase 3\nuse `Token.kind`\n",
    "next phase inputs": f"# H\n## What was done\n{DONE}\n## Next Phase Inputs\n`lex.py`\n",
    "a line": f"# H\n{DONE}\nNext: Phase 3 - the printer\n",
    "a heading with a colon": f"# H\n## Status: done\n{DONE}\n## Next: Phase 3 — the printer\nbegin there\n",
    "continuation": f"# H\n## Progress\n{DONE}\n## Continuation Context\nbegin with the printer\n",
    "immediate": f"# H\n## Where we are\n{DONE}\n## Next Immediate Action\nwrite `printer.py`\n",
    "remaining phases": f"# H\n## Status\n{DONE}\n## Remaining Phases\n3. printer\n4. docs\n",
    "follow-up": f"# H\n## Landed\n{DONE}\n## Follow-up\n1. write the printer\n",
    "all phases": f"# Final Handoff\n\nAll 4 phases COMPLETED.\n\n{DONE}",
}


@pytest.mark.parametrize("text", HANDOFFS.values(), ids=HANDOFFS)
def test_a_handoff_says_what_comes_next_and_where_the_work_stands(text: str) -> None:
    assert faults(check_handoff(text, "a.md")) == []


@pytest.mark.parametrize(
    "text", ["# Handoff\n", f"# H\n{DONE}", "# H\n## Next\n", "# H\n## Notes\nsee the code\n"]
)
def test_a_handoff_that_says_neither_is_refused(text: str) -> None:
    assert faults(check_handoff(text, "a.md"))


SECTIONS = "\n## Edge Cases\nnone\n## Test Checkpoints\nrun\n## Risk Register\nnone\n"
OPEN, CLOSED = "NOT STARTED", "COMPLETED"
PLANS: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "plain": ("### Phase 1: A [COMPLETED]\na\n### Phase 2: B [NOT STARTED]\nb", [("1", CLOSED), ("2", OPEN)]),
    "steps": ("### Step 1 — A [COMPLETED]\na\n### Step 2 — B\nb", [("1", CLOSED), ("2", OPEN)]),
    "numbered steps": ("#### 1. Step 1: A\na\n#### 2. Step 2: B\nb", [("1", OPEN), ("2", OPEN)]),
    "bold": ("### **Phase 1**: A **[IN PROGRESS]**\na", [("1", "IN PROGRESS")]),
    "mark first": ("### [COMPLETED] Phase 1: A\na\n### Phase 2: B\nb", [("1", CLOSED), ("2", OPEN)]),
    "emoji and mark": ("### ✅ Phase 1: A [DONE]\na", [("1", "DONE")]),
    "letters": ("### Phase A: x [SKIPPED]\na\n### Phase B. y [PARTIAL]\nb", [("A", "SKIPPED"), ("B", "PARTIAL")]),
    "dotted": ("### Phase 1.1 - A [COMPLETE]\na\n### Phase 1.2 - B\nb", [("1.1", "COMPLETE"), ("1.2", OPEN)]),
    "already": ("### Phase 1: A [COMPLETED - Already Implemented]\na", [("1", CLOSED)]),
    "partly": ("### Phase 1: A [COMPLETED, partially]\na", [("1", "PARTIAL")]),
    "fenced plan in it": ("### Phase 1: A\n```md\n### Phase 9\n```\n### Phase 2: B", [("1", OPEN), ("2", OPEN)]),
    "longer fence": (
        "### Phase 1: A\n````md\n```\n### Phase 9\n```\n````\n### Phase 2: B", [("1", OPEN), ("2", OPEN)]),
    "template in a list": (
        "### Phase 1: A\n- write:\n\n  ### Phase 9: no\n\n### Phase 2: B\nb", [("1", OPEN), ("2", OPEN)]),
    "level two": ("## Phase 1: A [BLOCKED]\na\n## Phase 2: B\nb", [("1", "BLOCKED"), ("2", OPEN)]),
}  # fmt: skip


@pytest.mark.parametrize(("body", "phases"), PLANS.values(), ids=PLANS)
def test_a_plan_has_its_phases_and_marks(body: str, phases: list[tuple[str, str]]) -> None:
    text = f"# Plan\n## Implementation Sequence\nas follows\n{body}\n{SECTIONS}"
    assert [(phase.id, phase.mark) for phase in read_plan(text).phases] == phases
    assert faults(check_plan(text, "a.md")) == []


@pytest.mark.parametrize(("heading", "rule"), [
    ("### Phase 1: A ✅ COMPLETED", "plan/unbracketed-mark"), ("### Phase 1: A - DONE", "plan/unbracketed-mark"),
    ("### Phase 1: A (completed)", "plan/unbracketed-mark"), ("### Phase 1: A ✅", "plan/unbracketed-mark"),
    ("### Phase 1: A [VERIFIED]", "plan/unknown-mark"), ("### Step 1: A", "plan/steps"),
    ("### Phase 1: A\n```md\n```py\nx\n```\n### Phase 2: B\n```", "plan/nested-fence"),
])  # fmt: skip
def test_a_doubtful_phase_is_a_finding_and_stays_open(heading: str, rule: str) -> None:
    text = f"# Plan\n## Implementation Sequence\nas follows\n{heading}\na\n{SECTIONS}"
    assert [one.rule for one in check_plan(text, "a.md")] == [rule]
    assert not read_plan(text).phases[0].closed


@pytest.mark.parametrize(("title", "wrong"), [
    ("Edge Cases per AC", []), ("Edge Cases per Acceptance Criterion", []), ("Edge Case Registry", []),
    ("Edge-Case Handling", []), ("Edges", ["plan/section-missing"]), ("Case Study", ["plan/section-missing"]),
    ("Hedge Cases", ["plan/section-missing"]),
])  # fmt: skip
def test_a_section_may_say_more_than_its_name_but_is_no_other(title: str, wrong: list[str]) -> None:
    text = f"## Implementation Sequence\n### Phase 1: A\na\n{SECTIONS}".replace("Edge Cases", title)
    assert [one.rule for one in check_plan(text, "a.md")] == wrong


FIELDS = "---\nid: 42\ntitle: T\n---\n"
STORIES: dict[str, tuple[str, int]] = {
    "plain": (f"{FIELDS}## Acceptance Criteria\n- a\n- b\n", 2),
    "title in the heading": ("---\nid: 42\n---\n# Dark mode\n## Acceptance Criteria\n- a\n- b\n", 2),
    "checkboxes": (f"{FIELDS}## Acceptance Criteria\n- [ ] a\n- [x] b\n", 2),
    "numbers": (f"{FIELDS}## Acceptance Criteria\n1. a\n2) b\n", 2),
    "named": (f"{FIELDS}## Acceptance Criteria\n- **AC1**: a\n- **AC2**: b\n- **AC2b**: c\n", 3),
    "longer lines": (f"{FIELDS}## Acceptance Criteria\n- a\n  goes on\n- b\n", 2),
    "sub-items": (f"{FIELDS}## Acceptance Criteria\n- a\n  - as here\n- b\n", 2),
    "success criteria": (f"{FIELDS}### Success Criteria\n* a\n* b\n", 2),
    "definition of done": (f"{FIELDS}## Definition of Done\n+ a\n+ b\n", 2),
    "emoji and a number": (f"{FIELDS}## 3. ✅ Acceptance Criteria\n- a\n- b\n", 2),
    "done when": (f"{FIELDS}### Done when\n- a\n- b\n", 2),
    "one deferred": (f"{FIELDS}## Acceptance Criteria\n- a\n- b\n- c (deferred)\n", 2),
}  # fmt: skip


@pytest.mark.parametrize(("text", "count"), STORIES.values(), ids=STORIES)
def test_a_story_has_its_criteria(text: str, count: int) -> None:
    assert (len(read_story(text).criteria), check_story(text, "a.md")) == (count, [])


@pytest.mark.parametrize("text", [
    "Notes:\n- a\n", "The acceptance criteria: see below.\n- a\n", "*Acceptance* criteria\n- a\n", "- AC1: a\n",
    "As AC1: says, it adds.\n",
])  # fmt: skip
def test_a_story_that_only_mentions_criteria_has_none(text: str) -> None:
    assert read_story(FIELDS + text).criteria == ()


REVIEW = {"requires_user_review": True, "review_reason": "which one?"}
WHERE = "handoffs/phase-2.md"
METADATA: dict[str, tuple[dict[str, Any], dict[str, object]]] = {
    "plain": ({"status": "partial"}, {"status": "partial"}),
    "nulls": (dict.fromkeys(
        ("metadata", "partial_progress", "artifacts", "errors", "files_changed", "requires_user_review",
         "review_reason", "completion_data", "next_steps", "summary")), {"requires_user_review": False}),
    "review in the metadata": ({"metadata": REVIEW}, REVIEW),
    "review in the progress": ({"partial_progress": REVIEW}, {"requires_user_review": True}),
    "review in words": ({"requires_user_review": "yes"}, {"requires_user_review": True}),
    "no review in words": ({"requires_user_review": "No"}, {"requires_user_review": False}),
    "handoff at the top": ({"handoff_path": WHERE}, {"handoff_path": WHERE}),
    "handoff in the metadata": ({"metadata": {"handoff_path": WHERE}}, {"handoff_path": WHERE}),
    "handoff in what was completed": ({"completion_data": {"handoff_path": WHERE}}, {"handoff_path": WHERE}),
    "counters as text": ({"phases_completed": "2", "phases_total": 3}, {"phases_completed": 2, "phases_total": 3}),
    "an error as text": ({"errors": "it broke"}, {"stage": ""}),
    "files in one text": ({"files_changed": "a.py"}, {"files_changed": ("a.py",)}),
    "steps as a list": ({"next_steps": ["a", "b"]}, {"next_steps": "a; b"}),
    "progress as text": ({"partial_progress": "half way"}, {"details": "half way"}),
}  # fmt: skip


@pytest.mark.parametrize(("given", "expected"), METADATA.values(), ids=METADATA)
@pytest.mark.parametrize("form", ["{}", "```json\n{}\n```"], ids=["plain", "fenced"])
def test_metadata_counts_wherever_it_stands(given: dict[str, Any], expected: dict[str, object], form: str) -> None:
    text = form.replace("{}", json.dumps({"status": "partial", **given}))
    assert faults(check_metadata(text, "a.json")) == []
    assert {name: getattr(read_metadata(text), name) for name in expected} == expected


@pytest.mark.parametrize("given", [
    {"requires_user_review": "perhaps"}, {"handoff_path": "/etc/passwd"}, {"metadata": {"handoff_path": "../a"}},
])  # fmt: skip
def test_metadata_that_says_nothing_or_leads_outside_is_refused(given: dict[str, Any]) -> None:
    assert faults(check_metadata(json.dumps({"status": "partial", **given}), "a.json"))


def contradiction(**more: object) -> str:
    return read_metadata(json.dumps({"status": "implemented", **more})).contradiction


def test_a_count_speaks_against_finished_work_where_it_is_of_the_files_that_were_changed() -> None:
    files, count = ["Logic/Basic.lean"], {"sorry_count": 2}
    assert "sorry_count is 2" in contradiction(verification={**count, "files": files}, files_changed=files)
    assert contradiction(verification={**count, "files": ["Other.lean"]}, files_changed=files) == ""
    assert contradiction(**count) == contradiction(verification=count) == ""


def test_steps_that_are_optional_or_later_do_not_speak_against_finished_work() -> None:
    assert contradiction(next_steps="remaining: phase 3")
    assert contradiction(next_steps="Optional: rename the remaining helpers later") == ""
