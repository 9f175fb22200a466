"""The differences between commits, and a story's papers among them: all else is code, which is judged."""

from collections.abc import Iterator, Mapping

from baton.git.command import Git
from baton.git.object_store import FILE, FOLDER, Entry, entries_of
from baton.git.objects import empty_tree, read_object, tree_of, with_files, with_folder, write_tree
from baton.journal.paths import Papers

# What differs between two trees, by its path: as it was, and as it is.
Changes = Mapping[str, tuple[Entry | None, Entry | None]]


def same_code(git: Git, old: str, new: str, papers: Papers) -> bool:
    """Whether two commits or trees differ in nothing but a story's papers, which are plain files."""
    changed = changes_between(git, old, new).items()
    return all(
        papers.has(name) and all(side is None or side.mode == FILE for side in sides) for name, sides in changed
    )


def changes_between(git: Git, old: str, new: str) -> Changes:
    """Return what differs from one commit or tree to another, by its path, as it was and as it is; no renames."""
    return dict(sorted(_differing(git, tree_of(git, old), tree_of(git, new), "")))


def _differing(
    git: Git, old_tree: str, new_tree: str, above: str
) -> Iterator[tuple[str, tuple[Entry | None, Entry | None]]]:
    old, new = (
        {entry.name: entry for entry in entries_of(read_object(git, tree))} if tree else {}
        for tree in (old_tree, new_tree)
    )
    for name in [] if old_tree == new_tree else old.keys() | new.keys():
        both = old.get(name), new.get(name)
        if both[0] != both[1]:
            below = [entry.id if entry and entry.mode == FOLDER else "" for entry in both]
            yield from _differing(git, below[0], below[1], f"{above}{name}/")
            before, after = (None if entry and entry.mode == FOLDER else entry for entry in both)
            if before or after:
                yield f"{above}{name}", (before, after)


def without_papers(git: Git, commit: str, papers: Papers) -> str:
    """Return a commit's tree without a story's papers: what is left is what a judgment on the code is about."""
    top = tree_of(git, commit)
    folder = git.store.find(f"{top}:{papers.folder}") if papers.folder else None
    if folder is None or folder.kind != "tree":
        return top
    left = _without(git, folder.id, f"{papers.folder}/", papers)
    return with_folder(git, top, papers.folder, left) or empty_tree(git)


def _without(git: Git, tree: str, above: str, papers: Papers) -> str:
    entries = []
    for entry in entries_of(read_object(git, tree)):
        name = f"{above}{entry.name}"
        kept = _without(git, entry.id, f"{name}/", papers) if entry.mode == FOLDER else entry.id
        if kept and not papers.has(name):
            entries.append(entry._replace(id=kept))
    return write_tree(git, entries) if entries else ""


def with_papers(git: Git, tree: str, papers: Papers, files: Mapping[str, bytes]) -> str:
    """Return the tree in which a story's papers are exactly these files, given by their path in its folder."""
    return with_files(
        git, without_papers(git, tree, papers), {f"{papers.folder}/{name}": data for name, data in files.items()}
    )
