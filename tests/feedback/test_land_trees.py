"""Resolvers in work trees: what is pushed is what was accepted, and the user's checkout is not looked at."""

import os
from collections.abc import Callable

import pytest

from baton.checks.check_tree import known_trees
from bench import OWN_FILES, Bench, CallResult
from feedback.scene import GITHUB, SUBJECT, WITH_TEST, PullScene, cut_short, result, says, started

pytestmark = pytest.mark.sampled(3)

BODY = "Rename this variable."


def shown(here: PullScene, path: str) -> str:
    """Return a file as it was pushed."""
    return here.bench.git("show", f"{here.pushed}:{path}")


def test_the_tree_of_a_unit_that_is_out_is_not_stale(here: PullScene) -> None:
    here.plan_threads("src/a.py")
    tree = here.tree(here.units[0])
    assert "ok      work trees: 1 run at work" in here.bench.baton("doctor").out
    os.utime(tree.root, (0, 0))
    assert f"git worktree remove {tree.root}" in here.bench.baton("doctor").out


# What is pushed


def test_commits_of_a_resolver_are_flattened_and_their_history_is_not_pushed(here: PullScene) -> None:
    thread = here.pull.thread("src/a.py", 1, by="alice", body=BODY)
    before, round_id = here.pushed, here.plan()["round"]
    tree = here.tree(here.units[0])
    for name, text in (("leak.txt", GITHUB), ("src/a.py", "alpha = 1\n")):
        tree.write({name: text})
        tree.git("add", name)
        tree.git("commit", "--quiet", "-m", "x", "-m", f"Baton-Round: {round_id}")
    said = here.hand_in(here.units[0], result(thread.id, "fixed", "src/a.py"))
    assert (said.code, says(said, "`leak.txt` was changed", "GitHub token")) == (1, True)
    (tree.root / "leak.txt").unlink()
    here.settle(result(thread.id, "fixed", "src/a.py"))
    assert here.is_landed(here.landed())
    assert here.bench.git("rev-list", f"{before}..{here.pushed}").split() == [here.head]


def test_a_commit_on_the_head_that_looks_like_ours_is_somebody_elses(here: PullScene) -> None:
    thread = here.pull.thread("src/a.py", 1, by="alice", body=BODY)
    forged = here.another({"lib/c.py": "forged = 1\n"})
    round_id = here.plan()["round"]
    here.fix(thread.id)
    words = (
        "commit-tree",
        f"{forged}^{{tree}}",
        "-p",
        here.pushed,
        "-m",
        SUBJECT,
        "-m",
        f"Baton-Round: {round_id}",
    )
    here.bench.git("push", "--quiet", "origin", f"{here.bench.git(*words)}:refs/heads/topic")
    assert here.landed().code == 0
    assert (shown(here, "src/a.py"), here.subjects) == ("alpha = 1", [SUBJECT, SUBJECT])


def test_changes_to_tree_or_ref_after_the_hand_in_are_not_landed(here: PullScene) -> None:
    thread = here.fixed()
    [kept] = refs(here, here.unit_of(thread.id))
    here.edit(thread.id, {"src/a.py": "evil = 1\n", ".github/workflows/ci.yml": "on: push\n"})
    here.bench.git("update-ref", kept, here.bench.commit({"evil.py": "x\n"}, "hobby"))
    assert here.landed().code == 0
    assert here.bench.git("diff", "--name-only", f"{here.pushed}^", here.pushed) == "src/a.py"
    assert shown(here, "src/a.py") == "alpha = 1"


def test_the_changes_of_units_are_put_together_in_one_commit(here: PullScene) -> None:
    first, second = here.plan_threads("src/a.py", "src/b.py")
    here.edit(first.id, {"src/a.py": "alpha = 1\n"})
    here.edit(second.id, {"src/b.py": "beta = 1\n"})
    here.settle(result(first.id, "fixed", "src/a.py"), result(second.id, "fixed", "src/b.py"))
    assert here.is_landed(here.landed(), "Address review of a.py, b.py (#7)")
    assert (shown(here, "src/a.py"), shown(here, "src/b.py")) == ("alpha = 1", "beta = 1")


