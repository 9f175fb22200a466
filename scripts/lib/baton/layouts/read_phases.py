"""The phases of another tool's plan, how far its marks say they are, and what git says of that."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from baton.artifacts.claims import is_below, read_claims
from baton.artifacts.outline import Section, plain, read_fences, read_sections
from baton.artifacts.plan import CLOSED_MARKS, SECTIONS, every_phase, read_plan
from baton.layouts.layout import SpecLayout, heading_pattern

TICK = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+\[(?P<tick>[ xX])\]\s+\S")
MARKED = re.compile(r"\[\s*(?:NOT STARTED|IN PROGRESS)\s*\]", re.I)
# What is no remark: a folder, or a name with an extension.
PATH = re.compile(r"\S*[^\s/.]\.[a-z][a-z0-9]{0,7}|\S+/")
LINE = re.compile(r":\d+(?:[-:]\d+)?$")
STEPS = re.compile(r"\s{0,3}(?:\d{1,3}[.)]|[-*+])\s+\S")


class FoundPhase(NamedTuple):
    """A phase: its id and name, what marks it, the text below its heading, and the files it names."""

    id: str
    name: str
    mark: str
    body: str
    files: tuple[str, ...] = ()

    @property
    def closed(self) -> bool:
        return self.mark in CLOSED_MARKS


def read_phases(layout: SpecLayout, text: str) -> list[FoundPhase]:
    """Return the phases of a plan; where its headings name none, all of its steps as one."""
    by_line = {one.line: one for one in read_sections(text)}
    if not layout.phase:
        found = [_phase(one.id, one.name, one.mark, by_line[one.line]) for one in every_phase(text)]
    else:
        pattern = heading_pattern(layout.phase)
        named = [(pattern.fullmatch(one.title), one) for one in by_line.values()]
        found = [_phase(match["n"], match["name"], "", one) for match, one in named if match]
    return found or _as_one(text)


def number_anew(phases: Sequence[FoundPhase]) -> tuple[list[FoundPhase], list[str]]:
    """Number phases from 1 where one number comes twice, as in a plan of parts; returns what is told of it."""
    ids = [one.id for one in phases]
    twice = next((one for at, one in enumerate(ids) if one in ids[:at]), "")
    if not twice:
        return list(phases), []
    anew = [one._replace(id=str(at), name=f"{one.name} (its phase {one.id})") for at, one in enumerate(phases, 1)]
    return anew, [f"phase {twice} comes more than once: all are numbered anew, in their order"]


def _as_one(text: str) -> list[FoundPhase]:
    """Return a plan's steps as one phase: those under its heading for them, or a list with boxes to tick."""
    title = SECTIONS["Implementation Sequence"]
    section = next((one for one in read_sections(text) if title.match(plain(one.title))), None)
    lines = [line.text for line in section.body] if section else text.splitlines()
    has_steps = any((STEPS if section else TICK).match(line) for line in lines)
    return [FoundPhase("1", "Its steps", _ticked(lines), "\n".join(lines).strip())] if has_steps else []


def _phase(number: str, name: str, mark: str, section: Section) -> FoundPhase:
    lines = [line.text for line in section.body if not line.fenced]
    says_open = bool(MARKED.search(section.title))
    counted = mark if mark not in ("", "NOT STARTED") or says_open else _ticked(lines)
    files = tuple(LINE.sub("", one.path) for one in read_claims(section.body) if not one.fault)
    return FoundPhase(number, " ".join(name.split()) or f"Phase {number}", counted, section.text, files)


def _ticked(lines: Sequence[str]) -> str:
    """Return the mark that ticked boxes come to."""
    ticks = [found["tick"] != " " for line in lines if (found := TICK.match(line))]
    return "COMPLETED" if ticks and all(ticks) else "PARTIAL" if any(ticks) else "NOT STARTED"


def hold_against_git(
    phases: Sequence[FoundPhase], names: Sequence[str], was_there: Callable[[str], bool]
) -> tuple[list[FoundPhase], list[str]]:
    """Open each phase again that is marked closed and names a file git has never had; returns what is told of it.

    `names` are the files of base; a name may leave out the folders in front. `was_there` looks into its history.
    """
    known, held, told = set(names), list[FoundPhase](), list[str]()
    for phase in phases:
        named = [one for one in phase.files if phase.closed and PATH.fullmatch(one)]
        missing = [one for one in named if not _has(known, one) and not was_there(one)]
        held.append(phase._replace(mark="PARTIAL") if missing else phase)
        if missing:
            told.append(f"phase {phase.id} is marked {phase.mark}, and git has no {missing[0]}, which it names")
    return held, told


def _has(names: set[str], path: str) -> bool:
    return path in names or any(is_below(one, path) or one.endswith(f"/{path}") for one in names)


def closed_text(body: str) -> str:
    """Return a text whose code fences all end with it."""
    fences = read_fences(body)
    if not fences.open_line:
        return body
    mark = re.match(r"\s*(`{3,}|~{3,})", body.split("\n")[fences.open_line - 1])
    return f"{body}\n{mark[1] if mark else '```'}"


def as_written(plan: str, phases: Sequence[FoundPhase]) -> bool:
    """Whether a plan says of its phases what was put into it."""
    found = [(one.id, one.mark) for one in read_plan(plan).phases]
    return found == [(one.id, one.mark) for one in phases]


def sections_of(text: Mapping[str, str], where: str) -> dict[str, str]:
    """Return what stands in the sections every plan has, or that nothing does."""
    none = f"`{where}` names none: whoever works on a phase looks for them." if where else "None are named."
    return {name: closed_text(text.get(name, "")) or none for name in ("edge_cases", "test_checkpoints", "risks")}
