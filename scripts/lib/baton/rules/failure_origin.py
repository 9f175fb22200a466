"""The origin of a failure: a command's on a story's head, compared with the same command's on base."""

from typing import Literal, NamedTuple

Provenance = Literal["pass", "preexisting", "introduced", "unclear"]
Need = Literal["", "base", "again", "base again"]


UNNAMED = (
    "base fails, too, and what failed is not named on both sides: `commands.report` in `.baton.yaml` may name a"
    " JUnit XML report"
)


VAGUE = "it names files without a word on what is wrong, and the story changed them"


class Ran(NamedTuple):
    """The result of a command on a commit: whether it passed, what failed, or why it says nothing of the commit.

    `vague` are those of the failures that only name a file that the story changed.
    """

    passed: bool
    failed: frozenset[str] = frozenset()
    mute: str = ""
    vague: frozenset[str] = frozenset()


class Triage(NamedTuple):
    """The origin of a failure, the failures, and why; `need` names the run that is needed first."""

    provenance: Provenance
    failed: frozenset[str] = frozenset()
    why: str = ""
    need: Need = ""


def triage(head: Ran, base: Ran | None, again: Ran | None, base_again: Ran | None) -> Triage:
    """Decide whether a failure is the story's, base's, or unclear.

    The same command on base, once more on the head, and once more on base are None while they were not run.
    Where base passes, every failure that comes back is the story's. Where base fails, both sides must name what
    failed. A failure that does not come back, on the head or on base, is nobody's: it is unclear.
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
        return _confirm_new(head.failed - base.failed, again)
    if head.vague:
        return Triage("unclear", head.vague, VAGUE)
    return _confirm_existing(head.failed, base, base_again)


def _confirm_new(new: frozenset[str], again: Ran | None) -> Triage:
    """Decide on failures that base lacks, by whether they come back when the command is run again."""
    if again is None:
        return Triage("unclear", new, "it was seen once", "again")
    if again.mute:
        return Triage("unclear", new, f"run once more, {again.mute}")
    if again.passed or (new and again.failed and new.isdisjoint(again.failed)):
        what = "passed" if again.passed else "failed otherwise"
        return Triage("unclear", new, f"run once more on the same commit, it {what}")
    return Triage("introduced", new & again.failed or new, "base does not fail so")


def _confirm_existing(failed: frozenset[str], base: Ran, again: Ran | None) -> Triage:
    """Excuse failures that base has in both of its runs."""
    if again is None:
        return Triage("unclear", failed, "base was asked once", "base again")
    if again.mute:
        return Triage("unclear", failed, f"base was asked once more, and {again.mute}")
    if flaky := failed - (base.failed & again.failed):
        return Triage("unclear", flaky, "base fails so at times, and at times not")
    return Triage("preexisting", failed, "base fails the same")
