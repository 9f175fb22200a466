"""A question stands on GitHub once, and is answered there by whoever may push, and by nobody else."""

from typing import Any

import pytest

from baton.github.client import GitHub
from baton.journal.events import Answered
from bench import verdict_on
from delivery.conftest import NewScene
from delivery.scene import REPOSITORY, URL, DeliveryScene
from delivery.ways import RED, all_of, each, job, repository, require, unmet
from fake_github.misbehave import Fault, HangUp, Status
from fake_github.request import Request
from killing import Killed, Killer

pytestmark = pytest.mark.sampled(3)
ASKS = "ask_on: github"
COMMENTS = "/comments"


@pytest.fixture
def scene(of_issue_with: NewScene) -> DeliveryScene:
    """Give a story of an issue, whose questions go to GitHub, and which QA is about to pass."""
    return of_issue_with(ASKS)


@pytest.fixture
def asked(scene: DeliveryScene) -> DeliveryScene:
    """Give a story whose question stands on its issue: QA cannot tell, and alice may push."""
    scene.hub.permit(REPOSITORY, "alice", "write")
    scene.bench.judge("ESCALATE", "which @sign, of #3?")
    return scene


def said(scene: DeliveryScene, number: int = 12) -> list[str]:
    return [one.body for one in scene.hub.repository(REPOSITORY).said_on(number)]


def url_of(scene: DeliveryScene) -> str:
    return scene.hub.repository(REPOSITORY).said_on(12)[0].url


def comment(scene: DeliveryScene, body: str, by: str = "alice", number: int = 12) -> Any:
    return scene.hub.comment(REPOSITORY, number, by=by, body=body)


def answers(scene: DeliveryScene) -> list[Answered]:
    return [
        event for event in scene.bench.state.events if isinstance(event, Answered) and event.rule == "qa/escalate"
    ]


# What is posted, and where


def test_the_question_is_posted_once_with_why_the_options_and_how_to_answer(asked: DeliveryScene) -> None:
    asked.next()
    (text,) = said(asked)
    assert "\n> QA says ESCALATE: which @ sign, of # 3?" in text
    assert "- `/baton accept`: takes it as passed" in text
    assert text.endswith(f"<!-- baton:story 1 question {asked.bench.state.asked_seq} -->")


def test_the_step_says_where_it_stands(asked: DeliveryScene) -> None:
    text = asked.bench.baton("next", "1").out
    assert f"\nPOSTED {url_of(asked)}: a comment there can answer, too" in text
    assert asked.bench.baton("question", "1", "--json").json["posted"] == url_of(asked)


def test_without_the_setting_it_stays_in_the_client(of_issue_with: NewScene) -> None:
    scene = of_issue_with()
    step = scene.bench.judge("ESCALATE")
    assert (step["rule"], said(scene), "posted" in step["question"]) == ("qa/escalate", [], False)


def test_a_story_of_no_issue_posts_nothing_and_says_nothing(early: DeliveryScene) -> None:
    early.settle(ASKS)
    before = len(early.hub.requests)
    step = early.bench.judge("ESCALATE")
    assert (step["rule"], step["warnings"], len(early.hub.requests)) == ("qa/escalate", [], before)


def test_the_question_which_commands_may_run_is_asked_here_alone(scene: DeliveryScene) -> None:
    scene.bench.settle("test.sh", "test.sh -v")
    scene.bench.git("push", "--quiet", "origin", "main")
    assert scene.deliver()["rule"] == "start/commands"
    assert said(scene) == []


def test_a_protected_file_is_asked_about_here_alone(scene: DeliveryScene) -> None:
    scene.bench.judge("FAIL", "no workflow")
    step = scene.bench.implement({".github/workflows/ci.yml": "on: push\n"})
    assert (step["rule"], said(scene)) == ("run/protected", [])


def test_a_question_is_posted_on_the_open_pull_request(scene: DeliveryScene) -> None:
    scene.on_push(lambda sha: scene.actions.job(sha, conclusion="cancelled"))
    step = scene.deliver()
    assert step["question"]["posted"].startswith(f"{URL}/pull/13#issuecomment-")
    assert [len(said(scene, number)) for number in (12, 13)] == [1, 1]


def test_a_question_is_posted_on_the_issue_if_the_pull_request_is_closed(scene: DeliveryScene) -> None:
    scene.on_push(lambda sha: scene.actions.job(sha, status="in_progress"))
    scene.deliver()
    scene.pull.state = "CLOSED"
    assert scene.next()["rule"] == "pr/closed-by-hand"
    assert [len(said(scene, number)) for number in (12, 13)] == [2, 0]


def test_an_issue_of_another_repository_is_not_written_to(of_issue_with: NewScene) -> None:
    scene = of_issue_with(ASKS, repository="eve/app")
    step = scene.bench.judge("ESCALATE")
    assert (step["rule"], step["warnings"], scene.changes) == ("qa/escalate", [], [])


