"""What is known of a bot: how its findings are read, and which of its words say nothing."""

import re
from collections.abc import Callable
from typing import NamedTuple

from baton.feedback.bots.layout import Layout
from baton.feedback.bots.parts import NOTHING, Parts
from baton.feedback.text.markdown import Span


class Phrase(NamedTuple):
    """Words by which a body is recognized, and what that means in a phrase."""

    words: re.Pattern[str]
    meaning: str


def _nothing(layout: Layout, noise: list[Span]) -> Parts:
    return NOTHING


class Bot(NamedTuple):
    """A bot: all that is to be known of the way it writes a review or a comment."""

    read: Callable[[Layout, list[Span]], Parts] = _nothing
    notices: tuple[Phrase, ...] = ()  # why it did not review, at the start of what it shows
    markers: tuple[Phrase, ...] = ()  # the same, by a hidden mark or in the midst
    boilerplate: tuple[Phrase, ...] = ()  # what is no feedback as a whole
    unless: re.Pattern[str] | None = None  # what makes it feedback all the same
    filler: re.Pattern[str] | None = None  # lines that say nothing
    hints: re.Pattern[str] | None = None  # what stands in findings alone: outside of those read, some were not


def phrases(*pairs: tuple[str, str]) -> tuple[Phrase, ...]:
    """Make phrases of patterns and what they mean."""
    return tuple(Phrase(re.compile(words, re.I | re.M), meaning) for words, meaning in pairs)


def lines(*patterns: str) -> re.Pattern[str]:
    """Make one pattern of whole lines of several."""
    return re.compile("|".join(rf"^(?:{pattern})[ \t]*$" for pattern in patterns), re.I | re.M)
