"""The files that a phase of a plan says it changes, and whether the claims of two plans meet."""

import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from baton.artifacts.file_name import name_fault, quote_name
from baton.artifacts.outline import ITEM, Line

FILES = re.compile(
    r"\s*(?:[-*+] +)?(?:\*\*|__)?files(?: to (?:modify|change|create|delete))?(?:\*\*|__)? *:"
    r"(?:\*\*|__)?\s*(.*)",
    re.I,
)
QUOTED = re.compile(r"`([^`]+)`")
# What stands behind a name: a remark, and the end of the sentence.
REMARK = re.compile(r" ?\([^()]*\)\.?$|(?<=\w)\.$")
PATTERN = re.compile(r"[*?{]")
ROOT_FOLDER = "."


class Claim(NamedTuple):
    """A file, or a folder with all below it, as it is named from the root; `fault` says why it is none."""

    path: str
    line: int
    fault: str = ""


def read_claims(lines: Iterable[Line]) -> Iterator[Claim]:
    """Read what a phase names in its line `Files:`, or in the list right below it."""
    listed = False
    for line in lines:
        files = None if line.fenced else FILES.fullmatch(line.text)
        item = ITEM.match(line.text) if listed and not files else None
        names = files[1].split(",") if files else [line.text[item.end() :]] if item else []
        yield from (_claim(name, line.number) for name in names if name.strip())
        listed = bool(files and not files[1]) or (listed and bool(item or not line.text.strip()))


def _claim(text: str, line: int) -> Claim:
    """Read a name; of a pattern, the folder in which it begins."""
    quoted = QUOTED.search(text)
    name = quoted[1] if quoted else REMARK.sub("", text.strip())
    parts = posixpath.normpath(name.strip()).split("/")
    plain = next((index for index, part in enumerate(parts) if PATTERN.search(part)), len(parts))
    path = "/".join(parts[:plain]) or ROOT_FOLDER
    fault = "" if path == ROOT_FOLDER else name_fault(path)
    return Claim(path, line, f"{quote_name(name.strip())} is {fault}" if fault else "")


def find_shared(ones: Iterable[str], others: Iterable[str]) -> str:
    """Return the file or folder that is claimed on both sides, the narrower of two; nothing for none."""
    theirs = list(others)
    for claim in ones:
        for other in theirs:
            if is_below(claim, other):
                return claim
            if is_below(other, claim):
                return other
    return ""


def is_below(path: str, folder: str) -> bool:
    """Whether a path is a folder or lies in it, both named from the root."""
    return folder == ROOT_FOLDER or f"{path}/".startswith(f"{folder}/")
