"""The ends of a pull request's agents, for the client's module: each is told once, and acted on once."""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from baton.feedback.plan.round import load_round
from baton.feedback.plan.round_step import Spawn
from baton.feedback.plan.unit_work import UnitWork, load_unit_work
from baton.feedback.reader.reader_shares import is_reading_out, load_reading
from baton.feedback.reader.readings import load_readings
from baton.feedback.store.kept_files import ASK_AGAIN, read_as, write_as
from baton.feedback.store.work_names import is_reading
from baton.journal.journal import utc_now
from baton.journal.lock import hold_lock
from baton.journal.paths import Project
from baton.text import lasting, seconds_between

DRIVEN_FILE, DRIVEN_LOCK = "driven.json", "driven.lock"
# The outcome of an item in words, by its verdict.
OUTCOMES = {
    "fixed": "fixed",
    "fixed-differently": "fixed in another way",
    "replied": "answered",
    "not-addressing": "declined",
    "asks-nothing": "asks for nothing",
    "needs-human": "yours to decide",
}


class AgentStart(NamedTuple):
    """When an agent was given to the module to start, and what for."""

    time: str
    label: str


class Driven(NamedTuple):
    """The agents that were started, by name, and the hand-ins and the end that a call has acted on."""

    started: Mapping[str, AgentStart] = {}
    handled: tuple[str, ...] = ()
    told: str = ""  # the round whose end was


def note_starts(project: Project, folder: Path, agents: Iterable[Spawn]) -> None:
    """Note that these are started now."""
    with hold_lock(folder / DRIVEN_LOCK, "starting agents"):
        driven = _load(project, folder)
        now = {agent.unit: AgentStart(utc_now(), agent.label) for agent in agents}
        write_as(project, folder / DRIVEN_FILE, driven._replace(started={**driven.started, **now}))


def mark_handled(project: Project, folder: Path, name: str = "") -> bool:
    """Mark everything that was handed in as handled; return whether the end of the agent `name` is to be acted on.

    It is not where an earlier call acted on what it handed in, or where nobody waits for it.
    """
    with hold_lock(folder / DRIVEN_LOCK, "going on with what was handed in"):
        driven, handed_in = _load(project, folder), _handed_in(project, folder)
        write_as(project, folder / DRIVEN_FILE, driven._replace(handled=tuple(handed_in.values())))
    if name in handed_in:
        return handed_in[name] not in driven.handled
    return is_waited_for(project, folder, name)


def mark_told(project: Project, folder: Path) -> bool:
    """Mark the end of the current round, if it has landed, as told; whether no call before has told it."""
    current = load_round(project, folder)
    if current is None or not current.landed:
        return True
    with hold_lock(folder / DRIVEN_LOCK, "telling the end of a round"):
        driven = _load(project, folder)
        write_as(project, folder / DRIVEN_FILE, driven._replace(told=current.id))
    return driven.told != current.id


def is_waited_for(project: Project, folder: Path, name: str) -> bool:
    """Whether a reading or a unit is out, and nothing was handed in for it."""
    if is_reading(name):
        return is_reading_out(project, folder, name)
    current = load_round(project, folder)
    return bool(
        current and not current.landed and name in current.missing_units(load_unit_work(project, folder, current))
    )


def end_line(project: Project, folder: Path, name: str) -> str:
    """Say in one line what came of an agent, and how many others of its kind are done."""
    start = _load(project, folder).started.get(name)
    took = f" in {lasting(seconds_between(start.time, utc_now()))}" if start else ""
    return f"{label_of_agent(project, folder, name)} ended{took} — {_describe_end(project, folder, name)}"


def label_of_agent(project: Project, folder: Path, name: str) -> str:
    """Return what an agent was started for; its name where that is not known."""
    start = _load(project, folder).started.get(name)
    return start.label if start else name


def _describe_end(project: Project, folder: Path, name: str) -> str:
    if is_reading(name):
        reading = load_reading(project, folder)
        shares = reading.shares if reading else {}
        missing = reading.missing(load_readings(project, folder).texts) if reading else {}
        came, kind, done = "it is read", "shares", len(shares) - len(missing)
        total, is_in = len(shares), name not in missing
    else:
        current = load_round(project, folder)
        work = load_unit_work(project, folder, current) if current else {}
        came, kind, done = _outcome(work[name]) if name in work else "", "units", len(work)
        total, is_in = len(current.units) if current else 0, name in work
    counted = f"; {done} of {total} {kind} are handed in" if total > 1 else ""
    return (came if is_in else "it handed nothing in") + counted


def _outcome(work: UnitWork) -> str:
    verdicts = Counter(OUTCOMES.get(result["verdict"], result["verdict"]) for result in work.result["results"])
    several = verdicts.total() > 1
    return ", ".join(f"{count} {came}" if several else came for came, count in verdicts.items())


def _handed_in(project: Project, folder: Path) -> dict[str, str]:
    """Return what was handed in for the reading and the round that are out: a key of each, by name."""
    reading, current = load_reading(project, folder), load_round(project, folder)
    missing = reading.missing(load_readings(project, folder).texts) if reading else {}
    shares = {name: name for name in (reading.shares if reading else ()) if name not in missing}
    is_out = current is not None and not current.landed
    work = load_unit_work(project, folder, current) if current and is_out else {}
    return {**shares, **{name: taken.commit for name, taken in work.items()}}


def _load(project: Project, folder: Path) -> Driven:
    return read_as(project, folder / DRIVEN_FILE, Driven, ASK_AGAIN) or Driven()
