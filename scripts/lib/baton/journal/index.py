"""The index of stories by agent and by session of the client: a hint, checked against the journals.

A hook that finds nothing here ends at once; one that finds something reads the journals. Kept beside them, a line
for each fact; rebuilt when deleted. Imports little, of the standard library alone.
"""

import os

INDEX_FOLDER = ".index"
# Lines `AGENT STORY`, lines `SESSION STORY` or `SESSION FOLDER-OF-A-PULL-REQUEST` of what was asked there, lines
# `SESSION STORY` of what was driven there, lines `STORY`.
AGENTS, SESSIONS, DRIVEN, UNDER_WAY = "agents", "sessions", "driven", "under-way"


def index_exists(state: str) -> bool:
    """Whether there is an index under `state`, the folder of all journals."""
    return os.path.isdir(os.path.join(state, INDEX_FOLDER))


def add_line(state: str, name: str, *words: str) -> None:
    """Add a line to a list of an existing index; one that cannot be written is skipped."""
    line = " ".join(words)
    if line.isprintable() and all(words):
        append_line(os.path.join(state, INDEX_FOLDER, name), line)


def append_line(path: str, line: str) -> bool:
    """Append a line to a file, created if missing; returns whether it was written."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with os.fdopen(os.open(path, flags, 0o644), "ab", buffering=0) as file:
            return bool(file.write(f"{line}\n".encode()))
    except OSError:
        return False


def find_words(state: str, name: str, key: str) -> list[str]:
    """Return the words that follow a key in a list, oldest first, each once."""
    start = f"{key} "
    words = [line[len(start) :] for line in read_lines(state, name) if line.startswith(start)]
    return list(dict.fromkeys(words)) if key else []


def read_lines(state: str, name: str) -> list[str]:
    """Return all lines of a list, each once; none where it cannot be read."""
    try:
        with open(os.path.join(state, INDEX_FOLDER, name), encoding="utf-8") as file:
            return list(dict.fromkeys(file.read().splitlines()))
    except (OSError, ValueError):
        return []


def replace_lists(state: str, lists: dict[str, list[str]]) -> None:
    """Write whole lists; create the index where there is none yet."""
    os.makedirs(os.path.join(state, INDEX_FOLDER), exist_ok=True)
    for name, lines in lists.items():
        _write(os.path.join(state, INDEX_FOLDER, name), "".join(f"{line}\n" for line in lines))


def _write(path: str, text: str) -> None:
    new = f"{path}.{os.getpid()}"
    with open(new, "w", encoding="utf-8", errors="surrogatepass") as file:
        file.write(text)
    os.replace(new, path)
