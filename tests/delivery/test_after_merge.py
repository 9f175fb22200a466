"""After the merge: what runs and is deployed for its commit, how it is reported, and how it is taken back."""

import pytest

from delivery.conftest import NewScene
from delivery.scene import STORY, URL, DeliveryScene
from delivery.ways import all_of, deploy, on_base, when_merged

pytestmark = pytest.mark.sampled(4)


def test_every_environment_has_to_end_well(scene: DeliveryScene) -> None:
    when_merged(all_of(deploy("failure"), deploy("success", "preview")))(scene)
    step = scene.deliver()
    assert step["rule"] == "deploy/fail"
    assert "deployment to staging" in step["reason"]
    assert "preview" not in step["reason"]


@pytest.mark.parametrize(("before", "action"), [("failure", "complete"), ("success", "escalate")])
def test_a_failure_from_before_the_merge_is_no_news(before: str, action: str, scene: DeliveryScene) -> None:
    scene.actions.job(scene.base, "nightly", before)
    when_merged(on_base("nightly", "failure"))(scene)
    assert scene.deliver()["action"] == action
    told = [one for one in scene.bench.state.checked if one.rule == "deploy/pass"]
    assert [one.reason for one in told] == ["after the merge: `nightly` failed as before the merge"][: len(told)]


@pytest.mark.gh
def test_a_repository_that_deploys_is_given_time_to_begin(scene: DeliveryScene) -> None:
    scene.actions.deploy(scene.base, "success")
    assert scene.deliver()["rule"] == "deploy/wait"
    scene.actions.deploy(scene.base, "in_progress")
    scene.later(61)
    assert scene.next()["rule"] == "deploy/wait"
    scene.actions.deployments[0]["state"] = "success"
    assert scene.next()["action"] == "complete"


@pytest.mark.parametrize("rules", [[], [{"type": "deletion"}]])
def test_a_branch_kept_by_a_rule_is_not_deleted(rules: list[dict[str, str]], scene: DeliveryScene) -> None:
    scene.actions.rules += rules
    step = scene.deliver()
    assert (step["action"], bool(scene.head)) == ("complete", bool(rules))


# Taken back: by a pull request there, which is opened once and not merged


def revert_branch(scene: DeliveryScene) -> str:
    """Return the branch that takes back what was merged first."""
    return f"revert-{scene.pulls[0].merge_commit[:12]}-{STORY}"


@pytest.fixture
def merged(scene: DeliveryScene) -> DeliveryScene:
    scene.deliver()
    scene.push({"later.py": "LATER = 1\n"})
    return scene


@pytest.fixture
def fast_forwarded(scene_at: NewScene) -> DeliveryScene:
    """Give a story whose commits somebody pushed straight to base, which GitHub takes for a merge."""
    scene = scene_at(settings="quiet_s: 0, draft: true")
    scene.deliver()
    scene.actions.git("update-ref", "refs/heads/main", scene.pull.head_oid)
    scene.pull.merge_commit, scene.pulls[0].state = scene.pull.head_oid, "MERGED"
    assert scene.next()["action"] == "complete"
    return scene


@pytest.mark.gh
def test_a_pull_request_takes_back_what_was_merged_and_keeps_what_came_after(merged: DeliveryScene) -> None:
    base, said = merged.base, merged.bench.baton("undo", "42")
    assert said.out.startswith(f"{URL}/pull/2 takes the merge ")
    assert (merged.base, merged.pulls[1].state) == (base, "OPEN")
    assert "SUB" not in merged.actions.git("show", f"{revert_branch(merged)}:calc.py")
    assert merged.actions.git("show", f"{revert_branch(merged)}:later.py") == "LATER = 1"


def test_called_twice_it_is_opened_once(merged: DeliveryScene) -> None:
    first = merged.bench.baton("undo", "42", "--json").json
    assert merged.bench.baton("undo", "42", "--json").json == first
    assert len(merged.pulls) == 2


