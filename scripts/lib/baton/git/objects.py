"""Trees, merges and commits as git keeps them: made and read without a work tree, a hook or a file."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir, mkdtemp
from typing import NamedTuple

from baton.errors import BatonError
from baton.git.command import Git


class Merged(NamedTuple):
    """What a merge comes to: the tree it leaves, with conflict markers, and the paths that conflict."""

    tree: str
    conflicts: list[str]


def merge_trees(git: Git, ours: str, theirs: str) -> Merged:
    """Merge two commits by their common ancestor, renames followed, without touching anything."""
    tried = git.ask("merge-tree", "--write-tree", "--name-only", "--messages", "-z", ours, theirs)
    listed, _, messages = tried.out.partition("\0\0")
    tree, *names = listed.rstrip("\0").split("\0")
    if not tree:  # git says it cannot merge by the exit code of a conflict
        raise BatonError(f"`git merge-tree` failed ({tried.said})", str(git.project.root), "call again")
    return Merged(tree, (names or _in_messages(messages)) if tried.code else [])


def _in_messages(messages: str) -> list[str]:
    """Return the paths of conflicts that leave no file in conflict, as of a folder that was renamed in two."""
    fields, found = messages.split("\0"), list[str]()
    while len(fields) > 1:
        count = int(fields[0])
        paths, kind, fields = fields[1 : count + 1], fields[count + 1], fields[count + 3 :]
        found += paths if kind.startswith("CONFLICT") else []
    return found


def tree_of(git: Git, commit: str) -> str:
    """Return the tree of a commit."""
    return git.do("rev-parse", "--verify", "--end-of-options", f"{commit}^{{tree}}").strip()


def parents_of(git: Git, commit: str) -> list[str]:
    """Return the parents of a commit, in order."""
    return git.do("rev-parse", f"{commit}^@").split()


def files_in(git: Git, commit: str, folder: str) -> dict[str, bytes]:
    """Return the plain files a commit has below a folder, by their path inside it."""
    blobs = {}
    for entry in git.do("ls-tree", "-r", "-z", "--full-tree", commit, "--", f"{folder}/").split("\0"):
        about, _, path = entry.partition("\t")
        if about.startswith("100"):
            blobs[path.removeprefix(f"{folder}/")] = about.split(" ")[2]
    return dict(zip(blobs, _contents(git, list(blobs.values())), strict=True))


def _contents(git: Git, blobs: list[str]) -> Iterator[bytes]:
    """Return what blobs hold, read by one git."""
    asked = "".join(f"{one}\n" for one in blobs).encode()
    out = git.do("cat-file", "--batch", stdin=asked).encode(errors="surrogateescape") if blobs else b""
    for _ in blobs:
        header, _, rest = out.partition(b"\n")
        if header.split()[1:2] != [b"blob"]:
            what = f"git cannot read a file it keeps ({header.decode(errors='replace')})"
            raise BatonError(what, str(git.project.root), "`git fsck` says what is damaged")
        size = int(header.split()[2])
        yield rest[:size]
        out = rest[size + 1 :]


def with_folder(git: Git, tree: str, folder: str, files: Mapping[str, bytes]) -> str:
    """Return the tree in which a folder holds exactly these files, given by their path inside it."""
    with scratch_index() as index:
        git.do("read-tree", tree, index=index)
        before = git.do("ls-files", "--stage", "-z", "--full-name", "--", f"{folder}/", index=index)
        lines = [f"0 {one.partition(' ')[2]}\0" for one in before.split("\0") if one]  # mode 0: it is removed
        names = sorted(files)
        for path, blob in zip(names, _blobs(git, index.parent, [files[one] for one in names]), strict=True):
            lines.append(f"100644 {blob}\t{folder}/{path}\0")
        if lines:
            text = "".join(lines).encode(errors="surrogateescape")
            git.do("update-index", "-z", "--index-info", index=index, stdin=text)
        return git.do("write-tree", index=index).strip()


def _blobs(git: Git, scratch: Path, contents: list[bytes]) -> list[str]:
    """Keep contents as they are in git, by one git; returns the blobs."""
    paths = [scratch / str(number) for number in range(len(contents))]
    for path, data in zip(paths, contents, strict=True):
        path.write_bytes(data)
    asked = "".join(f"{one}\n" for one in paths).encode(errors="surrogateescape")
    return git.do("hash-object", "-w", "--no-filters", "--stdin-paths", stdin=asked).split() if paths else []


def same_code(git: Git, one: str, other: str, folder: str) -> bool:
    """Whether two commits or trees differ in nothing but a folder."""
    changed = git.do("diff-tree", "-r", "-z", "--name-only", "--no-renames", one, other, "--").split("\0")
    return all(name.startswith(f"{folder}/") for name in changed if name)


def without_folder(git: Git, commit: str, folder: str) -> str:
    """Return a commit's tree without a folder: what is left is what a judgment on the code is about."""
    return with_folder(git, commit, folder, {})


def commit_tree(git: Git, tree: str, parents: list[str], message: str, own: bool = False) -> str:
    """Make a commit of a tree, signed where the user signs their commits; no branch moves, no hook runs.

    One of the program's `own` is never signed: it reaches no branch.
    """
    signs = not own and git.ask("config", "--type=bool", "--get", "commit.gpgsign").out.strip() == "true"
    words = [word for parent in dict.fromkeys(parents) for word in ("-p", parent)]
    sign = ["--gpg-sign"] if signs else []
    return git.do("commit-tree", *sign, *words, "-F", "-", tree, stdin=message.encode()).strip()


def commit_to_look_at(git: Git, tree: str, parents: list[str]) -> str:
    """Return a commit of a tree that is only looked at: the same one at every call, unsigned, on no branch."""
    who = "baton <baton@localhost> 0 +0000"
    lines = [f"tree {tree}", *(f"parent {one}" for one in parents), f"author {who}", f"committer {who}"]
    text = "\n".join([*lines, "", "made by baton to look at", ""])
    return git.do("hash-object", "-t", "commit", "-w", "--stdin", stdin=text.encode()).strip()


def set_ref(git: Git, ref: str, commit: str) -> None:
    """Point one of the program's own refs at a commit, so that git keeps it."""
    git.do("update-ref", "-m", "baton", ref, commit)


def drop_refs(git: Git, prefix: str) -> None:
    """Delete the program's own refs below a prefix."""
    for ref in git.do("for-each-ref", "--format=%(refname)", f"{prefix}/").splitlines():
        git.do("update-ref", "-d", ref)


@contextmanager
def scratch_index() -> Iterator[Path]:
    """Return the path of an index that is thrown away."""
    try:
        made = Path(mkdtemp(prefix="baton-index-"))
    except OSError as error:
        remedy = f"{error.strerror}; set TMPDIR to a folder that can be written to"
        raise BatonError("cannot make a temporary folder", gettempdir(), remedy) from error
    try:
        yield made / "index"
    finally:
        shutil.rmtree(made, ignore_errors=True)
