"""What to do next: every row is reached by the commands, and asking again changes nothing."""

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from baton.rules.pages import story_tables, table_of
from bench import Bench, CallResult, PlayScene, Reach, call
from scenes import SCENES, WayToRow, push, start_agent

pytestmark = pytest.mark.sampled(35)

RULES = dict.fromkeys(row.rule for table in story_tables() for row in table.rows)
REFUSALS = {
    "in-progress/unknown-run": "sess_1_a_plan9 is not a run of this story",
    "in-progress/abandoned": "it was abandoned, and no run is due",
    "start/not-ready": "no branch main",
}
# The step carries the rule it stands for; what led on to the next table is in the reason.
SHOWN_AS = {
    "in-progress/question": "start/commands",
    "in-progress/complete": "close/done",
    "implementation/implemented": "report/valid",
}
# Reached where commands run for long or two stories are merged at once, and where there is a GitHub.
ELSEWHERE = {
    "start/trying",
    "build/wait",
    "merge/turn",
    *(row.rule for row in (*table_of("delivery").rows, *table_of("checks").rows)),
}


# A scene that leads to several rows is played once.
PLAYED: dict[WayToRow, list[str]] = {}
for rule, scene in SCENES.items():
    PLAYED.setdefault(scene, []).append(rule)


# What comes of a verdict is reached by hand-ins: nothing is put behind the program's back where it looks.
BY_HAND_INS = {row.rule for table in (table_of("qa"), table_of("micro")) for row in table.rows}


def held(bench: Bench) -> Callable[..., CallResult]:
    """Return `call`, with the story's files and all refs held against what its last call left."""

    def calling(*words: str, **more: Any) -> CallResult:
        assert (bench.bytes(folder), bench.git("for-each-ref")) == left.pop(), f"changed by no call before {words}"
        said = call(*words, **more)
        left.append((bench.bytes(folder), bench.git("for-each-ref")))
        return said

    folder = bench.journal.parent
    left = [(bench.bytes(folder), bench.git("for-each-ref"))]
    return calling


