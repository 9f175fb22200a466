"""Trees, merges and commits are made in git's store; no branch moves, no file changes, no hook runs."""

import pytest

from baton.errors import BatonError
from baton.git.command import Git
from baton.git.objects import (
    commit_tree,
    drop_refs,
    files_in,
    merge_trees,
    parents_of,
    set_ref,
    tree_of,
    with_files,
)
from baton.git.paper_trees import changes_between, same_code, with_papers, without_papers
from baton.journal.paths import Papers
from bench import Bench


@pytest.fixture(autouse=True)
def other(bench: Bench) -> None:
    """A second branch, at the same commit."""
    bench.git("branch", "other")


@pytest.mark.parametrize("setting", ["merge.renames", "diff.renames"])
def test_a_merge_follows_a_rename_and_touches_nothing(setting: str, git: Git, bench: Bench) -> None:
    bench.git("config", setting, "false")
    bench.git("mv", "calc.py", "sum.py")
    bench.git("commit", "--quiet", "--message", "renamed")
    bench.commit({"calc.py": "def add(a, b):\n    return a + b  # sum\n"}, "other")
    before = bench.git("for-each-ref"), bench.changes
    merged = merge_trees(git, "main", "other")
    assert (merged.conflicts, bench.git("show", f"{merged.tree}:sum.py").endswith("# sum")) == ([], True)
    assert (bench.git("for-each-ref"), bench.changes) == before


def test_a_newer_git_follows_renames_whatever_is_set(git: Git, bench: Bench) -> None:
    bench.git("config", "merge.renames", "false")  # an older one does not look at it
    assert git.do("config", "--get", "merge.renames") == "true\n"


def test_a_conflict_names_the_files_and_leaves_its_markers_in_the_tree(git: Git, bench: Bench) -> None:
    bench.commit({"calc.py": "OURS = 1\n", "ü b.txt": "ours\n"})
    bench.commit({"calc.py": "THEIRS = 1\n", "ü b.txt": "theirs\n"}, "other")
    merged = merge_trees(git, "main", "other")
    assert merged.conflicts == ["calc.py", "ü b.txt"]
    assert bench.git("show", f"{merged.tree}:calc.py").startswith("<<<<<<< ")


def test_a_conflict_that_leaves_no_file_in_conflict_is_one(git: Git, bench: Bench) -> None:
    bench.commit({f"d/{name}": f"{name}\n" * 9 for name in "abcd"})
    bench.git("branch", "--force", "other")
    bench.commit({"d/new": "new\n"}, "other")
    for folder, names in (("x", "ab"), ("y", "cd")):
        (bench.root / folder).mkdir()
        bench.git("mv", *(f"d/{name}" for name in names), folder)
    bench.git("commit", "--quiet", "--message", "split")
    assert merge_trees(git, "main", "other").conflicts == ["d"]


def test_a_branch_that_cannot_be_merged_is_one_line(git: Git) -> None:
    with pytest.raises(BatonError, match=r"^`git merge-tree` failed"):
        merge_trees(git, "main", "no-such-branch")


def test_an_object_that_is_gone_is_no_conflict(git: Git, bench: Bench) -> None:
    bench.commit({"calc.py": "ours\n"})
    bench.commit({"other.py": "theirs\n"}, "other")
    tree = bench.git("rev-parse", "other^{tree}")
    (bench.root / ".git/objects" / tree[:2] / tree[2:]).unlink()
    with pytest.raises(BatonError, match="Could not read"):
        merge_trees(Git(git.project), "main", "other")


def test_files_are_put_in_their_folders_and_all_others_stay(git: Git, bench: Bench) -> None:
    tree = with_files(git, "main", {"new/a/ü.sh": b"\xff\0\n", "new/b": b"", "tools/test.sh": b"#\n"})
    assert files_in(git, tree, "new") == {"a/ü.sh": b"\xff\0\n", "b": b""}
    assert bench.git("diff", "--name-only", "main", tree, "--", ".", ":!new") == "tools/test.sh"
    assert bench.git("diff", "--summary", "main", tree, "--", "tools") == ""  # what may be run still may


PAPERS = Papers("specs/42_x", "42")


@pytest.mark.parametrize(("name", "is_code"), [
    ("specs/42_x/42.qa-report.md", False), ("specs/42_x/handoffs/phase-1-handoff-20260101T000000Z.md", False),
    ("specs/42_x/summaries/implementation-summary-20260101.md", False), ("specs/42_x/story.md", False),
    ("specs/42_x/conftest.py", True), ("specs/42_x/43.qa-report.md", True), ("specs/42_x/a/story.md", True),
    ("specs/42_x/handoffs/evil.py", True), ("specs/42_x/Story.md", True), ("specs/42_x.md", True),
])  # fmt: skip
def test_all_in_a_storys_folder_is_code_but_its_papers(name: str, is_code: bool, git: Git, bench: Bench) -> None:
    bench.commit({name: "a\n"}, "other")
    assert same_code(git, "main", "other", PAPERS) != is_code
    assert (without_papers(git, "main", PAPERS) == without_papers(git, "other", PAPERS)) != is_code


