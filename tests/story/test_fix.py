"""The way back from the integration: a run that fixes what failed, QA anew, and integration from sync."""

import json
import re

import pytest

from bench import SETTINGS, Bench, PlayScene
from scenes import FAILING, WORKER, drive_to_judging, failing_runs, judge_code

pytestmark = pytest.mark.sampled(2)

FAILURE = "FAIL: one test"
PASSING = {"tools/test.sh": "true\n"}


def fixed(bench: Bench) -> str:
    """Give what the newest run is told to fix; nothing when it is told of nothing."""
    return re.split(r"\n(?:## |Warning: )", bench.brief.partition("## What must be fixed\n")[2])[0]


@pytest.fixture
def fixing(implementing: Bench) -> Bench:
    """A story whose test fails, with a run out that is to fix it."""
    assert judge_code(implementing, "test", FAILING["tools/test.sh"])["rule"] == "fix/run"
    return implementing


# What the runs are told


def test_what_failed_is_told_to_the_run_that_is_to_fix_it(fixing: Bench) -> None:
    assert fixing.run.role == "implementer"
    assert fixed(fixing).startswith(
        f"\n- {FAILURE}; base does not fail so\n  First `test` ended with 1, its output with:\n"
    )


def test_a_fix_is_told_what_base_has_that_its_tree_lacks(fixing: Bench) -> None:
    base = fixing.git("rev-parse", "--short=12", "main")
    assert re.search(rf"`git diff [0-9a-f]{{12}}\.\.\.{base}`", fixed(fixing))


@pytest.mark.parametrize("runs", [1, 2])
def test_it_is_told_to_each_run_that_goes_on_with_the_work(runs: int, fixing: Bench) -> None:
    told = fixed(fixing)
    for _ in range(runs):
        fixing.mark(2, mark="PARTIAL")
        assert fixing.work()["rule"] == "implementation/continue"
    assert fixed(fixing) == told


@pytest.mark.parametrize("end", ["without a word", "without a report"])
def test_it_is_told_again_after_a_run_that_ended(end: str, fixing: Bench) -> None:
    fixing.end() if end == "without a word" else fixing.work(status="implemented")
    assert f"- {FAILURE}; base does not fail so" in fixed(fixing)


def test_once_qa_passed_it_it_is_told_no_more(fixing: Bench) -> None:
    fixing.implement({**PASSING, "tools/build.sh": "echo ERROR: no compiler\nexit 1\n"})
    assert fixing.judge()["rule"] == "fix/run"
    assert ("ERROR: no compiler" in fixed(fixing), FAILURE in fixed(fixing)) == (True, False)


def test_all_that_failed_is_told_at_once(bench: Bench) -> None:
    run = {"build": "sh tools/build.sh", "test": "sh tools/test.sh"}
    prepush = [{"path": "workers/api", "run": "sh ../../tools/setup.sh"}]
    settings = f"{SETTINGS}commands: {json.dumps({**run, 'prepush': prepush})}\n"
    texts = {"build": "ERROR: no compiler", "test": FAILURE, "setup": "ERROR: one lint"}
    failing = {f"tools/{name}.sh": f"echo {text}\nexit 1\n" for name, text in texts.items()}
    drive_to_judging(bench, settings, {**WORKER, **failing})
    assert bench.judge()["rule"] == "fix/run"
    assert [fixed(bench).count(f"- {text}; base does not fail so") for text in texts.values()] == [1, 1, 1]


def test_of_what_failed_only_the_storys_is_told(implementing: Bench) -> None:
    implementing.commit({"tools/build.sh": "echo ERROR: no compiler\nexit 1\n"})
    assert judge_code(implementing, "test", FAILING["tools/test.sh"])["rule"] == "fix/run"
    assert "build/preexisting" in implementing.rules
    assert ("ERROR: no compiler" in fixed(implementing), FAILURE in fixed(implementing)) == (False, True)


# What a fix may cost


