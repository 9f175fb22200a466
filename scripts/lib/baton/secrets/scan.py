"""What looks like a secret in a text that is about to leave: its kind and where it stands, never the secret."""

import re
from base64 import b32encode
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from baton.secrets.names import announces, secret_values
from baton.secrets.randomness import UUID, is_password, is_random
from baton.secrets.readings import BETWEEN, ENCODED, Reading, readings, squeezed
from baton.secrets.shapes import shapes_in

NO_ENVIRONMENT: Mapping[str, str] = MappingProxyType({})
# How git is asked for what `secrets_added` reads; it shows files that are not text as text, too.
DIFF = (
    "diff", "--no-color", "--no-ext-diff", "--no-textconv", "--text", "--no-renames", "--unified=0",
    "--src-prefix=a/", "--dst-prefix=b/",
)  # fmt: skip


class Found(NamedTuple):
    """A kind of secret, and the line it begins on; `path` names the file in a diff."""

    kind: str
    line: int
    path: str = ""


HASH = re.compile(r"(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})\Z", re.I)
HUNK = re.compile(r"@@ -[0-9]+(?:,([0-9]+))? \+([0-9]+)(?:,([0-9]+))? @@")
CHECKSUM = re.compile(r"(?:sha(?:1|224|256|384|512)|md5|h1)[-:]", re.I)
# What stands where a value could, but names one: a call, a variable, a path.
NAMES_ONE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\Z|[a-z][a-z0-9+]*://", re.I)
CALLS = re.compile(r"[()\[\]{}<>$\\]")
PAIR = re.compile(
    r"(?<![\w.-])([\w.-]{2,80})[\"']?\s{0,4}(?::=|=>|=|:)\s{0,4}[\"']?(?=([^\s\"'`,;]{12,120}))", re.A
)
VARIABLE = re.compile(r"(?!.*(?:INTEGRITY|CHECKSUM|HASH|DIGEST|SHA[0-9]|FINGERPRINT))[A-Z][A-Z0-9_]*\Z")
USERINFO = re.compile(r"(?<=://)([^\s/@:\"'`<>]{0,100}):([^\s/@\"'`<>]{3,200})@(?=[\w\[])", re.A)
# Of a value of the environment, what a text has to hold in one piece: so much, or two thirds, or all.
FEWEST_KEPT = 10
HELD = "value of the environment"


def secrets_in(text: str, environment: Mapping[str, str] = NO_ENVIRONMENT) -> list[Found]:
    """Return what looks like a secret in a text, or is one of an environment's, in order; none for examples."""
    forms = {form for value in secret_values(environment) for form in _forms(value)}
    bare = {short for form in forms if len(short := BETWEEN.sub("", form)) >= FEWEST_KEPT}
    found: set[Found] = set()
    for one in readings(text):
        found.update(Found(f"{kind}{one.how}", one.line(start)) for kind, start in _shaped(one.text))
        found.update(Found(f"{HELD}{one.how}", line) for line in _held(one, forms))
        found.update(Found(f"{HELD}{one.how}", line) for line in _held(squeezed(one), bare) if bare)
    # What is there as it is, is not told once more as encoded.
    again = {one._replace(kind=f"{one.kind}{ENCODED}") for one in found}
    return sorted(found - again, key=lambda one: (one.line, one.kind))


def secrets_added(diff: str, environment: Mapping[str, str] = NO_ENVIRONMENT) -> list[Found]:
    """Return what looks like a secret in the lines a diff adds, each with its file and its line there."""
    return [
        Found(one.kind, lines[one.line - 1][0], path)
        for path, lines in added(diff).items()
        for one in secrets_in("\n".join(text for _, text in lines), environment)
    ]


def added(diff: str) -> dict[str, list[tuple[int, str]]]:
    """Return the lines a diff adds to each file, numbered as in the new file; a hunk's head has its length."""
    found: dict[str, list[tuple[int, str]]] = {}
    path, number, old, new = "", 0, 0, 0
    for line in diff.split("\n"):
        if old or new:
            if line.startswith("+"):
                found.setdefault(path, []).append((number, line[1:].rstrip("\r")))
            elif line.startswith("\\"):
                continue
            old, new, number = old - (line[:1] != "+"), new - (line[:1] != "-"), number + (line[:1] != "-")
        elif hunk := HUNK.match(line):
            old, number, new = int(hunk[1] or 1), int(hunk[2]), int(hunk[3] or 1)
        elif line.startswith("+++ "):
            path = line[4:].rstrip("\t\r").strip('"').removeprefix("b/")
    return found


def _shaped(text: str) -> Iterator[tuple[str, int]]:
    yield from shapes_in(text)
    yield from (("named secret", pair.start()) for pair in PAIR.finditer(text) if _is_pair(pair, text))
    for login in USERINFO.finditer(text):
        if is_password(login[2], login[1]):
            yield "password in an address", login.start()


def _is_pair(pair: re.Match[str], text: str) -> bool:
    """Tell whether a name that says so is given a random value, or any variable is on a line of its own."""
    named = announces(pair[1])
    if not named and not (VARIABLE.match(pair[1]) and _begins_line(text, pair.start())):
        return False
    value = pair[2].rstrip(").,;:]}>\\")
    if len(value) < 12 or CALLS.search(value) or "::" in value or NAMES_ONE.match(value):
        return False
    if CHECKSUM.match(value) or UUID.match(value):
        return False
    return is_random(value) and bool(named or (len(value) >= 24 and not HASH.match(value)))


def _begins_line(text: str, position: int) -> bool:
    _, line_end, line = text[max(0, position - 20) : position].rpartition("\n")
    return line.strip() in ("", "export") and bool(line_end or position < 20)


def _forms(value: str) -> tuple[str, ...]:
    """Return how a value may stand in a text that is read: as it is, backwards, in base32."""
    coded = b32encode(value.encode(errors="surrogateescape")).decode().rstrip("=")
    return value, value[::-1], coded


def _held(reading: Reading, values: set[str]) -> Iterator[int]:
    """Return the lines on which a text has one of these values, or at least two thirds of it in one piece."""
    return (reading.line(start) for value in values for start in _pieces(value, reading.text))


def _pieces(value: str, text: str) -> Iterator[int]:
    kept = min(len(value), max(FEWEST_KEPT, len(value) * 2 // 3))
    stride = max(1, kept // 4)
    width = kept - stride + 1  # whatever is as long as `kept` has one of these whole
    for offset in range(0, len(value) - width + 1, stride):
        window = value[offset : offset + width]
        position = text.find(window)
        while position >= 0:
            start, end = _common(value, offset, text, position, width)
            if end - start >= kept:
                yield start
            position = text.find(window, end)


def _common(value: str, offset: int, text: str, position: int, width: int) -> tuple[int, int]:
    """Return how far a text goes on as the value does, both ways."""
    start, first = position, offset
    while start and first and text[start - 1] == value[first - 1]:
        start, first = start - 1, first - 1
    end, last = position + width, offset + width
    while end < len(text) and last < len(value) and text[end] == value[last]:
        end, last = end + 1, last + 1
    return start, end
