"""The reviews that a pull request waits for before it is merged, and those that want changes."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from baton.github.client import Change, GitHub
from baton.github.queries import ENQUEUE, REVIEWS
from baton.github.responses import shape_checked
from baton.text import join_words, one_line

# For how long a bot that reviewed other pull requests is waited for: not for ever, as it need not review this one.
BOTS_WAIT_S = 900
# How a pull request stands that GitHub merges, and one that it refuses to merge whoever asks, of the schema's
# MergeStateStatus. By any other a rule of base may hold it back.
MERGES, REFUSED = ("CLEAN", "UNSTABLE", "HAS_HOOKS"), ("DIRTY", "DRAFT")
METHODS = {"squash": "squashMergeAllowed", "merge": "mergeCommitAllowed"}


class Reviews(NamedTuple):
    """The reviews of a pull request, how it stands to base's rules, when the last word was said."""

    base: str  # the branch it goes to
    asked: tuple[str, ...]  # reviewers who were asked and have not answered
    against: tuple[str, ...]  # who may push and wants changes: each with the review's URL
    reviewed: frozenset[str]  # logins, in small letters, that have reviewed this head
    bots: tuple[str, ...]  # that reviewed a recent pull request and have not reviewed this one
    last: float  # seconds since 1970; 0: nothing was said
    has_queue: bool  # base has a merge queue, by a ruleset or by classic protection
    queued: str  # where it stands in the merge queue; empty where it is in none
    approval: bool  # base requires an approval that it has not
    stands: str  # how it stands to base's rules, a value of the schema's MergeStateStatus
    may_bypass: bool  # GitHub lets gh's account merge it past them
    methods: tuple[str, ...]  # by which settings and classic protection let it be merged in one commit


class DueReview(NamedTuple):
    """A review that a merge waits for, or that wants changes: its rule, and in words that are part of a Matter."""

    rule: str
    told: str
    is_approval: bool = False  # that base requires, by whomever


APPROVAL = DueReview("review/wait", "waiting for an approval, which base requires", is_approval=True)


def read_reviews(github: GitHub, repository: str, number: int, head: str) -> Reviews:
    """Read the reviews of a pull request, and how it stands to base's rules."""
    owner, name = repository.split("/")
    data = github.query(REVIEWS, {"owner": owner, "name": name, "number": number})
    with shape_checked("GitHub's answer on its reviews is none", f"{repository}#{number}"):
        node = data["repository"]
        pull, recent = node["pullRequest"], node["pullRequests"]["nodes"]
        reviews, opinions = pull["reviews"]["nodes"], pull["latestOpinionatedReviews"]["nodes"]
        times = [review["createdAt"] for review in (*pull["comments"]["nodes"], *reviews)]
        queue = pull["mergeQueueEntry"]
        return Reviews(
            pull["baseRefName"],
            tuple(_reviewer(request["requestedReviewer"]) for request in pull["reviewRequests"]["nodes"]),
            tuple(_against(review) for review in opinions if review["state"] == "CHANGES_REQUESTED"),
            frozenset(_login(review) for review in reviews if (review["commit"] or {}).get("oid") == head),
            _silent_bots(recent, reviews, number),
            max((datetime.fromisoformat(time).timestamp() for time in times), default=0.0),
            pull["isMergeQueueEnabled"],
            f"{queue['state'].lower()}, place {queue['position']}" if queue else "",
            pull["reviewDecision"] == "REVIEW_REQUIRED",
            pull["mergeStateStatus"],
            pull["viewerCanMergeAsAdmin"],
            tuple(
                name for name, field in METHODS.items() if node[field] and not (name == "merge" and _linear(pull))
            ),
        )


def _linear(pull: Any) -> bool:
    """Whether classic protection keeps merge commits off base, which no answer of REST tells."""
    rule = (pull["baseRef"] or {}).get("refUpdateRule")
    return bool(rule and rule["requiresLinearHistory"])


def _silent_bots(recent: Sequence[Any], reviews: Sequence[Any], number: int) -> tuple[str, ...]:
    """Return the bots that reviewed one of the recent pull requests and have not reviewed this one."""
    others = [
        review["author"] for pull in recent if pull["number"] != number for review in pull["reviews"]["nodes"]
    ]
    spoke = {_login(review) for review in reviews}
    bots = {other["login"] for other in others if other and other["__typename"] == "Bot"}
    return tuple(sorted(bot for bot in bots if bot.lower() not in spoke))


def _reviewer(reviewer: Any) -> str:
    account = reviewer or {}
    return str(account.get("login") or account.get("slug") or "somebody")


def _login(review: Any) -> str:
    return str((review["author"] or {}).get("login") or "").lower()


def _against(review: Any) -> str:
    return f"@{one_line((review['author'] or {}).get('login') or 'ghost')} {review['url']}"


def waited_for(reviews: Reviews, wanted: tuple[str, ...] | None, since_s: float) -> list[DueReview]:
    """Return the reviews that are waited for.

    `wanted` are logins whose review of this head is wanted; with None it is the bots that review this repository,
    each once, for a while. `since_s` is for how long the head has been there.
    """
    if wanted is None:
        silent = list(reviews.bots) if since_s < BOTS_WAIT_S else []
    else:
        silent = [login for login in wanted if login.lower() not in reviews.reviewed]
    who = join_words([f"@{login}" for login in dict.fromkeys([*reviews.asked, *silent])])
    asked = DueReview("review/wait", f"waiting for a review by {who}")
    return [*([asked] if who else []), *([APPROVAL] if reviews.approval else [])]


def method_of(reviews: Reviews, allowed: Collection[str], wanted: str) -> str:
    """Return the method to merge in one commit: the wanted one, where base's rules allow it; empty for none."""
    ways = [method for method in reviews.methods if method in allowed]
    return wanted if wanted in ways else next(iter(ways), "")


def enqueue(github: GitHub, node: str, head: str) -> Change:
    """Put a pull request into base's merge queue, if its head is still this one."""
    return github.mutate(ENQUEUE, {"pull": node, "head": head})
