"""Which threads a round may resolve: its own answers, that close something, and that nobody spoke after."""

from typing import Any

import pytest

from baton.feedback.fetch.pull_feedback import GHOST, Actor, Comment, Thread
from baton.feedback.land.resolve import ResolveRules, why_open
from baton.feedback.text.comment_marks import CLOSING, make_mark
from feedback.desk import ROUND
from feedback.said import BOTS, by, edited, thread

pytestmark = pytest.mark.gh

OWN, ALL = ResolveRules("own", BOTS), ResolveRules("all", BOTS)
NO_REPLY = "it holds no reply of this round"
NEEDED = "it needs you"
SPOKE = "somebody spoke since it was answered"
ANOTHERS = "somebody else began it, and `feedback.resolve` is not `all`"


def begun(first: Comment, *later: Comment, verdict: str = "fixed", round: str = ROUND, **more: Any) -> Thread:
    """Make a thread that was begun so, answered with a mark, and went on so; `more` is said of the answer."""
    made = thread(first)
    answer = by("me", f"Done.\n\n{make_mark(made.id, verdict, round)}", **more)
    # What was said later was written later.
    moved = tuple(one._replace(created_at=by(one.author.login, "").created_at) for one in later)
    return made._replace(comments=(first, answer, *moved))


# Whose thread


@pytest.mark.parametrize(("author", "own", "everything"), [
    (Actor("coderabbitai", "Bot"), "", ""),
    (Actor("coderabbitai", "User"), ANOTHERS, ""),
    (Actor("CodeRabbitAI", "Bot"), "", ""),
    (Actor("mallory-bot", "Bot"), ANOTHERS, ""),
    (Actor("alice", "User"), ANOTHERS, ""),
    (Actor("old", "Mannequin"), ANOTHERS, ""),
    (GHOST, ANOTHERS, ""),
], ids=lambda one: f"{one.kind} {one.login}" if isinstance(one, Actor) else None)  # fmt: skip
def test_a_thread_somebody_else_began_is_resolved_where_that_was_settled(
    author: Actor, own: str, everything: str
) -> None:
    made = begun(by("alice", "rename this")._replace(author=author))
    assert (why_open(made, ROUND, OWN), why_open(made, ROUND, ALL)) == (own, everything)


def test_a_thread_of_ones_own_is_resolved() -> None:
    assert why_open(begun(by("me", "rename this")), ROUND, OWN) == ""


@pytest.mark.parametrize("resolve", ["", "own", "ALL", "any"])
def test_only_all_means_all(resolve: str) -> None:
    assert why_open(begun(by("alice", "rename this")), ROUND, ResolveRules(resolve, BOTS)) == ANOTHERS


# Which answer


@pytest.mark.parametrize("verdict", [*CLOSING, "needs-human", "something-else"])
def test_only_a_verdict_that_closes_does(verdict: str) -> None:
    made = begun(by("me", "rename this"), verdict=verdict)
    assert why_open(made, ROUND, ALL) == ("" if verdict in CLOSING else NEEDED)


def test_without_an_answer_it_stays_open() -> None:
    assert why_open(thread(by("coderabbitai", "rename this"), by("me", "why?")), ROUND, ALL) == NO_REPLY


def test_the_answer_of_another_round_is_none() -> None:
    assert why_open(begun(by("me", "rename this"), round="r0"), ROUND, ALL) == NO_REPLY
    made = begun(by("me", "rename this"), by("me", ""))
    later = by("me", make_mark(made.id, "fixed", "r2"))
    assert why_open(made._replace(comments=(*made.comments, later)), ROUND, ALL) == NO_REPLY


def test_the_last_of_two_marks_counts() -> None:
    made = begun(by("me", "rename this"))
    later = by("me", make_mark(made.id, "needs-human", ROUND))
    assert why_open(made._replace(comments=(*made.comments, later)), ROUND, ALL) == NEEDED


@pytest.mark.parametrize("more", [{"own": False}, {"state": "PENDING"}], ids=["of a stranger", "in a draft"])
def test_a_mark_that_is_no_word_of_the_viewers_counts_for_nothing(more: dict[str, Any]) -> None:
    assert why_open(begun(by("me", "rename this"), **more), ROUND, ALL) == NO_REPLY


