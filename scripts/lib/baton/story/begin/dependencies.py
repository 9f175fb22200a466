"""The stories that a story waits for: those its story.md names, and those that change the same files."""

import glob
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from baton.artifacts.claims import find_shared
from baton.artifacts.document import decode, read_document
from baton.artifacts.story_file import Story, read_story
from baton.artifacts.strict_yaml import YamlFault
from baton.errors import BatonError
from baton.git.command import Git
from baton.git.history import brought_back, find_story_branch, folders_in
from baton.git.objects import files_in
from baton.journal.paths import ARTIFACTS, Project, natural_sort_key
from baton.journal.repository import read_stories
from baton.journal.state import State
from baton.project.settings import read_settings

# Where a story of these statuses stands, it stays until somebody does something.
STUCK = {
    "abandoned": "was abandoned: take it out of `depends_on:`, or do it anew",
    "undone": "was undone: bring it back, or take it out of `depends_on:`",
    "asking": "asks: `baton question {id}`",
    "escalated": "asks: `baton question {id}`",
}
ALONE = "waits for {id}: with `exclusive: true` one story at a time changes code"


class KnownStory(NamedTuple):
    """A story as others see it: what it depends on itself, and how far it is.

    `claims`: what its plan names, None for nothing; `changing`: it is past planning and not over, its branch has
    or will get code; `running`: it is going right now, between its runs too, and one that is held or asks is not.
    """

    id: str
    depends_on: tuple[str, ...]
    status: str = ""
    claims: tuple[str, ...] | None = None
    changing: bool = False
    running: bool = False

    @property
    def over(self) -> bool:
        """Whether it is merged, or complete in its mode."""
        return self.status == "complete"


def check_dependencies(project: Project, story_id: str, depends_on: Sequence[str]) -> None:
    """Raise a BatonError if a story depends on one that does not exist, or on one that waits for it."""
    order_stories([story_id], lambda name: depends_on if name == story_id else _needs(project, name))


def order_stories(ids: Sequence[str], needs: Callable[[str], Sequence[str] | None]) -> list[str]:
    """Return stories with those they need before them, else in their order; `needs` is None for no such story.

    A BatonError names one that is not there, or a circle.
    """
    ordered = dict[str, None]()

    def visit(name: str, above: tuple[str, ...]) -> None:
        if name in above:
            what = f"these stories wait for one another: {' → '.join((*above[above.index(name) :], name))}"
            raise BatonError(what, f"story {name}", "take one out of the `depends_on:` of its story.md")
        needed = None if name in ordered else needs(name)
        if needed is None and name not in ordered:
            where = f"story {above[-1]}" if above else "the stories"
            remedy = "correct `depends_on:` in its story.md, or make that story first: `baton status` lists all"
            raise BatonError(f"no story {name}, which it depends on", where, remedy)
        for need in needed or ():
            visit(need, (*above, name))
        ordered[name] = None

    for story_id in ids:
        visit(story_id, ())
    return list(ordered)


def _needs(project: Project, name: str) -> Sequence[str] | None:
    known = find_known(project, name)
    return None if known is None else () if known.over else known.depends_on


def unfinished_dependencies(project: Project, story: Story) -> list[str]:
    """Return a line on each story that this one depends on and that is not over, with its status."""
    known = {name: find_known(project, name) for name in story.depends_on}
    return [
        f"story {story.id} depends on {name}, which is not over ({other.status}): what that changes may be missing"
        for name, other in known.items()
        if other and not other.over
    ]


def find_known(project: Project, story_id: str) -> KnownStory | None:
    """Return a story that was begun here, or is known by its spec or its branch, as in a fresh clone."""
    states, faults = read_stories(project, [story_id])
    if faults:
        return KnownStory(story_id, (), "damaged")
    if states:
        return KnownStory(story_id, read_own(project, states[0]).depends_on, _status_of(project, states[0]))
    if text := _spec(project, story_id):
        try:
            story = read_story(text)
        except YamlFault:
            return KnownStory(story_id, (), "new")
        return KnownStory(story_id, story.depends_on, "complete" if story.status == "complete" else "new")
    return KnownStory(story_id, (), "begun elsewhere") if find_story_branch(Git(project), story_id) else None


