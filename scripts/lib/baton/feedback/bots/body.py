"""The body of a review or a comment, read by the row of the bot that wrote it."""

import re
from collections.abc import Iterator

from baton.feedback.bots.inline import read_inline
from baton.feedback.bots.layout import Layout, joined, lay_out, merged, within
from baton.feedback.bots.noise import noise
from baton.feedback.bots.parts import Parts
from baton.feedback.bots.reading import Reading
from baton.feedback.bots.reviewers import REVIEWERS
from baton.feedback.bots.row import Bot
from baton.feedback.bots.services import SERVICES
from baton.feedback.text.markdown import Span

BOTS: dict[str, Bot] = {**REVIEWERS, **SERVICES}
LEADING = re.compile(r"[\s>*_#-]*(?:\[![A-Z]+\][\s>*_#-]*)?")
ELSEWHERE = re.compile(r"(?i)view (\d{1,4}) additional (?:findings?|flags?|issues?)")
# How many findings a body says there are, here and in its threads.
DECLARED = (
    re.compile(
        r"(?i)(?:(?:actionable )?comments (?:posted|generated):\W{0,6}|\b(?:found|generated|left) |reviewed, )"
        r"(\d{1,4})\b(?! (?:files?|lines?|commits?))"
    ),
    re.compile(r"(?i)\b(\d{1,4}) (?:potential )?(?:issues?|findings?|problems?) found\b"),
)
WORD = re.compile(r"\w")
TOP = 6000  # marks of a whole body stand at its beginning or its end
NOTICE = 600  # a notice is short: a longer text that begins like one is read


def read_bot(login: str, surface: str, body: str) -> Reading:
    """Read what a bot wrote; what a login that is none of them wrote comes back as it is."""
    bot = BOTS.get(login)
    if bot is None:
        return Reading(text=body)
    body = body.replace("\u00a0", " ")  # no phrase is told by the width of its spaces
    return read_inline(body) if surface == "review_thread" else read_body(bot, body)


def read_body(bot: Bot, body: str) -> Reading:
    """Read a review's body or a comment on the pull request."""
    layout = lay_out(body)
    spans = noise(layout)
    parts = bot.read(layout, spans)
    left = _left(layout, bot, spans, parts)
    reason = _not_reviewed(layout, bot, left)
    unread = _unread(layout, bot, parts)
    meaning = "" if unread else _boilerplate(layout, bot, parts)
    if reason or meaning:
        left = ""
    text = "\n\n".join(part for part in (left, *_raw(layout, parts)) if WORD.search(part))
    empty = "" if text or parts.findings or reason or not body.strip() else "review summary"
    return Reading(
        findings=tuple(parts.findings),
        text=text,
        boilerplate=meaning or empty,
        not_reviewed=reason,
        problems=(*parts.problems, *unread, *_elsewhere(layout)),
        declared=max(_declared(layout), default=0),
    )


def _declared(layout: Layout) -> Iterator[int]:
    return (int(found[1]) for form in DECLARED for found in form.finditer(layout.unfenced[:TOP]))


def _left(layout: Layout, bot: Bot, spans: list[Span], parts: Parts) -> str:
    """Return what is left of a body once findings and noise are out."""
    filler = [Span(*match.span()) for match in bot.filler.finditer(layout.prose)] if bot.filler else []
    left = joined(layout.text, Span(0, len(layout.text)), merged([*spans, *parts.spans, *filler]))
    return left if WORD.search(left) else ""


def _raw(layout: Layout, parts: Parts) -> list[str]:
    return [layout.text[span.start : span.end].strip() for span in parts.raw]


def _not_reviewed(layout: Layout, bot: Bot, left: str) -> str:
    """Return why the bot did not review: by a mark of its own, or by how what it shows begins."""
    ends = f"{layout.unfenced[:TOP]}\n{layout.unfenced[max(TOP, len(layout.text) - TOP) :]}"
    for phrase in bot.markers:
        if phrase.words.search(ends):
            return phrase.meaning
    start = left[: NOTICE + 1]
    lead = LEADING.match(start)
    position = lead.end() if lead else 0
    notices = (phrase for phrase in bot.notices if phrase.words.match(start, position))
    return next((phrase.meaning for phrase in notices), "") if len(left) <= 3 * NOTICE else ""


def _boilerplate(layout: Layout, bot: Bot, parts: Parts) -> str:
    """Return what a body is that says nothing as a whole."""
    top = layout.unfenced[:TOP]
    phrase = next((phrase for phrase in bot.boilerplate if phrase.words.search(top)), None)
    if phrase is None:
        return ""
    if bot.unless and bot.unless.search(layout.text) and not parts.findings:
        return ""
    return phrase.meaning


def _unread(layout: Layout, bot: Bot, parts: Parts) -> list[str]:
    """Tell of findings that could not be told apart: they stay in what is left."""
    hints = bot.hints.finditer(layout.text) if bot.hints else iter(())
    read = merged([*parts.spans, *parts.raw])
    known = all(within(read, Span(hint.start(), hint.start() + 1)) for hint in hints)
    return [] if known else ["findings that could not be told apart are left in the text"]


def _elsewhere(layout: Layout) -> list[str]:
    """Tell of findings that the bot shows in a place of its own only."""
    other = ELSEWHERE.search(layout.prose)
    return [f"{other[1]} more are shown in the bot's own place only"] if other else []
