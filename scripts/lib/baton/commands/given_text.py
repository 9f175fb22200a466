"""The text that a call is given, in a file or on stdin."""

import sys
from pathlib import Path

from baton.artifacts.document import decode, read_document


def read_input(start: Path, name: str) -> str:
    """Read a file that was named on the command line; `-` is stdin."""
    return decode(sys.stdin.buffer.read(), "stdin") if name == "-" else read_document(start / name)
