"""The origin of a failure: a command's on a story's head, compared with the same command's on base."""

from collections import Counter
from typing import Literal, NamedTuple

Provenance = Literal["pass", "preexisting", "introduced", "flaky", "unclear"]
Need = Literal["", "base", "again", "base again", "third", "base third"]


UNNAMED = (
    "base fails, too, and what failed is not named on both sides: `commands.report` in `.baton.yaml` may name a"
    " JUnit XML report"
)


VAGUE = "it names files without a word on what is wrong, and the story changed them"
TWICE = "failed twice of three times on the same commit, and base does not"
BOTH = "fails at times, on base as on the story's commit"


class Ran(NamedTuple):
    """The result of a command on a commit: whether it passed, what failed, or why it says nothing of the commit.

    `vague` are those of the failures that only name a file that the story changed, `own` those of a test that it
    added or changed.
    """

    passed: bool
    failed: frozenset[str] = frozenset()
    mute: str = ""
    vague: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()


# A second and a third run on base.
Bases = tuple[Ran | None, Ran | None]


class Triage(NamedTuple):
    """The origin of a failure, the failures, and why; `need` names the run that is needed first."""

    provenance: Provenance
    failed: frozenset[str] = frozenset()
    why: str = ""
    need: Need = ""


def triage(
    head: Ran,
    base: Ran | None,
    again: Ran | None,
    base_again: Ran | None,
    third: Ran | None = None,
    base_third: Ran | None = None,
) -> Triage:
    """Decide whether a failure is the story's, base's, a flaky test's, or unclear.

    The same command on base, and a second and a third time on the head and on base, are None while they were not
    run. Where base passes, every failure that comes back is the story's. Where base fails, both sides must name
    what failed. A test that failed once of three times is flaky, as is one that fails at times on both; what has
    no name is unclear.
    """
    if head.passed:
        return Triage("pass")
    if head.mute:
        return Triage("unclear", head.failed, head.mute)
    if base is None:
        return Triage("unclear", head.failed, "base was not looked at", "base")
    if base.mute:
        return Triage("unclear", head.failed, f"there is no baseline to compare with: on base {base.mute}")
    if not base.passed and not (head.failed and base.failed):
        return Triage("unclear", head.failed, UNNAMED)
    if base.passed or head.failed - base.failed:
        more = (base_again, base_third)
        return _confirm_new(head.failed - base.failed, base.failed, head, again, third, more)
    if head.vague:
        return Triage("unclear", head.vague, VAGUE)
    return _confirm_existing(head, base, base_again, again, third)


def _confirm_new(
    new: frozenset[str], old: frozenset[str], head: Ran, again: Ran | None, third: Ran | None, bases: Bases
) -> Triage:
    """Decide on failures that base, which has the `old` ones, lacks, by whether they come back."""
    if again is None:
        return Triage("unclear", new, "it was seen once", "again")
    if again.mute:
        return Triage("unclear", new, f"run once more, {again.mute}")
    if again.passed or (new and again.failed and new.isdisjoint(again.failed)):
        return _count_failures(new, old, head, again, third, bases)
    return Triage("introduced", new & again.failed or new, "base does not fail so")


def _count_failures(
    new: frozenset[str], old: frozenset[str], head: Ran, again: Ran, third: Ran | None, bases: Bases
) -> Triage:
    """Decide on failures that did not come back, by how often each was seen in three runs on the head."""
    what = "passed" if again.passed else "failed otherwise"
    unclear = Triage("unclear", new, f"run once more on the same commit, it {what}")
    if not new or any(run and not (run.passed or run.failed or run.mute) for run in (again, third)):
        return unclear
    if third is None:
        return unclear._replace(need="third")
    if third.mute:
        return Triage("unclear", new, f"run a third time, {third.mute}")
    counts = Counter(name for run in (new, again.failed - old, third.failed - old) for name in run)
    own = counts.keys() & (head.own | again.own | third.own)
    if often := frozenset(name for name, count in counts.items() if count > 1):
        return Triage("introduced", often, TWICE) if often & own else _count_on_base(often, bases)
    if own:
        why = "failed once of three times on the same commit, and the story added or changed that test"
        return Triage("introduced", frozenset(own), why)
    return Triage("flaky", frozenset(counts), "failed once and passed twice on the same commit")


def _count_on_base(often: frozenset[str], bases: Bases) -> Triage:
    """Decide on failures that come and go on the head: what base has in any of as many runs is a flaky test's."""
    needs: tuple[Need, Need] = ("base again", "base third")
    left = often
    for need, base in zip(needs, bases, strict=True):
        if base is None or not (base.passed or base.failed):
            mute = f", and base, asked once more, does not say: {base.mute or UNNAMED}" if base else ""
            return Triage("unclear", often, f"it passes and fails on the same commit{mute}", "" if base else need)
        left -= base.failed
        if not left:
            return Triage("flaky", often, BOTH)
    return Triage("introduced", left, TWICE)


def _confirm_existing(
    head: Ran, base: Ran, base_again: Ran | None, again: Ran | None, third: Ran | None
) -> Triage:
    """Excuse failures that base has in both of its runs; one that it has in one may be a flaky test's."""
    failed = head.failed
    if base_again is None:
        return Triage("unclear", failed, "base was asked once", "base again")
    if base_again.mute:
        return Triage("unclear", failed, f"base was asked once more, and {base_again.mute}")
    if flaky := failed - (base.failed & base_again.failed):
        seen = _confirm_new(flaky, failed - flaky, head, again, third, (base, base_again))
        if seen.need or seen.provenance == "flaky":
            return seen
        return Triage("unclear", flaky, "base fails so at times, and at times not")
    return Triage("preexisting", failed, "base fails the same")