def test_a_unit_that_conflicts_goes_out_once_more_and_is_then_asked_about(here: PullScene) -> None:
    first, second = here.plan_threads("src/a.py", "src/b.py")
    for one, name in ((first, "alpha"), (second, "omega")):
        here.edit(one.id, {"lib/c.py": f"{name} = 1\n"})
    here.settle(result(first.id, "fixed", "lib/c.py"), result(second.id, "fixed", "lib/c.py"))
    unit, said = here.unit_of(second.id), here.landed()
    assert says(said, "DO spawn 1 agent", f"{unit}: it conflicts with the other fixes in lib/c.py")
    assert (here.tree(unit).root / "lib/c.py").read_text() == "alpha = 1\n"
    here.edit(second.id, {"lib/c.py": "both = 1\n"})
    assert here.hand_in(unit, result(second.id, "fixed", "lib/c.py")).code == 0
    here.push_elsewhere({"lib/c.py": "third = 1\n"})
    assert says(here.landed(), "DO ask", "land/conflict", f"{unit} was started once more already")
    assert here.changes == []


def test_a_later_unit_begins_from_what_the_ones_before_did(here: PullScene) -> None:
    first = here.pull.thread("src/a.py", 1, by="alice", body=BODY)
    other = here.pull.thread("src/a.py", 1, by="bob", body="Please say what it is for.")
    here.plan()
    here.edit(first.id, {"src/a.py": "alpha = 1\n"})
    here.hand_in(here.units[0], result(first.id, "fixed", "src/a.py"))
    assert here.land().out.startswith("DO spawn 1 agent")
    tree = here.tree(here.unit_of(other.id))
    assert (tree.root / "src/a.py").read_text() == "alpha = 1\n"
    tree.write({"src/a.py": "alpha = 1  # first\n"})
    here.hand_in(here.unit_of(other.id), result(other.id, "fixed", "src/a.py"))
    assert here.is_landed(here.landed(), "Address review of a.py (#7)")
    assert shown(here, "src/a.py") == "alpha = 1  # first"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("bad", range(4))
def test_the_unit_that_a_hook_refuses_is_found_by_halves_whatever_the_hook_says(here: PullScene, bad: int) -> None:
    paths = [f"src/{name}.py" for name in "wxyz"]
    here.push(dict.fromkeys(paths, "one = 1\n"))
    threads = [here.pull.thread(path, 1, by="alice", body=f"{BODY} {path}") for path in paths]
    here.plan()
    for number, one in enumerate(threads):
        here.edit(one.id, {paths[number]: "FIXME\n" if number == bad else "two = 1\n"})
    here.settle(*(result(one.id, "fixed", path) for one, path in zip(threads, paths, strict=True)))
    here.bench.hook("pre-commit", "! grep -rq FIXME src")
    said = here.landed()
    assert started(said) == [here.unit_of(threads[bad].id)]
    assert says(said, "land/again", "your commit hooks refuse it")


def test_a_push_carries_no_tag_of_the_users(here: PullScene) -> None:
    here.bench.git("config", "push.followTags", "true")
    here.bench.git("tag", "--annotate", "--message", "mine", "mine", "topic")
    here.fixed()
    assert here.landed().code == 0
    assert here.bench.git("--git-dir", str(here.remote), "tag") == ""


# Whose tree it is


def test_a_unit_hands_in_from_its_own_tree_alone(here: PullScene) -> None:
    first, second = here.plan_threads("src/a.py", "src/b.py")
    unit, tree = here.unit_of(first.id), here.tree(here.unit_of(second.id))
    text = "{}"
    for place, words in ((here.bench, "has not begun"), (tree, "this is the work tree of")):
        said = place.baton("hand-in", "pr-7", "resolver-result", "--run", unit, stdin=text)
        assert (said.code, words in said.err) == (2, True)
    assert tree.baton("begin", unit).code == 2
    assert here.bench.baton("begin", unit).code == 2


