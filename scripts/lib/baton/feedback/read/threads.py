"""A review thread as an item: who has to answer next, and whether whoever spoke last is trusted."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from baton.feedback.bots import Reading
from baton.feedback.land.reply_marker import CLOSING, marks_in
from baton.feedback.read.item import ANSWERED, DROPPED, NEW, PENDING, QUARANTINED, UNVERIFIED, Item
from baton.feedback.read.models import Comment, Thread

# What an item becomes by the trust in those who wait for an answer.
STATE_BY_TRUST = {"trusted": NEW, "unverified": UNVERIFIED, "untrusted": QUARANTINED}


class ThreadState(NamedTuple):
    """The state of a thread, why, and the comment that decided it."""

    state: str
    why: str
    comment: Comment | None = None


def thread_item(thread: Thread) -> Item:
    """Return the item of a thread, from its comments: drafts and minimized ones do not count."""
    comments = [comment for comment in thread.comments if not comment.minimized and comment.state != "PENDING"]
    state = thread_state(thread, comments)
    first = comments[0] if comments else None
    decided = state.comment or first
    requests = _open_requests(comments)
    parsed = next((comment.parsed for comment in (first, decided) if comment and comment.text), Reading())
    return Item(
        id=thread.id,
        surface="review_thread",
        state=state.state,
        why=state.why,
        author=decided.author.login if decided else "",
        trust=decided.trust if decided else "untrusted",
        url=decided.url if decided else "",
        at=_last_change(requests) or thread.last_at,
        path=thread.path,
        line=thread.line or thread.original_line,
        start_line=thread.start_line if thread.line else thread.original_start_line,
        outdated=thread.outdated,
        severity=parsed.severity,
        title=parsed.title,
        text="\n\n".join(comment.text for comment in requests if comment.text),
        body_bytes=sum(comment.size for comment in comments),
        heard=len(_by_people(comments)),
        label=parsed.label,
        key=parsed.key,
    )


def _open_requests(comments: list[Comment]) -> list[Comment]:
    """Return those a thread asks something by: all but the viewer's, or the one the viewer began it with."""
    return [comment for comment in comments if not comment.own] or comments[:1]


def _last_change(comments: list[Comment]) -> str:
    """Return since when these read as they do; a bot changes what it wrote all the time."""
    return max((comment.created_at if comment.is_bot else comment.at for comment in comments), default="")


def thread_state(thread: Thread, comments: Sequence[Comment]) -> ThreadState:
    """Return the state of a thread, from those of its comments that count."""
    if not comments:
        return ThreadState(DROPPED, _why_empty(thread.comments))
    first = comments[0]
    replies = [comment for comment in comments[1:] if comment.own]
    if not replies:
        if first.is_bot and first.parsed.addressed and not _by_people(comments[1:]):
            return ThreadState(
                ANSWERED, f"{first.author.login} says: addressed in {first.parsed.addressed}", first
            )
        return _state_by_trust(comments, "nobody answered yet")
    answer, people = replies[-1], _by_people(comments)
    mark = next((mark for mark in marks_in(answer.body) if mark.item == thread.id), None)
    since = [comment for comment in people if comment.at > answer.created_at]
    if not since and mark and mark.heard is not None:
        since = people[mark.heard :]  # of the same second, or a draft of before that was published since
    if since := [one for one in since if one.trust != "untrusted" and not _is_unnamed_bots(one)]:
        return _state_by_trust(since, "said since you answered")
    verdict = mark.verdict if mark else ""
    if verdict in CLOSING:
        return ThreadState(PENDING, f"answered ({verdict}), and still open")
    return ThreadState(ANSWERED, f"answered ({verdict})" if verdict else "your reply is the last")


def _state_by_trust(comments: Sequence[Comment], why: str) -> ThreadState:
    """Return the state by the first trusted author; else the first that cannot be verified; else the first."""
    best = min(comments, key=lambda comment: list(STATE_BY_TRUST).index(comment.trust))
    state = STATE_BY_TRUST[best.trust]
    return ThreadState(state, why if state == NEW else best.trust_reason, best)


def our_verdict(thread: Thread) -> str:
    """Return the last verdict on a thread that a reply of ours has a mark of; empty for none."""
    marks = [mark for comment in thread.comments if comment.own for mark in marks_in(comment.body)]
    return next((mark.verdict for mark in reversed(marks) if mark.item == thread.id), "")


def _by_people(comments: Sequence[Comment]) -> list[Comment]:
    """Return those of other people: a bot has a word for every answer, and would have one for the next."""
    return [comment for comment in comments if not comment.is_bot and not comment.own]


def _is_unnamed_bots(comment: Comment) -> bool:
    """Whether a bot nobody named wrote or changed it: that reopens nothing."""
    return comment.unknown is not None and comment.unknown.kind == "Bot"


def _why_empty(comments: Collection[Comment]) -> str:
    if any(comment.state == "PENDING" for comment in comments):
        return "your own draft"
    reasons = [comment.minimized for comment in comments if comment.minimized]
    return f"minimized ({reasons[0]})" if reasons else "no comment is left"
