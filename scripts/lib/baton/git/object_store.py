"""Git's objects, read and made by one process each for as long as they are asked for."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from weakref import WeakValueDictionary

from baton.errors import BatonError
from baton.process import Dialog


class Object(NamedTuple):
    """An object of git's: its id, its kind (commit, tree, blob, tag), and what it holds."""

    id: str
    kind: str
    content: bytes = b""


class Entry(NamedTuple):
    """An entry of a tree: its mode as git prints it, its name, and the object."""

    mode: str
    name: str
    id: str


FOLDER, FILE, LINK, SUBMODULE = "040000", "100644", "120000", "160000"
RUNS = "100755"
# What git takes an entry for whose mode it would not write itself, by the sort that its first digits name
# (`canon_mode` in git's source).
MODES = {0o04: FOLDER, 0o10: FILE, 0o12: LINK}
KINDS = {FOLDER: "tree", SUBMODULE: "commit"}


class ObjectStore:
    """Looks names up in a repository, as `refs/heads/main^{commit}` or `main:a.py`; names are read anew each time.

    None is no answer: there may be no such object, or git could not look. Whoever must know asks git once more.
    """

    def __init__(self, root: Path, words: Sequence[str], environment: Mapping[str, str]) -> None:
        """`words` is how git is started, without a command."""
        self._root, self._words, self._environment = root, words, environment
        self._reads: Dialog | None = None
        self._makes: Dialog | None = None

    def _start(self, *more: str) -> Dialog:
        return Dialog([*self._words, *more], self._root, self._environment)

    def find(self, name: str) -> Object | None:
        """Return the object a name leads to, without what it holds."""
        return self._ask("info", name)

    def read(self, name: str) -> Object | None:
        """Return the object a name leads to."""
        return self._ask("contents", name)

    def make_tree(self, entries: Iterable[Entry]) -> str:
        """Make a tree; returns its id, empty for no entries: git keeps no such tree. OSError when git refuses."""
        lines = [f"{entry.mode} {KINDS.get(entry.mode, 'blob')} {entry.id}\t{entry.name}\0" for entry in entries]
        if self._makes is None and lines:
            self._makes = self._start("mktree", "-z", "--batch")
        return self._makes.ask("".join([*lines, "\0"])).decode() if self._makes and lines else ""

    def _ask(self, verb: str, name: str) -> Object | None:
        try:
            return self._answer(verb, name) if "\n" not in name else None
        except OSError:
            self.close()
            return None

    def _answer(self, verb: str, name: str) -> Object | None:
        if self._reads is None:
            self._reads = self._start("cat-file", "--batch-command")
        words = self._reads.ask(f"{verb} {name}\n").decode(errors="replace").split(" ")
        if len(words) != 3 or not words[2].isdigit():  # missing, or ambiguous
            return None
        content = self._reads.read(int(words[2]) + 1)[:-1] if verb == "contents" else b""
        return Object(words[0], words[1], content)

    def close(self) -> None:
        """End the processes."""
        dialogs, self._reads, self._makes = (self._reads, self._makes), None, None
        for dialog in filter(None, dialogs):
            dialog.close()

    def __del__(self) -> None:
        self.close()


# One for each work tree in each thread, for as long as anybody has it: two that ask at once would mix the answers.
STORES: WeakValueDictionary[tuple[int, Path], ObjectStore] = WeakValueDictionary()


def entries_of(tree: Object) -> list[Entry]:
    """Return the entries of a tree object, in git's order; a BatonError for a tree that git would not make."""
    width, rest, entries = len(tree.id) // 2, tree.content, dict[str, Entry]()
    while rest:
        about, _, rest = rest.partition(b"\0")
        mode, _, raw = about.partition(b" ")
        name = raw.decode(errors="surrogateescape")
        if name in entries or "/" in name or not name or not re.fullmatch(b"[0-7]{1,7}", mode):
            what = f"a damaged tree, {tree.id[:12]}: no system has two files of one name, or `/` in one"
            raise BatonError(
                what, name[:100] or "an entry without a name", "take the commit that has it off the branch"
            )
        entries[name] = Entry(_mode(int(mode, 8)), name, rest[:width].hex())
        rest = rest[width:]
    return [*entries.values()]


def _mode(bits: int) -> str:
    """Return the mode that git would write for an entry's mode."""
    mode = MODES.get(bits >> 12, SUBMODULE)
    return RUNS if mode == FILE and bits & 0o100 else mode
