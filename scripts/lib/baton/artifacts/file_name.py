"""Names of files as sub-agents give them: what can be a file of the work tree, and what leads out of it."""

import json
import re
import unicodedata

LONGEST_NAME, LONGEST_PART = 4096, 255
DRIVE = re.compile(r"[A-Za-z]:")
SHORT_GIT = re.compile(r"git~[0-9]+")
SHOWN = 200
TESTS = re.compile(r"(?:^|/)(?:tests?|specs?|__tests__|e2e)/|(?:^|/)test_[^/]*$|[._-](?:test|spec)s?\.\w+$")


def name_fault(name: str) -> str:
    """Say why a text cannot name a file of the work tree; nothing for one that can. No file is looked at."""
    parts = name.split("/")
    faults = (
        (not name.strip(), "empty"),
        ("\0" in name, "with a NUL in it"),
        (_size(name) > LONGEST_NAME or max(map(_size, parts)) > LONGEST_PART, "longer than a name can be"),
        (name.startswith(("/", "\\")) or bool(DRIVE.match(name)), "absolute: name it from the project's root"),
        (name.startswith("~"), "in a home folder: name it from the project's root"),
        ("\\" in name, "with a backslash in it: folders are divided by `/`"),
        (".." in parts, "with `..` in it: name it from the project's root"),
        (name.endswith("/") or name == ".", "a folder: name the files"),
        (any(is_git_folder(part) for part in parts), "in git's own folder"),
        (any(folded_name(part) == "" for part in parts), "not written plainly: one name between two `/`"),
    )
    return next((fault for holds, fault in faults if holds), "")


def is_nameable(name: str) -> bool:
    """Whether a brief can name a file as it is, in backticks, so that an agent finds it."""
    return not name_fault(name) and name.isprintable() and "`" not in name


def folded_name(part: str) -> str:
    """Return a part of a name as the least careful file system reads it.

    Some take no notice of case, of invisible characters, of dots and blanks at the end, of what follows a colon.
    """
    bare = "".join(char for char in unicodedata.normalize("NFKC", part) if unicodedata.category(char) != "Cf")
    return unicodedata.normalize("NFKC", bare.casefold()).partition(":")[0].rstrip(" .")


def is_git_folder(part: str) -> bool:
    """Whether some file system takes a part of a name for git's own folder."""
    plain = folded_name(part)
    return plain == ".git" or bool(SHORT_GIT.fullmatch(plain))


def is_test(path: str) -> bool:
    """Whether a file is a test, by its name."""
    return bool(TESTS.search(path.lower()))


def quote_name(name: str) -> str:
    """Return a name for a line of text: in backticks, or quoted as JSON where that would not show all of it."""
    plain = name.isprintable() and "`" not in name
    return f"`{name[:SHOWN]}`" if plain else json.dumps(name[:SHOWN])


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
