"""The workflow's jobs, by their real shell: from a label to a pull request, and what is refused between them."""

from __future__ import annotations

from typing import Any

from actions.runner import Runner
from delivery.scene import Scene
from fake_github.hub import Hub

REF = "refs/baton/stories/1"


def user(hub: Hub, login: str) -> dict[str, Any]:
    actor = hub.actor(login)
    return {"login": actor.rest_login, "type": actor.kind, "id": actor.number}


def labelled(hub: Hub, by: str = "me") -> dict[str, Any]:
    return {"action": "labeled", "issue": {"number": 12}, "label": {"name": "baton"}, "sender": user(hub, by)}


def test_a_label_leads_to_a_pull_request(runner: Runner, home: Scene, hub: Hub) -> None:
    claim, work, land = runner.run("issues", labelled(hub))
    assert (claim.code, work.code, land.code) == (0, 0, 0), claim.out + work.out + land.out
    assert home.pull.state == "OPEN"
    assert "done: " in land.out
