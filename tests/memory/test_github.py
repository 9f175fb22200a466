"""On GitHub what a story taught is a pull request of its own: opened once, and in the mode `merge` merged."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from baton.git.remotes import push_commit
from baton.github.client import GitHub
from baton.journal.journal import Journal
from baton.memory.edit_tree import take_change
from bench import CallResult
from delivery.conftest import NewScene, new_scene, scene_at  # noqa: F401
from delivery.scene import REPOSITORY, URL, DeliveryScene
from delivery.stages import WAY
from delivery.ways import is_query
from fake_github.misbehave import Rewrite
from fake_github.request import Request
from killing import Killed, Killer
from memory.test_triage import CLAUDE, DELTA, LEARNED, accept, edit, triage

pytestmark = pytest.mark.sampled(9)

BRANCH = "story/42-memory"


def pass_all(scene: DeliveryScene) -> None:
    """Have a job pass on each commit that is pushed."""
    scene.actions.on_push = lambda branch, sha: scene.actions.job(sha)


def deliver(scene: DeliveryScene) -> None:
    """Deliver a story that leaves a delta, on a base that keeps memory."""
    pass_all(scene)
    scene.push({"CLAUDE.md": CLAUDE})
    assert scene.bench.hand_in("memory-delta", DELTA).code == 0
    scene.deliver()


def land(scene: DeliveryScene) -> CallResult:
    """Edit memory, and accept what is shown."""
    return accept(scene.bench, edit(scene.bench))


WAY["taught"] = ("judging", deliver)
Delivered = Callable[[str], DeliveryScene]


@pytest.fixture
def delivered(scene_at: NewScene) -> Delivered:  # noqa: F811
    """Give a story that was delivered in a mode and left a delta."""

    def made(mode: str) -> DeliveryScene:
        scene = scene_at(mode, stage="taught")
        pass_all(scene)
        return scene

    return made


@pytest.fixture
def open_pull(delivered: Delivered) -> DeliveryScene:
    """A story of the mode `pr`, which ended as a pull request."""
    return delivered("pr")


def test_in_the_mode_pr_it_is_a_pull_request_of_exactly_that_commit(open_pull: DeliveryScene) -> None:
    base, commit = open_pull.base, edit(open_pull.bench)
    assert f"DONE {URL}/pull/2 is open: it changes memory alone" in accept(open_pull.bench, commit).out
    assert (open_pull.base, open_pull.pulls[1].state, open_pull.actions.head(BRANCH)) == (base, "OPEN", commit)
    assert open_pull.actions.git("diff", "--name-only", f"main...{BRANCH}") == "CLAUDE.md"
    assert "was accepted before" in accept(open_pull.bench, commit).out
    assert len(open_pull.pulls) == 2
    assert open_pull.bench.git("branch", "--list", BRANCH) == ""


def test_a_branch_of_others_with_that_name_stays(open_pull: DeliveryScene) -> None:
    commit = edit(open_pull.bench)
    open_pull.actions.git("branch", BRANCH, "main")
    open_pull.push({"calc.py": "THEIRS = 1\n"}, BRANCH)
    theirs = open_pull.actions.head(BRANCH)
    assert "baton did not make this branch as it is" in accept(open_pull.bench, commit).refused
    assert open_pull.actions.head(BRANCH) == theirs


@pytest.mark.gh
def test_in_the_mode_merge_it_is_merged_once_its_checks_are_good(delivered: Delivered) -> None:
    scene = delivered("merge")
    said = land(scene).out
    assert f"DONE {URL}/pull/2 is merged" in said
    assert f"{scene.actions.git('show', 'main:CLAUDE.md')}\n" == LEARNED
    assert scene.bench.git("rev-parse", "main") == scene.base
    assert scene.actions.head(BRANCH) == ""
    assert scene.bench.next()["warnings"] == []
    assert len(scene.pulls) == 2


def test_checks_that_go_on_are_waited_for_by_later_calls(delivered: Delivered) -> None:
    scene = delivered("merge")
    scene.actions.on_push = lambda branch, sha: scene.actions.job(sha, status="in_progress")
    said = land(scene).out
    assert f"{URL}/pull/2 waits: " in said
    scene.actions.finish()
    assert any("is merged" in one for one in scene.bench.next()["warnings"])


def test_a_blocked_pull_request_waits_whatever_the_account_may_bypass(delivered: Delivered) -> None:
    scene = delivered("merge")
    scene.hub.let_bypass(REPOSITORY, "me")
    scene.actions.unmet = ["A conversation must be resolved before this pull request can be merged."]
    assert f"{URL}/pull/2 waits: it is blocked there" in land(scene).out
    scene.actions.unmet, scene.actions.classic_queue = [], True
    assert any("yours to queue" in one for one in scene.bench.next()["warnings"])
    scene.actions.classic_queue = False
    assert any("is merged" in one for one in scene.bench.next()["warnings"])


def test_a_pull_request_into_another_base_is_not_merged(delivered: Delivered) -> None:
    scene = delivered("merge")
    scene.actions.on_push = lambda branch, sha: scene.actions.job(sha, status="in_progress")
    land(scene)
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
    assert f"waits: it is {stands.lower()} there" in land(scene).out
    assert any("is merged" in one for one in scene.bench.next()["warnings"])


def test_a_change_that_is_objected_to_or_deployed_to_production_is_not_merged(delivered: Delivered) -> None:
    scene = delivered("merge")
    scene.actions.environments.add("prod")
    assert "is deployed to prod: it is yours to merge" in land(scene).out
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
    assert says in land(scene).out
    parents = scene.actions.git("rev-parse", "main^@").split()
    assert (len(parents) == 2) == (allowed == "merge")


def test_a_push_of_others_to_its_branch_is_not_merged(delivered: Delivered) -> None:
    scene = delivered("merge")
    scene.actions.on_push = lambda branch, sha: scene.actions.job(sha, status="in_progress")
    land(scene)
    scene.push({"calc.py": "THEIRS = 1\n"}, BRANCH)
    scene.pulls[1].follow()
    scene.actions.finish()
    assert any("which baton did not push" in one for one in scene.bench.next()["warnings"])
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
    killer, commit = Killer(number, after), edit(scene.bench)
    with monkeypatch.context() as patch, suppress(Killed):
        patch.setattr(GitHub, "_run", killer.around("gh", GitHub._run))
        patch.setattr(Journal, "append", killer.around("journal", Journal.append))
        patch.setattr("baton.delivery.pull_request.push_commit", killer.around("push", push_commit))
        patch.setattr("baton.memory.triage.take_change", killer.around("commit", take_change))
        accept(scene.bench, commit)
    assert killer.struck or number > 9
    accept(scene.bench, commit)
    scene.bench.next()
    text = scene.actions.git("show", f"{BRANCH if mode == 'pr' else 'main'}:CLAUDE.md")
    assert (f"{text}\n", len(scene.pulls)) == (LEARNED, 2)
    assert triage(scene.bench, "--json").json["stands"] == ""
