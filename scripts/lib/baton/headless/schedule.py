"""Which stories may go on at once: what each waits for, and the words in which a person is told."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from baton.artifacts.claims import find_shared
from baton.journal.paths import Project, natural_sort_key
from baton.journal.state import State
from baton.story.backlog import BacklogRow, row_of
from baton.story.dependencies import find_known, order_stories

# Where a story of these statuses stands, it stays until somebody does something.
STUCK = {
    "abandoned": "was abandoned: take it out of `depends_on:`, or do it anew",
    "undone": "was undone: bring it back, or take it out of `depends_on:`",
    "asking": "asks: `baton question {id}`",
    "escalated": "asks: `baton question {id}`",
}
ALONE = "waits for {id}: with `exclusive: true` one story at a time changes code"
UNNAMED = "nothing names the files it changes: it runs beside others"


class StoryView(NamedTuple):
    """A story as it is scheduled.

    `claims`: what its plan names, None for nothing; `over`: merged, or complete in its mode; `changing`: it is
    past planning and not over, its branch has or will get code; `running`: the supervisor has it going right now,
    between its runs too, and one that is held or asks is not; `status` is as the backlog has it.
    """

    id: str
    depends_on: tuple[str, ...]
    claims: tuple[str, ...] | None
    over: bool
    changing: bool
    running: bool
    status: str = ""


def view_of(project: Project, state: State, *, running: bool) -> StoryView:
    """Return a story as it is scheduled; a BatonError when its file or its plan cannot be read."""
    return view_of_row(row_of(project, state), running=running)


def view_of_row(row: BacklogRow, *, running: bool) -> StoryView:
    """Return a story of the backlog as it is scheduled."""
    claims = None if row.claims is None else tuple(row.claims)
    over = row.status == "complete"
    return StoryView(row.id, tuple(row.depends_on), claims, over, row.changing, running, row.status)


def with_dependencies(project: Project, views: Iterable[StoryView]) -> list[StoryView]:
    """Return views with those of stories they depend on and that no journal here knows, as in a fresh clone."""
    found = {one.id: one for one in views}
    named = [name for one in found.values() for name in one.depends_on]
    while named:
        name = named.pop()
        if name not in found and (known := find_known(project, name)):
            needs = () if known.over else known.depends_on
            found[name] = StoryView(name, needs, None, known.over, False, False, known.status)
            named += needs
    return list(found.values())


def order_of(views: Sequence[StoryView]) -> list[str]:
    """Return stories with those they depend on before them, else in the order given.

    A BatonError names a story that is not among them, or a circle; what is over waits for nothing.
    """
    needs = {one.id: () if one.over else one.depends_on for one in views}
    return order_stories([one.id for one in views], needs.get)


def why_held(one: StoryView, others: Sequence[StoryView], *, exclusive: bool, together: bool) -> str:
    """Say which story this one waits for and why; nothing when it may go on.

    `others` are all stories there are, in their order, with or without `one`. It is to be asked before each run of
    a story, with all that were let go on before as `running`; of two that both run the first goes on.
    """
    return _dependency(one, others) or _clash(one, _before(one, others), exclusive, together)


def _dependency(one: StoryView, others: Sequence[StoryView]) -> str:
    known = {other.id: other for other in others}
    for name in one.depends_on:
        other = known.get(name)
        if other is None:
            return f"waits for {name}, which it depends on and which is not among the stories"
        if not other.over:
            how = STUCK.get(other.status, other.status and f"is {other.status}").format(id=name)
            return f"waits for {name}, which it depends on" + (f" and which {how}" if how else "")
    return ""


def _before(one: StoryView, others: Sequence[StoryView]) -> list[StoryView]:
    """Return those that change code now; for one that runs itself, those of them that come before it."""
    among = any(other.id == one.id for other in others)
    ordered = others if among else sorted((*others, one), key=lambda view: natural_sort_key(view.id))
    ids = [other.id for other in ordered]
    first = ordered[: ids.index(one.id)] if one.running else ordered
    return [other for other in first if other.running and other.changing and other.id != one.id]


def _clash(one: StoryView, running: Sequence[StoryView], exclusive: bool, together: bool) -> str:
    """Say why a story cannot change code beside those that run; nothing where it can, or changes none yet."""
    if not one.changing or one.over:
        return ""
    if exclusive and running:
        return ALONE.format(id=running[0].id)
    shared = [(other.id, find_shared(one.claims or (), other.claims or ())) for other in running]
    found = next(((name, path) for name, path in shared if path and not together), None)
    return f"waits for {found[0]}: both change {found[1]}" if found else ""


def beside_others(one: StoryView) -> str:
    """Say of a story that changes code and whose plan names no files that it is held by none; else nothing."""
    return UNNAMED if one.changing and one.claims is None else ""
