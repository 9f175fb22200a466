"""What is read of other tools' trees: claims held against git, missing criteria, and what is left alone."""

import json
from pathlib import Path

import pytest

from bench import Bench, report_on
from layouts.other_tools import CASES, TREES, finish, planted, start, theirs


def row(bench: Bench, known: str, *words: str) -> dict[str, object]:
    found: dict[str, dict[str, object]] = {
        one["id"]: one for one in bench.baton("story", "list", "--json", *words).json["stories"]
    }
    return found[known]


def test_a_phase_that_names_a_file_git_never_had_is_open(bench: Bench) -> None:
    tree = planted(bench, "task-tree")
    assert row(tree, "78")["begins_at"] == "phase 1 of 2"
    assert "git has no src/table.py" in str(row(tree, "78")["notes"])
    tree.commit({"src/table.py": "x = 1\n"})
    assert (row(tree, "78")["begins_at"], row(tree, "78")["notes"]) == ("phase 2 of 2", [])


def test_a_file_that_was_there_once_is_no_contradiction(bench: Bench) -> None:
    tree = planted(bench, "task-tree")
    tree.commit({"src/table.py": "x = 1\n"})
    tree.git("rm", "-q", "src/table.py")
    tree.git("commit", "-qm", "gone")
    assert row(tree, "78")["begins_at"] == "phase 2 of 2"


def test_a_story_opened_again_tells_the_user_and_the_run(bench: Bench) -> None:
    tree = Bench(planted(bench, "task-tree").root, "78")
    said = tree.baton("start", "-", stdin="78")
    assert "git has no src/table.py" in said.err
    assert "git has no src/table.py" in tree.place("plan").read_text(encoding="utf-8")
    assert "Begin with phase 1" in tree.brief


def test_what_the_index_alone_names_begins_with_planning_and_a_question(bench: Bench) -> None:
    tree = planted(bench, "task-tree")
    assert row(tree, "261")["begins_at"] == "planning"
    said = tree.baton("start", "-", stdin="261")
    assert "request/no-criteria" in said.out
    assert "Divide, and say what happens at 0." in said.out  # what criteria can be proposed from
    command, _, text = said.out.partition("THEN ")[2].partition("\n")
    assert command == "baton start - <<'END-OF-STORY'"
    given = text.replace("one thing that can be seen to hold", "div(6, 3) is 2").partition("\nEND-OF-STORY")[0]
    assert tree.baton("start", "-", stdin=given).action == "DO spawn baton:planner"
    assert Bench(tree.root, "261").state.criteria == ("div(6, 3) is 2",)


def test_what_needs_clarification_is_asked_about(bench: Bench) -> None:
    tree = planted(bench, "spec-kit")
    said = tree.baton("start", "-", stdin="002")
    assert "lacks clarification: **FR-001**" in said.out
    assert "- **FR-001**: `div` MUST [NEEDS CLARIFICATION" in said.out


def test_what_is_over_there_is_not_begun(bench: Bench) -> None:
    tree = planted(bench, "gaai")
    assert row(tree, "E01S01")["begin"] == ""
    assert "story E01S01 is done" in tree.baton("start", "-", stdin="E01S01").refused


@pytest.mark.parametrize(
    "given", ["specs/259_subtract_two_numbers", "specs/259_subtract_two_numbers/plans/02_second-plan.md"]
)
def test_a_path_means_the_same_story(bench: Bench, given: str) -> None:
    tree = planted(bench, "task-tree")
    start(tree, given)
    assert tree.run.role == "implementer"
    assert tree.baton("start", "-", stdin="259").out.startswith("DO wait")  # the one that is begun


def test_an_option_of_story_new_takes_it_as_well(bench: Bench) -> None:
    tree = planted(bench, "task-tree")
    said = tree.baton(
        "story", "new", "Minus", "--from", "specs/259_subtract_two_numbers", "--criterion", "it works", "--json"
    )
    assert said.json["path"] == "specs/259_minus/story.md"
    again = tree.baton("story", "new", "--from", "specs/259_subtract_two_numbers")
    assert "story 259 was made of it" in again.refused


def test_what_another_tool_left_is_no_result_of_a_run(bench: Bench) -> None:
    tree = planted(bench, "task-tree")
    start(tree)
    step = tree.end()  # having handed in nothing
    assert (step["action"], step["rule"]) == ("spawn", "implementation/no-return")
    assert "old blocker" not in json.dumps(step)


