"""On GitHub what a story taught is a pull request of its own: opened once, and in the mode `merge` merged."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from baton.git.remotes import push_commit
from baton.github.client import GitHub
from baton.journal.journal import Journal
from baton.memory.write import make_commit
from delivery.conftest import NewScene, new_scene, scene_at  # noqa: F401
from delivery.scene import REPOSITORY, URL, Scene
from delivery.stages import WAY, Killed
from delivery.test_kill import Killer
from delivery.ways import is_query
from fake_github.misbehave import Rewrite
from fake_github.request import Request
from memory.test_triage import CLAUDE, DELTA, triage

pytestmark = pytest.mark.sampled(9)

BRANCH = "story/42-memory"


def pass_all(scene: Scene) -> None:
    """Have a job pass on each commit that is pushed."""
    scene.actions.on_push = lambda branch, sha: scene.actions.job(sha)


def deliver(scene: Scene) -> None:
    """Deliver a story that leaves a delta, on a base that keeps memory."""
    pass_all(scene)
    scene.push({"CLAUDE.md": CLAUDE})
    assert scene.bench.hand_in("memory-delta", DELTA).code == 0
    scene.deliver()


WAY["taught"] = ("judging", deliver)
Delivered = Callable[[str], Scene]


@pytest.fixture
def delivered(scene_at: NewScene) -> Delivered:  # noqa: F811
    """Give a story that was delivered in a mode and left a delta."""

    def made(mode: str) -> Scene:
        scene = scene_at(mode, stage="taught")
        pass_all(scene)
        return scene

    return made


@pytest.fixture
def open_pull(delivered: Delivered) -> Scene:
    """A story of the mode `pr`, which ended as a pull request."""
    return delivered("pr")


def test_in_the_mode_pr_it_is_a_pull_request_of_memory_alone(open_pull: Scene) -> None:
    base, said = open_pull.base, triage(open_pull.bench, "--accept", "4")
    assert f"DONE {URL}/pull/2 is open: it changes memory alone" in said.out, said.err
    assert (open_pull.base, open_pull.pulls[1].state) == (base, "OPEN")
    assert open_pull.actions.git("diff", "--name-only", f"main...{BRANCH}") == "CLAUDE.md"


def test_what_is_accepted_later_goes_into_the_same_pull_request(open_pull: Scene) -> None:
    triage(open_pull.bench, "--accept", "4")
    triage(open_pull.bench, "--accept", "2")
    assert len(open_pull.pulls) == 2
    assert open_pull.actions.git("rev-list", "--count", f"main..{BRANCH}") == "2"
    assert open_pull.actions.git("show", f"{BRANCH}:CLAUDE.md").count("(story 42)") == 2


def test_after_its_pull_request_was_closed_what_follows_has_another(open_pull: Scene) -> None:
    triage(open_pull.bench, "--accept", "4")
    open_pull.pulls[1].state = "CLOSED"
    triage(open_pull.bench, "--accept", "2")
    assert [one.state for one in open_pull.pulls[1:]] == ["CLOSED", "OPEN"]
    text = open_pull.actions.git("show", f"{BRANCH}:CLAUDE.md")
    assert ("type annotation" in text, "Painting" in text) == (True, False)


@pytest.mark.gh
def test_in_the_mode_merge_it_is_merged_once_its_checks_are_good(delivered: Delivered) -> None:
    scene = delivered("merge")
    said = triage(scene.bench, "--accept", "4").out
    assert f"DONE {URL}/pull/2 is merged" in said
    assert scene.actions.git("show", "main:CLAUDE.md").endswith(
        "Painting happens before the settings are read (story 42)"
    )
    assert scene.bench.git("rev-parse", "main") == scene.base
    assert scene.actions.head(BRANCH) == ""
    assert scene.bench.next()["warnings"] == ["memory: 3 entries wait: baton memory triage 42"]
    assert len(scene.pulls) == 2


def test_checks_that_go_on_are_waited_for_by_later_calls(delivered: Delivered) -> None:
    scene = delivered("merge")
    scene.actions.on_push = lambda branch, sha: scene.actions.job(sha, status="in_progress")
    said = triage(scene.bench, "--accept", "4").out
    assert f"{URL}/pull/2 waits: " in said
    scene.actions.finish()
    assert any("is merged" in one for one in scene.bench.next()["warnings"])


def test_what_the_rules_of_base_hold_back_waits_for_every_account(delivered: Delivered) -> None:
    scene = delivered("merge")
    scene.hub.let_bypass(REPOSITORY, "me")
    scene.actions.unmet = ["A conversation must be resolved before this pull request can be merged."]
    assert f"{URL}/pull/2 waits: it is blocked there" in triage(scene.bench, "--accept", "4").out
    scene.actions.unmet, scene.actions.classic_queue = [], True
    assert any("yours to queue" in one for one in scene.bench.next()["warnings"])
    scene.actions.classic_queue = False
    assert any("is merged" in one for one in scene.bench.next()["warnings"])


def test_what_goes_to_another_base_is_not_merged_there(delivered: Delivered) -> None:
    scene = delivered("merge")
    scene.actions.on_push = lambda branch, sha: scene.actions.job(sha, status="in_progress")
    triage(scene.bench, "--accept", "4")
    scene.actions.finish()
    scene.actions.git("update-ref", "refs/heads/release", "main")
    scene.pulls[1].base = "release"
    assert any("goes to release now" in one for one in scene.bench.next()["warnings"])
    assert (scene.pulls[1].state, scene.actions.head("release")) == ("OPEN", scene.base)


@pytest.mark.parametrize("stands", ["BEHIND", "NEWER"])
def test_how_it_stands_has_to_be_one_of_those_that_github_merges(stands: str, delivered: Delivered) -> None:
    def change(_: Request, whole: Any) -> Any:
        whole["data"]["repository"]["pullRequest"]["mergeStateStatus"] = stands
        return whole

    scene = delivered("merge")
    scene.hub.let_bypass(REPOSITORY, "me")
    scene.hub.misbehave(Rewrite(change), when=is_query("Reviews"))
    assert f"waits: it is {stands.lower()} there" in triage(scene.bench, "--accept", "4").out
    assert any("is merged" in one for one in scene.bench.next()["warnings"])


def test_what_somebody_wants_changed_or_is_deployed_to_production_is_not_merged(delivered: Delivered) -> None:
    scene = delivered("merge")
    scene.actions.environments.add("prod")
    assert "is deployed to prod: it is yours to merge" in triage(scene.bench, "--accept", "4").out
    scene.actions.environments.clear()
    scene.hub.permit(REPOSITORY, "alice", "write")
    scene.pulls[1].review(by="alice", state="CHANGES_REQUESTED")
    assert any("changes are wanted by @alice" in one for one in scene.bench.next()["warnings"])
    scene.pulls[1].review(by="alice", state="APPROVED")
    assert any("is merged" in one for one in scene.bench.next()["warnings"])


@pytest.mark.parametrize(("allowed", "says"), [("merge", "is merged"), ("rebase", "neither a squash nor a merge")])
def test_it_is_merged_in_a_way_that_base_allows(allowed: str, says: str, delivered: Delivered) -> None:
    scene = delivered("merge")
    scene.hub.let_bypass(REPOSITORY, "me")
    scene.actions.rules += [{"type": "pull_request", "parameters": {"allowed_merge_methods": [allowed]}}]
    assert says in triage(scene.bench, "--accept", "4").out
    parents = scene.actions.git("rev-parse", "main^@").split()
    assert (len(parents) == 2) == (allowed == "merge")


def test_what_others_pushed_to_its_branch_is_not_merged(delivered: Delivered) -> None:
    scene = delivered("merge")
    scene.actions.on_push = lambda branch, sha: scene.actions.job(sha, status="in_progress")
    triage(scene.bench, "--accept", "4")
    scene.push({"calc.py": "THEIRS = 1\n"}, BRANCH)
    scene.pulls[1].follow()
    scene.actions.finish()
    assert any("which baton did not push" in one for one in scene.bench.next()["warnings"])
    assert "baton did not make this branch as it is" in triage(scene.bench, "--accept", "2").refused
    assert "THEIRS" not in scene.actions.git("show", "main:calc.py")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("mode", ["pr", "merge"])
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("number", range(1, 26))
def test_killed_at_any_call_and_called_again_it_is_there_once(
    number: int,
    after: bool,
    mode: str,
    delivered: Delivered,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene = delivered(mode)
    killer = Killer(number, after)
    with monkeypatch.context() as patch, suppress(Killed):
        patch.setattr(GitHub, "_run", killer.around("gh", GitHub._run))
        patch.setattr(Journal, "append", killer.around("journal", Journal.append))
        patch.setattr("baton.delivery.own_pull.push_commit", killer.around("push", push_commit))
        patch.setattr("baton.memory.deliver.make_commit", killer.around("commit", make_commit))
        triage(scene.bench, "--accept", "2,4")
    assert killer.struck or number > 9
    triage(scene.bench, "--accept", "2,4")
    scene.bench.next()
    text = scene.actions.git("show", f"{BRANCH if mode == 'pr' else 'main'}:CLAUDE.md")
    assert (text.count("Painting"), text.count("type annotation"), len(scene.pulls)) == (1, 1, 2)
    assert scene.bench.baton("memory", "triage", "42", "--json").json["waiting"] == [1, 3]
