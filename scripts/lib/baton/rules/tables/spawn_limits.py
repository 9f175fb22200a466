"""What stands before every spawn."""

from baton.rules.engine import Row, RowQuestion, Table
from baton.rules.facts import SpawnFacts
from baton.rules.tables.options import REPLAN

SPAWN_LIMITS = Table("spawn_limits", SpawnFacts, (
    Row("limit/iterations", "an implementation run, and iterations used up (or `--no-loop`: one was made)",
        {"role": ("implementer",), "iterations_used_up": (True,)},
        "ask", "implementation runs so far: {iterations}, as many as allowed; {gained}; the next is due: {due}",
        stop=RowQuestion("decide", "continue", {"continue": "implementer", **REPLAN},
                  "Should another implementation run be made?")),
    Row("limit/backoff", "same error signature as the run before",
        {"role": ("implementer",), "same_error_again": (True,)},
        "proceed", "the same errors as in the run before: {seconds} s were waited"),
    Row("limit/proceed", "otherwise", {}, "proceed", "nothing stands in the way"),
))  # fmt: skip
