"""After the merge: what runs and is deployed for the merge commit, and what is no fault of the story's."""

from __future__ import annotations

import pytest

from delivery.scene import DeliveryScene
from delivery.ways import all_of, deploy, on_base, when_merged

pytestmark = pytest.mark.sampled(2)


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
def test_a_branch_that_a_rule_keeps_stays_whoever_may_delete_it(
    rules: list[dict[str, str]], scene: DeliveryScene
) -> None:
    scene.actions.rules += rules
    step = scene.deliver()
    assert (step["action"], bool(scene.head)) == ("complete", bool(rules))
