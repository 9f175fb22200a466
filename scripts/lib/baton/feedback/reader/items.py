"""The items that come of what was read: a thread is one, a body as many as it has findings.

What nobody read stays `unread`; what is taken without a reader is an item as it stands, so that nothing is lost.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from baton.artifacts.file_name import is_test
from baton.feedback.fetch.general_comments import PastAnswer
from baton.feedback.fetch.item import ANSWERED, DROPPED, NEW, UNREAD, Item, part_id, plain_words
from baton.feedback.reader.readings import ReadFinding, ReadText
from baton.feedback.reader.texts import Text
from baton.feedback.text.comment_marks import FIXING
from baton.feedback.text.flags import flags_of
from baton.text import plural, restored, visible

LINES_ABOVE = 3  # lines before a quote that may name its place
LONGEST_PART = 4_000  # characters of a part
SEVERITIES = ("critical", "high", "medium", "low")
DOCUMENTS = (".md", ".mdx", ".rst", ".adoc", ".txt")
ACTIONABLE, IGNORE = "actionable", "ignore"


class KnownThread(NamedTuple):
    """A thread that a bot began, of which its later bodies may speak again."""

    author: str
    path: str
    lines: str
    words: str
    open: bool
    answered: str  # our verdict
    at: str  # when we answered it last, or it was last spoken in


class UserVerdict(NamedTuple):
    """The user's verdict on an item, and when the item was last changed before they gave it."""

    verdict: str  # actionable or ignore
    at: str


class ReadSource(NamedTuple):
    """The sources of the items: items as they were sorted, their texts, the readings, and what is known."""

    found: Sequence[Item]
    texts: Mapping[str, Text]  # by item
    readings: Mapping[str, ReadText]  # by the text's key
    verdicts: Mapping[str, UserVerdict]  # the user's, by item
    answers: Mapping[str, PastAnswer]  # to parts of bodies
    known: Mapping[str, KnownThread]
    needs_reader: bool


def items_of(source: ReadSource) -> list[Item]:
    """Return the items with what was read of them, and what the user said of them."""
    items = [read for item in source.found for read in _read(item, source)]
    return [_with_verdict(item, source.verdicts.get(item.id)) for item in _without_repeats(items)]


def category_by_path(path: str | None) -> str:
    """Return the likely category of a comment, by its file's path alone; nobody read it."""
    if not path:
        return "other"
    is_document = path.lower().endswith(DOCUMENTS)
    return "testing" if is_test(path) else "documentation" if is_document else "correctness"


def _read(item: Item, source: ReadSource) -> Iterator[Item]:
    text, verdict = source.texts.get(item.id), source.verdicts.get(item.id)
    if text is None:
        yield item._replace(category=item.category or category_by_path(item.path))
        return
    read = source.readings.get(text.key)
    if verdict and verdict.verdict == ACTIONABLE and verdict.at == item.at:
        read = ReadText("whole")
    if verdict and verdict.verdict == IGNORE and verdict.at == item.at:
        yield item._replace(category=item.category or category_by_path(item.path))  # dropped as the user said
    elif read is None and source.needs_reader:
        yield item._replace(state=UNREAD, why="nobody read it yet", category=None)
    elif read is None or read.says == "whole":
        yield item._replace(category=category_by_path(item.path))
    elif read.says == "actionable":
        yield from [_whole(item, read)] if text.surface == "inline" else _parts(item, text, read, source)
    else:
        yield item._replace(state=text.otherwise, why=_why(read), category="other")


def _why(read: ReadText) -> str:
    if read.says == "answered":
        return f"settled, as its author says: {read.quote[:60]}"
    return f"not reviewed: {read.quote[:60]}" if read.quote else "asks for nothing, as it was read"


def _whole(item: Item, read: ReadText) -> Item:
    """Return an item as its reader saw it: about what its first finding is about, as severe as its worst."""
    first = read.findings[0]
    worst = min(
        (finding.severity for finding in read.findings if finding.severity), key=SEVERITIES.index, default=None
    )
    repeated = any(finding.same_as not in ("", item.id) for finding in read.findings)
    return item._replace(title=restored(first.quote), category=first.category, severity=worst, repeated=repeated)


