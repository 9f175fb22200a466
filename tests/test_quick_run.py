"""What a quick run leaves out: chosen by the seed, and never a whole table."""

from functools import partial
from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest

import quick_run
from story.test_next_step import test_the_commands_reach_every_row as every_row


def items(count: int, each: str = "") -> list[Any]:
    """Return the 12 cases of a table that is sampled."""
    mark = pytest.mark.sampled(count, each=each).mark
    params = [{"kind": kind, "number": number} for kind, number in product("abc", range(4))]
    found = []
    for param in params:
        item = SimpleNamespace(nodeid=f"t.py::t[{param}]", callspec=SimpleNamespace(params=param))
        item.iter_markers_with_node = partial(_marks, item, mark)
        found.append(item)
    return found


def _marks(item: object, mark: pytest.Mark, _: str) -> list[tuple[object, pytest.Mark]]:
    return [(item, mark)]


def kept(found: list[Any]) -> list[Any]:
    """Return the parameters of the cases that are not left out."""
    left_out = [id(one) for one in quick_run._not_sampled(found)]
    return [one.callspec.params for one in found if id(one) not in left_out]


def test_of_a_sampled_table_so_many_cases_run() -> None:
    assert len(kept(items(3))) == 3


def test_of_each_value_that_is_named_so_many_cases_run() -> None:
    assert [one["kind"] for one in kept(items(2, each="kind"))] == ["a", "a", "b", "b", "c", "c"]


def test_a_seed_chooses_the_same_again_and_another_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = []
    for seed in ("one", "one", "two"):
        monkeypatch.setenv(quick_run.SEED, seed)
        chosen.append(kept(items(6)))
    assert (chosen[0] == chosen[1], chosen[0] == chosen[2]) == (True, False)


def test_every_row_of_the_decision_tables_is_reached_in_a_quick_run() -> None:
    marks: list[pytest.Mark] = every_row.pytestmark  # type: ignore[attr-defined]
    assert [mark.name for mark in marks] == ["parametrize"]
