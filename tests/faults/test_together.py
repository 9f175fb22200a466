"""Many processes at one story, and one that swaps folders for links: all in order, and nothing written outside."""

import ctypes
import hashlib
import json
import os
import shutil
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from baton.journal.events import HandedIn
from baton.journal.journal import Journal
from bench import HANDOFF, PLAN, Bench, CallResult
from faults.child import FIRST_MOMENT, LATER, begun, ended, forked, value
from faults.scenarios import IMPLEMENTER, NEXT, PLANNER
from faults.shim import Call, Shim
from faults.site import Site

# How many processes, how many calls of each (in a quick run), and how many swaps.
PROCESSES, CALLS, QUICK_CALLS, SWAPS = 8, 100, 20, 1000
RENAME_EXCHANGE = 2
HERE = -100


class Answered(NamedTuple):
    """What a process handed in, and what it was told; nothing was handed in with a `next`."""

    text: str
    said: CallResult


def take_turns(bench: Bench, calls: int, process: int) -> list[Answered]:
    """Hand a plan in and ask for the next step, in turns."""
    setattr(os, "fsync", lambda _: None)  # noqa: B010 - no power is cut here, and the child ends with this
    answered, tree = [], bench.tree
    for number in range(calls // 2):
        text = f"{PLAN}\n<!-- {process}/{number} -->\n"
        said = Bench(tree).baton("hand-in", "42", "plan", "--run", PLANNER, "--json", stdin=text)
        answered += [Answered(text, said), Answered("", bench.baton(*NEXT))]
    return answered


def test_eight_processes_at_one_story_are_all_heard_or_told_who_was_before(site: Site, quick: bool) -> None:
    calls = QUICK_CALLS if quick else CALLS
    bench = site.lay_out("planning")
    children = [begun(partial(take_turns, bench, calls, one), FIRST_MOMENT) for one in range(PROCESSES)]
    answered = [one for child in children for one in value(ended(child))]
    refused = [one for one in answered if one.said.code != 0]
    assert len(answered) == PROCESSES * calls
    assert all(one.said.code == 2 and "locked by process " in one.said.err for one in refused), refused[:3]
    taken = [one for one in answered if one.text and one.said.code == 0]
    events = [record.event for record in Journal(bench.journal).records]
    found = [event.sha256 for event in events if isinstance(event, HandedIn)]
    assert sorted(found) == sorted(hashlib.sha256(one.text.encode()).hexdigest() for one in taken)
    assert hashlib.sha256(bench.place("plan").read_bytes()).hexdigest() == found[-1]


LIBRARY = ctypes.CDLL(None, use_errno=True)
swapping = pytest.mark.skipif(
    not hasattr(LIBRARY, "renameat2"), reason="no renameat2 here: names cannot be exchanged"
)


def exchange(one: Path, other: Path) -> None:
    """Let two names change places, at once."""
    if LIBRARY.renameat2(HERE, os.fsencode(one), HERE, os.fsencode(other), RENAME_EXCHANGE):
        raise OSError(ctypes.get_errno(), "cannot exchange", str(one))


def prepare_trap(site: Site, target: str) -> tuple[Path, Path, Path]:
    """Make a folder outside, and a link to it beside a target inside; gives target, link and outside."""
    bench = site.lay_out("working")
    bench.hand_in("handoff", HANDOFF)
    inside = bench.folder.path.parent if target == ".." else bench.folder.path / target
    inside = bench.place("return-meta") if target == "return-meta.json" else inside
    outside, link = site.top / "outside", site.top / "link"
    if inside.is_dir():
        shutil.copytree(inside, outside)
    else:
        inside.write_text(inside.read_text() if inside.exists() else "")
        outside.write_text("not ours\n")
    link.symlink_to(outside)
    return inside, link, outside


def everything(path: Path) -> dict[str, bytes]:
    """Every file and folder at a path, with its content."""
    found = [path, *path.rglob("*")] if path.is_dir() else [path]
    return {str(one): one.read_bytes() if one.is_file() else b"" for one in found}


TARGETS = ("..", ".", "handoffs", "return-meta.json")
targets = pytest.mark.parametrize("target", TARGETS, ids=["specs", "the story's folder", "handoffs", "a file"])


def hand_both_in(bench: Bench, number: int = 0) -> list[CallResult]:
    """Hand in what goes to `handoffs` and what goes to the story's folder."""
    meta = json.dumps({"status": "partial", "completion_details": f"{number}"})
    kinds = (("handoff", f"{HANDOFF}after {number} more\n"), ("return-meta", meta))
    tree = Bench(bench.tree)
    return [tree.baton("hand-in", "42", kind, "--run", IMPLEMENTER, stdin=text) for kind, text in kinds]


@pytest.mark.sampled(1)
@swapping
@targets
def test_a_link_put_in_at_any_call_leads_nothing_outside(site: Site, target: str, quick: bool) -> None:
    inside, link, outside = prepare_trap(site, target)
    kept = site.keep("trapped")
    before, number, wrong, step = everything(outside), 0, [], 4 if quick else 1
    struck = True
    while struck:
        number += step
        site.restore(kept)
        call, codes = value(forked(partial(swap_at, site.bench, number, inside, link), LATER))
        struck = call is not None
        if everything(outside) != before or set(codes) - {0, 1, 2}:
            wrong.append(f"{target} swapped at {call}: {codes}")
    assert number > 20
    assert not wrong, "\n".join(wrong)


def swap_at(bench: Bench, number: int, inside: Path, link: Path) -> tuple[Call | None, list[int]]:
    """Hand in, with the target swapped just before the n-th call; gives the call and the exit codes."""
    met: list[Call] = []

    def strike(call: Call) -> tuple[str, ...]:
        # What is looked up elsewhere cannot lead to the target.
        met.extend([call] if "/baton/42/files/" in call.subject or "return-meta" in call.subject else [])
        if met and met[-1] is call and len(met) == number:
            exchange(inside, link)
        return ()

    Shim(strike, ("file", "folder", "look")).install()
    said = hand_both_in(bench)
    return (met[number - 1] if len(met) >= number else None), [one.code for one in said]


@pytest.mark.sampled(1)
@swapping
@targets
def test_a_process_that_swaps_all_the_time_leads_nothing_outside(site: Site, target: str) -> None:
    inside, link, outside = prepare_trap(site, target)
    before = everything(outside)
    swapper = begun(lambda: swap_until(site, inside, link), LATER)
    codes = value(forked(lambda: hand_in_until(site, site.top / "enough"), LATER))
    (site.top / "done").touch()
    swaps = value(ended(swapper))
    assert swaps >= SWAPS // len(TARGETS)
    assert set(codes) <= {0, 1, 2}
    assert everything(outside) == before


def swap_until(site: Site, inside: Path, link: Path) -> int:
    """Swap a target and a link until it is done; gives how often."""
    number = 0
    while not (site.top / "done").exists() or number % 2:
        exchange(inside, link)
        number += 1
        if number == SWAPS // len(TARGETS):
            (site.top / "enough").touch()
    return number


def hand_in_until(site: Site, enough: Path) -> list[int]:
    """Hand in again and again, a while at least, until there were enough swaps; gives the exit codes."""
    codes: list[int] = []
    while len(codes) < 40 or not enough.exists():
        codes += [one.code for one in hand_both_in(site.bench, len(codes))]
    return codes