def test_a_fix_has_the_attempts_of_a_new_cycle(implementing: Bench) -> None:
    implementing.work(1, 2, status="implemented")  # without a report
    implementing.implement(FAILING)
    implementing.end()  # without a verdict
    assert implementing.judge()["rule"] == "fix/run"
    assert implementing.work(status="implemented")["rule"] == "report/missing"
    implementing.implement(PASSING)
    assert implementing.end()["rule"] == "qa/no-verdict"


@pytest.mark.parametrize("rule", ["report/exhausted", "qa/verdict-exhausted"])
def test_within_a_fix_the_attempts_are_counted(rule: str, fixing: Bench) -> None:
    if rule == "qa/verdict-exhausted":
        fixing.implement()
    steps = [fixing.end() if fixing.run.role == "qa" else fixing.work(status="implemented") for _ in range(2)]
    assert steps[-1]["rule"] == rule


def test_a_fix_is_an_iteration(fixing: Bench) -> None:
    assert (fixing.next()["iteration"], fixing.run.id.endswith("_iter2")) == (2, True)


def test_a_fix_beyond_the_iterations_is_asked_about_and_loses_nothing(implementing: Bench) -> None:
    implementing.next("--max-iterations", "1")
    step = judge_code(implementing, "test", FAILING["tools/test.sh"])
    assert (step["action"], step["rule"]) == ("ask", "limit/iterations")
    assert FAILURE in step["question"]["findings"][0]
    assert implementing.answer("continue")["agent"] == "baton:implementer"
    assert FAILURE in fixed(implementing)


@pytest.mark.parametrize(("fails", "rule"), [("[12]", "complete"), ("[1-4]", "fix/run")])
def test_a_fix_that_changed_no_code_has_the_commands_run_again(fails: str, rule: str, implementing: Bench) -> None:
    assert judge_code(implementing, "test", failing_runs(fails))["rule"] == "fix/run"
    implementing.implement()
    step = implementing.judge()
    assert rule in (step["action"], step["rule"])


@pytest.mark.long
def test_a_retry_allows_as_many_fixes_again(play: PlayScene) -> None:
    bench, asked = play("fix/exhausted")
    assert re.search(r"/checks/\w+/test-\w+\.log$", asked["question"]["artifact"])
    before = bench.state.count("implementer")
    step = bench.answer("retry")
    while step["rule"] == "fix/run":
        bench.implement()
        step = bench.judge()
    assert (step["rule"], bench.state.count("implementer") - before) == ("fix/exhausted", 2)


# A small story


def test_a_small_story_is_fixed_by_a_run_of_its_own_kind(micro: Bench) -> None:
    step = micro.deliver(files=FAILING)
    assert (step["rule"], step["agent"]) == ("fix/run-small", "baton:micro-delivery")
    assert FAILURE in fixed(micro)
    assert micro.end()["rule"] == "micro/no-verdict"
    assert FAILURE in fixed(micro)
    assert micro.deliver(files=PASSING)["action"] == "complete"


def test_a_small_fix_that_changed_no_code_has_the_commands_run_again(micro: Bench) -> None:
    assert micro.deliver(files={"tools/test.sh": failing_runs("[12]")})["rule"] == "fix/run-small"
    assert micro.deliver()["action"] == "complete"


def test_the_tries_of_a_small_story_are_counted_on_whatever_a_run_is_for(micro: Bench) -> None:
    steps = [micro.deliver(files=FAILING), micro.deliver(), micro.end()]
    assert [step["rule"] for step in steps] == ["fix/run-small", "fix/run-small", "micro/no-verdict"]
    assert [step["label"][-5:] for step in steps] == ["try 2", "try 3", "try 4"]


# From the first step again


def test_nothing_is_merged_of_a_fix_that_qa_fails(fixing: Bench) -> None:
    base = fixing.git("rev-parse", "main")
    fixing.implement(PASSING)
    assert fixing.judge("FAIL", "no docstring")["agent"] == "baton:implementer"
    assert fixing.git("rev-parse", "main") == base
    fixing.implement(PASSING)
    assert fixing.judge()["action"] == "complete"
