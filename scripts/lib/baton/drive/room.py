"""Whether there is room for a story: a folder git will take, and a branch that is nobody else's."""

import os
from collections.abc import Callable
from pathlib import PurePosixPath
from shlex import quote
from typing import NamedTuple

from baton.artefacts.config import NAME
from baton.artefacts.document import read_document
from baton.drive.gate import MADE_BY
from baton.drive.opened import OpenStory
from baton.outside.git import Git
from baton.outside.repository import branches, ignored, kind_on, refusal_to_add, work_trees
from baton.story.places import ARTEFACTS, Folder

WORK_FILES = ("briefs/x", "history/x", ".return-meta.json")


class Part(NamedTuple):
    """One folder of the path to the stories: what is there, in the work tree and on the base branch."""

    name: str
    link: bool
    file: bool
    submodule: bool
    repository: bool


class Use(NamedTuple):
    """What a folder for stories may be instead."""

    holds: Callable[[Part], bool]
    what: str


USES = (
    Use(lambda part: part.submodule, "a submodule"),
    Use(lambda part: part.link, "a symbolic link"),
    Use(lambda part: part.file, "a file"),
    Use(lambda part: part.repository, "another git repository"),
)


def obstacle_in_folder(git: Git, base: str, directory: str) -> tuple[str, str]:
    """Say what keeps stories from living in a folder and how to mend it; two empty strings when nothing does."""
    for part in _parts(git, base, directory):
        use = next((one for one in USES if one.holds(part)), None)
        if use:
            remedy = f"make it a folder of this repository, or name another `dir:` in {NAME}, committed"
            return f"stories are to live in {part.name}, which is {use.what}", remedy
    return "", ""


def _parts(git: Git, base: str, directory: str) -> list[Part]:
    path = PurePosixPath(directory)
    found = []
    for one in [*reversed(path.parents[:-1]), path] if path.parts else []:
        here = git.project.root / one
        kind = kind_on(git, base, str(one)) if base else ""
        there = os.path.lexists(here)
        found.append(
            Part(
                name=str(one),
                link=here.is_symlink() or kind == "link",
                file=(there and not here.is_dir()) or (kind == "file" and not there),
                submodule=kind == "submodule",
                repository=os.path.lexists(here / ".git"),
            )
        )
    return found


def obstacle_in_room(story: OpenStory, adopted: bool = False) -> tuple[str, str]:
    """Say why a story's folder or its branch cannot be used, and how to mend it; two empty strings when they can.

    `adopted` says that a branch of its name is this story's.
    """
    stories = PurePosixPath(story.folder.relative).parent
    looks: tuple[Callable[[], tuple[str, str]], ...] = (
        lambda: obstacle_in_folder(story.git, story.base, str(stories)),
        lambda: _spec_missing(story),
        lambda: obstacle_in_branch(story, adopted),
        lambda: ("", "") if adopted and story.git.branch == story.folder.branch else _spec_elsewhere(story),
        lambda: _outside_git(story) if story.config.artefacts == "commit" else ("", ""),
    )
    return next((found for look in looks if (found := look())[0]), ("", ""))


def _spec_missing(story: OpenStory) -> tuple[str, str]:
    """Say that the story's file is not here, and where it is."""
    git, spec = story.git, story.folder.relative_to_root(story.folder.artefact("story"))
    if os.path.lexists(git.project.root / spec):
        return "", ""
    if git.has(spec):
        directory = quote(str(PurePosixPath(story.folder.relative).parent))
        if git.ask("config", "--bool", "core.sparseCheckout").out.strip() == "true":
            return (
                f"{story.folder.relative} is outside the sparse checkout",
                f"`git sparse-checkout add {directory}`",
            )
        return f"{spec} was deleted here", f"`git restore --staged --worktree -- {quote(spec)}`"
    other = next((one for one in work_trees(git) if os.path.lexists(os.path.join(one, spec))), "")
    if other:
        remedy = f"call from there: `baton --project {quote(other)} next {story.id}`"
        return f"{spec} is in the work tree {other}, and not in this one", remedy
    return f"{spec} is not in this work tree", "check out the branch that has it, or put it back"


def obstacle_in_branch(story: OpenStory, adopted: bool) -> tuple[str, str]:
    """Say which branch is where the story's would be; `adopted`: one of its very name is no obstacle."""
    own = story.folder.branch
    for other in branches(story.git):
        if adopted and other == own:
            continue
        if names_clash(own, other):
            free = f"{other.replace('/', '-')}-before"
            what = f"the branch {other} is where story {story.id}, which has not begun, would make {own}"
            return what, f"rename it: `git branch --move {quote(other)} {quote(free)}`"
    return "", ""


def names_clash(name: str, other: str) -> bool:
    """Whether two branches cannot both be: the same but for case, or one named like a folder of the other.

    Case is let go of everywhere: a clone may come to lie where it makes no difference.
    """
    one, two = name.casefold(), other.casefold()
    return one == two or one.startswith(f"{two}/") or two.startswith(f"{one}/")


def _spec_elsewhere(story: OpenStory) -> tuple[str, str]:
    """Say that the story's file is committed here otherwise than on base, from where the story branch is made."""
    path = story.folder.relative_to_root(story.folder.artefact("story"))
    here, there = story.git.committed_text(story.git.branch, path), story.git.committed_text(story.base, path)
    if here is None or here == there:
        return "", ""
    return f"{path} is not on {story.base} as it is here", f"bring it to {story.base} first, or begin from there"


def _outside_git(story: OpenStory) -> tuple[str, str]:
    """Say why git would not take what is to be committed of a story, or would take what is not."""
    folder, git = story.folder, story.git
    local = f"or set `artefacts: local` in {NAME}, committed"
    kept = [f"{folder.relative}/{name.format(id=folder.story)}" for name in ARTEFACTS.values()]
    lost = ignored(git, [one for one in kept if not one.endswith(ARTEFACTS["return-meta"])])
    if lost:
        path, pattern = lost[0]
        return f"git ignores {path} ({pattern})", f"take that pattern away, {local}"
    spec = folder.relative_to_root(folder.artefact("story"))
    if (git.project.root / spec).exists() and (said := refusal_to_add(git, spec)):
        if "sparse-checkout" in said:
            directory = quote(str(PurePosixPath(folder.relative).parent))
            return f"{folder.relative} is outside the sparse checkout", f"`git sparse-checkout add {directory}`"
        return f"git would not take {spec} ({said})", f"mend that, {local}"
    work = [f"{folder.relative}/{name}" for name in WORK_FILES]
    if _both_foreign(folder) and len(ignored(git, work, tracked_too=True)) < len(work):
        what = f"{folder.relative}/.gitignore would let baton's work files be committed"
        return what, "add these lines to it: `briefs/`, `history/`, `.return-meta.json`"
    return "", ""


def _both_foreign(folder: Folder) -> bool:
    """Whether both places where baton keeps its work files out of git hold a file of the user's."""
    places = [one / ".gitignore" for one in (folder.path.parent, folder.path)]
    return all(one.exists() and not read_document(one).startswith(MADE_BY) for one in places)
