"""The secrets of an environment, and whether a text holds most of one."""

import re
from collections.abc import Iterator, Mapping

from baton.feedback.randomness import FEWEST, is_random

SECRET_NAME = re.compile(r"token(?!iz)|secret|key(?!board)|passw|passphrase|pwd(?!\Z)|credential", re.I)
# What these hold is public, or says where a secret is.
OPEN_NAME = re.compile(r"public|(?:_id|_path|_file|_dir)\Z|\A(?:old)?pwd\Z|\Agpg_?key\Z", re.I)
PATH = re.compile(r"(?:~|\.{1,2}|[A-Za-z]:)?(?:[/\\][\w.@+ -]+){2,}[/\\]?\Z")
SHORTEST, LONGEST = 12, 4096
FEWEST_KEPT = 10


def held_values(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Give the secrets of an environment by their variables' names; paths, short and plain values are none."""
    named = (
        value for name, value in environment.items() if SECRET_NAME.search(name) and not OPEN_NAME.search(name)
    )
    parts = {part for value in named for part in value.split() if len(part) >= SHORTEST}
    return tuple(sorted(part[:LONGEST] for part in parts if _could_be(part)))


def _could_be(value: str) -> bool:
    return len(set(value)) >= FEWEST and (not PATH.match(value) or is_random(value))


def is_held(value: str, text: str) -> Iterator[int]:
    """Give where a text holds at least two thirds of a value in one piece, ten characters at the least."""
    kept = max(FEWEST_KEPT, len(value) * 2 // 3)
    stride = max(1, kept // 4)
    width = kept - stride + 1  # whatever is as long as `kept` holds one of these whole
    for offset in range(0, len(value) - width + 1, stride):
        window = value[offset : offset + width]
        position = text.find(window)
        while position >= 0:
            start, end = _common(value, offset, text, position, width)
            if end - start >= kept:
                yield start
            position = text.find(window, end)


def _common(value: str, offset: int, text: str, position: int, width: int) -> tuple[int, int]:
    """Give how far a text goes on as the value does, both ways."""
    start, first = position, offset
    while start and first and text[start - 1] == value[first - 1]:
        start, first = start - 1, first - 1
    end, last = position + width, offset + width
    while end < len(text) and last < len(value) and text[end] == value[last]:
        end, last = end + 1, last + 1
    return start, end
