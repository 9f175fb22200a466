"""Who is trusted: by permission and kind of actor, and what else a name could be taken for."""

from itertools import product
from pathlib import Path

import pytest

from baton.errors import BatonError
from baton.feedback.fetch.pull_feedback import GHOST, Actor, Comment, Feedback
from baton.feedback.fetch.trust import (
    MAY_PUSH,
    authors_to_look_up,
    fetch_push_permissions,
    judge_comment,
    named_bots,
    permissions_from_reviews,
)
from baton.github.client import GitHub
from feedback.said import PULL

PERMISSIONS = ("admin", "write", "read", "none", "error")
KINDS = ("User", "Bot", "Mannequin", "")
BOTS = ("coderabbitai",)


def said(author: Actor, own: bool = False, editor: Actor | None = None, can_push: bool | None = None) -> Comment:
    at = "2026-01-01T00:00:00Z"
    return Comment("IC_1", 1, author, "text", at, "", own, editor=editor, can_push=can_push, size=4)


def actor(kind: str, login: str = "alice") -> Actor:
    return Actor(login, kind, 7) if kind else GHOST


def trust_in(comment: Comment, permission: str) -> str:
    pushers = {comment.author.login: MAY_PUSH.get(permission)}
    return judge_comment(comment, pushers, BOTS).value


EXPECTED = {
    "admin": "trusted",
    "write": "trusted",
    "read": "untrusted",
    "none": "untrusted",
    "error": "unverified",
}


@pytest.mark.parametrize(("permission", "kind"), list(product(PERMISSIONS, KINDS)))
def test_the_right_to_push_decides_for_users_and_nothing_for_anyone_else(permission: str, kind: str) -> None:
    others = {"Bot": "unverified"}.get(kind, "untrusted")
    assert trust_in(said(actor(kind)), permission) == (EXPECTED[permission] if kind == "User" else others)


@pytest.mark.parametrize(("kind", "login", "value"), [
    ("Bot", "coderabbitai", "trusted"),
    ("Bot", "CodeRabbitAI", "trusted"),
    ("Bot", "coderabbitai-x", "unverified"),
    ("Bot", "coderabbitai[bot]", "unverified"),
    ("Bot", "соderabbitai", "unverified"),  # with two letters of another alphabet
    ("User", "coderabbitai", "untrusted"),
    ("Organization", "coderabbitai", "untrusted"),
])  # fmt: skip
def test_a_bot_is_its_exact_login_and_its_kind(kind: str, login: str, value: str) -> None:
    assert trust_in(said(actor(kind, login)), "none") == value


def test_a_bot_that_may_push_is_not_trusted_for_that() -> None:
    assert trust_in(said(actor("Bot", "deploy"), can_push=True), "admin") == "unverified"


@pytest.mark.parametrize("role", ["maintain", "triage", "security-officer", "", "None"])
def test_only_roles_that_are_known_are_judged(role: str) -> None:
    known = {"maintain": "trusted", "triage": "untrusted"}
    assert trust_in(said(actor("User")), role) == known.get(role, "unverified")


def test_what_the_viewer_wrote_is_the_viewers() -> None:
    assert trust_in(said(actor("User"), own=True), "error") == "trusted"


def test_who_wrote_a_review_is_told_beside_it_and_not_asked_for() -> None:
    alice, bob = actor("User", "alice"), actor("User", "bob")
    comments = [said(alice, can_push=True), said(alice), said(bob), said(bob), said(actor("Bot", "carol"))]
    assert authors_to_look_up(comments) == [bob]
    assert permissions_from_reviews(comments) == {"alice": True}
    assert [authors_to_look_up(comments, one) for one in (alice, bob)] == [[bob], [bob]]
    assert authors_to_look_up(comments, carol := actor("User", "carol")) == [bob, carol]


def test_what_is_told_of_a_bot_says_nothing_of_a_user_with_its_name() -> None:
    bot, user = said(actor("Bot", "alice"), can_push=True), said(actor("User", "alice"))
    assert permissions_from_reviews([bot, user]) == {}
    assert authors_to_look_up([bot, user]) == [user.author]


@pytest.mark.parametrize(("editor", "value"), [
    (None, "trusted"),
    (Actor("alice", "User", 7), "trusted"),
    (Actor("bob", "User", 8), "trusted"),
    (Actor("mallory", "User", 9), "untrusted"),
    (Actor("trent", "User", 10), "unverified"),
    (Actor("coderabbitai", "Bot", 11), "trusted"),
    (Actor("bob", "Bot", 12), "unverified"),
    (GHOST, "untrusted"),
], ids=str)  # fmt: skip
def test_who_edits_a_comment_must_be_trusted_too(editor: Actor | None, value: str) -> None:
    pushers = {"alice": True, "bob": True, "mallory": False}
    comment = said(Actor("alice", "User", 7), editor=editor)
    found = judge_comment(comment, pushers, BOTS)
    assert (found.value, found.unknown) == (value, editor if value == "unverified" else None)


def test_an_editor_is_named_as_the_editor() -> None:
    comment = said(Actor("alice", "User", 7), editor=Actor("trent", "User", 10))
    why = judge_comment(comment, {"alice": True}, BOTS).why
    assert why == "edited by @trent: GitHub does not say whether they may push"


def test_a_user_with_a_bots_name_is_told_from_it() -> None:
    comment = said(Actor("coderabbitai", "User", 11))
    assert judge_comment(comment, {"coderabbitai": False}, BOTS).why.startswith("a user, not the bot")


@pytest.mark.parametrize(("number", "named"), [(7, True), (8, False), (None, False)])
def test_a_bot_you_trust_is_named_while_its_account_has_the_same_number(number: int | None, named: bool) -> None:
    comments = (said(Actor("Helper", "Bot", number)), said(Actor("helper", "User", 9)))
    bots = named_bots(BOTS, Feedback(PULL, "me", [], comments, ()), {"helper": 7})
    assert [judge_comment(comment, {"helper": False}, bots).value for comment in comments] == [
        "trusted" if named else "unverified", "untrusted",
    ]  # fmt: skip


def test_a_bots_account_has_another_name_than_a_users() -> None:
    assert [Actor("Helper", kind, 7).account for kind in ("Bot", "User")] == ["helper[bot]", "helper"]


def test_nobody_gains_by_being_edited() -> None:
    comment = said(actor("User", "mallory"), editor=actor("User", "alice"))
    assert judge_comment(comment, {"alice": True, "mallory": False}, BOTS).value == "untrusted"


def test_a_comment_of_your_own_that_others_edited_is_judged_by_them() -> None:
    mine = said(Actor("alice", "User", 7), own=True, editor=Actor("mallory", "User", 9))
    assert authors_to_look_up([mine]) == [mine.editor]
    assert judge_comment(mine, {"mallory": False}, BOTS).why == "edited by @mallory: not allowed to push"


@pytest.mark.parametrize("login", ["a/../b", "a%2Fb", "-x", "", "a b", "a\n"])
def test_a_login_that_is_none_goes_into_no_path(login: str) -> None:
    with pytest.raises(BatonError, match="is no login"):
        fetch_push_permissions(GitHub("github.com", Path()), "o/r", [Actor(login, "User")])
