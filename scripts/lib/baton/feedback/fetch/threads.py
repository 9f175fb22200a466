"""A review thread as an item: who has to answer next, and whether whoever spoke last is trusted."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from baton.feedback.fetch.item import ANSWERED, DROPPED, NEW, PENDING, QUARANTINED, UNVERIFIED, Item
from baton.feedback.fetch.pull_feedback import TRUSTED, UNTRUSTED, Comment, Thread
from baton.feedback.text.comment_marks import CLOSING, ReplyMark, marks_in
from baton.feedback.text.excerpt import excerpt
from baton.feedback.text.flags import flags_of

# What an item becomes by the trust in those who wait for an answer.
STATE_BY_TRUST = {"trusted": NEW, "unverified": UNVERIFIED, "untrusted": QUARANTINED}
LONGEST_TITLE = 80  # characters
HEARD_ONCE = "its bot spoke again after it was heard once"


class ThreadState(NamedTuple):
    """The state of a thread, why, and the comment that decided it.

    `unread` are the comments to be read of one that is new, `otherwise` is its state should those ask for nothing.
    With `spoke_again` its bot spoke once more after it was heard once: that is not read.
    """

    state: str
    why: str
    comment: Comment | None = None
    unread: tuple[Comment, ...] = ()
    otherwise: str = DROPPED
    spoke_again: bool = False


def heard_comments(thread: Thread) -> list[Comment]:
    """Return the comments of a thread that count: no drafts, and none that was minimized."""
    return [comment for comment in thread.comments if not comment.minimized and comment.state != "PENDING"]


def thread_item(thread: Thread) -> Item:
    """Return the item of a thread, from its comments."""
    comments = heard_comments(thread)
    state = thread_state(thread)
    first = comments[0] if comments else None
    decided = state.comment or first
    requests = [comment for comment in comments if not comment.own] or comments[:1]
    words = next((request.body for request in (*state.unread, first, *requests) if request and request.body), "")
    return Item(
        id=thread.id,
        surface="review_thread",
        state=state.state,
        why=state.why,
        author=decided.author.login if decided else "",
        trust=decided.trust if decided else "untrusted",
        url=decided.url if decided else "",
        at=_last_change([*requests, *state.unread]) or thread.last_at,
        path=thread.path,
        line=thread.line or thread.original_line,
        start_line=thread.start_line if thread.line else thread.original_start_line,
        outdated=thread.outdated,
        title=excerpt(words, LONGEST_TITLE),
        body_bytes=sum(comment.size for comment in comments),
        heard=len(_by_people(comments)),
        flags=flags_of("\n\n".join(comment.body for comment in requests if comment.body)),
        spoke_again=state.spoke_again,
    )


def _last_change(comments: list[Comment]) -> str:
    """Return since when these read as they do; a bot changes what it wrote all the time."""
    return max((comment.created_at if comment.is_bot else comment.at for comment in comments), default="")


def thread_state(thread: Thread) -> ThreadState:
    """Return the state of a thread, from those of its comments that count."""
    comments = heard_comments(thread)
    if not comments:
        return ThreadState(DROPPED, _why_empty(thread.comments))
    replies = [comment for comment in comments[1:] if comment.own]
    if not replies:
        return _state_by_trust(comments, "nobody answered yet", comments)
    answer, mark = _answer(thread, replies)
    verdict = mark.verdict if mark else ""
    otherwise = PENDING if verdict in CLOSING and not thread.resolved else ANSWERED
    people, decided, bots = _since(comments, answer, mark)
    since = [*people, *decided, *([] if _bot_was_heard(thread, comments) else bots)]
    if since:
        why = "said since you answered" if people else "you decided what was asked"
        why = why if people or decided else f"its bot spoke after we answered ({verdict})"
        return _state_by_trust([*people, *decided] or since, why, since)._replace(otherwise=otherwise)
    why = f"answered ({verdict})" if verdict else "your reply is the last"
    why += ", and still open" if otherwise == PENDING else ""
    if bots:
        return ThreadState(otherwise, f"{why}; {HEARD_ONCE}", bots[-1], spoke_again=True)
    return ThreadState(otherwise, why)


def _answer(thread: Thread, replies: Sequence[Comment]) -> tuple[Comment, ReplyMark | None]:
    """Return our last answer, and its mark; after a question to the user, what they wrote is their decision."""
    marked = [(reply, mark) for reply in replies for mark in marks_in(reply.body) if mark.item == thread.id]
    if marked and (marked[-1][0] is replies[-1] or marked[-1][1].verdict == "needs-human"):
        return marked[-1]
    return replies[-1], None


def _since(
    comments: Sequence[Comment], answer: Comment, mark: ReplyMark | None
) -> tuple[list[Comment], list[Comment], list[Comment]]:
    """Return the comments of people, the viewer and bots since an answer; a stranger's reopens nothing."""
    others = _by_people(comments)
    people = [comment for comment in others if comment.at > answer.created_at]
    if not people and mark and mark.heard is not None:
        people = others[mark.heard :]  # of the same second, or a draft of before that was published since
    later = comments[comments.index(answer) + 1 :] if mark else ()
    known = [comment for comment in later if comment.trust != UNTRUSTED]
    decided, bots = [comment for comment in known if comment.own], [comment for comment in known if comment.is_bot]
    heard = [person for person in people if person.trust != UNTRUSTED and not _is_unnamed_bots(person)]
    return heard, decided, bots