def test_a_question_that_looks_like_a_secret_is_not_posted(scene: DeliveryScene) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    scene.bench.insist("qa-report", verdict_on(2, "ESCALATE", token))
    step = scene.bench.end()
    assert (said(scene), len(step["warnings"])) == ([], 1)
    assert "looks like a secret" in step["warnings"][0]


# Who answers


def test_a_comment_of_somebody_who_may_push_is_the_answer(asked: DeliveryScene) -> None:
    given = comment(asked, "/baton retry mind the sign\nand the order")
    step = asked.next()
    assert (step["agent"], step["reason"]) == ("baton:qa", "alice answered `retry` to qa/escalate")
    assert step["warnings"] == [f"alice answered `retry` on GitHub: {given.url}"]
    assert "> mind the sign\n> and the order" in asked.bench.brief


def test_the_journal_and_the_report_name_who_answered_where(asked: DeliveryScene) -> None:
    given = comment(asked, "/baton accept")
    step = asked.next()
    (answer,) = answers(asked)
    assert answer.said == {"how": "github", "who": "alice", "at": given.created_at, "url": given.url}
    assert step["action"] == "complete"
    told = f"`qa/escalate`: accept, by alice on GitHub (`{given.url}`)"
    assert told in asked.actions.git("show", "main:specs/1_subtract-numbers/1.completion-report.md")


def test_the_users_own_account_may_answer(asked: DeliveryScene) -> None:
    comment(asked, "/baton retry", by="me")
    assert asked.next()["agent"] == "baton:qa"


NOBODY = {
    "a stranger": ("/baton accept", "eve"),
    "a wrong option": ("/baton merge", "alice"),
    "a quote": ("> /baton accept", "alice"),
    "code": ("```\n/baton accept\n```", "alice"),
    "words before it": ("please /baton accept", "alice"),
    "baton's own mark": ("/baton accept\n<!-- baton:story 1 question 9 -->", "me"),
}


@pytest.mark.parametrize("case", NOBODY)
def test_anything_else_is_ignored_and_the_next_one_counts(case: str, asked: DeliveryScene) -> None:
    comment(asked, *NOBODY[case])
    assert asked.next()["rule"] == "qa/escalate"
    comment(asked, "/baton retry")
    assert asked.next()["agent"] == "baton:qa"
    assert len(said(asked)) == 3 + (case == "a wrong option")  # which is told what would be one


UNHEARD = {
    "no option": ("/baton: accept", "alice", 1), "two options": ("/baton accept\n/baton retry", "alice", 1),
    "an answer": ("/baton Accept.", "alice", 0), "nothing to baton": ("fine by me", "alice", 0),
    "a stranger": ("/baton: accept", "eve", 0),
}  # fmt: skip


@pytest.mark.parametrize("case", UNHEARD)
def test_a_line_not_understood_gets_one_answer_that_says_what_would_be(case: str, asked: DeliveryScene) -> None:
    body, by, told = UNHEARD[case]
    given = comment(asked, body, by)
    asked.next()
    asked.next()
    replies = [text for text in said(asked) if text.startswith("The comment ")]
    assert len(replies) == told
    for text in replies:
        assert text.startswith(f"The comment {given.url} has no answer that counts. Write a new one")
        assert "\n- `/baton accept`: takes it as passed" in text


def test_each_line_that_was_not_understood_is_answered_and_an_edited_one(asked: DeliveryScene) -> None:
    given = comment(asked, "/baton take it")
    asked.next()
    asked.hub.edit(comment(asked, "/baton acept"), by="alice", body="/baton accept")
    asked.next()
    assert [text.startswith("The comment") for text in said(asked)] == [False, False, True, False, True]
    assert given.url in said(asked)[2]
    comment(asked, "/baton accept")
    assert asked.next()["action"] == "complete"


def test_a_bot_answers_nothing(asked: DeliveryScene) -> None:
    bot = asked.hub.actor("helper", "Bot")
    asked.hub.permit(REPOSITORY, bot, "write")
    asked.hub.comment(REPOSITORY, 12, by=bot, body="/baton accept")
    assert asked.next()["rule"] == "qa/escalate"


def test_an_edited_comment_answers_nothing(asked: DeliveryScene) -> None:
    given = comment(asked, "looks odd")
    asked.hub.edit(given, by="alice", body="/baton accept")
    assert asked.next()["rule"] == "qa/escalate"


def test_the_first_of_two_answers_counts_and_the_second_answers_no_later_question(asked: DeliveryScene) -> None:
    comment(asked, "/baton retry")
    comment(asked, "/baton accept")
    assert asked.next()["agent"] == "baton:qa"
    assert asked.bench.judge("ESCALATE")["rule"] == "qa/escalate"
    assert asked.next()["rule"] == "qa/escalate"
    assert [answer.option for answer in answers(asked)] == ["retry"]


