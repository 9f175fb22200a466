"""What commits say: what was done, in the project's form, or in one that its hooks take."""

import re
from types import SimpleNamespace
from typing import Any

import pytest

from acting import live
from baton.story.run.commit_message import story_message
from bench import DELIVERED, REPORT, SETTINGS, STORY, Bench
from scenes import Play, drive_to_judging

pytestmark = pytest.mark.sampled(6)

COMMITLINT = r"""grep -qE '^(feat|fix|chore)(\(.+\))?: [a-z]' "$1" || { echo "no conventional commit"; exit 1; }"""


def subjects(bench: Bench, *words: str) -> list[str]:
    return bench.git("log", "--reverse", "--format=%s", *(words or (f"main..{STORY}",))).splitlines()


def test_a_commit_says_what_its_run_says_it_did(implementing: Bench) -> None:
    implementing.implement(report=f"summary: Sub takes one number from another.\n{REPORT}")
    assert subjects(implementing)[-1] == "story 42: Sub takes one number from another"


def test_else_it_names_the_phases_that_were_closed_or_worked_on(implementing: Bench) -> None:
    implementing.edit({"a.py": "A = 1\n"})
    implementing.work(1)
    implementing.edit({"b.py": "B = 1\n"})
    implementing.work()
    assert subjects(implementing)[-2:] == ["story 42: subtract", "story 42: part of test it"]


@pytest.mark.parametrize(("pattern", "subject"), [
    ("feat({id}): {summary}", "feat(42): subtract, test it"),
    ("{summary} [{title}]", "subtract, test it [Subtract numbers]"),
])  # fmt: skip
def test_a_project_has_a_form_of_its_own(pattern: str, subject: str, bench: Bench) -> None:
    drive_to_judging(bench, f"{SETTINGS}commits: {{subject: '{pattern}'}}\n")
    assert subject in subjects(bench)
    bench.judge()
    assert subjects(bench, "-1", "main") == [
        pattern.format(id=42, title="Subtract numbers", summary="Subtract numbers")
    ]


@pytest.mark.parametrize("pattern", ["fix it", "{summary} {name}", "{summary}\\n", "{0} {summary}"])
def test_a_form_without_a_summary_or_with_another_name_is_refused(pattern: str, bench: Bench) -> None:
    bench.configure(f'{SETTINGS}commits: {{subject: "{pattern}"}}\n')
    assert "$.commits.subject" in bench.baton("story", "new", "A", "--criterion", "b").refused


def test_a_hook_for_conventional_commits_costs_no_run(implementing: Bench) -> None:
    implementing.hook("commit-msg", COMMITLINT)
    implementing.implement(report=f"summary: Sub works.\n{REPORT}")
    assert (implementing.run.role, subjects(implementing)[-1]) == ("qa", "feat: sub works")


def test_where_no_form_is_taken_you_are_asked_and_may_give_one(implementing: Bench) -> None:
    implementing.hook("commit-msg", 'grep -q "^BUG-7 " "$1" || { echo "name a ticket"; exit 1; }')
    step = implementing.implement()
    assert (step["rule"], "name a ticket" in step["reason"]) == ("run/message", True)
    implementing.configure(f"{SETTINGS}commits: {{subject: 'BUG-7 {{summary}}'}}\n")
    assert implementing.answer("accept")["agent"] == "baton:qa"
    assert subjects(implementing)[-1].startswith("BUG-7 ")


@pytest.mark.parametrize("says", [
    lambda bench: bench.implement(report=f"summary: Sub takes one from another\n{REPORT}"),
    lambda bench: bench.work(1, summary="Sub takes one from another"),
], ids=["report", "metadata"])  # fmt: skip
def test_what_you_accept_says_what_the_run_says_it_did(says: Play, implementing: Bench) -> None:
    implementing.hook("commit-msg", "exit 1")
    implementing.edit({"calc.py": "SUB = 1\n"})
    says(implementing)
    implementing.answer("accept")
    assert subjects(implementing)[-1] == "story 42: Sub takes one from another"


def test_what_you_accept_is_committed_without_the_hook(implementing: Bench) -> None:
    implementing.hook("commit-msg", "exit 1")
    implementing.implement()
    assert implementing.answer("accept")["agent"] == "baton:qa"
    assert "SUB = 1" in implementing.git("show", f"{STORY}:calc.py")


def test_a_run_that_changes_nothing_makes_no_commit(implementing: Bench) -> None:
    before = implementing.git("rev-parse", STORY)
    implementing.work()
    assert implementing.git("rev-parse", STORY) == before


def test_a_story_may_be_one_commit_on_base_and_be_undone(bench: Bench) -> None:
    drive_to_judging(bench, f"{SETTINGS}commits: {{squash: true}}\n")
    base = bench.git("rev-parse", "main")
    assert bench.judge()["action"] == "complete"
    assert (bench.git("rev-parse", "main^@"), bench.git("show", "main:calc.py")) == (base, "SUB = 1")
    assert bench.baton("undo", "42").code == 0
    assert bench.git("diff", "--name-only", base, "main") == ""
    assert "QA says PASS" in bench.git("log", "--format=%s", STORY)


@pytest.mark.parametrize("summary", ["A" * 200, "word " * 60])
def test_a_long_summary_is_cut_to_a_line(summary: str, implementing: Bench) -> None:
    implementing.implement(report=f"summary: {summary}\n{REPORT}")
    assert len(subjects(implementing)[-1]) <= 72


def test_nothing_acts_in_any_message_of_a_story(bench: Bench) -> None:
    words = "Fixes #5 of @octocat `[skip ci]` \u202e\u200b"
    bench.begin("--complexity", "1", title=f"Thing `closes #9` {words}")
    bench.edit({"calc.py": "SUB = 1\n", "test_calc.py": "TEST = 1\n"})
    bench.insist("micro-delivery-report", f'summary: "{words}"\n{DELIVERED.format("PASS", words)}')
    assert bench.end()["action"] == "complete"
    assert bench.baton("undo", "42").code == 0
    messages = bench.git("log", "-z", "--format=%B").split("\0")
    assert [live(re.sub("This reverts commit .*", "", message)) for message in messages] == [[]] * len(messages)


def test_a_fix_is_called_one(judging: Bench) -> None:
    judging.judge("FAIL", "no docstring")
    judging.implement({"calc.py": "SUB = 2\n"})
    assert subjects(judging)[-1] == "story 42: fix what QA found"


PLAIN = ("add x", f"{'x' * 50} deadbee1{'z' * 20}", f"feat: {'x' * 48} deadbee1{'z' * 20}")


@pytest.mark.parametrize(("title", "pattern", "summaries"), [
    *(("word " * 18 + tail, "{id}: {summary}", PLAIN) for tail in (
        "Signed-off-by: A <a@b.c>", "/lgtm now", "bors r+", "skip-checks: true", "!deploy x")),
    *(("no ci", pattern, ("no ci", "ci] x", "add x")) for pattern in (
        "[{summary}]", "{summary} [{title}]", "[skip {summary}", "[skip ci] {summary}")),
])  # fmt: skip
def test_nothing_acts_where_a_line_is_cut_or_filled(title: str, pattern: str, summaries: tuple[str, ...]) -> None:
    state, config = SimpleNamespace(created=SimpleNamespace(title=title)), SimpleNamespace(subject=pattern)
    story: Any = SimpleNamespace(id="42", state=state, settings=lambda: SimpleNamespace(config=config))
    for summary in summaries:
        message = story_message(story, summary)
        assert (live(message.text), live(message.fallback)) == ([], [])
        assert max(map(len, message.fallback.split("\n"))) <= 100
