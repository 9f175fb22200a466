"""A project may keep its stories, plans and reports out of git; the work itself is committed as ever."""

import pytest

from bench import SETTINGS, Bench

LOCAL = f"{SETTINGS}artifacts: local\n"


def start(bench: Bench, settings: str) -> Bench:
    """Take a story to its implementer."""
    bench.configure(settings)
    bench.begin()
    bench.plan()
    return bench


@pytest.mark.parametrize(("settings", "committed"), [(LOCAL, False), (SETTINGS, True)], ids=["local", "commit"])
def test_a_whole_story_leaves_in_git_what_it_should(settings: str, committed: bool, bench: Bench) -> None:
    start(bench, settings)
    bench.work(1)
    bench.implement()
    assert bench.judge()["action"] == "complete"
    names = bench.git("ls-tree", "-r", "--name-only", "main").splitlines()
    assert {"calc.py", "test_calc.py"} <= set(names)
    assert any(name.startswith("specs/") for name in names) == committed


def test_what_stays_out_of_git_is_no_news_to_git(bench: Bench) -> None:
    start(bench, LOCAL)
    assert bench.changes == ""
    assert bench.place("plan").exists()
    assert bench.place("story").exists()


def test_a_gitignore_that_is_not_ours_stays(bench: Bench) -> None:
    bench.write({"specs/.gitignore": "mine/\n"})
    start(bench, LOCAL)
    assert (bench.root / "specs/.gitignore").read_text(encoding="utf-8") == "mine/\n"
