"""What is said after our answer: the user's decision, a person's word, a bot's, each heard as far as it counts."""

import pytest

from baton.artifacts.config import Config
from baton.feedback.fetch.pull_feedback import Comment, Thread
from baton.feedback.plan.build_round import draft_round
from baton.feedback.text.comment_marks import make_mark
from feedback.said import IGNORE, asks, by, edited, fetched, only, read, sort, thread

HEARD_ONCE = "its bot spoke again after it was heard once"


def ours(verdict: str) -> Comment:
    """Return our marked answer in the thread T_1."""
    return by("me", f"As you say. {make_mark('T_1', verdict, 'r1a2b3c4')}")


def answered(verdict: str, *later: str, resolved: bool = False, begun: str = "alice") -> Thread:
    """Return the thread T_1 as it was answered, with what these said since, in turn."""
    first, answer = by(begun, "It fails for negative counts."), ours(verdict)
    return thread(first, answer, *(by(name, f"A word of {name}.") for name in later), id="T_1", resolved=resolved)


# The user's decision


@pytest.mark.parametrize(("verdict", "state", "why"), [
    ("needs-human", "new", "you decided what was asked"), ("fixed", "answered", "your reply is the last"),
    ("replied", "answered", "your reply is the last"),
])  # fmt: skip
def test_an_own_word_decides_what_a_needs_human_mark_asked_and_nothing_else(
    verdict: str, state: str, why: str
) -> None:
    item = only(answered(verdict, "me"))
    assert (item.state, item.why) == (state, why)


def test_a_decision_is_what_is_to_be_read_with_whatever_else_was_said_since() -> None:
    [text] = fetched(answered("needs-human", "bob", "me")).texts
    assert (text.words, text.after) == ("A word of bob.\n\nA word of me.", "needs-human")


@pytest.mark.parametrize(("known", "category"), [({"T_1": "naming"}, "naming"), ({}, "correctness")])
def test_what_waits_for_a_decision_is_about_what_it_was_read_to_be(known: dict[str, str], category: str) -> None:
    [item] = read(fetched(answered("needs-human")), **known).items
    assert (item.state, item.category) == ("answered", category)


def test_a_decision_is_heard_beside_somebody_of_whom_nothing_is_known() -> None:
    [text] = fetched(answered("needs-human", "newcomer", "me")).texts
    assert text.words == "A word of me."


def test_a_decision_that_was_carried_out_is_no_more_new() -> None:
    decided = answered("needs-human", "me")
    assert only(decided._replace(comments=(*decided.comments, ours("fixed")))).state == "resolution-pending"


# What people say


@pytest.mark.parametrize(("name", "states"), [
    ("alice", ["new"]), ("bob", ["new"]), ("newcomer", ["unverified"]), ("stranger", []), ("me", []),
])  # fmt: skip
def test_a_persons_word_after_we_resolved_makes_the_thread_an_item_again(name: str, states: list[str]) -> None:
    assert [one.state for one in sort(answered("fixed", name, resolved=True))] == states


def test_a_thread_that_somebody_else_resolved_is_no_item_whatever_is_said_there() -> None:
    words = [by("alice", "Rename it."), by("me", "Done."), by("alice", "It is not.")]
    assert sort(thread(*words, resolved=True)) == ()


def test_an_edit_after_we_resolved_is_heard_as_a_new_word_is() -> None:
    done = answered("fixed", resolved=True)
    assert [one.state for one in sort(done._replace(comments=(edited(done.comments[0]), done.comments[1])))] == [
        "new"
    ]


# What bots say


@pytest.mark.parametrize("resolved", [True, False])
@pytest.mark.parametrize("begun", ["coderabbitai", "alice"])
def test_what_a_bot_says_after_our_answer_is_read_once(begun: str, resolved: bool) -> None:
    record = fetched(answered("fixed", "coderabbitai", resolved=resolved, begun=begun))
    assert [(text.words, text.after, text.is_bot) for text in record.texts] == [
        ("A word of coderabbitai.", "fixed", True)
    ]
    assert [one.state for one in read(record, asks("A word")).items] == ["new"]


def test_a_bot_that_a_stranger_speaks_through_begins_nothing_anew() -> None:
    done = answered("fixed", "coderabbitai")
    last = edited(done.comments[-1])._replace(editor=by("stranger", "").author)
    assert only(done._replace(comments=(*done.comments[:-1], last))).state == "resolution-pending"


@pytest.mark.parametrize(("resolved", "state"), [(True, "answered"), (False, "resolution-pending")])
def test_after_our_second_answer_a_bot_is_only_told(resolved: bool, state: str) -> None:
    again = answered("fixed", "coderabbitai", resolved=resolved)
    record = fetched(again._replace(comments=(*again.comments, ours("replied"), by("coderabbitai", "Still."))))
    [item] = record.found
    assert (item.state, item.author, item.why.endswith(HEARD_ONCE)) == (state, "coderabbitai", True)
    assert record.texts == ()


def test_after_our_second_answer_a_person_is_heard_all_the_same() -> None:
    again = answered("fixed", "coderabbitai", resolved=True)
    words = (*again.comments, ours("replied"), by("coderabbitai", "Still."), by("alice", "It is right."))
    assert only(again._replace(comments=words)).state == "new"


# What asks for nothing leaves the thread as it was


@pytest.mark.parametrize(("resolved", "state"), [(True, "answered"), (False, "resolution-pending")])
@pytest.mark.parametrize("name", ["coderabbitai", "alice"])
def test_thanks_leave_a_thread_as_it_was(name: str, resolved: bool, state: str) -> None:
    record = fetched(answered("fixed", name, resolved=resolved))
    [item] = read(record, IGNORE).items
    assert (item.state, item.why) == (state, "asks for nothing, as it was read")


@pytest.mark.parametrize(("names", "settled"), [([], True), (["coderabbitai"], True), (["alice"], False)])
@pytest.mark.parametrize("resolved", [True, False])
def test_a_thread_stays_settled_whatever_its_bot_says_until_that_asks_for_something(
    names: list[str], settled: bool, resolved: bool
) -> None:
    done = answered("fixed", *names, resolved=resolved)
    record = fetched(done, thread(by("bob", "It fails for no count.")))
    assert ([one.id for one in record.resolved] == ["T_1"], record.signal) == (settled, settled)


@pytest.mark.parametrize(("asked", "prior"), [(False, ["T_1"]), (True, [])])
def test_what_is_new_again_settled_nothing(asked: bool, prior: list[str]) -> None:
    record = fetched(answered("fixed", "coderabbitai", resolved=True), thread(by("bob", "It fails for no count.")))
    said = asks("A word") if asked else IGNORE
    made = draft_round(read(record, said, asks("It fails"), T_1="naming"), Config(), None).round
    assert made
    assert list(made.units[0].prior) == prior
