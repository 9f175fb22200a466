"""The report of a story that was delivered on GitHub says what was seen there, and how it is taken back."""

from __future__ import annotations

import pytest

from delivery.conftest import NewScene
from delivery.scene import URL, DeliveryScene

pytestmark = pytest.mark.sampled(1)


def test_the_report_shows_what_github_said_as_evidence(scene: DeliveryScene) -> None:
    scene.deliver()
    data = scene.bench.baton("report", "42", "--json").json
    assert (data["state"], data["url"], data["commit"]) == ("merged", f"{URL}/pull/1", scene.base)
    assert {"push/done", "pr/open", "review/settled"} <= {one["rule"] for one in data["hosted"]}
    assert {one["path"] for one in data["files"]} == {"calc.py", "test_calc.py"}
    assert (data["undo"], data["undo_why"]) == ("baton undo 42", "opens a pull request that reverts the merge")


def test_a_merge_of_several_commits_is_reported_whole_and_not_reverted(scene_at: NewScene) -> None:
    scene = scene_at(settings="quiet_s: 0, draft: true")
    scene.deliver()
    scene.actions.git("update-ref", "refs/heads/main", scene.pull.head_oid)
    scene.pull.merge_commit, scene.pulls[0].state = scene.pull.head_oid, "MERGED"
    assert scene.next()["action"] == "complete"
    data = scene.bench.baton("report", "42", "--json").json
    assert (data["undo"], data["undo_why"].startswith("it was merged in several commits")) == ("", True)
    assert {one["path"] for one in data["files"]} == {"calc.py", "test_calc.py"}
    assert scene.pull.head_oid.startswith(data["commits"][0]["id"])