def _spec(project: Project, story_id: str) -> str:
    """Return the story.md that base, else the checkout, has of a story; empty for none."""
    git = Git(project)
    base, config = read_settings(git, "")
    folder, files = committed_story(git, git.branch_commit(base), config.dir, story_id) if base else ("", {})
    if folder:
        return decode(files[ARTIFACTS["story"]], folder)
    paths = sorted((project.root / config.dir).glob(f"{glob.escape(story_id)}_*/{ARTIFACTS['story']}"))
    return read_document(paths[0]) if len(paths) == 1 else ""


def committed_story(git: Git, commit: str, stories: str, story_id: str) -> tuple[str, dict[str, bytes]]:
    """Return the folder that a commit has of a story, and its files; nothing for none with a story.md, or two."""
    folders = [name for name in folders_in(git, commit, stories) if name.startswith(f"{stories}/{story_id}_")]
    files = files_in(git, commit, folders[0]) if len(folders) == 1 else {}
    return (folders[0], files) if ARTIFACTS["story"] in files else ("", {})


def read_own(project: Project, state: State) -> Story:
    """Read the file of a story that was begun; a BatonError when it is gone or unreadable."""
    path = project.copy_of(state.created.folder, state.created.story).artifact("story")
    try:
        return read_story(read_document(path))
    except YamlFault as fault:
        raise BatonError(f"unreadable front matter ({fault})", str(path), "fix it, then call again") from fault


def _status_of(project: Project, state: State) -> str:
    """Return a story's status; `undone` for one whose merge was reverted and not brought back."""
    return "undone" if state.undone and not brought_back(Git(project), *state.undone) else state.status


def with_dependencies(project: Project, stories: Iterable[KnownStory]) -> list[KnownStory]:
    """Return stories with those they depend on and that are not among them, as in a fresh clone."""
    by_id = {story.id: story for story in stories}
    named = [name for story in by_id.values() for name in story.depends_on]
    while named:
        name = named.pop()
        if name not in by_id and (known := find_known(project, name)):
            by_id[name] = known
            named += () if known.over else known.depends_on
    return list(by_id.values())


def order_of(stories: Sequence[KnownStory]) -> list[str]:
    """Return stories with those they depend on before them, else in the order given.

    A BatonError names a story that is not among them, or a circle; what is over waits for nothing.
    """
    needs = {story.id: () if story.over else story.depends_on for story in stories}
    return order_stories([story.id for story in stories], needs.get)


def why_held(story: KnownStory, others: Sequence[KnownStory], *, exclusive: bool, together: bool) -> str:
    """Say which story this one waits for and why; nothing when it may go on.

    `others` are all stories there are, in their order, with or without `story`. It is to be asked before each run
    of a story, with all that were let go on before as `running`; of two that both run the first goes on.
    """
    return _dependency(story, others) or _clash(story, _before(story, others), exclusive, together)


def _dependency(story: KnownStory, others: Sequence[KnownStory]) -> str:
    known = {other.id: other for other in others}
    for name in story.depends_on:
        other = known.get(name)
        if other is None:
            return f"waits for {name}, which it depends on and which is not among the stories"
        if not other.over:
            how = STUCK.get(other.status, other.status and f"is {other.status}").format(id=name)
            return f"waits for {name}, which it depends on" + (f" and which {how}" if how else "")
    return ""


def _before(story: KnownStory, others: Sequence[KnownStory]) -> list[KnownStory]:
    """Return the stories that change code now; for one that runs itself, those of them that come before it."""
    among = any(other.id == story.id for other in others)
    ordered = others if among else sorted((*others, story), key=lambda known: natural_sort_key(known.id))
    ids = [other.id for other in ordered]
    first = ordered[: ids.index(story.id)] if story.running else ordered
    return [other for other in first if other.running and other.changing and other.id != story.id]


def _clash(story: KnownStory, running: Sequence[KnownStory], exclusive: bool, together: bool) -> str:
    """Say why a story cannot change code beside those that run; nothing where it can, or changes none yet."""
    if not story.changing or story.over:
        return ""
    if exclusive and running:
        return ALONE.format(id=running[0].id)
    shared = [(other.id, find_shared(story.claims or (), other.claims or ())) for other in running]
    clash = next(((name, path) for name, path in shared if path and not together), None)
    return f"waits for {clash[0]}: both change {clash[1]}" if clash else ""
