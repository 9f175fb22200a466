"""A review thread as an item: whose turn it is, and whether who spoke last is trusted."""

from collections.abc import Callable, Collection
from typing import NamedTuple

from baton.feedback.bots import Reading, read_bot
from baton.feedback.land.reply_marker import CLOSING, marks_in
from baton.feedback.read.item import ANSWERED, DROPPED, NEW, PENDING, QUARANTINED, UNVERIFIED, Item
from baton.feedback.read.models import Comment, Thread
from baton.feedback.read.trust import TRUSTED, Trust, is_named_bot

Judge = Callable[[Comment], Trust]
# What an item becomes by the trust of those who wait for an answer.
BY_TRUST = {"trusted": NEW, "unverified": UNVERIFIED, "untrusted": QUARANTINED}


class Voice(NamedTuple):
    """A comment, whether it is trusted, and what it says: empty where it may not."""

    comment: Comment
    trust: Trust
    bot: bool
    reading: Reading

    @property
    def text(self) -> str:
        return self.reading.text


class Turn(NamedTuple):
    """Whose turn it is in a thread: its state, why, and the voice that decided it."""

    state: str
    why: str
    voice: Voice | None = None


def hear(comment: Comment, trust: Trust, surface: str, bots: Collection[str]) -> Voice:
    """Read a comment: a bot's is taken apart, and of one that is not trusted nothing is kept.

    What others wrote is from then on in the reading alone.
    """
    bot = is_named_bot(comment.author, bots)
    heard = comment if comment.own else comment._replace(body="")
    if trust.value != TRUSTED:
        return Voice(heard, trust, bot, Reading())
    reading = read_bot(comment.author.login.lower(), surface, comment.body) if bot else Reading(text=comment.body)
    return Voice(heard, trust, bot, reading)


def thread_item(thread: Thread, voices: list[Voice]) -> Item:
    """Give the item of a thread, from what is to be heard in it, oldest first."""
    turn = take_turns(thread, voices)
    first = voices[0] if voices else None
    speaker = turn.voice or first
    said = next((one.reading for one in (first, speaker) if one and one.text), Reading())
    return Item(
        id=thread.id,
        surface="review_thread",
        state=turn.state,
        why=turn.why,
        author=speaker.comment.author.login if speaker else "",
        trust=speaker.trust.value if speaker else "untrusted",
        url=speaker.comment.url if speaker else "",
        at=_last_said(_asking(voices)) or thread.last_at,
        path=thread.path,
        line=thread.line or thread.original_line,
        start_line=thread.start_line if thread.line else thread.original_start_line,
        outdated=thread.outdated,
        severity=said.severity,
        title=said.title,
        text="\n\n".join(one.text for one in _asking(voices) if one.text),
        body_bytes=sum(one.comment.size for one in voices),
        label=said.label,
        key=said.key,
    )


def _asking(voices: list[Voice]) -> list[Voice]:
    """Give those a thread is asked by: all but the viewer, or the viewer who began it for themselves."""
    return [one for one in voices if not one.comment.own] or voices[:1]


def _last_said(voices: list[Voice]) -> str:
    """Give since when these say what they do; a bot changes what it wrote all the time."""
    return max((one.comment.created_at if one.bot else one.comment.at for one in voices), default="")


def take_turns(thread: Thread, voices: list[Voice]) -> Turn:
    """Say whose turn it is, from what is to be heard in a thread: drafts and minimized comments are not."""
    if not voices:
        return Turn(DROPPED, _why_silent(thread.comments))
    first = voices[0]
    replies = [number for number, one in enumerate(voices) if one.comment.own and number > 0]
    if not replies:
        if first.bot and first.reading.addressed and not _people(voices[1:]):
            return Turn(
                ANSWERED, f"{first.comment.author.login} says: addressed in {first.reading.addressed}", first
            )
        return _judged(voices, "nobody answered yet")
    answer = voices[replies[-1]].comment
    since = [one for one in voices if not one.comment.own and one.comment.at > answer.created_at]
    if steering := [one for one in _people(since) if one.trust.value != "untrusted"]:
        return _judged(steering, "said since you answered")
    verdict = next((one.verdict for one in marks_in(answer.body) if one.item == thread.id), "")
    if verdict in CLOSING:
        return Turn(PENDING, f"answered ({verdict}), and still open")
    return Turn(ANSWERED, f"answered ({verdict})" if verdict else "your reply is the last")


def _judged(voices: list[Voice], why: str) -> Turn:
    """Give the turn of the first who is trusted; of the first of whom it cannot be known; of the first."""
    for value, state in BY_TRUST.items():
        for one in voices:
            if one.trust.value == value:
                return Turn(state, why if state == NEW else one.trust.why, one)
    raise AssertionError("somebody spoke")


def _people(voices: list[Voice]) -> list[Voice]:
    """Give those who are no bots: a bot has a word for every answer, and the answer to it would get another."""
    return [one for one in voices if not one.bot and not one.comment.own]


def _why_silent(comments: Collection[Comment]) -> str:
    if any(one.state == "PENDING" for one in comments):
        return "your own draft"
    reasons = [one.minimized for one in comments if one.minimized]
    return f"minimized ({reasons[0]})" if reasons else "no comment is left"