def test_a_paper_that_is_no_plain_file_is_code(git: Git, bench: Bench) -> None:
    (bench.root / "specs/42_x").mkdir(parents=True)
    (bench.root / "specs/42_x/42.qa-report.md").symlink_to("/etc/hostname")
    bench.git("add", "specs")
    bench.git("commit", "--quiet", "--message", "link")
    assert not same_code(git, "other", "main", PAPERS)


def test_papers_are_put_beside_what_the_folder_holds(git: Git, bench: Bench) -> None:
    bench.commit({"specs/42_x/theirs.md": "t\n", "specs/42_x/42.qa-report.md": "old\n"}, "other")
    made = with_papers(git, tree_of(git, "other"), PAPERS, {"story.md": b"s"})
    assert files_in(git, made, "specs/42_x") == {"story.md": b"s", "theirs.md": b"t\n"}


def test_a_link_in_a_folder_is_no_file_of_it(git: Git, bench: Bench) -> None:
    (bench.root / "tools" / "link").symlink_to("/etc/hostname")
    bench.git("add", "tools/link")
    bench.git("commit", "--quiet", "--message", "link")
    assert sorted(files_in(git, "main", "tools")) == ["build.sh", "setup.sh", "test.sh"]


def test_a_commit_is_made_of_exactly_a_tree_and_no_hook_runs(git: Git, bench: Bench) -> None:
    for name in ("pre-commit", "commit-msg", "post-commit"):
        bench.hook(name, "touch ran; exit 1")
    commit = commit_tree(git, tree_of(git, "other"), [tree := bench.git("rev-parse", "main"), tree], "what\n\nwhy")
    assert (tree_of(git, commit), parents_of(git, commit)) == (tree_of(git, "other"), [tree])
    assert (bench.git("log", "-1", "--format=%B", commit), (bench.root / "ran").exists()) == ("what\n\nwhy", False)


def test_a_commit_is_signed_where_the_user_signs(git: Git, bench: Bench) -> None:
    bench.git("config", "gpg.program", "false")
    assert commit_tree(git, tree_of(git, "main"), [], "x")
    bench.git("config", "commit.gpgSign", "yes")
    with pytest.raises(BatonError, match=r"^`false` does not sign your commit"):
        commit_tree(git, tree_of(git, "main"), [], "x")


def test_the_programs_own_refs_go_together_and_no_others(git: Git, bench: Bench) -> None:
    for ref in ("refs/baton/4/a", "refs/baton/42/a"):
        set_ref(git, ref, bench.git("rev-parse", "main"))
    drop_refs(git, "refs/baton/4")
    assert bench.git("for-each-ref", "--format=%(refname)", "refs/baton").split() == ["refs/baton/42/a"]


def test_a_lost_blob_is_one_line(git: Git, bench: Bench) -> None:
    bench.commit({"tools/new.sh": "new\n"})
    blob = bench.git("rev-parse", "main:tools/new.sh")
    (bench.root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(BatonError, match=rf"^git cannot read what it keeps \({blob}: .*git fsck"):
        files_in(git, "main", "tools")


def test_differing_files_are_those_that_git_names(git: Git, bench: Bench) -> None:
    bench.commit({"a.b": "1\n", "a/x": "1\n", "d/same": "1\n", "d/e/ü": "1\n", "gone/f": "1\n", "mode": "1\n"})
    before = tree_of(git, "main")
    bench.git("rm", "--quiet", "-r", "a", "gone")
    bench.write({"a": "a file\n", "d/e/ü": "2\n", "new/sub/file": "1\n"})
    (bench.root / "mode").chmod(0o755)
    bench.git("add", "a", "d", "new", "mode")
    after = bench.git("write-tree")
    told = git.do("diff-tree", "-r", "-z", "--no-renames", before, after).split("\0")[:-1]
    ids = {name: tuple(one.split(" ")[2:4]) for one, name in zip(told[::2], told[1::2], strict=True)}
    found = {
        name: tuple(one.id if one else "0" * 40 for one in both)
        for name, both in changes_between(git, before, after).items()
    }
    assert ("mode" in found, "d/same" in found, [*found.items()]) == (True, False, [*ids.items()])
