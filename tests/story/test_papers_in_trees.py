"""The story's papers in a run's work tree: nothing is written or deleted where a link leads."""

import shutil

import pytest

from bench import Bench


@pytest.mark.parametrize("linked", [True, False])
def test_what_a_link_in_a_runs_tree_leads_to_stays_as_it_is(planning: Bench, linked: bool) -> None:
    planning.write({"outside/42.execution-plan.md": "mine\n", "outside/story.md": "mine too\n"})
    planning.finish_plan()
    inside = planning.tree / planning.folder.relative
    if linked:
        shutil.rmtree(inside)
        inside.symlink_to(planning.root / "outside")
    step = planning.end()
    assert (step["action"], bool(step["warnings"])) == ("spawn", linked)
    found = {path.name: path.read_text() for path in (planning.root / "outside").iterdir()}
    assert found == {"42.execution-plan.md": "mine\n", "story.md": "mine too\n"}
