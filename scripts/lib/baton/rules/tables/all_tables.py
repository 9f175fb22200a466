"""All decision tables, in the order in which a story comes through them."""

from baton.rules.tables.asking import ASKING
from baton.rules.tables.delivery import CHECKS, DELIVERY
from baton.rules.tables.feedback import FEEDBACK
from baton.rules.tables.hooks import RUN_END, TURN
from baton.rules.tables.integration import FIX, INTEGRATION
from baton.rules.tables.runs import IMPLEMENTATION, PLANNING, REPORT, RUN
from baton.rules.tables.spawn_limits import SPAWN_LIMITS
from baton.rules.tables.start import IN_PROGRESS, START
from baton.rules.tables.verdicts import MICRO, QA_TABLE
from baton.rules.tables.writes import WRITE

TABLES = (
    IN_PROGRESS, START, RUN, PLANNING, IMPLEMENTATION, REPORT, QA_TABLE, MICRO, INTEGRATION, DELIVERY, CHECKS, FIX,
    SPAWN_LIMITS,
)  # fmt: skip
# With those through which no story comes: of where it is asked, of pull requests, and of the hooks.
ALL_TABLES = (*TABLES, ASKING, FEEDBACK, TURN, RUN_END, WRITE)
