"""Whether a call may write to the plugin's own folder, where the rules lie that judge the work.

A text is followed word by word, `cd` too, as far as it can be read: where it comes to the folder, each of its
commands is to be one that reads. The standard library alone.
"""

import os
import re
from collections.abc import Iterator

from baton.hooks.calls import TAKEN_OUT, Event, input_of, shell_readings

TYPE_CHECKING = False  # typing is slow to import, and this runs before every call
if TYPE_CHECKING:
    from baton.hooks.find_calls import PipePart

ROOT = __file__.rsplit("/", 5)[0]
# Patterns are compiled where they are needed: before most calls none is.
HOME = r"(?<![\w/.-])~(?=/)|\$HOME\b|\$\{HOME\}"
# Git's verbs that change no file; one option of theirs writes one.
GIT_LOOKS = frozenset({"diff", "log", "show", "status"})
WRITES_A_FILE = "--ou"
PRINTS_LINES = r"\d+(?:,\d+)?p"


def writes_to_plugin(event: Event, path: str = "") -> bool:
    """Whether an edit of a path, or else a Bash call, may change a file of the plugin.

    No call does where the project is that very folder: there baton itself is worked on.
    """
    if _is_inside(os.environ.get("CLAUDE_PROJECT_DIR") or ""):
        return False
    if path:
        return _is_inside(path)
    command, cwd = input_of(event, "command"), str(event.get("cwd") or "")
    is_there = _is_inside(cwd)
    # From another folder a command has to name the plugin's: most do not, and need not be read further.
    if not is_there and not any(
        os.path.basename(root) in reading.lower() for reading in shell_readings(command) for root in _roots()
    ):
        return False
    from baton.hooks.find_calls import pipelines_in  # its patterns are slow to make

    pipelines = pipelines_in(_with_home(command))
    parts = [part for parts in pipelines or () for part in parts]
    named = any(map(_names_the_folder, shell_readings(command))) or _reaches_the_folder(
        [[*part.words, *part.files] for part in parts], cwd
    )
    if not (named or is_there):
        return False
    return pipelines is None or not all(map(_reads, parts))


def _reads(part: "PipePart") -> bool:
    """Whether a command changes no file: of git a look alone, of sed `sed -n 1,80p FILE`, as agents read one."""
    program, *words = [word.translate(TAKEN_OUT) for word in part.words] or [""]
    if part.files or program not in ("git", "sed"):
        return part.only_reads
    if program == "git":
        return (
            words[:1] != [] and words[0] in GIT_LOOKS and not any(word.startswith(WRITES_A_FILE) for word in words)
        )
    prints = words[:1] == ["-n"] and bool(re.fullmatch(PRINTS_LINES, "".join(words[1:2])))
    return prints and not any(word.startswith("-") for word in words[2:])


def _reaches_the_folder(commands: list[list[str]], cwd: str) -> bool:
    """Whether a word of these commands is a path in the folder, wherever `cd` has led."""
    at = cwd or "/"
    for words in commands:
        bare = [re.sub(r"^[012&]?[<>]+[ \t]*", "", word.translate(TAKEN_OUT)) for word in words]
        places = [os.path.normpath(os.path.join(at, word)) for word in bare]
        if any(map(_is_inside, places)):
            return True
        if bare[:1] == ["cd"] and len(places) > 1:
            at = places[1]
    return False


def _names_the_folder(text: str) -> bool:
    whole = _with_home(text).lower()
    return any(re.search(rf"{re.escape(root)}(?![\w.-])", whole) for root in _roots())


def _with_home(text: str) -> str:
    return re.sub(HOME, lambda _: os.environ.get("HOME", "~"), text)


def _is_inside(path: str) -> bool:
    places = {path, os.path.realpath(path)} if path else set()
    return any(f"{place.lower()}/".startswith(f"{root}/") for place in places for root in _roots())


def _roots() -> Iterator[str]:
    """Return the plugin's folder in each way it may be written, in small letters: some disks tell none apart."""
    for root in {os.environ.get("CLAUDE_PLUGIN_ROOT", "").rstrip("/"), ROOT}:
        if root.startswith("/"):
            yield from {root.lower(), os.path.realpath(root).lower()}
