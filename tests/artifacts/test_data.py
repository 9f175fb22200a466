"""Text that models write into YAML is read as it stands; all else is read as YAML or JSON."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.artifacts.data import CUT_OFF, load_data, text_keys, with_quotes
from baton.artifacts.strict_yaml import YamlFault

SCHEMA = "return-meta"
# What YAML reads otherwise, or not at all.
AWKWARD = [
    "`pytest -q`: 3 passed", "it says: not a time", "3 of 4 # the last is open", "no", "12:30", "2026-01-02",
    "[x] done", "{a} and {b}", "@decorated", "%d of them", "*star*", "&anchor", "!important", "> quoted", "0x1F",
    "- a dash", "? a question", '"said" and gone', "'s own", "a: b: c", "\\d+ \"x\"", "1_000", "…", "é: ü",
    "- [ ] open", "`a`", ": first", "# a heading", "PASS: see `x`", "| piped",
]  # fmt: skip
TEXT = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs"))).map(str.strip).filter(bool)


def details(yaml: str) -> object:
    return load_data(yaml, SCHEMA)["partial_progress"]["details"]


@pytest.mark.parametrize("text", AWKWARD)
def test_a_text_is_the_rest_of_its_line(text: str) -> None:
    assert details(f"partial_progress:\n  details: {text}\n  stage: x") == text
    assert load_data(f"files_changed:\n- a\n- {text}\nstatus: partial", SCHEMA)["files_changed"] == ["a", text]


@given(TEXT.filter(lambda text: not CUT_OFF.match(text)))
def test_any_line_is_read_back(text: str) -> None:
    read = load_data(f"next_steps: {text}\nstatus: partial", SCHEMA)
    assert read["status"] == "partial"
    quoted = (text[0] in "\"'" and text[-1] == text[0]) or text in ("null", "~") or text[0] in '|>"'
    assert quoted or read["next_steps"] == text


@pytest.mark.parametrize("text", ['"', '"and then'])
def test_a_text_that_was_cut_off_is_refused(text: str) -> None:
    with pytest.raises(YamlFault):
        load_data(f'next_steps: {text}\nstatus: "partial"', SCHEMA)


@pytest.mark.parametrize(("written", "read"), [
    ("details: |\n    a: 1\n    status: # x", "a: 1\nstatus: # x\n"), ("details: >-\n    a\n    b", "a b"),
    ('details: "a: \\"b\\""', 'a: "b"'), ("details: 'it''s'", "it's"), ("details: null", None), ("details:", None),
    ("details: a: b\n    and: more", "a: b\nand: more"), ("details:\n    a: b", "a: b"),
])  # fmt: skip
def test_blocks_quotes_and_longer_texts_are_read_as_meant(written: str, read: str | None) -> None:
    assert details(f"partial_progress:\n  {written}\n  stage: x\nstatus: partial") == read


def test_fields_that_are_no_text_are_read_as_yaml() -> None:
    read = load_data("status: partial # x\nmetadata:\n  phases_completed: 2\nrequires_user_review: true", SCHEMA)
    assert read == {"status": "partial", "metadata": {"phases_completed": 2}, "requires_user_review": True}
    assert load_data("files_changed: [a, 'b c']", SCHEMA) == {"files_changed": ["a", "b c"]}
    with pytest.raises(YamlFault, match="line 1"):
        load_data("metadata: a: b", SCHEMA)


def test_a_list_of_objects_may_hold_texts() -> None:
    errors = (
        "errors:\n  - message: a: b\n    recoverable: false\n  - it broke: twice\n  - type: timeout\nstatus: x"
    )
    assert load_data(errors, SCHEMA)["errors"] == [
        {"message": "a: b", "recoverable": False}, "it broke: twice", {"type": "timeout"},
    ]  # fmt: skip
    assert load_data("errors: it broke: twice", SCHEMA) == {"errors": "it broke: twice"}


@pytest.mark.parametrize(
    "fence", ["```json\n{}\n```", "```\n{}\n```\n", "~~~~yaml\n{}\n~~~~", "\n```yml\n{}\n```\n"]
)
def test_data_in_a_code_fence_is_read(fence: str) -> None:
    assert load_data(fence.format('{"status": "partial"}'), SCHEMA) == {"status": "partial"}


@given(st.recursive(st.none() | st.booleans() | st.integers(0, 9), lambda inner: st.dictionaries(TEXT, inner)))
def test_json_is_read_as_json(value: object) -> None:
    assert load_data(json.dumps({"": value}), SCHEMA) == {"": value}


@given(st.text())
def test_quoting_never_changes_what_has_no_keys_of_the_schema(text: str) -> None:
    if not any(name in text for names in text_keys(SCHEMA) for name in names):
        assert with_quotes(text, text_keys(SCHEMA)) == text
