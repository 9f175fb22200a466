"""What calls took: times as ratios to those of the base, peaks of memory, what was printed and asked for."""

import re
import sys
from statistics import median
from typing import NamedTuple

from speed.hostile import Slowest
from speed.process import PASS, SCRIPTS, Call, fail, run
from speed.pull_request import requests_of

# What a process inherits counts into its peak, so a small one starts the call that is looked at.
PEAK = "import os, sys; a = sys.argv[1:]; print(os.wait4(os.posix_spawn(a[0], a, os.environ), 0)[2].ru_maxrss)"
# What each call took in each round: its seconds, and their ratio to those of the base just before it.
Took = dict[str, list[tuple[float, float]]]
MB, BYTES, BEYOND, MODULES = "MB", "bytes", "requests beyond its pages", "modules"
# How long a round of a pull request takes.
LEAST = "x the least time"
# What a call needs beside time, by the unit it is told in.
Needs = dict[str, float]


class Figures(NamedTuple):
    """All that was measured, by the names of the calls; `texts`: the slowest text of each function."""

    took: Took
    needs: dict[str, Needs]
    texts: dict[str, Slowest]


def measure(calls: dict[str, Call], rounds: int) -> tuple[Took, dict[str, Needs]]:
    """Weigh all calls, then run them in turns, each in as many rounds as it may be; give what they took and need.

    The time of a call that may be in none is that of its weighing: what weighs it is small beside it.
    """
    took: Took = {}
    needs: dict[str, Needs] = {}
    for name, call in calls.items():
        base = run(calls[PASS]).seconds
        seconds, needs[name] = weigh(call)
        took[name] = [] if call.rounds else [(seconds, seconds / base)]
    for turn in range(rounds):
        for name, call in calls.items():
            if turn < call.rounds:
                base, seconds = run(calls[PASS]).seconds, run(call).seconds
                took[name].append((seconds, seconds / base))
    return took, needs


def weigh(call: Call) -> tuple[float, Needs]:
    """Run a call; give its time, its peak of memory, how much it prints, and how often it asks too much."""
    before = requests_of(call)
    ran = run(call._replace(words=(sys.executable, "-I", "-S", "-c", PEAK, *call.words)))
    printed, peak = re.fullmatch(r"(.*?)(\d+)\n", ran.out, re.S).groups()  # type: ignore[union-attr]
    return ran.seconds, {
        MB: int(peak) / 2 ** (20 if sys.platform == "darwin" else 10),
        BYTES: len(printed.encode()),
        BEYOND: requests_of(call) - before - call.pages,
    }


def ratio(took: Took, call: str, base: str) -> float:
    """Give the median of the ratios of each round; of what did not run side by side, the ratio of median times."""
    if base == PASS:
        return median(one for _, one in took[call])
    if len(took[call]) == 1 or len(took[call]) != len(took[base]):
        return median(one for one, _ in took[call]) / median(one for one, _ in took[base])
    return median(one / to for (_, one), (_, to) in zip(took[call], took[base], strict=True))


def report(calls: dict[str, Call], figures: Figures) -> None:
    """Print a line for each call: its time, its peak of memory, its growth; then one for each function."""
    print(f"{'':28}{'ratio':>7}{'ms':>7}{'MB':>6}")
    for name, call in calls.items():
        needs = figures.needs[name]
        time = f"{ratio(figures.took, name, PASS):7.2f}{1000 * median(one for one, _ in figures.took[name]):7.1f}"
        small = re.sub(r"\d{2,}", "10", name)
        growth = f"   {ratio(figures.took, name, small):.2f} x {small}" if small != name else ""
        asked = int(call.pages + needs[BEYOND])
        read = f"   {needs[BYTES]} bytes, {asked} request{'s' if asked != 1 else ''}" if call.pages else ""
        print(f"{name:28}{time}{needs[MB]:6.1f}{growth}{read}")
    print(f"\n{'on the slowest text':28}{'ratio':>7}{'ms':>7}")
    for name, slowest in figures.texts.items():
        print(f"{name:28}{slowest.ratio:7.2f}{1000 * slowest.seconds:7.1f}   {slowest.text}")
    print()


def modules_of(call: Call) -> list[str]:
    """Return the modules a call imports, those of Python's start included."""
    flags = ("-I", "-S", "-X", "utf8", "-X", "importtime", "-B", str(SCRIPTS / "lib/launch.py"))
    ran = run(call._replace(words=(sys.executable, *flags, *call.words[1:]), says=""))
    lines = (ran.out + ran.err).splitlines()
    return [line.rpartition("|")[2].strip() for line in lines if line.startswith("import time:")][1:]


def report_modules(call: Call, listed: bool) -> None:
    """Print how many modules a call imports; fail where one is another's."""
    names = modules_of(call)
    if foreign := [name for name in names if name.partition(".")[0] not in {*sys.stdlib_module_names, "baton"}]:
        fail(f"hook pre-tool-use imports {foreign[0]}, and is to need the standard library alone")
    told = f"hook pre-tool-use imports {len(names)} modules, all of the standard library or baton's"
    print(told, *(names if listed else ()), sep="\n")
