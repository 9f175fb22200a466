"""What a run costs the user of their refs is told with the command that puts it back, and kept until then."""

import json
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from baton.git.command import Git, find_project
from baton.git.kept_refs import read_refs
from baton.story.ask.step import Step
from baton.story.session.user_refs import names_git
from bench import Bench
from scenes import transcript
from watch import meddled_with

pytestmark = pytest.mark.sampled(9)

RULE = "run/refs-moved"


@pytest.fixture
def out(implementing: Bench) -> Bench:
    """A story whose run is out, in a repository with a branch, a tag and a stash of the user's."""
    implementing.git("branch", "precious", "main")
    implementing.git("tag", "-m", "v1", "v1")
    implementing.write({"calc.py": "STASHED = 1\n"})
    implementing.git("stash", "push", "--message", "half done")
    implementing.work()
    assert implementing.tree
    return implementing


class Change(NamedTuple):
    """A change of refs by git, and what puts it back; `{at}` is where `ref` was, `{new}` a commit beside it."""

    ref: str
    git: tuple[str, ...]
    back: str


LOSSES = {
    "delete a branch": Change("precious", ("branch", "-D", "precious"), "git branch precious {at}"),
    "move a branch": Change(
        "precious", ("branch", "--force", "precious", "{new}"), "git update-ref refs/heads/precious {at} {new}"),
    "delete a tag": Change("v1", ("tag", "--delete", "v1"), "git update-ref refs/tags/v1 {at}"),
    "drop a stash": Change("stash@{0}", ("stash", "drop"), "git stash store -m 'On main: half done' {at}"),
}  # fmt: skip
each_loss = pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)


def make(bench: Bench, change: Change) -> str:
    """Change refs; gives the command that puts that back."""
    values = {"at": bench.git("rev-parse", change.ref), "root": bench.root}
    values["new"] = bench.git("commit-tree", "-m", "x", "main^{tree}")
    bench.git(*(word.format(**values) for word in change.git))
    return change.back.format(**values)


def delete_branch(bench: Bench) -> str:
    return make(bench, LOSSES["delete a branch"])


def test_a_name_with_a_line_separator_is_one_name(out: Bench) -> None:
    at = out.git("rev-parse", "main")
    for name in ("x\u2028y", "x\x85y"):
        out.git("branch", name, "main")
    out.write({"calc.py": "STASHED = 2\n"})
    out.git("stash", "push", "--message", "two\u2028lines")
    before = read_refs(Git(find_project(out.root)), lambda name: False)
    assert before.refs["refs/heads/x\u2028y"] == before.refs["refs/heads/x\x85y"] == at
    assert "On main: two\u2028lines" in before.stash.values()


def told(step: Any) -> tuple[str, list[str]]:
    """What a step is, and what it tells of refs."""
    return step["action"], [one for one in step["warnings"] if " was at " in one]


def kept(bench: Bench) -> list[str]:
    return bench.git("for-each-ref", "--format=%(refname)", "refs/baton/keep/").splitlines()


@each_loss
def test_what_is_lost_and_the_run_may_have_done_is_asked_with_the_command(out: Bench, loss: Change) -> None:
    back = make(out, loss)
    step = out.work(1)
    assert (step["action"], step["rule"]) == ("ask", RULE)
    assert [back in one for one in step["question"]["errors"]] == [True]
    assert len(kept(out)) == 1
    out.git("reflog", "expire", "--expire=now", "--all", "--single-worktree")
    if "refs/tags" not in back:  # a tag is no commit: git keeps it for two weeks
        out.git("gc", "--quiet", "--prune=now")
    out.git(*shlex.split(back)[1:])
    assert out.answer("continue")["action"] == "spawn"
    assert len(kept(out)) == 1


@each_loss
@pytest.mark.parametrize("calls", [("ls", "git status", "git log --oneline | head"), ()])
def test_what_the_user_did_meanwhile_is_a_warning(out: Bench, loss: Change, calls: tuple[str, ...]) -> None:
    transcript(out, *calls)
    back = make(out, loss)
    action, warnings = told(out.work(1))
    assert (action, [back in warning for warning in warnings]) == ("spawn", [True])
    assert back not in out.brief
    assert told(out.next()) == ("wait", [])


def sets_back(bench: Bench, at: str) -> None:
    Bench(bench.tree).git("update-ref", "refs/heads/main", at)


def sets_back_and_the_user_returns(bench: Bench, at: str) -> None:
    bench.git("switch", "--quiet", "precious")
    sets_back(bench, at)
    bench.git("switch", "--quiet", "main")


