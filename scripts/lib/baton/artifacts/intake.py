"""A planner's reading of a story's sources, by places: criteria, what is done and what is left out.

The program copies the words from the places, and demands what looks like a criterion and is in neither list.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from baton.artifacts.data import load_object
from baton.artifacts.demanded import find_demanded
from baton.artifacts.findings import Finding
from baton.artifacts.list_items import items_beside, items_in, words_in
from baton.artifacts.outline import HEADING
from baton.text import one_line, plural, visible

KIND = "criteria"
MOST = 400
PLACE = re.compile(r"(?P<path>.+):(?P<first>[1-9]\d*)(?:-(?P<last>[1-9]\d*))?")
# A heading that says no more of a criterion than that it is one.
GENERAL = re.compile(
    r"(?:acceptance )?criteria|acceptance scenarios?|(?:functional )?requirements?|scenarios?", re.I
)
SHOWN = 5  # lines that are named in a finding


class Passage(NamedTuple):
    """Lines of a file, from the first to the last, counted from 1."""

    path: str
    first: int
    last: int


class ReadCriterion(NamedTuple):
    """A criterion: where it stands, below which heading, its words, and whether these are the planner's."""

    path: str
    line: int
    heading: str
    text: str
    proposed: bool = False


class LeftOut(NamedTuple):
    """Lines that are no criteria, why, and how many of them look like some."""

    place: str
    why: str
    demanded: int


class Done(NamedTuple):
    """A part that is there already, and the files, tests and commits that show it."""

    what: str
    shown_by: tuple[str, ...]