def _parts(item: Item, text: Text, read: ReadText, source: ReadSource) -> Iterator[Item]:
    """Return an item for each finding of a body; a body with one that names no place is an item as a whole."""
    [first, *more] = read.findings
    if not more and not first.path and not first.same_as:
        yield _whole(item, read)
        return
    numbers: dict[tuple[str | None, str], int] = {}
    names = set[str]()  # two findings that are both said to be an earlier one are still two
    for finding, words in zip(read.findings, text_of_findings(text.words, read.findings), strict=True):
        place = (finding.path, plain_words(finding.quote))
        numbers[place] = numbers.get(place, 0) + 1
        is_earlier = finding.same_as.startswith("PART_") and finding.same_as not in names
        name = finding.same_as if is_earlier else part_id(item.author, *place, numbers[place])
        names.add(name)
        known = _known_thread(item, finding, source)
        state, why = _state(text.begun, source.answers.get(name), known)
        yield Item(
            name, "review_body_part", state, why, item.author, item.trust, item.url, text.begun,
            finding.path, finding.line, finding.start_line, category=finding.category, severity=finding.severity,
            title=restored(finding.quote), text=words, body_bytes=len(words.encode("utf-8", "surrogatepass")),
            flags=flags_of(words), review=item.id, repeated=known is not None or bool(finding.same_as),
        )  # fmt: skip


def _known_thread(item: Item, finding: ReadFinding, source: ReadSource) -> tuple[str, KnownThread] | None:
    """Return the thread a finding says again: as its reader saw, or in the very same words on the same file."""
    if thread := source.known.get(finding.same_as):
        return finding.same_as, thread
    words = plain_words(finding.quote)
    place = (item.author, finding.path)
    same_place = ((name, thread) for name, thread in source.known.items() if (thread.author, thread.path) == place)
    alike = [(name, thread) for name, thread in same_place if plain_words(thread.words) == words]
    return min(alike, key=lambda named: not named[1].open, default=None)


def _state(at: str, answer: PastAnswer | None, known: tuple[str, KnownThread] | None) -> tuple[str, str]:
    """Return the state of a finding said at some time: new, unless a thread says it, or it was answered."""
    if known:
        name, thread = known
        if thread.open:
            return DROPPED, f"says what {name} says"
        if thread.answered in FIXING and at > thread.at:
            return NEW, f"said again after {name} was resolved"
        return DROPPED, f"says what {name} says, which is resolved"
    if answer is None:
        return NEW, "in the body of a review or a comment"
    if answer.at < at and answer.verdict in FIXING:
        return NEW, f"said again after it was answered ({answer.verdict})"
    return ANSWERED, f"answered ({answer.verdict})"


def _without_repeats(items: Sequence[Item]) -> Iterator[Item]:
    """Return items, each id once: of a finding that stands in several bodies the one in the newest counts."""
    newest = dict[str, Item]()
    for item in items:
        if item.at >= newest.get(item.id, item).at:
            newest[item.id] = item
    return (item for item in items if newest[item.id] is item)


def _with_verdict(item: Item, given: UserVerdict | None) -> Item:
    """Return an item as the user judged it, unless it was edited since.

    What they said of a finding in a body holds in a later review, too.
    """
    if given is None or not (item.is_part or given.at == item.at):
        return item
    if given.verdict == IGNORE and item.state in (NEW, UNREAD):
        return item._replace(state=DROPPED, why="asks for nothing, as was said", category=item.category or "other")
    if given.verdict == ACTIONABLE and item.state == DROPPED:
        return item._replace(state=NEW, why="to be worked on, as was said")
    return item


def text_of_findings(words: str, findings: Sequence[ReadFinding]) -> list[str]:
    """Return the part of a text that each finding stands in: from a little above its quote to the next one's."""
    text = visible(words)
    lines = [text.rfind("\n", 0, finding.at) + 1 for finding in findings]
    starts: list[int] = []
    for start in lines:
        for _ in range(LINES_ABOVE):
            start = text.rfind("\n", 0, max(0, start - 1)) + 1
        starts.append(start)
    # Where no line break follows, -1 becomes the end of the text.
    own_ends = [text.find("\n", finding.at) % (len(text) + 1) for finding in findings]
    ends = [max(own, line) for own, line in zip(own_ends, [*lines[1:], len(text)], strict=True)]
    return [restored(_cut(text[start:end].strip())) for start, end in zip(starts, ends, strict=True)]


def _cut(text: str) -> str:
    """Return a text, or its beginning with how much more there is."""
    more = len(text) - LONGEST_PART
    return text if more <= 0 else f"{text[:LONGEST_PART]}\n[… {plural(more, 'character')} more]"
