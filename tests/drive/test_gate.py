"""Who commits what, and that nothing of the user's is ever part of it."""

import subprocess

import pytest

from bench import HANDOFF, PLAN, REPORT, VERDICT, Bench
from scenes import start_agent

FOLDER = "specs/42_subtract-numbers"
USERS = {"mine.txt": "mine\n", "notes/ü.md": "notes\n", "secret.log": "ignored\n"}


def test_the_planning_gate_commits_the_storys_folder_only(planning: Bench) -> None:
    planning.write({"calc.py": "TOUCHED = 1\n", "new.py": "NEW = 1\n"})
    planning.hand_in("plan", PLAN)
    assert planning.end()["rule"] == "any/touched-code"
    assert {name.split("/")[1] for name in planning.committed()} == {"42_subtract-numbers"}


def test_the_qa_gate_commits_the_storys_folder_only(judging: Bench) -> None:
    judging.write({"calc.py": "TOUCHED = 1\n", "new.py": "NEW = 1\n"})
    judging.hand_in("qa-report", VERDICT.format("PASS", "seen"))
    assert judging.end()["rule"] == "any/touched-code"
    assert [name for name in judging.committed() if not name.startswith(FOLDER)] == []


def test_once_what_qa_touched_is_put_back_the_story_goes_on(judging: Bench) -> None:
    judging.write({"calc.py": "TOUCHED = 1\n"})
    judging.judge()
    said = judging.baton("answer", "42", "continue")
    assert (said.code, "the changes are still there: calc.py" in said.err) == (2, True)
    judging.git("restore", "calc.py")
    assert judging.answer("continue")["action"] == "complete"


def test_what_qa_touched_is_committed_once_a_person_accepts_it(judging: Bench) -> None:
    judging.write({"calc.py": "TOUCHED = 1\n"})
    judging.judge()
    assert judging.answer("accept")["action"] == "complete"
    assert judging.git("show", "main:calc.py") == "TOUCHED = 1"


def test_the_implementation_gate_commits_tracked_changes_and_declared_files(implementing: Bench) -> None:
    (implementing.root / "tools/setup.sh").unlink()
    implementing.hand_in("handoff", HANDOFF)
    implementing.implement({"also.py": "D = 1\n"}, REPORT.replace("`test_calc.py`", "`test_calc.py`, `also.py`"))
    outside = [name for name in implementing.committed() if not name.startswith(FOLDER)]
    assert outside == ["also.py", "calc.py", "test_calc.py", "tools/setup.sh"]


def test_the_implementation_gate_commits_nothing_that_was_not_declared(implementing: Bench) -> None:
    implementing.meta("partial")
    implementing.write({"late.py": "LATE = 1\n", "calc.py": "SUB = 1\n"})
    implementing.git("add", "late.py")
    implementing.end()
    assert [name for name in implementing.committed() if not name.startswith(FOLDER)] == ["calc.py"]
    assert (implementing.root / "late.py").read_text() == "LATE = 1\n"


def test_an_agent_that_stages_everything_takes_nothing_of_the_users(story: Bench) -> None:
    story.write({"mine.txt": "mine\n"})
    story.next()
    story.plan()
    story.git("add", "--all")
    story.work(1)
    assert story.git("log", "--all", "--format=%h", "--", "mine.txt") == ""
    assert story.changes == "?? mine.txt"


def test_a_run_that_changed_nothing_is_committed_with_its_story_alone(implementing: Bench) -> None:
    implementing.work(1)
    assert all(name.startswith(FOLDER) for name in implementing.committed())


def test_a_commit_names_its_run(implementing: Bench) -> None:
    run = implementing.run.id
    implementing.work(1)
    message = implementing.git("log", "-1", "--format=%B")
    assert message == f"story 42: implementation\n\nSubtract numbers\n\nBaton-Run: {run}"


def test_through_a_whole_story_the_users_files_stay_as_they_were(story: Bench) -> None:
    story.write(USERS)
    before = {name: (story.root / name).read_bytes() for name in USERS}
    story.next()
    story.plan()
    story.implement()
    assert story.judge()["action"] == "complete"
    assert {name: (story.root / name).read_bytes() for name in USERS} == before
    assert story.git("log", "--all", "--format=%h", "--", *USERS) == ""


