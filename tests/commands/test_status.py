"""The backlog as it is printed: what needs you first; whole, but for the client, which takes 6 KB."""

import pytest

from baton import __version__
from baton.commands.output import LIMIT_BYTES
from baton.commands.status import backlog_lines
from baton.story.status.backlog import Adoptable, Backlog, BacklogProblem, BacklogRow
from bench import Bench, PlayScene, Reach
from scenes import refuse, spend

ROW = {"id", "title", "phase", "status", "iteration", "updated"}
STATUSES = {"story": "new", "planning": "planning", "implementing": "implementing", "judging": "qa"}
BY_RULE = {
    "planning/approval": "asking",
    "qa/escalate": "escalated",
    "merge/done": "complete",
    "in-progress/abandoned": "abandoned",
}
STAGES = ["abandoned", "complete", "new", "running", "ended", "ready", "question"]


def row(story_id: str, stage: str, title: str = "Dark mode") -> BacklogRow:
    options = ["accept", "abandon"] if stage == "question" else []
    rule = "planning/approval" if stage == "question" else None
    at = "2026-01-02T03:04:05Z"
    return BacklogRow(
        story_id, title, "planning", stage, 0, at, 0, 0, None, stage, rule, options, f"baton next {story_id}"
    )


def shown(stories: list[BacklogRow], adoptable: int = 0, problems: int = 0) -> list[str]:
    specs = [Adoptable(f"specs/{n}_x", "X", f"baton story new --from specs/{n}_x", "") for n in range(adoptable)]
    return backlog_lines(
        Backlog(stories, specs, [BacklogProblem(str(n), "damaged " * 90) for n in range(problems)])
    )


def test_stories_that_need_you_come_first() -> None:
    lines = shown([row(stage, stage) for stage in STAGES], adoptable=1, problems=1)
    heads = [line for line in lines if line.isupper()]
    assert heads == ["NEEDS YOU (1)", "RUNNING (3)", "NEW (1)", "DONE (2)", "IMPORTABLE SPECS (1)", "ERRORS (1)"]


def test_a_question_is_shown_with_how_to_answer_it(play: PlayScene) -> None:
    bench, _ = play("planning/approval")
    heading, line, look, answer = bench.baton("status").out.splitlines()
    assert (heading, "(planning/approval, updated " in line) == ("NEEDS YOU (1)", True)
    assert look == "    baton question 42"
    assert answer.startswith("    baton answer 42 OPTION, one of: accept, ")


def test_a_finished_story_is_one_line_with_a_command_to_look() -> None:
    assert [len(shown([row("1", stage)])) for stage in ("complete", "new")] == [2, 3]
    assert shown([row("1", "complete")])[1].endswith(")  baton next 1")


@pytest.mark.parametrize(("stage", "waits"), [("ended", True), ("ready", True), ("running", False)])
def test_a_story_whose_next_step_nobody_takes_says_so(stage: str, waits: bool) -> None:
    assert ("waits for its next step" in shown([row("1", stage)])[1]) == waits


def test_everything_is_listed_but_in_the_client() -> None:
    lines = shown([row(f"{stage}{n}", stage, "é" * 500) for stage in STAGES for n in range(20)], 20, 20)
    assert [line for line in lines if "…" in line] == []
    assert sum("é" * 500 in line for line in lines) == 20 * len(STAGES)


def test_a_long_backlog_ends_with_whole_lines_and_where_the_rest_is(client: None) -> None:
    lines = shown([row(f"{stage}{n}", stage, "é" * 500) for stage in STAGES for n in range(20)], 20, 20)
    assert len("\n".join(lines).encode()) <= LIMIT_BYTES
    assert lines[0] == "NEEDS YOU (20)"
    assert lines[-1] == "… the rest: baton status --json"


def test_a_title_stays_one_line(client: None) -> None:
    lines = shown([row("1", "new", "two\nlines \x1b[31m" + "x" * 200)])
    assert (len(lines), "\x1b" in lines[1], "…" in lines[1]) == (3, False, True)


