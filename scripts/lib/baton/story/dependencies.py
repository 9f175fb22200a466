"""What a story waits for: the stories that its story.md names, whether they are there, and how far they are."""

import glob
from collections.abc import Callable, Sequence
from typing import NamedTuple

from baton.artifacts.document import decode, read_document
from baton.artifacts.front_matter import YamlFault
from baton.artifacts.story_file import Story, read_story
from baton.errors import BatonError
from baton.git.command import Git
from baton.git.history import brought_back, find_story_branch
from baton.git.objects import files_in
from baton.journal.paths import ARTIFACTS, Project
from baton.journal.repository import read_stories
from baton.journal.state import State
from baton.project.settings import read_settings


class KnownStory(NamedTuple):
    """A story that another may name: what it depends on itself, and its status."""

    depends_on: tuple[str, ...]
    status: str

    @property
    def over(self) -> bool:
        return self.status == "complete"


def check_dependencies(project: Project, story_id: str, depends_on: Sequence[str]) -> None:
    """Refuse a story that names one that is not there, or one that waits for it."""
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
        for one in needed or ():
            visit(one, (*above, name))
        ordered[name] = None

    for one in ids:
        visit(one, ())
    return list(ordered)


def _needs(project: Project, name: str) -> Sequence[str] | None:
    known = find_known(project, name)
    return None if known is None else () if known.over else known.depends_on


def unfinished_dependencies(project: Project, story: Story) -> list[str]:
    """Say of each story that this one depends on and that is not over how far it is."""
    known = {name: find_known(project, name) for name in story.depends_on}
    return [
        f"story {story.id} depends on {name}, which is not over ({one.status}): what that changes may be missing"
        for name, one in known.items()
        if one and not one.over
    ]


def find_known(project: Project, story_id: str) -> KnownStory | None:
    """Return a story that was begun here, or is known by its spec or its branch, as in a fresh clone."""
    states, faults = read_stories(project, [story_id])
    if faults:
        return KnownStory((), "damaged")
    if states:
        return KnownStory(read_own(project, states[0]).depends_on, status_of(project, states[0]))
    if text := _spec(project, story_id):
        try:
            story = read_story(text)
        except YamlFault:
            return KnownStory((), "new")
        return KnownStory(story.depends_on, "complete" if story.status == "complete" else "new")
    return KnownStory((), "begun elsewhere") if find_story_branch(Git(project), story_id) else None


def _spec(project: Project, story_id: str) -> str:
    """Return the story.md that base, else the checkout, has of a story; nothing for none."""
    git = Git(project)
    base, config = read_settings(git, "")
    names = git.do("ls-tree", "-d", "-z", "--name-only", base, "--", f"{config.dir}/").split("\0") if base else []
    found = [name for name in names if name.startswith(f"{config.dir}/{story_id}_")]
    files = files_in(git, git.branch_commit(base), found[0]) if len(found) == 1 else {}
    if ARTIFACTS["story"] in files:
        return decode(files[ARTIFACTS["story"]], found[0])
    paths = sorted((project.root / config.dir).glob(f"{glob.escape(story_id)}_*/{ARTIFACTS['story']}"))
    return read_document(paths[0]) if len(paths) == 1 else ""


def read_own(project: Project, state: State) -> Story:
    """Read the file of a story that was begun; a BatonError when it is gone or unreadable."""
    path = project.copy_of(state.created.folder, state.created.story).artifact("story")
    try:
        return read_story(read_document(path))
    except YamlFault as fault:
        raise BatonError(f"unreadable front matter ({fault})", str(path), "fix it, then call again") from fault


def status_of(project: Project, state: State) -> str:
    """Return a story's status; `undone` for one whose merge was reverted and not brought back."""
    return "undone" if state.undone and not brought_back(Git(project), *state.undone) else state.status
