"""What you are told of a run that ended: one line in plain words, without ids or anything hidden."""

import re

import pytest

from baton.journal.events import Judged
from baton.rules.pages import story_tables
from baton.story.ask.step import Step
from baton.story.run.end_line import LINE_LENGTH, outcome_of, run_end_line
from baton.story.run.progress import LABEL_LENGTH, in_plain, label_of
from bench import Bench, PlayScene
from scenes import start_agent

JUDGE = ("run", "planning", "implementation", "report", "qa", "micro")
# What a person need not understand: ids of runs and commits, names of rules and files.
JARGON = re.compile(r"sess_|[0-9a-f]{8}|\b[a-z]+/[a-z-]+|\.md\b|metadata")


def end_line(bench: Bench, run: int, action: str = "spawn", reason: str = "") -> str:
    """Say what is told of a run of this story that was judged."""
    state = bench.state
    return run_end_line(state, state.runs[run], Step("42", "planning", action, "some/rule", reason))


@pytest.mark.parametrize(("title", "task", "label"), [
    ("dark mode", "plan", "42 dark mode: plan"),
    ("dark mode", "implement, phase 3 of 4", "42 dark mode: implement, phase 3 of 4"),
    ("two\nlines\u200b", "QA, try 2", "42 two lines[U+200B]: QA, try 2"),
    ("x" * 90, "implement in one run", f"42 {'x' * 34}…: implement in one run"),
    ("dark", "implement, phase \x1b2 of 4", "42 dark: implement, phase [U+001B]2 of 4"),
])  # fmt: skip
def test_a_label_is_one_short_line(title: str, task: str, label: str) -> None:
    assert label_of("42", title, task) == label
    assert (len(label) <= LABEL_LENGTH, label.isprintable()) == (True, True)


@pytest.mark.parametrize(("text", "shown"), [
    ("run sess_1771355557_680126_iter2 of it", "run a run of it"), ("merged as 0123456789ab", "merged as 0123456"),
    ("a\u202eb\r\nc", "a[U+202E]b c"), ("effaced 12 decades, session 3", "effaced 12 decades, session 3"),
])  # fmt: skip
def test_what_is_told_has_no_long_ids_and_nothing_hidden(text: str, shown: str) -> None:
    assert in_plain(text) == shown


def test_no_outcome_names_rules_or_findings() -> None:
    rows = [row for table in story_tables() if table.phase in JUDGE for row in table.rows]
    rules = [row.rule for row in rows if "{findings}" in row.reason]
    assert len(rules) > 8
    judged = [Judged("r", rule, "spawn", "", "x.md: [plan/section]", closed=1, total=2) for rule in rules]
    assert [outcome_of(event) for event in judged if JARGON.search(outcome_of(event))] == []


def test_what_qa_says_is_told_in_its_own_words() -> None:
    assert outcome_of(Judged("r", "qa/fail", "spawn", "", "QA failed the story: no\ndocs")).endswith(": no docs")


# What each run is for


def test_each_run_of_a_story_says_what_it_is_for_and_a_second_try_so(judging: Bench) -> None:
    assert judging.end()["label"] == "42 Subtract numbers: QA, try 2"
    judging.judge("FAIL", "no docstring")
    tasks = [run.dispatched.task for run in judging.state.runs]
    assert tasks == ["plan", "implement, phase 1 of 2", "QA", "QA, try 2", "implement, fix what QA found"]


# What came of it, and what follows


def test_after_a_part_of_the_work_the_next_part_follows(implementing: Bench) -> None:
    implementing.work(1)
    line = end_line(implementing, -2)
    assert re.fullmatch(
        r"42 Subtract numbers: implement, phase 1 of 2 ended in \d+ (?:min|s)(?: \d+ s)? — 1 of 2 phases are done"
        r"; next: implement, phase 2 of 2", line,
    )  # fmt: skip


def test_a_run_that_is_lost_is_sent_again_and_that_is_said(implementing: Bench) -> None:
    implementing.end()
    assert end_line(implementing, -2).endswith(
        " — it was lost: nothing was handed in; next: implement, phase 1 of 2, once more"
    )


def test_what_fails_at_the_merge_is_why_the_next_run_starts(play: PlayScene) -> None:
    bench, _ = play("fix/run")
    judged = [at for at, run in enumerate(bench.state.runs) if run.judged and run.role == "qa"]
    line = end_line(bench, judged[-1])
    assert re.search(r" — QA passed every criterion; .+; next: implement, fix what fails$", line)


@pytest.mark.parametrize(("rule", "ends"), {
    "planning/approval": "; it asks you: Should this plan be carried out?",
    "merge/done": "; merged into main",
    "integrate/branch": "; ready on its branch",
}.items())  # fmt: skip
def test_where_no_run_follows_it_says_what_does(rule: str, ends: str, play: PlayScene) -> None:
    bench, _ = play(rule)
    last = max(at for at, run in enumerate(bench.state.runs) if run.judged)
    assert end_line(bench, last).endswith(ends)


def test_what_is_waited_for_is_said(judging: Bench) -> None:
    judging.judge("FAIL", "no docstring")
    line = end_line(judging, -2, "wait", "the commands on\nmain run")
    assert line.endswith("; it waits: the commands on main run")


def test_however_much_a_run_says_it_is_one_line(judging: Bench) -> None:
    judging.judge("FAIL", "日\u202e sess_1_a_qa1 " * 2_000)
    line = end_line(judging, -2)
    assert (len(line) <= LINE_LENGTH, line.isprintable(), "sess_" in line) == (True, True, False)
    assert line.endswith("; next: implement, fix what QA found")


def test_an_agent_that_was_started_twice_has_one_end(implementing: Bench) -> None:
    start_agent(implementing, "a1")
    assert not implementing.run.ended_at
    assert implementing.tree
    implementing.meta("partial")
    at = implementing.run.ended_at
    implementing.end()
    assert (bool(at), implementing.state.runs[-2].ended_at) == (True, at)
