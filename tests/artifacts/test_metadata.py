"""What a run says of itself is read alike from JSON and YAML, sparse or full."""

import pytest

from baton.artifacts.data import load_data
from baton.artifacts.findings import faults
from baton.artifacts.metadata import (
    FINISHED,
    NOT_FINAL,
    Artifact,
    Metadata,
    RunError,
    check_metadata,
    normalized_metadata,
    read_metadata,
)
from baton.artifacts.strict_json import JsonFault
from tables import named_cases

FULL = """{"status": "partial",
"metadata": {"session_id": "r1"}, "requires_user_review": true, "review_reason": "why",
"partial_progress": {"details": "half", "handoff_path": "h.md"}, "files_changed": ["a"], "next_steps": "go on",
"errors": [{"message": "m"}, {"type": "timeout", "message": "n", "recoverable": false}]}"""


def test_every_field_is_read() -> None:
    said = read_metadata(FULL)
    errors = (RunError("error", "m", True), RunError("timeout", "n", False))
    assert said[:7] == ("partial", "r1", True, "why", "h.md", errors, ("a",))
    assert (said.details, said.next_steps, list(map(str, errors))) == ("half", "go on", ["m", "timeout: n"])


@pytest.mark.parametrize("text", [
    '{"status": "implemented"}',
    "status: implemented",
    '{"status": "implemented", "partial_progress": null, "review_reason": null, "next_steps": null, "errors": []}',
    "status: implemented\npartial_progress:\nreview_reason: ~\nmetadata: {}\nfiles_changed: []\n",
], ids=["JSON", "YAML", "JSON with empty places", "YAML with empty places"])  # fmt: skip
def test_a_missing_field_is_empty(text: str) -> None:
    assert check_metadata(text, "m") == check_metadata("status: planned\nrequires_user_review: true", "m") == []
    assert read_metadata(text) == Metadata("implemented", "", False, "", "", (), (), "", "", "", "")


@pytest.mark.parametrize(("status", "final"), [
    ("in_progress", False), ("partial", True), ("blocked", True), *((word, False) for word in NOT_FINAL),
])  # fmt: skip
def test_only_a_run_in_progress_has_more_to_say(status: str, final: bool) -> None:
    assert check_metadata(f"status: {status}", "m") == []
    assert (read_metadata(f"status: {status}").status, read_metadata(f"status: {status}").final) == (status, final)


def test_the_role_makes_a_word_for_success_precise() -> None:
    assert check_metadata("status: done", "m") == []
    assert [read_metadata("status: done", role).status for role in ("planner", "qa", "")] == [
        "planned", "implemented", "done",
    ]  # fmt: skip


def test_an_unknown_status_is_named_with_what_would_be_right() -> None:
    (finding,) = check_metadata("status: nearly", "m")
    assert (finding.where, finding.rule) == ("$.status", "return-meta/enum")
    assert all(word in finding.message for word in ("'nearly'", *FINISHED, "partial", "blocked", "in_progress"))


@named_cases("said, counters", {
    "the metadata first": (
        "metadata: {phases_completed: 1, phases_total: 3}\npartial_progress: {phases_completed: 2}", (1, 3),
    ),
    "the progress second": (
        "partial_progress: {phases_completed: 2}\nphases_total: 3\nphases_completed: 1", (2, 3),
    ),
    "the top last": ("phases_completed: [a, b]\nphases_total: '3'", (2, 3)),
    "half a phase": ("metadata: {phases_completed: 2.5, phases_total: 3}", (2.5, 3)),
    "half a phase over": ("metadata: {phases_completed: 3.5, phases_total: 3}", (3.5, 3)),
    "none of none": ("metadata: {phases_completed: 0, phases_total: 0}", (None, None)),
    "no total": ("metadata: {phases_completed: 2}", (2, None)),
    "null": ("metadata: {phases_completed: ~}", (None, None)),
    "nothing said": ("mood: good", (None, None)),
})  # fmt: skip
def test_counters_are_read_from_where_they_count(said: str, counters: tuple[float | None, float | None]) -> None:
    assert check_metadata(f"status: partial\n{said}", "m") == []
    metadata = read_metadata(f"status: partial\n{said}")
    assert (metadata.phases_completed, metadata.phases_total) == counters


@pytest.mark.parametrize("said", [
    "{phases_completed: 4, phases_total: 3}", "{phases_completed: 1, phases_total: 0}",
    "{phases_completed: -1, phases_total: 3}", "{phases_completed: true, phases_total: 3}",
    "{phases_completed: 1, phases_total: -3}", "{phases_completed: .nan}", "{phases_completed: .inf}",
    "{phases_completed: 4.5, phases_total: 3.9}",
])  # fmt: skip
def test_counters_that_cannot_be_are_one_finding(said: str) -> None:
    findings = check_metadata(f"status: partial\nmetadata: {said}", "m")
    assert [fault.where.partition("phases")[0] for fault in faults(findings)] == ["$.metadata."]


