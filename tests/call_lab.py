"""`scripts/lab`, called in this process."""

import io
from contextlib import redirect_stderr, redirect_stdout
from typing import NamedTuple

from baton_lab.command import main


class LabSaid(NamedTuple):
    """What a call printed, and its exit code."""

    code: int
    out: str
    err: str


def call_lab(*words: str) -> LabSaid:
    """Call `scripts/lab` with these words."""
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        code = main(words)
    return LabSaid(code, out.getvalue(), err.getvalue())
