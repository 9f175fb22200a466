"""What others wrote is a story by its path: it stays as it is, and what changes in it is asked about."""

from pathlib import Path

import pytest

from baton.git.command import Git
from baton.project.settings import read_settings
from baton.story.begin.find_source import describe_places, find_by_id
from baton.story.session.travel import push_state
from baton.story.status.doctor import run_doctor
from bench import Bench, report_on
from scenes import begun, known

SPEC = "openspec/changes/001-kettle"
FILES = {
    f"{SPEC}/requirements.md": "# Requirements Document\n\n## Requirement 1\n\n1. it boils\n2. it whistles\n",
    f"{SPEC}/tasks.md": "# Tasks\n\n- [x] 1. heat\n",
    f"{SPEC}/state.json": '{"tasks": [{"id": 1, "status": "open"}]}\n',
    f"{SPEC}/picture.png": "\x89PNG\0",
}
READ = f"""criteria:
  - {{each: "{SPEC}/requirements.md:5-6"}}
left_out:
  - {{at: "{SPEC}/tasks.md", why: tasks}}
  - {{at: "{SPEC}/state.json", why: states}}
"""
TAGGED = "# Requirements\n\n## Acceptance Criteria\n\n| 1 | it boils |\n| 2 | it whistles |\n"


def confirmed(bench: Bench, given: str = SPEC, story_id: str = "1") -> Bench:
    """Have the folder read, planned and confirmed."""
    bench.commit(FILES)
    made = begun(bench, given, story_id)
    assert made.hand_in("criteria", READ).code == 0
    assert made.plan()["rule"] == "planning/confirm"
    made.answer("accept")
    return made


# What is made of it


def test_a_folder_is_a_story_whose_texts_the_planner_reads_where_they_lie(bench: Bench) -> None:
    bench.commit(FILES)
    made = begun(bench, SPEC)
    texts = tuple(f"{SPEC}/{name}" for name in ("requirements.md", "state.json", "tasks.md"))
    assert (known(made).title, known(made).source, known(made).sources) == ("001 kettle", SPEC, texts)
    assert f"- `{SPEC}/requirements.md` (lines: 6)" in made.brief


def test_what_base_does_not_have_so_is_copied(bench: Bench) -> None:
    bench.commit(FILES)
    bench.write({f"{SPEC}/tasks.md": "# Tasks\n\n- [ ] 1. cool\n"})
    made = begun(bench, SPEC)
    copy = "specs/1_001-kettle/source/openspec/changes/001-kettle/tasks.md"
    assert known(made).sources[-1] == copy
    assert "cool" in made.git("show", f"{made.folder.branch}:{copy}")


def test_a_file_is_read_with_what_lies_beside_it(bench: Bench) -> None:
    bench.commit(FILES)
    made = begun(bench, f"{SPEC}/requirements.md")
    assert (known(made).title, known(made).beside) == ("001 kettle", (f"{SPEC}/tasks.md",))
    assert f"beside it, where a place may be, too: `{SPEC}/tasks.md`" in made.brief
    taken = f'criteria:\n  - {{each: "{SPEC}/requirements.md:5-6"}}\n  - {{at: "{SPEC}/tasks.md:3"}}\n'
    assert made.hand_in("criteria", taken).code == 0


def test_words_after_a_path_say_which_part_is_the_story(bench: Bench) -> None:
    bench.commit({"todo.json": '{"tasks": []}\n'})
    first, other = begun(bench, "todo.json task 5"), begun(bench, "todo.json task 6", "2")
    assert (known(first).part, known(other).part) == ("task 5", "task 6")
    assert "the story is only what these words name: task 5" in first.brief
    assert begun(bench, "todo.json task 5").state.created.story == "1"
    assert not bench.baton("next", "3").out


