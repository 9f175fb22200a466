"""What is written when a story closes."""

import pytest

from bench import VERDICT, Bench


def close_with(bench: Bench, old: str, new: str) -> str:
    """Change the story's file on the way, close the story, and give the file as it was merged."""
    path = bench.place("story")
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    assert bench.judge()["action"] == "complete"
    return bench.git("show", "main:specs/42_subtract-numbers/story.md")


def test_only_the_status_of_the_front_matter_is_written(judging: Bench) -> None:
    text = close_with(judging, "# Subtract numbers\n", "# Subtract numbers\n\nstatus: as it was\n")
    assert "\nstatus: complete\n---\n" in text
    assert "\nstatus: as it was\n" in text


def test_a_story_without_a_status_gets_one(judging: Bench) -> None:
    text = close_with(judging, "status: new\n---\n", "---\n\nstatus: as it was\n")
    assert text.startswith("---\nstatus: complete\nid: ")
    assert "\nstatus: as it was\n" in text


def test_a_story_without_front_matter_is_refused_in_one_line(judging: Bench) -> None:
    text = judging.place("story").read_text(encoding="utf-8")
    judging.place("story").write_text(text.split("---\n", 2)[2], encoding="utf-8")
    judging.hand_in("qa-report", VERDICT.format("PASS", "seen"))
    said = judging.baton("next", "42", "--ended", judging.run.id)
    assert (said.code, said.err.startswith("baton: no front matter at ")) == (2, True)


@pytest.mark.parametrize(
    ("row", "shown"),
    [("| AC1 | PASS | ran it |", "PASS, ran it"), ("- AC1: PASS, seen in the log", "PASS, seen in the log")],
    ids=["a table", "a list"],
)
def test_the_report_says_how_each_criterion_was_seen(row: str, shown: str, judging: Bench) -> None:
    judging.hand_in("qa-report", f"Verdict: PASS\n## Acceptance Criteria\n{row}\n{row.replace('AC1', 'AC2')}\n")
    judging.end()
    report = judging.place("completion-report").read_text(encoding="utf-8")
    assert f"- AC1: sub(3, 2) is 1 — {shown}\n" in report


def test_the_report_counts_runs_and_names_errors(implementing: Bench) -> None:
    implementing.work(1, errors=[{"type": "test", "message": "red"}])
    implementing.implement()
    implementing.judge()
    report = implementing.place("completion-report").read_text(encoding="utf-8")
    assert "- planning: 1\n- implementation: 2\n- qa: 1\n" in report
    assert "- test: red\n" in report
