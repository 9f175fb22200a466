"""Whose failure it is: a command's on a story's head, held against the same command's on base."""

from typing import Literal, NamedTuple

Provenance = Literal["pass", "preexisting", "introduced", "unclear"]
Need = Literal["", "base", "again", "base again"]


class Ran(NamedTuple):
    """How a command went on a commit: whether it passed, what failed, or why it tells nothing of the commit."""

    passed: bool
    failed: frozenset[str] = frozenset()
    mute: str = ""


class Triage(NamedTuple):
    """What a failure is, about which failures, and why; `need` names what must be run before that is known."""

    provenance: Provenance
    failed: frozenset[str] = frozenset()
    why: str = ""
    need: Need = ""


def triage(head: Ran, base: Ran | None, again: Ran | None, base_again: Ran | None) -> Triage:
    """Tell a failure the story introduced from one that base has, too, and from one that cannot be told.

    The same command on base, once more on the head, and once more on base are None while they were not run.
    A failure that does not come back, on the head or on base, is nobody's: it is unclear.
    """
    if head.passed:
        return Triage("pass")
    if head.mute:
        return Triage("unclear", head.failed, head.mute)
    if base is None:
        return Triage("unclear", head.failed, "base was not looked at", "base")
    if base.mute:
        return Triage("unclear", head.failed, f"there is no baseline to compare with: on base {base.mute}")
    if new := head.failed - base.failed:
        return _lasting(new, again)
    return _excused(head.failed, base, base_again)


def _lasting(new: frozenset[str], again: Ran | None) -> Triage:
    """Tell failures that base lacks by whether they come back when the command is run once more."""
    if again is None:
        return Triage("unclear", new, "it was seen once", "again")
    if again.mute:
        return Triage("unclear", new, f"run once more, {again.mute}")
    if lasting := new & again.failed:
        return Triage("introduced", lasting, "base does not fail so")
    what = "passed" if again.passed else "failed otherwise"
    return Triage("unclear", new, f"run once more on the same commit, it {what}")


def _excused(failed: frozenset[str], base: Ran, again: Ran | None) -> Triage:
    """Excuse failures that base has each time it is asked."""
    if again is None:
        return Triage("unclear", failed, "base was asked once", "base again")
    if again.mute:
        return Triage("unclear", failed, f"base was asked once more, and {again.mute}")
    if flaky := failed - (base.failed & again.failed):
        return Triage("unclear", flaky, "base fails so at times, and at times not")
    return Triage("preexisting", failed, "base fails the same")
