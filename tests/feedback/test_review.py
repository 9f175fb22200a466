"""Replies to threads go out as one review, each once, whatever is lost, refused or killed on the way."""

from contextlib import suppress
from typing import Any

import pytest

from baton.errors import BatonError
from baton.feedback.land.review import ReviewPoster
from baton.feedback.store.outbox import ALREADY_DONE, DELETED, DONE
from baton.feedback.text.comment_marks import make_mark
from fake_github.misbehave import Errors, Fault, HangUp, Meanwhile, Rewrite
from fake_github.request import Request
from fake_github.state import Review, Thread
from feedback.desk import ReplyDesk, item_of
from feedback.said import ROUND

pytestmark = [pytest.mark.sampled(14), pytest.mark.gh]


def threads(desk: ReplyDesk, number: int = 2) -> list[Thread]:
    return [desk.pull.thread("src/a.py", line, by="alice", body="rename this") for line in range(1, number + 1)]


def answer(desk: ReplyDesk, *said: Thread, **more: Any) -> list[str]:
    return [one.how for one in desk.reply_all(*map(item_of, said), **more)]


def sent(desk: ReplyDesk) -> list[str]:
    """Return the names of the mutations that were sent, and the paths of all else that changes something."""
    return [change.query.split("(")[0].split()[-1] if change.query else change.path for change in desk.changes]


def mails(desk: ReplyDesk) -> list[Review]:
    """Return the reviews of the viewer that others see: each is a mail."""
    own = (review for review in desk.pull.reviews if review.author is desk.hub.viewer)
    return [one for one in own if one.state != "PENDING" and not one.deleted]


def is_sending(name: str) -> Any:
    def when(request: Request) -> bool:
        return f"mutation {name}(" in request.query

    return when


def test_replies_to_several_threads_are_one_review(desk: ReplyDesk) -> None:
    said = threads(desk)
    assert answer(desk, *said) == [DONE, DONE]
    assert sent(desk) == ["BeginReview", "DraftReplies", "SubmitReview"]
    assert (len(mails(desk)), desk.replies) == (1, sorted(one.id for one in said))
    assert [one.comments[-1].body for one in said] == [
        f"Done.\n\n{make_mark(one.id, 'fixed', ROUND)}" for one in said
    ]


def test_one_reply_needs_no_review_and_singles_are_there_for_who_wants_them(desk: ReplyDesk) -> None:
    said = threads(desk, 3)
    assert answer(desk, said[0]) == [DONE]
    assert answer(desk, *said[1:], as_review=False) == [DONE, DONE]
    assert all(one.endswith("/replies") for one in sent(desk))


def test_a_comment_beside_them_is_answered_below_the_pull_request(desk: ReplyDesk) -> None:
    said, comment = threads(desk), desk.pull.comment(by="alice", body="please")
    outcomes = desk.reply_all(*map(item_of, said), item_of(comment))
    assert ([outcome.how for outcome in outcomes], len(mails(desk))) == ([DONE] * 3, 1)
    assert sent(desk)[-1].endswith("/issues/7/comments")


def test_a_hundred_replies_take_nine_requests(desk: ReplyDesk) -> None:
    said = threads(desk, 100)
    desk.read_pull()
    assert answer(desk, *said) == [DONE] * 100
    assert (len(desk.changes), len(desk.hub.requests) <= 9) == (6, True)


def test_the_whole_once_more_changes_nothing(desk: ReplyDesk) -> None:
    said = threads(desk)
    answer(desk, *said)
    before = sent(desk)
    assert (answer(desk, *said), sent(desk)) == ([ALREADY_DONE] * 2, before)


# What is lost, or killed


@pytest.mark.parametrize("fault", [
    HangUp(), HangUp(applied=True), Rewrite(lambda request, whole: {}), Rewrite(lambda request, whole: []),
], ids=["before", "after", "not what was asked", "a list"])  # fmt: skip
@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("name", ["BeginReview", "DraftReplies", "SubmitReview"])
def test_whatever_is_lost_each_reply_is_there_once(desk: ReplyDesk, name: str, times: int, fault: Fault) -> None:
    said = threads(desk)
    desk.hub.misbehave(fault, times=times, when=is_sending(name))
    for _ in range(3):
        with suppress(BatonError):
            answer(desk, *said)
    assert (desk.replies, len(mails(desk))) == (sorted(one.id for one in said), 1)
    assert desk.pull.pending_review(desk.hub.viewer) is None


@pytest.mark.parametrize("at", ["_fill", "_read", "_submit"])
def test_a_draft_of_a_killed_call_is_deleted(desk: ReplyDesk, at: str, monkeypatch: pytest.MonkeyPatch) -> None:
    said = threads(desk)
    with monkeypatch.context() as patch:
        patch.setattr(ReviewPoster, at, killed)
        with pytest.raises(KeyboardInterrupt):
            answer(desk, *said)
    assert desk.pull.pending_review(desk.hub.viewer)
    assert (answer(desk, *said), sent(desk)[-4:]) == (
        [DONE] * 2,
        ["DiscardReview", "BeginReview", "DraftReplies", "SubmitReview"],
    )
    assert (desk.replies, len(mails(desk))) == (sorted(one.id for one in said), 1)


def killed(*given: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    "body", ["not sent yet", make_mark("PRRT_1", "fixed", "r0")], ids=["the user's", "of another round"]
)
def test_a_draft_with_anything_else_in_it_stays_and_stops_all(desk: ReplyDesk, body: str) -> None:
    said = threads(desk)
    draft = desk.pull.review(by="me", state="PENDING")
    desk.pull.say(said[0], by="me", body=body, review=draft)
    with pytest.raises(BatonError, match=r"begun a review and not sent it.*submit or discard"):
        answer(desk, *said)
    assert (desk.changes, draft.deleted) == ([], False)


# What is refused


def test_replies_go_one_by_one_if_no_review_can_be_begun(desk: ReplyDesk) -> None:
    said = threads(desk)
    desk.hub.misbehave(Errors(("Not here",)), when=is_sending("BeginReview"))
    assert answer(desk, *said) == [DONE, DONE]
    assert (len(mails(desk)), desk.replies) == (2, sorted(one.id for one in said))


def test_a_reply_that_the_review_does_not_take_is_checked_by_itself(desk: ReplyDesk) -> None:
    gone, *rest = threads(desk, 3)
    desk.hub.misbehave(
        Meanwhile(lambda: setattr(gone.comments[0], "deleted", True)), when=is_sending("DraftReplies")
    )
    assert answer(desk, gone, *rest) in ([DONE, DONE, DELETED], [DELETED, DONE, DONE])
    assert desk.replies == sorted(one.id for one in rest)
