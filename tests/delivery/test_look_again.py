"""A question whose cause is gone on GitHub closes itself, with the evidence, once for each head and cause."""

from typing import Any

import pytest

from baton.journal.events import Answered, QuestionClosed
from baton.rules.all_tables import closing_rows
from delivery.conftest import NewScene
from delivery.scene import REPOSITORY, DeliveryScene
from delivery.test_never_merged import ask
from delivery.test_what_answers_do import ASKED, play_to
from delivery.ways import TO_RELEASE, Act, Way, actions, all_of, pull
from fake_github.actions import ACTIONS_APP
from fake_github.merge_rules import required_checks
from fake_github.misbehave import HangUp
from fake_github.request import Request


def run_green(scene: DeliveryScene) -> None:
    """Have all that was run on the head be run again, with all that base requires, and pass."""
    remote, head = scene.actions, scene.head
    scene.hub.faults.clear()
    remote.runs.clear()
    remote.checks = [check for check in remote.checks if check["head_sha"] != head]
    remote.statuses.pop(head, None)
    for name, app in {("test", None), *required_checks(remote)}:
        remote.job(head, name, app=app or ACTIONS_APP)


def end_well(scene: DeliveryScene) -> None:
    """Have all that was run and deployed for the merge commit be there again, and good."""
    for one in (*scene.actions.checks, *scene.actions.runs):
        one["conclusion"] = "success"
    for one in scene.actions.deployments:
        one["state"] = "success"


def queue_again(scene: DeliveryScene) -> None:
    scene.actions.queue.append(scene.pull.number)


# What takes the cause of a question away.
GONE: dict[str, Act] = dict.fromkeys(closing_rows(), run_green) | {
    "pr/closed-by-hand": all_of(pull(state="OPEN"), run_green),
    "pr/retargeted": all_of(pull(base="main"), run_green),
    "review/late": lambda scene: scene.pull.review(by="bot", state="APPROVED"),
    "merge/blocked": all_of(actions(unmet=[]), run_green),
    "merge/dequeued": all_of(queue_again, DeliveryScene.turn_queue),
    "deploy/late": end_well,
    "deploy/fail": end_well,
}


ASKED_WHILE = ASKED | {"pr/retargeted": ("while a job runs, which then passes", Way(TO_RELEASE, "pr/retargeted"))}


def asked(rule: str, scene_at: NewScene) -> DeliveryScene:
    """Give a story with such a question open."""
    scene = scene_at(settings=ASKED_WHILE[rule][1].settings)
    play_to(rule, scene, ASKED_WHILE)
    return scene


def closed(scene: DeliveryScene) -> list[QuestionClosed]:
    return [event for event in scene.bench.state.events if isinstance(event, QuestionClosed)]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("rule", closing_rows())
def test_it_closes_when_its_cause_is_gone_and_stands_until_then(rule: str, scene_at: NewScene) -> None:
    scene = asked(rule, scene_at)
    assert (ask(scene)["rule"], closed(scene)) == (rule, [])
    GONE[rule](scene)
    step = ask(scene)
    (one,) = closed(scene)
    assert (scene.merges, one.rule, bool(one.evidence)) == (1, rule, True)
    assert step["warnings"][0] == f"{rule} needs no answer any more: {one.evidence}"
    assert not [event for event in scene.bench.state.events if isinstance(event, Answered) and event.rule == rule]


@pytest.mark.sampled(1)
def test_a_pull_request_that_was_queued_again_is_waited_for(scene_at: NewScene) -> None:
    scene = asked("merge/dequeued", scene_at)
    queue_again(scene)
    assert (ask(scene)["rule"], scene.merges) == ("merge/queued", 0)


@pytest.mark.sampled(1)
def test_a_draft_shows_nothing_of_the_rules_that_hold_it_back(scene_at: NewScene) -> None:
    scene = asked("merge/blocked", scene_at)
    scene.pull.draft = True
    assert (ask(scene)["rule"], closed(scene)) == ("merge/blocked", [])


@pytest.mark.sampled(1)
@pytest.mark.parametrize("rule", ["ci/unclear", "pr/closed-by-hand"])
def test_a_merge_by_hand_answers_the_question(rule: str, scene_at: NewScene) -> None:
    scene = asked(rule, scene_at)
    GONE["pr/closed-by-hand"](scene)
    scene.pull.merge_commit = scene.actions.merge("main", scene.head, "squash", "by hand")
    scene.pull.state = "MERGED"
    assert ask(scene)["action"] == "complete"
    assert closed(scene)[0].evidence == f"{scene.pull.url} is merged"


