"""Trees, merges and commits as git keeps them: made and read without a work tree, a hook or a file."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from baton.errors import BatonError
from baton.git.command import Git
from baton.git.git_refusals import FETCH_LOST, GitRefused, refusal_of
from baton.git.object_store import FILE, FOLDER, Entry, Object, entries_of
from baton.git.sign import sign_commit
from baton.sanitize import SWITCHES, broken

# Who made what is only looked at, and when, is a part of it.
MAKER = "baton <baton@localhost> 0 +0000"


class Merged(NamedTuple):
    """The result of a merge: the tree it leaves, with conflict markers, and the paths that conflict."""

    tree: str
    conflicts: list[str]


def merge_trees(git: Git, ours: str, theirs: str) -> Merged:
    """Merge two commits by their common ancestor, renames followed, without touching anything."""
    tried = git.ask("merge-tree", "--write-tree", "--name-only", "--messages", "-z", ours, theirs)
    listed, _, messages = tried.out.partition("\0\0")
    tree, *names = listed.rstrip("\0").split("\0")
    # Of a name that leads nowhere, or an object that is gone, git says so by the exit code of a conflict; of the
    # latter it names conflicts beside it (git 2.39.5). What conflicts is on the other stream.
    if not tree or re.search(r"(?m)^(?:error|fatal): ", tried.err):
        raise refusal_of("merge-tree", tried, git.project.root)
    return Merged(tree, (names or _in_messages(messages)) if tried.code else [])


def _in_messages(messages: str) -> list[str]:
    """Return the paths of conflicts that leave no file in conflict, as of a folder that was renamed in two."""
    fields, conflicts = messages.split("\0"), list[str]()
    while len(fields) > 1:
        count = int(fields[0])
        paths, kind, fields = fields[1 : count + 1], fields[count + 1], fields[count + 3 :]
        conflicts += paths if kind.startswith("CONFLICT") else []
    return conflicts


def tree_of(git: Git, commit: str) -> str:
    """Return the tree of a commit or a tree."""
    name = f"{commit}^{{tree}}"
    tree = git.store.find(name)
    return tree.id if tree else git.do("rev-parse", "--verify", "--end-of-options", name).strip()


def parents_of(git: Git, commit: str) -> list[str]:
    """Return the parents of a commit, in order."""
    head = read_object(git, f"{commit}^{{commit}}").content.partition(b"\n\n")[0].decode(errors="replace")
    return [line.removeprefix("parent ") for line in head.split("\n") if line.startswith("parent ")]


def commit_message(git: Git, commit: str) -> str:
    """Return the message of a commit."""
    return (
        read_object(git, f"{commit}^{{commit}}").content.partition(b"\n\n")[2].decode(errors="replace").strip("\n")
    )


def files_in(git: Git, commit: str, folder: str) -> dict[str, bytes]:
    """Return the plain files a commit has below a folder, by their path inside it."""
    tree = git.store.read(f"{commit}:{folder}")
    if tree is None or tree.kind != "tree":
        return {}
    return dict(_files_below(git, tree, ""))


def _files_below(git: Git, tree: Object, above: str) -> Iterator[tuple[str, bytes]]:
    for entry in entries_of(tree):
        if entry.mode == FOLDER:
            yield from _files_below(git, read_object(git, entry.id), f"{above}{entry.name}/")
        elif entry.mode.startswith("100"):
            yield f"{above}{entry.name}", read_object(git, entry.id).content


def read_object(git: Git, name: str) -> Object:
    """Return an object by its name; a BatonError says why git cannot read it."""
    if stored := git.store.read(name):
        return stored
    reason = git.ask("cat-file", "-p", name, no=range(1, 256)).said
    raise GitRefused(f"git cannot read what it keeps ({name}: {reason})", str(git.project.root), FETCH_LOST)


def empty_tree(git: Git) -> str:
    """Return the tree that holds nothing."""
    return git.do("hash-object", "-t", "tree", "-w", "--stdin").strip()


def with_files(git: Git, tree: str, files: Mapping[str, bytes]) -> str:
    """Return the tree in which these files, given by their path, hold this; all others stay."""
    top = tree_of(git, tree)
    return _laid(git, top, dict(zip(files, _blobs(git, [*files.values()]), strict=True))) if files else top


def _laid(git: Git, tree: str, blobs: Mapping[str, str]) -> str:
    """Return a tree, empty for a new one, in which files are these blobs, by their path in it."""
    entries = {entry.name: entry for entry in entries_of(read_object(git, tree))} if tree else {}
    below = dict[str, dict[str, str]]()
    for path, blob in blobs.items():
        name, slash, rest = path.partition("/")
        if slash:
            below.setdefault(name, {})[rest] = blob
        else:
            before = entries.get(name)
            stays = before and before.mode.startswith("100")
            entries[name] = Entry(before.mode if before and stays else FILE, name, blob)
    for name, inner in below.items():
        before = entries.get(name)
        if before and before.mode != FOLDER:
            raise GitRefused("a file, a link or a submodule where a folder should be", name, "put the folder back")
        entries[name] = Entry(FOLDER, name, _laid(git, before.id if before else "", inner))
    return write_tree(git, entries.values())


def with_folder(git: Git, tree: str, folder: str, inner: str) -> str:
    """Return a tree in which a folder is another tree, or gone; empty where nothing is left in it."""
    entries = {entry.name: entry for entry in entries_of(read_object(git, tree))} if tree else {}
    name, _, rest = folder.partition("/")
    before = entries.pop(name, None)
    if rest:
        inner = with_folder(git, before.id if before and before.mode == FOLDER else "", rest, inner)
    if inner:
        entries[name] = Entry(FOLDER, name, inner)
    return write_tree(git, entries.values())


def write_tree(git: Git, entries: Iterable[Entry]) -> str:
    """Make a tree of entries; empty for none, as git keeps no such folder."""
    try:
        return git.store.make_tree(entries)
    except OSError as error:
        git.store.close()
        remedy = "check that the disk has room, and what `git fsck` says"
        raise GitRefused("git cannot make a tree", str(git.project.root), remedy) from error


def _blobs(git: Git, contents: list[bytes]) -> list[str]:
    """Keep contents as they are in git, by one git; returns the blobs."""
    if not contents:
        return []
    with scratch_folder() as scratch:
        paths = [scratch / str(number) for number in range(len(contents))]
        for path, data in zip(paths, contents, strict=True):
            path.write_bytes(data)
        asked = "".join(f"{path}\n" for path in paths).encode(errors="surrogateescape")
        return git.do("hash-object", "-w", "--no-filters", "--stdin-paths", stdin=asked).split()


def commit_tree(git: Git, tree: str, parents: list[str], message: str, own: bool = False) -> str:
    """Make a commit of a tree, signed where the user signs their commits; no branch moves, no hook runs.

    One of the program's `own` is never signed: it reaches no branch. No other switches off the CI it is pushed to.
    """
    text = message if own else broken(message, SWITCHES)
    signs = not own and git.ask("config", "--type=bool", "--get", "commit.gpgsign").out.strip() == "true"
    words = ["-F", "-", *(word for parent in dict.fromkeys(parents) for word in ("-p", parent)), tree]
    if not signs:
        return git.do("commit-tree", *words, stdin=text.encode()).strip()
    return sign_commit(git, words, text.encode())


def commit_to_look_at(git: Git, tree: str, parents: list[str], message: str = "made by baton to look at") -> str:
    """Return a commit of a tree that is only looked at: the same one at every call, unsigned, on no branch."""
    lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents), f"author {MAKER}", f"committer {MAKER}"]
    text = "\n".join([*lines, "", message, ""])
    data = text.encode(errors="surrogateescape")
    return git.do("hash-object", "-t", "commit", "-w", "--stdin", stdin=data).strip()


def keep_commit(git: Git, ref: str, tree: str, parents: list[str], message: str) -> str:
    """Make a commit of the program's own of a tree, and point one of its refs at it; returns the commit."""
    commit = commit_tree(git, tree, parents, message, own=True)
    set_ref(git, ref, commit)
    return commit


