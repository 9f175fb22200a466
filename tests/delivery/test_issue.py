"""The issue a story came from hears of it twice: with the pull request, and at the end."""

from dataclasses import replace
from typing import Any

import pytest

from bench import Bench
from delivery.conftest import NewScene
from delivery.scene import ISSUE, REPOSITORY, URL, DeliveryScene
from fake_github.misbehave import Fault, HangUp, Meanwhile, Status

pytestmark = pytest.mark.sampled(2)


def finish(scene: DeliveryScene) -> None:
    step = scene.deliver()
    while step["action"] == "wait":
        step = scene.next()
    assert step["action"] == "complete"


def test_it_is_named_as_closed_by_the_pull_request_and_told_twice(of_issue: DeliveryScene) -> None:
    finish(of_issue)
    started, ended = of_issue.said
    assert "Closes #12" in of_issue.pull.body
    assert started == f"Worked on as story 1: {URL}/pull/13\n\n<!-- baton:story 1 started -->"
    assert ended.startswith("Merged into main as ")


@pytest.mark.parametrize("fault", [HangUp(applied=True), HangUp(), Status(502, applied=True)], ids=str)
@pytest.mark.parametrize("which", [0, 1])
def test_a_lost_answer_leaves_no_second_comment(which: int, fault: Fault, of_issue: DeliveryScene) -> None:
    of_issue.hub.misbehave(
        fault, after=which, when=lambda one: one.path.endswith("/comments") and one.method == "POST"
    )
    finish(of_issue)
    assert len({one.rpartition("<!--")[2] for one in of_issue.said}) == len(of_issue.said)


def test_a_locked_issue_holds_nothing_up(of_issue: DeliveryScene) -> None:
    of_issue.hub.misbehave(
        Status(403, {"message": "Unable to create comment because issue is locked."}), times=None,
        when=lambda one: one.path.endswith("/comments"),
    )  # fmt: skip
    finish(of_issue)
    assert of_issue.said == []


def test_a_story_of_no_issue_writes_nowhere(scene: DeliveryScene) -> None:
    finish(scene)
    assert not [change for change in scene.changes if change.path.endswith("/comments")]


@pytest.fixture
def stopped(of_issue: DeliveryScene) -> DeliveryScene:
    """Give a story whose pull request is open, with a question about a check that was cancelled."""
    of_issue.on_push(lambda sha: of_issue.actions.job(sha, conclusion="cancelled"))
    assert of_issue.deliver()["rule"] == "ci/cancelled"
    return of_issue


def test_an_abandoned_story_leaves_its_pull_request_open_and_says_so(stopped: DeliveryScene) -> None:
    said_here = stopped.bench.baton("answer", "1", "abandon").out
    assert (
        said_here == f"abandoned; its branch {stopped.story} stays; its pull request stays open: {URL}/pull/13\n"
    )
    assert (stopped.pull.state, len(stopped.said)) == ("OPEN", 2)
    assert stopped.said[1].startswith(f"Abandoned; its pull request stays open: {URL}/pull/13\n")


def test_it_is_told_at_the_next_chance_and_once(stopped: DeliveryScene) -> None:
    stopped.hub.misbehave(HangUp(), times=None)
    assert "stays open" in stopped.bench.baton("answer", "1", "abandon").out
    stopped.hub.faults.clear()
    for _ in range(2):
        stopped.bench.baton("answer", "1", "abandon")
    assert len(stopped.said) == 2


def test_one_that_was_closed_by_hand_is_not_called_open(stopped: DeliveryScene) -> None:
    stopped.pull.state = "CLOSED"
    assert stopped.answer("retry")["rule"] == "pr/closed-by-hand"
    assert "open" not in stopped.bench.baton("answer", "1", "abandon").out
    assert stopped.said[1].startswith("Abandoned\n")


def test_one_without_a_pull_request_tells_its_issue_nothing(of_issue_with: NewScene) -> None:
    of_issue = of_issue_with()
    of_issue.bench.judge("ESCALATE")
    assert of_issue.bench.baton("answer", "1", "abandon").out == f"abandoned; its branch {of_issue.story} stays\n"
    assert of_issue.said == []


def test_in_mode_pr_the_issue_hears_of_the_pull_request_and_no_more(of_issue_with: NewScene) -> None:
    scene = of_issue_with(mode="pr")
    assert scene.deliver()["action"] == "complete"
    assert [one.partition(":")[0] for one in scene.said] == ["Worked on as story 1"]


