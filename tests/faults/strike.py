"""Strike a scenario at every call in turn, and see that it comes to what it would have come to unstruck."""

import re
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

from bench import Bench, CallResult
from faults.child import EVERYTHING, FIRST_MOMENT, Done, Fault, Killed, T, failer, forked, killer, walk
from faults.course import Golden, brief, cause, check_recovery, decided, golden, next_step, recover, same
from faults.scenarios import Scenario
from faults.shim import Call, Family, kind_of
from faults.site import OWN_NAME, Site
from faults.view import differences, view
from quick_run import rank

# For a call, by its number and whether none before came the same way through the program: the errors it fails with
# (0: a program that fails), and whether all after it fail too.
Plan = Callable[[int, bool], Iterable[tuple[int, bool]]]

SHOWN = 12
# Git's failure there is a part of the answer: what stays, or is in the way, is told (test_interrupted.py).
TOLD = ("worktree remove", "merge --ff-only", "update-ref --no-deref -d")
# What fails while a check tree is removed is a part of the answer too.
REMOVES = "remove_trees"
STAYS = re.compile(r"(?<= stays); cannot .*")


class Stop(NamedTuple):
    """A call of unstruck work, and the name of the place as it is just before; none while it changes.

    `alone`: nothing that the work began runs beside it, so whoever is killed there leaves exactly this place.
    """

    call: Call
    place: str
    alone: bool = True

    @property
    def name(self) -> str:
        return self.place or str(self.call)


def shown(wrong: list[str]) -> str:
    """Say what was wrong, of very much only the beginning."""
    more = [f"… and {len(wrong) - SHOWN} more"] if len(wrong) > SHOWN else []
    return "\n".join(["", *wrong[:SHOWN], *more])