def resets(bench: Bench, at: str) -> None:
    bench.git("reset", "--quiet", "--hard", at)


BY_OTHERS = [
    "perl -e 'chdir q(/p); system(q(git reset --hard HEAD~1))'",
    "env --chdir=/p git reset --hard HEAD~1", "find /p -name .git -execdir git reset --hard HEAD~1 ';'",
    "python3 -c \"import subprocess; subprocess.run(['git', 'reset', '--hard', 'HEAD~1'], cwd='/p')\"",
]  # fmt: skip


@pytest.mark.parametrize(("call", "back", "is_told"), [
    ("python3 tool.py", sets_back, True), ("git update-ref refs/heads/main x", sets_back, True),
    ("python3 tool.py", sets_back_and_the_user_returns, True), ("git commit -m x", resets, False),
    *((other, resets, True) for other in BY_OTHERS),
])  # fmt: skip
def test_a_branch_is_lost_where_its_checkout_was_earlier_unless_that_went_back_itself(
    call: str, back: Callable[[Bench, str], None], is_told: bool, out: Bench
) -> None:
    before = out.git("rev-parse", "main")
    out.git("commit", "--quiet", "--allow-empty", "--message", "theirs")
    out.work(1)
    transcript(out, call)
    back(out, before)
    with meddled_with("main was set back"):
        step = out.work(1)
    told = [*step["warnings"], *(step.get("question") or {}).get("errors", [])]
    assert any("refs/heads/main was at" in one for one in told) == is_told


@pytest.mark.parametrize("name", ["story/42-my-own-try", "story/42-subtract-numbers-old", "hers/story/42-x"])
def test_a_branch_named_like_a_storys_is_the_users(name: str, out: Bench) -> None:
    out.git("branch", name, "main")
    out.work(1)
    out.git("branch", "--delete", "--force", name)
    assert f"git branch {name} " in str(out.work(1)["question"])


@pytest.mark.parametrize("name", ["-m", "-D", "HEAD"])
def test_a_branch_with_the_name_of_an_option_is_put_back(name: str, out: Bench) -> None:
    ref, at = f"refs/heads/{name}", out.git("commit-tree", "-m", "x", "main^{tree}")
    out.git("update-ref", ref, at)
    out.work(1)
    out.git("update-ref", "-d", ref)
    said = out.work(1)["question"]["errors"][0]
    out.git(*shlex.split(said.partition("`git ")[2].partition("`")[0]))
    assert (out.git("rev-parse", ref), out.branch) == (at, "main")


def test_what_only_leads_to_another_ref_is_not_lost_with_it(out: Bench) -> None:
    for name, to in (("heads/alias", "heads/main"), ("tags/latest", "tags/v1")):
        out.git("symbolic-ref", f"refs/{name}", f"refs/{to}")
    out.work(1)
    out.answer("continue")
    out.git("commit", "--quiet", "--allow-empty", "--message", "more")
    out.git("tag", "--force", "-m", "again", "v1")
    said = str(out.work(1)["question"]["errors"])
    assert ("refs/tags/v1" in said, "alias" in said, "latest" in said) == (True, False, False)


@pytest.mark.parametrize("command", ["git branch -D precious", "cd x && git stash", "sh -c 'git gc'"])
def test_a_run_that_called_git_for_more_than_reading_is_asked_about(out: Bench, command: str) -> None:
    transcript(out, "git status", command)
    delete_branch(out)
    assert out.work(1)["rule"] == RULE


def test_a_run_that_has_git_show_another_commit_is_asked_about(out: Bench) -> None:
    at = out.git("rev-parse", "precious")
    out.git("replace", at, out.git("commit-tree", "-m", "x", "precious^{tree}"))
    step = out.work(1)
    assert (step["rule"], f"`git replace -d {at}`" in step["question"]["errors"][0]) == (RULE, True)


def test_a_file_that_gives_commits_other_parents_is_told(out: Bench) -> None:
    (out.root / ".git/info/grafts").write_text(f"{out.git('rev-parse', 'main')}\n")
    assert [one for one in out.work(1)["warnings"] if "info/grafts" in one]


@pytest.mark.parametrize("words", ["update-ref {} main", "update-ref -d {}"], ids=["forged", "deleted"])
def test_a_run_that_takes_the_note_away_hides_nothing(out: Bench, words: str) -> None:
    [ref] = kept(out)
    out.git(*words.format(ref).split())
    back = delete_branch(out)
    step = out.work(1)
    assert (step["rule"], [back in one for one in step["question"]["errors"]]) == (RULE, [True])


