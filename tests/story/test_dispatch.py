"""A run is started once: what it is told, where it works, and what it finds in place of earlier artifacts."""

from pathlib import Path

import pytest

from bench import Bench, PlayScene, Reach
from scenes import push

pytestmark = pytest.mark.sampled(7)

FILED = {
    "planning/missing": (),
    "planning/invalid": ("42.execution-plan.md",),
    "qa/fail": ("42.impl-report.md", "42.qa-report.md"),
}


def history(bench: Bench) -> Path:
    return bench.folder.history("any").parent


@pytest.mark.parametrize("rule", FILED)
def test_what_a_run_replaces_is_in_history_before_it_starts(rule: str, play: PlayScene) -> None:
    bench, _ = play(rule)
    moved = [path.name for path in history(bench).rglob("*") if path.is_file()]
    assert sorted(name for name in moved if name != "return-meta.json") == sorted(FILED[rule])
    assert not any((bench.folder.path / name).exists() for name in FILED[rule])


def test_what_a_retry_finds_in_history_is_never_overwritten(play: PlayScene) -> None:
    bench, _ = play("qa/no-verdict")
    push(bench, "qa-report", "by hand\n")
    bench.end()
    bench.answer("retry")
    push(bench, "qa-report", "again by hand\n")
    bench.end()
    texts = {path.read_text() for path in history(bench).rglob("42.qa-report.md*")}
    assert texts == {"by hand\n", "again by hand\n"}


def test_run_ids_count_each_role_by_itself(judging: Bench) -> None:
    session = judging.state.created.session
    judging.judge("FAIL", "no docstring")
    assert [run.id.removeprefix(session) for run in judging.state.runs] == ["_plan1", "_iter1", "_qa1", "_iter2"]


@pytest.mark.parametrize("stage", ["planning", "implementing", "judging"])
def test_what_a_killed_call_left_is_done_again(stage: str, reach: Reach, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = reach(stage)
    with monkeypatch.context() as patch:
        patch.setattr("baton.story.run.dispatch.Dispatched", lambda **_: 1 / 0)
        assert bench.baton("next", "42", "--ended", bench.run.id).code == 3
    count = len(bench.state.runs)
    step = bench.next()
    assert (step["action"], len(bench.state.runs)) == ("spawn", count + 1)
    assert step["run"] == bench.run.id


def test_a_model_that_is_configured_is_named_and_asked_for_again_without_another(planning: Bench) -> None:
    planning.settle("", "agents: {planner: {model: haiku}, implementer: {model: opus}}")
    assert planning.end()["model"] == "haiku"
    assert planning.plan()["model"] == planning.next()["model"] == planning.run.dispatched.model == "opus"
    assert planning.implement()["model"] is None


MODELS = "agents: {implementer: {model: haiku, retry_model: opus}, qa: {retry_model: opus}}"


def test_after_a_judged_failure_the_retry_model_is_asked_for(planning: Bench) -> None:
    planning.settle("", MODELS)
    models = [planning.plan()["model"], planning.work(1)["model"]]  # to continue is no failure
    models.append(planning.work(2, status="implemented")["model"])  # without a report
    models += [planning.implement()["model"], planning.judge("FAIL")["model"]]
    assert models == ["haiku", "haiku", "opus", None, "opus"]


def test_when_you_say_retry_the_retry_model_is_asked_for(implementing: Bench) -> None:
    implementing.settle("", MODELS)
    implementing.work(status="blocked")
    assert implementing.answer("retry")["model"] == "opus"
    assert implementing.work(1)["model"] == "haiku"


@pytest.mark.parametrize(("others", "found"), [("README.md", "MINE = 1\n"), ("calc.py", "<<<<<<< ")])
def test_the_next_run_begins_with_work_not_on_the_branch(others: str, found: str, implementing: Bench) -> None:
    implementing.hook("pre-commit", "exit 1")
    implementing.edit({"calc.py": "MINE = 1\n"})
    implementing.work(1)
    implementing.commit({others: "more\n"}, implementing.folder.branch)
    implementing.hook("pre-commit", "exit 0")
    implementing.end()
    assert (implementing.tree / others).read_text().count("more") == 1
    assert (implementing.tree / "calc.py").read_text().startswith(found)


def test_work_that_is_on_the_branch_is_not_carried(implementing: Bench) -> None:
    implementing.edit({"calc.py": "MINE = 1\n"})
    implementing.work(1)
    assert (implementing.run.dispatched.carry, implementing.git("status", "--porcelain", "calc.py")) == ("", "")
    assert "calc.py" in implementing.committed(implementing.folder.branch)
