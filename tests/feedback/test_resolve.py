"""Which threads a round may resolve: its own answers, that close something, and that nobody spoke after."""

from typing import Any

import pytest

from baton.feedback.land.resolve import ResolveRules, why_open
from baton.feedback.text.comment_marks import CLOSING
from baton.github.accounts import GHOST, Actor
from feedback.said import BOTS, ROUND, by, talk, thread

pytestmark = pytest.mark.gh

OWN, ALL = ResolveRules("own", BOTS), ResolveRules("all", BOTS)
NO_REPLY = "it holds no reply of this round"
NEEDED = "it needs you"
SPOKE = "somebody spoke since it was answered"
ANOTHERS = "somebody else began it, and `feedback.resolve` is not `all`"
WHY_OPEN = {
    # Which answer
    **{f"{verdict} closes": (f"me me:{verdict}", "") for verdict in CLOSING},
    "needs-human closes nothing": ("me me:needs-human", NEEDED),
    "nor does a verdict nobody knows": ("me me:something-else", NEEDED),
    "without an answer it stays open": ("coderabbitai me", NO_REPLY),
    "the answer of another round is none": ("me me:fixed@r0", NO_REPLY),
    "one of a later round counts alone": ("me me:fixed me me:fixed@r2", NO_REPLY),
    "the last of two marks counts": ("me me:fixed me:needs-human", NEEDED),
    # Who spoke since
    "a person": ("me me:fixed alice", SPOKE),
    "a stranger": ("me me:fixed stranger", SPOKE),
    "a named bot": ("me me:fixed coderabbitai", ""),
    "the viewer": ("me me:fixed me", ""),
    "a person, answered by hand": ("me me:fixed alice me", ""),
    "a person, answered, and again": ("me me:fixed alice me alice", SPOKE),
    "a person, before the answer": ("alice me:fixed", ""),
    "a person, by an edit": ("alice~ me:fixed", SPOKE),
    "a named bot, by an edit": ("coderabbitai~ me:fixed", ""),
}


@pytest.mark.parametrize(("words", "why"), WHY_OPEN.values(), ids=WHY_OPEN)
def test_a_thread_is_resolved_once_it_is_answered_and_until_somebody_speaks(words: str, why: str) -> None:
    assert why_open(talk(words), ROUND, ALL) == why


@pytest.mark.parametrize(("author", "own"), [
    (Actor("coderabbitai", "Bot"), ""), (Actor("CodeRabbitAI", "Bot"), ""), (Actor("me", "User", 1), ""),
    (Actor("coderabbitai", "User"), ANOTHERS), (Actor("mallory-bot", "Bot"), ANOTHERS),
    (Actor("alice", "User"), ANOTHERS), (Actor("old", "Mannequin"), ANOTHERS), (GHOST, ANOTHERS),
], ids=lambda one: f"{one.kind} {one.login}" if isinstance(one, Actor) else None)  # fmt: skip
def test_a_thread_somebody_else_began_is_resolved_where_that_was_settled(author: Actor, own: str) -> None:
    first, answer = talk(f"{'me' if author.login == 'me' else 'alice'} me:fixed").comments
    made = thread(first._replace(author=author), answer, id="T_1")
    assert (why_open(made, ROUND, OWN), why_open(made, ROUND, ALL)) == (own, "")


@pytest.mark.parametrize("resolve", ["", "own", "ALL", "any"])
def test_only_all_means_all(resolve: str) -> None:
    assert why_open(talk("alice me:fixed"), ROUND, ResolveRules(resolve, BOTS)) == ANOTHERS


@pytest.mark.parametrize("more", [{"own": False}, {"state": "PENDING"}], ids=["of a stranger", "in a draft"])
def test_a_mark_that_is_no_word_of_the_viewers_counts_for_nothing(more: dict[str, Any]) -> None:
    first, answer = talk("me me:fixed").comments
    assert why_open(thread(first, answer._replace(**more), id="T_1"), ROUND, ALL) == NO_REPLY


def test_the_mark_of_another_thread_counts_for_nothing() -> None:
    assert why_open(talk("me me:fixed", id="T_other"), ROUND, ALL) == NO_REPLY


@pytest.mark.parametrize(("author", "more", "why"), [
    (Actor("coderabbitai", "User"), {}, SPOKE), (Actor("mallory-bot", "Bot"), {}, SPOKE),
    (Actor("alice", "User"), {"minimized": "spam"}, ""),
], ids=["a user named like a bot", "another bot", "a person, minimized"])  # fmt: skip
def test_the_account_tells_who_spoke_if_it_is_not_minimized(author: Actor, more: dict[str, Any], why: str) -> None:
    later = by("alice", "but still", **more)._replace(author=author)
    made = thread(*talk("me me:fixed").comments, later._replace(created_at=by("me", "").created_at), id="T_1")
    assert why_open(made, ROUND, ALL) == why


# What asks for nothing


@pytest.mark.parametrize(("words", "heard", "why"), [
    ("alice me alice", 3, ""), ("alice alice", 1, SPOKE), ("alice coderabbitai", 1, ""), ("alice me", 1, ""),
])  # fmt: skip
def test_a_thread_that_asks_for_nothing_needs_no_answer_till_it_changes(words: str, heard: int, why: str) -> None:
    made = talk(words)
    silent = {"T_1": made.comments[heard - 1].at}
    assert why_open(made, ROUND, ALL) == NO_REPLY
    assert why_open(made, ROUND, ALL._replace(silent=silent)) == why
    assert why_open(made, ROUND, OWN._replace(silent=silent)) == (why or ANOTHERS)


# What no time tells


@pytest.mark.parametrize(("heard", "why"), [(2, ""), (1, SPOKE)])
def test_a_word_of_the_same_second_keeps_it_open_by_the_number_of_comments(heard: int, why: str) -> None:
    first = by("alice", "thanks")
    made = thread(first, by("bob", "but still", created_at=first.created_at), id="T_1")
    assert why_open(made, ROUND, ALL._replace(silent={"T_1": first.at}, heard={"T_1": heard})) == why


def test_a_later_comment_of_the_same_second_is_after_the_answer() -> None:
    first, answer, word = talk("me me:fixed alice").comments
    made = thread(first, answer, word._replace(created_at=answer.created_at), id="T_1")
    assert why_open(made, ROUND, ALL) == SPOKE


@pytest.mark.parametrize(("heard", "why"), [({"T_1": 1}, SPOKE), ({"T_1": 2}, ""), ({}, "")])
def test_a_comment_drafted_before_our_reply_keeps_the_thread_open(heard: dict[str, int], why: str) -> None:
    first, answer = talk("alice me:fixed").comments
    made = thread(first, by("bob", "and that", created_at=first.created_at), answer, id="T_1")
    assert why_open(made, ROUND, ALL._replace(heard=heard)) == why