@pytest.fixture
def reopened(opened: DeliveryScene) -> DeliveryScene:
    """Give a story whose pull request was closed, and is open again while its check goes on."""
    opened.pull.state = "CLOSED"
    assert opened.next()["rule"] == "pr/closed-by-hand"
    opened.pull.state = "OPEN"
    return opened


def test_the_same_question_closes_once_for_a_head(reopened: DeliveryScene) -> None:
    assert reopened.next()["rule"] == "ci/wait"
    reopened.pull.state = "CLOSED"
    assert reopened.next()["rule"] == "pr/closed-by-hand"
    reopened.pull.state = "OPEN"
    assert (reopened.next()["rule"], len(closed(reopened))) == ("pr/closed-by-hand", 1)
    assert reopened.answer("retry")["rule"] == "ci/wait"


def test_the_question_stands_while_github_is_away(reopened: DeliveryScene) -> None:
    reopened.hub.misbehave(HangUp(), times=None)
    assert (reopened.next()["rule"], closed(reopened)) == ("pr/closed-by-hand", [])
    reopened.hub.faults.clear()
    assert reopened.next()["rule"] == "ci/wait"


def test_a_head_that_has_moved_here_is_not_looked_at(reopened: DeliveryScene) -> None:
    reopened.bench.commit({"more.py": "M = 1\n"}, reopened.story)
    assert (reopened.next()["rule"], closed(reopened)) == ("pr/closed-by-hand", [])


def test_a_later_acceptance_does_not_answer_a_closed_question(scene: DeliveryScene) -> None:
    scene.on_push(lambda sha: scene.actions.job(sha, "lint", "failure"))
    assert scene.deliver()["rule"] == "ci/unclear"
    kept = [*scene.actions.checks], [*scene.actions.runs]
    scene.actions.unmet = ["Commits must have verified signatures."]
    run_green(scene)
    assert scene.next()["rule"] == "merge/held"
    scene.later(601)
    assert scene.next()["rule"] == "merge/blocked"
    scene.actions.checks, scene.actions.runs = kept
    assert (scene.answer("accept")["rule"], scene.merges) == ("ci/unclear", 0)


def test_another_question_asks_github_nothing(early: DeliveryScene) -> None:
    assert early.bench.judge("ESCALATE")["rule"] == "qa/escalate"
    before = len(early.hub.requests)
    assert (early.next()["rule"], len(early.hub.requests)) == ("qa/escalate", before)


# What stands on GitHub


@pytest.fixture
def posted(of_issue_with: NewScene) -> DeliveryScene:
    """Give a story whose question on a cancelled check stands on its pull request."""
    scene = of_issue_with("ask_on: github")
    scene.on_push(lambda sha: scene.actions.job(sha, "@lint", "cancelled"))
    assert scene.deliver()["rule"] == "ci/cancelled"
    return scene


def said(scene: DeliveryScene) -> list[Any]:
    return scene.hub.repository(REPOSITORY).said_on(13)


def test_it_is_marked_answered_there_with_the_evidence(posted: DeliveryScene) -> None:
    url = said(posted)[0].url
    run_green(posted)
    assert posted.next()["action"] == "complete"
    question, mark = said(posted)
    assert mark.body.startswith("`ci/cancelled` is answered, and needs no comment any more: `test` passed")
    assert mark.body.endswith(f"<!-- baton:story 1 closed {url.rpartition('-')[2]} -->")
    posted.next()
    assert (len(said(posted)), "baton:story 1 question" in question.body) == (2, True)


def test_a_mark_that_was_lost_is_made_by_the_next_call(posted: DeliveryScene) -> None:
    def is_comment(request: Request) -> bool:
        return request.method == "POST" and "/comments" in request.path

    run_green(posted)
    posted.begin_job(posted.head)
    posted.hub.misbehave(HangUp(), times=6, when=is_comment)
    assert (posted.next()["rule"], len(said(posted))) == ("ci/wait", 1)
    posted.next()
    posted.next()
    assert len(said(posted)) == 2


def test_the_answer_of_a_person_comes_before_what_github_shows(posted: DeliveryScene) -> None:
    posted.hub.comment(REPOSITORY, 13, by="me", body="/baton abandon")
    run_green(posted)
    assert (posted.next()["action"], posted.bench.state.stage, posted.merges) == ("complete", "abandoned", 0)


def test_while_an_answer_cannot_be_read_nothing_closes(posted: DeliveryScene) -> None:
    def comments(request: Request) -> bool:
        return request.method == "GET" and "/comments" in request.path

    run_green(posted)
    posted.hub.misbehave(HangUp(), times=None, when=comments)
    assert (posted.next()["rule"], closed(posted)) == ("ci/cancelled", [])
    posted.hub.faults.clear()
    assert posted.next()["action"] == "complete"
