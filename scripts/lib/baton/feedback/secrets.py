"""What looks like a secret in a text that is about to leave: its kind and where it stands, never the secret."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from baton.feedback.characters import SHOWN, seen
from baton.feedback.randomness import EXAMPLE, is_mixed, is_random
from baton.feedback.secrets_encoded import decoded
from baton.feedback.secrets_held import held_values, is_held

NO_ENVIRONMENT: Mapping[str, str] = MappingProxyType({})


class Secret(NamedTuple):
    """A kind of secret, and the line it begins on; `path` names the file in a diff."""

    kind: str
    line: int
    path: str = ""


class Shape(NamedTuple):
    """A kind of secret: how it is written, its random part in a group, and what that part must be."""

    kind: str
    pattern: re.Pattern[str]
    fits: Callable[[str], bool]


ESCAPED = re.compile(r"\\([_.+/=\[-])")
HASH = re.compile(r"(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})\Z", re.I)
HUNK = re.compile(r"@@ -[0-9]+(?:,([0-9]+))? \+([0-9]+)(?:,([0-9]+))? @@")
UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z", re.I)
CHECKSUM = re.compile(r"(?:sha(?:1|224|256|384|512)|md5|h1)[-:]", re.I)
# What stands where a value could, but names one: a call, a variable, a path.
NAMES_ONE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\Z|[a-z][a-z0-9+]*://", re.I)
CALLS = re.compile(r"[()\[\]{}<>$\\]")
NAMED = re.compile(
    r"secret|token|passw(?:or)?d|passphrase|credential|(?:api|access|private|signing|encryption|auth|master)[_.-]?key",
    re.I,
)
PAIR = re.compile(
    r"(?<![\w.-])([\w.-]{2,80})[\"']?\s{0,4}(?::=|=>|=|:)\s{0,4}[\"']?(?=([^\s\"'`,;]{12,120}))", re.A
)
VARIABLE = re.compile(r"(?!.*(?:INTEGRITY|CHECKSUM|HASH|DIGEST|SHA[0-9]|FINGERPRINT))[A-Z][A-Z0-9_]*\Z")
WORDS = re.compile(r"(?:user(?:name)?|pass(?:word|wd)?|secret|token|pwd|x+|\W+|\$.*|<.*|%.*|\{.*)\Z", re.I)
USERINFO = re.compile(r"(?<=://)([^\s/@:\"'`<>]{0,100}):([^\s/@\"'`<>]{3,200})@(?=[\w\[])", re.A)


def is_keyed(text: str) -> bool:
    """Tell whether what follows a mark that a word may end in, `sk-`, is no name."""
    return is_random(text) and not UUID.match(text)


SHAPES = tuple(
    Shape(kind, re.compile(pattern), fits)
    for kind, pattern, fits in (
        ("GitHub token", r"gh[pousr]_([A-Za-z0-9]{20,255})", is_mixed),
        ("GitHub token", r"github_pat_([A-Za-z0-9_]{20,255})", is_mixed),
        ("GitLab token", r"gl(?:pat|dt|rt|cbt|ptt|ft|soat)-([A-Za-z0-9_.-]{18,255})", is_mixed),
        ("Anthropic key", r"sk-ant-([A-Za-z0-9_-]{20,255})", is_mixed),
        ("OpenAI key", r"(?<![A-Za-z0-9])sk-(?!ant-)([A-Za-z0-9_-]{20,255})", is_keyed),
        ("AWS key id", r"(?<![A-Za-z0-9])(?:AKIA|ASIA)([A-Z0-9]{16})(?![A-Za-z0-9])", is_mixed),
        ("Slack token", r"xox[abeoprs]-([A-Za-z0-9-]{10,255})", is_mixed),
        ("npm token", r"npm_([A-Za-z0-9]{30,255})", is_mixed),
        ("PyPI token", r"pypi-([A-Za-z0-9_-]{40,255})", is_keyed),
        ("Google key", r"AIza([A-Za-z0-9_-]{30,255})", is_mixed),
        ("Stripe key", r"(?:[sr]k_(?:live|test)|whsec)_([A-Za-z0-9]{16,255})", is_mixed),
        ("bearer token", r"(?i:bearer)\s{1,4}([A-Za-z0-9._~+/=-]{20,255})", is_keyed),
        ("JSON web token",
         r"(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{8,400}\.eyJ[A-Za-z0-9_-]{8,4000}\.([A-Za-z0-9_-]{16,255})", is_mixed),
        ("private key",
         r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?=(?s:.{0,400}?)([A-Za-z0-9+/]{32,400}))",
         is_mixed),
    )
)  # fmt: skip


def secrets_in(text: str, environment: Mapping[str, str] = NO_ENVIRONMENT) -> list[Secret]:
    """Give what looks like a secret in a text, or like one of an environment's, in order; none for examples."""
    plain = SHOWN.sub("", ESCAPED.sub(r"\1", seen(text.replace("\r\n", "\n"))))
    values = held_values(environment)
    found = set(_found(plain, values))
    for start, inner in decoded(plain):
        found.update((f"{kind}, encoded", start) for kind, _ in _found(inner, values))
    lines = [0, *(end.end() for end in re.finditer("\n", plain))]
    return sorted(
        {Secret(kind, bisect_right(lines, start)) for kind, start in found}, key=lambda one: (one.line, one.kind)
    )


def secrets_in_diff(diff: str, environment: Mapping[str, str] = NO_ENVIRONMENT) -> list[Secret]:
    """Give what looks like a secret in the lines a diff adds, each with its file and its line there."""
    return [
        Secret(one.kind, lines[one.line - 1][0], path)
        for path, lines in added(diff).items()
        for one in secrets_in("\n".join(text for _, text in lines), environment)
    ]


def added(diff: str) -> dict[str, list[tuple[int, str]]]:
    """Give the lines a diff adds to each file, numbered as in the new file; a hunk's head says how long it is."""
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


def _found(text: str, values: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    for shape in SHAPES:
        yield from ((shape.kind, one.start()) for one in shape.pattern.finditer(text) if shape.fits(one[1]))
    for pair in PAIR.finditer(text):
        if _is_pair(pair, text):
            yield "named secret", pair.start()
    for login in USERINFO.finditer(text):
        if not WORDS.match(login[2]) and login[2] != login[1] and not EXAMPLE.search(login[2]):
            yield "password in an address", login.start()
    for value in values:
        yield from (("value of the environment", start) for start in is_held(value, text))


def _is_pair(pair: re.Match[str], text: str) -> bool:
    """Tell whether a name that says so is given a value by lot, or any variable is on a line of its own."""
    name = pair[1]
    named = NAMED.search(name) or (name.isupper() and name.endswith("_KEY"))
    if not named and not (VARIABLE.match(name) and _begins_line(text, pair.start())):
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
