"""From a passed QA to a merged branch: what is merged was tested, and nothing else is touched."""

import json
import os
import re
import signal
from pathlib import Path

import pytest

from bench import DELTA, FOLDER, SETTINGS, STORY, WITH_COMMANDS, Bench, PlayScene
from killing import killed_at
from scenes import WAITS_FOR_A_GATE, drive_to_judging, judge_code, next_at_once, pass_qa

pytestmark = pytest.mark.sampled(5)

STORY_FILE = f"{FOLDER}/story.md"


def parents(bench: Bench, revision: str) -> list[str]:
    return bench.git("rev-parse", f"{revision}^@").splitlines()


# The merge


def test_the_story_is_merged_with_a_merge_commit(judging: Bench) -> None:
    base = judging.git("rev-parse", "main")
    assert judging.judge()["action"] == "complete"
    assert parents(judging, "main")[0] == base
    assert judging.git("log", "-1", "--format=%s", "main^2") == "story 42: complete"
    assert judging.git("branch", "--list", STORY) == ""


def test_the_status_is_written_into_the_story_and_its_report_is_merged(judging: Bench) -> None:
    judging.judge()
    text = judging.git("show", f"main:{STORY_FILE}")
    report = judging.git("show", f"main:{FOLDER}/42.completion-report.md")
    assert (text.count("status:"), "status: complete" in text) == (1, True)
    assert "- AC1: sub(3, 2) is 1 — PASS" in report
    assert re.search(r"- test, `sh tools/test.sh`: passed \(\d", judging.git("log", "-1", "--format=%b", "main"))


def test_the_report_is_kept_beside_the_journal_and_names_the_merge(judging: Bench) -> None:
    step = judging.judge()
    report = Path(step["report"])
    merge = judging.git("rev-parse", "main")
    assert report.parent == judging.journal.parent
    assert f"\n\nMerged into `main` as `{merge[:12]}`.\n\n- **Built:**" in report.read_text()
    assert "Complete on" not in report.read_text()


def test_a_report_that_is_gone_is_told_in_one_line(judging: Bench) -> None:
    Path(judging.judge()["report"]).unlink()
    assert judging.baton("next", "42").refused


# Interrupted, or done by the user


BEFORE = ("_sync", "weigh", "_judge_commands", "_end", "_land")
AFTER = ("integrate_story.finish_merge", "integrate.complete._keep_report", "integrate.complete.Completed")


@pytest.mark.parametrize("name", [*(f"integrate_story.{name}" for name in BEFORE), *AFTER])
def test_a_step_killed_anywhere_goes_on_where_it_stood_and_merges_once(name: str, judging: Bench) -> None:
    pass_qa(judging)
    with killed_at(f"story.{name}"):
        judging.next()
    left = judging.git("rev-parse", "main")
    assert judging.next()["action"] == "complete"
    assert (judging.git("rev-parse", "main") == left) == (name in AFTER)
    assert judging.git("rev-list", "--count", "--merges", "main") == "1"
    assert judging.git("branch", "--list", "main", "story/*") == "* main"


# Sync


def test_a_base_that_moved_is_merged_and_tested_first(judging: Bench) -> None:
    moved = judging.commit({"tools/test.sh": "grep -q SUB calc.py && grep -q NEW new.py\n", "new.py": "NEW = 1\n"})
    assert judging.judge()["action"] == "complete"
    assert parents(judging, "main")[0] == moved
    assert "NEW" in judging.git("show", "main:new.py")


def test_what_fails_only_together_is_not_merged(judging: Bench) -> None:
    moved = judging.commit({"tools/test.sh": "! grep SUB calc.py\n"})
    assert judging.judge()["rule"] == "fix/run"
    assert judging.git("rev-parse", "main") == moved


# The commands


def runs(bench: Bench) -> int:
    """Count how often the tests were run on the story's commits."""
    return len(list((bench.journal.parent / "checks").glob("*/test-*.log")))


def test_an_unclear_test_shows_the_end_of_its_output_and_where_it_is(play: PlayScene) -> None:
    bench, step = play("test/unclear")
    log = next((bench.journal.parent / "checks").glob("*/test-*.log"))
    assert "First `test` ended with 1, its output with:\none test\nWhole output: " in step["reason"]
    assert log.parent.parent == bench.journal.parent / "checks"
    assert bench.git("log", "-1", "--format=%s", "main") == "first"


@pytest.fixture
def lacking(implementing: Bench) -> Bench:
    """A story whose test needs a program that is missing, and is asked about."""
    assert judge_code(implementing, "test", "no-such-program\n")["rule"] == "test/unclear"
    return implementing


