"""The backlog: every story and every spec is in it, whatever is wrong with another."""

from typing import Any

import pytest

from bench import Bench, PlayScene, Reach

SPEC = "---\nid: {id}\ntitle: Dark mode\nstatus: {status}\n---\n\n## Acceptance Criteria\n\n- one\n"


def backlog(bench: Bench) -> dict[str, Any]:
    data: dict[str, Any] = bench.baton("status", "--json").json
    return data


def row(bench: Bench) -> dict[str, Any]:
    """Give the row of the story the scene is about."""
    return next(one for one in backlog(bench)["stories"] if one["id"] == bench.id)


def damage(bench: Bench) -> None:
    data = bytearray(bench.journal.read_bytes())
    data[100] ^= 1
    bench.journal.write_bytes(data)


def spec(bench: Bench, name: str, status: str = "new") -> None:
    """Write a story's file by hand."""
    bench.write({f"specs/{name}/story.md": SPEC.format(id=name.partition("_")[0], status=status)})


@pytest.mark.parametrize(("rule", "stage", "command"), [
    ("planning/approval", "question", "baton question 42"), ("merge/done", "complete", "baton show 42"),
    ("in-progress/abandoned", "abandoned", "baton story new --from specs/42_subtract-numbers"),
    ("start/planning", "running", "baton next 42"),
])  # fmt: skip
def test_each_story_has_the_command_it_needs(rule: str, stage: str, command: str, play: PlayScene) -> None:
    bench, _ = play(rule)
    assert (row(bench)["stage"], row(bench)["next"]) == (stage, command)


def test_a_question_is_told_with_its_rule_and_its_options(play: PlayScene) -> None:
    bench, step = play("planning/approval")
    offered = [one["id"] for one in step["question"]["options"]]
    assert (row(bench)["rule"], row(bench)["options"]) == ("planning/approval", offered)
    bench.answer("accept")
    assert (row(bench)["rule"], row(bench)["options"]) == (None, [])


def test_a_run_that_has_ended_is_told_from_one_that_is_out(planning: Bench) -> None:
    assert row(planning)["stage"] == "running"
    planning.finish_plan()
    assert row(planning)["stage"] == "ended"


def test_a_run_that_works_is_shown_with_its_work_tree(planning: Bench) -> None:
    assert row(planning)["tree"] is None
    assert f"    in {planning.tree}\n" in planning.baton("status").out
    planning.plan()
    assert row(planning)["tree"] is None


def test_the_newest_comes_first(bench: Bench) -> None:
    for number in ("9", "42", "100", "E2", "E10"):
        Bench(bench.root, number).new()
    updated = [(one["updated"], one["id"]) for one in backlog(bench)["stories"]]
    assert [time for time, _ in updated] == sorted((time for time, _ in updated), reverse=True)
    assert {one for _, one in updated} == {"9", "42", "100", "E2", "E10"}


def test_a_journal_is_read_again_when_it_has_changed_and_not_before(planning: Bench) -> None:
    assert row(planning)["title"] == "Subtract numbers"
    kept = planning.root / ".git/baton/.rows.json"
    kept.write_text(kept.read_text().replace("Subtract numbers", "as it was kept"))
    assert row(planning)["title"] == "as it was kept"
    planning.plan()
    assert row(planning)["title"] == "Subtract numbers"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"rows": []}', '{"rows": {"42": 1}}', '{"rows": {"42": [[]]}}'])
def test_rows_that_cannot_be_read_are_made_anew(text: str, planning: Bench) -> None:
    before = row(planning)
    planning.write({".git/baton/.rows.json": text})
    assert row(planning) == before


# Specs without a story


def test_a_spec_without_a_journal_is_shown_with_the_command_that_takes_it_up(story: Bench) -> None:
    spec(story, "7_dark-mode")
    command = "baton story new --from specs/7_dark-mode"
    found = {"path": "specs/7_dark-mode", "title": "Dark mode", "command": command, "lacks": ""}
    assert backlog(story)["adoptable"] == [found]
    assert story.baton(*command.split()[1:]).code == 0
    assert backlog(story)["adoptable"] == []


def test_a_spec_that_is_no_story_yet_is_shown_with_what_it_lacks(bench: Bench) -> None:
    bench.write({"specs/7_dark/story.md": "# Dark\n", "specs/8_x/story.md": "---\n", "specs/9_y/plan.md": "# Y\n"})
    lacks = {one["path"]: one["lacks"] for one in backlog(bench)["adoptable"]}
    assert lacks.keys() == {"specs/7_dark", "specs/8_x"}
    assert all(lacks.values())


def test_a_spec_that_says_it_is_complete_is_not_offered_and_a_path_is_written_for_a_shell(bench: Bench) -> None:
    spec(bench, "7_dark", "complete")
    spec(bench, "8_light mode")
    [offered] = backlog(bench)["adoptable"]
    assert offered["path"] == "specs/8_light mode"
    assert offered["command"] == "baton story new --from 'specs/8_light mode'"


# What cannot be read


def test_a_damaged_journal_hides_no_other_story(story: Bench) -> None:
    Bench(story.root, "43").new()
    damage(story)
    data = backlog(story)
    assert ([one["id"] for one in data["stories"]], data["adoptable"]) == (["43"], [])
    assert [one["id"] for one in data["problems"]] == ["42"]
    assert data["problems"][0]["says"].startswith("damaged journal (")


def test_a_journal_without_its_first_event_is_that_of_a_spec(bench: Bench) -> None:
    spec(bench, "42_dark")
    bench.write({".git/baton/42/journal.jsonl": "{"})
    data = backlog(bench)
    assert (data["stories"], data["problems"]) == ([], [])
    assert [one["path"] for one in data["adoptable"]] == ["specs/42_dark"]


def test_a_plan_that_cannot_be_read_hides_no_story(reach: Reach) -> None:
    bench = reach("planning")
    bench.place("plan").write_bytes(b"\xff")
    assert row(bench)["status"] == "planning"
    assert "not UTF-8" in backlog(bench)["problems"][0]["says"]


def test_settings_that_cannot_be_read_hide_no_story(story: Bench) -> None:
    story.commit({".baton.yaml": "base: ["})
    assert row(story)["id"] == "42"
    assert ".baton.yaml on main" in backlog(story)["problems"][0]["says"]
