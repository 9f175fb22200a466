"""What a run says of itself is read alike from JSON and YAML, sparse or full."""

import pytest

from baton.artefacts.metadata import FINISHED, Metadata, check_metadata, read_metadata

FULL = """{"status": "partial",
"metadata": {"session_id": "r1"}, "requires_user_review": true, "review_reason": "why",
"partial_progress": {"details": "half", "handoff_path": "h.md"}, "files_changed": ["a"], "next_steps": "go on",
"errors": [{"message": "m"}, {"type": "timeout", "message": "n", "recoverable": false}]}"""


def test_what_is_said_is_kept() -> None:
    said = read_metadata(FULL)
    assert (said.status, said.session_id, said.requires_user_review, said.review_reason) == (
        "partial",
        "r1",
        True,
        "why",
    )
    assert (said.handoff_path, said.details, said.files_changed, said.next_steps) == (
        "h.md",
        "half",
        ("a",),
        "go on",
    )
    assert list(map(str, said.errors)) == ["m", "timeout: n"]
    assert [error.recoverable for error in said.errors] == [True, False]


@pytest.mark.parametrize("text", [
    '{"status": "implemented"}',
    "status: implemented",
    '{"status": "implemented", "partial_progress": null, "review_reason": null, "next_steps": null, "errors": []}',
    "status: implemented\npartial_progress:\nreview_reason: ~\nmetadata: {}\nfiles_changed: []\n",
], ids=["JSON", "YAML", "JSON with empty places", "YAML with empty places"])  # fmt: skip
def test_what_is_not_said_is_empty(text: str) -> None:
    assert check_metadata(text, "m") == []
    assert read_metadata(text) == Metadata("implemented", "", False, "", "", (), (), "", "", "", "")


@pytest.mark.parametrize(("status", "final"), [("in_progress", False), ("partial", True), ("blocked", True)])
def test_only_a_run_in_progress_has_more_to_say(status: str, final: bool) -> None:
    assert read_metadata(f"status: {status}").final is final


def test_a_status_is_finished_when_its_work_is_done() -> None:
    assert FINISHED == ("planned", "researched", "implemented")


def test_a_finding_names_its_place() -> None:
    findings = check_metadata('{"status": "partial", "errors": [{"message": "m"}, {"message": 3}]}', "m.json")
    assert [(one.where, one.rule) for one in findings] == [("$.errors[1].message", "return-meta/type")]


def test_a_finding_about_a_long_value_is_cut() -> None:
    finding = check_metadata(f'{{"status": "{"x" * 5000}"}}', "m.json")[0]
    assert len(finding.message) <= 300


@pytest.mark.parametrize(("said", "expected"), [
    ("sorry_count: 2", "sorry_count is 2"),
    ("metadata: {sorry_count: 1}", "sorry_count is 1"),
    ("verification: failed", "its verification says failed"),
    ("completion_data: {verification: {passed: false}}", "its verification says False"),
    ("next_steps: Resume at phase 3", "its next steps are: Resume at phase 3"),
    ("next_steps: the remaining tests", "its next steps are: the remaining tests"),
    ("sorry_count: 0\nverification: passed\nnext_steps: none", ""),
], ids=["a sorry", "a sorry in the metadata", "a failing verification", "a nested verification",
        "steps that resume", "work that remains", "nothing against it"])  # fmt: skip
def test_what_speaks_against_finished_work_is_quoted(said: str, expected: str) -> None:
    assert read_metadata(f"status: implemented\n{said}\n").contradiction == expected


@pytest.mark.parametrize(("said", "hard"), [
    ("errors: [{type: missing_dependency, message: m}]", True),
    ("partial_progress: {stage: mathematically_false}", True),
    ("errors: [{type: other, message: m, recoverable: false}]", True),
    ("errors: [{type: timeout, message: m, recoverable: false}]", False),
    ("errors: [{type: other, message: m, recoverable: false}, {message: n}]", False),
    ("errors: []", False),
], ids=["a hard type", "a hard stage", "nothing recoverable", "a soft type", "one is recoverable",
        "no errors"])  # fmt: skip
def test_a_hard_blocker_is_one_only_a_person_can_lift(said: str, hard: bool) -> None:
    assert read_metadata(f"status: partial\n{said}\n").hard_blocker is hard