def test_a_test_that_a_person_fixed_is_judged_again(lacking: Bench) -> None:
    lacking.commit({"tools/test.sh": "true\n"}, STORY)
    assert lacking.answer("retry")["rule"] == "merge/head-moved"
    assert lacking.judge()["action"] == "complete"


def test_an_unclear_test_is_run_again_at_every_retry_alone(lacking: Bench) -> None:
    lacking.next()
    assert runs(lacking) == 1
    lacking.answer("retry")
    lacking.answer("retry")
    assert runs(lacking) == 3


def test_an_unclear_test_a_person_accepts_is_merged_and_reported(lacking: Bench) -> None:
    step = lacking.answer("accept")
    assert (step["action"], runs(lacking)) == ("complete", 1)
    assert "and you accepted it: " in Path(step["report"]).read_text()


def test_what_was_accepted_of_one_commit_is_asked_anew_of_another(lacking: Bench) -> None:
    lacking.baton("answer", "42", "accept")
    lacking.commit({"other.py": "OTHER = 1\n"})
    assert lacking.next()["rule"] == "test/unclear"


def test_a_failing_set_up_stops_before_the_build_and_may_be_accepted(implementing: Bench) -> None:
    step = judge_code(implementing, "setup", "echo no network\nexit 3\n")
    assert step["rule"] == "build/unclear"
    assert "First `setup` ended with 3, its output with:\nno network" in step["reason"]
    assert implementing.answer("accept")["action"] == "complete"


def test_the_commands_run_on_the_commit_and_not_in_the_users_tree(implementing: Bench) -> None:
    implementing.write({"here.log": "ignored\n"})
    assert judge_code(implementing, "test", "test ! -e here.log && grep -q SUB calc.py && touch made\n")["report"]
    assert not (implementing.root / "made").exists()
    assert implementing.trees == [implementing.root]


def test_without_commands_nothing_is_run(bench: Bench) -> None:
    drive_to_judging(bench, SETTINGS)
    assert bench.judge()["action"] == "complete"
    assert bench.git("log", "-1", "--format=%b", "main").startswith("Nothing was run: ")
    assert not (bench.journal.parent / "checks").exists()


# What takes long


@pytest.fixture
def slow(implementing: Bench) -> tuple[Bench, Path]:
    """A story whose test waits until the given file is there."""
    implementing.implement(WAITS_FOR_A_GATE)
    pass_qa(implementing)
    return implementing, Path.home() / "gate"


def test_a_long_command_is_waited_for_in_the_next_call(slow: tuple[Bench, Path]) -> None:
    bench, gate = slow
    first, second = next_at_once(bench), next_at_once(bench)
    assert (first.action, first.rule, first.seconds) == ("wait", "build/wait", 90)
    assert first.to_data() == {**second.to_data(), "reason": first.reason}
    assert bench.baton("status", "42").out.startswith("42  integrating, 2/2 phases")
    while not gate.with_name("begun").exists():
        assert next_at_once(bench).action == "wait"
    assert re.search(
        r": `test` for \d+:\d\d min, last line: case 7 of 900; output in ", next_at_once(bench).reason
    )
    gate.touch()
    assert bench.next()["action"] == "complete"
    assert runs(bench) == 1


def test_a_runner_that_was_killed_is_started_again(slow: tuple[Bench, Path]) -> None:
    bench, gate = slow
    while not gate.with_name("begun").exists():
        assert next_at_once(bench).action == "wait"
    running = next((bench.journal.parent / "checks").glob("*/running.json"))
    os.kill(json.loads(running.read_text())["runner"], signal.SIGKILL)
    gate.touch()
    assert bench.next()["action"] == "complete"
    assert bench.trees == [bench.root]


def test_a_base_that_moves_while_the_commands_run_is_tested_too(slow: tuple[Bench, Path]) -> None:
    bench, gate = slow
    next_at_once(bench)
    bench.commit({"new.py": "NEW = 1\n"})
    gate.touch()
    assert bench.next()["action"] == "complete"
    assert len(list((bench.journal.parent / "checks").glob("*"))) == 2


def test_a_base_that_moves_again_while_the_commands_run_is_asked_about(slow: tuple[Bench, Path]) -> None:
    bench, gate = slow
    for name in ("one.py", "two.py"):
        assert next_at_once(bench).action == "wait"
        bench.commit({name: "NEW = 1\n"})
    assert next_at_once(bench).rule == "merge/lost-again"
    gate.touch()
    assert bench.answer("retry")["action"] == "complete"


