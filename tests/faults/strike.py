"""Strike a scenario at every call in turn, and see that it comes to what it would have come to unstruck."""

import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from bench import Bench, Said
from faults.child import EVERYTHING, FIRST_MOMENT, Done, Fault, Killed, failer, forked, killer
from faults.course import Golden, brief, cause, check_recovery, decided, golden, next_step, recover, same, value
from faults.scenarios import Scenario
from faults.shim import Call, Family, Shim, kind_of
from faults.site import OWN_NAME, Site
from faults.view import differences, view
from quick_run import rank

# For a call, by its number and whether none before came the same way through the program: the errors it fails with
# (0: a program that fails), and whether all after it fail too.
Plan = Callable[[int, bool], Iterable[tuple[int, bool]]]

SHOWN = 12
AGAIN = ", then in recovering"


class Stop(NamedTuple):
    """A call of an unstruck scenario, and the name of the place as it is just before; none while it changes."""

    call: Call
    place: str


@dataclass
class Tally:
    """How many calls were struck, how many places that led to, and what was wrong."""

    strikes: int = 0
    places: set[str] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)

    @property
    def told(self) -> str:
        """Say what was wrong, of very much only the beginning."""
        more = [f"… and {len(self.wrong) - SHOWN} more"] if len(self.wrong) > SHOWN else []
        return "\n".join(["", *self.wrong[:SHOWN], *more])


def stops(
    lay_out: Callable[[], Bench], site: Site, work: Callable[[Bench], Any], at_rest: bool = False
) -> list[Stop]:
    """Do some work unstruck, and name the place at every call; `at_rest`: as it is when no commands run there."""
    bench = lay_out()
    found: list[Stop] = []

    def look(call: Call) -> tuple[str, ...]:
        if at_rest:
            bench.rest()
        found.append(Stop(call, "" if site.bench.is_busy else site.print()))
        return ()

    def walk() -> list[Stop]:
        work(bench)
        return found

    met: list[Stop] = value(forked(walk, FIRST_MOMENT, lambda _: Shim(look, EVERYTHING)))
    return met


def kill_everywhere(site: Site, scenario: Scenario, stride: int = 1) -> Tally:
    """Kill the scenario's command at every place it comes to, or every n-th, and recover."""
    wanted, tally, lay_out = golden(site, scenario), Tally(), partial(site.lay_out, scenario.start)
    found = _sample(stops(lay_out, site, scenario.call), stride)
    _kill_each(site, scenario, wanted, lay_out, scenario.call, found, tally)
    return tally


def kill_at_each_effect(site: Site, scenario: Scenario) -> Tally:
    """Kill the scenario's command at one call of each kind that was struck in no scenario before, and recover.

    In every third scenario one call more is struck; `quick_run.rank` chooses them all.
    """
    tally, lay_out = Tally(), partial(site.lay_out, scenario.start)
    chosen: dict[str, Call] = {}
    calls = sorted(_every_call(lay_out, scenario.call), key=lambda one: rank(scenario.name, one.number))
    for call in calls:
        if kind_of(call) not in site.effects:
            chosen.setdefault(kind_of(call), call)
    site.effects.update(chosen)
    found = [Stop(one, "") for one in [*chosen.values(), *calls[: rank(scenario.name) % 3 == 0]]]
    if found:
        _kill_each(site, scenario, golden(site, scenario), lay_out, scenario.call, found, tally)
    return tally


def _every_call(lay_out: Callable[[], Bench], work: Callable[[Bench], Any]) -> list[Call]:
    bench, found = lay_out(), list[Call]()

    def look(call: Call) -> tuple[str, ...]:
        found.append(call)
        return ()

    def walk() -> list[Call]:
        work(bench)
        return found

    met: list[Call] = value(forked(walk, FIRST_MOMENT, lambda _: Shim(look, EVERYTHING)))
    return met


