"""What a repository is called, what gh's account may do there, and where its base is deployed."""

from __future__ import annotations

import pytest

from delivery.scene import REPOSITORY, DeliveryScene
from delivery.ways import refuse_rules

pytestmark = pytest.mark.sampled(1)


def test_a_renamed_repository_is_asked_about_with_the_command(scene: DeliveryScene) -> None:
    here = scene.hub.repository(REPOSITORY)
    here.name = "new"
    step = scene.deliver()
    assert (step["rule"], scene.pulls, scene.head) == ("push/renamed", [], "")
    assert "`git remote set-url origin https://github.com/octo/new.git`" in step["reason"]
    here.name = "app"
    assert scene.answer("retry")["action"] == "complete"


def test_rules_that_may_not_be_read_are_not_none(scene: DeliveryScene) -> None:
    refuse_rules("Resource not accessible by personal access token")(scene)
    scene.pass_qa()
    assert "lacks a permission" in scene.bench.baton("next", "42").refused
    assert scene.merges == 0


DEPLOYED = {
    "the same environment": ("production", True, True),
    "one that is not named": ("staging", True, False),
    "as a service names it": ("Production – my-app", True, True),
    "a word for it": ("eu_PROD", True, True),
    "a word that has one in it": ("delivery-products", True, False),
    "a commit base does not have": ("production", False, False),
}


@pytest.mark.parametrize("case", DEPLOYED)
def test_a_merge_that_is_deployed_to_production_is_asked_about_once(case: str, scene: DeliveryScene) -> None:
    environment, of_base, asks = DEPLOYED[case]
    scene.actions.deploy(scene.base if of_base else "0" * 40, "success", environment)
    step = scene.deliver()
    assert (step["rule"] == "merge/production", scene.merges) == (asks, 0 if asks else 1)
    if asks:
        assert f"main is deployed to {environment}" in step["reason"]
        assert (scene.answer("accept")["rule"], scene.merges) == ("deploy/wait", 1)


def test_a_commit_missing_from_a_shallow_clone_may_belong_to_base(scene: DeliveryScene) -> None:
    root = scene.bench.git("rev-list", "--max-parents=0", "main")
    (scene.bench.root / ".git" / "shallow").write_text(f"{root}\n")
    scene.actions.deploy("0" * 40, "success", "production")
    assert (scene.deliver()["rule"], scene.merges) == ("merge/production", 0)


@pytest.mark.parametrize(("environment", "rule"), [("live", "merge/production"), ("staging", "deploy/none")])
def test_an_environment_that_nothing_was_deployed_to_yet_counts(
    environment: str, rule: str, scene: DeliveryScene
) -> None:
    scene.actions.environments = {environment}
    scene.deliver()
    assert rule in (*scene.rules, scene.bench.state.question and scene.bench.state.question.rule)
