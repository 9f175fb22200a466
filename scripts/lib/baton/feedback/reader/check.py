"""Hold a reading against its texts: all in it is a word of ours, a known id, or stands in the text itself."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple

from baton.artifacts.file_name import told
from baton.feedback.reader.reading import ReadFinding, ReadText, as_shown, find_quote
from baton.feedback.reader.texts import Text
from baton.feedback.text.markdown import Span, blanked, fences
from baton.text import one_line

# How many findings a text says it has, in words that any author may use.
THINGS = r"(?:issues?|comments?|findings?|suggestions?|problems?|bugs?|violations?|nitpicks?|recommendations?)"
IN_SUMMARY = re.compile(rf"(?i)<summary>[^<\n]{{0,60}}\b{THINGS}\b[^<(\n]{{0,40}}\((\d{{1,3}})\)")
IN_PROSE = (
    re.compile(rf"(?i)\bfound\W{{0,4}}(\d{{1,3}})\W{{0,4}}(?:\w{{1,20}}\W{{1,3}}){{0,2}}{THINGS}\b"),
    re.compile(rf"(?im)^\W{{0,6}}(\d{{1,3}})\W{{1,3}}(?:\w{{1,20}} ){{0,2}}{THINGS} found\b"),
    re.compile(rf"(?i)\b{THINGS}\b (?:posted|generated|found)\W{{1,4}}(\d{{1,3}})\b"),
)
PRAISE = re.compile(r"(?i)additional comments")
# What hardly anybody writes who asks for nothing: a question, code, a place, a list, many words.
ASKS = re.compile(
    r"[?？]|```|^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+\S|\w\(\)|[\w-]\.[a-z]{1,4}\b|\w/\w[^\s/]{0,80}\.\w", re.M
)
MOST_WORDS = 12
FOR_BOTS = ("not-reviewed", "answered")
AGAIN = "look again, or hand it in as it is"


class ReadingFault(NamedTuple):
    """What is wrong with a reading, and with which of its texts; none where it is about all of it."""

    where: str
    rule: str
    message: str
    text: str = ""


class HeadFiles(NamedTuple):
    """The files of the pull request's head, and how many lines one has."""

    names: Collection[str]
    lines_of: Callable[[str], int]


class Share(NamedTuple):
    """What one reader has: its name, the texts by id, and what is known: thread or finding, with its author."""

    name: str
    texts: Mapping[str, Text]
    known: Mapping[str, str]
    uncategorized: Collection[str] = ()  # known threads of which it is to say what they are about


class Checked(NamedTuple):
    """A reading as far as it can be taken, what is wrong with it, and what was read as something else."""

    texts: Mapping[str, ReadText]  # by the text's id
    categories: Mapping[str, str]  # of known threads
    faults: tuple[ReadingFault, ...]
    doubts: tuple[ReadingFault, ...]  # refused once; handed in again all the same they are taken, and told
    notes: tuple[str, ...]

    @property
    def sound(self) -> Mapping[str, ReadText]:
        """The texts in whose entries there is no fault."""
        wrong = {fault.text for fault in self.faults}
        return {name: one for name, one in self.texts.items() if name not in wrong}


def check_reading(value: Mapping[str, Any], share: Share, files: HeadFiles) -> Checked:
    """Hold a reading, which its schema fits, against its share."""
    faults = list(_faults(value, share))
    doubts: list[ReadingFault] = []
    notes: list[str] = []
    made: dict[str, ReadText] = {}
    times = Counter(one["id"] for one in value["texts"])
    for number, said in enumerate(value["texts"]):
        where, text = f"$.texts[{number}]", share.texts.get(said["id"])
        if text is None or times[said["id"]] > 1:
            what = "is no text of this brief" if text is None else "has two entries: give each text one"
            faults.append(ReadingFault(where, "id", f"{told(said['id'])} {what}"))
            continue
        entry = _Entry(where, said, text, share.known, files)
        made[said["id"]] = entry.read()
        faults += entry.faults
        notes += entry.notes
        doubts += _doubts(where, said["id"], text, made[said["id"]])
    return Checked(made, value.get("known", {}), tuple(faults), tuple(doubts), tuple(notes))


def _faults(value: Mapping[str, Any], share: Share) -> Iterator[ReadingFault]:
    """Find what is wrong with a reading as a whole."""
    if value["reading"] != share.name:
        what = f"{told(value['reading'])} is not yours: write {share.name}"
        yield ReadingFault("$.reading", "other", what)
    if missing := share.texts.keys() - {one["id"] for one in value["texts"]}:
        names = ", ".join(sorted(missing)[:20])
        yield ReadingFault("$.texts", "missing", f"nothing is said of {names}: each has one entry")
    for thread in value.get("known", {}).keys() - {*share.uncategorized}:
        yield ReadingFault("$.known", "id", f"{told(thread)} has no `?` under KNOWN: leave it out")