def test_a_comment_before_the_question_is_no_answer(scene: DeliveryScene) -> None:
    early = comment(scene, "/baton accept", by="me")
    scene.bench.judge("ESCALATE")
    early.created_at = scene.hub.repository(REPOSITORY).said_on(12)[1].created_at  # in the same second
    assert scene.next()["rule"] == "qa/escalate"


def test_answered_in_the_client_nothing_more_is_written_or_taken(asked: DeliveryScene) -> None:
    step = asked.answer("retry")
    comment(asked, "/baton accept")
    assert (step["agent"], asked.next()["action"], len(said(asked))) == ("baton:qa", "wait", 2)
    assert [answer.said["how"] for answer in answers(asked)] == ["terminal"]


def test_abandoned_there_the_story_ends_and_that_is_the_step(asked: DeliveryScene) -> None:
    comment(asked, "/baton abandon")
    step = asked.next()
    assert (step["action"], step["report"]) == ("complete", None)
    assert step["reason"].startswith("alice answered `abandon` on GitHub (")
    assert "it was abandoned" in asked.bench.baton("next", "1").refused


def test_neither_the_question_nor_its_answer_is_feedback_on_the_pull_request(scene: DeliveryScene) -> None:
    scene.on_push(lambda sha: scene.actions.job(sha, conclusion="cancelled"))
    scene.deliver()
    scene.actions.job(scene.head)
    scene.actions.runs.clear()
    scene.actions.checks.pop(0)
    comment(scene, "/baton retry it was run again by hand, look once more", "me", 13)
    step = scene.next()
    assert (step["action"], scene.pull.state) == ("complete", "MERGED")


def test_the_command_that_notifies_is_given_the_place(of_issue_with: NewScene) -> None:
    scene = of_issue_with(f"{ASKS}\nnotify: 'echo \"$BATON_URL\" >> told'")
    scene.bench.judge("ESCALATE")
    comment(scene, "/baton accept", by="me")
    assert scene.next()["action"] == "complete"
    told = (scene.bench.journal.parent / "told").read_text().splitlines()
    assert told == [url_of(scene), f"{URL}/pull/13"]


# GitHub is away, or the process dies


def posts(request: Request) -> bool:
    return request.method == "POST" and request.path.endswith(COMMENTS)


def test_a_question_is_asked_here_with_one_warning_while_github_is_away(scene: DeliveryScene) -> None:
    scene.hub.misbehave(HangUp(), times=None)
    step = scene.bench.judge("ESCALATE")
    assert (step["rule"], len(step["warnings"])) == ("qa/escalate", 1)
    scene.hub.faults.clear()
    assert (scene.next()["warnings"], len(said(scene))) == ([], 1)


@pytest.mark.parametrize("fault", [HangUp(applied=True), HangUp(), Status(502, applied=True)], ids=str)
def test_a_lost_answer_leaves_one_question(fault: Fault, scene: DeliveryScene) -> None:
    scene.hub.misbehave(fault, when=posts)
    scene.bench.judge("ESCALATE")
    assert scene.next()["question"]["posted"] == url_of(scene)
    assert len(said(scene)) == 1


def test_a_locked_issue_is_told_once_and_not_tried_again(scene: DeliveryScene) -> None:
    scene.hub.misbehave(Status(403, {"message": "issue is locked"}), times=None, when=posts)
    assert "issue is locked" in scene.bench.judge("ESCALATE")["warnings"][0]
    tried = len(scene.changes)
    assert (scene.next()["warnings"], len(scene.changes)) == ([], tried)


@pytest.mark.parametrize("posted", [False, True], ids=["before the post", "after it"])
def test_a_killed_post_is_there_once(posted: bool, scene: DeliveryScene, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(GitHub, "post", Killer(1, posted).around("post", GitHub.post))
        with pytest.raises(Killed):
            scene.bench.judge("ESCALATE")
    assert scene.next()["question"]["posted"] == url_of(scene)
    assert len(said(scene)) == 1


# What merges past base's rules


RULED = {
    "merge/blocked": unmet, "ci/required": all_of(require("test"), each(job(**RED))),
    "review/late": repository(approvals=1),
}  # fmt: skip


@pytest.mark.parametrize("rule", RULED)
def test_an_account_that_may_only_push_merges_nothing_past_the_rules(rule: str, of_issue_with: NewScene) -> None:
    scene = of_issue_with(ASKS, stage="closed")
    scene.hub.permit(REPOSITORY, "alice", "write")
    scene.hub.let_bypass(REPOSITORY, "me")
    RULED[rule](scene)
    step = scene.deliver()
    while step["action"] == "wait":
        scene.later(260_000)
        step = scene.next()
    assert step["rule"] == rule
    assert ("`accept` is answered where the story runs" in said(scene, 13)[0]) == (rule != "review/late")
    comment(scene, "/baton accept", number=13)
    assert (scene.next()["rule"] in (rule, "merge/held"), scene.merges) == (True, 0)
