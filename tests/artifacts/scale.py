"""How many inputs a property test tries: few and always the same, or as many as `BATON_EXAMPLES` says."""

import os

from hypothesis import settings

LONG = "BATON_EXAMPLES" in os.environ
QUICKLY = settings(max_examples=int(os.environ.get("BATON_EXAMPLES", "60")), derandomize=not LONG, deadline=None)
