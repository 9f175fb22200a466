"""Between green checks and the merge: who holds it back, what moves at the last moment, what bounds it."""

from __future__ import annotations

import pytest

from delivery.conftest import NewScene
from delivery.scene import Scene
from delivery.test_deliver import MERGE
from fake_github.hub import Hub
from fake_github.misbehave import Proceed, Status
from fake_github.request import Answer, Request

pytestmark = pytest.mark.sampled(4)


def test_a_draft_that_somebody_makes_it_again_stays_one(scene_at: NewScene) -> None:
    scene = scene_at(settings="quiet_s: 120, draft: true")
    assert (scene.deliver()["rule"], scene.pull.draft) == ("review/wait", False)
    scene.pull.draft = True
    scene.later(121)
    assert (scene.next()["rule"], scene.merges, scene.pull.draft) == ("merge/rejected", 0, True)


def test_base_that_moves_as_the_merge_is_refused_is_merged_in(scene: Scene) -> None:
    class OutOfDate:
        def answer(self, hub: Hub, request: Request, proceed: Proceed) -> Answer | None:
            scene.push({"new.py": "NEW = 1\n"})
            return Status(405, {"message": "Head branch is out of date."}).answer(hub, request, proceed)

    scene.hub.misbehave(OutOfDate(), when=lambda one: one.path.endswith(MERGE))
    assert (scene.deliver()["action"], scene.merges) == ("complete", 1)
