"""Wherever a session of the client is started, nothing of baton's prompts, and stories do not meet."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from baton_lab.scripted_client.desk import Desk
from baton_lab.scripted_client.script import Say, Script, Step, Talk, call
from client.actors import Worker, marked, three_agents
from client.orchestrator import orchestrate
from client.papers import REPORT, SUB, TEST
from client.person import MERGED, PLUGIN, NewDesk, agents_sent, baton, git, lost, merges
from inventory import take

pytestmark = pytest.mark.long


def go_and_look(talk: Talk) -> Iterator[Step]:
    """Do what the skill says, and call baton once more after all the notifications."""
    for step in orchestrate(talk):
        if isinstance(step, Say) and "is at complete" in step.text:
            yield call("Bash", command="baton status")
            assert "complete" in talk.result, talk.result
        yield step


def cast(worker: Worker) -> dict[str, Script]:
    return {"main": go_and_look, **marked(three_agents(worker.whole()))}


def desk_at(new_desk: NewDesk, folder: Path, scripts: Mapping[str, Script]) -> Desk:
    """Return a desk with baton whose client is started in a folder."""
    return replace(new_desk(scripts).with_plugin_dir(PLUGIN), project=folder).settle()


def root(project: Path) -> Path:
    return project


def subfolder(project: Path) -> Path:
    (project / "src" / "deep").mkdir(parents=True)
    return project / "src" / "deep"


def second_checkout(project: Path) -> Path:
    git(project, "worktree", "add", "--quiet", "-b", "mine", "../second")
    return project.with_name("second")


@pytest.fixture
def allowed(ready: Path) -> Path:
    """Return the repository of a story where `init --allow` was called, and that does not ignore `.claude`."""
    (ready / ".gitignore").write_text("__pycache__/\n")
    git(ready, "commit", "--quiet", "--all", "--message", "ignore less")
    baton(ready, "init", "--allow")
    return ready


@pytest.mark.parametrize(
    ("place", "words"),
    [
        pytest.param(root, (), id="the root"),
        pytest.param(subfolder, (), id="a subfolder"),
        pytest.param(root, ("-w", "feat"), id="a session in a tree of its own"),
        pytest.param(second_checkout, (), id="a second checkout"),
    ],
)
def test_a_story_is_merged_without_a_prompt_from(
    new_desk: NewDesk, allowed: Path, place: Callable[[Path], Path], words: tuple[str, ...]
) -> None:
    desk = desk_at(new_desk, place(allowed), cast(Worker()))
    before = take(allowed)
    with desk.terminal(*words) as terminal:
        terminal.type("/implement 42")
        terminal.wait_for(lambda: terminal.shows("the story is at complete"), 120)
    assert terminal.prompts == []
    assert "Not allowed yet" not in desk.model.of("main")[0].talk.news
    assert agents_sent(allowed) == ["planner", "implementer", "qa"]
    assert merges(allowed) == [MERGED]
    assert "worktrees" not in git(allowed, "status", "--short", "--untracked-files=all")
    # The client itself makes the tree and the branch of such a session.
    assert [one for one in lost(allowed, before) if "feat" not in one] == []


class Other(Worker):
    """A worker who subtracts in a file of its own."""

    report = REPORT.replace("calc", "other")

    def subtract(self) -> Iterator[Step]:
        yield call("Write", file_path=str(self.tree / "other.py"), content=SUB.lstrip())

    def show(self, test: str = TEST) -> Iterator[Step]:
        text = test.replace("calc", "other")
        yield call("Write", file_path=str(self.tree / "test_other.py"), content=text)
        yield call("Bash", command="baton check test")


def test_two_clients_take_two_stories_to_their_merges_side_by_side(new_desk: NewDesk, allowed: Path) -> None:
    baton(allowed, "story", "new", "Subtract elsewhere", "--id", "43", "--criterion", "other.sub(3, 5) is -2")
    one, other = (desk_at(new_desk, allowed, cast(worker)).terminal() for worker in (Worker(), Other()))
    with one, other:
        one.type("/implement 42")
        other.type("/implement 43")
        one.wait_for(lambda: other.look() and one.shows("the story is at complete"), 180)
        other.wait_for(lambda: other.shows("the story is at complete"), 180)
    assert one.prompts == other.prompts == []
    assert sorted(merges(allowed)) == [MERGED, "story 43: Subtract elsewhere"]
    assert {"calc.py", "other.py", "test_other.py"} <= set(git(allowed, "ls-files").splitlines())
    assert git(allowed, "status", "--porcelain", "--untracked-files=no") == ""
