"""A run is sent out once: what it is told, where it works, and what it finds in place of earlier artefacts."""

import pytest

from bench import Bench, PlayScene, Reach

FILED = {
    "planning/missing": (),
    "planning/invalid": ("42.execution-plan.md",),
    "qa/fail": ("42.impl-report.md", "42.qa-report.md"),
    "qa/open-criteria": ("42.qa-report.md",),
}


@pytest.mark.parametrize("rule", FILED)
def test_what_a_run_replaces_is_in_history_before_it_starts(rule: str, play: PlayScene) -> None:
    bench, _ = play(rule)
    moved = [path.name for path in (bench.folder.path / "history").rglob("*") if path.is_file()]
    assert sorted(name for name in moved if not name.startswith(".")) == sorted(FILED[rule])
    assert not any((bench.folder.path / name).exists() for name in FILED[rule])


def test_what_a_retry_finds_in_history_is_never_overwritten(play: PlayScene) -> None:
    bench, _ = play("qa/open-criteria")
    bench.place("qa-report").write_text("by hand\n", encoding="utf-8")
    bench.end()
    bench.place("qa-report").write_text("again by hand\n", encoding="utf-8")
    bench.answer("retry")
    texts = {path.read_text() for path in (bench.folder.path / "history").rglob("42.qa-report.md*")}
    assert {"again by hand\n"} < texts
    assert len(texts) == 2


def test_run_ids_count_each_role_by_itself(judging: Bench) -> None:
    session = judging.state.created.session
    judging.judge("FAIL", "no docstring")
    assert [run.id.removeprefix(session) for run in judging.state.runs] == ["_plan1", "_iter1", "_qa1", "_iter2"]


def test_the_story_branch_is_checked_out_again_for_the_next_run(play: PlayScene) -> None:
    bench, _ = play("qa/escalate")
    bench.git("switch", "--quiet", "main")
    assert bench.answer("retry")["agent"] == "baton:qa"
    assert bench.branch == "story/42-subtract-numbers"


@pytest.mark.parametrize("stage", ["planning", "implementing", "judging"])
def test_what_a_killed_call_left_is_done_again_to_the_same_end(
    stage: str, reach: Reach, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = reach(stage)
    with monkeypatch.context() as patch:
        patch.setattr("baton.drive.dispatch.Dispatched", lambda **_: 1 / 0)
        assert bench.baton("next", "42", "--ended", bench.run.id).code == 3
    count = len(bench.state.runs)
    step = bench.next()
    assert (step["action"], len(bench.state.runs)) == ("spawn", count + 1)
    assert step["run"] == bench.run.id


def test_a_model_that_is_configured_is_named(implementing: Bench) -> None:
    settings = implementing.git("show", "main:.baton.yaml")
    implementing.commit({".baton.yaml": f"{settings}\nagents: {{implementer: {{model: opus}}}}\n"})
    assert implementing.next()["model"] == "opus"
    assert implementing.implement()["model"] is None


def test_the_first_run_says_which_branch_is_checked_out_and_which_comes_back(story: Bench) -> None:
    step = story.next()
    branch = "story/42-subtract-numbers"
    assert step["warnings"] == [f"{branch} is checked out here while the story runs; main comes back at its end"]
    assert story.plan()["warnings"] == []