@pytest.fixture(params=["squash", "merge"])
def undone(merged: DeliveryScene, request: pytest.FixtureRequest) -> DeliveryScene:
    """Give a story whose revert was merged there, by either method."""
    merged.bench.baton("undo", "42")
    pull = merged.pulls[1]
    pull.merge_commit = merged.actions.merge("main", pull.head_oid, request.param, "back")
    pull.state = "MERGED"
    return merged


def test_a_revert_that_was_merged_there_is_noted_and_how_to_take_it_back(undone: DeliveryScene) -> None:
    side = "-m 1 " if " " in undone.actions.git("log", "-1", "--format=%P", "main") else ""
    back = f"git switch main && git revert {side}{undone.base[:12]}"
    assert undone.bench.baton("undo", "42").out.rstrip().endswith(back)
    assert undone.bench.baton("status", "42").out.startswith("42  undone")
    assert undone.next()["rule"] == "in-progress/undone"


def test_a_revert_that_is_not_merged_asks_nothing(merged: DeliveryScene) -> None:
    merged.bench.baton("undo", "42")
    assert merged.next()["action"] == "complete"


def test_what_was_undone_there_is_done_again_by_another_pull_request(undone: DeliveryScene) -> None:
    undone.bench.baton("undo", "42")
    undone.next()
    undone.bench.answer("again")
    undone.bench.plan()
    undone.bench.implement({"calc.py": "SUB = 2\n"})
    undone.bench.judge()
    assert undone.deliver()["action"] == "complete"
    assert undone.actions.git("show", "main:calc.py") == "SUB = 2"
    assert undone.bench.baton("undo", "42").out.startswith(f"{URL}/pull/4 takes the merge {undone.base[:12]}")


def test_a_story_pushed_straight_to_base_is_not_reverted_in_part(fast_forwarded: DeliveryScene) -> None:
    assert "merged in several commits" in fast_forwarded.bench.baton("undo", "42").refused


def test_a_conflict_with_later_changes_is_named_and_nothing_is_pushed(merged: DeliveryScene) -> None:
    merged.push({"calc.py": "SUB = 3\n"})
    assert "(calc.py)" in merged.bench.baton("undo", "42").refused
    assert merged.actions.head(revert_branch(merged)) == ""


def test_a_story_merged_commit_by_commit_is_not_reverted_in_part(scene: DeliveryScene) -> None:
    scene.on_push(lambda sha: scene.actions.job(sha, status="in_progress"))
    scene.deliver()
    scene.push({"calc.py": "SUB = 1\n"})
    last = scene.push({"test_calc.py": "TEST = 1\n"})
    scene.pull.merge_commit, scene.pulls[0].state = last, "MERGED"
    scene.next()
    assert "merged in several commits" in scene.bench.baton("undo", "42").refused


# Reported: what was seen on GitHub


def test_the_report_shows_what_github_said_as_evidence(scene: DeliveryScene) -> None:
    scene.deliver()
    data = scene.bench.baton("report", "42", "--json").json
    assert (data["state"], data["url"], data["commit"]) == ("merged", f"{URL}/pull/1", scene.base)
    assert {"push/done", "pr/open", "review/settled"} <= {one["rule"] for one in data["hosted"]}
    assert {one["path"] for one in data["files"]} == {"calc.py", "test_calc.py"}
    assert (data["undo"], data["undo_why"]) == ("baton undo 42", "opens a pull request that reverts the merge")


def test_a_merge_of_several_commits_is_reported_whole_and_not_reverted(fast_forwarded: DeliveryScene) -> None:
    data = fast_forwarded.bench.baton("report", "42", "--json").json
    assert (data["undo"], data["undo_why"].startswith("it was merged in several commits")) == ("", True)
    assert {one["path"] for one in data["files"]} == {"calc.py", "test_calc.py"}
    assert fast_forwarded.pull.head_oid.startswith(data["commits"][0]["id"])