class _Entry:
    """What a reading says of one text, being checked."""

    def __init__(
        self, where: str, said: Mapping[str, Any], text: Text, known: Mapping[str, str], files: HeadFiles
    ) -> None:
        self._where, self._said, self._text, self._known, self._files = where, said, text, known, files
        self._next: dict[str, int] = {}  # where each quote is looked for from: the second one stands further on
        self.faults: list[ReadingFault] = []
        self.notes: list[str] = []

    def read(self) -> ReadText:
        says, given = self._said["says"], self._said.get("findings", ())
        if (says == "actionable") != bool(given):
            self._refuse("", "findings", "`actionable` has findings, and nothing else has any")
        quote = one_line(self._said.get("quote", ""))
        if says in FOR_BOTS and (not quote or find_quote(self._text.words, quote) < 0):
            self._refuse(".quote", "quote", f"`{says}` quotes the words that say so, as they stand there")
        if says in FOR_BOTS and not self._text.is_bot:
            self._refuse(".says", "person", f"`{says}` is for bots: what people write is actionable or ignore")
        found = (self._finding(f".findings[{number}]", one) for number, one in enumerate(given))
        ordered = sorted((one for one in found if one), key=lambda one: one.at)
        return ReadText(says, tuple(ordered), quote if says in FOR_BOTS else "")

    def _finding(self, where: str, one: Mapping[str, Any]) -> ReadFinding | None:
        words, quote, name = self._text.words, one_line(one["quote"]), one.get("same_as", "")
        at = find_quote(words, quote, self._next.get(quote, 0))
        if at < 0:
            why = "stands there no more often" if quote in self._next else _nearest(words, quote)
            self._refuse(f"{where}.quote", "quote", f"{told(quote[:60])} {why}")
            return None
        self._next[quote] = at + 1
        if name and self._known.get(name) != self._text.author:
            self._refuse(f"{where}.same_as", "same-as", f"{told(name)} is nothing {self._text.author} said before")
        place = self._place(where, one)
        return ReadFinding(quote, at, one["category"], *place, one.get("severity"), name)

    def _place(self, where: str, one: Mapping[str, Any]) -> tuple[str | None, int | None, int | None]:
        """Return a finding's place as the head has it; nothing that its text does not name."""
        if self._text.surface == "inline":
            return self._text.path, None, None
        words = as_shown(self._text.words)
        path = one["path"].removeprefix("./").lstrip("/") if "path" in one else None
        if path is not None and path.rpartition("/")[2] not in words:
            self._refuse(f"{where}.path", "path", f"{told(path)} is not named in the text: leave it out")
            return None, None, None
        for name in ("line", "start_line"):
            if name in one and not re.search(rf"(?<!\d){one[name]}(?!\d)", words):
                self._refuse(f"{where}.{name}", "line", f"{one[name]} is not named in the text: leave it out")
        path = path and self._file(path)
        line, start = one.get("line"), one.get("start_line")
        if not path or line is None:
            return path or None, None, None
        start, line = sorted((start or line, line))
        if line > (there := self._files.lines_of(path)):
            self.notes.append(f"{told(path)}:{line}: the file has {there} lines: taken without a line")
            return path, None, None
        return path, line, None if start == line else start

    def _file(self, path: str) -> str:
        """Return the one file of the head that a path means; empty where there is none, or there are several."""
        if path in self._files.names:
            return path
        ends = [name for name in self._files.names if name.endswith(f"/{path}")]
        found = ends[0] if len(ends) == 1 else ""
        self.notes.append(f"{told(path)}: " + (f"read as {told(found)}" if found else "no file of the head"))
        return found

    def _refuse(self, where: str, rule: str, message: str) -> None:
        name = self._said["id"]
        self.faults.append(ReadingFault(self._where + where, rule, f"{name} {message}", name))


def _nearest(words: str, quote: str) -> str:
    wanted = set(re.findall(r"\w{4,}", quote.lower()))
    lines = [line.strip() for line in as_shown(words).splitlines() if line.strip()]
    best = max(lines, key=lambda line: len(wanted & set(re.findall(r"\w{4,}", line.lower()))), default="")
    return f"does not stand there; perhaps {told(best[:100])}: copy a run of one line"


def _doubts(where: str, name: str, text: Text, read: ReadText) -> Iterator[ReadingFault]:
    """Ask once more where a person may want something, or a text counts more than was found in it."""
    may_ask = ASKS.search(text.words) or len(text.words.split()) > MOST_WORDS
    if read.says == "ignore" and not text.is_bot and may_ask:
        yield ReadingFault(
            where, "asks", f"{name} may ask for something: look again, or hand it in as it is", name
        )
    there, said = len(read.findings) + text.threads, declared(text.words)
    if read.says in ("actionable", "ignore") and text.surface != "inline" and said > there:
        yield ReadingFault(where, "count", f"{name} speaks of {said}, {there} are there: {AGAIN}", name)


def declared(words: str) -> int:
    """Return how many findings a text says it has; 0 where it does not say."""
    bare = blanked(words, [Span(one.start, one.end) for one in fences(words)])
    prose = "\n".join(line for line in bare.splitlines() if not PRAISE.search(line))
    sections = {match[0]: int(match[1]) for match in IN_SUMMARY.finditer(prose)}
    counts = [int(match[1]) for pattern in IN_PROSE for match in pattern.finditer(prose)]
    return max([sum(sections.values()), *counts])
