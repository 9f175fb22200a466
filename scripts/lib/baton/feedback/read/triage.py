"""Sort all feedback into items: what is new, what was answered, what asks for nothing, what stays unread."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from baton.feedback.read.category import category_of
from baton.feedback.read.general_comments import Answers, prose_items
from baton.feedback.read.item import DROPPED, NEW, Item, plain
from baton.feedback.read.models import Comment, Feedback, Thread
from baton.feedback.read.threads import Judge, Voice, hear, thread_item
from baton.feedback.text.flags import flags

# What every comment says to those who may read it, by the comment's id.
Voices = Mapping[str, Voice]


class NotReviewed(NamedTuple):
    """A bot that said it did not review, and why; its silence is no approval."""

    bot: str
    why: str
    url: str


class Sorted(NamedTuple):
    """All items, who did not review, and what did not add up in what bots wrote."""

    items: tuple[Item, ...]
    not_reviewed: tuple[NotReviewed, ...]
    problems: tuple[str, ...]


def hear_all(said: Feedback, judge: Judge, bots: Collection[str]) -> tuple[Feedback, Voices]:
    """Hear every comment; gives what was said without a word of others, and what may be known of it."""
    voices: dict[str, Voice] = {}

    def heard(comments: Iterable[Comment], surface: str) -> tuple[Comment, ...]:
        made = [hear(one, judge(one), surface, bots) for one in comments]
        voices.update({one.comment.id: one for one in made})
        return tuple(one.comment for one in made)

    threads = [one._replace(comments=heard(one.comments, "review_thread")) for one in emptied(said.threads)]
    comments, reviews = heard(said.comments, "pr_comment"), heard(said.reviews, "review_body")
    return said._replace(threads=threads, comments=comments, reviews=reviews), voices


def emptied(threads: list[Thread]) -> Iterator[Thread]:
    """Give the threads of a list in order, and let each go: of thousands, two copies are too many."""
    threads.reverse()
    while threads:
        yield threads.pop()


def triage(feedback: Feedback, voices: Voices) -> Sorted:
    """Sort everything but resolved threads; each item gets a category, and what hides in its text is flagged."""
    threads = [
        thread_item(
            one, [voices[said.id] for said in one.comments if not said.minimized and said.state != "PENDING"]
        )
        for one in feedback.threads
        if not one.resolved
    ]
    heard = list(_heard(feedback, voices))
    answers = Answers(one for one in (*feedback.comments, *feedback.reviews) if one.own)
    prose = [item for voice, surface in heard for item in prose_items(voice, surface, answers)]
    items = (*threads, *without_repeats(threads, prose))
    return Sorted(tuple(map(_described, items)), tuple(not_reviewed(heard)), tuple(_problems(heard)))


def _heard(feedback: Feedback, voices: Voices) -> Iterator[tuple[Voice, str]]:
    """Give whatever is no thread, with its surface: comments, then reviews that say something and are no draft."""
    for surface, said in (("pr_comment", feedback.comments), ("review_body", feedback.reviews)):
        yield from ((voices[one.id], surface) for one in said if one.size and one.state != "PENDING")


def _problems(heard: Iterable[tuple[Voice, str]]) -> Iterator[str]:
    for voice, _ in heard:
        for one in voice.reading.problems:
            yield f"{voice.comment.author.login}: {one} ({voice.comment.url})"


def without_repeats(threads: Iterable[Item], prose: Iterable[Item]) -> Iterator[Item]:
    """Give the items beside the threads; dropped are findings that a thread or a later review says as well."""
    known = {name: one.id for one in threads for name in _names(one)}
    newest: dict[str, Item] = {}
    items = list(prose)
    for one in items:
        if one.surface == "review_body_part" and one.at >= newest.get(one.id, one).at:
            newest[one.id] = one
    for one in items:
        if one.surface != "review_body_part" or one.state != NEW:
            yield one
            continue
        thread = next((known[name] for name in _names(one) if name in known), "")
        if thread:
            yield one._replace(state=DROPPED, why=f"says what {thread} says")
        elif newest[one.id] is not one:
            yield one._replace(state=DROPPED, why="said again in a later review")
        else:
            yield one


def _names(item: Item) -> Iterator[tuple[str, str | None, str | int]]:
    """Give what a finding of a bot may be known by: its title, and its line."""
    if plain(item.title):
        yield item.author, item.path, plain(item.title)
    if item.line:
        yield item.author, item.path, item.line


def _described(item: Item) -> Item:
    """Give an item with its category, and with what a reader on GitHub would not have seen."""
    if not item.text:
        return item
    category = category_of(item.text, item.label, item.path)
    return item._replace(category=category.name, sure_category=category.sure, flags=flags(item.text))


def not_reviewed(heard: Iterable[tuple[Voice, str]]) -> Iterator[NotReviewed]:
    """Give the bots whose last word is that they did not review."""
    last: dict[str, Voice] = {}
    for voice, _ in heard:
        reading = voice.reading
        if voice.bot and (reading.not_reviewed or reading.findings or reading.text or voice.comment.state):
            before = last.get(voice.comment.author.login)
            if before is None or voice.comment.at >= before.comment.at:
                last[voice.comment.author.login] = voice
    for login, voice in last.items():
        if voice.reading.not_reviewed:
            yield NotReviewed(login, voice.reading.not_reviewed, voice.comment.url)
