"""What a run wrote and did not hand in is read as its own; what is another's is not."""

import json
from pathlib import Path
from typing import Any

import pytest

from bench import DELTA, HANDOFF, VERDICT, Bench
from scenes import drive_to_judging, push
from tables import named_cases

pytestmark = pytest.mark.sampled(14)

PLACE = "specs/42_subtract-numbers/.return-meta.json"
NOTE = f"{HANDOFF}as written\n"
DELTA_PLACE, INVALID = "specs/42_subtract-numbers/42.memory-delta.md", "# Notes\n- sub is not commutative\n"
BLOCKED = {"status": "blocked", "errors": [{"message": "no database", "recoverable": False}]}


def end_with(bench: Bench, value: dict[str, Any] | str) -> Any:
    bench.edit({PLACE: value if isinstance(value, str) else json.dumps(value)})
    return bench.end()


def test_written_metadata_is_the_runs_and_that_is_told(implementing: Bench) -> None:
    step = end_with(implementing, BLOCKED)
    assert (step["rule"], "no database" in step["reason"]) == ("run/review-required", True)
    assert "did not hand it in" in implementing.journal.read_text()
    assert implementing.trees == [implementing.root]


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


def leave(bench: Bench, *handed_in: str, written: str = "") -> Any:
    """Be QA and pass the work, with memory deltas that are handed in, and one that is only written."""
    for text in handed_in:
        bench.hand_in("memory-delta", text)
    bench.edit({DELTA_PLACE: written} if written else {})
    bench.insist("qa-report", VERDICT.format("PASS", "seen"))
    return bench.end()


@named_cases("handed_in, written, rule, kept", {
    "refused": ((INVALID,), "", "qa/delta-invalid", INVALID),
    "only written": ((), INVALID, "qa/delta-invalid", INVALID),
    "written well": ((), DELTA, "close/done", DELTA),
    "put right": ((INVALID, DELTA), "", "close/done", DELTA),
    "spoilt": ((DELTA, INVALID), "", "qa/delta-invalid", INVALID),
    "then empty": ((INVALID, " \n"), "", "qa/delta-invalid", INVALID),
    "handed in": ((DELTA,), INVALID, "close/done", DELTA),
    "unreadable": ((), "\0\n", "qa/delta-invalid", "UTF-16\n"),
})  # fmt: skip
def test_the_last_word_on_what_was_learned_counts(
    handed_in: tuple[str, ...], written: str, rule: str, kept: str, judging: Bench
) -> None:
    assert leave(judging, *handed_in, written=written)["rule"] == rule
    assert judging.place("memory-delta").read_text() == kept


@pytest.mark.parametrize("text", [f"{DELTA}".encode("utf-16"), DELTA.encode() + b"\xff", DELTA.encode() * 20_000])
def test_a_delta_that_was_handed_in_and_cannot_be_read_is_asked_for_again(text: bytes, judging: Bench) -> None:
    assert judging.hand_in("memory-delta", text).code == 2
    assert leave(judging)["rule"] == "qa/delta-invalid"


def test_a_delta_that_is_a_link_is_no_delta_and_is_asked_for_again(judging: Bench) -> None:
    (judging.tree / DELTA_PLACE).symlink_to("/etc/passwd")
    assert leave(judging)["rule"] == "qa/delta-invalid"
    assert leave(judging, DELTA)["rule"] == "close/done"


def test_what_was_learned_stays_when_qa_runs_again_and_says_nothing(judging: Bench) -> None:
    judging.hand_in("memory-delta", DELTA)
    judging.judge("FAIL", "no docstring")
    judging.implement()
    assert leave(judging)["rule"] == "close/done"
    assert judging.place("memory-delta").read_text() == DELTA


PASSED = VERDICT.format("PASS", "seen")
TAKEN_BACK: dict[str, tuple[str, str | bytes]] = {
    "its form": ("qa-report", "verdict: FAIL\n"),
    "a secret": ("qa-report", VERDICT.format("FAIL", f"found {'ghp' + '_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}")),
    "its letters": ("qa-report", b"verdict: FAIL \xff\n"),
    "metadata in no form": ("return-meta", '{"status": "failed", "errors": 7}'),
    "metadata in other letters": ("return-meta", b'{"status": "failed"}\xff'),
}


