"""What a judged run leaves: its work and the papers in one commit on the story branch."""

import shutil

import pytest

from baton.journal.events import Adopted
from bench import FOLDER, PLAN, STORY, VERDICT, Bench, PlayScene, Reach
from scenes import Play, push, work_of

pytestmark = pytest.mark.sampled(6)


@pytest.mark.parametrize(("stage", "kind", "text"), [
    ("planning", "plan", PLAN), ("judging", "qa-report", VERDICT.format("FAIL", "no docstring")),
])  # fmt: skip
def test_planner_and_qa_keep_only_what_they_handed_in(stage: str, kind: str, text: str, reach: Reach) -> None:
    bench = reach(stage)
    before = bench.git("rev-parse", f"{STORY}:calc.py")
    bench.edit({"calc.py": "TOUCHED = 1\n", "new.py": "NEW = 1\n", f"{FOLDER}/note.md": "n\n"})
    bench.hand_in(kind, text)
    assert bench.end()["agent"] == "baton:implementer"
    assert (work_of(bench), bench.git("rev-parse", f"{STORY}:calc.py")) == ([], before)
    assert bench.git("log", "--all", "--format=%h", "--", "new.py") == ""


def test_a_run_of_code_is_one_commit_with_all_that_lies_in_its_tree(implementing: Bench) -> None:
    tip = implementing.git("rev-parse", STORY)
    (implementing.tree / "tools/setup.sh").unlink()
    implementing.implement({"also.py": "D = 1\n"})
    assert work_of(implementing) == ["also.py", "calc.py", "test_calc.py", "tools/setup.sh"]
    assert implementing.git("rev-parse", f"{STORY}^@") == tip
    assert implementing.git("log", "-1", "--format=%B", STORY) == (
        "story 42: subtract, test it\n\nStory 42: Subtract numbers"
    )


def test_what_lies_in_the_checkout_is_no_part_of_it(implementing: Bench) -> None:
    implementing.write({"mine.txt": "mine\n", "calc.py": "MINE = 1\n"})
    implementing.git("add", "--all")
    implementing.work(1)
    assert work_of(implementing) == []
    assert implementing.changes == "M  calc.py\nA  mine.txt"


def test_what_a_run_changes_after_its_end_is_no_part_of_it(implementing: Bench) -> None:
    tree = implementing.tree
    implementing.edit({"calc.py": "SUB = 1\n"})
    implementing.meta("partial")
    (tree / "calc.py").write_text("LATE = 1\n")
    implementing.end()
    assert implementing.git("show", f"{STORY}:calc.py") == "SUB = 1"


def test_what_a_run_that_died_left_in_its_tree_is_its_work(implementing: Bench) -> None:
    implementing.edit({"calc.py": "SUB = 1\n", "new.py": "NEW = 1\n"})
    assert implementing.end()["rule"] == "implementation/no-return"
    assert work_of(implementing) == ["calc.py", "new.py"]


def test_a_tree_that_is_gone_leaves_the_run_without_work(implementing: Bench) -> None:
    implementing.edit({"calc.py": "SUB = 1\n"})
    shutil.rmtree(implementing.tree)
    assert implementing.next("--ended", implementing.run.id)["rule"] == "implementation/no-return"
    assert work_of(implementing) == []


# Others on the story branch


def test_commits_of_others_are_part_of_the_story_and_the_run_is_put_on_top(implementing: Bench) -> None:
    theirs = implementing.commit({"theirs.py": "T = 1\n"}, STORY)
    implementing.implement()
    assert implementing.git("rev-parse", f"{STORY}^") == theirs
    assert implementing.git("show", f"{STORY}:theirs.py", f"{STORY}:calc.py") == "T = 1\nSUB = 1"
    assert any(isinstance(event, Adopted) for event in implementing.state.events)


def test_what_a_strangers_commit_says_is_told_in_part_and_without_what_nobody_sees(implementing: Bench) -> None:
    tree = implementing.git("rev-parse", f"{STORY}^{{tree}}")
    said = implementing.git("commit-tree", "-p", STORY, "-m", "a\x1b[2J\u202e" + "b" * 5000, tree)
    implementing.git("update-ref", f"refs/heads/{STORY}", said)
    implementing.work(1)
    [told] = [event.reason for event in implementing.state.events if isinstance(event, Adopted)]
    assert (len(told) < 200, "[U+001B][2J[U+202E]bbb" in told) == (True, True)


