"""What comes from the host is taken only in the form it has."""

from typing import Any

import pytest

from baton.feedback.fetch.parse_nodes import Incomplete, incomplete_where_odd, read_line


@pytest.mark.parametrize("line", [None, 1, 305])
def test_a_line_is_a_number_or_none(line: int | None) -> None:
    assert read_line(line) == line


@pytest.mark.parametrize("line", [0, -1, "12", True, 1.0])
def test_any_other_line_makes_the_read_void(line: Any) -> None:
    with pytest.raises(Incomplete, match="instead of a line"), incomplete_where_odd("a thread"):
        read_line(line)