@pytest.mark.parametrize("why", TAKEN_BACK)
def test_a_pass_counts_no_more_once_another_report_was_refused_for(why: str, judging: Bench) -> None:
    assert judging.hand_in("qa-report", PASSED).code == 0
    assert judging.hand_in(*TAKEN_BACK[why]).code in (1, 2)
    step = judging.end()
    assert (step["rule"], judging.git("log", "-1", "--format=%s", "main")) == ("qa/no-verdict", "first")
    assert judging.judge()["rule"] == "close/done"


@pytest.mark.parametrize(("status", "rule"), [
    ("blocked", "run/blocked"), ("failed", "run/failed"), ("partial", "qa/no-verdict"),
    ("in_progress", "qa/no-verdict"), ("implemented", "close/done"),
])  # fmt: skip
def test_a_pass_counts_no_more_once_its_run_says_it_is_not_done(status: str, rule: str, judging: Bench) -> None:
    assert judging.hand_in("qa-report", PASSED).code == 0
    assert judging.meta(status, errors=[{"message": "no database"}]).code == 0
    assert judging.end()["rule"] == rule


def test_who_passes_the_work_hears_of_its_delta_and_may_take_it_back(judging: Bench) -> None:
    judging.edit({DELTA_PLACE: INVALID})
    said = judging.hand_in("qa-report", VERDICT.format("PASS", "seen"))
    assert (said.code, "qa/delta-invalid" in said.out, "artefact_type" in said.out) == (1, True, True)
    (judging.tree / DELTA_PLACE).unlink()
    assert judging.judge()["rule"] == "close/done"


@pytest.mark.parametrize("artifacts", ["commit", "local"])
def test_who_is_to_fix_a_delta_and_says_nothing_has_not_fixed_it(artifacts: str, bench: Bench) -> None:
    bench.settle("", f"artifacts: {artifacts}")
    drive_to_judging(bench)
    assert [leave(bench, INVALID)["rule"], bench.end()["rule"]] == ["qa/delta-invalid"] * 2
    assert leave(bench, written=DELTA)["rule"] == "close/done"


def test_what_the_user_commits_in_its_place_goes_before(judging: Bench) -> None:
    judging.hand_in("memory-delta", INVALID)
    push(judging, "memory-delta", DELTA)
    assert leave(judging)["rule"] == "close/done"


def test_what_qa_learned_beside_a_fail_is_told(judging: Bench) -> None:
    judging.hand_in("memory-delta", INVALID)
    judging.judge("FAIL", "no docstring")
    assert "the last `memory-delta` of the run before was refused" in judging.brief
    judging.implement()
    assert "/42.memory-delta.md`" in judging.brief


BY_PATH = {"partial_progress": {"handoff_path": "notes/next.md"}}
BY_LIST = {"artifacts": [{"type": "handoff", "path": "notes/next.md", "summary": "next"}]}


@pytest.mark.parametrize(("handed_in", "names", "read", "told"), [
    ("", BY_PATH, NOTE, "wrote `notes/next.md` and did not hand it in"),
    ("# Note\n", BY_LIST, NOTE, "wrote `notes/next.md` and did not hand it in"),
    ("# Note\n", {}, "# Note\n", "refused, and is taken as it stands: stdin:end: section missing"),
    (HANDOFF, BY_PATH, HANDOFF, ""),
], ids=["named", "refused, then named", "refused", "handed in"])  # fmt: skip
def test_the_last_word_to_the_next_run_is_read(
    handed_in: str, names: dict[str, Any], read: str, told: str, implementing: Bench
) -> None:
    implementing.edit({"notes/next.md": NOTE})
    assert not handed_in or implementing.hand_in("handoff", handed_in).json
    implementing.work(1, **names)
    path = implementing.state.runs[-2].handed_in["handoff"].path
    assert f"read `{path}` first" in implementing.brief
    assert (implementing.tree / path).read_text() == read
    assert (told in implementing.brief, "Warning: " in implementing.brief) == (True, bool(told))
