"""After the merge: what runs and is deployed for the merge commit, and what is no fault of the story's."""

from __future__ import annotations

import pytest

from delivery.scene import Scene
from delivery.test_deliver import when_merged

pytestmark = pytest.mark.sampled(2)


def test_a_deployment_that_is_made_again_counts_as_it_ended_last(scene: Scene) -> None:
    when_merged(scene, lambda sha: scene.actions.deploy(sha, "failure"))
    assert scene.deliver()["rule"] == "deploy/fail"
    scene.actions.deploy(scene.base, "success")
    assert scene.answer("retry")["action"] == "complete"


def test_every_environment_has_to_end_well(scene: Scene) -> None:
    def deploy(sha: str) -> None:
        scene.actions.deploy(sha, "failure", "staging")
        scene.actions.deploy(sha, "success", "preview")

    when_merged(scene, deploy)
    step = scene.deliver()
    assert step["rule"] == "deploy/fail"
    assert "deployment to staging" in step["reason"]
    assert "preview" not in step["reason"]


@pytest.mark.parametrize(("before", "action"), [("failure", "complete"), ("success", "escalate")])
def test_what_failed_on_base_before_the_merge_is_no_news(before: str, action: str, scene: Scene) -> None:
    scene.actions.job(scene.base, "nightly", before)
    when_merged(scene, lambda sha: scene.actions.job(sha, "nightly", "failure"))
    assert scene.deliver()["action"] == action
    told = [one for one in scene.bench.state.checked if one.rule == "deploy/pass"]
    assert [one.reason for one in told] == ["after the merge: `nightly` failed as before the merge"][: len(told)]


@pytest.mark.gh
def test_where_something_was_ever_deployed_its_beginning_is_waited_for(scene: Scene) -> None:
    scene.actions.deploy(scene.base, "success")
    assert scene.deliver()["rule"] == "deploy/wait"
    scene.actions.deploy(scene.base, "in_progress")
    scene.later(61)
    assert scene.next()["rule"] == "deploy/wait"
    scene.actions.deployments[0]["state"] = "success"
    assert scene.next()["action"] == "complete"


def test_a_quick_check_does_not_hide_the_deployment_that_begins_after_it(scene: Scene) -> None:
    scene.actions.workflow()
    when_merged(scene, scene.actions.job)
    assert scene.deliver()["rule"] == "deploy/wait"
    scene.later(61)
    assert scene.next()["action"] == "complete"


@pytest.mark.parametrize("rules", [[], [{"type": "deletion"}]])
def test_a_branch_that_a_rule_keeps_stays_whoever_may_delete_it(rules: list[dict[str, str]], scene: Scene) -> None:
    scene.actions.rules += rules
    step = scene.deliver()
    assert (step["action"], bool(scene.head)) == ("complete", bool(rules))
