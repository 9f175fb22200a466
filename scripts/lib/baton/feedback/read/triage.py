"""Sort all feedback into items: what is new, what was answered, what asks for nothing, what stays unread."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from baton.feedback.bots import Reading, read_bot
from baton.feedback.read.category import category_of
from baton.feedback.read.general_comments import PastAnswers, missing_findings, prose_items
from baton.feedback.read.item import DROPPED, NEW, Item
from baton.feedback.read.models import TRUSTED, Comment, Feedback, Thread
from baton.feedback.read.repeats import Known, without_repeats
from baton.feedback.read.threads import thread_item
from baton.feedback.read.trust import Trust, is_named_bot
from baton.feedback.text.flags import flags

Judge = Callable[[Comment], Trust]


class NotReviewed(NamedTuple):
    """A bot that wrote that it did not review, and why; its silence is no approval."""

    bot: str
    why: str
    url: str


class Triaged(NamedTuple):
    """All items, who did not review, and what did not add up in what bots wrote."""

    items: tuple[Item, ...]
    not_reviewed: tuple[NotReviewed, ...]
    problems: tuple[str, ...]


def classify_comments(feedback: Feedback, judge: Judge, bots: Collection[str]) -> Feedback:
    """Return the feedback with the trust in each comment; no text of untrusted authors is left."""

    def classified(comments: Iterable[Comment], surface: str) -> tuple[Comment, ...]:
        return tuple(classify_comment(comment, judge(comment), surface, bots) for comment in comments)

    return feedback._replace(
        threads=[
            thread._replace(comments=classified(thread.comments, "review_thread"))
            for thread in drain(feedback.threads)
        ],
        comments=classified(feedback.comments, "pr_comment"),
        reviews=classified(feedback.reviews, "review_body"),
    )


def classify_comment(comment: Comment, trust: Trust, surface: str, bots: Collection[str]) -> Comment:
    """Return a comment with the trust in it and what it says: a bot's is taken apart, a stranger's left out.

    What others wrote is from then on in `parsed` alone.
    """
    is_bot, parsed = is_named_bot(comment.author, bots), Reading()
    if trust.value == TRUSTED:
        login = comment.author.login.lower()
        parsed = read_bot(login, surface, comment.body) if is_bot else Reading(text=comment.body)
    body = comment.body if comment.own else ""
    known = comment._replace(trust=trust.value, trust_reason=trust.why, unknown=trust.unknown)
    return known._replace(body=body, is_bot=is_bot, parsed=parsed)


def drain(threads: list[Thread]) -> Iterator[Thread]:
    """Return the threads of a list in order, and let each go: of thousands, two copies are too many."""
    threads.reverse()
    while threads:
        yield threads.pop()


def triage(feedback: Feedback, ignored: Mapping[str, str] = MappingProxyType({})) -> Triaged:
    """Sort everything but resolved threads; each item gets a category, and what hides in its text is flagged.

    `ignored` are the items of which it was said that they ask for nothing, and since when each read as it did.
    """
    threads = [thread_item(thread) for thread in feedback.threads if not thread.resolved]
    known = Known(feedback.threads)
    answers = PastAnswers(comment for comment in (*feedback.comments, *feedback.reviews) if comment.own)
    said = [
        (comment, surface)
        for surface, comments in (("pr_comment", feedback.comments), ("review_body", feedback.reviews))
        for comment in comments
        if comment.is_submitted
    ]
    begun = Counter(thread.comments[0].review for thread in feedback.threads if thread.comments)
    prose = [
        item for comment, surface in said for item in prose_items(comment, surface, answers, begun[comment.id])
    ]
    comments = [comment for comment, _ in said]
    missing = ((review, missing_findings(review, begun[review.id])) for review in feedback.reviews)
    wrong = [(comment, problem) for comment in comments for problem in comment.parsed.problems]
    problems = (
        f"{comment.author.login}: {problem} ({comment.url})" for comment, problem in (*wrong, *missing) if problem
    )
    items = map(_with_category, (*threads, *without_repeats(known, prose)))
    heard = (_without_ignored(item, ignored) for item in items)
    return Triaged(tuple(heard), tuple(find_not_reviewed(comments)), tuple(problems))


def _without_ignored(item: Item, ignored: Mapping[str, str]) -> Item:
    """Return an item dropped that was ignored before; a finding in a body is the same one in a later review."""
    since = ignored.get(item.id)
    if item.state != NEW or since is None or not (item.is_part or since == item.at):
        return item
    return item._replace(state=DROPPED, why="asks for nothing, as was said before")


def _with_category(item: Item) -> Item:
    """Return an item with its category, and with what a reader on GitHub would not have seen."""
    if not item.text:
        return item
    category = category_of(item.text, item.label, item.path)
    return item._replace(category=category.name, sure_category=category.sure, flags=flags(item.text))


def find_not_reviewed(comments: Iterable[Comment]) -> Iterator[NotReviewed]:
    """Return the bots whose last word is that they did not review."""
    last: dict[str, Comment] = {}
    for comment in sorted(comments, key=lambda comment: comment.at):
        parsed = comment.parsed
        if comment.is_bot and (parsed.not_reviewed or parsed.findings or parsed.text or comment.state):
            last[comment.author.login] = comment
    for login, comment in last.items():
        if comment.parsed.not_reviewed:
            yield NotReviewed(login, comment.parsed.not_reviewed, comment.url)
