"""Who is trusted: those who may push to the repository, and the bots that were named; others are only counted.

What GitHub calls somebody's association is no part of it: it depends on who asks, and is no right to push.
"""

from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

from baton.feedback.read.models import Actor, Comment

TRUSTED, UNTRUSTED, UNVERIFIED = "trusted", "untrusted", "unverified"
# The roles GitHub's permission look-up answers with, by whether they may push; `maintain` and `triage` come as the
# one that is below them. What is in neither is a role of tomorrow: it cannot be judged.
MAY_PUSH = {"admin": True, "maintain": True, "write": True, "triage": False, "read": False, "none": False}

# Whether an account may push, by login in small letters; None where it cannot be known.
Pushers = Mapping[str, bool | None]


class Trust(NamedTuple):
    """Whether an author is trusted, and why."""

    value: str
    why: str


class _Case(NamedTuple):
    comment: Comment
    may_push: bool | None
    bots: Collection[str]


class _Rule(NamedTuple):
    """Who is meant, and what they may: the first that fits decides."""

    fits: Callable[[_Case], bool]
    value: str
    why: str


def _is(*kinds: str) -> Callable[[_Case], bool]:
    return lambda case: case.comment.author.kind in kinds


RULES = (
    _Rule(lambda case: case.comment.own, TRUSTED, "yourself"),
    _Rule(_is(""), UNTRUSTED, "a deleted account"),
    _Rule(lambda case: is_named_bot(case.comment.author, case.bots), TRUSTED, "a review bot you named"),
    _Rule(_is("Bot"), UNTRUSTED, "a bot that `feedback.bots` does not name"),
    _Rule(lambda case: case.comment.author.kind != "User", UNTRUSTED, "no user's account"),
    _Rule(lambda case: case.may_push is True, TRUSTED, "may push to the repository"),
    _Rule(lambda case: case.may_push is False, UNTRUSTED, "may not push to the repository"),
    _Rule(lambda case: True, UNVERIFIED, "GitHub does not tell whether they may push"),
)


def judge_author(comment: Comment, pushers: Pushers, bots: Collection[str]) -> Trust:
    """Judge whether a comment is trusted: its author, and whoever else changed what it says."""
    rule = next(one for one in RULES if one.fits(_Case(comment, _may_push(comment, pushers), bots)))
    if rule.value != TRUSTED or comment.own or not edited_by_another(comment):
        return Trust(rule.value, rule.why)
    editor = comment.editor or comment.author
    if is_named_bot(editor, bots) or (editor.kind == "User" and pushers.get(editor.login.lower())):
        return Trust(TRUSTED, rule.why)
    return Trust(UNVERIFIED, f"edited by @{editor.login}, of whom GitHub does not tell whether they may push")


def edited_by_another(comment: Comment) -> bool:
    """Whether someone else than its author changed a comment last."""
    return comment.editor is not None and comment.editor != comment.author


def is_named_bot(actor: Actor, bots: Collection[str]) -> bool:
    """Whether this is one of `bots`: the kind tells it from a user of the same name."""
    return actor.kind == "Bot" and actor.login.lower() in bots


def _may_push(comment: Comment, pushers: Pushers) -> bool | None:
    said = pushers.get(comment.author.login.lower())
    return comment.can_push if comment.can_push is not None else said


def to_ask(comments: Collection[Comment]) -> list[Actor]:
    """Give the users of whom GitHub has to be asked whether they may push, each once."""
    known = told_beside_reviews(comments)
    authors = [one.author for one in comments if one.can_push is None and not one.own and one.size]
    editors = [one.editor for one in comments if one.editor and edited_by_another(one) and not one.own]
    asked = {one.login.lower(): one for one in (*authors, *editors) if one.kind == "User"}
    return [one for login, one in asked.items() if login not in known]


def told_beside_reviews(comments: Collection[Comment]) -> dict[str, bool | None]:
    """Give whether the users who wrote reviews may push, as GitHub tells it beside them."""
    users = (one for one in comments if one.author.kind == "User" and one.can_push is not None)
    return {one.author.login.lower(): one.can_push for one in users}
