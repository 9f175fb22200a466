"""What a repository is called, what may be done there, where its base is deployed; and a fork of it."""

from pathlib import Path
from typing import NamedTuple

import pytest

from baton.feedback.plan.pull_head import move_local_branches
from baton.feedback.record.fetch_pull import fetch_pull_request
from baton.git.command import Git, find_project
from baton.github.address import PullRequestRef
from delivery.scene import REPOSITORY, STORY, URL, DeliveryScene, push_commit
from delivery.ways import refuse_rules
from fake_github.actions import Actions

pytestmark = pytest.mark.sampled(2)


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
def test_an_environment_without_deployments_counts(environment: str, rule: str, scene: DeliveryScene) -> None:
    scene.actions.environments = {environment}
    scene.deliver()
    assert rule in (*scene.rules, scene.bench.state.question and scene.bench.state.question.rule)


# A fork that the branch is pushed to


FORK = "https://github.com/me/app.git"


class Forked(NamedTuple):
    """A scene, and the fork its branches go to."""

    scene: DeliveryScene
    fork: Actions


@pytest.fixture
def forked(scene: DeliveryScene, tmp_path: Path) -> Forked:
    place, git = tmp_path / "fork.git", scene.bench.git
    git("clone", "--quiet", "--bare", str(tmp_path / "remote.git"), str(place))
    # As on GitHub, what is in a fork is to be had in the repository.
    (tmp_path / "remote.git/objects/info/alternates").write_text(f"{place}/objects\n")
    git("remote", "rename", "origin", "upstream")
    git("remote", "add", "origin", FORK)
    git("config", f"url.{place}.insteadOf", FORK)
    git("config", "remote.pushDefault", "origin")
    fork = scene.hub.serve("me/app", place)
    fork.seen.add(("main", fork.head("main")))
    fork.on_push = lambda branch, sha: scene.actions.job(sha)
    return Forked(scene, fork)


def test_it_is_merged_from_there_and_the_branch_there_goes(forked: Forked) -> None:
    assert forked.scene.deliver()["action"] == "complete"
    assert (forked.scene.merges, forked.fork.head(STORY), forked.scene.head) == (1, "", "")


@pytest.mark.parametrize("pushes_there", [True, False])
def test_the_storys_branch_follows_what_a_round_pushed_to_the_fork(forked: Forked, pushes_there: bool) -> None:
    scene = forked.scene
    forked.fork.on_push = lambda branch, sha: scene.actions.job(sha, status="in_progress")
    scene.deliver()
    before, fix = scene.bench.git("rev-parse", STORY), push_commit(forked.fork, STORY, {"calc.py": "SUB = 7\n"})
    scene.bench.git("fetch", "--quiet", "origin", STORY)
    if not pushes_there:
        scene.bench.git("config", "--unset", "remote.pushDefault")
    project = find_project(scene.bench.root)
    pull = fetch_pull_request(project, PullRequestRef("github.com", REPOSITORY, 1)).record.pull
    assert pull.url.startswith(URL)
    list(move_local_branches(Git(project), pull, fix, hooks=True))
    assert scene.bench.git("rev-parse", STORY) == (fix if pushes_there else before)