@pytest.mark.parametrize(("calls", "asked"), [(None, True), ("git gc --prune=now", True), ("git status", False)])
def test_a_note_that_git_has_no_more_is_said(out: Bench, calls: str | None, asked: bool) -> None:
    if calls:
        transcript(out, calls)
    [ref] = kept(out)
    noted = out.git("rev-parse", ref)
    out.git("update-ref", "-d", ref)
    (out.root / ".git/objects" / noted[:2] / noted[2:]).unlink()
    step = out.work(1)
    [said] = step["question"]["errors"] if asked else step["warnings"]
    assert (step["rule"] == RULE, f"{ref} is gone" in said) == (asked, True)


READS = [
    "ls", "git status", "git diff main...HEAD -- a.py && git show HEAD:b", "cat .gitignore", "ls .github",
    "python3 -m pytest tests/test_git.py", "pip install gitpython", "cd digits.git2 && ls", "(git log)",
    "git log -1 -- .github/x > out",
]  # fmt: skip
CHANGES = [
    "git commit -m x", "git -C /p commit", "git status && git branch -d x", "/usr/bin/git gc",
    "sh -c 'git commit'", "echo $(git stash)", "echo x | xargs git", "rm -rf .git/refs/heads/x",
    "git reflog expire --all", "git 'x", "G=git; $G stash", "git status\ngit gc", 'git status "$(git stash drop)"',
    "git log > .git/refs/heads/x", "git diff --output=/p/.git/HEAD", "git show-ref -d x",
    "git log$x", "git -c alias.x=y x",
]  # fmt: skip


@pytest.mark.parametrize(
    ("command", "may"), [*((one, False) for one in READS), *((change, True) for change in CHANGES)]
)
def test_only_a_plain_look_is_sure_to_change_nothing(command: str, may: bool) -> None:
    assert names_git(command) == may


ORDINARY = {
    "nothing": ("status",),
    "a commit": ("commit", "--quiet", "--allow-empty", "--message", "more"),
    "the end of a bisect": ("bisect", "reset"),
    "a fetch": ("update-ref", "refs/remotes/origin/x", "precious"),
    "a new branch": ("branch", "another"),
    "refs that are packed": ("pack-refs", "--all"),
}


@pytest.mark.parametrize("words", ORDINARY.values(), ids=ORDINARY)
def test_what_is_nobodys_loss_is_not_told(out: Bench, words: tuple[str, ...]) -> None:
    out.git("update-ref", "refs/remotes/origin/x", unseen(out))
    out.git("bisect", "start", "main")
    out.work(1)
    out.git(*words)
    assert told(out.work(1)) == ("spawn", [])


@pytest.mark.parametrize("calls", [(), ("cd ../../.. && git commit --amend --no-edit",)])
def test_an_amend_in_the_checkout_is_theirs_unless_the_run_went_there(calls: tuple[str, ...], out: Bench) -> None:
    out.git("switch", "--quiet", "precious")
    out.git("commit", "--quiet", "--allow-empty", "--message", "more")
    out.work(1)
    if calls:
        transcript(out, *calls)
    out.git("commit", "--quiet", "--amend", "--allow-empty", "--message", "better")
    step = out.work(1)
    assert (step["rule"] == RULE, told(step) == ("spawn", [])) == (bool(calls), not calls)


def test_a_checkout_without_a_branch_keeps_its_commit(out: Bench) -> None:
    place = out.root.with_name("detached")
    out.git("worktree", "add", "--quiet", "--detach", str(place))
    made = Bench(place)
    made.git("commit", "--quiet", "--allow-empty", "--message", "loose")
    at = made.git("rev-parse", "HEAD")
    out.work(1)
    out.git("worktree", "remove", str(place))
    assert f"git worktree add {place} {at}" in out.work(1)["question"]["errors"][0]


def test_a_checkout_that_goes_to_a_branch_with_its_commit_lost_nothing(out: Bench) -> None:
    place = out.root.with_name("detached")
    out.git("worktree", "add", "--quiet", "--detach", str(place), "main")
    out.work(1)
    Bench(place).git("switch", "--quiet", "story/42-subtract-numbers")
    assert told(out.work(1)) == ("spawn", [])


LED = {
    "a branch": Change(
        "precious", ("symbolic-ref", "refs/heads/precious", "refs/heads/main"),
        "git update-ref --no-deref refs/heads/precious {at}"),
    "a remote's branch": Change(
        "main", ("symbolic-ref", "refs/remotes/origin/x", "refs/heads/main"),
        "git symbolic-ref --delete refs/remotes/origin/x"),
    "the checkout": Change(
        "main", ("symbolic-ref", "HEAD", "refs/heads/precious"),
        "git -C {root} symbolic-ref HEAD refs/heads/main"),
}  # fmt: skip


