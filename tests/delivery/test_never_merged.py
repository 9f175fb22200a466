"""Whatever somebody does meanwhile: only a head is merged whose checks were green for exactly that commit."""

from pathlib import Path
from typing import Any, NamedTuple

import pytest

from bench import Bench
from delivery.scene import REPOSITORY, DeliveryScene
from delivery.stages import Kind, Stages
from delivery.ways import PENDING, WAYS, Act, Way, at, is_to, job
from fake_github.fixtures import NewHub
from fake_github.hub import Hub
from fake_github.merge_rules import unmet_rules
from shelf import Shelf

# Whom GitHub holds to base's rules, and whom to none of them.
MEMBER, BYPASSES = "a member", "one that may bypass"
ENDS = ("wait", "ask", "escalate", "spawn", "complete")


class Merged(NamedTuple):
    """What the program had merged: the head, the commit that was made, and how both stood."""

    head: str
    made: str
    green: bool
    unmet: bool
    same_tree: bool


class Outcome(NamedTuple):
    """What came of a delivery: the last step, all that was journalled and sent, and the pull requests."""

    action: str
    rule: str
    rules: list[str]
    sent: list[tuple[str, str, str]]
    pulls: list[str]


def is_green(scene: DeliveryScene, sha: str) -> bool:
    """Say, independently of the program, whether a commit's newest checks are good, and what base requires."""
    actions = scene.actions
    checks = {(check["name"], check["app"]["id"]): check for check in actions.checks if check["head_sha"] == sha}
    states = {job: one["conclusion"] for job, one in checks.items()}
    states |= {
        (status["context"], status["app"]): status["state"] for status in reversed(actions.statuses.get(sha, []))
    }
    runs = {run["conclusion"] for run in actions.runs if run["head_sha"] == sha}
    rules = [rule["parameters"] for rule in actions.rules if rule["type"] == "required_status_checks"]
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


def watch(scene: DeliveryScene, monkeypatch: pytest.MonkeyPatch) -> list[Merged]:
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


def ask(scene: DeliveryScene) -> Any:
    said = scene.bench.baton("next", scene.bench.id, "--json")
    return said.json if said.code == 0 else {"action": "refused", "rule": said.refused}


def play(scene: DeliveryScene, when: str, way: Way) -> Any:
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


def prepare(scene: DeliveryScene, when: str, way: Way) -> Act | None:
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
    scene: DeliveryScene, way: Way, log: list[Merged], begun: set[str], step: Any
) -> None:
    """Base has its own commits, and at most one merge, of a head that was green; the story says where it is."""
    closed = [step.commit for step in scene.steps if step.rule == "close/written"]
    on_base = set(scene.actions.git("rev-list", "main", code=None).split())
    good = [one.green and one.same_tree and not one.unmet for one in log]
    seen = [one.head == closed[-1] and (fine or way.unseen) for one, fine in zip(log, good, strict=True)]
    assert seen in ([], [True])
    assert on_base - begun - scene.theirs == {one.made for one in log} & on_base
    assert way.ends in (step["rule"], step["action"])
    assert step["action"] in ENDS
    assert step["action"] != "complete" or any(pull.state == "MERGED" for pull in scene.pulls)


def take(
    when: str, way: Way, account: str, hub: Hub, to: Path, from_: Stages, monkeypatch: pytest.MonkeyPatch
) -> DeliveryScene:  # fmt: skip
    """Give the story to which it is done, delivered by an account of that kind."""
    stage = "judging" if when.startswith("before QA") else "open" if is_pending(when, way) else "closed"
    kind = Kind(issue=True) if way.of_issue else Kind(settings=way.settings)
    scene = from_.take(kind, "closed" if way.of_issue else stage, to, hub, monkeypatch)
    if account == BYPASSES:
        hub.let_bypass(REPOSITORY, "me")
    return scene


def outcome_of(scene: DeliveryScene, step: Any) -> Outcome:
    """Say what came of a delivery, by whatever names: commits and times differ."""
    sent = [(change.method, change.path, change.query.partition("{")[0]) for change in scene.changes]
    return Outcome(step["action"], step["rule"], scene.rules, sent, [pull.state for pull in scene.pulls])


def is_near(when: str, name: str) -> bool:
    """Whether it comes near base's rules or the merge, where what an account may do could count."""
    return "instead of" not in when or "required" in name


CASES = [(when, name) for when, ways in WAYS.items() for name in ways]


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("when", "name"), CASES)
def test_nothing_is_merged_but_what_was_checked_whoever_delivers_it(
    when: str, name: str, shelf: Shelf, stages: dict[str, Bench], surrounded: Path, new_hub: NewHub,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """It ends alike for an account that may bypass base's rules, but for what no program can see before."""
    outcomes = []
    for account in (MEMBER, BYPASSES) if is_near(when, name) else (MEMBER,):
        way = WAYS[when][name]
        with monkeypatch.context() as patch:
            scene = take(when, way, account, new_hub(), tmp_path / account, Stages(shelf, stages), patch)
            if account == BYPASSES:
                way = way._replace(ends=way.bypassed or way.ends, unseen=way.unseen or bool(way.bypassed))
            begun, log = set(scene.actions.git("rev-list", "main").split()), watch(scene, patch)
            step = play(scene, when, way)
            assert_nothing_unchecked_was_merged(scene, way, log, begun, step)
            outcomes.append(outcome_of(scene, step))
    assert outcomes[1:] in ([], outcomes[:1]) or WAYS[when][name].bypassed


def test_at_least_sixty_ways_are_delivered_by_both_accounts() -> None:
    assert sum(is_near(*case) for case in CASES) >= 60
