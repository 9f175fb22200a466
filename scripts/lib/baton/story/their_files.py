"""Another tool's files that a story was made of: they stay, but for the state they are told at the end."""

from codecs import BOM_UTF8
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import NamedTuple

from baton.artifacts.claims import is_below
from baton.artifacts.document import decode
from baton.artifacts.findings import shown
from baton.artifacts.story_file import Story
from baton.errors import BatonError
from baton.git.command import Git
from baton.git.objects import with_files
from baton.layouts.layout import Index, SpecLayout, path_pattern, read_layouts
from baton.layouts.write_status import states_in, write_status
from baton.story.session import StorySession
from baton.text import clip, one_line

LONGEST = 160


class StatusFile(NamedTuple):
    """A file in which another tool keeps the states of its stories, by its path and its mode in a tree."""

    layout: SpecLayout
    listing: Index
    path: str
    mode: str


def their_files(story: StorySession) -> Callable[[str], bool]:
    """Return what says whether a path is another tool's: in a folder of the layout the story was made of."""
    known = story.story()
    if not known.layout:
        return lambda _: False
    roots = [root for one in read_layouts(story.config.layouts) if one.name == known.layout for root in one.roots]
    folders = [known.source.removesuffix(f"#{_their_id(known)}"), *known.inputs, *roots]
    return lambda name: any(is_below(name, one) for one in folders)


def with_their_status(story: StorySession, tree: str) -> str:
    """Return a tree whose files of the other tool say that the story is complete, if the user wants that.

    What cannot be written stays as it is, and `not_written_back` says so: no merge is ever held up by it.
    """
    known, git = story.story(), story.git
    for one in _status_files(story, tree):
        with suppress(BatonError):
            mark, text = _read(git, tree, one)
            changed = write_status(one.layout, one.listing, one.path, text, _their_id(known), _values(story))
            if changed != text:
                tree = with_files(git, tree, {one.path: mark + changed.encode()})
    return tree


def not_written_back(story: StorySession, tree: str) -> list[str]:
    """Return which files of the other tool in a tree do not say that the story is complete, if they are to."""
    known, told, is_listed = story.story(), list[str](), False
    their_id = _their_id(known)
    for one in _status_files(story, tree):
        try:
            text = _read(story.git, tree, one)[1]
            entries = states_in(one.layout, one.listing, one.path, text)
        except BatonError as fault:
            told.append(f"`{shown(one.path)}` was not written back to: {fault.what}")
            continue
        states = [entry.status for name, entry in entries if name == their_id]
        is_listed = is_listed or bool(states)
        left = [state or "nothing" for state in states if state not in one.layout.over]
        told += [f"`{shown(one.path)}` still says {state} of {their_id}: set it there yourself" for state in left]
    if known.write_back and not (told or is_listed):
        told.append(f"no file of {known.layout} lists {their_id}: nothing was written back")
    return [clip(one_line(one), LONGEST) for one in told]


def _status_files(story: StorySession, tree: str) -> list[StatusFile]:
    """Return the files of a tree that the story's state is to be written to; none if nobody asked for that."""
    known = story.story()
    if not known.write_back:
        return []
    listed = [one.partition("\t") for one in story.git.do("ls-tree", "-r", "-z", tree, "--").split("\0")]
    return [
        StatusFile(layout, index, path, head[:6])
        for layout in read_layouts(story.config.layouts) if layout.name == known.layout
        for root in layout.roots for index in layout.indexes if index.write
        for head, _, path in listed if _is_index(layout, index, root, path)
    ]  # fmt: skip


def _is_index(layout: SpecLayout, index: Index, root: str, path: str) -> bool:
    pattern = path_pattern(index.file, layout.id)
    return path.startswith(f"{root}/") and bool(pattern.fullmatch(path.removeprefix(f"{root}/")))


def _read(git: Git, tree: str, one: StatusFile) -> tuple[bytes, str]:
    """Return a file's byte order mark, if it has one, and its text with the line ends it has."""
    if not one.mode.startswith("100"):
        raise BatonError("not a plain file", one.path, "write it there")
    data = git.blob(tree, one.path) or b""
    decode(data, one.path)
    text = data.removeprefix(BOM_UTF8)
    return data[: len(data) - len(text)], text.decode()


def _their_id(known: Story) -> str:
    return known.their_id or known.id


def _values(story: StorySession) -> dict[str, str]:
    """Return the time of the story's last commit, the same in every call, and the story's session."""
    said = story.git.do("log", "-1", "--format=%ct", story.tip).strip()
    try:
        time = datetime.fromtimestamp(int(said), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except ValueError as fault:
        raise BatonError(f"git says no time of {story.tip} ({said})", f"story {story.id}", "call again") from fault
    return {"time": time, "session": story.state.created.session}
