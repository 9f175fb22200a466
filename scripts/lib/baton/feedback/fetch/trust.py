"""Decide who is trusted: those who may push to the repository, and known or named bots; others are counted.

What GitHub calls somebody's association is no part of it: it is no right to push, and depends on who asks
(actions/github-script#365: a member of an organization is a contributor to a token that may not see its members).
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from baton.feedback.fetch.pull_feedback import (
    TRUSTED,
    UNTRUSTED,
    UNVERIFIED,
    Comment,
    Feedback,
    PullRequest,
    Thread,
)
from baton.github.accounts import UNTOLD, Actor, PushPermissions, fetch_push_permissions
from baton.github.client import GitHub


class Trust(NamedTuple):
    """Whether the words of a comment are trusted, why, and of whom it is not known."""

    value: str
    why: str
    unknown: Actor | None = None


def judge_comment(comment: Comment, pushers: PushPermissions, bots: Collection[str]) -> Trust:
    """Judge whether a comment is trusted: its author, and whoever else changed what it says."""
    by_author = _judge(comment, pushers, bots)
    if by_author.value != TRUSTED or comment.editor is None or not edited_by_another(comment):
        return by_author
    by_editor = _judge(comment._replace(author=comment.editor, can_push=None, own=False), pushers, bots)
    if by_editor.value == TRUSTED:
        return by_author
    return by_editor._replace(why=f"edited by @{comment.editor.login}: {by_editor.why}")


def _judge(comment: Comment, pushers: PushPermissions, bots: Collection[str]) -> Trust:
    """Judge a comment by its author alone: by the first of these that fits."""
    author, may_push = comment.author, comment.can_push
    if may_push is None:
        may_push = pushers.get(author.login.lower())
    reasons = (
        (comment.own, TRUSTED, "yourself"),
        (author.kind == "", UNTRUSTED, "a deleted account"),
        (is_named_bot(author, bots), TRUSTED, "a named review bot"),
        (author.kind == "Bot", UNVERIFIED, "a bot nobody named"),
        (author.kind != "User", UNTRUSTED, "not a user account"),
        (may_push is True, TRUSTED, "allowed to push"),
        (may_push is None, UNVERIFIED, UNTOLD),
        (author.login.lower() in bots, UNTRUSTED, "a user, not the bot of that name; not allowed to push"),
        (True, UNTRUSTED, "not allowed to push"),
    )
    value, why = next((value, why) for fits, value, why in reasons if fits)
    return Trust(value, why, author if value == UNVERIFIED else None)


def edited_by_another(comment: Comment) -> bool:
    """Whether someone else than its author changed a comment last."""
    return comment.editor is not None and comment.editor != comment.author


def is_named_bot(actor: Actor, bots: Collection[str]) -> bool:
    """Whether this is one of `bots`: the kind tells it from a user of the same name."""
    return actor.kind == "Bot" and actor.login.lower() in bots


def named_bots(bots: Sequence[str], feedback: Feedback, trusted: Mapping[str, int]) -> tuple[str, ...]:
    """Return `bots` and those the user trusts, but for logins that are another account's by now."""
    actors = (actor for comment in feedback.all_comments for actor in (comment.author, comment.editor) if actor)
    numbers = {(actor.login.lower(), actor.number) for actor in actors if actor.kind == "Bot"}
    changed = {login for login, number in numbers if trusted.get(login, number) != number}
    return (*bots, *(login for login in trusted if login not in changed))


def find_pushers(github: GitHub, feedback: Feedback, trusted: Mapping[str, int]) -> PushPermissions:
    """Return who may push: as GitHub tells it, and where it does not, as the user said of an account."""
    comments = feedback.all_comments
    pull = feedback.pull
    unknown = authors_to_look_up(comments, *(() if pull.own else (pull.author,)))
    pushers = {
        **fetch_push_permissions(github, pull.repository, unknown),
        **permissions_from_reviews(comments),
    }
    for actor in unknown:
        login = actor.login.lower()
        if pushers[login] is None and trusted.get(login, 0) == actor.number:
            pushers[login] = True
    return pushers


def without_untrusted_title(pull: PullRequest, pushers: PushPermissions) -> PullRequest:
    """Return the pull request, with its title where whoever gave it is trusted."""
    may_push = pull.author.kind == "User" and pushers.get(pull.author.login.lower()) is True
    return pull if pull.own or may_push else pull._replace(title=None)


def authors_to_look_up(comments: Collection[Comment], *others: Actor) -> list[Actor]:
    """Return the users of whom GitHub has to be asked whether they may push, each once, and of others last."""
    known = permissions_from_reviews(comments)
    authors = [
        comment.author for comment in comments if comment.can_push is None and not comment.own and comment.size
    ]
    editors = [comment.editor for comment in comments if comment.editor and edited_by_another(comment)]
    asked = {actor.login.lower(): actor for actor in (*authors, *editors, *others) if actor.kind == "User"}
    return [actor for login, actor in asked.items() if login not in known]


def permissions_from_reviews(comments: Collection[Comment]) -> dict[str, bool | None]:
    """Return whether the users who wrote reviews may push, as GitHub tells it beside them."""
    users = (comment for comment in comments if comment.author.kind == "User" and comment.can_push is not None)
    return {comment.author.login.lower(): comment.can_push for comment in users}


def classify_comments(feedback: Feedback, judge: Callable[[Comment], Trust], bots: Collection[str]) -> Feedback:
    """Return the feedback with the trust in each comment; no text of untrusted authors is left."""

    def classified(comments: Iterable[Comment]) -> tuple[Comment, ...]:
        return tuple(_classified(comment, judge(comment), bots) for comment in comments)

    return feedback._replace(
        threads=[
            thread._replace(comments=classified(thread.comments)) for thread in pop_in_order(feedback.threads)
        ],
        comments=classified(feedback.comments),
        reviews=classified(feedback.reviews),
    )


def _classified(comment: Comment, trust: Trust, bots: Collection[str]) -> Comment:
    """Return a comment with the trust in it: what a stranger says is left out."""
    known = comment._replace(trust=trust.value, trust_reason=trust.why, unknown=trust.unknown)
    body = comment.body if trust.value == TRUSTED else ""
    return known._replace(body=body, is_bot=is_named_bot(comment.author, bots))


def pop_in_order(threads: list[Thread]) -> Iterator[Thread]:
    """Return the threads of a list in order, and let each go: of thousands, two copies are too many."""
    threads.reverse()
    while threads:
        yield threads.pop()
