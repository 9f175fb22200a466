"""What is posted and committed in our name: a reply, a commit's message. Nothing in them acts."""

import re
from collections.abc import Iterable

from baton.artifacts.resolver_result import CODE, GAP, Result
from baton.errors import BatonError
from baton.feedback.text.inert import clean, inert
from baton.feedback.text.markdown import Span, comments, details, fences, without
from baton.feedback.text.quote import excerpt
from baton.unicode import seen, visible

LIMIT = 65_536
CUT = "*(cut here: the reply was longer than GitHub takes)*"
QUOTE = 200
# What is looked at of a text to find the sentence that asks.
LOOKED_AT = 20_000
SENTENCE_END = re.compile(r"(?<=[.!?…])[\"')\]*_]{0,3}\s+(?=[^\sa-z])")
PARAGRAPH = re.compile(r"\n[ \t>]*\n|\n(?=[ \t>]*(?:[-*+]|[0-9]{1,9}[.)]|#{1,6}|\|)[ \t])|(?<=[*_:])\n")
QUOTED = re.compile(r"^[ \t]*>.*(?:\n|\Z)", re.M)
TAG = re.compile(r"<[/!A-Za-z][^<>]*>")
WORD = re.compile(r"[^\W_]")
ASKS = re.compile(
    r"\?|\b(?:please|pls|should|shouldn't|must|mustn't|needs?|consider|could|can|would|suggest|prefer|instead|rather"
    r"|why|missing|(?:let's|do not|don't|avoid|never|always|want))\b"
    r"|^\W*(?:add|change|check|delete|document|drop|extract|fix|guard|handle|inline|keep|make|move|remove|rename|replace"
    r"|return|revert|simplify|split|test|update|use|validate)\b",
    re.I,
)
LONG_MARK = re.compile("`{3,}|~{3,}")
# Two characters that a model writes for a line break; in code, and in a Windows path, they are what they say.
WRITTEN_BREAK = re.compile(
    r"(?<![`\\])(`{1,2}(?!`)[^`]*`{1,2}(?!`)|(?<![A-Za-z0-9])[A-Za-z]:\\\S*)|(?<!\\)(?:\\r)?\\n"
)
# Older versions of `gh` choke on this, wherever it stands: nobody could read the pull request with them.
UNREADABLE = re.compile(r"\\u00(?![0-9A-Fa-f]{2})")
OURS = re.compile(r"<!-- baton:reply [^<>\n]* -->")

ACROSS = 100  # characters in a line of a commit's message
PATH = 48
BY_WHOM = re.compile(r"\b[\w-]{1,40}-by\s*:.*", re.I)
SKIPPED = re.compile(r"\[(?=[^\[\]]*(?:skip|no[ _-]?ci|\bci\b))([^\[\]]*)\]", re.I)
NO_CI = re.compile(r"\*{2,}(NO_CI)\*{2,}|\b(skip-checks)\s*:", re.I)
REFERENCE = re.compile(r"(?<![A-Za-z0-9])@(?=[A-Za-z0-9])|#(?=[0-9])", re.A)
NUMBERED = re.compile(r"(?<![A-Za-z0-9])(GH)-(?=[0-9])", re.I)


def reply_body(quote: str, text: str, mark: str) -> str:
    """Give a reply as it is posted: the sentence it answers, the resolver's text made inert, our mark last."""
    assert OURS.fullmatch(mark), mark
    if gap := GAP.search(CODE.sub("", text)):
        raise _refused(f"{' '.join(gap[0].split())} was not filled in", gap[0])
    said = UNREADABLE.sub(r"\\u 00", inert(_with_line_breaks(text[:LIMIT])))
    if not WORD.search(said):
        raise _refused("the reply says nothing", repr(text[:60]))
    asked = UNREADABLE.sub(r"\\u 00", inert(_one_line(LONG_MARK.sub("", clean(quote)))))
    before = f"> {asked}\n\n" if WORD.search(asked) else ""
    after = f"\n\n{mark}"
    return f"{before}{_cut(said, LIMIT - counted(before) - counted(after), len(text) > LIMIT)}{after}"


