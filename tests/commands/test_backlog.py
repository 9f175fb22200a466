"""The backlog as it is printed: what needs someone first, and all of it in 6 KB."""

import pytest

from baton.commands.backlog import backlog_lines
from baton.commands.output import LIMIT_BYTES
from baton.story.backlog import Adoptable, Backlog, Problem, Row
from bench import PlayScene

STAGES = ["abandoned", "complete", "new", "out", "ended", "decided", "question"]


def row(story_id: str, stage: str, title: str = "Dark mode") -> Row:
    options = ["accept", "abandon"] if stage == "question" else []
    rule = "planning/approval" if stage == "question" else None
    at = "2026-01-02T03:04:05Z"
    return Row(
        story_id, title, "planning", stage, 0, at, 0, 0, None, stage, rule, options, f"baton next {story_id}"
    )


def shown(stories: list[Row], adoptable: int = 0, problems: int = 0) -> list[str]:
    specs = [Adoptable(f"specs/{n}_x", "X", f"baton story new --from specs/{n}_x", "") for n in range(adoptable)]
    return backlog_lines(Backlog(stories, specs, [Problem(str(n), "damaged " * 90) for n in range(problems)]))


def test_what_waits_for_a_person_comes_first_and_what_is_over_last() -> None:
    lines = shown([row(stage, stage) for stage in STAGES], adoptable=1, problems=1)
    heads = [line.split()[0] for line in lines if line[0].isupper()]
    assert heads == ["WAITING", "READY", "RUNNING", "NEW", "UNREADABLE", "SPECS", "OVER"]


def test_a_question_is_shown_with_how_to_answer_it(play: PlayScene) -> None:
    bench, _ = play("planning/approval")
    heading, line, look, answer = bench.baton("status").out.splitlines()
    assert (heading, "(planning/approval, updated " in line) == ("WAITING for a person", True)
    assert look == "    baton escalation 42"
    assert answer.startswith("    baton answer 42 OPTION, one of: accept, ")


def test_what_is_over_is_short() -> None:
    assert [line[:1] for line in shown([row(str(n), "complete") for n in range(9)])] == ["O", *"0123", "…"]
    assert shown([row("1", "new")])[-1] == "    baton next 1"


@pytest.mark.parametrize("stage", STAGES)
def test_of_many_the_first_are_shown_and_the_rest_counted(stage: str) -> None:
    lines = shown([row(str(n), stage) for n in range(50)])
    kept = sum(line.startswith(tuple("0123456789")) for line in lines)
    assert lines[-1] == f"… and {50 - kept} more: baton status --json"


def test_a_long_backlog_ends_with_whole_lines_and_where_the_rest_is() -> None:
    lines = shown([row(f"{stage}{n}", stage, "é" * 500) for stage in STAGES for n in range(20)], 20, 20)
    assert len("\n".join(lines).encode()) <= LIMIT_BYTES
    assert lines[0] == "WAITING for a person"
    assert lines[-1] in ("… the rest: baton status --json", "… and 16 more: baton status --json")


def test_a_title_stays_one_line() -> None:
    lines = shown([row("1", "new", "two\nlines \x1b[31m" + "x" * 200)])
    assert (len(lines), "\x1b" in lines[1], "…" in lines[1]) == (3, False, True)