@pytest.mark.parametrize("given", [
    "calc.py is slow", "tools are old", "docs/none.md and more", "make the kettle boil " * 30,
], ids=["a file", "a folder", "no file", "longer than a path can be"])  # fmt: skip
def test_a_text_that_is_no_path_though_it_begins_like_one_is_a_text(given: str, bench: Bench) -> None:
    assert known(begun(bench, given)).source == "stdin"


def test_a_file_in_own_form_needs_no_question(bench: Bench) -> None:
    bench.commit({"docs/kettle.md": "# Kettle\n\n## Acceptance Criteria\n\n- it boils\n"})
    made = begun(bench, "docs/kettle.md")
    assert (known(made).criteria, known(made).sources, "hand-in 1 criteria" in made.brief) == (
        ("it boils",), (), False,
    )  # fmt: skip


def test_front_matter_that_is_not_batons_is_words_of_its_file(bench: Bench) -> None:
    bench.commit({"docs/kettle.md": "---\ntags: &a [x]\ntags: *a\ncomplexity: 1\n---\n# Kettle\n\nIt boils.\n"})
    made = begun(bench, "docs/kettle.md")
    assert (known(made).title, known(made).complexity, known(made).sources) == (
        "Kettle", None, ("docs/kettle.md",),
    )  # fmt: skip


def test_a_story_in_its_place_that_is_not_in_own_form_is_read_too(bench: Bench) -> None:
    bench.commit({"specs/7_kettle/story.md": f"---\nid: 7\ntitle: Kettle\n---\n{TAGGED}"})
    made = begun(bench, "7", "7")
    assert known(made).sources == ("specs/7_kettle/source/text.md",)
    assert made.place("source").read_text(encoding="utf-8") == TAGGED


def test_a_folder_with_too_much_in_it_is_refused_with_what_to_name(bench: Bench) -> None:
    bench.write({f"many/{at}.md": "a\n" for at in range(41)})
    assert "41 files with text in this folder" in bench.baton("start", "-", stdin="many/").refused


def test_an_abandoned_story_that_nobody_confirmed_is_read_anew(bench: Bench) -> None:
    bench.write({"specs/7_kettle/story.md": f"---\nid: 7\ntitle: Kettle\n---\n{TAGGED}"})
    bench.baton("start", "-", stdin="7")
    bench.baton("answer", "7", "abandon")
    assert bench.baton("story", "new", "--from", "specs/7_kettle").code == 0
    again = Bench(bench.root, "8")
    assert (known(again).criteria, again.place("source").read_text(encoding="utf-8")) == ((), TAGGED)


@pytest.mark.parametrize("decided", ["accept", ""])
def test_a_story_begun_anew_names_the_files_it_was_made_of(decided: str, bench: Bench) -> None:
    bench.commit(FILES)
    first = begun(bench, SPEC)
    first.hand_in("criteria", READ)
    first.plan()
    if decided:
        first.answer(decided)
        first.work(status="blocked", requires_user_review=True, review_reason="no kettle")
    bench.baton("answer", "1", "abandon")
    assert bench.baton("story", "new", "--from", first.folder.relative).code == 0
    again, before = known(Bench(bench.root, "2")), known(first)
    assert (again.source, again.sources) == (SPEC, before.sources)
    assert again.criteria == (("it boils", "it whistles") if decided else ())


# Where it is


IDS = {
    "001": [SPEC], "1": [SPEC], "kettle": [SPEC],
    "E04S02": [".gaai/backlog/E04S02.story.md"], "e04s02": [".gaai/backlog/E04S02.story.md"],
    "2.2": ["_bmad-output/2-2-login.md"], "task-29": ["backlog/tasks/task-29 - Tea.md"],
    "29": ["backlog/tasks/task-29 - Tea.md", "notes/29.md"], "9": [], "E04": [], "none": [],
}  # fmt: skip


@pytest.mark.parametrize("name", IDS)
def test_an_id_is_whole_words_of_a_name_below_known_places(name: str, bench: Bench) -> None:
    bench.write({f"{SPEC}/requirements.md": "a", "docs/001.md": "not there", "specs/1_own/story.md": "a story"})
    bench.write({place: "a" for places in IDS.values() for place in places if "kettle" not in place})
    assert find_by_id(bench.project, name, ("notes",)) == IDS[name]