def test_the_mark_of_another_thread_counts_for_nothing() -> None:
    made = begun(by("me", "rename this"))
    assert why_open(made._replace(id="T_other"), ROUND, ALL) == NO_REPLY


# What asks for nothing


def test_a_thread_that_asks_for_nothing_needs_no_answer_while_it_reads_as_it_did() -> None:
    made = thread(by("alice", "thanks"), by("me", "sure"), by("alice", "thanks again"))
    since = made.comments[-1].at
    assert why_open(made, ROUND, ALL) == NO_REPLY
    assert why_open(made, ROUND, ALL._replace(silent={made.id: since})) == ""
    assert why_open(made, ROUND, OWN._replace(silent={made.id: since})) == ANOTHERS


@pytest.mark.parametrize(("name", "why"), [("alice", SPOKE), ("coderabbitai", ""), ("me", "")])
def test_a_word_since_keeps_a_thread_open_that_asked_for_nothing(name: str, why: str) -> None:
    made = thread(by("alice", "thanks"))
    rules = ALL._replace(silent={made.id: made.comments[0].at})
    later = by(name, "but still")
    assert why_open(made._replace(comments=(*made.comments, later)), ROUND, rules) == why


def test_a_word_of_the_same_second_keeps_it_open_by_the_number_of_comments() -> None:
    first = by("alice", "thanks")
    made = thread(first, by("bob", "but still", created_at=first.created_at))
    rules = ALL._replace(silent={made.id: first.at})
    assert why_open(made, ROUND, rules._replace(heard={made.id: 2})) == ""
    assert why_open(made, ROUND, rules._replace(heard={made.id: 1})) == SPOKE


# Who spoke since


SINCE: dict[str, tuple[tuple[Comment, ...], str]] = {
    "a person": ((by("alice", "but still"),), SPOKE),
    "a stranger": ((by("stranger", "but still"),), SPOKE),
    "a named bot": ((by("coderabbitai", "Thanks!"),), ""),
    "a user named like a bot": (
        (by("coderabbitai", "but")._replace(author=Actor("coderabbitai", "User")),), SPOKE,
    ),
    "another bot": ((by("x", "but")._replace(author=Actor("mallory-bot", "Bot")),), SPOKE),
    "a person, minimized": ((by("alice", "spam", minimized="spam"),), ""),
    "the viewer": ((by("me", "and see there"),), ""),
    "a person, answered by hand": ((by("alice", "but still"), by("me", "indeed, later")), ""),
    "a person, answered, and again": ((by("alice", "a"), by("me", "b"), by("alice", "c")), SPOKE),
}  # fmt: skip


@pytest.mark.parametrize("name", SINCE)
def test_while_a_word_after_the_answer_is_unanswered_it_stays_open(name: str) -> None:
    later, why = SINCE[name]
    assert why_open(begun(by("me", "rename this"), *later), ROUND, ALL) == why


@pytest.mark.parametrize(("name", "why"), [("alice", SPOKE), ("coderabbitai", "")])
def test_what_was_edited_after_the_answer_was_said_after_it(name: str, why: str) -> None:
    made = begun(by(name, "rename this"))
    assert why_open(made, ROUND, ALL) == ""
    assert why_open(made._replace(comments=(edited(made.comments[0]), *made.comments[1:])), ROUND, ALL) == why


def test_of_two_words_in_the_same_second_the_later_one_is_after_the_answer() -> None:
    made = begun(by("me", "rename this"), by("alice", "but"))
    same = made.comments[-1]._replace(created_at=made.comments[1].created_at)
    assert why_open(made._replace(comments=(*made.comments[:-1], same)), ROUND, ALL) == SPOKE


@pytest.mark.parametrize(("known", "why"), [(1, "somebody spoke since it was answered"), (2, "")])
def test_what_was_drafted_before_our_reply_keeps_the_thread_open(known: int, why: str) -> None:
    drafted, answered = by("bob", "and that"), begun(by("alice", "rename this"))
    first, answer = answered.comments
    now = answered._replace(comments=(first, drafted._replace(created_at=first.created_at), answer))
    assert why_open(now, ROUND, ALL) == ""
    assert why_open(now, ROUND, ALL._replace(heard={answered.id: known})) == why