def _bot_was_heard(thread: Thread, comments: Sequence[Comment]) -> bool:
    """Whether we answered what a bot said after an answer of ours: once is enough, or two bots talk for ever."""
    ours = [place for place, comment in enumerate(comments) if comment.own and _has_mark(thread, comment)]
    return any(comment.is_bot for comment in comments[ours[0] : ours[-1]]) if ours else False


def _has_mark(thread: Thread, comment: Comment) -> bool:
    return any(mark.item == thread.id for mark in marks_in(comment.body))


def _state_by_trust(comments: Sequence[Comment], why: str, unread: Sequence[Comment]) -> ThreadState:
    """Return the state by the first trusted author; else the first that cannot be verified; else the first."""
    best = min(comments, key=lambda comment: list(STATE_BY_TRUST).index(comment.trust))
    state = STATE_BY_TRUST[best.trust]
    trusted = tuple(comment for comment in unread if comment.trust == TRUSTED)
    return ThreadState(state, why if state == NEW else best.trust_reason, best, trusted)


def speaks_again(thread: Thread) -> bool:
    """Whether somebody spoke in a thread that is resolved, after our marked answer, and is to be heard or told."""
    if not any(comment.own and _has_mark(thread, comment) for comment in thread.comments):
        return False
    state = thread_state(thread)
    return state.state in (NEW, UNVERIFIED) or state.spoke_again


def our_verdict(thread: Thread) -> str:
    """Return the last verdict on a thread that a reply of ours has a mark of; empty for none."""
    marks = [mark for comment in thread.comments if comment.own for mark in marks_in(comment.body)]
    return next((mark.verdict for mark in reversed(marks) if mark.item == thread.id), "")


def _by_people(comments: Sequence[Comment]) -> list[Comment]:
    return [comment for comment in comments if not comment.is_bot and not comment.own]


def _is_unnamed_bots(comment: Comment) -> bool:
    """Whether a bot nobody named wrote or changed it: that reopens nothing."""
    return comment.unknown is not None and comment.unknown.kind == "Bot"


def _why_empty(comments: Collection[Comment]) -> str:
    if any(comment.state == "PENDING" for comment in comments):
        return "your own draft"
    reasons = [comment.minimized for comment in comments if comment.minimized]
    return f"minimized ({reasons[0]})" if reasons else "no comment is left"
