"""Find secrets in a text that is about to leave the machine: kind and line, never the secret.

Known tokens, and the values of the environment's own credentials, as they are written: against accidents.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from baton.secrets.names import secret_values
from baton.secrets.shapes import shapes_in

NO_ENVIRONMENT: Mapping[str, str] = MappingProxyType({})
# How git is asked for what `secrets_added` reads; it shows files that are not text as text, too.
DIFF = (
    "diff", "--no-color", "--no-ext-diff", "--no-textconv", "--text", "--no-renames", "--unified=0",
    "--src-prefix=a/", "--dst-prefix=b/",
)  # fmt: skip
HUNK = re.compile(r"@@ -[0-9]+(?:,([0-9]+))? \+([0-9]+)(?:,([0-9]+))? @@")
HELD = "value of the environment"


class FoundSecret(NamedTuple):
    """A kind of secret, and the line it begins on; `path` names the file in a diff."""

    kind: str
    line: int
    path: str = ""


def secrets_in(text: str, environment: Mapping[str, str] = NO_ENVIRONMENT) -> list[FoundSecret]:
    """Return the likely secrets in a text, and those of an environment, in order; none for examples."""
    held = [
        (HELD, hit.start()) for value in secret_values(environment) for hit in re.finditer(re.escape(value), text)
    ]
    secrets = {FoundSecret(kind, text.count("\n", 0, start) + 1) for kind, start in [*shapes_in(text), *held]}
    return sorted(secrets, key=lambda secret: (secret.line, secret.kind))


def secrets_added(diff: str, environment: Mapping[str, str] = NO_ENVIRONMENT) -> list[FoundSecret]:
    """Return the likely secrets in the lines a diff adds, each with its file and its line there."""
    return [
        FoundSecret(secret.kind, lines[secret.line - 1][0], path)
        for path, lines in added_lines(diff).items()
        for secret in secrets_in("\n".join(text for _, text in lines), environment)
    ]


def added_lines(diff: str) -> dict[str, list[tuple[int, str]]]:
    """Return the lines a diff adds to each file, numbered as in the new file; a hunk's head has its length."""
    by_path: dict[str, list[tuple[int, str]]] = {}
    path, number, old, new = "", 0, 0, 0
    for line in diff.split("\n"):
        if old or new:
            if line.startswith("+"):
                by_path.setdefault(path, []).append((number, line[1:].rstrip("\r")))
            elif line.startswith("\\"):
                continue
            old, new, number = old - (line[:1] != "+"), new - (line[:1] != "-"), number + (line[:1] != "-")
        elif hunk := HUNK.match(line):
            old, number, new = int(hunk[1] or 1), int(hunk[2]), int(hunk[3] or 1)
        elif line.startswith("+++ "):
            path = line[4:].rstrip("\t\r").strip('"').removeprefix("b/")
    return by_path
