"""Whatever somebody does meanwhile: only a head is merged whose checks were green for exactly that commit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from delivery.conftest import NewScene
from delivery.scene import REPOSITORY, Scene
from delivery.ways import PENDING, WAYS, Act, Way, at, is_to, job
from fake_github.merge_rules import unmet_rules

# Whose base's rules are, and whom GitHub holds to none of them.
ACCOUNTS = ("a member", "one that may bypass")
ENDS = ("wait", "ask", "escalate", "spawn", "complete")


class Merged(NamedTuple):
    """What the program had merged: the head, the commit that was made, and how both stood."""

    head: str
    made: str
    green: bool
    unmet: bool
    same_tree: bool


def is_green(scene: Scene, sha: str) -> bool:
    """Say, independently of the program, whether a commit's newest checks are good, and what base requires."""
    actions = scene.actions
    checks = {(one["name"], one["app"]["id"]): one for one in actions.checks if one["head_sha"] == sha}
    states = {job: one["conclusion"] for job, one in checks.items()}
    states |= {(one["context"], one["app"]): one["state"] for one in reversed(actions.statuses.get(sha, []))}
    runs = {one["conclusion"] for one in actions.runs if one["head_sha"] == sha}
    rules = [one["parameters"] for one in actions.rules if one["type"] == "required_status_checks"]
    required = [
        [
            state
            for (name, app), state in states.items()
            if (name, one.get("integration_id", app)) == (one["context"], app)
        ]
        for rule in rules
        for one in rule["required_status_checks"]
    ]
    looked = any("success" in those for those in required) if required else "success" in states.values()
    return looked and all(required) and {*states.values(), *runs} <= {"success", "skipped"}


def watch(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> list[Merged]:
    """Keep what GitHub merges for the program."""
    log: list[Merged] = []
    merge = scene.actions.merge

    def merged(base: str, head: str, method: str, message: str) -> str:
        green, unmet = is_green(scene, head), bool(unmet_rules(scene.pulls[0]))
        made = merge(base, head, method, message)
        trees = [scene.actions.git("rev-parse", f"{one}^{{tree}}") for one in (made, head)]
        log.append(Merged(head, made, green, unmet, trees[0] == trees[1]))
        return made

    monkeypatch.setattr(scene.actions, "merge", merged)
    return log


def ask(scene: Scene) -> Any:
    said = scene.bench.baton("next", scene.bench.id, "--json")
    return said.json if said.code == 0 else {"action": "refused", "rule": said.refused}


def play(scene: Scene, when: str, way: Way) -> Any:
    """Deliver the story while somebody does it, and go on as far as it goes; gives the last step."""
    act = prepare(scene, when, way)
    scene.pass_qa()
    step = ask(scene)
    if act:
        assert step["action"] in ("wait", "ask", "escalate")
        scene.on_push(scene.actions.job)
        act(scene)
        if way.passes:
            scene.actions.finish()
        step = scene.answer("accept") if way.first else ask(scene)
    left = 3
    while left and step["action"] in ("wait", "refused"):
        step, left = ask(scene), left - 1
    return step


def is_pending(when: str, way: Way) -> bool:
    """Whether it is done while the check goes on that any story waits for."""
    return when.startswith("while a job runs") and way.first is None


def prepare(scene: Scene, when: str, way: Way) -> Act | None:
    """Have it done when it is its time; gives what is left to do once the story waits."""
    scene.on_push(scene.actions.job)
    match when.split()[:2]:
        case ["for", "each"]:
            scene.on_push(lambda sha: way.does(scene))
        case ["right", "before"]:
            at(is_to("/merge"), way.does)(scene)
        case ["before", "QA"]:
            way.does(scene)
        case _:
            first = way.first or job(**PENDING)
            scene.on_push(lambda sha: first(scene))
            if "queue" in when:
                scene.on_push(scene.actions.job)
                scene.actions.classic_queue = "classic" in when
                scene.actions.rules += [] if "classic" in when else [{"type": "merge_queue", "parameters": {}}]
            return way.does
    return None


def assert_nothing_unchecked_was_merged(
    scene: Scene, way: Way, log: list[Merged], begun: set[str], step: Any
) -> None:
    """Base has its own commits, and at most one merge, of a head that was green; the story says where it is."""
    closed = [one.commit for one in scene.steps if one.rule == "close/written"]
    on_base = set(scene.actions.git("rev-list", "main", code=None).split())
    good = [one.green and one.same_tree and not one.unmet for one in log]
    seen = [one.head == closed[-1] and (fine or way.unseen) for one, fine in zip(log, good, strict=True)]
    assert seen in ([], [True])
    assert on_base - begun - scene.theirs == {one.made for one in log} & on_base
    assert way.ends in (step["rule"], step["action"])
    assert step["action"] in ENDS
    assert step["action"] != "complete" or any(one.state == "MERGED" for one in scene.pulls)


def cases() -> Iterator[tuple[str, str, str]]:
    """All there are as a member; what comes near base's rules or the merge as one that may bypass them, too."""
    for when, ways in WAYS.items():
        for name in ways:
            near = "instead of" not in when or "required" in name
            yield from ((when, name, account) for account in ACCOUNTS if near or account == ACCOUNTS[0])


@pytest.mark.sampled(5, each="account")
@pytest.mark.parametrize(("when", "name", "account"), list(cases()))
def test_nothing_is_merged_but_what_was_checked(
    when: str, name: str, account: str, scene_at: NewScene, monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:  # fmt: skip
    way = WAYS[when][name]
    stage = "judging" if when.startswith("before QA") else "open" if is_pending(when, way) else "closed"
    scene = request.getfixturevalue("of_issue") if way.of_issue else scene_at(settings=way.settings, stage=stage)
    if account == "one that may bypass":
        scene.hub.let_bypass(REPOSITORY, "me")
        way = way._replace(ends=way.bypassed or way.ends, unseen=way.unseen or bool(way.bypassed))
    begun, log = set(scene.actions.git("rev-list", "main").split()), watch(scene, monkeypatch)
    step = play(scene, when, way)
    assert_nothing_unchecked_was_merged(scene, way, log, begun, step)
