"""Tables of cases, each beside its name."""

from collections.abc import Mapping
from typing import Any

import pytest


def named_cases(names: str, cases: Mapping[str, Any]) -> pytest.MarkDecorator:
    """Have a test run for each case, with its values under these names."""
    return pytest.mark.parametrize(names, cases.values(), ids=cases)