def set_ref(git: Git, ref: str, commit: str) -> None:
    """Point one of the program's own refs at a commit, so that git keeps it."""
    git.do("update-ref", "--no-deref", "-m", "baton", ref, commit)


def set_refs(git: Git, commits: Mapping[str, str]) -> None:
    """Point the program's own refs at commits, or delete those that are to have none, all at once."""
    lines = [f"update {ref} {commit}\n" if commit else f"delete {ref}\n" for ref, commit in commits.items()]
    if lines:
        git.do("update-ref", "--no-deref", "-m", "baton", "--stdin", stdin="".join(lines).encode())


def drop_refs(git: Git, *prefixes: str) -> None:
    """Delete the program's own refs below some prefixes."""
    set_refs(git, dict.fromkeys(git.refs("%(refname)", *(f"{prefix}/" for prefix in prefixes)), ""))


@contextmanager
def scratch_index() -> Iterator[Path]:
    """Return the path of an index that is thrown away."""
    with scratch_folder() as folder:
        yield folder / "index"


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Return a folder that is removed again."""
    from tempfile import TemporaryDirectory, gettempdir  # it loads slowly, and few calls make an index

    try:
        folder = TemporaryDirectory(prefix="baton-index-", ignore_cleanup_errors=True)
    except OSError as error:
        remedy = f"{error.strerror}; set TMPDIR to a folder that can be written to"
        raise BatonError("cannot make a temporary folder", gettempdir(), remedy) from error
    with folder as name:
        yield Path(name)