@pytest.mark.parametrize("lead", LED.values(), ids=LED)
def test_what_leads_elsewhere_now_is_asked_about_and_put_back_by_the_command(out: Bench, lead: Change) -> None:
    before = out.git("for-each-ref", "--format=%(refname) %(objectname) %(symref)", "refs/heads/precious")
    back = make(out, lead)
    step = out.work(1)
    assert (step["rule"], [back in one for one in step["question"]["errors"]]) == (RULE, [True])
    out.git(*shlex.split(back)[1:])
    assert out.git("symbolic-ref", "HEAD") == "refs/heads/main"
    assert out.git("for-each-ref", "--format=%(refname) %(objectname) %(symref)", "refs/heads/precious") == before


def test_a_branch_that_the_user_switches_to_is_told_by_the_checkout_itself(out: Bench) -> None:
    out.git("switch", "--quiet", "precious")
    assert told(out.work(1)) == ("spawn", [])


def ahead(bench: Bench, *words: str) -> str:
    """Have the run commit in its tree, and call git there with its commit for `@`; returns that."""
    tree = Bench(bench.tree)
    tree.write({"calc.py": "SNEAKED = 1\n"})
    tree.git("commit", "--quiet", "--all", "--message", "sneaked in")
    at = tree.git("rev-parse", "HEAD")
    tree.git(*(word.replace("@", at) for word in words))
    return at


FORWARD = {
    "a fetch": ("fetch", "--quiet", ".", "@:refs/heads/precious"),
    "a push": ("push", "--quiet", ".", "@:refs/heads/precious"),
    "a ref": ("update-ref", "refs/heads/precious", "@"),
    "base": ("update-ref", "refs/heads/main", "@"),
    "the user's checkout": ("-C", "../../..", "merge", "--quiet", "--ff-only", "@"),
}


@pytest.mark.parametrize("words", FORWARD.values(), ids=FORWARD)
def test_a_branch_that_a_run_moved_forward_is_told(words: tuple[str, ...], out: Bench) -> None:
    words = tuple(word.replace("../../..", str(out.root)) for word in words)
    transcript(out, "python3 tool.py")
    with meddled_with("the run moves a branch of the user's"):
        at = ahead(out, *words)
        action, warnings = told(out.work(1))
    assert (action, [f"moved forward to {at[:12]}" in warning for warning in warnings]) == ("spawn", [True])


def unseen(bench: Bench) -> str:
    """Make a commit that no checkout's reflog knows."""
    return bench.git("commit-tree", "-p", "main", "-m", "x", "main^{tree}")


IN_THEIR_CHECKOUT = {
    "a merge": ("merge", "--quiet", "--ff-only", "@"),
    "a pull": ("pull", "--quiet", ".", "@"),
    "a reset": ("reset", "--quiet", "--hard", "@"),
}


@pytest.mark.parametrize("words", IN_THEIR_CHECKOUT.values(), ids=IN_THEIR_CHECKOUT)
@pytest.mark.parametrize("call", ["git -C ../../.. pull . x", "git commit -m x"])
def test_a_checkout_is_believed_unless_a_run_was_there(call: str, words: tuple[str, ...], out: Bench) -> None:
    transcript(out, call)
    at = unseen(out)
    out.git(*(word.replace("@", at) for word in words))
    action, warnings = told(out.work(1))
    assert (action, [at[:12] in warning for warning in warnings]) == ("spawn", [True] if "-C" in call else [])


def test_a_reflog_that_a_run_can_have_written_is_not_believed(out: Bench) -> None:
    transcript(out, "git update-ref -m baton refs/heads/main x")
    at = unseen(out)
    out.git("update-ref", "-m", "baton", "refs/heads/main", at)
    assert [at[:12] in one for one in told(out.work(1))[1]] == [True]


HOME, REMOVED = "symbolic-ref HEAD refs/heads/main", ("worktree", "remove", "--force", "../side")


def test_a_checkout_that_a_run_removes_from_its_own_tree_is_asked_about(out: Bench) -> None:
    out.git("worktree", "add", "--quiet", "-b", "side", "../side")
    out.work(1)
    transcript(out, "git worktree remove --force ../side")
    out.git(*REMOVED)
    assert "git worktree add " in str(out.work(1)["question"])


