"""Another tool's files that a story was made of: they stay, but for the state they are told at the end."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from baton.artifacts.claims import is_below
from baton.artifacts.document import decode
from baton.artifacts.story_file import Story
from baton.errors import BatonError
from baton.git.objects import with_files
from baton.layouts.layout import Index, SpecLayout, path_pattern, read_layouts
from baton.layouts.write_status import write_status
from baton.story.session import StorySession


class StatusFile(NamedTuple):
    """A file in which another tool keeps the states of its stories."""

    layout: SpecLayout
    listing: Index
    root: str

    def holds(self, name: str) -> bool:
        """Whether a path is that of this file."""
        inside = f"{self.root}/"
        pattern = path_pattern(self.listing.file, self.layout.id)
        return name.startswith(inside) and bool(pattern.fullmatch(name.removeprefix(inside)))


def their_files(story: StorySession) -> Callable[[str], bool]:
    """Return what says whether a path is another tool's: in a folder of the layout the story was made of."""
    known = story.story()
    if not known.layout:
        return lambda _: False
    roots = [root for one in read_layouts(story.config.layouts) if one.name == known.layout for root in one.roots]
    folders = [known.source.partition("#")[0], *known.inputs, *roots]
    return lambda name: any(is_below(name, one) for one in folders)


def _status_files(story: StorySession, known: Story) -> Iterator[StatusFile]:
    for layout in read_layouts(story.config.layouts):
        if layout.name == known.layout:
            yield from (StatusFile(layout, index, root) for root in layout.roots for index in layout.indexes)


def with_their_status(story: StorySession, tree: str) -> str:
    """Return a tree whose files of the other tool say that the story is complete, if the user wants that."""
    known, git = story.story(), story.git
    if not known.write_back:
        return tree
    names = git.do("ls-tree", "-r", "-z", "--name-only", tree, "--").split("\0")
    for one in _status_files(story, known):
        for name in filter(one.holds, names):
            data = git.blob(tree, name) or b""
            text = decode(data, name)
            changed = write_status(one.layout, one.listing, name, text, _their_id(known), _values(story))
            if changed != text:
                tree = with_files(git, tree, {name: changed.encode()})
    return tree


def _their_id(known: Story) -> str:
    return known.source.partition("#")[2] or known.their_id or known.id


def _values(story: StorySession) -> dict[str, str]:
    """Return the time of the story's last commit, the same in every call, and the story's session."""
    said = story.git.do("log", "-1", "--format=%ct", story.tip).strip()
    try:
        time = datetime.fromtimestamp(int(said), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except ValueError as fault:
        raise BatonError(f"git says no time of {story.tip} ({said})", f"story {story.id}", "call again") from fault
    return {"time": time, "session": story.state.created.session}