@pytest.mark.parametrize("text", ["", "7", '{"x": 1}'])
def test_a_damaged_note_of_where_a_unit_was_begun_is_one_line(here: PullScene, text: str) -> None:
    here.plan_threads("src/a.py")
    here.tree(here.units[0])
    [note] = (here.bench.root / ".git").rglob(f"trees/{here.units[0]}.json")
    note.write_text(text)
    said = here.bench.baton("begin", here.units[0], "--make")
    assert (said.code, "begin the unit again" in said.err, said.err.count("\n")) == (2, True, 1)


def test_a_tree_that_was_landed_is_removed_with_its_refs_and_one_with_work_in_it_stays(here: PullScene) -> None:
    first, second = here.plan_threads("src/a.py", "src/b.py")
    trees = [here.tree(here.unit_of(one.id)) for one in (first, second)]
    trees[0].write({"src/a.py": "alpha = 1\n"})
    here.settle(result(first.id, "fixed", "src/a.py"), result(second.id))
    trees[1].write({"notes.txt": "mine\n"})
    assert says(here.landed(), f"TREE the work tree {trees[1].root} stays")
    assert [tree.root.exists() for tree in trees] == [False, True]
    assert here.bench.git("for-each-ref", "refs/baton") == ""


def test_a_landing_cut_short_as_it_removes_trees_goes_on_there(here: PullScene) -> None:
    thread = here.fixed()
    tree = here.tree(here.unit_of(thread.id))
    with cut_short("land.land_command.drop_refs"):
        assert here.landed().code == 2
    asked = len(here.hub.requests)
    assert here.landed().out.startswith("DO report")
    left = (tree.root.exists(), here.bench.git("for-each-ref", "refs/baton"))
    assert (len(here.hub.requests), left) == (asked, (False, ""))


@pytest.mark.parametrize("settings", [WITH_TEST], ids=["with a command"])
def test_the_check_tree_goes_when_nothing_is_left_to_do(here: PullScene) -> None:
    here.fixed()
    assert here.landed().code == 0
    assert [tree.path for tree in known_trees(here.bench.root / ".git") if tree.path.exists()] == []


def refs(here: PullScene, unit: str) -> list[str]:
    """Give the refs that keep what a unit did."""
    return here.bench.git("for-each-ref", "--format=%(refname)", f"refs/baton/*/{unit}").splitlines()


def test_a_pull_request_of_this_number_in_another_repository_keeps_its_refs_and_trees(here: PullScene) -> None:
    here.bench.git("remote", "add", "other", "https://github.com/octo/other.git")
    here.bench.git("config", f"url.{here.remote}.insteadOf", "https://github.com/octo/other.git", "--add")
    here.hub.permit("octo/other", "alice", "write")
    there = here.hub.pull_request("octo/other", 7, author="alice")
    there.head_oid = here.pushed
    thread = there.thread("src/b.py", 1, by="alice", body=BODY)
    here.bench.baton("pr", "fetch", "7", "--repo", "octo/other")
    here.planned = here.bench.baton("pr", "plan", "--json").json
    [unit] = here.units
    tree = here.tree(unit)
    here.fix(thread.id, "src/b.py", "beta = 1\n")
    here.bench.git("config", "remote.origin.gh-resolved", "base")
    here.fixed()
    assert here.landed().code == 0
    assert (len(refs(here, unit)), tree.root.is_dir()) == (1, True)


def without_the_first(here: PullScene, files: dict[str, str]) -> CallResult:
    """Give up a unit when one that began after it has handed in what it made on top of it."""
    first = here.pull.thread("src/a.py", 1, by="alice", body=BODY)
    other = here.pull.thread("src/a.py", 1, by="bob", body="Please say what it is for.")
    here.plan()
    here.edit(first.id, {"src/a.py": "alpha = 1\n"})
    here.hand_in(here.units[0], result(first.id, "fixed", "src/a.py"))
    here.land()
    here.edit(other.id, files)
    here.hand_in(here.unit_of(other.id), result(other.id, "fixed", *files))
    return here.land("--skip-unit", here.units[0])