@pytest.mark.parametrize(
    "path", ["/tmp/a.md", "../a.md", "specs/../../a.md", "a/..", "~/a.md", "C:\\\\a.md", "..\\\\a.md"]
)
@pytest.mark.parametrize(("kind", "severity"), [
    ("plan", "error"), ("summary", "error"), ("handoff", "error"), ("report", "error"), ("research", "error"),
    ("implementation", "warning"), ("code", "warning"), ("picture", "warning"),
])  # fmt: skip
def test_a_path_out_of_the_project_is_a_fault_where_it_is_followed(path: str, kind: str, severity: str) -> None:
    text = f'{{"status": "partial", "artifacts": [{{"type": "{kind}", "path": "{path}"}}]}}'
    assert [(one.where, one.severity) for one in check_metadata(text, "m")] == [("$.artifacts[0].path", severity)]


@pytest.mark.parametrize(("path", "allowed"), [
    ("specs/42_x/handoffs/h.md", True), ("./h..md", True), ("..h/h.md", True),
    ("/h.md", False), ("../h.md", False),
])  # fmt: skip
def test_a_handoff_lies_in_the_project(path: str, allowed: bool) -> None:
    text = f'{{"status": "partial", "partial_progress": {{"handoff_path": "{path}"}}}}'
    assert (check_metadata(text, "m") == []) is allowed


def test_artifacts_are_told_by_type_path_and_summary() -> None:
    said = read_metadata(
        '{"status": "planned", "artifacts": ["a.md", {"path": "b.md", "type": "plan", "summary": "s"}]}'
    )
    assert said.artifacts == (Artifact("", "a.md", ""), Artifact("plan", "b.md", "s"))


def test_metadata_is_loaded_as_it_was_written_and_normalized_apart_from_that() -> None:
    assert load_data("status: Done", "return-meta") == {"status": "Done"}
    assert normalized_metadata("status: Done", "qa").value == {"status": "implemented"}
    with pytest.raises(JsonFault):
        normalized_metadata("{", "qa")


def test_a_finding_names_its_place_and_cuts_a_long_value() -> None:
    findings = check_metadata('{"status": "partial", "errors": [{"message": "m"}, {"message": 3}]}', "m.json")
    assert [(finding.where, finding.rule) for finding in findings] == [("$.errors[1].message", "return-meta/type")]
    assert len(check_metadata(f'{{"status": "{"x" * 5000}"}}', "m.json")[0].message) <= 300


@named_cases("said, expected", {
    "a sorry": ("sorry_count: 2\nfiles: [a]\nfiles_changed: [a]", "sorry_count is 2"),
    "a sorry in the metadata": ("metadata: {sorry_count: 1, files: [a]}\nfiles_changed: [a]", "sorry_count is 1"),
    "a failing verification": ("verification: failed", "its verification says failed"),
    "a nested verification": ("completion_data: {verification: {passed: false}}", "its verification says False"),
    "steps that resume": ("next_steps: Resume at phase 3", "its next steps are: Resume at phase 3"),
    "work that remains": ("next_steps: the remaining tests", "its next steps are: the remaining tests"),
    "some failures": ("verification: 10 failures", "its verification says 10 failures"),
    "nothing against it": ("sorry_count: 0\nverification: passed\nnext_steps: none", ""),
    "none failed": ("verification: '12 passed, 0 failed'", ""),
    "no failures": ("verification: no failures", ""),
})  # fmt: skip
def test_a_contradiction_to_finished_work_is_quoted(said: str, expected: str) -> None:
    assert read_metadata(f"status: implemented\n{said}\n").contradiction == expected


@named_cases("said, hard", {
    "a hard type": ("errors: [{type: missing_dependency, message: m}]", True),
    "a hard stage": ("partial_progress: {stage: mathematically_false}", True),
    "nothing recoverable": ("errors: [{type: other, message: m, recoverable: false}]", True),
    "a soft type": ("errors: [{type: timeout, message: m, recoverable: false}]", False),
    "one is recoverable": ("errors: [{type: other, message: m, recoverable: false}, {message: n}]", False),
    "no errors": ("errors: []", False),
})  # fmt: skip
def test_a_hard_blocker_is_one_only_a_person_can_lift(said: str, hard: bool) -> None:
    assert read_metadata(f"status: partial\n{said}\n").hard_blocker is hard