def _sample(found: list[Stop], stride: int) -> list[Stop]:
    """Return the stops at every n-th place."""
    names = list(dict.fromkeys(map(_name, found)))
    chosen = set(names[stride // 2 :: stride])
    return [one for one in found if _name(one) in chosen]


def _name(stop: Stop) -> str:
    return stop.place or str(stop.call)


def kill_twice(site: Site, scenario: Scenario, stride: int, second: int) -> Tally:
    """Kill the command at every n-th place; then whoever recovers from that, at every `second` place."""
    wanted, tally = golden(site, scenario), Tally()
    for named, again in _struck_once(site, scenario, stride, tally):
        work = partial(recover, scenario, wanted)
        found = _sample(stops(again, site, work, at_rest=True), second)
        _kill_each(site, named, wanted, again, work, found, tally)
    return tally


def fail_after_kill(site: Site, scenario: Scenario, stride: int, plan: Plan) -> Tally:
    """Kill the command at every n-th place; then let files fail at every call of the next step."""
    wanted, tally = golden(site, scenario), Tally()
    for named, again in _struck_once(site, scenario, stride, tally):
        _fail_each(site, named, wanted, again, next_step, ("file", "folder"), plan, tally)
    return tally


def _struck_once(
    site: Site, scenario: Scenario, stride: int, tally: Tally
) -> Iterator[tuple[Scenario, Callable[[], Bench]]]:
    """Kill a command at every n-th place; gives its name from there on, and what lays that place out."""
    lay_out = partial(site.lay_out, scenario.start)
    firsts = {stop.place: stop for stop in stops(lay_out, site, scenario.call) if stop.place}
    tally.places.update(firsts)  # the first strike alone is a matter of `kill_everywhere`
    for stop in list(firsts.values())[stride // 2 :: stride]:
        bench = lay_out()
        forked(partial(scenario.call, bench), FIRST_MOMENT, killer(stop.call.number))
        kept = site.keep("struck once")
        yield (
            scenario._replace(name=f"{scenario.name}, killed at {stop.call}{AGAIN}"),
            partial(_restored, site, kept),
        )


def _restored(site: Site, kept: Path) -> Bench:
    site.restore(kept)
    return site.bench


def _kill_each(
    site: Site,
    scenario: Scenario,
    wanted: Golden,
    lay_out: Callable[[], Bench],
    work: Callable[[Bench], Any],
    found: list[Stop],
    tally: Tally,
) -> None:
    for stop in found:
        tally.strikes += 1
        if _name(stop) in tally.places:
            continue
        tally.places.add(_name(stop))
        bench = lay_out()
        struck = forked(partial(work, bench), FIRST_MOMENT, killer(stop.call.number))
        assert isinstance(struck, Killed), stop
        told = f"{scenario.name}, killed at {struck.call}"
        tally.wrong += [f"{told}: {one}" for one in _check_kill(site, scenario, wanted, struck, stop)]


def _check_kill(site: Site, scenario: Scenario, wanted: Golden, struck: Killed, stop: Stop) -> list[str]:
    wrong = []
    # Where commands run, a call more or less is made to wait for them.
    there = OWN_NAME.sub("0", str(struck.call)) == OWN_NAME.sub("0", str(stop.call))
    if stop.place and there and stop.place != site.print():
        wrong.append("a dead process left something else than a living one had made so far")
    if (
        struck.printed
        and not scenario.name.endswith(AGAIN)
        and (found := differences(view(site.bench), wanted.after))
    ):
        wrong.append(f"it said {struck.printed[:80]!r} before it was so: {found}")
    return wrong + check_recovery(site, scenario, wanted)


def fail_everywhere(site: Site, scenario: Scenario, families: tuple[Family, ...], plan: Plan) -> Tally:
    """Let every call fail in the ways that are planned for its number, and recover when nothing fails any more."""
    tally, lay_out = Tally(), partial(site.lay_out, scenario.start)
    _fail_each(site, scenario, golden(site, scenario), lay_out, scenario.call, families, plan, tally)
    return tally


def _fail_each(
    site: Site,
    scenario: Scenario,
    wanted: Golden,
    lay_out: Callable[[], Bench],
    work: Callable[[Bench], Said],
    families: tuple[Family, ...],
    plan: Plan,
    tally: Tally,
) -> None:
    for number, is_new in _calls(lay_out, work, families):
        for error, lasting in plan(number, is_new):
            bench, fault = lay_out(), Fault(number, error, lasting)
            done = forked(partial(work, bench), FIRST_MOMENT, failer(fault, families))
            assert isinstance(done, Done)
            assert done.struck, f"{scenario.name}: there was no call {number}"
            tally.strikes += 1
            told = f"{scenario.name}, {fault} at {done.struck}"
            tally.wrong += [f"{told}: {one}" for one in _check_fault(site, scenario, wanted, done.value, tally)]


def _calls(
    lay_out: Callable[[], Bench], work: Callable[[Bench], Any], families: tuple[Family, ...]
) -> list[tuple[int, bool]]:
    """Do some work unstruck; gives the number of each call, and whether no earlier one came the same way."""
    bench, ways, found = lay_out(), set[tuple[str, ...]](), list[tuple[int, bool]]()

    def look(call: Call) -> tuple[str, ...]:
        frames = traceback.extract_stack()
        way = tuple(f"{one.filename}:{one.lineno}" for one in frames if "/lib/baton/" in one.filename)
        found.append((call.number, way not in ways))
        ways.add(way)
        return ()

    def walk() -> list[tuple[int, bool]]:
        work(bench)
        return found

    met: list[tuple[int, bool]] = value(forked(walk, FIRST_MOMENT, lambda _: Shim(look, families)))
    return met


def _check_fault(site: Site, scenario: Scenario, wanted: Golden, said: Said, tally: Tally) -> list[str]:
    wrong = []
    again = scenario.name.endswith(AGAIN)
    lines = said.err.splitlines()
    # After a kill a notice of the torn tail may come first.
    if said.code == 2 and not said.out and len(lines) in (1, 1 + again) and lines[-1].startswith("baton: "):
        pass
    elif again:
        known = said.code in (0, 2) and decided(said) in map(decided, wanted.answers)
        wrong += [] if known else [f"not one line, nor a right answer: exit {said.code} {cause(said)}"]
    elif said.code != wanted.said.code:
        wrong.append(f"not one line: exit {said.code} {said.out[:80]!r} {cause(said)}")
    elif (found := differences(view(site.bench), wanted.after)) or not same(said, wanted.said):
        wrong.append(f"it said {brief(said)}, but {found}")
    place = str(len(tally.places)) if site.bench.is_busy else site.print()
    if place in tally.places:
        return wrong
    tally.places.add(place)
    return wrong + check_recovery(site, scenario, wanted)
