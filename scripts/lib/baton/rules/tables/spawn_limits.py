"""What stands before every spawn."""

from baton.rules.engine import Row, RowQuestion, Table
from baton.rules.facts import SpawnFacts
from baton.rules.tables.options import REPLAN

SPAWN_LIMITS = Table("spawn-limits", SpawnFacts, (
    Row("limit/iterations",
        "an implementation is due, and the iterations are used up (with `--no-loop`, after one)",
        {"role": ("implementer",), "iterations_used_up": (True,)},
        "ask", "implementation runs so far: {iterations}, as many as allowed; {gained}; the next is due: {due}",
        stop=RowQuestion("decide", "continue", {"continue": "implementer", **REPLAN},
                  "Should another implementation run be made?")),
    Row("limit/backoff", "the run met the same errors as the one before",
        {"role": ("implementer",), "same_error_again": (True,)},
        "proceed", "the same errors as in the run before: {seconds} s were waited"),
    Row("limit/proceed", "no row above fits", {}, "proceed", "nothing stands in the way"),
), stage="delegate")  # fmt: skip
