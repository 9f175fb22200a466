"""The texts a reader gets: what is new by trusted authors, cut by form alone, never by who wrote it."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from hashlib import sha256
from math import ceil
from typing import NamedTuple

from baton.feedback.fetch.item import DROPPED, NEW, Item
from baton.feedback.fetch.pull_feedback import Comment, Feedback, Thread
from baton.feedback.fetch.threads import our_verdict, thread_state
from baton.feedback.text.markdown import Fence, comments_in, fences_in, replace_spans
from baton.text import clip, on_one_line, quoted

BRIEF_VERSION = "1"  # of a reader's brief: with another one, every text is read again
SURFACES = {"review_thread": "inline", "pr_comment": "comment", "review_body": "review"}
# What is cut from a text that is shown, as nobody's findings stand in it: characters of a hidden comment and of a
# run without a space (of no script that is written without any), lines of a fence that names no place.
LONGEST_HIDDEN = 120
LONG_RUN = re.compile(r"[!-~]{240,}")
RUN_SHOWN = 80
FENCE_LINES, FENCE_SHOWN = 24, 12
NAMES_PLACE = re.compile(r"(?i)\blines? \d|:\d+|location")
LONGEST_LINE = 2_000  # characters: a brief is divided between lines, into parts that a client shows whole
KNOWN_LINE = 400
# What one reader gets at most: characters, and texts.
MOST_CHARACTERS, MOST_TEXTS = 48_000, 40


class Text(NamedTuple):
    """A text in one place that nobody read yet; of a thread, what others said since our last answer.

    `words` is as it was written, `cut` as a reader gets it where more differs than line breaks at its ends: of
    thousands, two copies are too many. `after` is our verdict it follows, `otherwise` the state of its item should
    it ask for nothing.
    """

    item: str
    surface: str  # inline, comment or review
    author: str
    is_bot: bool
    words: str
    cut: str = ""
    path: str | None = None
    lines: str = ""
    threads: int = 0  # begun with this review; of a comment, those of its author
    after: str = ""
    otherwise: str = DROPPED
    begun: str = ""  # when it was first said

    @property
    def shown(self) -> str:
        """The words a reader gets."""
        return self.cut or self.words.strip("\n")

    @property
    def key(self) -> str:
        """The key of its reading: the same words in the same kind of place read the same.

        A review that repeats its threads is another one than a review that has none.
        """
        threads = str(self.threads if self.surface == "review" else "")
        known = (BRIEF_VERSION, self.surface, self.author, self.path or "", self.after, threads, self.words)
        return sha256("\0".join(known).encode("utf-8", "surrogatepass")).hexdigest()[:24]


def texts_of(feedback: Feedback, items: Iterable[Item]) -> list[Text]:
    """Return the text of each new item."""
    bodies = {comment.id: comment for comment in feedback.bodies}
    threads = {thread.id: thread for thread in feedback.threads}
    begun = [thread.comments[0] for thread in feedback.threads if thread.comments]
    with_review, by_author = Counter(root.review for root in begun), Counter(root.author.login for root in begun)
    new = (item for item in items if item.state == NEW)
    return [
        _of_thread(item, threads[item.id])
        if item.id in threads
        else _of_body(item, bodies[item.id], with_review[item.id] if item.review else by_author[item.author])
        for item in new
    ]


def _of_thread(item: Item, thread: Thread) -> Text:
    state = thread_state(thread)
    words = "\n\n".join(comment.body for comment in state.unread)
    voices = "\n\n".join(f"@{comment.author.login}:\n{comment.body}" for comment in state.unread)
    several = len({comment.author.login for comment in state.unread}) > 1
    return Text(
        item.id, "inline", item.author, all(comment.is_bot for comment in state.unread), words,
        _cut_from(words, voices if several else words), item.path, item.lines, after=our_verdict(thread),
        otherwise=state.otherwise,
    )  # fmt: skip


def _of_body(item: Item, body: Comment, threads: int) -> Text:
    return Text(
        item.id, SURFACES[item.surface], item.author, body.is_bot, body.body, _cut_from(body.body, body.body),
        threads=threads if body.is_bot else 0, begun=body.created_at,
    )  # fmt: skip


def _cut_from(words: str, with_names: str) -> str:
    """Return the words as a reader is shown them, each with who said it; empty where those are the very words."""
    cut = cut_for_reader(with_names)
    return "" if cut == words.strip("\n") else cut


def cut_for_reader(words: str) -> str:
    """Cut from a text what holds no finding by its form: long hidden comments, long code, long runs."""
    hidden = [comment for comment in comments_in(words) if comment.end - comment.start > LONGEST_HIDDEN]
    text = replace_spans(
        words, ((span.start, span.end, f"[… {span.end - span.start} characters]") for span in hidden)
    )
    text = replace_spans(text, (cut for fence in fences_in(text) if (cut := _code_to_cut(text, fence))))
    text = LONG_RUN.sub(lambda run: f"{run[0][:RUN_SHOWN]}[… {len(run[0]) - RUN_SHOWN} characters]", text)
    lines = (
        line[at : at + LONGEST_LINE] for line in text.split("\n") for at in range(0, len(line) or 1, LONGEST_LINE)
    )
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


def _code_to_cut(text: str, fence: Fence) -> tuple[int, int, str] | None:
    """Return the cut in a long fence; None for one that names places, as only there the findings may stand."""
    content = text[fence.content.start : fence.content.end]
    lines = content.splitlines(keepends=True)
    if len(lines) <= FENCE_LINES or NAMES_PLACE.search(content):
        return None
    start = fence.content.start + len("".join(lines[:FENCE_SHOWN]))
    return start, fence.content.end, f"[… {len(lines) - FENCE_SHOWN} lines]\n"


def needs_reader(texts: Collection[Text], volume: int, signal: bool, targeted: bool) -> bool:
    """Whether a model has to read: not where a few people each said one thing on a line, or one was named."""
    if targeted:
        return any(text.is_bot and text.surface != "inline" for text in texts)
    plain = all(text.surface == "inline" and not text.is_bot and not text.after for text in texts)
    return bool(texts) and not (plain and len(texts) < volume and not signal)


def divide_texts(texts: Iterable[Text]) -> list[list[Text]]:
    """Divide texts evenly among as many readers as they need, those of one author to one reader where they can be.

    A share has about MOST_CHARACTERS characters or MOST_TEXTS texts: a text goes where its middle falls.
    """
    ordered = sorted(texts, key=lambda text: (text.author, text.path or "", text.lines))
    weights = [len(text.shown) / MOST_CHARACTERS + 1 / MOST_TEXTS for text in ordered]
    total = sum(weights)
    count = ceil(total)
    parts: dict[int, list[Text]] = {}
    so_far = 0.0
    for text, weight in zip(ordered, weights, strict=True):
        parts.setdefault(int((so_far + weight / 2) / total * count), []).append(text)
        so_far += weight
    return list(parts.values())


def brief_texts(texts: Iterable[tuple[str, Text]], known: Mapping[str, str]) -> Iterator[str]:
    """Return the lines a reader is given: the texts, each by its id, and what is known, by its id."""
    for name, text in texts:
        place = f" {on_one_line(text.path)}{text.lines and f':{text.lines}'}" if text.path else ""
        about = [
            f"threads of it {text.threads}" if text.threads else "",
            text.after and f"after our `{text.after}`",
        ]
        heading = "; ".join(filter(None, [f"{name} {text.surface}{place} @{text.author}", *about]))
        yield from quoted(heading, text.shown).split("\n")
    if known:
        lines = "\n".join(f"{name} {clip(words, KNOWN_LINE)}" for name, words in known.items())
        yield from quoted("KNOWN, for `same_as`; those with `?` get a category under `known`", lines).split("\n")