@pytest.mark.parametrize("call", ["git -C ../../.. switch x", "git commit -m x"])
@pytest.mark.parametrize(("words", "back"), [
    (("switch", "--quiet", "--detach"), HOME), (("switch", "--quiet", "precious"), HOME),
    (("symbolic-ref", "HEAD", "refs/heads/nowhere"), HOME), (REMOVED, "git worktree add "),
], ids=["detached", "elsewhere", "nowhere", "removed"])  # fmt: skip
def test_a_checkout_that_a_run_led_elsewhere_is_asked_about(
    words: tuple[str, ...], back: str, call: str, implementing: Bench
) -> None:
    implementing.git("branch", "precious", "main")
    implementing.git("worktree", "add", "--quiet", "-b", "side", "../side")
    implementing.work()
    assert implementing.tree
    transcript(implementing, call)
    implementing.git(*words)
    step = implementing.work(1)
    assert (step["rule"] == RULE, back in str(step.get("question"))) == ("-C" in call, "-C" in call)


def test_a_tag_that_moved_is_lost_wherever_it_went(out: Bench) -> None:
    out.git("tag", "--force", "-m", "v1", "v1", unseen(out))
    step = out.work(1)
    assert (step["rule"], "v1" in step["reason"]) == (RULE, True)


def test_the_report_says_it_too(out: Bench) -> None:
    ahead(out, *FORWARD["a fetch"])
    _, warnings = told(out.work(1))
    out.implement()
    assert f"- {warnings[0]}" in Path(out.judge()["report"]).read_text()


def test_what_is_told_before_a_wait_is_told_after_it(out: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    waits = Step("42", "qa", "wait", "build/wait", "the tests run", warnings=["moved"], hold=lambda left: True)
    steps = iter([waits, waits, waits._replace(action="ask", warnings=["more"], hold=None)])
    monkeypatch.setattr("baton.story.next_step._advance", lambda *_: next(steps))
    assert out.next()["warnings"] == ["moved", "more"]


def test_what_another_story_merges_is_the_programs_doing(out: Bench) -> None:
    out.git("switch", "--quiet", "--detach")
    other = replace(out, id="43")
    other.new("Half", "--complexity", "1")
    other.next()
    assert other.deliver()["action"] == "complete"
    assert told(out.work(1)) == ("spawn", [])


def test_no_note_outlives_the_story(out: Bench) -> None:
    assert len(kept(out)) == 1
    out.implement()
    out.judge()
    assert kept(out) == []


def test_a_story_that_is_given_up_keeps_no_note(out: Bench) -> None:
    delete_branch(out)
    out.work(1)
    assert len(kept(out)) == 1
    out.baton("answer", "42", "abandon")
    assert kept(out) == []


def test_what_is_the_programs_or_an_agents_is_not_noted(out: Bench) -> None:
    out.git("branch", "worktree-agent-a9")
    out.work(1)
    listed: Any = json.loads(out.git("cat-file", "blob", f"{kept(out)[0]}:refs.json"))
    assert "refs/heads/precious" in listed["refs"]
    assert not [one for one in listed["refs"] if "agent" in one or "baton" in one or "story/42" in one]
    assert "On main: half done" in listed["stash"].values()


def test_a_ref_to_what_is_not_there_is_in_nobodys_way(out: Bench) -> None:
    out.write({".git/refs/heads/broken": "1234567890123456789012345678901234567890\n"})
    assert out.work(1)["action"] == "spawn"
    out.git("fsck", "--no-dangling", kept(out)[0])
    (out.root / ".git/refs/heads/broken").unlink()
    assert "git branch broken 1234567890" in out.work(1)["question"]["errors"][0]


def test_ten_thousand_refs_are_kept_and_looked_at(out: Bench) -> None:
    who = "committer B <b@example.com> 1700000000 +0000"
    lines = [f"commit refs/heads/many/{one}\n{who}\ndata 4\nx{one % 1000:03}\n" for one in range(1, 10_001)]
    out.git("fast-import", "--quiet", stdin="".join(lines))
    out.git("pack-refs", "--all")
    out.work(1)
    out.git("branch", "--delete", "--force", "many/77")
    step = out.work(1)
    assert "many/77" in step["reason"]
    assert len(out.git("rev-list", "--parents", "-n", "1", kept(out)[0]).split()) > 1_000


def test_a_repository_that_a_run_made_shallow_is_told(implementing: Bench) -> None:
    tip = implementing.git("rev-parse", "main")
    assert implementing.tree
    implementing.write({".git/shallow": f"{tip}\n"})
    assert any("made shallow" in one for one in implementing.work(1)["warnings"])
