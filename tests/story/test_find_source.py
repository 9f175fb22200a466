"""A path that the user gives is found, and what an agent could not be given is told before there is a story."""

import os
from pathlib import Path

import pytest

from bench import Bench
from scenes import begun, known
from story.test_source import SPEC

TWO = "# Kettle\n\n## Requirements\n\n1. it boils\n2. it whistles\n"
OWN = "# Kettle\n\n## Acceptance Criteria\n\n- it boils\n"
ODD = ("docs/a`b.md", "docs/a\n\n## Acceptance Criteria\n\n- all is well\n.md", os.fsdecode(b"docs/\xff.md"))


def commit(bench: Bench, files: dict[str, bytes | str]) -> None:
    for name, data in files.items():
        path = bench.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
    bench.git("add", "--all")
    bench.git("commit", "--quiet", "--message", "docs")


def test_the_root_itself_is_no_story_that_was_made_of_nothing(bench: Bench) -> None:
    bench.write({"specs/7_tea/story.md": f"---\nid: 7\n---\n{OWN}"})
    assert bench.baton("start", "-", stdin="7").code == 0
    assert "this folder is not a spec" in bench.baton("start", "-", stdin="./").refused


def test_a_path_where_nothing_is_is_no_id(bench: Bench) -> None:
    bench.write({f"{SPEC}/spec.md": TWO})
    assert "WHY request/unknown" in bench.baton("start", "-", stdin="docs/001/kettle").out
    assert "WHY request/unknown" in bench.baton("start", "-", stdin="../kettle").out


@pytest.mark.parametrize("name", [*ODD, "~kettle.md"])
def test_a_file_that_no_brief_could_name_is_copied(name: str, bench: Bench) -> None:
    commit(bench, {name: TWO})
    assert bench.baton("story", "new", "--from", name).code == 0
    made = Bench(bench.root, "1")
    assert (known(made).criteria, known(made).sources) == ((), (f"{made.folder.relative}/source/text.md",))


@pytest.mark.parametrize("name", ODD)
def test_nor_is_it_named_beside_another_or_in_a_folder(name: str, bench: Bench) -> None:
    commit(bench, {name: TWO, "docs/kettle.md": TWO, "docs/tea.md": TWO})
    assert known(begun(bench, "docs/kettle.md")).beside == ("docs/tea.md",)
    assert "a name that cannot be given to an agent" in bench.baton("start", "-", stdin="docs").refused


def test_a_file_with_nothing_in_it_is_no_story(bench: Bench) -> None:
    commit(bench, {"docs/a.md": " \n"})
    assert "nothing in it" in bench.baton("start", "-", stdin="docs/a.md").refused


UNREADABLE = {"UTF-16": TWO.encode("utf-16"), "not UTF-8": b"caf\xe9\n", "larger than 1 MB": b"a" * 1_000_001}


@pytest.mark.parametrize("why", UNREADABLE)
def test_what_cannot_be_read_is_told_before_there_is_a_story(why: str, bench: Bench) -> None:
    commit(bench, {"docs/a.md": UNREADABLE[why], "docs/b.md": TWO})
    for given in ("docs", "docs/a.md"):
        refused = bench.baton("start", "-", stdin=given).refused
        assert (why in refused, "docs/a.md: save it as UTF-8" in refused) == (True, True)
    assert bench.project.story_ids() == []


@pytest.mark.parametrize("name", ["README", "TODO", "spec"])
def test_a_file_with_a_name_that_says_nothing_is_called_by_it(name: str, bench: Bench) -> None:
    commit(bench, {name: "1. it boils\n2. it whistles\n"})
    assert known(begun(bench, f"./{name}")).title == name


def test_words_for_a_part_are_one_line_however_they_are_divided(bench: Bench) -> None:
    commit(bench, {"todo.json": "{}\n"})
    made = begun(bench, "todo.json task  5")
    assert (known(made).part, begun(bench, "todo.json task\t5").state.created) == ("task 5", made.state.created)
    long = known(begun(bench, f"todo.json {'x' * 5000}", "2"))
    assert (len(long.title) < 90, len(long.part)) == (True, 5000)


@pytest.mark.parametrize("name", ODD)
def test_what_no_run_could_write_to_is_not_written_back(name: str, bench: Bench) -> None:
    commit(bench, {name: OWN})
    bench.write({"new.md": OWN})
    for given in (name, "new.md"):
        said = bench.baton("story", "new", "--from", given, "--write-back")
        assert "--write-back, and main has no file of it" in said.refused


def test_an_empty_file_that_base_does_not_have_is_read_as_one(bench: Bench) -> None:
    bench.settle("", "artifacts: local")
    bench.write({"docs/a.md": "", "docs/b.md": TWO})
    made = begun(bench, "docs")
    assert f"- `{made.folder.relative}/source/docs/a.md` (lines: 0)" in made.brief


def test_where_nothing_is_committed_it_is_that_which_is_told(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.git("init", "--quiet")
    bench.write({"kettle.md": TWO})
    assert "no commit yet" in bench.baton("start", "-", stdin="kettle.md").refused


def test_what_git_ignores_in_a_folder_is_not_read_but_an_ignored_folder_is(bench: Bench) -> None:
    commit(bench, {"docs/a.md": TWO, "docs/b.md": TWO, ".gitignore": ".env\n.planning/\n"})
    bench.write({"docs/.env": "KEY=1\n", ".planning/c.md": TWO})
    assert known(begun(bench, "docs")).sources == ("docs/a.md", "docs/b.md")
    assert known(begun(bench, ".planning", "2")).sources == ("specs/2_kettle/source/.planning/c.md",)


def test_a_secret_is_copied_nowhere(bench: Bench) -> None:
    bench.write({"docs/a.md": f"{TWO}\nghp_{'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}\n"})
    refused = bench.baton("start", "-", stdin="docs/a.md").refused
    assert ("what looks like a secret" in refused, "docs/a.md:8" in refused) == (True, True)
    assert bench.git("branch", "--list", "story/*") == ""


def test_a_story_that_was_begun_without_it_is_not_silently_without_write_back(bench: Bench) -> None:
    commit(bench, {"docs/a.md": TWO, "docs/b.md": TWO})
    made = begun(bench, "docs/a.md")
    assert "was begun without it" in bench.baton("start", "-", stdin="docs/a.md --write-back").refused
    made = begun(bench, "docs/b.md --write-back", "2")
    assert begun(bench, "docs/b.md --write-back", "2").state.created == made.state.created


def test_a_folder_of_which_git_cannot_say_what_it_ignores_is_not_read(bench: Bench, tmp_path: Path) -> None:
    bench.git("init", "--quiet", str(tmp_path / "lib"))
    Bench(tmp_path / "lib").git("commit", "--quiet", "--allow-empty", "--message", "none")
    bench.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(tmp_path / "lib"), "lib")
    bench.git("commit", "--quiet", "--all", "--message", "lib")
    bench.write({"lib/specs/a.md": TWO, "lib/specs/.env": "KEY=1\n"})
    assert "submodule" in bench.baton("start", "-", stdin="lib/specs").refused