def test_what_base_has_otherwise_is_copied_as_it_is_here(bench: Bench) -> None:
    tree = planted(bench, "task-tree")
    name = "specs/259_subtract_two_numbers/handoffs/phase-5-handoff-20260303T090000Z.md"
    tree.write({name: "# Handoff\n\nnot committed\n"})
    start(tree)
    copy = f"specs/259_subtract-two-numbers/before/{name}"
    assert f"read `{copy}` first" in tree.brief
    assert (tree.tree / copy).read_text(encoding="utf-8") == "# Handoff\n\nnot committed\n"


def test_marks_that_are_not_committed_are_told(bench: Bench) -> None:
    tree = planted(bench, "gaai")
    name = ".gaai/project/contexts/artefacts/plans/E01S02.execution-plan.md"
    tree.write({name: theirs("gaai")[name].replace("Step 2: Test it", "Step 2: Test it [COMPLETED]")})
    assert row(tree, "E01S02")["begins_at"] == "phase 2 of 2"  # it names test_calc.py
    assert "is not committed on main" in str(row(tree, "E01S02")["notes"])


def test_a_folder_elsewhere_is_read_as_any_layout(bench: Bench) -> None:
    files = {name.replace("specs/", "old/plans of ours/"): text for name, text in theirs("task-tree").items()}
    bench.commit(files)
    found = row(bench, "259", "--from", "old/plans of ours")
    assert found["begins_at"] == "phase 5 of 7"
    assert (
        found["begin"] == "name old/plans of ours under `roots:` of `task-tree`, below `layouts:` in .baton.yaml"
    )


def test_a_folder_without_any_says_which_layouts_there_are(bench: Bench) -> None:
    said = bench.baton("story", "list", "--from", "tools").refused
    assert "task-tree, gaai, spec-kit, openspec" in said
    assert "no such folder" in bench.baton("story", "list", "--from", "nowhere").refused
    assert bench.baton("story", "list").out == "no specs of other tools are here\n"


@pytest.mark.parametrize(
    "text", ["{", "[1]", '{"active_projects": 7}', '{"active_projects": [1, {"project_number": {}}]}', ""]
)
def test_a_broken_index_is_one_line_or_lists_nothing(bench: Bench, text: str) -> None:
    bench.commit({"specs/state.json": text})
    said = bench.baton("story", "list")
    assert (said.code, said.err) == (0, "")
    assert said.out.count("\n") == 1 + ("NOT READ" in said.out)


def test_a_story_of_baton_is_none_of_another_tool(bench: Bench) -> None:
    tree = planted(bench, "task-tree")
    start(tree)
    finish(tree, CASES["task-tree"])
    ids = [one["id"] for one in tree.baton("story", "list", "--json").json["stories"]]
    assert ids == ["78", "258", "259", "260", "261"]


def test_a_link_is_not_followed(bench: Bench) -> None:
    (bench.root / "specs").symlink_to(TREES / "task-tree" / "specs")
    assert bench.baton("story", "list").out == "no specs of other tools are here\n"


def test_write_back_is_said_when_a_story_is_made(bench: Bench) -> None:
    tree = planted(bench, "task-tree")
    start(tree, "259 --write-back")
    assert "no spec of another tool to begin" in tree.baton("start", "-", stdin="259 --write-back").refused
    assert "no spec of another tool to begin" in tree.baton("start", "-", stdin="--write-back a text").refused
    given = ("Title", "--from", "calc.py", "--write-back")
    assert "--write-back without a spec of another tool" in tree.baton("story", "new", *given).refused


def test_one_file_that_cannot_be_read_hides_nothing_else(bench: Bench) -> None:
    tree = planted(bench, "task-tree")
    tree.commit({"specs/state.json": "{", ".gaai/project/contexts/artefacts/stories/E1.story.md": "# S\n"})
    plan = tree.root / "specs/078_print_a_table/plans/implementation-001.md"
    plan.write_bytes("x".encode("utf-16"))
    said = tree.baton("story", "list").out
    assert "NOT READ not readable as JSON" in said
    assert "E1 " in said
    assert tree.baton("start", "-", stdin="docs/x.md").action == "DO ask"  # not about that file
    tree.commit({"specs/state.json": "{}"})
    assert "UTF-16 at " in str(row(tree, "78")["missing"])


