"""Where a story's source is: a path, or what known places keep under an id."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from baton.artifacts.document import read_document
from baton.artifacts.file_name import is_nameable, name_fault, quote_name
from baton.artifacts.findings import writable_name
from baton.artifacts.story_file import source_name
from baton.errors import BatonError
from baton.git.command import Git
from baton.journal.paths import Project
from baton.text import clip, one_line, plural

# Where tools keep specs, from the root; `sources:` in .baton.yaml adds more.
PLACES = (
    "specs", ".kiro/specs", "openspec/changes", "backlog", "docs/stories", "_bmad-output", ".taskmaster", ".gaai",
    ".planning", ".agent-os/specs",
)  # fmt: skip
MOST_FILES, MOST_ENTRIES, LONGEST_PART = 40, 20_000, 60
WORD = re.compile(r"[^\W_]+")
# Names and titles that say nothing of what a document is about.
GENERIC = {
    "requirements", "requirement", "spec", "specification", "tasks", "story", "plan", "proposal", "design",
    "readme", "index", "prd", "feature", "todo",
}  # fmt: skip
WRITE_BACK = (
    "The files of the tool this story is from (`{path}`) say that it is done, in the form in which they say so of "
    "others; nothing else in them is changed."
)
NO_FIELDS: Mapping[str, object] = {}


class StorySource(NamedTuple):
    """What a story is made of: what it is known by, and its text, or the files that hold it.

    `name` is a path and the words that say which part of it is meant, an issue as story.md names it, or `stdin`.
    `files` are named from the root; `home` is the folder they lie in. `origin` has the fields by which an
    abandoned story named the files it was made of.
    """

    name: str | dict[str, object]
    text: str = ""
    files: tuple[str, ...] = ()
    home: str = ""
    part: str = ""
    title: str = ""
    write_back: bool = False
    origin: Mapping[str, object] = NO_FIELDS

    @property
    def where(self) -> str:
        return source_name(self.name)


def file_source(project: Project, path: Path, part: str, write_back: bool) -> StorySource:
    """Return a file or a folder as a source; a BatonError for none, and for a folder that holds too much.

    A file from outside the project is its text alone.
    """
    if not os.path.lexists(path):
        remedy = "give the path of a spec; the words of a new story come on stdin: `baton story new --from -`"
        raise BatonError("no such file", str(path), remedy)
    relative = path_inside(project, path)
    if not relative and os.path.isdir(path):
        raise BatonError("this folder is not a spec", str(path), "name a file, or a folder of this project")
    if not relative:
        return StorySource(path.name, _read(path), title=path.stem)
    name = source_key(relative, part)
    if not os.path.isdir(path):
        place = Path(relative)
        names = (place.stem, place.parent.name, place.name)
        named = next((candidate for candidate in names if candidate and not is_generic(candidate)), place.name)
        title = f"{clip(part, LONGEST_PART)} of {place.name}" if part else _words(named)
        files: tuple[str, ...] = (relative,) if is_nameable(relative) else ()  # else its text is copied
        return StorySource(name, _read(path), files, str(place.parent), part, title, write_back)
    files = tuple(_texts_below(project, path))
    if not 0 < len(files) <= MOST_FILES:
        held = f"{len(files)} files with text" if files else "no file with text in it"
        raise BatonError(f"{held} in this folder", str(path), f"name one file, or a folder of up to {MOST_FILES}")
    texts = [_read(project.root / file) for file in files]  # what cannot be read is told before a story is made
    text, title = texts[0] if len(texts) == 1 else "", _words(Path(relative).name)
    return StorySource(name, text, files, relative, part, title, write_back)


def write_back_criterion(path: str) -> str:
    """Return the criterion that the files a story was made of say at its end that it is done."""
    return WRITE_BACK.format(path=path)


def path_inside(project: Project, path: Path) -> str:
    """Return a path from the project's root; empty for what is outside of it, and for the root."""
    real, root = Path(os.path.realpath(path)), Path(os.path.realpath(project.root))
    name = real.relative_to(root).as_posix() if real.is_relative_to(root) else ""
    return "" if name == "." else name