@dataclass(frozen=True, repr=False)
class Strikes:
    """Work that is struck at one call after another, of a scenario that is laid out anew each time.

    `again`: the work is to recover from a first kill. `struck`, `places` and `wrong` are of all strikes together.
    """

    site: Site
    scenario: Scenario
    name: str
    lay_out: Callable[[], Bench]
    work: Callable[[Bench], Any]
    again: bool = False
    struck: list[Call] = field(default_factory=list)
    places: set[str] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)

    @property
    def wanted(self) -> Golden:
        """What the scenario comes to; asked for before anything is struck, for it is played at the same place."""
        return golden(self.site, self.scenario)

    # Kills

    def kill_everywhere(self, stride: int = 1) -> None:
        """Kill the work at every n-th place it comes to, and recover."""
        found = self._stops()
        chosen = {*list(dict.fromkeys(one.name for one in found))[stride // 2 :: stride]}
        self._kill_each([one for one in found if one.name in chosen])

    def kill_at_each_effect(self) -> None:
        """Kill the work at one call of each kind that was struck in no scenario before, and recover.

        In every third scenario one call more is struck; `quick_run.rank` chooses them all.
        """
        calls = sorted(self._walk(lambda call: call), key=lambda one: rank(self.scenario.name, one.number))
        chosen: dict[str, Call] = {}
        for call in calls:
            if kind_of(call) not in self.site.effects:
                chosen.setdefault(kind_of(call), call)
        self.site.effects.update(chosen)
        more = calls[: rank(self.scenario.name) % 3 == 0]
        self._kill_each([Stop(one, "") for one in [*chosen.values(), *more]])

    def kill_twice(self, stride: int, second: int) -> None:
        """Kill the work at every n-th place; then whoever recovers from that, at every `second` place."""
        for made in self._struck_once(stride, partial(recover, self.scenario, self.wanted)):
            made.kill_everywhere(second)

    def fail_after_kill(self, stride: int, plan: Plan) -> None:
        """Kill the work at every n-th place; then let files fail at every call of the next step."""
        for made in self._struck_once(stride, next_step):
            made.fail_everywhere(("file", "folder"), plan)

    def _walk(self, note: Callable[[Call], T], families: tuple[Family, ...] = EVERYTHING) -> list[T]:
        return walk(partial(self.work, self.lay_out()), note, families)[0]

    def _stops(self) -> list[Stop]:
        begun = list[Call]()

        def stop(call: Call) -> Stop:
            begun.extend([call] if "worker.py" in call.subject else [])
            if self.again:  # as it is when no commands run there
                self.site.bench.rest()
            return Stop(call, "" if self.site.bench.is_busy else self.site.print(), not begun)

        return self._walk(stop)

    def _struck_once(self, stride: int, work: Callable[[Bench], Any]) -> Iterator["Strikes"]:
        """Kill the work at every n-th place; gives the work that follows there."""
        firsts = {stop.place: stop.call for stop in self._stops() if stop.place}
        self.places.update(firsts)  # the first strike alone is a matter of `kill_everywhere`
        for call in list(firsts.values())[stride // 2 :: stride]:
            forked(partial(self.work, self.lay_out()), FIRST_MOMENT, killer(call.number))
            kept = self.site.keep("struck once")
            name = f"{self.name}, killed at {call}, then in recovering"
            yield replace(self, name=name, lay_out=partial(self.site.restore, kept), work=work, again=True)

    def _kill_each(self, found: list[Stop]) -> None:
        assert not found or self.wanted
        for stop in found:
            self.struck.append(stop.call)
            if stop.name not in self.places:
                self.places.add(stop.name)
                struck = forked(partial(self.work, self.lay_out()), FIRST_MOMENT, killer(stop.call.number))
                assert isinstance(struck, Killed), stop
                self._keep(f"killed at {struck.call}", self._check_kill(struck, stop))

    def _keep(self, how: str, wrong: Iterable[str]) -> None:
        self.wrong.extend(f"{self.name}, {how}: {one}" for one in wrong)

    def _check_kill(self, struck: Killed, stop: Stop) -> Iterator[str]:
        # Where commands run, a call more or less is made to wait for them.
        there = OWN_NAME.sub("0", str(struck.call)) == OWN_NAME.sub("0", str(stop.call))
        if stop.place and stop.alone and there and stop.place != self.site.print():
            yield "a dead process left something else than a living one had made so far"
        if struck.printed and not self.again and (found := differences(view(self.site.bench), self.wanted.after)):
            yield f"it said {struck.printed[:80]!r} before it was so: {found}"
        yield from check_recovery(self.site, self.scenario, self.wanted)

    # Faults

    def fail_everywhere(self, families: tuple[Family, ...], plan: Plan) -> None:
        """Let every call fail in the ways planned for its number, and recover when nothing fails any more."""
        assert self.wanted
        for number, is_new in self._ways(families):
            for error, lasting in plan(number, is_new):
                fault = Fault(number, error, lasting)
                done = forked(partial(self.work, self.lay_out()), FIRST_MOMENT, failer(fault, families))
                assert isinstance(done, Done)
                assert done.struck, f"{self.name}: there was no call {number}"
                self.struck.append(done.struck)
                self._keep(f"{fault} at {done.struck}", self._check_fault(done.value))

    def _ways(self, families: tuple[Family, ...]) -> list[tuple[int, bool]]:
        """Return the number of each call, and whether it is to fail: once for each way, and none that is told."""
        ways = set[tuple[str, ...]]()

        def look(call: Call) -> tuple[int, bool]:
            frames = traceback.extract_stack()
            way = tuple(f"{frame.filename}:{frame.lineno}" for frame in frames if "/lib/baton/" in frame.filename)
            is_told = any(told in call.subject for told in TOLD) or any(frame.name == REMOVES for frame in frames)
            is_new = way not in ways and not is_told
            ways.add(way)
            return call.number, is_new

        return self._walk(look, families)

    def _check_fault(self, said: CallResult) -> Iterator[str]:
        lines = said.err.splitlines()
        # After a kill a notice of the torn tail may come first.
        refused = said.code == 2 and not said.out and len(lines) in (1, 1 + self.again)
        if not (refused and lines[-1].startswith("baton: ")):
            yield from self._check_answer(said)
        place = str(len(self.places)) if self.site.bench.is_busy else self.site.print()
        if place not in self.places:
            self.places.add(place)
            yield from check_recovery(self.site, self.scenario, self.wanted)

    def _check_answer(self, said: CallResult) -> Iterator[str]:
        said = said._replace(out=STAYS.sub("", said.out))
        if self.again:
            if said.code not in (0, 2) or decided(said) not in map(decided, self.wanted.answers):
                yield f"not one line, nor a right answer: exit {said.code} {cause(said)}"
        elif said.code != self.wanted.said.code:
            yield f"not one line: exit {said.code} {said.out[:80]!r} {cause(said)}"
        elif (found := differences(view(self.site.bench), self.wanted.after)) or not same(said, self.wanted.said):
            yield f"it said {brief(said)}, but {found}"
