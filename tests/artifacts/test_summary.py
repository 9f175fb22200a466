"""A summary says how far the story is, and has an entry for each run."""

import pytest

from baton.artifacts.summary import check_summary

HEAD = "Phases closed: 1 of 2\n\n## Phase Log\n\n"


def found(text: str) -> list[tuple[str, str]]:
    return [(one.where, one.rule.partition("/")[2]) for one in check_summary(text, "summary.md")]


@pytest.mark.parametrize(("entry", "is_one"), [
    ("- `42-iter-1`: implementation/continue, 1/2 phases. 3/4 of the tests pass", True),
    ("* **r1** — partial, 1 of 2 phases", True), ("+ r1: planning/valid, 0/2 phases.", True),
    ("- `r1` - qa/pass (2/2)", True), ("- `r1`: implementation/continue", False), ("- it went well, 1/2", False),
    ("- 1/2 phases", False), ("- ", False), ("- `r1`:", False),
])  # fmt: skip
def test_an_entry_has_the_run_its_phases_and_its_result_or_is_found_by_its_line(entry: str, is_one: bool) -> None:
    assert found(f"{HEAD}- `r1`: x, 0/2\n{entry} \n") == ([] if is_one else [("line 6", "entry")])


def test_lines_between_or_under_entries_are_no_entries() -> None:
    log = "As told by the runs:\n\n- `r1`: x, 1/2\n  - not this\n    and more\n\n```\n- nor this\n```\n"
    assert found(f"{HEAD}{log}") == []


@pytest.mark.parametrize(("text", "expected"), [
    ("## Phase Log\n\n- `r1`: x, 1/2\n", [("top", "no-count")]),
    ("Phases closed: 1 of 2\n", [("end", "no-log")]),
    (HEAD, [("line 3", "no-entry")]),
    ("Phases closed: 3 of 2\n\n## Phase Log\n\n- `r1`: x, 3/2\n", [("line 1", "count"), ("line 5", "count")]),
    ("**Phases closed:** 2/2\n\n### 1. 📜 Phase Log (all)\n\n- `r1`: x, 2/2\n", []),
    ("Phases closed: no phases\n\n## Phase Log\n\n- `r1`: x, no phases; integrate\n", []),
    ("Phases closed: none\n\n## Phase Log\n\n- `r1`: x, integrate\n", [("top", "no-count"), ("line 5", "entry")]),
])  # fmt: skip
def test_the_count_and_the_log_are_there(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected


def test_a_log_without_entries_is_only_a_warning() -> None:
    assert [one.severity for one in check_summary(HEAD, "summary.md")] == ["warning"]
