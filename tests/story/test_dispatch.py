"""A run is started once: what it is told, where it works, and what it finds in place of earlier artifacts."""

from pathlib import Path

import pytest

from bench import Bench, PlayScene, Reach
from scenes import push

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
def test_what_a_killed_call_left_is_done_again_to_the_same_end(
    stage: str, reach: Reach, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = reach(stage)
    with monkeypatch.context() as patch:
        patch.setattr("baton.story.dispatch.Dispatched", lambda **_: 1 / 0)
        assert bench.baton("next", "42", "--ended", bench.run.id).code == 3
    count = len(bench.state.runs)
    step = bench.next()
    assert (step["action"], len(bench.state.runs)) == ("spawn", count + 1)
    assert step["run"] == bench.run.id


def test_a_model_that_is_configured_is_named(implementing: Bench) -> None:
    implementing.settle("", "agents: {implementer: {model: opus}}")
    assert implementing.next()["model"] == "opus"
    assert implementing.implement()["model"] is None


@pytest.mark.parametrize(("others", "found"), [("README.md", "MINE = 1\n"), ("calc.py", "<<<<<<< ")])
def test_work_that_is_not_on_the_branch_is_where_the_next_run_begins(
    others: str, found: str, implementing: Bench
) -> None:
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
