"""Find what lies in a run's tree and is not committed: another's files, and what set-up and tools make."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from baton.artifacts.claims import is_below
from baton.artifacts.findings import writable_name
from baton.checks.cleanup import learned_paths
from baton.git.command import Git
from baton.git.commits import changed_files, reset_to
from baton.git.submodules import edited_in
from baton.git.worktrees import content_of, is_cache
from baton.journal.run import WRITTEN, Run
from baton.story.session.session import StorySession
from baton.story.session.story_files import read_spec

# Of a file that is not text, this much is looked at; a file that is larger than the limit is no source.
LOOKED_AT = 8000
LARGEST = 5_000_000
# How a program, an object file or an archive of them begins.
PROGRAMS = (
    b"\x7fELF", b"MZ\x90", b"!<arch>",
    b"\xfe\xed\xfa\xce", b"\xfe\xed\xfa\xcf", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe",
)  # fmt: skip


class Left(NamedTuple):
    """Each path that must stay out of a commit, and the folders and files to name, with why.

    `among` is all that differs from the commit the run began from, or is new.
    """

    names: frozenset[str]
    told: list[str]
    among: list[str]


def left_out(story: StorySession, run: Run, git: Git, index: Path | None = None) -> Left:
    """Find what lies in a run's tree and is not its work: what was there, what setup and tools make, programs."""
    tracked = reset_to(git, run.dispatched.head, index)
    known = learned_paths(story.project, story.id)
    foreign: Mapping[str, str] = run.begun.foreign if run.begun else {}
    root, folder = git.project.root, story.folder
    is_local = story.settings().config.artifacts == "local"
    theirs = _of_others(story)
    names, reasons = set[str](), dict[str, str]()
    for name in (among := changed_files(git, index)):
        path = name.rstrip("/")
        is_learned = name not in tracked and any(f"{path}/".startswith(f"{prefix}/") for prefix in known)
        if f"{folder.relative}/".startswith(f"{path}/"):  # in place of the story's folder, or of one above it
            names.add(name)
            reasons.setdefault(name, "the story's folder belongs there, which stays as it was")
        own = folder.papers.has(name) or (is_local and (folder.root / name).is_file())
        if own or is_learned or is_as_found(root, path, foreign):
            names.add(name)
        elif name in tracked and not run.dispatched.merging and any(is_below(name, source) for source in theirs):
            names.add(name)
            reasons.setdefault(f"{name.rpartition('/')[0]}/", "what the story was made of, which stays as it is")
        elif name not in tracked and (why := _why_left(root, name)):
            names.add(name)
            reasons.setdefault(_folder_of(name), why)
    for name in edited_in(root):
        reasons.setdefault(name, "changes inside a submodule: they are committed and pushed there")
    return Left(
        frozenset(names), [f"{writable_name(name)} ({why})" for name, why in sorted(reasons.items())], among
    )


def _of_others(story: StorySession) -> list[str]:
    """Return the files the story was made of: no run changes them, but where it is to be written back to."""
    known = read_spec(story)
    roots = [known.origin, *known.sources] if known.source and not known.write_back else []
    return [root for root in roots if not is_below(root, story.folder.relative)]


def is_as_found(root: Path, path: str, foreign: Mapping[str, str]) -> bool:
    """Whether a path is as it was when the run began, or lies in a folder that was there then."""
    if path in foreign:
        return foreign[path] == content_of(root / path)
    return any(f"{path}/".startswith(f"{folder}/") for folder, what in foreign.items() if what == "folder")


def _why_left(root: Path, name: str) -> str:
    """Say why a new path is not committed though the run made it."""
    if name.endswith("/"):
        return "another repository"
    if name.rpartition("/")[2] == WRITTEN:
        return "return metadata is handed in"
    return "an environment or a cache" if is_cache(name) else no_source(root / name)


def no_source(path: Path) -> str:
    """Say why a new path is not committed: too large, a program, no file at all; empty for every other."""
    try:
        if path.is_symlink() or not path.exists():
            return ""
        # The client's sandbox lays devices over the settings it guards; git lists them, and fails to add them.
        if not path.is_file():
            return "not a file"
        if (size := path.stat().st_size) > LARGEST:
            return f"{size // 1_000_000} MB"
        with path.open("rb") as file:
            return "a compiled program" if file.read(LOOKED_AT).startswith(PROGRAMS) else ""
    except OSError as error:
        return f"unreadable ({error.strerror})"


def _folder_of(name: str) -> str:
    """Name the folder that is left out as a whole: up to the part that a tool makes; else the file."""
    parts = name.rstrip("/").split("/")
    at = next((index for index in range(len(parts)) if is_cache(parts[index])), len(parts) - 1)
    return "/".join(parts[: at + 1]) + ("/" if at < len(parts) - 1 else "")
