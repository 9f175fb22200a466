"""Whose failure it is, with real commands: base is asked once for each commit, in the background, and reused."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from baton.checks.job import baselines
from baton.git.command import find_project
from baton.story.checks.baseline import baseline_trouble
from baton.story.session.open_story import open_story
from bench import SETTINGS, Bench, PlayScene
from scenes import FLAKY, WORKER, begin_where_base_fails, drive_to_judging, failing_runs, judge_code, judge_on_red

pytestmark = pytest.mark.sampled(2)


def jobs(bench: Bench) -> list[Any]:
    """Give what was run, or is run, on commits of base."""
    bench.rest()
    files = baselines(find_project(bench.root)).glob("*/job.json")
    return [json.loads(file.read_text(encoding="utf-8")) for file in files]


def test_the_baseline_begins_with_the_first_run_on_the_commit_the_story_began_from(story: Bench) -> None:
    assert jobs(story) == []
    story.next()
    assert [job["commit"] for job in jobs(story)] == [story.git("rev-parse", "main")]
    assert [job["name"] for job in jobs(story)[0]["commands"]] == ["build", "test"]


@pytest.mark.parametrize(("setup", "test", "told"), [
    ("exit 3", "true", "nothing can be compared with main: `setup` ended with 3"), ("exit 0", "true", ""),
    ("exit 0", "echo FAIL one; exit 1", "main fails already, which stops nothing: FAIL one"),
    ("exit 0", "echo FAIL specs/1_a/1.qa-report.md; exit 1",
     "main fails already, which stops nothing: FAIL specs/#_a/#.qa-report.md; leave specs/ out of that command, as"
     " by an ignore file"),
    ("exit 0", "echo broken; exit 1",
     "main fails already, and names no test: you will be asked whether a failure is new: broken"),
])  # fmt: skip
def test_what_is_wrong_with_base_is_known_in_planning(setup: str, test: str, told: str, bench: Bench) -> None:
    bench.configure(f"{SETTINGS}commands: {{setup: {setup}, test: '{test}'}}\n")
    bench.begin()
    bench.rest()
    with open_story(find_project(bench.root), "42", "a test") as story:
        assert baseline_trouble(story) == told


def test_a_program_that_is_missing_is_named_with_the_first_run(bench: Bench) -> None:
    bench.configure(f"{SETTINGS}commands: {{build: 'true', test: no-such-tool --all}}\n")
    assert "`no-such-tool` is not on this machine: test cannot run" in bench.begin()["warnings"]


def test_base_is_told_once_and_run_a_second_time_as_soon_as_it_is_red(bench: Bench) -> None:
    told = [begin_where_base_fails(bench, "echo FAIL one; exit 1"), bench.plan()]
    assert [any("fails already" in one for one in step["warnings"]) for step in told] == [True, False]
    assert len(jobs(bench)) == 2


@pytest.mark.parametrize("moves", [False, True], ids=["as it was", "moved meanwhile"])
def test_while_qa_works_the_commands_run_on_what_is_to_be_merged(moves: bool, implementing: Bench) -> None:
    implementing.implement({"tools/test.sh": 'echo run >> "$HOME/ran"\n'})
    implementing.rest()
    log = Path.home() / "ran"
    assert (implementing.run.role, log.read_text()) == ("qa", "run\n")
    if moves:
        implementing.commit({"new.py": "NEW = 1\n"})
    assert implementing.judge()["action"] == "complete"
    assert log.read_text() == "run\n" * (1 + moves)


def test_a_story_without_commands_has_no_baseline(bench: Bench) -> None:
    drive_to_judging(bench, SETTINGS)
    assert jobs(bench) == []


def test_another_story_from_the_same_commit_takes_the_baseline_that_is_there(story: Bench) -> None:
    story.next()
    story.plan()
    story.work(1, status="blocked")
    story.baton("answer", "42", "abandon")
    other = Bench(story.root, "43")
    assert other.begin(title="Another")["agent"] == "baton:planner"
    assert len(jobs(other)) == 1


def test_a_failure_on_the_commit_it_began_from_needs_no_second_look_at_base(story: Bench) -> None:
    story.next()
    story.plan()
    assert judge_code(story, "test", "echo FAIL: one\nexit 1\n")["rule"] == "fix/run"
    assert len(jobs(story)) == 1


def test_where_base_moved_it_is_base_as_it_is_now_that_counts(judging: Bench) -> None:
    assert judge_on_red(judging, "test", "echo FAIL: one\nexit 1\n")["action"] == "complete"
    commits = judging.git("rev-parse", "main~1", "main~2").split()
    assert {job["commit"] for job in jobs(judging)} == {*commits}


def test_a_baseline_that_cannot_be_made_leaves_the_failure_unclear(bench: Bench) -> None:
    commands = "commands: {setup: test -e requirements.txt, test: 'echo FAIL: one; exit 1'}\n"
    drive_to_judging(bench, SETTINGS + commands, {"requirements.txt": "click\n"})
    step = bench.judge()
    assert step["rule"] == "test/unclear"
    assert "there is no baseline to compare with: on base `setup` ended with 1" in step["reason"]


def test_a_baseline_that_told_nothing_is_made_again_at_a_retry(bench: Bench) -> None:
    test_a_baseline_that_cannot_be_made_leaves_the_failure_unclear(bench)
    before = len(jobs(bench))
    assert bench.answer("retry")["rule"] == "test/unclear"
    assert len(jobs(bench)) == before + 1


def test_where_the_story_changed_no_commit_base_is_told_from_the_story_all_the_same(bench: Bench) -> None:
    drive_to_judging(bench, f"{SETTINGS}artifacts: local\ncommands: {{test: 'echo FAIL: one; exit 1'}}\n")
    bench.judge()
    assert "test/preexisting" in bench.rules


def test_the_merge_names_what_fails_as_before(judging: Bench) -> None:
    judge_on_red(judging, "test", "echo FAIL: one\nexit 1\n")
    message = judging.git("log", "-1", "--format=%B", "main")
    assert "- test, `sh tools/test.sh`: fails as before the story: FAIL: one (" in message


def test_a_command_that_takes_too_long_is_unclear_and_says_so(bench: Bench) -> None:
    settings = SETTINGS.replace("mode: local", "mode: local, command_timeout_s: 1")
    drive_to_judging(bench, f"{settings}commands: {{test: exec sleep 60}}\n")
    step = bench.judge()
    assert (step["rule"], "`test` did not end in 1 s" in step["reason"]) == ("test/unclear", True)


def test_the_question_of_an_unclear_failure_shows_both_outputs_and_why(play: PlayScene) -> None:
    _, step = play("test/unclear")
    assert "run once more on the same commit, it passed" in step["reason"]
    assert len(re.findall(r"/test-\w+\.log", step["reason"])) == 3


def test_of_two_commands_in_one_folder_each_counts(bench: Bench) -> None:
    lines = ("echo one lint error; exit 1", "true")
    entries = ", ".join(f"{{path: workers/api, run: '{line}'}}" for line in lines)
    drive_to_judging(bench, f"{SETTINGS}commands: {{prepush: [{entries}]}}\n", WORKER)
    assert (bench.judge()["rule"], "prepush/introduced" in bench.rules) == ("fix/run", True)


def test_what_is_run_once_more_finds_what_the_commands_before_it_made(implementing: Bench) -> None:
    script = "test -e built || { echo FAIL: not built; exit 1; }\necho FAIL: one\nexit 1\n"
    implementing.implement({"tools/build.sh": "touch built\n", "tools/test.sh": script})
    assert implementing.judge()["rule"] == "fix/run"
    assert "FAIL: one; base does not fail so" in implementing.brief


def test_a_failure_base_had_only_once_excuses_nothing(judging: Bench) -> None:
    passes = 'test ! -e test_calc.py && { test -e "$HOME/ran" && exit 0; touch "$HOME/ran"; }\n'
    once = f"{passes}echo FAIL: one; exit 1\n"
    step = judge_on_red(judging, "test", once)
    assert step["rule"] == "test/unclear"
    assert "base fails so at times, and at times not" in step["reason"]


def test_what_is_too_long_to_be_compared_is_unclear(judging: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("baton.checks.result.MOST_BYTES", 1000)
    step = judge_on_red(judging, "test", "echo FAIL: one\nseq 1000\nexit 1\n")
    assert (step["rule"], "is not named on both sides" in step["reason"]) == ("test/unclear", True)


def test_that_nothing_will_be_checked_is_said_with_the_first_run(bench: Bench) -> None:
    bench.configure(SETTINGS)
    [warning] = bench.begin()["warnings"]
    assert warning.endswith("no build, test or prepush command is configured: name them in `.baton.yaml`")
    assert bench.plan()["warnings"] == []


def test_settings_that_are_not_committed_are_named_with_the_first_run(bench: Bench) -> None:
    bench.configure(SETTINGS)
    bench.git("rm", "--quiet", "--cached", ".baton.yaml")
    bench.git("commit", "--quiet", "-m", "settings are gone")
    assert bench.begin()["rule"] == "start/mode"
    [warning] = bench.answer("local")["warnings"]
    assert "`.baton.yaml` is not committed on main" in warning


def test_a_flaky_test_stops_nothing_and_is_told_in_the_report(play: PlayScene) -> None:
    _, step = play("test/flaky")
    assert step["action"] == "complete"
    told = "flaky: FAIL: one test failed once and passed twice on the same commit"
    assert told in Path(step["report"]).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("fails", "rule"), [("[246]", "complete"), ("[24]", "fix/run")], ids=["base too", "it alone"]
)
def test_what_comes_and_goes_is_run_three_times_on_base_too(fails: str, rule: str, bench: Bench) -> None:
    bench.commit({"tools/test.sh": failing_runs(fails)})
    drive_to_judging(bench, f"{SETTINGS}commands: {{test: sh tools/test.sh}}\n")
    step = bench.judge()
    assert rule in (step["rule"], step["action"])
    assert (Path.home() / "ran").read_text() == 6 * "run\n"


def test_who_wants_to_be_asked_about_a_flaky_test_is(bench: Bench) -> None:
    bench.commit({"tools/test.sh": "true\n"})
    drive_to_judging(
        bench, f"{SETTINGS}flaky: ask\ncommands: {{test: sh tools/test.sh}}\n", {"tools/test.sh": FLAKY}
    )
    step = bench.judge()
    assert step["rule"] == "test/unclear"
    assert "failed once and passed twice on the same commit" in step["reason"]


def test_a_flaky_test_that_the_story_wrote_is_its_own_failure(implementing: Bench) -> None:
    implementing.implement({"tools/test.sh": FLAKY, "tests/test_one.py": "def one test\n"})
    step = implementing.judge()
    assert step["rule"] == "fix/run"
    assert "the story added or changed that test" in implementing.brief
