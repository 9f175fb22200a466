"""A branch moves forward wherever it is checked out, and never over anything of the user's."""

import shlex
import shutil
from pathlib import Path

import pytest

from baton.errors import BatonError
from baton.git.branches import Advance, advance_branch, drop_branch, tree_with
from baton.git.command import Git, find_project
from baton.git.objects import set_refs
from baton.git.remotes import fetch_branch
from baton.git.unfinished import Forward
from bench import Bench

NEW = {"calc.py": "NEW = 1\n", "made.txt": "made\n"}


class Move:
    """A branch, with a later commit it is to move to."""

    def __init__(self, bench: Bench, branch: str) -> None:
        self.bench, self.branch, self.git = bench, branch, Git(find_project(bench.root))
        bench.git("branch", "later", branch)
        self.old, self.new = bench.git("rev-parse", branch), bench.commit(NEW, "later")

    def make(self) -> Advance:
        return advance_branch(self.git, self.branch, self.old, self.new)

    @property
    def at(self) -> str:
        return self.bench.git("rev-parse", self.branch)


@pytest.fixture
def free(bench: Bench) -> Move:
    """A branch that nobody has checked out."""
    bench.git("branch", "free")
    return Move(bench, "free")


@pytest.fixture
def base(bench: Bench) -> Move:
    """The branch that the user has checked out."""
    return Move(bench, "main")


def test_a_head_that_is_a_link_names_its_branch(base: Move) -> None:
    head = base.bench.root / ".git/HEAD"
    head.unlink()
    head.symlink_to("refs/heads/main")
    assert tree_with(base.git, "main") == str(base.bench.root)
    assert tree_with(base.git, "later") == ""


# Checked out nowhere


def test_a_branch_that_nobody_has_moves(free: Move) -> None:
    assert free.make().how == "moved"
    assert (free.at, free.bench.changes, free.make().how) == (free.new, "", "moved")


def test_a_branch_that_is_not_there_yet_is_made(free: Move) -> None:
    assert advance_branch(free.git, "story/42-x", "", free.new).how == "moved"
    assert advance_branch(free.git, "story/42-x", "", free.old).how == "lost"


def test_a_branch_that_moved_meanwhile_stays_where_it_is(free: Move) -> None:
    theirs = free.bench.commit({"theirs.txt": "x\n"}, "free")
    assert (free.make().how, free.at) == ("lost", theirs)