def test_work_that_conflicts_with_theirs_is_kept_and_told(implementing: Bench) -> None:
    run = implementing.run.id
    implementing.edit({"calc.py": "SUB = 1\n", "kept.py": "K = 1\n"})
    implementing.commit({"calc.py": "THEIRS = 1\n"}, STORY)
    implementing.work(1)
    assert implementing.git("show", f"{STORY}:calc.py") == "THEIRS = 1"
    assert implementing.git("show", f"refs/baton/42/{run}:kept.py") == "K = 1"
    assert f"it conflicts with what others committed on {STORY} since it began, in calc.py" in implementing.brief


@pytest.mark.parametrize("option", ["continue", "retry"])
def test_a_branch_that_lost_commits_while_no_run_is_out_is_asked_about(option: str, play: PlayScene) -> None:
    bench, step = play("test/unclear")
    assert step["rule"] == "test/unclear"
    bench.git("branch", "--force", STORY, f"{STORY}^")
    assert bench.answer("retry")["rule"] == "run/head-moved"
    assert (bench.answer(option)["agent"] == "baton:qa") is (option == "retry")


def test_a_branch_that_is_gone_is_made_again(implementing: Bench) -> None:
    tip = implementing.git("rev-parse", STORY)
    implementing.git("branch", "--quiet", "-D", STORY)
    implementing.implement()
    assert implementing.git("rev-parse", f"{STORY}^") == tip


# What was accepted is what is judged


FAIL, PASS = (VERDICT.format(verdict, "seen") for verdict in ("FAIL", "PASS"))
# What was handed in, what somebody then does, and the rule that follows.
VERDICTS: dict[str, tuple[str, Play, str]] = {
    "a FAIL rewritten as a PASS": (FAIL, lambda bench: bench.place("qa-report").write_text(PASS), "qa/fail"),
    "a PASS rewritten as a FAIL": (PASS, lambda bench: bench.place("qa-report").write_text(FAIL), "close/done"),
    "a PASS committed over a FAIL": (FAIL, lambda bench: push(bench, "qa-report", PASS), "qa/fail"),
    "a PASS committed alone": ("", lambda bench: push(bench, "qa-report", PASS), "qa/no-verdict"),
    "a PASS planted in the program's copy": (
        "", lambda bench: bench.place("qa-report").write_text(PASS), "qa/no-verdict"),
    "a FAIL deleted": (FAIL, lambda bench: bench.place("qa-report").unlink(), "qa/fail"),
}  # fmt: skip


@pytest.mark.parametrize(("handed_in", "meddle", "rule"), VERDICTS.values(), ids=VERDICTS)
def test_the_verdict_handed_in_is_what_counts(handed_in: str, meddle: Play, rule: str, judging: Bench) -> None:
    if handed_in:
        judging.hand_in("qa-report", handed_in)
    meddle(judging)
    assert judging.end()["rule"] == rule


def test_metadata_changed_after_it_was_accepted_counts_as_it_was(implementing: Bench) -> None:
    implementing.meta("failed", errors=[{"message": "no network"}])
    path = implementing.place("return-meta")
    path.write_text(path.read_text().replace("failed", "implemented"))
    assert implementing.end()["rule"] == "run/failed"


def test_work_files_never_enter_git(judging: Bench) -> None:
    judging.judge()
    names = judging.git("ls-tree", "-r", "--name-only", "HEAD", "specs").splitlines()
    assert f"{FOLDER}/42.completion-report.md" in names
    assert [name for name in names if "/briefs/" in name or "/history/" in name or name.endswith(".json")] == []
    assert judging.changes == ""


def test_the_summary_has_an_entry_for_each_run(judging: Bench) -> None:
    judging.judge("FAIL", "no docstring")
    summary = next(judging.folder.path.glob("summaries/implementation-summary-*.md")).read_text()
    runs = [run.id for run in judging.state.runs[:3]]
    assert [line.split("`")[1] for line in summary.splitlines() if line.startswith("- `")] == runs
    assert "Phases closed: 2 of 2" in summary


@pytest.mark.parametrize(("stage", "last"), [
    ("micro", "micro/pass, no phases; integrate"), ("judging", "qa/pass, 2/2 phases; integrate"),
])  # fmt: skip
def test_a_summarys_entry_says_nothing_twice_and_counts_only_phases(stage: str, last: str, reach: Reach) -> None:
    bench = reach(stage)
    (bench.deliver if stage == "micro" else bench.judge)()
    summary = next(bench.folder.path.glob("summaries/*.md")).read_text(encoding="utf-8")
    assert summary.splitlines()[-1].endswith(f": {last}")
    assert ("Phases closed: no phases" in summary) == (stage == "micro")