def test_through_a_whole_story_stashes_and_other_branches_stay_as_they_were(story: Bench) -> None:
    story.write({"calc.py": "STASHED = 1\n"})
    story.git("stash")
    story.git("branch", "feature")
    refs = "for-each-ref", "refs/stash", "refs/heads/feature"
    before = story.git(*refs)
    story.next()
    story.plan()
    story.implement()
    assert story.judge()["action"] == "complete"
    assert story.git(*refs) == before


def test_work_files_never_enter_git(judging: Bench) -> None:
    judging.judge()
    names = judging.git("ls-tree", "-r", "--name-only", "HEAD", "specs").splitlines()
    assert f"{FOLDER}/42.completion-report.md" in names
    assert [name for name in names if "/briefs/" in name or "/history/" in name or name.endswith(".json")] == []
    assert judging.changes == ""


def test_the_summary_has_an_entry_for_each_run(judging: Bench) -> None:
    judging.judge("FAIL", "no docstring")
    summary = next(judging.folder.path.glob("summaries/implementation-summary-*.md")).read_text(encoding="utf-8")
    runs = [run.id for run in judging.state.runs[:3]]
    assert [line.split("`")[1] for line in summary.splitlines() if line.startswith("- `")] == runs
    assert "Phases closed: 2 of 2" in summary


# What git refuses


REFUSE = "grep -rq TODO calc.py || exit 0; echo no TODO may be committed >&2; exit 1"


def test_what_a_commit_hook_says_is_a_finding_for_the_next_run(implementing: Bench) -> None:
    implementing.hook("pre-commit", REFUSE)
    step = implementing.implement({"calc.py": "TODO = 1\n"})
    assert (step["rule"], step["agent"]) == ("report/invalid", "baton:implementer")
    assert (
        "git refuses to commit this work, the story's own files with it: no TODO may be committed"
        in implementing.brief
    )
    step = implementing.implement({"calc.py": "DONE = 1\n"})
    assert step["rule"] == "report/valid"
    assert "calc.py" in implementing.committed()


def test_work_that_goes_on_may_be_committed_by_a_later_gate(implementing: Bench) -> None:
    implementing.hook("pre-commit", REFUSE)
    implementing.write({"calc.py": "TODO = 1\n"})
    assert implementing.work(1)["rule"] == "loop/continue"
    assert "no TODO may be committed" in implementing.brief
    implementing.write({"calc.py": "DONE = 1\n"})
    implementing.work(2)
    assert "calc.py" in implementing.committed()


def test_a_hook_that_never_agrees_ends_with_a_person(implementing: Bench) -> None:
    implementing.hook("pre-commit", REFUSE)
    implementing.implement({"calc.py": "TODO = 1\n"})
    step = implementing.implement({"calc.py": "TODO = 2\n"})
    assert step["rule"] == "report/exhausted"
    assert "no TODO may be committed" in step["reason"]


def test_a_plan_that_a_hook_refuses_is_planned_again(planning: Bench) -> None:
    planning.hook("commit-msg", "echo name a ticket >&2; exit 1")
    assert planning.plan()["rule"] == "planning/invalid"
    assert "name a ticket" in planning.brief
    assert planning.plan()["rule"] == "planning/exhausted"


def test_what_the_program_commits_does_not_repeat_what_a_hook_refused(micro: Bench) -> None:
    lines = "git diff --cached -U0 | grep -q '^+.*TODO' || exit 0; echo lines with TODO are refused >&2; exit 1"
    micro.hook("pre-commit", lines)
    assert micro.deliver(files={"calc.py": "TODO = 1\n"})["rule"] == "micro/fail"
    assert micro.deliver(files={"calc.py": "DONE = 1\n"})["action"] == "complete"


def test_a_hook_does_not_speak_for_qa(judging: Bench) -> None:
    judging.hook("commit-msg", "echo name a ticket >&2; exit 1")
    step = judging.judge()
    assert (step["rule"], "name a ticket" in step["reason"]) == ("close/refused", True)
    (judging.root / ".git/hooks/commit-msg").unlink()
    assert judging.answer("retry")["action"] == "complete"


