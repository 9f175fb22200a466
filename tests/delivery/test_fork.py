"""A story whose branch is pushed to a fork: its pull request, and a round of fixes that was pushed there."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from baton.feedback.plan.pull_head import move_local_branches
from baton.feedback.record.fetch_pull import fetch_pull_request
from baton.git.command import Git, find_project
from baton.github.address import PullRequestRef
from delivery.scene import REPOSITORY, STORY, URL, DeliveryScene, push_commit
from fake_github.actions import Actions

pytestmark = pytest.mark.sampled(1)
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