@pytest.mark.parametrize("rules", PLAYED.values(), ids=" ".join)
def test_the_commands_reach_every_row(rules: list[str], reach: Reach, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = reach(SCENES[rules[0]].stage)
    if BY_HAND_INS & {*rules}:
        monkeypatch.setattr("bench.call", held(bench))
    came_to = SCENES[rules[0]].play(bench)
    for rule in rules:
        if rule in REFUSALS:
            assert REFUSALS[rule] in came_to.refused
        else:
            assert SHOWN_AS.get(rule, rule) in [*bench.rules, came_to["rule"], came_to["guard"]]


def test_no_scene_is_left_of_a_row_that_is_gone() -> None:
    assert set(RULES) - set(SCENES) == ELSEWHERE
    assert set(SCENES) - set(RULES) == set()


def test_a_scene_that_puts_a_file_there_itself_is_caught(judging: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.call", held(judging))
    push(judging, "memory-delta", "# Notes\n")
    with pytest.raises(AssertionError, match="changed by no call"):
        judging.judge()


# Asking again


@pytest.mark.parametrize("stage", ["planning", "implementing", "judging"])
def test_asking_again_while_a_run_is_out_says_wait_and_starts_nothing(stage: str, reach: Reach) -> None:
    bench = reach(stage)
    before = bench.journal.read_bytes()
    assert [bench.next()["action"] for _ in range(5)] == ["wait"] * 5
    judged = [run.id for run in bench.state.runs[:-1]]
    assert [bench.next("--ended", run)["run"] for run in judged] == [bench.run.id] * len(judged)
    assert bench.journal.read_bytes() == before


def loaded(bench: Bench, *words: str) -> set[str]:
    """Call baton in a process of its own; gives the modules that it loaded."""
    program = "import sys; from baton.cli import main; code = main(); print(*sys.modules); sys.exit(code)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    argv = (sys.executable, "-B", "-c", program, *words)
    done = subprocess.run(argv, cwd=bench.root, env=environment, capture_output=True, text=True, check=True)
    return {*done.stdout.splitlines()[-1].split()}


HEAVY = {"jinja2", "jsonschema", "baton.story.stages", "baton.story.run.brief", "baton.artifacts.kinds"}


def test_a_wait_loads_nothing_that_only_a_judgment_needs(planning: Bench) -> None:
    assert "baton.story.next_step" in loaded(planning, "next", "42")
    assert not HEAVY & loaded(planning, "next", "42")
    assert loaded(planning, "next", "42", "--ended", planning.run.id) >= HEAVY - {"jsonschema"}


def test_metadata_that_hand_in_accepted_is_not_checked_again(planning: Bench) -> None:
    planning.finish_plan()
    assert "jsonschema" not in loaded(planning, "next", "42", "--ended", planning.run.id)


def test_a_wait_carries_all_that_is_needed_to_start_the_run_and_says_who_did_and_when(planning: Bench) -> None:
    step = planning.next()
    run = planning.run.id
    assert (step["run"], step["agent"], step["start_seen"], step["guard"]) == (run, "baton:planner", False, None)
    assert step["prompt"].startswith(f"Run {run} of story 42: first call `baton begin {run}`,")
    start_agent(planning, "a1")
    step = planning.next()
    assert step["start_seen"]
    assert f"seen at {planning.run.starts[0][0]} in client session s1" in step["reason"]


def test_the_end_of_the_run_that_is_out_is_judged_once(planning: Bench) -> None:
    run = planning.run.id
    first = planning.end()
    before = planning.journal.read_bytes()
    assert first["rule"] == "planning/missing"
    assert planning.next("--ended", run)["rule"] == "in-progress/wait"
    assert planning.journal.read_bytes() == before


@pytest.mark.parametrize(("status", "rule"), [
    ("in_progress", "in-progress/wait"), ("partial", "implementation/continue"),
])  # fmt: skip
def test_only_final_metadata_ends_a_run(status: str, rule: str, implementing: Bench) -> None:
    implementing.mark(1)
    implementing.meta(status)
    assert implementing.next()["rule"] == rule


def test_an_unknown_run_is_refused_naming_the_run_that_is_out(planning: Bench) -> None:
    before = planning.journal.read_bytes()
    said = planning.baton("next", "42", "--ended", "sess_0_0_plan1", "--plan-only")
    assert (said.code, said.out) == (2, "")
    assert f"{planning.run.id} is running" in said.err
    assert planning.journal.read_bytes() == before


def test_an_open_question_stays_the_same_question(play: PlayScene) -> None:
    bench, asked = play("planning/exhausted")
    before = bench.journal.read_bytes()
    assert bench.next() == asked
    assert bench.next("--ended", bench.run.id) == asked
    assert bench.journal.read_bytes() == before


def test_a_complete_story_gives_the_same_report_for_ever(judging: Bench) -> None:
    first = judging.judge()
    before = judging.journal.read_bytes()
    assert judging.next("--plan-only", "--max-iterations", "9") == first
    assert judging.baton("next", "42").out == judging.baton("next", "42").out
    assert judging.journal.read_bytes() == before


# Flags


def test_flags_go_before_environment_and_settings(implementing: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    assert implementing.next()["max_iterations"] == 5
    monkeypatch.setenv("MAX_ITERATIONS", "7")
    assert implementing.next()["max_iterations"] == 7
    implementing.next("--max-iterations", "2")
    assert implementing.next()["max_iterations"] == 2
    assert implementing.next("--max-iterations", "3")["max_iterations"] == 3


def test_plan_only_holds_until_the_plan_is_approved(play: PlayScene) -> None:
    bench, asked = play("planning/approval")
    assert (asked["action"], bench.state.flags.plan_only) == ("ask", True)
    assert bench.answer("accept")["agent"] == "baton:implementer"
    assert not bench.state.flags.plan_only


@pytest.mark.parametrize("value", ["0", "101", "many", "-1", "2.5"])
def test_a_limit_of_no_number_is_refused(value: str, implementing: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAX_ITERATIONS", value)
    said = implementing.baton("next", "42", "--json")
    assert said.refused.startswith(f"baton: MAX_ITERATIONS is {value!r} at the environment:")


# Where a story goes on


def test_what_a_run_that_was_given_up_left_is_committed_before_the_next(implementing: Bench) -> None:
    for agent in ("a1", "a2", "a3"):
        start_agent(implementing, agent)
    implementing.edit({"calc.py": "HALF = 1\n"})
    implementing.next()
    assert implementing.answer("retry")["run"].endswith("_iter2")
    assert "calc.py" in implementing.committed(implementing.folder.branch)


def test_an_abandoned_story_says_where_its_file_is_to_start_it_anew(implementing: Bench) -> None:
    implementing.work(status="blocked")
    implementing.baton("answer", "42", "abandon")
    words = "story new --from specs/42_subtract-numbers"
    assert f"`baton {words}`" in implementing.baton("next", "42").refused
    assert implementing.baton(*words.split()).code == 0