def test_a_story_is_merged_into_the_base_that_the_settings_name(bench: Bench) -> None:
    bench.configure(WITH_COMMANDS.replace("base: main", "base: develop"))
    main = bench.git("rev-parse", "main")
    bench.git("branch", "develop")
    drive_to_judging(bench)
    assert bench.judge()["reason"].startswith("merged into develop as ")
    assert (bench.branch, bench.git("rev-parse", "main")) == ("main", main)


# What nobody judged


@pytest.mark.parametrize("message", ["more", "story 42: qa\n\nBaton-Run: {run}"], ids=["theirs", "as if baton's"])
def test_code_committed_while_qa_is_out_is_judged_before_it_is_merged(message: str, judging: Bench) -> None:
    judging.git("switch", "--quiet", STORY)
    assert judging.tree
    judging.write({"evil.py": "EVIL = 1\n"})
    judging.git("add", "evil.py")
    judging.git("commit", "--quiet", "--message", message.format(run=judging.run.id))
    assert judging.judge()["rule"] == "qa/moved"
    assert (judging.tree / "evil.py").exists()
    assert judging.judge()["action"] == "complete"


@pytest.mark.parametrize("name", ["conftest.py", "CLAUDE.md", "handoffs/evil.py", "43.qa-report.md"])
def test_what_is_no_paper_of_a_story_is_code_in_its_folder_too(name: str, judging: Bench) -> None:
    assert judging.tree
    judging.commit({f"{FOLDER}/{name}": "EVIL = 1\n", f"{FOLDER}/42.memory-delta.md": DELTA}, STORY)
    assert judging.judge()["rule"] == "qa/moved"
    assert (judging.tree / FOLDER / name).exists()


def test_what_base_has_in_the_storys_folder_stays_as_base_has_it(judging: Bench) -> None:
    judging.commit({f"{FOLDER}/theirs.md": "mine\n"})
    assert judging.judge()["action"] == "complete"
    assert judging.git("show", f"main:{FOLDER}/theirs.md") == "mine"


def test_code_committed_while_a_small_story_is_out_is_judged_before_it_is_merged(micro: Bench) -> None:
    assert micro.tree
    micro.commit({"evil.py": "EVIL = 1\n"}, STORY)
    assert micro.deliver()["agent"] == "baton:micro-delivery"
    assert micro.deliver()["action"] == "complete"


def test_code_committed_before_a_memory_delta_is_fixed_is_judged_before_it_is_merged(play: PlayScene) -> None:
    bench, _ = play("qa/delta-exhausted")
    bench.commit({"evil.py": "EVIL = 1\n"}, STORY)
    bench.answer("retry")
    bench.hand_in("memory-delta", DELTA)
    assert bench.end()["rule"] == "merge/head-moved"
    assert bench.judge()["action"] == "complete"


def test_a_pass_of_the_old_words_is_none_of_the_new_ones(judging: Bench) -> None:
    text = judging.git("show", f"{STORY}:{STORY_FILE}")
    assert judging.tree
    judging.commit({STORY_FILE: text.replace("is 1", "is 2") + "\n"}, STORY)
    assert judging.judge()["rule"] == "run/criteria-changed"
    assert judging.answer("accept")["agent"] == "baton:qa"
    assert judging.judge()["action"] == "complete"


def test_qa_sees_what_is_committed_and_not_what_a_filter_hid(implementing: Bench) -> None:
    implementing.git("config", "filter.x.clean", "sed s/SUB/EVIL/")
    implementing.write({".git/info/attributes": "calc.py filter=x\n"})
    implementing.implement()
    assert (implementing.tree / "calc.py").read_text() == "EVIL = 1\n"


def test_where_the_mode_is_gone_it_is_asked_for(bench: Bench) -> None:
    drive_to_judging(bench, SETTINGS.replace("local", "branch"))
    base = bench.commit({".baton.yaml": "base: main\n"})
    assert bench.judge()["rule"] == "start/mode"
    assert bench.git("rev-parse", "main") == base
    assert bench.answer("branch")["rule"] == "integrate/branch"


def test_an_accepted_failure_is_asked_about_again_when_it_is_run_again(implementing: Bench) -> None:
    implementing.implement({"tools/build.sh": "no-such-program\n", "tools/test.sh": "no-such-program\n"})
    assert implementing.judge()["rule"] == "build/unclear"
    assert implementing.answer("accept")["rule"] == "test/unclear"
    assert implementing.answer("retry")["rule"] == "build/unclear"