def test_a_merge_run_keeps_what_base_changed_of_theirs(bench: Bench) -> None:
    tree = planted(bench, "task-tree")
    start(tree)
    tree.edit({"calc.py": "SUB = 1\n"})
    tree.mark(5, 6, 7)
    tree.insist("impl-report", report_on("calc.py"))
    tree.end()
    state = json.loads(theirs("task-tree")["specs/state.json"])
    state["active_projects"].append({"project_number": 300, "project_name": "new", "status": "planned"})
    tree.commit({"calc.py": "SUB = 2\n", "specs/state.json": json.dumps(state)})
    assert tree.judge()["rule"] == "fix/run"
    tree.edit({"calc.py": "SUB = 3\n"})
    tree.insist("impl-report", report_on("calc.py"))
    tree.end()
    assert tree.judge()["action"] == "complete"
    assert "300" in tree.git("show", "main:specs/state.json")


PARTS = """# Plan

## Part A

### Phase 1: one [COMPLETED]

## Part B

### Phase 1: another [NOT STARTED]

## Success Criteria

- [ ] both
"""


def test_phases_with_one_number_all_count(bench: Bench) -> None:
    tree = Bench(planted(bench, "gaai").root, "8")  # with settings that ask nothing
    tree.commit({"specs/008_parts/plans/01_plan.md": PARTS})
    assert row(tree, "8")["begins_at"] == "phase 2 of 2"
    assert "phase 1 comes more than once" in str(row(tree, "8")["notes"])
    start(tree)
    assert "### Phase 2: another (its phase 1) [NOT STARTED]" in tree.place("plan").read_text(encoding="utf-8")


def test_an_id_that_a_story_of_baton_has_is_begun_by_its_path(bench: Bench) -> None:
    tree = planted(bench, "task-tree")
    made = tree.baton("story", "new", "Mine", "--criterion", "x", "--json").json
    assert made["id"] == "262"  # none of theirs
    tree.baton("story", "new", "Mine too", "--id", "261", "--criterion", "x")
    command = str(row(tree, "261")["begin"])
    assert command == "baton story new --from 'specs/TODO.md#261' --id ID"
    said = tree.baton("story", "new", "--from", "specs/TODO.md#261", "--id", "500", "--criterion", "x", "--json")
    assert said.json["id"] == "500"


def test_two_folders_of_one_number_are_asked_about(bench: Bench) -> None:
    tree = planted(bench, "task-tree")
    tree.commit({"specs/78_other/plans/9_plan.md": "### Phase 1: x\n"})
    assert "two folders of one number (specs/" in str(row(tree, "78")["missing"])
    assert (
        "two folders of one number" in tree.baton("start", "-", stdin="78\n\n## Acceptance Criteria\n- x").refused
    )
    tree.commit({"specs/261_divide/errors/one.md": "# no document of theirs\n"})
    assert (
        tree.baton("story", "new", "--from", "specs/TODO.md#261", "--criterion", "x", "--json").json["id"] == "261"
    )


def test_a_merged_story_is_known_in_a_fresh_clone(bench: Bench) -> None:
    tree = planted(bench, "task-tree")
    start(tree)
    finish(tree, CASES["task-tree"])
    tree.forget()
    assert row(tree, "259")["begins_at"] == "story 259"


@pytest.mark.parametrize("given", ["specs/259_subtract_two_numbers", "specs/", "./specs"])
def test_a_part_of_a_tree_is_listed(bench: Bench, given: str) -> None:
    assert row(planted(bench, "task-tree"), "259", "--from", given)["begins_at"] == "phase 5 of 7"


def test_zeros_in_front_are_no_other_id(bench: Bench) -> None:
    tree = Bench(planted(bench, "task-tree").root, "78")
    assert tree.baton("start", "-", stdin="078").action == "DO spawn baton:implementer"
    assert tree.run.role == "implementer"


def test_a_repository_without_a_commit_is_listed(tmp_path: Path, surrounded: Path) -> None:
    empty = Bench(tmp_path / "empty", "259")
    empty.root.mkdir()
    empty.git("init", "-q")
    empty.write(theirs("task-tree"))
    assert str(row(empty, "259")["begins_at"]).startswith("phase ")
