"""Ids as GitHub makes them: a prefix for the type, then what the host counts by, packed."""

import base64
import itertools
from collections.abc import Iterator

# Where each count starts: above 32 bits for comments, because theirs are on the way there.
FIRST = {"PRRC": 2_147_483_701, "IC": 4_294_967_401, "PRR": 3_100_000_501, "PR": 1_900_000_001}
ELSEWHERE = 1_000_001


class Ids:
    """Counts up by type."""

    def __init__(self) -> None:
        self._counts: dict[str, Iterator[int]] = {}

    def next(self, prefix: str) -> int:
        if prefix not in self._counts:
            self._counts[prefix] = itertools.count(FIRST.get(prefix, ELSEWHERE))
        return next(self._counts[prefix])

    def of(self, prefix: str, repository: int) -> str:
        """Give a new id for what is in a repository."""
        return self.make(prefix, repository, self.next(prefix))

    @staticmethod
    def make(prefix: str, *numbers: int) -> str:
        packed = bytes([0x91 + len(numbers), 0]) + b"".join(map(_packed, numbers))
        return f"{prefix}_{base64.urlsafe_b64encode(packed).decode().rstrip('=')}"


def _packed(number: int) -> bytes:
    return b"\xce" + number.to_bytes(4, "big") if number < 1 << 32 else b"\xcf" + number.to_bytes(8, "big")


def kind_of(id: str) -> str:
    """Give the type an id is of."""
    return id.partition("_")[0]


def number_of(id: str) -> int:
    """Give what the host counts a thing by: the last number in its id."""
    packed = id.partition("_")[2]
    plain = base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4))
    wide = len(plain) > 9 and plain[-9] == 0xCF
    return int.from_bytes(plain[-8:] if wide else plain[-4:], "big")