def source_key(relative: str, part: str) -> str:
    """Return the name in story.md of the path it was made of, with the words that say which part."""
    return writable_name(f"{relative} {part}" if part else relative)


def is_generic(title: str) -> bool:
    """Whether a name or a title says nothing of what a document is about."""
    return title.casefold().removesuffix(" document").strip() in GENERIC


def find_by_id(project: Project, name: str, more: Sequence[str] = ()) -> list[str]:
    """Return the paths from the root, in the places where specs are, that have an id: folders, else files.

    An id is whole words of a name; case, zeros before a number, and separators do not count.
    """
    wanted, matches = [] if "/" in name else _id_words(name), dict[str, None]()
    for path in islice(_entries(project, more), MOST_ENTRIES) if wanted else ():
        parts = Path(path).parts
        held = next((at for at, part in enumerate(parts, 1) if _holds(_id_words(part), wanted)), 0)
        if held:
            matches["/".join(parts[:held])] = None
    return list(matches)


def describe_places(project: Project, more: Sequence[str] = ()) -> list[str]:
    """Return a line for each place that has something a story could be made of."""
    places = dict.fromkeys((*PLACES, *more), 0)
    for path in islice(_entries(project, more), MOST_ENTRIES):
        place = next(root for root in places if path.startswith(f"{root}/"))
        places[place] += path.count("/") == place.count("/") + 1
    return [
        f"{place}/ has {plural(count, 'spec')}: `/implement PATH`, or an id"
        for place, count in places.items()
        if count
    ]


def _entries(project: Project, more: Sequence[str]) -> Iterator[str]:
    """Return the files and folders below the places, from the root, without the folders of stories."""
    for place in (*PLACES, *more):
        for folder, names, files in os.walk(project.root / place):
            parent = Path(folder)
            names[:] = sorted(
                name for name in names if name != ".git" and not (parent / name / "story.md").exists()
            )
            yield from ((parent / name).relative_to(project.root).as_posix() for name in (*names, *sorted(files)))


def _id_words(name: str) -> list[str]:
    return [word.lstrip("0") or "0" if word.isdecimal() else word for word in WORD.findall(name.casefold())]


def _holds(words: list[str], wanted: list[str]) -> bool:
    return any(words[at : at + len(wanted)] == wanted for at in range(len(words) - len(wanted) + 1))


def _texts_below(project: Project, folder: Path) -> Iterator[str]:
    """Return the files with text in a folder, from the root; a BatonError for a name no brief could hold."""
    paths = sorted(Path(os.path.realpath(folder)).rglob("*"))
    plain = [path for path in paths if path.is_file() and not path.is_symlink() and ".git" not in path.parts]
    names = {path_inside(project, path): path for path in plain}
    ignored = _ignored(Git(project), path_inside(project, folder), list(names))
    for name in (name for name in names if name not in ignored):
        with names[name].open("rb") as file:
            begin = file.read(8_000)
        if b"\0" in begin and not begin.startswith((b"\xff\xfe", b"\xfe\xff")):
            continue
        if not is_nameable(name):
            why = name_fault(name) or "with a character that no line of text can show"
            remedy = "rename it, or name one file, or another folder"
            raise BatonError(f"a name that cannot be given to an agent ({why})", quote_name(name), remedy)
        yield name


def _ignored(git: Git, folder: str, names: list[str]) -> set[str]:
    """Return the files of a folder that git ignores; none where it ignores the folder itself.

    A BatonError where git cannot say, as of a submodule's: what it may ignore is not read.
    """
    if git.ignored_by(folder):
        return set()
    given = b"\0".join(map(os.fsencode, names))
    return {*git.ask("check-ignore", "-z", "--stdin", literal=False, stdin=given).out.split("\0")}


def _read(path: Path) -> str:
    try:
        return read_document(path)
    except BatonError as fault:
        remedy = "save it as UTF-8, in a plain file of up to 1 MB; or name another file"
        raise BatonError(fault.what, fault.where, remedy) from fault


def _words(name: str) -> str:
    return one_line(name.replace("-", " ").replace("_", " ")) or name
