"""Which pull request a number means to `pr plan`, `pr land` and `pr show`: the one with it that was read last."""

from __future__ import annotations

import pytest

from feedback.scene import Scene

URL = "https://github.com/octo/app/pull/7"


@pytest.mark.parametrize("number", ["7", "#7"])
@pytest.mark.parametrize("verb", [("plan", "--json"), ("land",)], ids=" ".join)
def test_a_number_is_that_of_what_was_read_where_remotes_leave_it_open(
    here: Scene, verb: tuple[str, ...], number: str
) -> None:
    here.bench.git("remote", "add", "colleague", "https://github.com/bob/app.git")
    assert "--repo" in here.fetch("7").err
    here.fetch(URL)
    said = here.bench.baton("pr", *verb, number)
    assert "pr/nothing" in said.out or "there is no current round" in said.err


def test_a_number_that_was_not_read_is_refused_with_its_remedy(here: Scene) -> None:
    said = here.bench.baton("pr", "plan", "8")
    assert (said.code, "`baton pr fetch 8`" in said.err) == (2, True)
