"""The most that anything may cost."""

from fnmatch import fnmatchcase
from typing import NamedTuple

from speed.figures import BEYOND, BYTES, LEAST, MB, MODULES, Figures, measure, ratio
from speed.hostile import measure_texts
from speed.process import PASS, Call


class Limit(NamedTuple):
    """The most that figures of such a name may be: in their unit, or times as ratios to that of `base`."""

    most: float
    figure: str
    base: str = PASS
    unit: str = ""


LIMITS = {
    "hooks": Limit(2, "hook *, foreign"),
    "pre-tool-use-own": Limit(2, "hook pre-tool-use, own"),
    "hooks-own": Limit(12, "hook [!p]*, own"),  # but pre-tool-use and post-tool-use
    "post-tool-use-own": Limit(12, "hook post-tool-use, own"),
    "transcript": Limit(25, "hook subagent-stop, long"),  # of 20 MB: linear work
    "next": Limit(7, "next, 10 events"),
    "next-modules": Limit(155, "next, 10 events", unit=MODULES),  # a folder counts as one, and holds no code
    "next-growth": Limit(2.5, "next, 10000 events", "next, 10 events"),  # every event is read: linear work
    "hand-in": Limit(14, "hand-in"),
    "judging": Limit(36, "next, an ended run"),
    "help": Limit(28, "--help"),
    "status-line": Limit(7, "status --line"),
    "status": Limit(40, "status, 1000 stories"),  # it reads every journal: linear work
    "pr-fetch": Limit(45, "pr fetch, 100 threads"),
    "pr-growth": Limit(13, "pr fetch, 10000 threads", "pr fetch, 1000 threads"),  # linear, and 30 % of it
    "pr-memory": Limit(100, "pr fetch, 10000 threads", unit=MB),
    "pr-digest": Limit(6_000, "pr fetch, * threads", unit=BYTES),
    "pr-requests": Limit(0, "pr fetch, * threads", unit=BEYOND),
    "run": Limit(1.5, "run, a small story", "by hand, a small story"),  # the client does it at once
    "makespan": Limit(1.3, "makespan, *", unit=LEAST),
    # Every function that reads a text: 50 ms on an ordinary machine, where Python's start takes some 12 ms of the
    # processor, and 12 to 20 by the clock.
    "text-64k": Limit(4, "*.*"),
}


def check(calls: dict[str, Call], figures: Figures) -> bool:
    """Print a line for each limit, times measured once more where it is exceeded; give whether all are kept."""
    kept = True
    for name, limit in LIMITS.items():
        found = found_for(limit, figures)
        if not found:
            print(f"none {name}: {limit.figure} is left out")
            continue
        again = set[str]()
        while (worst := max(found, key=lambda one: found[one])) not in again and found[worst] > limit.most:
            again.add(worst)
            figures = measured_again(limit, worst, calls, figures)
            found = found_for(limit, figures)
        over, unit = found[worst] > limit.most, limit.unit or f"x {limit.base}"
        told = f"{worst} is {round(found[worst], 2):g} {unit}, limit {limit.most:g}"
        print(f"{'over' if over else 'ok':4} {name}: {told}")
        kept = kept and not over
    return kept


def found_for(limit: Limit, figures: Figures) -> dict[str, float]:
    """Give the figures that a limit is for, by their names."""
    names = [one for one in {**figures.took, **figures.texts, **figures.needs} if fnmatchcase(one, limit.figure)]
    if limit.unit:
        return {name: figures.needs[name][limit.unit] for name in names}
    texts = {name: figures.texts[name].ratio for name in names if name in figures.texts}
    return texts or {name: ratio(figures.took, name, limit.base) for name in names}


def measured_again(limit: Limit, name: str, calls: dict[str, Call], figures: Figures) -> Figures:
    """Give the figures with a time measured anew; what is no time is the same every time."""
    if limit.unit:
        return figures
    if name in figures.texts:
        return figures._replace(texts={**figures.texts, **measure_texts(calls[PASS], wanted=name)})
    took, _ = measure({one: calls[one] for one in (PASS, limit.base, name)}, len(figures.took[PASS]))
    return figures._replace(took={**figures.took, **took})
