"""The decision tables: data, in the order in which the engine reads them.

`then` names what follows: a role to spawn, a table to judge next, or a step.
"""

from baton.rules.tables.feedback import FEEDBACK
from baton.rules.tables.integration import FIX, INTEGRATION
from baton.rules.tables.runs import ANY, LOOP, PLANNING, REPORT
from baton.rules.tables.spawn_limits import GUARD
from baton.rules.tables.start import START, UNDER_WAY
from baton.rules.tables.verdicts import MICRO, QA_TABLE

TABLES = (UNDER_WAY, START, ANY, PLANNING, LOOP, REPORT, QA_TABLE, MICRO, INTEGRATION, FIX, GUARD)
# With that of pull requests, through which no story comes.
ALL_TABLES = (*TABLES, FEEDBACK)
__all__ = [
    "ALL_TABLES", "ANY", "FEEDBACK", "FIX", "GUARD", "INTEGRATION", "LOOP", "MICRO", "PLANNING", "QA_TABLE",
    "REPORT", "START", "TABLES", "UNDER_WAY",
]  # fmt: skip
