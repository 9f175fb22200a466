"""Every reply and every resolved thread is there once, whatever is lost, refused or killed on the way."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from baton.errors import BatonError
from baton.feedback.fetch.item import Item
from baton.feedback.land.resolve import ResolveRules
from baton.feedback.store.outbox import (
    ALREADY_DONE,
    DELETED,
    DONE,
    MOVE_ASIDE,
    SKIPPED,
    Outbox,
    damaged_journals,
    open_outbox,
)
from baton.feedback.text.comment_marks import make_mark, marks_in
from baton.github.client import GitHub
from fake_github import misbehave
from fake_github.hub import Hub
from fake_github.misbehave import Fault, HangUp, Meanwhile, Rewrite, Status
from fake_github.request import Request
from fake_github.state import Text, Thread
from feedback.desk import ReplyDesk, desk_at, item_of
from feedback.said import ROUND

pytestmark = pytest.mark.sampled(22)


@pytest.fixture
def begun(desk: ReplyDesk) -> Thread:
    """Give a thread of alice's."""
    return thread(desk)


@pytest.fixture
def said(desk: ReplyDesk) -> Text:
    """Give a comment of alice's on the pull request as a whole."""
    return desk.pull.comment(by="alice", body="please")


@pytest.fixture
def ours(desk: ReplyDesk) -> Thread:
    """Give a thread that holds a reply of this round."""
    return answered(desk)[0]


def thread(desk: ReplyDesk, by: str = "alice", **more: Any) -> Thread:
    return desk.pull.thread("src/a.py", 1, by=by, body="rename this", **more)


def hows(outcomes: list[Any]) -> list[str]:
    return [outcome.how for outcome in outcomes]


# Where a reply goes


def test_a_thread_is_answered_in_the_thread(desk: ReplyDesk) -> None:
    begun, other = thread(desk), thread(desk)
    begun.reply(by="bob", body="indeed")
    [outcome] = desk.reply(item_of(begun))
    assert begun.comments[-1].body == f"Done.\n\n{make_mark(begun.id, 'fixed', ROUND)}"
    assert (outcome.how, outcome.url) == (DONE, begun.comments[-1].url)
    assert (len(other.comments), desk.pull.comments) == (1, [])


def test_everything_else_is_answered_below_the_pull_request(desk: ReplyDesk) -> None:
    review, comment = desk.pull.review(by="alice", body="Split it."), desk.pull.comment(by="alice", body="please")
    items = [item_of(review), item_of(review, "Name the unit."), item_of(comment)]
    outcomes, posted = desk.reply(*items, verdict="replied"), desk.pull.comments[1:]
    assert [one.body for one in posted] == [f"Done.\n\n{make_mark(one.id, 'replied', ROUND)}" for one in items]
    assert [(outcome.how, outcome.url) for outcome in outcomes] == [(DONE, one.url) for one in posted]