def test_a_small_story_that_a_hook_refuses_does_not_pass(micro: Bench) -> None:
    micro.hook("pre-commit", REFUSE)
    assert micro.deliver(files={"calc.py": "TODO = 1\n"})["rule"] == "micro/fail"
    assert "no TODO may be committed" in micro.brief
    assert micro.deliver()["action"] == "complete"


def test_a_run_that_was_given_up_leaves_what_the_hook_said(implementing: Bench) -> None:
    implementing.hook("pre-commit", REFUSE)
    implementing.write({"calc.py": "TODO = 1\n"})
    for agent in ("a1", "a2", "a3"):
        start_agent(implementing, agent)
    implementing.next()
    implementing.answer("retry")
    assert "git refuses to commit the work so far: no TODO may be committed" in implementing.brief


def test_a_locked_index_is_told_in_one_line(implementing: Bench) -> None:
    (implementing.root / ".git/index.lock").touch()
    implementing.meta("partial")
    said = implementing.baton("next", "42", "--ended", implementing.run.id)
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert said.err.startswith("baton: git is locked here by ")


def test_a_folder_that_git_came_to_ignore_is_told_in_one_line(planning: Bench) -> None:
    planning.hand_in("plan", PLAN)
    (planning.root / ".git/info").mkdir(exist_ok=True)
    planning.write({".git/info/exclude": "specs/\n"})
    said = planning.baton("next", "42", "--ended", planning.run.id)
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert "ignored by one of your .gitignore files" in said.err


@pytest.mark.parametrize("setting", ["commit.gpgsign=true", "user.useConfigOnly=true"])
def test_a_commit_git_cannot_make_is_told_in_one_line(
    setting: str, implementing: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    implementing.meta("partial")
    for name in ("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"):
        monkeypatch.delenv(name)
    subprocess.run(("git", "config", *setting.split("=")), cwd=implementing.root, check=True)
    subprocess.run(("git", "config", "gpg.program", "false"), cwd=implementing.root, check=True)
    said = implementing.baton("next", "42", "--ended", implementing.run.id)
    assert (said.code, said.err.count("\n")) == (2, 1)


def test_a_planner_is_not_sent_out_over_work_that_a_hook_refused(implementing: Bench) -> None:
    implementing.hook("pre-commit", REFUSE)
    implementing.write({"calc.py": "TODO = 1\n"})
    implementing.work(status="blocked")
    implementing.baton("answer", "42", "replan")
    said = implementing.baton("next", "42")
    assert (said.code, "uncommitted changes to tracked files: calc.py" in said.err) == (2, True)
    implementing.git("restore", "--staged", "--worktree", "calc.py")
    assert implementing.next()["agent"] == "baton:planner"


def test_a_small_story_that_cannot_be_committed_is_not_planned_over_it(micro: Bench) -> None:
    micro.hook("pre-commit", REFUSE)
    assert micro.deliver("ESCALATE", "too large", {"calc.py": "TODO = 1\n"})["rule"] == "micro/fail"
    assert ["too large" in micro.brief, "no TODO may be committed" in micro.brief] == [True, True]


def test_a_repository_in_the_repository_is_a_finding(implementing: Bench) -> None:
    (implementing.root / "vendor").mkdir()
    implementing.git("init", "--quiet", "vendor")
    said = implementing.meta("partial", files_changed=["vendor/", "vendor"])
    assert (said.code, said.json["findings"][0]["path"]) == (1, "vendor/")
    assert implementing.end()["rule"] == "loop/no-return"


def test_a_commit_whose_journal_a_crash_lost_is_where_the_gate_left_head(implementing: Bench) -> None:
    implementing.write({"calc.py": "SUB = 1\n"})
    implementing.mark(1)
    implementing.meta("partial")
    run = implementing.run.id
    implementing.git("commit", "--quiet", "--all", "--message", f"story 42\n\nBaton-Run: {run}")
    implementing.end()
    assert implementing.state.head == implementing.git("rev-parse", "HEAD")
