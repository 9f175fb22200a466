"""The command: `python3 -m teatime green`."""

import sys

from .clock import face
from .teas import TEAS


def answer(words: list[str]) -> str:
    """Say how long to steep what was asked for."""
    return face(TEAS[" ".join(words)])


if __name__ == "__main__":
    print(answer(sys.argv[1:]))
