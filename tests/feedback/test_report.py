"""The rounds of feedback on a pull request are told as a story is."""

from pathlib import Path

import pytest

from feedback.scene import WITH_TEST, PullScene, result

pytestmark = pytest.mark.sampled(2)


@pytest.mark.parametrize("settings", [WITH_TEST], ids=["with a command"])
def test_a_round_that_landed_is_told(here: PullScene) -> None:
    here.fixed(text="alpha = 1\n")
    before = here.bench.baton("report", "pr-7", "--json").json
    assert before["state"] == "round 1 under way"
    assert [one for one in before["not_verified"] if one.startswith("the round has not landed: ")]
    said = here.bench.baton("report", "pr-7", "--html").out.splitlines()[0]
    assert "<dt>Time of runs</dt><dd>not known</dd>" in Path(said).read_text()
    assert here.landed().code == 0
    data = here.bench.baton("report", "pr-7", "--json").json
    assert not [one for one in data["not_verified"] if "has not landed" in one]
    assert (data["state"], data["tone"], data["commit"]) == ("round 1 landed", "good", here.head)
    assert [(one["text"], one["result"]) for one in data["criteria"]] == [
        ('@alice src/a.py:1 "Rename this variable."', "fixed")
    ]
    assert [one["path"] for one in data["files"]] == ["src/a.py"]
    assert data["undo"] == f"git revert {here.head[:12]}"
    assert {one["lane"] for one in data["timeline"]["bars"]} == {"runs", "checks", "github"}
    assert here.bench.baton("report", "pr-7", "--html").out.endswith("not verified\n")


@pytest.mark.parametrize("settings", [WITH_TEST], ids=["with a command"])
@pytest.mark.parametrize("verdict", ["replied", "fixed"])
def test_a_round_without_a_commit_says_that_nothing_ran(verdict: str, here: PullScene) -> None:
    if verdict == "fixed":
        here.fixed(text="alpha = 1\n")
    else:
        (thread,) = here.plan_threads("src/a.py")
        here.settle(result(thread.id))
    assert here.landed().code == 0
    data = here.bench.baton("report", "pr-7", "--json").json
    assert ("the round made no commit, so no command ran" in data["not_verified"]) == (verdict == "replied")


@pytest.mark.parametrize("settings", [WITH_TEST], ids=["with a command"])
def test_without_a_round_there_is_nothing_to_tell(here: PullScene) -> None:
    here.fetch()
    assert "no round was planned" in here.bench.baton("report", "pr-7").refused
