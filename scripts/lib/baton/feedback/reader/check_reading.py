"""Check a reading against its texts: each value is one of our words, a known id, or stands in the text itself."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from baton.artifacts.file_name import quote_name
from baton.feedback.reader.readings import ReadFinding, ReadText, as_shown, find_quote
from baton.feedback.reader.texts import Text
from baton.feedback.text.markdown import Span, blank_spans, fences_in
from baton.text import one_line

# How many findings a text says it has, in words that any author may use; made from these of evals/reader/bodies/:
# coderabbitai/review-all-sections.md, copilot-pull-request-reviewer/review-suppressed.md (summaries); then,
# in turn, cursor/review.md, cubic-dev-ai/review.md, coderabbitai/review-nothing-but-a-count.md.
THINGS = r"(?:issues?|comments?|findings?|suggestions?|problems?|bugs?|violations?|nitpicks?|recommendations?)"
IN_SUMMARY = re.compile(rf"(?i)<summary>[^<\n]{{0,60}}\b{THINGS}\b[^<(\n]{{0,40}}\((\d{{1,3}})\)")
IN_PROSE = (
    re.compile(rf"(?i)\bfound\W{{0,4}}(\d{{1,3}})\W{{0,4}}(?:\w{{1,20}}\W{{1,3}}){{0,2}}{THINGS}\b"),
    re.compile(rf"(?im)^[^\w\n]{{0,6}}(\d{{1,3}})\W{{1,3}}(?:\w{{1,20}} ){{0,2}}{THINGS} found\b"),
    re.compile(rf"(?i)\b{THINGS}\b (?:posted|generated|found)\W{{1,4}}(\d{{1,3}})\b"),
)
# A line that counts what was found to be fine, in coderabbitai/review-all-sections.md. It also fits the
# heading of greptile-apps/comment-additional.md, whose findings are then not counted; of the 251 no other body.
PRAISE = re.compile(r"(?im)^.*additional comments.*\n?")
# A question, code, a place, a list, or more words than these: of what people wrote in evals/reader/ it fits 28 of
# the 38 texts that ask for something (17 without the words) and 6 of the 14 that do not (1), on 28 November 2026.
# It decides nothing: a reader who took such a text to ask for nothing is asked once more.
ASKS = re.compile(
    r"[?？]|```|^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+\S|\w\(\)|[\w-]\.[a-z]{1,4}\b|\w/\w[^\s/]{0,80}\.\w", re.M
)
MOST_WORDS = 12  # of a person's thanks; with 8 it is asked about one more text of the 14, and four more of the 38
FOR_BOTS = ("not-reviewed", "answered")
LOOK_AGAIN = "look again, or hand it in as it is"


class ReadingFault(NamedTuple):
    """A fault of a reading, and the text whose entry has it; none where it is about the whole."""

    where: str
    rule: str
    message: str
    text: str = ""


class HeadFiles(NamedTuple):
    """The files of the pull request's head, and how many lines one has."""

    names: Collection[str]
    lines_of: Callable[[str], int]


class Share(NamedTuple):
    """One reader's share: its name, its texts by id, and the author of each thread and finding it may name."""

    name: str
    texts: Mapping[str, Text]
    known: Mapping[str, str]
    uncategorized: Collection[str] = ()  # known threads of which it is to say what they are about


class CheckedReading(NamedTuple):
    """A reading as far as it can be taken, what is wrong with it, and what was read as something else."""

    texts: Mapping[str, ReadText]  # by the text's id
    categories: Mapping[str, str]  # of known threads
    faults: tuple[ReadingFault, ...]
    doubts: tuple[ReadingFault, ...]  # refused once; handed in again, they are taken and reported
    notes: tuple[str, ...]

    @property
    def sound(self) -> Mapping[str, ReadText]:
        """The texts in whose entries there is no fault."""
        wrong = {fault.text for fault in self.faults}
        return {name: read for name, read in self.texts.items() if name not in wrong}


