"""The guard around every call of baton that a test makes: the user's own work is as it was."""

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from inventory import find_root, take
from users_work import Call, losses

ROOT = Path(__file__).parents[1]


@dataclass
class Watch:
    """A call that is under way; `code` is its exit code once it has one."""

    code: int | None = None


_let_be: list[str] = []


@contextmanager
def meddled_with(why: str) -> Iterator[None]:
    """Let the calls in here be: somebody else changes the repository under them; `why` says who does what."""
    _let_be.append(why)
    try:
        yield
    finally:
        _let_be.pop()


@contextmanager
def watched(words: tuple[str, ...], stdin: bytes = b"") -> Iterator[Watch]:
    """Hold the user's work against what it was before a call, however the call ends."""
    watch = Watch()
    start, rest = _place(words, stdin)
    root = find_root(start)
    # This project's own work tree is worked in while its tests run.
    if root is None or root == ROOT or _let_be or not rest:
        yield watch
        return
    before = take(root)
    try:
        yield watch
    finally:
        after = take(root)
        found = losses(Call(rest, watch.code, before, after))
        assert not found, "\n".join([f"`baton {' '.join(rest)}` ended with {watch.code}:", *found])


def _place(words: tuple[str, ...], stdin: bytes) -> tuple[Path, tuple[str, ...]]:
    """Give the folder a call is about, and its words from the command on."""
    folder = Path.cwd()
    while words[:1] in (("--project",), ("--permit",)):
        folder, words = folder / words[1] if words[0] == "--project" else folder, words[2:]
    if words[:1] == ("hook",):
        with suppress(ValueError, KeyError, TypeError):  # a payload that names no folder
            folder = folder / json.loads(stdin)["cwd"]
    return folder.resolve(), words
