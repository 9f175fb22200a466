"""Who is trusted: by permission and kind of actor, and what else a name could be taken for."""

from itertools import product
from pathlib import Path

import pytest

from baton.errors import BatonError
from baton.feedback.fetch.pull_feedback import Comment, Feedback
from baton.feedback.fetch.trust import authors_to_look_up, judge_comment, named_bots, permissions_from_reviews
from baton.github.accounts import GHOST, MAY_PUSH, Actor, fetch_push_permissions
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


@pytest.mark.parametrize("role", ["maintain", "triage", "security-officer", "", "None"])
def test_only_roles_that_are_known_are_judged(role: str) -> None:
    known = {"maintain": "trusted", "triage": "untrusted"}
    assert trust_in(said(actor("User")), role) == known.get(role, "unverified")


ALICE, BOB, MALLORY = (actor("User", name) for name in ("alice", "bob", "mallory"))
TRENT, HELPER = actor("User", "trent"), actor("Bot", "coderabbitai")
# May push: alice and bob; may not: mallory and the users named like bots; of trent GitHub does not tell.
PUSHERS = {"alice": True, "bob": True, "deploy": True, "mallory": False, "coderabbitai": False}
JUDGED = {
    "a bot is its exact login": (said(HELPER), "trusted", ""),
    "in any case of letters": (said(actor("Bot", "CodeRabbitAI")), "trusted", ""),
    "not one that begins so": (said(actor("Bot", "coderabbitai-x")), "unverified", ""),
    "not one with its kind in its name": (said(actor("Bot", "coderabbitai[bot]")), "unverified", ""),
    "not one with two letters of another alphabet": (said(actor("Bot", "соderabbitai")), "unverified", ""),
    "a user is not the bot of that name": (said(actor("User", "coderabbitai")), "untrusted", "a user, not"),
    "nor is an organization": (said(actor("Organization", "coderabbitai")), "untrusted", ""),
    "a bot that may push is not trusted for that": (
        said(actor("Bot", "deploy"), can_push=True), "unverified", "",
    ),
    "what the viewer wrote is theirs": (said(TRENT, own=True), "trusted", ""),
    "nobody edited it": (said(ALICE), "trusted", ""),
    "its author edited it": (said(ALICE, editor=ALICE), "trusted", ""),
    "somebody who may push did": (said(ALICE, editor=BOB), "trusted", ""),
    "a named bot did": (said(ALICE, editor=HELPER), "trusted", ""),
    "somebody who may not push did": (said(ALICE, editor=MALLORY), "untrusted", ""),
    "somebody did of whom nothing is known": (
        said(ALICE, editor=TRENT), "unverified", "edited by @trent: GitHub does not say whether they may push",
    ),
    "a bot named like a user did": (said(ALICE, editor=actor("Bot", "bob")), "unverified", ""),
    "a deleted account did": (said(ALICE, editor=GHOST), "untrusted", ""),
    "nobody gains by being edited": (said(MALLORY, editor=ALICE), "untrusted", ""),
    "what you wrote is judged by who edited it": (
        said(ALICE, own=True, editor=MALLORY), "untrusted", "edited by @mallory: not allowed to push",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("comment", "value", "why"), JUDGED.values(), ids=JUDGED)
def test_a_comment_is_trusted_as_far_as_its_author_and_its_editor(comment: Comment, value: str, why: str) -> None:
    judged = judge_comment(comment, PUSHERS, BOTS)
    assert (judged.value, judged.why.startswith(why)) == (value, True)
    assert judged.unknown == ((comment.editor or comment.author) if value == "unverified" else None)


def test_the_author_of_a_review_is_not_looked_up() -> None:
    comments = [said(ALICE, can_push=True), said(ALICE), said(BOB), said(BOB), said(actor("Bot", "carol"))]
    assert authors_to_look_up(comments) == [BOB]
    assert permissions_from_reviews(comments) == {"alice": True}
    assert [authors_to_look_up(comments, one) for one in (ALICE, BOB)] == [[BOB], [BOB]]
    assert authors_to_look_up(comments, MALLORY) == [BOB, MALLORY]


def test_the_permission_of_a_bot_is_not_that_of_a_user_with_its_name() -> None:
    bot, user = said(actor("Bot", "alice"), can_push=True), said(actor("User", "alice"))
    assert permissions_from_reviews([bot, user]) == {}
    assert authors_to_look_up([bot, user]) == [user.author]


def test_the_editor_of_your_own_comment_is_looked_up() -> None:
    assert authors_to_look_up([said(ALICE, own=True, editor=MALLORY)]) == [MALLORY]


@pytest.mark.parametrize(("number", "named"), [(7, True), (8, False), (None, False)])
def test_a_bot_you_trust_is_named_while_its_account_has_the_same_number(number: int | None, named: bool) -> None:
    comments = (said(Actor("Helper", "Bot", number)), said(Actor("helper", "User", 9)))
    bots = named_bots(BOTS, Feedback(PULL, "me", [], comments, ()), {"helper": 7})
    assert [judge_comment(comment, {"helper": False}, bots).value for comment in comments] == [
        "trusted" if named else "unverified", "untrusted",
    ]  # fmt: skip


def test_a_bots_account_has_another_name_than_a_users() -> None:
    assert [Actor("Helper", kind, 7).account for kind in ("Bot", "User")] == ["helper[bot]", "helper"]


@pytest.mark.parametrize("login", ["a/../b", "a%2Fb", "-x", "", "a b", "a\n"])
def test_a_login_that_is_none_goes_into_no_path(login: str) -> None:
    with pytest.raises(BatonError, match="is not a login"):
        fetch_push_permissions(GitHub("github.com", Path()), "o/r", [Actor(login, "User")])
