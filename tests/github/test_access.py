"""What a story that ends on GitHub needs of this machine is looked for with the real `gh`, and nothing is sent."""

from typing import Any

import pytest

from baton.git.command import Git, find_project
from baton.github.access import find_lacks
from bench import Bench
from fake_github.hub import Hub

pytestmark = pytest.mark.gh

ON_GITHUB, ELSEWHERE = "git@github.com:octo/app.git", "/srv/app.git"
NO_REMOTE, SIGNED_OUT = "no remote is on GitHub", "gh is not signed in at github.com"


@pytest.mark.parametrize(("remote", "token", "what"), [
    (ON_GITHUB, True, []),
    (ON_GITHUB, False, [SIGNED_OUT]),
    (ELSEWHERE, True, [NO_REMOTE]),
    (ELSEWHERE, False, [NO_REMOTE]),  # signed in where, is not known yet
])  # fmt: skip
def test_a_remote_and_a_login_there_are_looked_for(
    remote: str, token: bool, what: list[str], bench: Bench, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.git("remote", "add", "origin", remote)
    if not token:
        monkeypatch.delenv("GH_TOKEN")
    assert [lack.what for lack in find_lacks(Git(find_project(bench.root)))] == what
    assert hub.requests == []


def test_what_github_lacks_is_named_and_the_modes_there_are_offered_once_it_is_put_right(
    bench: Bench, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.configure("base: main\n")
    bench.new()
    with monkeypatch.context() as patch:
        patch.setattr("baton.github.access.which", lambda name: None)
        asked = bench.next()
    lacks = "no remote is on GitHub: `git remote add origin URL`; gh is not installed: install it"
    assert asked["reason"].endswith(f"`pr` and `merge` cannot be chosen here: {lacks}")
    assert options(asked) == ["local", "branch", "retry", "abandon"]
    assert bench.baton("answer", "42", "merge").code == 2
    bench.git("remote", "add", "origin", ON_GITHUB)
    assert options(bench.answer("retry")) == ["local", "branch", "pr", "merge", "abandon"]
    assert bench.answer("merge")["agent"] == "baton:planner"
    assert hub.requests == []


def test_a_mode_that_needs_github_is_asked_about_before_any_run_and_goes_on_once_that_is_there(
    bench: Bench, hub: Hub
) -> None:
    bench.configure("integrate: {mode: pr}\n")
    bench.new()
    asked = bench.next()
    assert (asked["rule"], bench.state.runs) == ("start/github", [])
    assert asked["reason"].endswith(f"out of reach from here: {NO_REMOTE}: `git remote add origin URL`")
    bench.git("remote", "add", "origin", ON_GITHUB)
    assert bench.answer("retry")["agent"] == "baton:planner"


def test_the_end_that_is_chosen_without_github_is_that_of_one_story(bench: Bench) -> None:
    bench.configure("base: main\nintegrate: {mode: merge}\n")
    other = Bench(bench.root, "43")
    for story in (bench, other):
        story.new(f"Story {story.id}")
        assert story.next()["rule"] == "start/github"
    bench.answer("local")
    bench.plan()
    bench.implement()
    assert bench.judge()["rule"] == "close/done"
    assert bench.git("merge-base", "--is-ancestor", bench.folder.branch, "main", code=None) == ""
    assert other.next()["rule"] == "start/github"


def test_a_job_that_hands_over_needs_no_github(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BATON_HANDS_OVER", "1")
    bench.configure("integrate: {mode: pr}\n")
    bench.new()
    assert bench.next()["rule"] == "start/planning"


def options(step: Any) -> list[str]:
    return [option["id"] for option in step["question"]["options"]]
