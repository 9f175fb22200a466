"""Units side by side: each goes out as soon as it can, and of what does not go together one goes out again."""

import pytest

from baton.commands.wait import is_over
from baton.git.command import find_project
from bench import CallResult
from feedback.reader_double import READER
from feedback.scene import PLAIN, WITH_TEST, PullScene, result, says, started

pytestmark = pytest.mark.sampled(2)

APART = PLAIN.replace("{resolve", "{volume: 9, resolve")
apart = pytest.mark.parametrize("settings", [APART], ids=["each item a unit"])
two_at_a_time = pytest.mark.parametrize("settings", [APART.replace("volume", "parallel: 2, volume")], ids=["two"])
with_commands = pytest.mark.parametrize("settings", [WITH_TEST.replace(PLAIN, APART)], ids=["with a command"])


# What begins when


def test_a_unit_on_the_same_lines_is_started_when_the_first_is_in(here: PullScene) -> None:
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
def test_the_next_unit_goes_out_whenever_one_is_in(here: PullScene) -> None:
    here.plan_threads("src/a.py", "src/b.py", "src/c.py", "src/d.py")
    units = {one["id"]: one["items"] for one in here.planned["units"]}
    first, second, third, fourth = units
    assert here.units == [first, second]
    here.hand_in(second, result(*units[second]))
    assert "3 units not handed in yet; nothing was begun" in here.land("--dry-run").refused
    assert (started(here.land()), here.land().action) == ([third], "DO wait")
    assert started(here.land("--skip-unit", third)) == [fourth]


@pytest.mark.parametrize("end", ["it is handed in", "it is given up"])
def test_waiting_for_a_reader_ends_with_it(here: PullScene, end: str) -> None:
    here.pull.comment(by="alice", body="Please split the module.")
    here.fetch()
    [name] = READER.findall(here.bench.baton("pr", "plan").out)
    over = is_over(find_project(here.bench.root), name)
    assert not over()
    here.be_readers(name) if end == "it is handed in" else here.bench.baton("pr", "plan", "--give-up", name)
    assert over()


@two_at_a_time
def test_waiting_for_a_unit_ends_when_it_is_skipped(here: PullScene) -> None:
    here.plan_threads("src/a.py", "src/b.py", "src/c.py")
    first, other = (is_over(find_project(here.bench.root), unit) for unit in here.units)
    assert (first(), other()) == (False, False)
    here.land("--skip-unit", here.units[0])
    assert (first(), other()) == (True, False)


def test_planning_again_names_all_that_are_out(here: PullScene) -> None:
    items = [one.id for one in here.plan_threads("src/a.py", "src/b.py")]
    here.hand_in(here.unit_of(items[0]), result(items[0]))
    assert here.plan(fetch="")["spawn"][0]["unit"] == here.unit_of(items[1])


# One file


def test_units_side_by_side_on_one_file_are_merged(here: PullScene) -> None:
    here.push({"src/a.py": "".join(f"a{number} = 1\n" for number in range(20))})
    items = [here.pull.thread("src/a.py", line, by="alice", body="Rename it.").id for line in (1, 20)]
    here.plan()
    for item, old in zip(items, ("a0 ", "a19 "), strict=True):
        tree = here.tree(here.unit_of(item)).root / "src/a.py"
        tree.write_text(tree.read_text().replace(old, "good "))
    here.settle(*(result(one, "fixed", "src/a.py") for one in items))
    assert here.landed().code == 0
    assert here.bench.git("show", f"{here.pushed}:src/a.py").count("good = 1") == 2


@apart
def test_units_that_conflict_in_one_file_go_out_again_one_at_a_time(here: PullScene) -> None:
    items = [one.id for one in here.plan_threads("src/a.py", "src/b.py", "src/c.py")]
    for item in items:
        here.edit(item, {"lib/c.py": f"{item} = 1\n"})
    here.settle(*(result(one, "fixed", "lib/c.py") for one in items))
    said = here.landed()
    for _ in range(2):
        [unit] = started(said)
        [item] = (one for one in items if here.unit_of(one) == unit)
        path = here.tree(unit).root / "lib/c.py"
        path.write_text(f"{path.read_text()}{item} = 1\n")
        assert here.hand_in(unit, result(item, "fixed", "lib/c.py")).code == 0
        said = here.landed()
    assert here.is_landed(said, "Address review of c.py (#7)")


# A red sum


def red(here: PullScene, broken: str) -> CallResult:
    """Have four units, of which these break the test without a word of their file; returns what landing says."""
    here.push({"tools/test.sh": "if grep -rq broken src; then echo wrong; exit 1; fi\n"})
    threads = {name: here.pull.thread(f"src/{name}.py", 1, by="alice", body="Rename it.") for name in "abcd"}
    here.plan()
    for name, thread in threads.items():
        here.edit(thread.id, {f"src/{name}.py": f"{'broken' if name in broken else 'good'} = 1\n"})
    here.settle(*(result(one.id, "fixed", f"src/{name}.py") for name, one in threads.items()))
    return here.landed()


@with_commands
@pytest.mark.parametrize("broken", ["a", "c", "d"])
def test_the_unit_that_turns_the_sum_red_goes_out_once_more_on_the_others(here: PullScene, broken: str) -> None:
    said = red(here, broken)
    [unit] = started(said)
    item = next(thread for thread in here.pull.threads if thread.path == f"src/{broken}.py")
    assert (unit, says(said, "land/again", "`test` (introduced")) == (here.unit_of(item.id), True)
    files = {name: (here.tree(unit).root / f"src/{name}.py") for name in "abcd"}
    assert [name for name, path in files.items() if path.exists() and "good" in path.read_text()] == [
        name for name in "abcd" if name != broken
    ]
    assert here.land().action == "DO wait"  # its first reply is void
    assert here.hand_in(unit, result(item.id)).code == 0
    assert says(here.landed(), "DO report", "1 command passed")


@with_commands
def test_each_of_two_units_that_break_a_command_goes_out_once_more(here: PullScene) -> None:
    said, sent = red(here, "bd"), list[str]()
    for _ in range(2):
        [unit] = started(said)
        [item] = (thread.id for thread in here.pull.threads if here.unit_of(thread.id) == unit)
        sent += [thread.path for thread in here.pull.threads if thread.id == item]
        assert here.hand_in(unit, result(item)).code == 0
        said = here.landed()
    assert (sorted(sent), says(said, "DO report", "1 command passed")) == (["src/b.py", "src/d.py"], True)


@apart
def test_the_clients_module_goes_on_with_a_round_that_was_cut_short_and_read_again(here: PullScene) -> None:
    first, other = here.plan_threads("src/a.py", "src/b.py")
    here.hand_in(here.unit_of(first.id), result(first.id))
    assert here.fetch().code == 0
    order = here.bench.baton("for-module", "plan", "7").json
    assert [one["run"] for one in order["start"]] == [here.unit_of(other.id)]
    assert order["show"] == "At work: PR 7: fix b.py:1, 1 comment"
    here.hand_in(here.unit_of(other.id), result(other.id))
    assert here.fetch().code == 0
    assert "ANSWERED 2 items" in here.bench.baton("for-module", "plan", "7").json["page"]