# The issue is read again before what cannot be taken back

CHANGED = ISSUE.body.replace("is 1", "is one") if ISSUE.body else ""
BEFORE = {"opening": "/pulls", "merging": "/check-runs"}


def change(scene: DeliveryScene, when: str, **changes: str) -> None:
    """Have the issue changed after QA's gate has read it, before the pull request is opened or merged."""
    edit = Meanwhile(lambda: scene.hub.edit_issue(REPOSITORY, 12, by="me", **changes))
    scene.hub.misbehave(edit, when=lambda one: one.path.endswith(BEFORE[when]))


def asked(scene: DeliveryScene, rule: str) -> Any:
    step = scene.deliver()
    assert (step["rule"], step["question"] is not None) == (rule, True)
    return step


@pytest.mark.parametrize("when", BEFORE)
def test_another_text_once_accepted_is_judged_by_and_delivered(when: str, of_issue: DeliveryScene) -> None:
    change(of_issue, when, body=CHANGED)
    step = asked(of_issue, "integrate/criteria-changed")
    assert [pull.state for pull in of_issue.pulls] == ["OPEN"] * (when == "merging")
    assert "│ +- sub(3, 2) is one" in step["question"]["quote"]
    assert of_issue.answer("accept")["agent"] == "baton:qa"
    finish(of_issue)
    assert of_issue.pull.state == "MERGED"
    assert "is one" in of_issue.actions.git("show", "main:specs/1_subtract-numbers/story.md")


@pytest.mark.parametrize("when", BEFORE)
def test_left_alone_it_is_not_asked_about_again(when: str, of_issue: DeliveryScene) -> None:
    change(of_issue, when, title="Subtract")
    asked(of_issue, "integrate/criteria-changed")
    assert (of_issue.answer("restore")["action"], of_issue.pull.state) == ("complete", "MERGED")


@pytest.mark.parametrize("when", BEFORE)
def test_one_that_was_closed_meanwhile_is_asked_about_once(when: str, of_issue: DeliveryScene) -> None:
    change(of_issue, when, state="closed")
    assert f"{URL}/issues/12 is closed" in asked(of_issue, "integrate/issue-closed")["reason"]
    assert [pull.state for pull in of_issue.pulls] == ["OPEN"] * (when == "merging")
    assert (of_issue.answer("accept")["action"], of_issue.pull.state) == ("complete", "MERGED")


def test_one_that_is_gone_is_asked_about_too(of_issue: DeliveryScene) -> None:
    gone = Status(410, {"message": "This issue was deleted"})
    of_issue.hub.misbehave(gone, times=2, when=lambda one: one.path.endswith("/issues/12"))
    assert "is gone" in asked(of_issue, "integrate/issue-closed")["reason"]


def test_in_a_merge_queue_it_is_read_before_it_is_put_there(of_issue: DeliveryScene) -> None:
    of_issue.actions.rules = [{"type": "merge_queue"}]
    change(of_issue, "merging", body=CHANGED)
    asked(of_issue, "integrate/criteria-changed")
    assert of_issue.actions.queue == []


def test_before_the_merge_an_issue_that_cannot_be_read_is_an_error(of_issue: DeliveryScene) -> None:
    of_issue.hub.misbehave(Status(502), times=None, after=1, when=lambda one: one.path.endswith("/issues/12"))
    of_issue.pass_qa()
    assert "no answer in time (502)" in of_issue.bench.baton("next", "1").refused
    assert of_issue.pull.state == "OPEN"


def test_an_issue_of_another_repository_is_closed_by_its_whole_name(of_issue: DeliveryScene) -> None:
    there, bench = of_issue.hub.repository("octo/other"), Bench(of_issue.bench.root, "2")
    there.issues[7] = ISSUE._replace(author=of_issue.hub.actor("me"))
    of_issue.hub.permit("octo/other", "me", "write")
    bench.baton("start", "-", stdin="https://github.com/octo/other/issues/7")
    bench.plan()
    bench.implement()
    scene = replace(of_issue, bench=bench, story="story/2-subtract-numbers")
    scene.on_push(scene.actions.job)
    finish(scene)
    assert "\n\nCloses octo/other#7\n\n" in scene.pull.body
    assert len(there.issue_comments[7]) == 2
