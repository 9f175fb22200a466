"""What other tools planned is begun where it stands, run to merged, and nothing of theirs is changed unasked."""

import json

import pytest

from bench import Bench
from layouts.other_tools import CASES, Case, changed, finish, planted, start, theirs

# What their own tool would have written, in the order of its files.
STATES = {
    "task-tree": {
        "specs/TODO.md": ["259 [COMPLETED] — Add `sub` beside `add`", "- **Status**: [COMPLETED]"],
        "specs/state.json": ["completed"],
    },
    "gaai": {
        ".gaai/project/contexts/backlog/active.backlog.yaml": ["    status: done   # by Discovery"],
    },
    "tickets": {"tickets/board.yaml": ["    state: closed"]},
}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


@pytest.fixture
def tree(bench: Bench, case: Case) -> Bench:
    return planted(bench, case.tree)


def test_it_is_listed_with_the_phase_it_begins_at(tree: Bench, case: Case) -> None:
    found = {one["id"]: one for one in tree.baton("story", "list", "--json").json["stories"]}
    row = found[case.id]
    assert (row["begins_at"], row["layout"]) == (f"phase {case.done + 1} of {case.phases}", case.tree)
    assert (row["criteria"], row["missing"], row["notes"]) == (len(case.criteria), [], [])
    assert row["begin"] == f"/implement {case.id}"


def test_it_begins_there_and_is_told_what_was_left(tree: Bench, case: Case) -> None:
    start(tree)
    story = tree.baton("show", tree.id, "story").out
    assert tuple(tree.state.criteria) == case.criteria, story
    assert f"Begin with phase {case.done + 1}" in tree.brief
    inputs = [line for line in tree.brief.splitlines() if line[3:-1] in theirs(case.tree)]
    assert len(inputs) == case.inputs, tree.brief


def test_it_is_merged_and_nothing_of_theirs_is_changed(tree: Bench, case: Case) -> None:
    start(tree)
    finish(tree, case)
    assert tree.git("show", "main:test_calc.py") == "TEST = 1"
    assert changed(tree, case) == []
    found = {one["id"]: one for one in tree.baton("story", "list", "--json").json["stories"]}
    assert found[case.id]["begins_at"] == f"story {case.id}"


def test_their_states_are_written_when_that_is_asked(tree: Bench, case: Case) -> None:
    if case.tree not in STATES:
        said = tree.baton("start", "-", stdin=f"{case.id} --write-back")
        assert "no file with states to write back to" in said.refused
        return
    start(tree, f"{case.id} --write-back")
    finish(tree, case)
    assert changed(tree, case) == sorted(STATES[case.tree])
    for name, lines in STATES[case.tree].items():
        text = tree.git("show", f"main:{name}")
        before = theirs(case.tree)[name]
        new = [line for line in text.splitlines() if line not in before.splitlines()]
        if name.endswith(".json"):
            assert_state(json.loads(before), json.loads(text), case.id)
            assert text == json.dumps(json.loads(text), indent=2, ensure_ascii=False)
        else:
            assert new == [line for line in lines if line not in before.splitlines()]
            assert len(text.splitlines()) == len(before.splitlines())


def assert_state(
    before: dict[str, list[dict[str, object]]], after: dict[str, list[dict[str, object]]], known: str
) -> None:
    """Only the story's own entry says something else, as the tool's own script would write it."""
    [old], [new] = (
        [one for one in state["active_projects"] if str(one["project_number"]) == known]
        for state in (before, after)
    )
    assert {name for name in new if new[name] != old.get(name)} == {"status", "last_updated", "session_id"}
    assert new["status"] == "completed"
    assert str(new["last_updated"]).endswith("Z")
    before["active_projects"].remove(old)
    after["active_projects"].remove(new)
    assert before == after
