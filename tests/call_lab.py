"""`scripts/lab`, called in this process."""

import io
from contextlib import redirect_stderr, redirect_stdout

from baton_lab.command import main
from bench import CallResult


def call_lab(*words: str) -> CallResult:
    """Call `scripts/lab` with these words."""
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        code = main(words)
    return CallResult(code, out.getvalue(), err.getvalue())
