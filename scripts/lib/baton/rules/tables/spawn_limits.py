"""What stands before every spawn."""

from baton.rules.engine import Answer, Row, RowQuestion, Table
from baton.rules.facts import SpawnFacts
from baton.rules.tables.options import ABANDON, REPLAN

MORE = {"continue": Answer("due", "allows as much once more, and makes the run that is due"), **ABANDON}
SPAWN_LIMITS = Table("spawn-limits", SpawnFacts, (
    Row("limit/budget", "the story has spent its budget", {"budget": ("story",)},
        "ask", "the story's budget is spent, {over}; on what: {spent}",
        stop=RowQuestion("decide", "continue", MORE, "Should it go on, with the same budget once more?")),
    Row("limit/budget-today", "all stories of the repository together have spent the day's budget",
        {"budget": ("today",)},
        "ask", "today's budget for all stories is spent, {over}; on what, in this story: {spent}",
        stop=RowQuestion("decide", "continue", MORE, "Should it go on, with the same once more for today?")),
    Row("limit/iterations",
        "an implementation is due, and the iterations are used up (with `--no-loop`, after one)",
        {"role": ("implementer",), "iterations_used_up": (True,)},
        "ask", "implementation runs so far: {iterations}, as many as allowed; {gained}; the next is due: {due}",
        stop=RowQuestion("decide", "continue", {
            "continue": Answer("implementer", "makes the next implementation run; it asks again after {allowance} "
                  "more at most"), **REPLAN},
                  "Should another implementation run be made?")),
    Row("limit/held", "the service has refused the run before, and takes no requests yet",
        {"held": ("limit", "overloaded")},
        "wait", "{held}: the next run is sent after {until}"),
    Row("limit/backoff", "the run met the same errors as the one before",
        {"role": ("implementer",), "same_error_again": (True,)},
        "proceed", "the same errors as in the run before: {seconds} s were waited"),
    Row("limit/proceed", "no row above fits", {}, "proceed", "nothing stands in the way"),
), stage="delegate")  # fmt: skip
