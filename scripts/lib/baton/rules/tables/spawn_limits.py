"""What stands before every spawn."""

from baton.rules.engine import Row, Stop, Table
from baton.rules.facts import GuardFacts
from baton.rules.tables.options import REPLAN

GUARD = Table("guard", GuardFacts, (
    Row("guard/limit", "an implementation run, and iterations used up (or `--no-loop`: one was made)",
        {"role": ("implementer",), "iterations_used_up": (True,)},
        "ask", "implementation runs so far: {iterations}, as many as allowed; {gained}; the next is due: {due}",
        stop=Stop("decide", "continue", {"continue": "implementer", **REPLAN},
                  "Should another implementation run be made?")),
    Row("guard/backoff", "same error signature as the run before",
        {"role": ("implementer",), "same_error_again": (True,)},
        "go", "the same errors as in the run before: {seconds} s were waited"),
    Row("guard/go", "otherwise", {}, "go", "nothing stands in the way"),
))  # fmt: skip
