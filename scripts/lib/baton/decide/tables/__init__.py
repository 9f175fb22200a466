"""The decision tables: data, in the order in which the engine reads them.

`then` names what follows: a role to spawn, a table to judge next, or a step.
"""

from baton.decide.tables.beginning import START, UNDER_WAY
from baton.decide.tables.feedback import FEEDBACK
from baton.decide.tables.guard import GUARD
from baton.decide.tables.integration import FIX, INTEGRATION
from baton.decide.tables.runs import ANY, LOOP, PLANNING, REPORT
from baton.decide.tables.verdicts import MICRO, QA_TABLE

TABLES = (UNDER_WAY, START, ANY, PLANNING, LOOP, REPORT, QA_TABLE, MICRO, INTEGRATION, FIX, GUARD)
# With that of pull requests, through which no story comes.
ALL_TABLES = (*TABLES, FEEDBACK)
__all__ = [
    "ALL_TABLES", "ANY", "FEEDBACK", "FIX", "GUARD", "INTEGRATION", "LOOP", "MICRO", "PLANNING", "QA_TABLE",
    "REPORT", "START", "TABLES", "UNDER_WAY",
]  # fmt: skip
