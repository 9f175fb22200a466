"""How many inputs a property test tries: few and always the same, or as many as `BATON_EXAMPLES` says."""

import os

from hypothesis import settings

LONG = "BATON_EXAMPLES" in os.environ


def tries(few: int) -> settings:
    """Try so many inputs where nothing else is said."""
    most = int(os.environ.get("BATON_EXAMPLES", few))
    return settings(max_examples=most, derandomize=not LONG, deadline=None)


QUICKLY = tries(60)
