"""What agents write in words of their own is brought into one form, and every change is told."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from baton.artifacts.kinds import is_valid, notes_on
from baton.artifacts.metadata import normalized_metadata
from baton.artifacts.normalize import COUNTERS, FINISHED_WORDS, FLATTENED, RESEARCHED_WORDS, normalize
from baton.artifacts.strict_json import JsonFault
from scale import QUICKLY


def read(**said: Any) -> dict[str, Any]:
    return normalize({"status": "partial", **said}).value


def notes(**said: Any) -> list[str]:
    return list(normalize({"status": "partial", **said}).notes)


@pytest.mark.parametrize("word", RESEARCHED_WORDS)
def test_a_word_for_research_is_researched_for_any_role(word: str) -> None:
    assert {normalize({"status": word}, role).value["status"] for role in ("", "planner", "qa")} == {"researched"}


@pytest.mark.parametrize("word", FINISHED_WORDS)
@pytest.mark.parametrize(("role", "status"), [
    ("planner", "planned"), ("implementer", "implemented"), ("qa", "implemented"),
    ("micro-delivery", "implemented"),
])  # fmt: skip
def test_a_word_for_success_is_the_success_of_the_role_sent_out(word: str, role: str, status: str) -> None:
    made = normalize({"status": word, "metadata": {"agent_type": "qa"}}, role)
    assert (made.value["status"], made.notes) == (status, (f"`status` {word}: read as {status}",))


@pytest.mark.parametrize(("agent", "status"), [
    ("planner", "planned"), ("baton:planner", "planned"), (" Baton:QA ", "implemented"),
    ("general-purpose", "done"), ("", "done"), (None, "done"), (3, "done"),
])  # fmt: skip
def test_without_a_known_role_the_metadata_names_its_own_or_the_word_stays(agent: Any, status: str) -> None:
    assert normalize({"status": "done", "metadata": {"agent_type": agent}}).value["status"] == status


@pytest.mark.parametrize(("said", "status"), [
    (" Partial\n", "partial"), ("IN_PROGRESS", "in_progress"), ("Done", "done"), ("in progress", "in progress"),
    ("weird", "weird"), (None, None), (["done"], ["done"]),
])  # fmt: skip
def test_only_case_and_blanks_of_another_status_are_fixed(said: Any, status: Any) -> None:
    assert normalize({"status": said}).value["status"] == status


@pytest.mark.parametrize("key", FLATTENED)
def test_a_flattened_field_is_moved_to_metadata(key: str) -> None:
    made = normalize({"status": "partial", key: "7"})
    assert key not in made.value
    assert str(made.value["metadata"][key]) == "7"
    assert made.notes[0] == f"`{key}` at the top: read as `metadata.{key}`"


def test_a_field_in_its_own_place_wins() -> None:
    assert notes(session_id="a", metadata={"session_id": "b"}) == []
    assert notes(phases_total=3, partial_progress={"phases_total": 2}) == []
    assert read(phases_total=3, metadata={"phases_total": None})["metadata"] == {"phases_total": 3}


@pytest.mark.parametrize(("said", "count"), [
    ([1, 2, 3], 3), ([], 0), ("4", 4), (" 12 ", 12), (2.5, 2.5), (0, 0),
    ("2.5", "2.5"), ("3/5", "3/5"), ("", ""), ("٤", "٤"), ("1" * 7, "1" * 7), (True, True), (-1, -1), (None, None),
    ({"a": 1}, {"a": 1}),
])  # fmt: skip
@pytest.mark.parametrize("place", ["metadata", "partial_progress"])
@pytest.mark.parametrize("counter", COUNTERS)
def test_lists_count_by_length_and_digits_by_value(said: Any, count: Any, place: str, counter: str) -> None:
    made = normalize({"status": "partial", place: {counter: said}})
    assert made.value[place] == {counter: count}
    assert len(made.notes) == (said != count)


@pytest.mark.parametrize(("said", "artifacts"), [
    (["a.md"], [{"path": "a.md"}]),
    ("a.md", [{"path": "a.md"}]),
    ({"plan": "a.md"}, [{"type": "plan", "path": "a.md"}]),
    ({"plan": ["a.md", "b.md"]}, [{"type": "plan", "path": "a.md"}, {"type": "plan", "path": "b.md"}]),
    ({"path": "a.md", "type": "plan"}, [{"path": "a.md", "type": "plan"}]),
    ([{"artifact_path": "a.md", "artifact_type": "plan"}], [{"path": "a.md", "type": "plan"}]),
    ([{"path": "a.md", "artifact_path": "b.md"}], [{"path": "a.md", "artifact_path": "b.md"}]),
    ([{"path": "a.md", "description": "d"}], [{"path": "a.md", "summary": "d"}]),
    ([{"path": "a", "description": "d", "summary": "s"}], [{"path": "a", "description": "d", "summary": "s"}]),
    ({"plan": {"deep": "a.md"}}, {"plan": {"deep": "a.md"}}),
    ([3, None], [3, None]),
    ({}, []),
], ids=["texts", "one text", "a path by its kind", "paths by their kind", "one alone", "names of another form",
        "a name of another form beside its own", "a description", "a description beside a summary",
        "what fits nowhere", "what is no artifact", "none"])  # fmt: skip
def test_artifacts_are_a_list_of_type_path_and_summary(said: Any, artifacts: Any) -> None:
    assert read(artifacts=said)["artifacts"] == artifacts


@pytest.mark.parametrize(("said", "kind"), [
    ("research", "report"), ("lean", "implementation"), ("Lean_Proof", "implementation"),
    ("source", "implementation"), ("code", "implementation"),
    ("report", "report"), ("sources", "sources"), ("clean", "clean"), (3, 3),
])  # fmt: skip
def test_an_artifacts_type_is_fixed_by_a_closed_table(said: Any, kind: Any) -> None:
    assert read(artifacts=[{"path": "a", "type": said}])["artifacts"] == [{"path": "a", "type": kind}]


@pytest.mark.parametrize(("said", "key", "expected"), [
    ({"partial_progress": "half"}, "partial_progress", {"details": "half"}),
    ({"errors": ["broke", {"message": "m"}]}, "errors", [{"message": "broke"}, {"message": "m"}]),
    ({"errors": "broke"}, "errors", [{"message": "broke"}]),
    ({"next_steps": ["a", "b"]}, "next_steps", "a; b"),
    ({"metadata": {"session_id": 17}}, "metadata", {"session_id": "17"}),
    ({"artifact_path": "a", "artifact_type": "plan"}, "artifacts", [{"path": "a", "type": "plan"}]),
])  # fmt: skip
def test_another_form_is_read_and_noted(said: dict[str, Any], key: str, expected: Any) -> None:
    made = normalize({"status": "partial", **said})
    assert made.value[key] == expected
    assert made.notes


@pytest.mark.parametrize("key", ["metadata", "partial_progress", "artifacts", "errors", "files_changed"])
def test_null_is_absent(key: str) -> None:
    assert key not in read(**{key: None})
    assert notes(**{key: None}) == [f"`{key}` null: read as absent"]


@pytest.mark.parametrize("said", [
    {"next_steps": ["a", 3]}, {"errors": [3]}, {"metadata": {"session_id": True}}, {"metadata": []},
    {"partial_progress": ["half"]}, {"requires_user_review": "perhaps"}, {"files_changed": 3},
    {"mood": "done", "extra": {"phases_completed": "3"}},
])  # fmt: skip
def test_a_field_that_no_table_names_stays_as_it_is(said: dict[str, Any]) -> None:
    assert normalize({"status": "partial", **said}) == ({"status": "partial", **said}, ())


def test_a_note_is_one_short_line() -> None:
    (note,) = notes(status="x\n" * 500 + "Y")
    assert (len(note.splitlines()), len(note) < 400) == (1, True)


@pytest.mark.parametrize("text", ["", "[]", "3", "just words", '"done"'])
def test_only_an_object_is_return_metadata(text: str) -> None:
    with pytest.raises(JsonFault, match="not an object"):
        normalized_metadata(text or "null")


def test_only_return_metadata_that_can_be_read_has_notes() -> None:
    assert notes_on("return-meta", "status: Partial") == ["`status` Partial: read as partial"]
    assert notes_on("return-meta", "{") == notes_on("return-meta", "[]") == notes_on("plan", "status: Done") == []


KEYS = st.sampled_from([
    "status", "metadata", "partial_progress", "artifacts", "errors", "next_steps", "files_changed", "session_id",
    "agent_type", "phases_completed", "phases_total", "artifact_path", "artifact_type", "path", "type",
    "description", "summary", "message", "details", "plan", "mood",
])  # fmt: skip
LEAVES = (
    st.none() | st.booleans() | st.integers(-9, 10**17) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=4) | st.sampled_from(["done", " Done ", "research_done", "code", "lean", "3", "baton:qa"])
)  # fmt: skip
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=12
)
METADATA = st.dictionaries(KEYS, VALUES, max_size=9)
ROLES = st.sampled_from(["", "planner", "implementer", "qa", "micro-delivery", "else"])


@QUICKLY
@given(value=METADATA, role=ROLES)
@example(value={"artifact_path": "a", "artifacts": {"status": []}}, role="")
@example(value={"status": "done", "artifacts": {"code": ["a"]}, "phases_completed": ["1"]}, role="qa")
def test_normalizing_twice_changes_and_notes_nothing(value: dict[str, Any], role: str) -> None:
    before = json.dumps(value)
    made = normalize(value, role)
    text = json.dumps(made.value, ensure_ascii=False)
    assert json.dumps(value) == before  # what was given is not changed
    assert normalized_metadata(text, role) == (made.value, ())
    assert all(len(note.splitlines()) == 1 for note in made.notes)


@QUICKLY
@given(value=METADATA, role=ROLES)
def test_metadata_is_valid_when_its_stored_form_is(value: dict[str, Any], role: str) -> None:
    stored = json.dumps(normalize(value, role).value)
    assert is_valid("return-meta", json.dumps(value)) == is_valid("return-meta", stored)