@pytest.mark.parametrize("stage", STATUSES)
def test_the_status_is_one_word_for_where_the_story_stands(stage: str, reach: Reach) -> None:
    row = reach(stage).baton("status", "42", "--json").json["stories"][0]
    assert set(row) >= ROW
    assert row["status"] == STATUSES[stage]


@pytest.mark.parametrize("rule", BY_RULE)
def test_the_status_says_how_it_stopped(rule: str, play: PlayScene) -> None:
    bench, _ = play(rule)
    assert bench.baton("status", "--json").json["stories"][0]["status"] == BY_RULE[rule]


def test_a_person_sees_progress_and_the_run_that_is_running(implementing: Bench) -> None:
    implementing.work(1)
    line, command = implementing.baton("status", "42").out.splitlines()
    assert line.startswith("42  implementing, 1/2 phases  Subtract numbers  (updated ")
    assert line.endswith(", running: implement, phase 2 of 2 (iter2))")
    assert command == "    baton next 42"


def test_without_a_story_the_way_to_begin_one_is_shown(bench: Bench) -> None:
    said = bench.baton("status").out
    assert said.startswith(f"baton {__version__}, and no story yet: `/implement`")
    assert bench.baton("status", "--json").json == {
        "stories": [], "adoptable": [], "problems": [], "pull_requests": [],
    }  # fmt: skip


@pytest.mark.parametrize("verb", ["status", "timeline", "question", "next"])
def test_a_story_that_is_not_there_is_one_line_naming_those_that_are(verb: str, story: Bench) -> None:
    line = f"baton: no story 7 at {story.root}: call again with one of: 42\n"
    assert story.baton(verb, "7").refused == line
    assert not (story.journal.parent.parent / "7").exists()


def test_a_story_says_what_it_spent_in_all_and_on_each_run(implementing: Bench) -> None:
    spend(implementing, 1_500_000)
    said = implementing.baton("status", "42").out
    used = "1.5M tokens in, cache 0 read and 0 written, at least 0 out"
    assert f"\n    iter1: claude-opus-5-5; {used}; 1 min;" in said
    assert "\n    spent: 1.5M tokens in" in said
    assert "\n    spent: 1.5M tokens in" in implementing.baton("status").out
    assert implementing.baton("status", "42", "--json").json["spending"][1]["usd"] == [6.0, 6.0]


def test_a_story_without_known_spending_shows_no_number(implementing: Bench) -> None:
    assert "spent" not in implementing.baton("status", "42").out


@pytest.mark.parametrize(("until", "told"), [("2999-01-02T03:04:05Z", True), ("2026-01-02T03:04:05Z", False)])
def test_a_story_that_waits_for_the_service_says_until_when(until: str, told: bool, implementing: Bench) -> None:
    refuse(implementing, until)
    for words in (("status",), ("status", "42")):
        assert (f"waits until {until}" in implementing.baton(*words).out) == told


def test_a_story_that_waits_for_another_says_for_which(implementing: Bench) -> None:
    said = implementing.baton("story", "new", "Tea", "--id", "43", "--criterion", "c", "--depends-on", "42")
    assert said.code == 0, said.err
    told = "waits for 42, which it depends on and which is implementing"
    for words in (("status",), ("status", "43")):
        assert f"\n    with `baton run` it {told}\n" in implementing.baton(*words).out
        rows = implementing.baton(*words, "--json").json["stories"]
        assert {row["id"]: row["held"] for row in rows}["43"] == told
    assert "waits for" not in implementing.baton("status", "42").out


def test_a_story_waits_for_none_that_is_over(judging: Bench) -> None:
    judging.baton("story", "new", "Tea", "--id", "43", "--criterion", "c", "--depends-on", "42")
    assert "waits for 42" in judging.baton("status").out
    judging.judge()
    assert "waits for" not in judging.baton("status").out
    judging.forget()
    assert judging.baton("status", "43", "--json").json["stories"][0]["held"] == ""
