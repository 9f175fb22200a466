"""The course of a scenario: how it goes when nothing strikes, and how a user recovers when something did."""

import json
from typing import NamedTuple

from bench import Bench, CallResult
from faults.child import FIRST_MOMENT, LATER, forked, value
from faults.scenarios import NEXT, Scenario
from faults.site import Site
from faults.view import View, differences, view, without_chance


class Golden(NamedTuple):
    """What a scenario comes to when nothing strikes: all that is answered on the way, and how it settles."""

    answers: tuple[CallResult, ...]
    said: CallResult
    after: View
    settled: CallResult
    view: View


def next_step(bench: Bench) -> CallResult:
    """Ask for the next step, as anybody may at any time."""
    return bench.baton(*NEXT)


def golden(site: Site, scenario: Scenario) -> Golden:
    """Play a scenario to its end without a strike, at one site once."""
    known: Golden | None = site.played.get(scenario.name)
    if known is None:
        site.played[scenario.name] = known = _play(site, scenario)
    return known


def _play(site: Site, scenario: Scenario) -> Golden:
    bench = site.lay_out(scenario.start)
    before = value(forked(lambda: next_step(bench), FIRST_MOMENT))
    bench = site.lay_out(scenario.start)
    said = value(forked(lambda: scenario.call(bench), FIRST_MOMENT))
    after = view(bench)
    rest = value(forked(lambda: _go_on(scenario, bench), FIRST_MOMENT))
    return Golden((before, said, *rest), said, after, rest[-1], view(bench))


def _go_on(scenario: Scenario, bench: Bench) -> list[CallResult]:
    """Do what the caller of a command does after it, to the step where the story waits."""
    said = [bench.baton(*NEXT, "--ended", scenario.ends)] if scenario.ends else []
    said.append(next_step(bench))
    return [*said, next_step(bench)] if decided(said[-1])[1] == "spawn" else said


def recover(scenario: Scenario, wanted: Golden, bench: Bench) -> list[CallResult]:
    """Ask for the next step; if it is not where the story settles, say again what was cut short."""
    said = [next_step(bench)]
    if scenario.silent or not same(said[-1], wanted.settled):
        said.append(scenario.call_again(bench))
    if not same(said[-1], wanted.settled):
        said += _go_on(scenario, bench)
    return said


def same(one: CallResult, other: CallResult) -> bool:
    """Whether two calls came to the same answer."""
    return _answer(one) == _answer(other)


def _answer(said: CallResult) -> tuple[object, ...]:
    """Give what a call came to; a notice beside an answer, as of a torn tail, is none of it."""
    return said.code, without_chance(said.out), _reason(said)


def _reason(said: CallResult) -> str:
    return without_chance(said.err.splitlines()[-1]) if said.code and said.err else ""


def decided(said: CallResult) -> tuple[object, ...]:
    """Give what was decided, without the words for it."""
    step = json.loads(said.out) if said.code == 0 and said.out.startswith("{") else {}
    return said.code, step.get("action"), step.get("rule"), step.get("run"), _reason(said)


def brief(said: CallResult) -> str:
    """Say in one line what a call came to."""
    step = json.loads(said.out) if said.code == 0 and said.out.startswith("{") else {}
    told = f"{step.get('action')} {step.get('rule')}: {step.get('reason')}" if step else said.out + said.err
    return f"exit {said.code}, {' '.join(told.split())[-300:]}"


def cause(said: CallResult) -> str:
    """Give what was raised and where it went through this program last; else all that was said."""
    lines = [line.strip() for line in said.err.splitlines()]
    frames = [line for line in lines if line.startswith("File ") and "/lib/baton/" in line]
    return f"{frames[-1].rpartition('/lib/baton/')[2]}: {lines[-2]}" if frames else said.err[-300:]


def check_recovery(site: Site, scenario: Scenario, wanted: Golden) -> list[str]:
    """Recover as a user would, and give what is wrong then."""
    journal = site.journal()
    said: list[CallResult] = value(forked(lambda: recover(scenario, wanted, site.bench), LATER))
    wrong = [f"a bug was shown: {cause(one)}" for one in said if one.code not in (0, 1, 2)]
    named = bool(scenario.instead) and " ".join(scenario.instead) in said[0].err
    if decided(said[0]) not in map(decided, wanted.answers) and not named:
        wrong.append(f"`next` answered at first: {brief(said[0])}")
    if not same(said[-1], wanted.settled):
        wrong.append(f"it settled otherwise: {' | '.join(map(brief, said))}; not {brief(wanted.settled)}")
    if not site.journal().startswith(journal):
        wrong.append("the journal lost what it had")
    if found := differences(view(site.bench), wanted.view):
        wrong.append(found)
    return wrong