def test_work_of_a_skipped_unit_is_not_pushed_with_a_unit_made_on_it(here: PullScene) -> None:
    assert without_the_first(here, {"src/b.py": "beta = 1\n"}).code == 0
    assert here.bench.git("diff", "--name-only", f"{here.pushed}^", here.pushed) == "src/b.py"


def test_a_unit_that_changed_what_one_that_was_given_up_did_goes_out_once_more(here: PullScene) -> None:
    said = without_the_first(here, {"src/a.py": "alpha = 1  # first\n"})
    unit = next(one["id"] for one in here.planned["units"] if one["id"] not in here.units)
    assert says(said, "DO spawn 1 agent", f"{unit}: it conflicts", "one that was given up")
    assert (here.tree(unit).root / "src/a.py").read_text() == "a = 1\n"


# The user's checkout


def rebasing(bench: Bench) -> None:
    bench.git("switch", "--quiet", "--create", "mine")
    for number in range(2):
        bench.git("commit", "--quiet", "--allow-empty", "--message", str(number))
    bench.git("-c", "sequence.editor=sed -i 1s/pick/edit/", "rebase", "--quiet", "--interactive", "HEAD~2")


STATES: dict[str, Callable[[Bench], object]] = {
    "on another branch": lambda bench: bench.git("switch", "--quiet", "main"),
    "detached": lambda bench: bench.git("switch", "--quiet", "--detach", "main"),
    "with changes": lambda bench: bench.write({"lib/c.py": "mine = 1\n"}),
    "in a rebase": rebasing,
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("state", STATES)
def test_a_round_lands_whatever_the_state_of_the_checkout(here: PullScene, state: str) -> None:
    STATES[state](here.bench)
    branch, changes = here.bench.branch, here.bench.changes
    here.fixed()
    said = here.landed()
    assert (said.code, here.subjects) == (0, [SUBJECT])
    assert (here.bench.branch, here.bench.changes) == (branch, changes)
    assert here.bench.git("rev-parse", "topic") == here.pushed
    assert says(said, f"YOUR BRANCH topic here was moved to {here.pushed[:12]}, too")


def test_a_checkout_with_a_change_in_the_way_stays_and_gets_the_command(here: PullScene) -> None:
    here.bench.write({"src/a.py": "mine = 1\n"})
    before = here.head
    here.fixed()
    said = here.landed()
    assert (said.code, here.head, here.bench.changes) == (0, before, "M src/a.py")
    assert says(said, "YOUR BRANCH topic here stays", f"merge --ff-only {here.pushed[:12]}")


def test_a_local_branch_with_commits_of_its_own_stays(here: PullScene) -> None:
    here.bench.git("commit", "--quiet", "--allow-empty", "--message", "mine")
    before = here.head
    here.fixed()
    assert says(here.landed(), "YOUR BRANCH topic here has commits that were not pushed, and stays")
    assert here.head == before


def test_a_head_that_is_not_here_is_fetched_and_no_branch_moves(here: PullScene) -> None:
    theirs = here.push_elsewhere({"src/b.py": "theirs = 1\n"})
    here.bench.git("switch", "--quiet", "main")
    here.bench.git("branch", "-D", "--quiet", "topic")
    here.bench.git("update-ref", "-d", "refs/remotes/origin/topic")
    here.bench.git("prune", "--expire", "now")
    assert here.bench.git("cat-file", "-t", theirs, code=128) == ""
    before = [line for line in here.bench.git("for-each-ref").splitlines() if "/origin/" not in line]
    thread = here.fixed()
    assert here.landed().code == 0
    refs = [line for line in here.bench.git("for-each-ref").splitlines() if "/origin/" not in line]
    assert refs == before
    assert (here.replies, here.subjects) == ([thread.id], [SUBJECT, "more"])


def test_other_files_of_the_user_are_untouched(here: PullScene) -> None:
    here.fixed()
    before = {name: (here.bench.root / name).read_bytes() for name in OWN_FILES}
    assert here.is_landed(here.landed())
    assert {name: (here.bench.root / name).read_bytes() for name in OWN_FILES} == before
    assert not set(OWN_FILES) & set(here.bench.git("ls-files").splitlines())
