"""What each option of a delivery's questions says it does, held against what follows when it is answered."""

from collections.abc import Mapping
from typing import Any

import pytest

from baton.rules.pages import table_of
from claims import answer_and_check, see
from delivery.conftest import NewScene
from delivery.scene import REPOSITORY, STORY, DeliveryScene
from delivery.test_before_merge import find
from delivery.test_never_merged import ask, play
from delivery.ways import (
    LATE,
    NEVER_MERGEABLE,
    PENDING,
    RED,
    WAYS,
    Act,
    Way,
    at,
    be_a_bot,
    beside,
    deploy,
    is_to,
    job,
    on_base,
    permit,
    refuse,
    repository,
    unmet,
    when_merged,
)
from fake_github.misbehave import Status
from programs import write_program
from scenes import pass_qa

EACH, FIRST, MEANWHILE = "for each commit that is pushed", "before QA passes the story", "while a job runs"
SETTINGS = {"review/late": LATE}
# Longer than any job may run.
LONG = 7 * 3600


def refuse_pushes(scene: DeliveryScene) -> None:
    write_program(scene.actions.place / "hooks/pre-receive", "exit 1")


def go_a_round(scene: DeliveryScene) -> None:
    """Have something found, settled by a commit, and found again."""
    scene.hub.permit(REPOSITORY, "alice", "write")
    find(scene)
    assert ask(scene)["rule"] == "review/open"
    scene.push({"calc.py": "SUB = 2\n"}, STORY)
    scene.bench.git("fetch", "--quiet", "origin", f"{STORY}:{STORY}")
    assert ask(scene)["agent"] == "baton:qa"
    pass_qa(scene.bench)


MORE: dict[str, tuple[str, Act]] = {
    "push/renamed": (FIRST, repository(name="new")),
    "push/archived": (FIRST, repository(archived=True)),
    "push/rights": (FIRST, permit("me", "read")),
    "push/refused": (FIRST, refuse_pushes),
    "pr/refused": (FIRST, refuse(Status(403, {"message": "Resource not accessible"}), "/pulls", None, "POST")),
    "integrate/issue-closed": (
        FIRST,
        at(is_to("/pulls"), lambda scene: scene.hub.edit_issue(REPOSITORY, 12, by="me", state="closed")),
    ),
    "review/late": (EACH, job()),
    "review/rounds": (MEANWHILE, go_a_round),
    "merge/production": (FIRST, deploy("success", "production")),
    "merge/late": (FIRST, NEVER_MERGEABLE),
    "merge/blocked": (EACH, beside(unmet)),
    "deploy/late": (FIRST, when_merged(deploy(""))),
    "deploy/fail": (FIRST, when_merged(on_base("deploy", **RED))),
    "ci/late": (EACH, job(**PENDING)),
    "ci/none": (EACH, lambda scene: None),
    "ci/suppressed": (EACH, be_a_bot),
}
# Those on which nobody has answered anything yet, and the ways to the other questions.
ASKED = {way.ends: (when, way) for when, ways in WAYS.items() for way in ways.values() if not way.first} | {
    rule: (when, Way(does, rule, SETTINGS.get(rule, "quiet_s: 0"), of_issue=rule.startswith("integrate/")))
    for rule, (when, does) in MORE.items()
}


def play_to(rule: str, scene: DeliveryScene, ways: Mapping[str, tuple[str, Way]] = ASKED) -> Any:
    """Deliver a story until a question is asked, however long that takes; gives that step."""
    step = play(scene, *ways[rule])
    while step["action"] == "wait" and scene.clock[0] < 3 * LONG:
        scene.later(LONG)
        step = ask(scene)
    assert step["rule"] == rule
    return step


STOPS = {row.rule: row.asks for row in (*table_of("delivery").rows, *table_of("checks").rows) if row.asks}
ANSWERS = [(rule, option) for rule, stop in STOPS.items() for option in stop.options]


@pytest.mark.sampled(1, each="option")
@pytest.mark.parametrize(("rule", "option"), ANSWERS)
def test_an_option_does_what_it_says(
    rule: str, option: str, scene_at: NewScene, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    way = ASKED[rule][1]
    scene = request.getfixturevalue("of_issue") if way.of_issue else scene_at(settings=way.settings)
    if any("past all of" in option.does for option in STOPS[rule].options.values()):
        scene.hub.let_bypass(REPOSITORY, "me")  # GitHub refuses it to others
    monkeypatch.setattr("baton.delivery.merge.MOST_ROUNDS", 1)
    asked = play_to(rule, scene)
    pulls = [pull.state for pull in scene.pulls]
    answer_and_check(scene.bench, asked, option, lambda: see(scene.bench, scene.base))
    if option == "abandon":
        assert [pull.state for pull in scene.pulls] == pulls
