"""What a run wrote and did not hand in is read as its own; what is another's is not."""

import json
from pathlib import Path
from typing import Any

import pytest

from bench import Bench

PLACE = "specs/42_subtract-numbers/.return-meta.json"
BLOCKED = {"status": "blocked", "errors": [{"message": "no database", "recoverable": False}]}


def end_with(bench: Bench, value: dict[str, Any] | str) -> Any:
    bench.edit({PLACE: value if isinstance(value, str) else json.dumps(value)})
    return bench.end()


def test_written_metadata_is_the_runs_and_that_is_told(implementing: Bench) -> None:
    step = end_with(implementing, BLOCKED)
    assert (step["rule"], "no database" in step["reason"]) == ("run/review-required", True)
    assert "did not hand it in" in implementing.journal.read_text()


@pytest.mark.parametrize("value", [
    {**BLOCKED, "metadata": {"session_id": "sess_1755_abcdef"}}, "no json", {"status": "maybe"},
], ids=["of another run", "unreadable", "invalid"])  # fmt: skip
def test_what_is_anothers_or_cannot_be_read_is_nobodys(value: dict[str, Any] | str, implementing: Bench) -> None:
    assert end_with(implementing, value)["rule"] == "implementation/no-return"


def test_what_another_tool_left_before_is_not_this_runs(bench: Bench) -> None:
    bench.commit({PLACE: json.dumps(BLOCKED)})
    bench.begin()
    assert (Path(bench.tree) / PLACE).exists()
    assert bench.end()["rule"] == "planning/missing"
    assert bench.git("show", f"{bench.folder.branch}:{PLACE}") == json.dumps(BLOCKED)


def test_what_was_handed_in_goes_before_what_was_written(implementing: Bench) -> None:
    implementing.edit({PLACE: json.dumps(BLOCKED)})
    assert implementing.work(1)["rule"] == "implementation/continue"