def test_of_several_places_one_is_asked_for(bench: Bench) -> None:
    bench.commit({".kiro/specs/001-a/spec.md": "a", ".kiro/specs/001-b/spec.md": "b"})
    out = bench.baton("start", "-", stdin="001").out
    assert "WHY request/several: 2 places have it:\n  .kiro/specs/001-a\n  .kiro/specs/001-b\n" in out
    stories = [begun(bench, f".kiro/specs/001-{name}", story_id) for name, story_id in (("a", "1"), ("b", "2"))]
    assert [known(story).source for story in stories] == [".kiro/specs/001-a", ".kiro/specs/001-b"]


def test_what_could_be_begun_is_named_where_no_story_was(bench: Bench) -> None:
    bench.write(FILES)
    assert describe_places(bench.project) == ["openspec/changes/ has 1 spec: `/implement PATH`, or an id"]
    assert "openspec/changes/ has 1 spec" in bench.baton("start", "-", stdin="").out


def test_tables_of_layouts_are_told_and_stop_nothing(bench: Bench) -> None:
    bench.settle("", "layouts: {tickets: {roots: [tickets]}}\nsources: [notes]")
    bench.baton("start", "-", stdin="# Kettle\n\n## Acceptance Criteria\n\n- it boils\n")
    step = Bench(bench.root, "1").answer("accept")
    assert step["warnings"][0].startswith("`layouts:` in .baton.yaml is not read any more")
    assert any("`layouts:`" in one.what for one in run_doctor(bench.project))
    assert read_settings(Git(bench.project), "").config.sources == ("notes",)


# Its files


def test_what_a_run_changes_in_them_stays_out(bench: Bench) -> None:
    made = confirmed(bench)
    made.edit({f"{SPEC}/tasks.md": "ticked\n"})
    made.implement()
    assert "what the story was made of, which stays as it is" in str(made.state.events)
    assert made.judge()["action"] == "complete"
    assert made.git("show", f"main:{SPEC}/tasks.md") + "\n" == FILES[f"{SPEC}/tasks.md"]


def test_written_back_is_one_criterion_more_and_what_it_changes_loads(bench: Bench) -> None:
    made = confirmed(bench, f"--write-back {SPEC}")
    assert known(made).criteria[2].startswith(f"The files of the tool this story is from (`{SPEC}`) say")
    made.edit({f"{SPEC}/state.json": '{"tasks": [{"id": 1, "status": done}]}\n', "test_calc.py": "TEST = 1\n"})
    made.mark(1, 2)
    refused = made.hand_in("impl-report", report_on("test_calc.py", criteria=3))
    assert "write-back/broken" in str(refused.json["findings"])
    made.edit({f"{SPEC}/state.json": '{"tasks": [{"id": 1, "status": "done"}]}\n'})
    assert made.implement(report=report_on("test_calc.py", criteria=3))["agent"] == "baton:qa"
    assert f"diff main...HEAD -- {SPEC}" in made.brief
    assert made.judge()["action"] == "complete"
    assert '"done"' in made.git("show", f"main:{SPEC}/state.json")


def test_another_clone_goes_on_with_the_story_of_a_path(bench: Bench, tmp_path: Path) -> None:
    made, remote = confirmed(bench), str(tmp_path / "remote.git")
    bench.git("init", "--quiet", "--bare", "-b", "main", remote)
    bench.git("push", "--quiet", remote, "main")
    bench.git("remote", "add", "origin", remote)
    push_state(bench.project, "1")
    bench.git("clone", "--quiet", remote, str(tmp_path / "there"))
    there = begun(Bench(tmp_path / "there"), f"{SPEC}/")
    assert (there.state.created, there.state.criteria) == (made.state.created, ("it boils", "it whistles"))
