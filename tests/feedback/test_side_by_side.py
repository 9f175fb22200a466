"""Units side by side: each goes out as soon as it can, and of what does not go together one goes out again."""

import pytest

from feedback.kill_scene import PLAIN, Scene, result, started
from feedback.test_land import says

pytestmark = pytest.mark.sampled(4)

APART = PLAIN.replace("{resolve", "{volume: 9, resolve")
two_at_a_time = pytest.mark.parametrize("settings", [APART.replace("volume", "parallel: 2, volume")], ids=["two"])


@pytest.fixture
def here(to_land: Scene) -> Scene:
    """Give a pull request to land, in a clone of its own."""
    return to_land


# What begins when


def test_a_unit_on_the_same_lines_is_started_when_the_first_is_in(here: Scene) -> None:
    first = here.pull.thread("src/a.py", 1, by="alice", body="Why?")
    other = here.pull.thread("src/a.py", 1, by="bob", body="What is it for?")
    here.plan()
    assert here.units == [here.unit_of(first.id)]
    assert says(here.land(), "DO wait", "THEN end your turn; when one of your agents has ended: baton pr land 7")
    here.hand_in(here.units[0], result(first.id))
    said = here.land()
    assert started(said) == [here.unit_of(other.id)]
    assert says(said, "THEN end your turn; when all your agents have ended: baton pr land 7")
    here.hand_in(here.unit_of(other.id), result(other.id))
    assert (here.land().code, here.replies) == (0, sorted([first.id, other.id]))


@two_at_a_time
def test_the_next_unit_goes_out_whenever_one_is_in(here: Scene) -> None:
    for name in "abcd":
        here.pull.thread(f"src/{name}.py", 1, by="alice", body="Why?")
    units = {one["id"]: one["items"] for one in here.plan()["units"]}
    first, second, third, fourth = units
    assert here.units == [first, second]
    here.hand_in(second, result(*units[second]))
    assert (started(here.land()), here.land().action) == ([third], "DO wait")
    assert started(here.land("--skip-unit", third)) == [fourth]


def test_planning_again_names_all_that_are_out(here: Scene) -> None:
    items = [here.pull.thread(f"src/{name}.py", 1, by="alice", body="Why?").id for name in "ab"]
    here.plan()
    here.hand_in(here.unit_of(items[0]), result(items[0]))
    assert here.plan(fetch="")["spawn"][0]["unit"] == here.unit_of(items[1])


# One file


def test_units_side_by_side_on_one_file_are_merged(here: Scene) -> None:
    here.push({"src/a.py": "".join(f"a{number} = 1\n" for number in range(20))})
    items = [here.pull.thread("src/a.py", line, by="alice", body="Rename it.").id for line in (1, 20)]
    here.plan()
    for item, old in zip(items, ("a0 ", "a19 "), strict=True):
        tree = here.tree(here.unit_of(item)).root / "src/a.py"
        tree.write_text(tree.read_text().replace(old, "good "))
    here.settle(*(result(one, "fixed", "src/a.py") for one in items))
    assert here.landed().code == 0
    assert here.bench.git("show", f"{here.pushed}:src/a.py").count("good = 1") == 2