def counted(text: str) -> int:
    """Give how long GitHub may take a text to be: a line end may be stored as the two characters forms send."""
    return len(text) + text.count("\n")


def _cut(said: str, room: int, is_part: bool) -> str:
    """Give an inert text, or what fits of it and a note; a fence in which it is cut is closed."""
    if counted(said) <= room and not is_part:
        return said
    kept, made = len(said), said
    left = room - counted(f"\n\n{CUT}")
    while counted(made) > left:
        kept = min(kept - 1, kept * left // counted(made))
        made = inert(_at_a_gap(said[:kept]))
    return f"{made}\n\n{CUT}"


def _at_a_gap(text: str) -> str:
    """Give a text without the word it was cut in, unless that is most of it."""
    gap = max(text.rfind(" "), text.rfind("\n"))
    return text[:gap] if gap > len(text) - 200 and gap > 0 else text


def _with_line_breaks(text: str) -> str:
    r"""Give a text with real line breaks where it has none, but the two characters `\n`."""
    if "\n" in text.strip():
        return text
    return WRITTEN_BREAK.sub(lambda found: found[1] or "\n", text.strip())


def sentence_of(text: str) -> str:
    """Give the first sentence of a text that asks for something, or its first; prose alone, on one line."""
    start = text[:LOOKED_AT].replace("\r\n", "\n").replace("\r", "\n")
    folded = details(start)
    code = [Span(one.start, one.end) for one in fences(start)]
    prose = without(start, [*comments(start), *code, *(Span(one.start, one.end) for one in folded)])
    if folded and not WORD.search(TAG.sub("", prose)):  # it says nothing but what it folds away
        prose = without(start, [*comments(start), *code])
    own = QUOTED.sub("", prose)
    prose = own if WORD.search(own) else prose
    sentences = [one for part in PARAGRAPH.split(prose) for one in _sentences(part)]
    asking = (one for one in sentences if ASKS.search(one))
    return _shortened(next(asking, sentences[0]), QUOTE) if sentences else ""


def _sentences(paragraph: str) -> list[str]:
    plain = excerpt(seen(paragraph), LOOKED_AT)
    return [one.strip() for one in SENTENCE_END.split(plain) if len(WORD.findall(one)) > 2]


def commit_message(number: int, results: Iterable[Result], round_id: str = "") -> str:
    """Give the message of a round's commit: a line for each item that was fixed; no trailer but our own."""
    lines = [_line(one) for one in results if one.fixes]
    parts = [f"Address PR review feedback (#{number})"]
    if lines:
        parts.append("\n".join(lines))
    if round_id:
        assert re.fullmatch(r"[\w-]{1,60}", round_id), round_id
        parts.append(f"Baton-Round: {round_id}")
    return "\n\n".join(parts) + "\n"


def _line(result: Result) -> str:
    """Give what was done and where; it begins with a dash, so that it is no trailer whatever it says."""
    paths = [_message_text(one) for one in result.files_changed]
    path = paths[0] if paths else ""
    path = f"…{path[1 - PATH :]}" if len(path) > PATH else path
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    where = f" ({path}{more})" if path else ""
    what = next(iter(_sentences(result.reply_text[:LOOKED_AT].split("```")[0])), "") or _one_line(result.reason)
    what = _message_text(what[: 4 * ACROSS]) or result.verdict
    room = ACROSS - len(f"- {where}")
    return f"- {_shortened(what, room)}{where}"


def _message_text(text: str) -> str:
    """Give words for a commit's message, in which nothing is mentioned, closed, skipped or signed."""
    line = TAG.sub("", _one_line(visible(text)))
    line = NO_CI.sub(lambda found: found[1] or found[2], SKIPPED.sub(r"(\1)", BY_WHOM.sub("", line)))
    return NUMBERED.sub(r"\1 ", REFERENCE.sub(lambda found: f"{found[0]} ", line.replace("://", ": //"))).strip()


def _shortened(text: str, limit: int) -> str:
    """Give a text, cut at a word where it is too long."""
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    space = cut.rfind(" ")
    return f"{cut[:space] if space > limit // 2 else cut}…"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _refused(what: str, where: str) -> BatonError:
    return BatonError(what, where, "have the resolver hand in a reply that can be posted as it is")