class Intake(NamedTuple):
    """The reading of a story's sources; `unchecked` are those in which nothing looks like a criterion.

    `title` is the planner's, in place of the one the story began with; empty for none.
    """

    criteria: tuple[ReadCriterion, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    done: tuple[Done, ...] = ()
    asks: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()
    title: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """The criteria, as the story is to have them."""
        return tuple(criterion.text for criterion in self.criteria)

    @property
    def is_clear(self) -> bool:
        """Whether every word is a source's own, and nothing is asked, passed over or could not be checked."""
        passed_over = any(left.demanded for left in self.left_out)
        proposed = any(criterion.proposed for criterion in self.criteria)
        return bool(self.criteria) and not (passed_over or proposed or self.asks or self.unchecked)


def count_criteria(number: int) -> str:
    """Say how many criteria there are."""
    return "1 criterion" if number == 1 else f"{number} criteria"


def intake_of_data(data: Mapping[str, Any]) -> Intake:
    """Return an intake from the JSON data that is kept of it."""
    return Intake(
        tuple(ReadCriterion(*fields) for fields in data["criteria"]),
        tuple(LeftOut(*fields) for fields in data["left_out"]),
        tuple(Done(what, tuple(shown)) for what, shown in data["done"]),
        tuple(data["asks"]),
        tuple(data["unchecked"]),
        data.get("title", ""),
    )


def read_places(
    text: str, sources: Mapping[str, str], path: str, beside: Mapping[str, str] | None = None
) -> tuple[Intake, list[Finding]]:
    """Copy the words from the places of a hand-in without faults of form; with what is wrong with these.

    `sources` are the texts that the story was made of, by their paths; of those `beside` nothing is demanded.
    """
    value = load_object(text, KIND)
    criteria, left, findings = list[ReadCriterion](), list[LeftOut](), list[Finding]()
    held, known = dict[str, set[int]](), {**(beside or {}), **sources}
    lists = ("criteria", "left_out", "done")
    places = ((name, *each) for name in lists for each in enumerate(value.get(name, ())))
    for name, index, entry in places:
        try:
            span = _span(entry.get("each") or entry["at"], known)
            if name == "criteria":
                criteria += _criteria_of(entry, span, known[span.path], held.setdefault(span.path, set()))
            elif name == "left_out":
                demanded = (span.first <= line.number <= span.last for line in find_demanded(known[span.path]))
                left.append(LeftOut(entry["at"], one_line(entry["why"]), sum(demanded)))
        except ValueError as fault:
            findings.append(Finding(path, f"$.{name}[{index}]", f"{KIND}/place", str(fault)))
    if len(criteria) > MOST:
        findings.append(Finding(path, "$.criteria", f"{KIND}/too-many", f"{len(criteria)}, at most {MOST}"))
    done = tuple(Done(one_line(entry["what"]), tuple(entry["shown_by"])) for entry in value.get("done", ()))
    copied = {criterion.path for criterion in criteria if not criterion.proposed}
    unchecked = tuple(
        source for source, content in known.items() if source in copied and not find_demanded(content)
    )
    asks, title = tuple(map(one_line, value.get("asks", ()))), one_line(value.get("title", ""))
    intake = Intake(tuple(criteria), tuple(left), done, asks, unchecked, title)
    return intake, [*findings, *([] if findings else _not_taken(value, sources, known, path))]


def span_text(span: Passage) -> str:
    """Name lines of a file."""
    return f"{span.path}:{span.first}" + (f"-{span.last}" if span.last > span.first else "")


def _span(place: str, sources: Mapping[str, str]) -> Passage:
    """Return the lines a place names; a ValueError says why there are none."""
    match = PLACE.fullmatch(place)
    path = match["path"] if match and place not in sources else place
    if path not in sources:
        raise ValueError(f"`{visible(path)}` is not a source of this story: they are {', '.join(sources)}")
    length = len(sources[path].split("\n"))
    if match is None or path == place:
        return Passage(path, 1, length)
    first, last = int(match["first"]), int(match["last"] or match["first"])
    if not first <= last <= length:
        raise ValueError(f"{place}: {path} has {plural(length, 'line')}")
    return Passage(path, first, last)


def _criteria_of(entry: Mapping[str, Any], span: Passage, text: str, held: set[int]) -> Iterator[ReadCriterion]:
    """Return the criteria of one entry; a ValueError for lines without one, or that another holds already."""
    heading = _heading_above(text, span.first)
    if says := entry.get("says"):
        yield ReadCriterion(span.path, span.first, heading, one_line(says), proposed=True)
        return
    lines = text.split("\n")[span.first - 1 : span.last]
    whole = words_in(lines)
    if quote := entry.get("quote"):
        if (words := words_in(quote.split("\n"))) not in whole:
            raise ValueError(f"not in {span_text(span)}, word for word: {words[:60]}")
        yield ReadCriterion(span.path, span.first, heading, words)
        return
    if again := held.intersection(range(span.first, span.last + 1)):
        raise ValueError(f"{span.path}:{min(again)} is in a criterion before this one: take each line once")
    held |= {span.first + at for at, line in enumerate(lines) if line.strip()}
    if "at" in entry:
        if not whole:
            raise ValueError(f"nothing at {span_text(span)}")
        yield ReadCriterion(span.path, span.first, heading, whole)
        return
    items = items_in(lines)
    if not items:
        raise ValueError(f"no item of a list, numbered paragraph or row at {span_text(span)}: use `at`")
    for at, words in items:
        yield ReadCriterion(span.path, span.first + at, _heading_above(text, span.first + at), words)


def _heading_above(text: str, line: int) -> str:
    """Return the nearest heading above a line that says more than that criteria follow; empty for none."""
    above = list[tuple[int, str]]()
    for content in text.split("\n")[:line]:
        if heading := HEADING.match(content):
            level = len(heading[1])
            above = [*(outer for outer in above if outer[0] < level), (level, one_line(heading[2]))]
    titles = [title for _, title in above]
    telling = [title for title in titles if not GENERAL.fullmatch(title)]
    return (telling or titles or [""])[-1]


def _not_taken(
    value: Mapping[str, Any], sources: Mapping[str, str], known: Mapping[str, str], path: str
) -> Iterator[Finding]:
    """Find what looks like a criterion and is in neither list, and sources of which nothing is said."""
    entries = [*value["criteria"], *value.get("left_out", ())]
    spans = [_span(entry.get("each") or entry["at"], known) for entry in entries]
    taken = [_span(entry.get("each") or entry["at"], known) for entry in value["criteria"] if "says" not in entry]
    for name, text in sources.items():
        mine = [span for span in spans if span.path == name]
        if not mine:
            yield Finding(path, "$", f"{KIND}/source", f"nothing is said of {name}: leave it out whole, with why")
            continue
        lines = text.split("\n")
        looked_for = {line.number: line.text for line in find_demanded(text)}
        for at in items_beside(text, [span.first for span in taken if span.path == name]):  # all of a list or none
            looked_for.setdefault(at, words_in([lines[at - 1]]))
        over = sorted(at for at in looked_for if not any(span.first <= at <= span.last for span in mine))
        if over:
            named = "; ".join(f"line {at} ({looked_for[at][:60]})" for at in over[:SHOWN])
            more = f" and {len(over) - SHOWN} more" if len(over) > SHOWN else ""
            message = f"{name} has what looks like criteria, neither taken nor left out: {named}{more}"
            yield Finding(path, "$", f"{KIND}/not-taken", message)