def test_an_enterprise_host_is_no_other(enterprise: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = desk_at(enterprise, tmp_path, monkeypatch)
    assert hows(desk.land(thread(desk), desk.pull.comment(by="alice", body="please"))) == [DONE] * 3
    assert all(request.path.startswith("/api/") for request in desk.hub.requests)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("text", [
    "@/etc/passwd", "@-", "-", "true", "null", "{owner}", "fixes `x`\n\n```py\na = 1\n```", r"\u001b \n é 🎉",
])  # fmt: skip
def test_a_text_arrives_byte_for_byte(desk: ReplyDesk, text: str, begun: Thread) -> None:
    desk.reply(item_of(begun), text=text)
    assert begun.comments[-1].body == f"{text}\n\n{make_mark(begun.id, 'fixed', ROUND)}"


# Once


def test_the_whole_once_more_changes_nothing(desk: ReplyDesk) -> None:
    review = desk.pull.review(by="alice", body="Split it.")
    said: list[Thread | Text] = [thread(desk), thread(desk), desk.pull.comment(by="alice", body="please"), review]
    assert hows(desk.land(*said)) == [DONE] * 6
    before = len(desk.changes)
    assert (before, hows(desk.land(*said))) == (5, [ALREADY_DONE] * 6)
    assert (len(desk.changes), desk.replies) == (before, sorted(one.id for one in said))


@pytest.mark.parametrize("verdict", ["fixed", "replied"], ids=["the same", "with another verdict and text"])
def test_a_reply_of_this_round_is_found_without_a_journal(desk: ReplyDesk, verdict: str, begun: Thread) -> None:
    desk.reply(item_of(begun), verdict="fixed")
    desk.forget()
    [found] = desk.reply(item_of(begun), verdict=verdict, text="Said otherwise.")
    assert (found.how, found.url) == (ALREADY_DONE, begun.comments[-1].url)
    assert len(desk.changes) == 1


def test_another_round_is_another_reply(desk: ReplyDesk, begun: Thread) -> None:
    desk.reply(item_of(begun))
    assert hows(desk.reply(item_of(begun), round="r2")) == [DONE]
    assert desk.replies == [begun.id] * 2


def test_a_reply_that_was_deleted_is_not_posted_again(desk: ReplyDesk, begun: Thread) -> None:
    desk.reply(item_of(begun))
    begun.comments[-1].deleted = True
    [outcome] = desk.reply(item_of(begun))
    assert (outcome.how, outcome.why, len(desk.changes)) == (ALREADY_DONE, "posted before", 1)


@pytest.mark.parametrize(("by", "round"), [
    ("stranger", f" round={ROUND}"), ("stranger", " round=r0"), ("me", f" round={ROUND}x"), ("me", ""),
])  # fmt: skip
def test_only_a_mark_of_ones_own_in_this_round_counts(
    desk: ReplyDesk, by: str, round: str, begun: Thread, said: Text
) -> None:
    text = "<!-- baton:reply id={} verdict=fixed{} -->"
    begun.reply(by=by, body=text.format(begun.id, round))
    desk.pull.comment(by=by, body=text.format(said.id, round))
    assert hows(desk.reply(item_of(begun), item_of(said))) == [DONE, DONE]


def test_a_deleted_comment_gets_no_reply(desk: ReplyDesk, begun: Thread, said: Text) -> None:
    review = desk.pull.review(by="alice", body="Split it.")
    begun.comments[0].deleted = said.deleted = review.deleted = True
    items = [item_of(begun), item_of(said), item_of(review), item_of(review, "Name it.")]
    assert (hows(desk.reply(*items)), desk.changes) == ([DELETED] * 4, [])


def test_whoever_spoke_since_we_resolved_a_thread_is_answered(desk: ReplyDesk, begun: Thread) -> None:
    desk.reply(item_of(begun))
    begun.resolved = True
    begun.reply(by="alice", body="It still fails.")
    assert hows(desk.reply(item_of(begun), round="r2")) == [DONE]
    assert desk.replies == [begun.id] * 2


def test_a_thread_somebody_resolved_meanwhile_is_left_alone(desk: ReplyDesk) -> None:
    [outcome] = desk.reply(item_of(thread(desk, resolved=True)))
    assert (outcome.how, outcome.why, desk.changes) == (SKIPPED, "its thread was resolved meanwhile", [])


# Parts of one body


def parts(desk: ReplyDesk, number: int = 2, words: str = "Nitpick") -> list[Item]:
    review = desk.pull.review(by="coderabbitai", body="Some nitpicks.")
    return [item_of(review, f"{words} {one}.") for one in range(number)]


def texts(desk: ReplyDesk) -> list[str]:
    return [
        comment.body for comment in desk.pull.comments if comment.author is desk.hub.viewer and not comment.deleted
    ]


def test_all_parts_of_a_body_are_answered_in_one_comment_that_names_it_once(desk: ReplyDesk) -> None:
    first, second = parts(desk)
    [other] = parts(desk, 1, "Another")
    assert hows(desk.reply_all(first, second, other)) == [DONE] * 3
    done = {one.id: f"Done.\n\n{make_mark(one.id, 'fixed', ROUND)}" for one in (first, second, other)}
    both = f"About {first.url}\n\n{done[first.id]}\n\n{done[second.id]}"
    assert texts(desk) == [both, f"About {other.url}\n\n{done[other.id]}"]


def test_a_part_whose_answer_is_there_is_left_out(desk: ReplyDesk) -> None:
    first, *others = parts(desk, 3)
    desk.reply(first)
    desk.forget()
    assert hows(desk.reply_all(first, *others)) == [ALREADY_DONE, DONE, DONE]
    assert (desk.replies, len(texts(desk))) == (sorted([first.id, *(other.id for other in others)]), 2)


def test_replies_too_long_for_one_comment_fill_the_next(desk: ReplyDesk) -> None:
    items = parts(desk, 5)
    assert hows(desk.reply_all(*items, text="word " * 5_000)) == [DONE] * 5
    assert [len(marks_in(text)) for text in texts(desk)] == [2, 2, 1]
    assert desk.replies == sorted(one.id for one in items)


@pytest.mark.parametrize("is_done", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("at", range(5))  # two intentions, the comment, and two ends
def test_killed_at_any_write_each_part_is_answered_once(
    desk: ReplyDesk, at: int, is_done: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    items, left = parts(desk), [at]

    def killing(write: Callable[..., Any]) -> Callable[..., Any]:
        def act(*given: Any) -> Any:
            left[0] -= 1
            told = write(*given) if is_done or left[0] >= 0 else None
            if left[0] < 0:
                raise KeyboardInterrupt
            return told

        return act

    with monkeypatch.context() as patch:
        patch.setattr(Outbox, "note", killing(Outbox.note))
        patch.setattr(GitHub, "post", killing(GitHub.post))
        with pytest.raises(KeyboardInterrupt):
            desk.reply_all(*items)
    assert set(hows(desk.reply_all(*items))) <= {DONE, ALREADY_DONE}
    assert (len(texts(desk)), desk.replies) == (1, sorted(one.id for one in items))
    assert all(one.done for one in desk.state.outbox.values())


@pytest.mark.parametrize("what", ["the line, before", "the line, after", "not what was asked"])
def test_after_a_lost_answer_both_parts_are_there_once(desk: ReplyDesk, what: str) -> None:
    items = parts(desk)
    desk.hub.misbehave(LOST[what], when=is_comment)
    assert hows(desk.reply_all(*items)) == [DONE, DONE]
    assert (len(texts(desk)), desk.replies) == (1, sorted(one.id for one in items))


def test_the_parts_of_a_comment_on_the_pull_request_are_answered_as_those_of_a_review(desk: ReplyDesk) -> None:
    said = desk.pull.comment(by="coderabbitai", body="Found two issues.")
    items = [part._replace(review=said.id) for part in parts(desk)]
    assert (hows(desk.reply_all(*items)), len(texts(desk))) == ([DONE, DONE], 1)


def test_a_part_of_a_review_that_was_deleted_meanwhile_is_gone(desk: ReplyDesk) -> None:
    items = parts(desk)
    desk.pull.reviews[-1].deleted = True
    assert (hows(desk.reply_all(*items)), desk.changes) == ([DELETED, DELETED], [])


# A lost answer


def is_reply(request: Request) -> bool:
    return request.path.endswith("/replies")


def is_comment(request: Request) -> bool:
    return request.method == "POST" and request.path.endswith("/issues/7/comments")


def is_resolving(request: Request) -> bool:
    return "resolveReviewThread" in request.query


# Every other way in which an answer is lost, and every limit, is the client's.
LOST: dict[str, Fault] = {
    "the line, before": HangUp(),
    "the line, after": HangUp(applied=True),
    "not what was asked": Rewrite(lambda request, whole: {}),
    "a list": Rewrite(lambda request, whole: []),
}
KINDS = {"a reply": is_reply, "a comment": is_comment, "a mutation": is_resolving}


@pytest.mark.sampled(1, each="kind")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("what", LOST)
def test_what_was_lost_is_there_once(desk: ReplyDesk, kind: str, what: str, begun: Thread, said: Text) -> None:
    desk.hub.misbehave(LOST[what], when=KINDS[kind])
    assert hows(desk.land(begun, said)) == [DONE] * 3
    assert (desk.replies, begun.resolved) == (sorted([begun.id, said.id]), True)
    assert all(one.done for one in desk.state.outbox.values())


@pytest.mark.parametrize(("fault", "times", "told", "sent"), [
    (HangUp(), 2, "not known whether", 2),
    (misbehave.secondary_limit(3000), 1, "call again in 3000 s", 1),
], ids=["lost twice", "a limit for an hour"])  # fmt: skip
@pytest.mark.parametrize("kind", KINDS)
def test_a_fault_stops_one_call_and_the_next_goes_on(
    desk: ReplyDesk, kind: str, fault: Fault, times: int, told: str, sent: int, begun: Thread, said: Text
) -> None:
    desk.hub.misbehave(fault, times=times, when=KINDS[kind])
    with pytest.raises(BatonError, match=told):
        desk.land(begun, said)
    assert len([change for change in desk.changes if KINDS[kind](change)]) == sent
    desk.land(begun, said)
    assert (desk.replies, begun.resolved, len(desk.changes)) == (sorted([begun.id, said.id]), True, 3 + sent)


def test_a_thread_that_goes_with_a_lost_answer_is_answered_nowhere(desk: ReplyDesk, begun: Thread) -> None:
    desk.read_pull()
    desk.hub.misbehave(HangUp(), when=is_reply)
    gone = Meanwhile(lambda: setattr(begun.comments[0], "deleted", True))
    desk.hub.misbehave(gone, after=1, when=lambda one: "query Feedback" in one.query)
    assert hows(desk.reply(item_of(begun))) == [DELETED]
    assert (len(desk.changes), desk.pull.comments) == (1, [])


# A limit, a refusal


def test_an_unsent_review_of_the_users_stops_all_posting(desk: ReplyDesk, begun: Thread) -> None:
    review = desk.pull.review(by="me", body="not sent", state="PENDING")
    with pytest.raises(BatonError, match=r"you have begun a review and not sent it at .*submit or discard"):
        desk.reply(item_of(desk.pull.comment(by="alice", body="please")), item_of(begun))
    assert desk.changes == []
    review.state = "COMMENTED"
    assert hows(desk.reply(item_of(begun))) == [DONE]


def test_a_review_somebody_else_begun_is_not_seen_and_stops_nothing(desk: ReplyDesk) -> None:
    desk.pull.review(by="alice", body="not sent", state="PENDING")
    assert hows(desk.reply(item_of(thread(desk)))) == [DONE]


def test_a_review_begun_in_between_is_said_and_the_next_call_goes_on(desk: ReplyDesk, begun: Thread) -> None:
    begin = Meanwhile(lambda: desk.pull.review(by="me", state="PENDING"))
    desk.hub.misbehave(begin, when=is_reply)
    with pytest.raises(BatonError, match=r"can only have one pending review.*submit or discard"):
        desk.reply(item_of(begun))
    desk.pull.reviews[-1].state = "COMMENTED"
    assert hows(desk.reply(item_of(begun))) == [DONE]
    assert desk.replies == [begun.id]


def test_a_draft_of_ones_own_that_holds_the_mark_is_no_reply(desk: ReplyDesk, begun: Thread) -> None:
    review = desk.pull.review(by="me", state="PENDING")
    desk.pull.say(begun, by="me", body=make_mark(begun.id, "fixed", ROUND), review=review)
    with pytest.raises(BatonError, match="begun a review"):
        desk.reply(item_of(begun))


NOT_THERE: dict[str, tuple[Callable[[ReplyDesk], None], str]] = {
    "it is closed": (lambda desk: setattr(desk.pull, "state", "CLOSED"), "the pull request is closed"),
    "it is merged": (lambda desk: setattr(desk.pull, "state", "MERGED"), "the pull request is merged"),
    "another has its number": (
        lambda desk: setattr(desk, "known", [desk.read_pull()._replace(id="PR_before")]),
        "not the pull request that was read before",
    ),
}


@pytest.mark.parametrize("what", NOT_THERE)
def test_a_pull_request_that_is_closed_or_another_is_left_alone(desk: ReplyDesk, what: str, begun: Thread) -> None:
    act, told = NOT_THERE[what]
    act(desk)
    with pytest.raises(BatonError, match=told):
        desk.reply(item_of(begun))
    with pytest.raises(BatonError, match=told):
        desk.resolve(begun)
    assert desk.changes == []


def test_on_a_locked_one_who_may_push_answers_and_who_may_not_is_told(desk: ReplyDesk) -> None:
    begun, desk.pull.locked = thread(desk), True
    assert hows(desk.reply(item_of(begun))) == [DONE]
    desk.hub.permit("octo/app", "me", "read")
    other = thread(desk)
    with pytest.raises(BatonError, match=r"issue is locked.*: unlock the conversation"):
        desk.reply(item_of(other))
    desk.pull.locked = False
    assert hows(desk.reply(item_of(other))) == [DONE]


@pytest.mark.parametrize(("status", "says"), [
    (403, "give the login of gh the right to write"), (404, "call again"), (422, "call again"),
    (401, "gh auth login"),
])  # fmt: skip
def test_a_refusal_names_the_item_and_what_to_do(desk: ReplyDesk, status: int, says: str, begun: Thread) -> None:
    desk.hub.misbehave(Status(status), when=is_reply)
    with pytest.raises(BatonError, match=says):
        desk.reply(item_of(begun))
    refused = [(one.done, one.refused) for one in desk.state.outbox.values()]
    assert refused == [(status != 401, status != 401)]
    assert hows(desk.reply(item_of(begun))) == [DONE]
    assert desk.replies == [begun.id]


def test_a_repository_whose_name_is_a_path_is_refused(desk: ReplyDesk) -> None:
    desk.known = [desk.read_pull()._replace(repository="octo/..")]
    with pytest.raises(BatonError, match="not a repository"), desk.begun():
        pass


# Resolving: what is looked at, and what is sent


def answered(desk: ReplyDesk, number: int = 1, **more: Any) -> list[Thread]:
    """Make threads that hold a reply of this round."""
    made = [thread(desk, **more) for _ in range(number)]
    for one in made:
        one.reply(by="me", body=make_mark(one.id, "fixed", ROUND))
    return made


def test_threads_are_resolved_fifty_in_a_request(desk: ReplyDesk) -> None:
    made = answered(desk, 101)
    assert hows(desk.resolve(*made)) == [DONE] * 101
    assert [len(change.variables) for change in desk.changes] == [50, 50, 1]
    assert all(one.resolved for one in made)


def test_threads_that_are_unanswered_resolved_or_deleted_are_not_sent(desk: ReplyDesk) -> None:
    gone, ours = answered(desk, 2)
    bare, theirs = thread(desk), thread(desk, resolved=True)
    for comment in gone.comments:
        comment.deleted = True
    outcomes = desk.resolve(gone, ours, bare, theirs)
    assert [(outcome.how, outcome.why) for outcome in outcomes[1:]] == [
        (DONE, ""), (SKIPPED, "it holds no reply of this round"), (ALREADY_DONE, "somebody resolved it meanwhile"),
    ]  # fmt: skip
    assert (outcomes[0].how, [[*one.variables.values()] for one in desk.changes]) == (DELETED, [[ours.id]])


@pytest.mark.parametrize("act", ["resolved", "deleted"])
@pytest.mark.parametrize("when", ["query Standing", "mutation Resolve"], ids=["before it is looked at", "after"])
def test_an_act_of_somebody_else_is_noted_and_stops_nothing(desk: ReplyDesk, act: str, when: str) -> None:
    first, second = answered(desk, 2)

    def meanwhile() -> None:
        first.resolved = act == "resolved"
        for comment in first.comments:
            comment.deleted = act == "deleted"

    desk.hub.misbehave(Meanwhile(meanwhile), when=lambda one: when in one.query)
    one, other = desk.resolve(first, second)
    assert (one.how in (ALREADY_DONE, DONE), one.how == DELETED) == (act == "resolved", act == "deleted")
    assert (other.how, second.resolved) == (DONE, True)


def test_a_login_that_may_not_resolve_sends_nothing_and_says_so(desk: ReplyDesk) -> None:
    made = answered(desk, 2)
    desk.hub.permit("octo/app", "me", "read")
    outcomes = desk.resolve(*made)
    assert {(outcome.how, outcome.why) for outcome in outcomes} == {
        (SKIPPED, "the login of gh may not resolve it")
    }
    assert desk.changes == []


@pytest.mark.parametrize("forbidden", [1, 2], ids=["one of two", "all"])
def test_one_that_turns_out_not_to_be_allowed_is_told_and_stops_nothing(desk: ReplyDesk, forbidden: int) -> None:
    made = answered(desk, 2)

    def refuse(request: Request, whole: Any) -> Any:
        said = "me does not have the correct permissions to execute `ResolveReviewThread`"
        names = [f"t{at}" for at in range(forbidden)]
        errors = [{"type": "FORBIDDEN", "path": [name], "message": said} for name in names]
        return {"data": {**whole["data"], **dict.fromkeys(names)}, "errors": errors}

    desk.hub.misbehave(Rewrite(refuse), when=is_resolving)
    assert hows(desk.resolve(*made)) == [SKIPPED] * forbidden + [DONE] * (2 - forbidden)
    assert len(desk.changes) == 1


@pytest.mark.parametrize("message", ["was submitted too quickly", "Something went wrong", "odd"])
def test_a_partly_refused_request_is_checked_and_sent_once_more(desk: ReplyDesk, message: str) -> None:
    first, second = answered(desk, 2)

    def part(request: Request, whole: Any) -> Any:
        second.resolved = False
        return {"data": {**whole["data"], "t1": None}, "errors": [{"message": message, "path": ["t1"]}]}

    desk.hub.misbehave(Rewrite(part), when=is_resolving)
    assert hows(desk.resolve(first, second)) == [DONE, DONE]
    assert [list(change.variables.values()) for change in desk.changes] == [[first.id, second.id], [second.id]]


def test_a_mutation_that_says_a_thread_is_open_is_not_held_for_done(desk: ReplyDesk, ours: Thread) -> None:

    def still(request: Request, whole: Any) -> Any:
        ours.resolved = whole["data"]["t0"]["thread"]["isResolved"] = False
        return whole

    desk.hub.misbehave(Rewrite(still), times=None, when=is_resolving)
    with pytest.raises(BatonError, match=r"not known whether .* will be resolved"):
        desk.resolve(ours)
    assert len(desk.changes) == 2


def test_a_thread_that_was_reopened_after_this_round_resolved_it_stays_open(desk: ReplyDesk, ours: Thread) -> None:
    desk.resolve(ours)
    ours.resolved = False
    [outcome] = desk.resolve(ours)
    assert (outcome.how, outcome.why, len(desk.changes)) == (SKIPPED, "somebody reopened it", 1)


def test_the_same_thread_twice_is_sent_once(desk: ReplyDesk, ours: Thread) -> None:
    assert hows(desk.resolve(ours, ours)) == [DONE]
    assert [len(change.variables) for change in desk.changes] == [1]


def test_a_thread_that_is_to_stay_open_is_not_looked_at(desk: ReplyDesk, ours: Thread) -> None:
    [outcome] = desk.resolve(ours, rules=ResolveRules("own", ()))
    assert (outcome.how, len(desk.hub.requests)) == (SKIPPED, 1)


# The journal


def test_two_calls_at_once_are_refused(desk: ReplyDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("baton.journal.lock.WAIT_SECONDS", 0)
    with desk.begun(), pytest.raises(BatonError, match=r"locked by process \d+ \(a test\)"), desk.begun():
        pass


def test_the_journal_of_another_pull_request_is_refused(desk: ReplyDesk) -> None:
    desk.reply(item_of(thread(desk)))
    folder = desk.journal.parents[1] / "8"
    folder.mkdir()
    (folder / "journal.jsonl").write_bytes(desk.journal.read_bytes())
    with pytest.raises(BatonError, match="of another pull request"), open_outbox(desk.project, folder, "a test"):
        pass


def test_a_journal_that_is_damaged_is_refused_and_nothing_needs_it(desk: ReplyDesk, begun: Thread) -> None:
    desk.reply(item_of(begun))
    desk.journal.write_bytes(desk.journal.read_bytes().replace(b"reply", b"REPLY"))
    with pytest.raises(BatonError, match=r"move it and journal\.head aside: what was posted is found"):
        desk.reply(item_of(begun))
    desk.forget()
    assert hows(desk.reply(item_of(begun))) == [ALREADY_DONE]


def test_a_journal_that_was_cut_at_a_line_end_posts_nothing_twice(desk: ReplyDesk, begun: Thread) -> None:
    desk.reply(item_of(begun))
    desk.journal.write_bytes(b"".join(desk.journal.read_bytes().splitlines(keepends=True)[:-1]))
    with pytest.raises(BatonError, match="1 event is missing at its end"):
        desk.reply(item_of(begun))
    assert len(desk.changes) == 1
    assert [one.remedy for one in damaged_journals(desk.project)] == [MOVE_ASIDE]
    desk.forget()
    assert list(damaged_journals(desk.project)) == []


@pytest.mark.parametrize("depth", range(4))
def test_a_folder_that_is_a_link_is_refused(desk: ReplyDesk, tmp_path: Path, depth: int) -> None:
    place = desk.journal.parents[depth]
    place.parent.mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    place.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BatonError, match="is a symbolic link"):
        desk.reply(item_of(thread(desk)))
    assert (list((tmp_path / "elsewhere").iterdir()), desk.changes) == ([], [])
