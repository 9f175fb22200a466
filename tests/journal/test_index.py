"""The index finds stories for the hooks; it is never believed, and what is wrong with it harms nothing."""

from pathlib import Path

import pytest

from baton.hooks.agent_runs import stories_under_way
from baton.journal.index import add_line, find_words, index_exists, read_lines, replace_lists
from baton.journal.paths import Project
from baton.journal.repository import Stories, read_stories
from bench import PlayScene


@pytest.fixture
def state(tmp_path: Path) -> str:
    replace_lists(str(tmp_path), {"agents": ["a 1", "b 2"]})
    return str(tmp_path)


def test_an_added_word_is_found_once_in_its_order(state: str) -> None:
    for story in ("3", "1", "3"):
        add_line(state, "agents", "a", story)
    assert [find_words(state, "agents", key) for key in ("a", "b", "")] == [["1", "3"], ["2"], []]


@pytest.mark.parametrize("words", [("a\nb", "1"), ("", "1"), ("a", "")])
def test_an_empty_word_or_one_with_a_line_break_is_left_out(words: tuple[str, str], state: str) -> None:
    add_line(state, "agents", *words)
    assert read_lines(state, "agents") == ["a 1", "b 2"]


def test_nothing_is_added_where_there_is_no_index(tmp_path: Path) -> None:
    add_line(str(tmp_path), "agents", "a", "1")
    assert (index_exists(str(tmp_path)), list(tmp_path.iterdir())) == (False, [])


@pytest.mark.parametrize("damage", [lambda path: path.unlink(), lambda path: path.write_bytes(b"a \xff\n")])
def test_a_list_that_cannot_be_read_holds_nothing(damage: object, state: str) -> None:
    damage(Path(state) / ".index" / "agents")  # type: ignore[operator]
    assert find_words(state, "agents", "a") == []


def test_nothing_is_written_through_a_link(state: str, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine\n")
    (Path(state) / ".index" / "sessions").symlink_to(tmp_path / "mine")
    add_line(state, "sessions", "s", "1")
    assert (tmp_path / "mine").read_text() == "mine\n"


def test_a_story_that_begins_meanwhile_stays_on_the_list(play: PlayScene, monkeypatch: pytest.MonkeyPatch) -> None:
    bench, _ = play("in-progress/abandoned")
    state = str(bench.project.state)
    replace_lists(state, {"under-way": ["42"]})

    def read(project: Project, names: list[str]) -> Stories:
        add_line(state, "under-way", "7")
        return read_stories(project, names)

    monkeypatch.setattr("baton.hooks.agent_runs.read_stories", read)
    assert (stories_under_way(bench.project), read_lines(state, "under-way")) == ([], ["7"])
