"""Stories side by side in one repository, beside a user who goes on working there."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, zip_longest
from pathlib import Path

import pytest

from bench import STORY, Bench, report_on

pytestmark = pytest.mark.sampled(2)

IDS = ("42", "43", "44", "45")


def new_story(root: Path, story: str) -> Bench:
    """Make another story in a repository whose commands are confirmed."""
    bench = Bench(root, story)
    assert bench.new(f"Story {story}").code == 0
    return bench


def agents(bench: Bench) -> Iterator[str]:
    """Be every agent of a story, one run after the other, each begun and ended apart; returns what comes next."""
    name = f"s{bench.id}.py"
    step = bench.next()
    while step["action"] == "spawn":
        role = step["agent"].removeprefix("baton:")
        yield f"{role}, begun in {bench.tree}"
        if role == "planner":
            step = bench.plan()
        elif role == "qa":
            step = bench.judge()
        else:
            bench.edit({name: "X = 1\n"})
            bench.mark(1, 2)
            assert bench.hand_in("impl-report", report_on(name)).code == 0
            step = bench.end()
        yield f"{step['action']}: {step['rule']}"


def finish(bench: Bench) -> str:
    """Be every agent; returns the last step."""
    return list(agents(bench))[-1]


def test_a_story_runs_through_while_another_waits_for_a_person(planning: Bench) -> None:
    planning.next("--plan-only")
    assert planning.plan()["rule"] == "planning/approval"
    assert finish(new_story(planning.root, "43")) == "complete: close/done"
    assert planning.answer("accept")["agent"] == "baton:implementer"
    planning.implement()
    assert planning.judge()["action"] == "complete"
    assert planning.git("show", "main:s43.py", "main:calc.py") == "X = 1\nSUB = 1"


def test_stories_go_on_from_whichever_checkout_they_are_asked_for(story: Bench) -> None:
    asked_elsewhere, asked_here = agents(Bench(story.beside, "42")), agents(new_story(story.root, "43"))
    steps = list(zip(asked_elsewhere, asked_here, strict=True))
    assert steps[-1] == ("complete: close/done", "complete: close/done")
    assert story.git("show", "main:s42.py", "main:s43.py") == "X = 1\nX = 1"


# The user, who works in the checkout between any two steps


def commit(bench: Bench) -> None:
    name = f"own{bench.git('rev-list', '--branches', '--count')}.txt"
    bench.write({name: "mine\n"})
    bench.git("add", name)
    bench.git("commit", "--quiet", "--message", f"my {name}")


def rebase(bench: Bench) -> None:
    bench.git("commit", "--quiet", "--amend", "--no-edit", "--message", "my own, in other words")
    bench.git("rebase", "--quiet", "--force-rebase", "--rebase-merges", "HEAD~1")


def git(*words: str) -> Callable[[Bench], object]:
    return lambda bench: bench.git(*words)


def edit(bench: Bench) -> None:
    bench.write({"calc.py": "HALF = 0.5\n", "idea.txt": "new\n"})


stash, clean = git("stash", "push", "-qu", "--message", "half done"), git("clean", "-fdxq")
switch = partial(git, "switch", "--quiet")


USER = (
    commit, rebase, edit, stash, switch("-c", "mine"), commit, switch(STORY), commit,
    switch("story/43-story-43"), edit, stash, clean, switch("main"), commit, rebase, edit, switch("--detach"),
    stash, switch("story/44-story-44"), commit, switch("mine"), clean, commit, switch("main"), clean, commit, edit,
)  # fmt: skip


@pytest.mark.long
def test_four_stories_end_right_beside_a_user_who_goes_on_working(story: Bench) -> None:
    benches = [story, *(new_story(story.root, story_id) for story_id in IDS[1:])]
    runs = chain.from_iterable(zip_longest(*(agents(bench) for bench in benches)))
    user = iter(USER)
    for _ in runs:
        next(user, edit)(story)
    for bench in benches:
        assert (bench.next()["action"], bench.rules[-1]) == ("complete", "close/done")
        assert story.git("show", f"main:s{bench.id}.py") == "X = 1"
        assert story.git("branch", "--list", "story/*") == ""
    assert next(user, None) is None
    assert story.git("stash", "list").count("half done") == USER.count(stash)
    own = [name for name in story.git("ls-tree", "--name-only", "main").split() if name.startswith("own")]
    assert story.git("show", *(f"main:{name}" for name in own)).split() == ["mine"] * 5


def test_a_user_on_the_story_branch_has_it_move_under_them(implementing: Bench) -> None:
    implementing.git("switch", "--quiet", STORY)
    implementing.implement()
    assert ((implementing.root / "calc.py").read_text(), implementing.changes) == ("SUB = 1\n", "")
    assert implementing.judge()["action"] == "complete"
    assert implementing.branch == STORY


def test_a_story_goes_on_from_any_tree_and_any_state(implementing: Bench, tmp_path: Path) -> None:
    implementing.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "second"))
    second = Bench(tmp_path / "second")
    second.implement()
    assert second.judge()["action"] == "complete"
    assert (implementing.root / "calc.py").read_text() == "SUB = 1\n"


def test_a_merge_that_you_finish_by_the_command_it_names_is_batons(judging: Bench) -> None:
    judging.write({"test_calc.py": "MINE = 1\n"})
    words = re.search(r"`git -C \S+ (merge --ff-only \w+)`", judging.judge()["reason"])
    assert words
    (judging.root / "test_calc.py").unlink()
    judging.git(*words[1].split())
    report = Path(judging.answer("retry")["report"]).read_text(encoding="utf-8")
    assert ("merge/done" in judging.rules, "merge/already" in judging.rules) == (True, False)
    assert "**Undo:** `baton undo 42`" in report


@pytest.mark.parametrize("name", ["calc.py", "test_calc.py"], ids=["a change", "a new file"])
def test_base_waits_where_the_user_has_something_in_its_way(name: str, judging: Bench) -> None:
    judging.write({name: "MINE = 1\n"})
    step = judging.judge()
    assert step["rule"] == "merge/in-the-way"
    assert f"git -C {judging.root} merge --ff-only" in step["reason"]
    assert (judging.root / name).read_text() == "MINE = 1\n"
    judging.git("stash", "push", "--quiet", "--include-untracked", "--", name)
    assert judging.answer("retry")["action"] == "complete"
