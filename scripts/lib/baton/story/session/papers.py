"""A story's papers (plan, reports, summaries): kept by baton, put on the branch, laid into the trees of runs."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from baton.git.git_refusals import GitRefused
from baton.git.history import kind_in
from baton.git.objects import files_in
from baton.git.paper_trees import with_papers
from baton.journal.atomic_file import TEMPORARY, remove_temporary_files, write_durably
from baton.journal.events import HandedIn
from baton.journal.paths import Folder
from baton.story.session.session import StorySession


def all_files(folder: Folder) -> dict[str, bytes]:
    """Return the files of a story's folder, by their path inside it; none where a link leads elsewhere."""
    files: dict[str, bytes] = {}
    if _leads_elsewhere(folder):
        return files
    for path in sorted(folder.path.rglob("*")):
        if path.is_file() and not path.is_symlink() and not TEMPORARY.fullmatch(path.name):
            files[path.relative_to(folder.path).as_posix()] = path.read_bytes()
    return files


def _leads_elsewhere(folder: Folder) -> bool:
    return folder.path.resolve() != folder.root.resolve() / folder.relative


def papers_in(folder: Folder) -> dict[str, bytes]:
    """Return a story's papers as they lie in its folder, by their path inside it."""
    files = all_files(folder).items()
    return {name: data for name, data in files if folder.papers.has(f"{folder.relative}/{name}")}


def _laid(story: StorySession) -> dict[str, bytes]:
    """Return the files of the story's folder to lay into a run's tree."""
    return all_files(story.folder) if story.settings().config.artifacts == "local" else papers_in(story.folder)


def tree_with_papers(story: StorySession, tree: str) -> str:
    """Return a tree with the story's papers as they are now; where they stay out of git, the tree as it is."""
    if story.settings().config.artifacts == "local":
        return tree
    return with_papers(story.git, tree, story.folder.papers, papers_in(story.folder))


def take_from(story: StorySession, before: str, commit: str) -> None:
    """Take over the papers that differ between two commits; `text_of` keeps to what a run handed in."""
    papers = story.folder.papers
    if kind_in(story.git, before, papers.folder) == "folder" != kind_in(story.git, commit, papers.folder):
        what = f"{story.branch} has something else at {papers.folder}, where the story's folder should be"
        raise GitRefused(what, commit[:12], "put the folder back on that branch")
    old, new = (files_in(story.git, revision, papers.folder) for revision in (before, commit))
    for name in sorted(name for name in old.keys() | new.keys() if papers.has(f"{papers.folder}/{name}")):
        path = story.folder.path / name
        if name not in new:
            path.unlink(missing_ok=True)
        elif new[name] != old.get(name):
            write_durably(path, new[name], story.project.common)


def put_papers(story: StorySession, root: Path) -> None:
    """Lay the story's papers into a run's tree, as they are now."""
    folder, wanted = Folder(root, story.folder.relative, story.id), _laid(story)
    for name in papers_in(folder).keys() - wanted.keys():
        (folder.path / name).unlink()
    for name, data in wanted.items():
        path = folder.path / name
        if not path.exists() or path.read_bytes() != data:
            write_durably(path, data, root)


def remove_papers(story: StorySession, root: Path, committed: Mapping[str, bytes]) -> None:
    """Put the papers in a run's tree back to what was committed; what else lies in the folder stays."""
    folder, laid = Folder(root, story.folder.relative, story.id), _laid(story)
    taken = {event.sha256 for event in story.state.events if isinstance(event, HandedIn)}
    if _leads_elsewhere(folder) or not folder.path.is_dir():
        return  # the tree stays, as changed
    for path in (folder.path, *folder.path.rglob("*/")):  # a call that was cut short left some
        remove_temporary_files(path, root)
    for name, data in all_files(folder).items():
        if name not in committed and (name in laid or hashlib.sha256(data).hexdigest() in taken):
            (folder.path / name).unlink()
    for name, data in committed.items():
        if folder.papers.has(f"{folder.relative}/{name}"):
            write_durably(folder.path / name, data, root)