def test_a_branch_that_moves_before_the_move_is_lost(free: Move, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs: list[str] = []

    def moves(*_: object) -> str:
        theirs.append(free.bench.commit({"t": "x\n"}, "free"))
        return ""

    monkeypatch.setattr("baton.git.branches.user_of", moves)
    assert (free.make().how, [free.at]) == ("lost", theirs)


def test_a_lock_that_git_left_is_named(free: Move) -> None:
    lock = free.bench.root / ".git/refs/heads/free.lock"
    lock.touch()
    assert (free.make().how, str(lock) in free.make().said) == ("in the way", True)


# Checked out


def test_a_branch_that_is_checked_out_moves_with_its_files(base: Move) -> None:
    assert base.make() == Advance("moved")
    assert ((base.bench.root / "made.txt").read_text(), base.bench.changes) == ("made\n", "")


def test_other_changes_of_the_user_stay_as_they_are(base: Move) -> None:
    base.bench.write({"tools/test.sh": "mine\n"})
    base.bench.git("add", "tools/test.sh")
    assert base.make().how == "moved"
    assert base.bench.changes == "M  tools/test.sh"


IN_THE_WAY = {
    "a change": {"calc.py": "MINE = 1\n"},
    "a new file": {"made.txt": "mine\n"},
    "a file that git ignores": {"made.txt": "mine\n", ".git/info/exclude": "made.txt\n/my.env\n"},
}


@pytest.mark.parametrize("autostash", ["true", "false"])
@pytest.mark.parametrize("mine", IN_THE_WAY.values(), ids=IN_THE_WAY)
def test_a_file_of_the_user_in_the_way_is_never_touched(mine: dict[str, str], autostash: str, base: Move) -> None:
    base.bench.git("config", "merge.autoStash", autostash)
    base.bench.write(mine)
    before = base.bench.git("status", "--porcelain", "--ignored"), base.bench.git("stash", "list")
    moved = base.make()
    assert (moved.how, base.at) == ("in the way", base.old)
    assert moved.remedy == f"`git -C {base.bench.root} merge --ff-only {base.new[:12]}`"
    assert (base.bench.git("status", "--porcelain", "--ignored"), base.bench.git("stash", "list")) == before
    assert {name: (base.bench.root / name).read_text() for name in mine} == mine


def test_a_branch_that_another_tree_has_moves_there(free: Move, tmp_path: Path) -> None:
    free.bench.git("worktree", "add", "--quiet", str(tmp_path / "a tree"), "free")
    assert free.make().how == "moved"
    assert (tmp_path / "a tree/made.txt").exists()


def test_a_tree_that_is_gone_is_named_with_what_clears_it(free: Move, tmp_path: Path) -> None:
    free.bench.git("worktree", "add", "--quiet", str(tmp_path / "gone"), "free")
    shutil.rmtree(tmp_path / "gone")
    moved = free.make()
    assert (moved.how, moved.remedy) == ("in the way", f"`git worktree remove {tmp_path / 'gone'}`")
    free.bench.git("worktree", "remove", str(tmp_path / "gone"))
    assert free.make().how == "moved"


def test_a_tree_without_its_link_does_not_move_the_repository_above(free: Move) -> None:
    inside = free.bench.root / "inside"
    free.bench.git("worktree", "add", "--quiet", str(inside), "free")
    (inside / ".git").unlink()
    main = free.bench.git("rev-parse", "main")
    with pytest.raises(BatonError, match="lost its link to git"):
        free.make()
    assert free.bench.git("rev-parse", "main") == main
    free.bench.git("worktree", "repair")
    assert free.make().how == "moved"


def rebase(bench: Bench) -> None:
    bench.git("switch", "--quiet", "main")
    bench.git(
        "-c", "sequence.editor=sed -i 1s/pick/edit/", "rebase", "--quiet", "--interactive", "--root", code=None
    )
    assert (bench.root / ".git/rebase-merge").exists()


def bisect(bench: Bench) -> None:
    bench.git("bisect", "start", "main")
    bench.git("switch", "--quiet", "--detach")


def merge(bench: Bench) -> None:
    bench.git("merge", "--quiet", "--no-ff", "--no-commit", "hobby")


@pytest.mark.parametrize("begin", [rebase, bisect, merge])
def test_a_branch_that_is_being_worked_on_stays(begin: object, base: Move) -> None:
    assert callable(begin)
    begin(base.bench)
    moved = base.make()
    assert (moved.how, base.at, moved.remedy != "") == ("in the way", base.old, True)


# Deleted at the end


def test_a_branch_is_deleted_where_nobody_has_it_and_nothing_is_on_it(free: Move, tmp_path: Path) -> None:
    assert not drop_branch(free.git, "free", free.new)
    free.bench.git("worktree", "add", "--quiet", str(tmp_path / "tree"), "free")
    assert not drop_branch(free.git, "free", free.old)
    free.bench.git("worktree", "remove", str(tmp_path / "tree"))
    assert drop_branch(free.git, "free", free.old)
    assert tree_with(free.git, "free") == free.bench.git("branch", "--list", "free") == ""


# Broken off


def refuse(move: Move) -> Path:
    """Have a hook refuse the branch at the end, as some do that protect it; gives it."""
    move.bench.hook("reference-transaction", 'test "$1" != prepared || ! grep -q refs/heads/main || exit 1')
    return move.bench.root / ".git/hooks/reference-transaction"


def test_a_fast_forward_that_is_refused_late_leaves_the_checkout_as_it_was(base: Move) -> None:
    base.bench.write({"tools/build.sh": "mine\n"})
    before = base.bench.changes
    hook = refuse(base)
    assert (base.make().how, base.bench.changes, base.at) == ("in the way", before, base.old)
    assert not (base.bench.root / "made.txt").exists()
    hook.unlink()
    assert (base.make().how, base.bench.changes) == ("moved", before)


@pytest.mark.parametrize("half", [
    {"calc.py": "NEW = 1\n"}, {"calc.py": "NE"}, {"calc.py": None}, {"made.txt": "ma"},
    {"calc.py": "NEW = 1\n", "made.txt": ""},
])  # fmt: skip
def test_half_a_move_that_git_died_in_is_undone_and_made_again(half: dict[str, str | None], base: Move) -> None:
    Forward(base.git, base.old, base.new).begin()
    for name, text in half.items():
        path = base.bench.root / name
        path.unlink() if text is None else path.write_text(text)
    assert (base.make().how, base.bench.changes, base.at) == ("moved", "", base.new)


@pytest.mark.parametrize("name", NEW)
def test_a_file_that_git_did_not_write_stays(name: str, base: Move) -> None:
    Forward(base.git, base.old, base.new).begin()
    base.bench.write({name: "mine\n"})
    assert base.make().how == "in the way"
    assert (base.bench.root / name).read_text() == "mine\n"


@pytest.mark.parametrize("name", NEW)
def test_your_own_file_that_is_as_the_merge_has_it_is_left_to_you(name: str, base: Move) -> None:
    base.bench.write({name: NEW[name]})
    assert base.make().how == "in the way"
    assert (base.bench.root / name).read_text() == NEW[name]


# Symbolic refs


def test_a_symbolic_ref_is_never_moved_and_what_it_leads_to_stays(free: Move) -> None:
    free.bench.git("symbolic-ref", "refs/heads/alias", "refs/heads/free")
    moved = advance_branch(free.git, "alias", free.old, free.new)
    assert (moved.how, free.at) == ("in the way", free.old)
    free.bench.git(*shlex.split(moved.remedy.partition("`")[2].partition("`")[0])[1:])
    assert advance_branch(free.git, "alias", free.old, free.new).how == "moved"
    assert (free.at, free.bench.git("rev-parse", "alias")) == (free.old, free.new)


def test_deleting_or_setting_a_symbolic_ref_leaves_its_target(free: Move) -> None:
    for name in ("refs/heads/alias", "refs/baton/42/run", "refs/baton/42/gone"):
        free.bench.git("symbolic-ref", name, "refs/heads/free")
    assert drop_branch(free.git, "alias", free.old)
    set_refs(free.git, {"refs/baton/42/run": free.new, "refs/baton/42/gone": ""})
    assert (free.at, free.bench.git("rev-parse", "refs/baton/42/run")) == (free.old, free.new)


def test_fetching_writes_through_no_symbolic_ref(free: Move) -> None:
    free.bench.git("symbolic-ref", "refs/baton/42/base", "refs/heads/free")
    assert fetch_branch(free.git, ".", "later", "refs/baton/42/base") == free.new
    assert free.at == free.old
