"""Effects outside the journal, each of them once: intended, looked for, done, read back, journalled."""

from collections.abc import Callable
from typing import NamedTuple

from baton.errors import BatonError
from baton.outside.checkout import Commit
from baton.story.events import Effected, Event, Intended
from baton.story.state import State


class Effect(NamedTuple):
    """A commit or merge to be made: its kind, what it is about, and how it is seen and done.

    `look` is given the commit that was checked out when it was first intended, and gives the effect's commit, or
    nothing while it is not there.
    """

    effect: str
    about: str
    before: str
    look: Callable[[str], str]
    act: Callable[[], Commit]


def perform(wanted: Effect, state: State, note: Callable[[Event], None]) -> Commit:
    """Bring an effect about unless it is there already; gives it, or what refused it.

    A crash at any point leaves the intention in the journal: the next call looks before it acts.
    """
    known = state.outbox.get((wanted.effect, wanted.about))
    before = known.before if known else wanted.before
    found = wanted.look(before)
    if found:
        if known and not known.done:
            note(Effected(wanted.effect, wanted.about, found))
        return Commit(found)
    if known is None or known.done:
        before = wanted.before
        note(Intended(wanted.effect, wanted.about, before))
    made = wanted.act()
    if made.commit and wanted.look(before) != made.commit:
        where = f"commit {made.commit[:12]}"
        remedy = "see `git log` and `git reflog`: something else moved the branch"
        raise BatonError(f"the {wanted.effect} of {wanted.about} is not where it was made", where, remedy)
    note(Effected(wanted.effect, wanted.about, made.commit, made.refused))
    return made