def check_reading(value: Mapping[str, Any], share: Share, files: HeadFiles) -> CheckedReading:
    """Check a reading, which is valid by its schema, against its share."""
    faults = list(_faults(value, share))
    doubts: list[ReadingFault] = []
    notes: list[str] = []
    read: dict[str, ReadText] = {}
    times = Counter(entry["id"] for entry in value["texts"])
    for number, entry in enumerate(value["texts"]):
        where, name = f"$.texts[{number}]", entry["id"]
        text = share.texts.get(name)
        if text is None or times[name] > 1:
            what = "is not a text of this brief" if text is None else "has two entries: give each text one"
            faults.append(ReadingFault(where, "id", f"{quote_name(name)} {what}"))
            continue
        check = _EntryCheck(where, entry, text, share.known, files)
        read[name] = check.read()
        faults += check.faults
        notes += check.notes
        doubts += _doubts(where, name, text, read[name])
    return CheckedReading(read, value.get("known", {}), tuple(faults), tuple(doubts), tuple(notes))


def _faults(value: Mapping[str, Any], share: Share) -> Iterator[ReadingFault]:
    """Find what is wrong with a reading as a whole."""
    if value["reading"] != share.name:
        what = f"{quote_name(value['reading'])} is not yours: write {share.name}"
        yield ReadingFault("$.reading", "other", what)
    if missing := share.texts.keys() - {entry["id"] for entry in value["texts"]}:
        names = ", ".join(sorted(missing)[:20])
        yield ReadingFault("$.texts", "missing", f"nothing is said of {names}: each has one entry")
    for thread in value.get("known", {}).keys() - {*share.uncategorized}:
        yield ReadingFault("$.known", "id", f"{quote_name(thread)} has no `?` under KNOWN: leave it out")


class _EntryCheck:
    """The check of what a reading says of one text; its faults and notes are complete once it was read."""

    def __init__(
        self, where: str, entry: Mapping[str, Any], text: Text, known: Mapping[str, str], files: HeadFiles
    ) -> None:
        self._where, self._entry, self._text, self._known, self._files = where, entry, text, known, files
        # Where the next finding with the same quote is looked for: further on in the text.
        self._search_from: dict[str, int] = {}
        self.faults: list[ReadingFault] = []
        self.notes: list[str] = []

    def read(self) -> ReadText:
        """Return what the text says, as far as its entry can be taken."""
        says, entries = self._entry["says"], self._entry.get("findings", ())
        if (says == "actionable") != bool(entries):
            self._refuse("", "findings", "`actionable` has findings, and nothing else has any")
        quote = one_line(self._entry.get("quote", ""))
        if says in FOR_BOTS and (not quote or find_quote(self._text.words, quote) < 0):
            self._refuse(".quote", "quote", f"`{says}` quotes the words that say so, as they stand there")
        if says in FOR_BOTS and not self._text.is_bot:
            self._refuse(".says", "person", f"`{says}` is for bots: what people write is actionable or ignore")
        findings = (self._finding(f".findings[{number}]", entry) for number, entry in enumerate(entries))
        ordered = sorted((finding for finding in findings if finding), key=lambda finding: finding.at)
        return ReadText(says, tuple(ordered), quote if says in FOR_BOTS else "")

    def _finding(self, where: str, entry: Mapping[str, Any]) -> ReadFinding | None:
        words, quote, same_as = self._text.words, one_line(entry["quote"]), entry.get("same_as", "")
        at = find_quote(words, quote, self._search_from.get(quote, 0))
        if at < 0:
            why = "stands there no more often" if quote in self._search_from else _nearest(words, quote)
            self._refuse(f"{where}.quote", "quote", f"{quote_name(quote[:60])} {why}")
            return None
        self._search_from[quote] = at + 1
        if same_as and self._known.get(same_as) != self._text.author:
            what = f"{quote_name(same_as)} is not something {self._text.author} said before"
            self._refuse(f"{where}.same_as", "same-as", what)
        place = self._place(where, entry)
        return ReadFinding(quote, at, entry["category"], *place, entry.get("severity"), same_as)

    def _place(self, where: str, entry: Mapping[str, Any]) -> tuple[str | None, int | None, int | None]:
        """Return a finding's place as the head has it; nothing that its text does not name."""
        if self._text.surface == "inline":
            return self._text.path, None, None
        words = as_shown(self._text.words)
        path = entry["path"].removeprefix("./").lstrip("/") if "path" in entry else None
        if path is not None and path.rpartition("/")[2] not in words:
            self._refuse(f"{where}.path", "path", f"{quote_name(path)} is not named in the text: leave it out")
            return None, None, None
        for name in ("line", "start_line"):
            if name in entry and not re.search(rf"(?<!\d){entry[name]}(?!\d)", words):
                self._refuse(f"{where}.{name}", "line", f"{entry[name]} is not named in the text: leave it out")
        path = path and self._file(path)
        line, start = entry.get("line"), entry.get("start_line")
        if not path or line is None:
            return path or None, None, None
        start, line = sorted((start or line, line))
        if line > (length := self._files.lines_of(path)):
            self.notes.append(f"{quote_name(path)}:{line}: the file has {length} lines: taken without a line")
            return path, None, None
        return path, line, None if start == line else start

    def _file(self, path: str) -> str:
        """Return the one file of the head that a path means; empty where there is none, or there are several."""
        if path in self._files.names:
            return path
        longer = [name for name in self._files.names if name.endswith(f"/{path}")]
        meant = longer[0] if len(longer) == 1 else ""
        self.notes.append(
            f"{quote_name(path)}: " + (f"read as {quote_name(meant)}" if meant else "no file of the head")
        )
        return meant

    def _refuse(self, where: str, rule: str, message: str) -> None:
        name = self._entry["id"]
        self.faults.append(ReadingFault(self._where + where, rule, f"{name} {message}", name))


