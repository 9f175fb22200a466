"""Make a record of what was fetched: of all of it, or of what a URL names alone."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from baton.errors import BatonError
from baton.feedback.fetch.general_comments import PastAnswers, comment_item
from baton.feedback.fetch.item import PENDING, Item
from baton.feedback.fetch.models import Feedback, Thread
from baton.feedback.fetch.threads import our_verdict, speaks_again, thread_item
from baton.feedback.reader.items import KnownThread
from baton.feedback.reader.texts import Text, texts_of
from baton.feedback.record.record import PullRequestRecord
from baton.feedback.text.quote import excerpt
from baton.github.address import CommentRef

MOST_KNOWN, KNOWN_WORDS = 40, 80  # threads, and characters of each


def make_record(
    feedback: Feedback, lookback: int, volume: int, target: CommentRef | None, file: Path
) -> PullRequestRecord:
    """Make a record of what was fetched; of what a URL names alone, where it names a piece of feedback."""
    names = find_target(feedback, target) if target else None

    def is_wanted(*ids: str) -> bool:
        return names is None or not names.isdisjoint(ids)

    items = sort_feedback(feedback)
    texts = texts_of(feedback, items)
    heard = {item.id for item in items}
    threads = [thread for thread in feedback.threads if is_wanted(thread.id)]
    if target and target.surface == "review_thread":
        target = target._replace(resolved=any(thread.resolved for thread in threads))
    wanted = {item.id: item for item in items if is_wanted(item.id, item.review)}
    return PullRequestRecord(
        feedback.pull,
        feedback.viewer,
        feedback.pending_review,
        tuple(thread for thread in threads if thread.is_open or thread.id in heard),
        tuple(comment for comment in feedback.comments if comment.size and is_wanted(comment.id)),
        tuple(review for review in feedback.reviews if review.is_submitted and is_wanted(review.id)),
        _settled(feedback, items, texts, lookback) if names is None else (),
        tuple(wanted.values()),
        tuple(text for text in texts if text.item in wanted),
        file,
        PastAnswers(comment for comment in (*feedback.comments, *feedback.reviews) if comment.own).marked,
        dict(_known(feedback)),
        dict(_unverified(feedback)),
        volume,
        target,
    )


def sort_feedback(feedback: Feedback) -> tuple[Item, ...]:
    """Return an item for each thread that has to be heard, for each comment and for each body of a review."""
    threads = [thread for thread in feedback.threads if not thread.resolved or speaks_again(thread)]
    answers = PastAnswers(comment for comment in (*feedback.comments, *feedback.reviews) if comment.own)
    by_surface = (("pr_comment", feedback.comments), ("review_body", feedback.reviews))
    bodies = (
        (surface, comment) for surface, comments in by_surface for comment in comments if comment.is_submitted
    )
    return (*map(thread_item, threads), *(comment_item(comment, surface, answers) for surface, comment in bodies))


def _settled(
    feedback: Feedback, items: Sequence[Item], texts: Sequence[Text], lookback: int
) -> tuple[Thread, ...]:
    """Return the newest threads that are settled, each with our verdict; none in which people speak again."""
    if_ignored = {text.item: text.otherwise for text in texts if text.after and text.is_bot}  # its state, by item
    objected = {text.item for text in texts if text.after} - if_ignored.keys()
    answered = {item.id for item in items if PENDING in (item.state, if_ignored.get(item.id))} - objected
    newest = feedback.newest_resolved(lookback + len(objected), answered)
    settled = [thread._replace(answered=our_verdict(thread)) for thread in newest if thread.id not in objected]
    return tuple(settled[:lookback])


def _known(feedback: Feedback) -> Iterator[tuple[str, KnownThread]]:
    """Return the newest threads of those bots that write bodies, too."""
    authors = {
        comment.author.login
        for comment in (*feedback.comments, *feedback.reviews)
        if comment.is_bot and comment.size
    }
    threads = [
        thread for thread in feedback.threads if thread.comments and thread.comments[0].author.login in authors
    ]
    for thread in sorted(threads, key=lambda thread: thread.last_at, reverse=True)[:MOST_KNOWN]:
        first, numbers = thread.comments[0], thread.lines
        answered = max((comment.created_at for comment in thread.comments if comment.own), default=thread.last_at)
        lines = f"{numbers.start}-{numbers.stop - 1}" if len(numbers) > 1 else str(numbers.start or "")
        yield thread.id, KnownThread(
            first.author.login, thread.path, lines, excerpt(first.body, KNOWN_WORDS), not thread.resolved,
            our_verdict(thread), answered,
        )  # fmt: skip


def find_target(feedback: Feedback, target: CommentRef) -> frozenset[str]:
    """Return the ids of what a URL names: a thread, a comment, or a review with all its threads."""
    if target.surface == "review_thread":
        ids = {
            thread.id
            for thread in feedback.threads
            if target.number in (comment.number for comment in thread.comments)
        }
    else:
        comments = feedback.comments if target.surface == "pr_comment" else feedback.reviews
        ids = {comment.id for comment in comments if comment.number == target.number}
        ids |= {
            thread.id
            for thread in feedback.threads
            if ids.intersection(comment.review for comment in thread.comments)
        }
    if not ids:
        remedy = "it may have been deleted; leave out what follows `#` to read all that is there"
        raise BatonError(f"no feedback has the number {target.number}", feedback.pull.url, remedy)
    return frozenset(ids)


def _unverified(feedback: Feedback) -> Iterator[tuple[str, int]]:
    """Return the accounts of users who may or may not push and of bots nobody named, each with its number."""
    for comment in feedback.all_comments:
        if comment.unknown and comment.unknown.number is not None:
            yield comment.unknown.account, comment.unknown.number