def _nearest(words: str, quote: str) -> str:
    """Say that a quote does not stand in a text, with the line that shares most words with it."""
    wanted = _long_words(quote)
    best, _ = max(_words_by_line(words), key=lambda line: len(wanted & line[1]), default=("", set()))
    return f"does not stand there; perhaps {quote_name(best[:100])}: copy a run of one line"


@lru_cache(maxsize=1)  # a text is checked finding by finding
def _words_by_line(words: str) -> list[tuple[str, set[str]]]:
    """Return the lines of a text as they are shown, with the words of each."""
    return [(line.strip(), _long_words(line)) for line in as_shown(words).splitlines() if line.strip()]


def _long_words(text: str) -> set[str]:
    """Return the words of a text that tell it from others: those of four letters and more."""
    return set(re.findall(r"\w{4,}", text.lower()))


def _doubts(where: str, name: str, text: Text, read: ReadText) -> Iterator[ReadingFault]:
    """Ask once more where a person may want something, or a text counts more than was found in it."""
    if read.says == "ignore" and not text.is_bot and _may_ask(text.words):
        yield ReadingFault(where, "asks", f"{name} may ask for something: {LOOK_AGAIN}", name)
    known, counted = len(read.findings) + text.threads, declared_count(text.words)
    if read.says in ("actionable", "ignore") and text.surface != "inline" and counted > known:
        yield ReadingFault(where, "count", f"{name} speaks of {counted}, {known} are there: {LOOK_AGAIN}", name)


def _may_ask(words: str) -> bool:
    return bool(ASKS.search(words)) or len(words.split()) > MOST_WORDS


def declared_count(words: str) -> int:
    """Return how many findings a text says it has; 0 where it does not say."""
    bare = blank_spans(words, [Span(fence.start, fence.end) for fence in fences_in(words)])
    prose = PRAISE.sub("", "\n".join(bare.splitlines()))
    sections = {match[0]: int(match[1]) for match in IN_SUMMARY.finditer(prose)}
    counts = [int(match[1]) for pattern in IN_PROSE for match in pattern.finditer(prose)]
    return max([sum(sections.values()), *counts])
