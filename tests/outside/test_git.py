"""Git as a user could type it: every path literal, nothing forced, nothing that is the user's touched."""

import json
import subprocess
from pathlib import Path

import pytest

from baton.errors import BatonError
from baton.outside.commits import Commit, commit_changes, commit_folder, conflicts, merge
from baton.outside.git import Git, find_project
from bench import OWN_FILES, Bench

PATHS = ["with space", "with\nline break", "\n", "ünï\u2028cöde\x85", "日本", "-dash", "quo'te\""]
NAMES = ["a b.txt", "ünï.txt", "-dash", ":(top)x", "*.py", "q'\"uote", "tab\tbed", "back\\slash"]


@pytest.fixture
def git(bench: Bench) -> Git:
    return Git(find_project(bench.root))


def test_a_project_is_found_from_any_folder_of_it(bench: Bench) -> None:
    found = find_project(bench.root / "tools")
    assert (found.root, found.common) == (bench.root, bench.root / ".git")


def test_a_linked_work_tree_shares_the_journals(bench: Bench, tmp_path: Path) -> None:
    bench.git("worktree", "add", "--quiet", str(tmp_path / "linked"))
    linked = find_project(tmp_path / "linked")
    assert (linked.root, linked.state) == (tmp_path / "linked", bench.root / ".git/baton")
    assert linked.git_dir != linked.common


@pytest.mark.parametrize(
    ("folder", "what"),
    [
        ("missing", "no such folder"),
        (".git", "not inside a git work tree but in git's own folder"),
        (".git/refs", "not inside a git work tree but in git's own folder"),
        ("..", "not inside a git work tree"),
    ],
)
def test_outside_a_work_tree_there_is_no_project(folder: str, what: str, bench: Bench) -> None:
    with pytest.raises(BatonError, match=rf"^{what} at "):
        find_project(bench.root / folder)


def test_a_bare_repository_is_named_with_the_way_to_a_clone(bench: Bench, tmp_path: Path) -> None:
    bench.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
    with pytest.raises(BatonError, match=r"^not inside a git work tree but in a bare repository at ") as raised:
        find_project(tmp_path / "bare.git")
    command = raised.value.remedy.split("`")[1].split()
    subprocess.run([*command, str(tmp_path / "clone")], check=True, capture_output=True)
    assert find_project(tmp_path / "clone").root == tmp_path / "clone"


def test_a_work_tree_beside_a_bare_repository_is_a_project(bench: Bench, tmp_path: Path) -> None:
    bench.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
    beside = Bench(tmp_path / "bare.git")
    beside.git("worktree", "add", "--quiet", str(tmp_path / "tree"), "main")
    project = find_project(tmp_path / "tree")
    assert (project.root, project.common) == (tmp_path / "tree", tmp_path / "bare.git")
    assert Git(project).work_tree_of("main") == ""


def test_a_repository_git_does_not_trust_is_refused_with_gits_own_remedy(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    with pytest.raises(BatonError, match=r"^the folder is another user's") as raised:
        find_project(bench.root)
    subprocess.run(raised.value.remedy.strip("`").split(), check=True)
    assert find_project(bench.root).root == bench.root


def test_a_repository_git_cannot_read_is_told_in_gits_words(bench: Bench) -> None:
    bench.git("config", "core.repositoryFormatVersion", "99")
    with pytest.raises(BatonError, match=r"git cannot read this repository \(fatal: .*version"):
        find_project(bench.root)


@pytest.mark.parametrize("name", PATHS)
def test_a_project_is_found_at_any_path(name: str, bench: Bench, tmp_path: Path) -> None:
    root = tmp_path / "at" / name
    bench.git("clone", "--quiet", ".", str(root))
    (root / "deep").mkdir()
    found = find_project(root / "deep")
    assert (found.root, found.git_dir, found.common) == (root, root / ".git", root / ".git")
    Bench(root).git("worktree", "add", "--quiet", "-b", "beside", str(tmp_path / "at" / f"{name}2"))
    assert Git(found).work_tree_of("beside") == str(tmp_path / "at" / f"{name}2")


def test_a_submodule_is_a_project_whose_base_is_checked_out_nowhere_else(bench: Bench, tmp_path: Path) -> None:
    bench.git("clone", "--quiet", ".", str(tmp_path / "lib"))
    bench.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(tmp_path / "lib"), "lib")
    found = find_project(bench.root / "lib")
    assert (found.root, found.common) == (bench.root / "lib", bench.root / ".git/modules/lib")
    assert Git(found).work_tree_of("main") == ""


def says_environment(bench: Bench, hook: str) -> Path:
    """Make a hook write down the environment it gets; gives where."""
    told = bench.root / ".git" / "told"
    bench.hook(hook, f"env > '{told}'")
    return told


@pytest.mark.parametrize(("name", "value", "kept"), [
    ("GITHUB_TOKEN", "x", False), ("DB_PASS", "x", False), ("A_URL", "postgres://u:pw@h/d", False),
    ("SSH_AUTH_SOCK", "/run/agent", True), ("GPG_TTY", "/dev/pts/1", True), ("PLAIN", "x", True),
    ("GIT_AUTHOR_NAME", "Ada", True),
])  # fmt: skip
def test_a_commit_hook_gets_no_credential_but_the_agents_that_sign(
    name: str, value: str, kept: bool, git: Git, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = says_environment(bench, "pre-commit")
    monkeypatch.setenv(name, value)
    bench.write({"calc.py": "A = 1\n"})
    assert commit_changes(git, [], "changes").commit
    assert (f"{name}={value}" in told.read_text().splitlines()) is kept


def test_a_push_gets_the_users_token(
    git: Git, bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = says_environment(bench, "pre-push")
    bench.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
    monkeypatch.setenv("GITHUB_TOKEN", "x")
    git.do("push", "--quiet", "--", str(tmp_path / "bare.git"), "HEAD:refs/heads/other")
    assert "GITHUB_TOKEN=x" in told.read_text().splitlines()


def test_a_setting_given_by_the_environment_counts_unless_it_holds_a_token(
    git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, (key, value) in enumerate((("a.plain", "yes"), ("http.extraHeader", "Basic eDp5"))):
        monkeypatch.setenv(f"GIT_CONFIG_KEY_{number}", key)
        monkeypatch.setenv(f"GIT_CONFIG_VALUE_{number}", value)
    monkeypatch.setenv("GIT_CONFIG_COUNT", "2")
    assert git.do("config", "--get", "a.plain") == "yes\n"
    assert git.ask("config", "--get", "http.extraHeader").code == 1


def test_no_file_system_monitor_is_run(git: Git, bench: Bench) -> None:
    ran = bench.root / ".git" / "ran"
    (bench.root / ".git/monitor").write_text(f"#!/bin/sh\ntouch '{ran}'\n")
    (bench.root / ".git/monitor").chmod(0o755)
    bench.git("config", "core.fsmonitor", ".git/monitor")
    git.do("status")
    assert not ran.exists()
    bench.git("status")
    assert ran.exists()


def test_what_was_committed_is_read_and_not_what_replaces_it(git: Git, bench: Bench) -> None:
    other = bench.git("hash-object", "-w", "--stdin", stdin="replaced\n").strip()
    bench.git("replace", bench.git("rev-parse", "HEAD:calc.py").strip(), other)
    assert bench.git("cat-file", "blob", "HEAD:calc.py") == "replaced"
    assert git.committed_text("main", "calc.py") == "def add(a, b):\n    return a + b\n"


def test_history_is_read_as_it_was_committed_and_not_as_it_is_grafted(git: Git, bench: Bench) -> None:
    first = bench.git("rev-parse", "HEAD").strip()
    bench.commit({"calc.py": "A = 1\n"})
    (bench.root / ".git/info").mkdir(exist_ok=True)
    (bench.root / ".git/info/grafts").write_text(bench.git("rev-parse", "HEAD"))
    assert git.contains(first, "HEAD")
    bench.git("merge-base", "--is-ancestor", first, "HEAD", code=1)


@pytest.mark.parametrize("name", ["GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS"])
def test_what_is_ignored_is_found_whatever_the_environment_says_of_patterns(
    name: str, git: Git, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "1")
    bench.write({".gitignore": "*.log\n"})
    assert (git.ignores("a.log"), git.ignores("a.txt")) == (True, False)


@pytest.mark.parametrize("name", ["GIT_GLOB_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_NAMESPACE"])
def test_what_else_the_environment_says_to_git_does_not_count(
    name: str, git: Git, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "1")
    bench.write({"calc.py": "A = 1\n"})
    assert commit_changes(git, [], "changes").commit


def test_where_git_is_pointed_to_by_the_environment_does_not_count(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "elsewhere"))
    assert find_project(bench.root).root == bench.root
    assert Git(find_project(bench.root)).tracked_changes() == []


def untracked(git: Git) -> list[str]:
    """What git does not track, a person's own files aside."""
    return sorted(one for one in git.untracked() if one not in OWN_FILES)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_of_any_name_is_committed_alone(name: str, git: Git, bench: Bench) -> None:
    bench.write({name: "x\n", "other.py": "x\n"})
    assert untracked(git) == sorted([name, "other.py"])
    commit = commit_changes(git, [name], "one").commit
    listed = bench.git("diff-tree", "--no-commit-id", "--name-only", "-r", "-z", commit)
    assert listed.strip("\0") == name
    assert untracked(git) == ["other.py"]


def test_changes_staged_or_not_are_tracked_changes(git: Git, bench: Bench) -> None:
    bench.write({"calc.py": "A = 1\n", "tools/test.sh": "false\n", "new.py": "x\n"})
    bench.git("add", "tools/test.sh")
    assert sorted(git.tracked_changes()) == ["calc.py", "tools/test.sh"]
    assert git.staged_new() == []
    bench.git("add", "new.py")
    assert git.staged_new() == ["new.py"]


def test_unstaging_leaves_the_file_as_it_is(git: Git, bench: Bench) -> None:
    bench.write({"new.py": "x\n"})
    bench.git("add", "new.py")
    bench.write({"new.py": "y\n"})
    git.unstage(["new.py"])
    assert (untracked(git), (bench.root / "new.py").read_text()) == (["new.py"], "y\n")


def test_a_folder_is_committed_without_what_is_staged_elsewhere(git: Git, bench: Bench) -> None:
    bench.write({"calc.py": "A = 1\n", "docs/a.md": "a\n"})
    bench.git("add", "calc.py")
    commit = commit_folder(git, "docs", "docs").commit
    assert bench.committed(commit) == ["docs/a.md"]
    assert git.tracked_changes() == ["calc.py"]


@pytest.mark.parametrize("changed", [True, False])
def test_a_commit_is_made_only_when_something_differs(changed: bool, git: Git, bench: Bench) -> None:
    if changed:
        bench.write({"calc.py": "A = 1\n"})
    assert bool(commit_changes(git, [], "changes").commit) == changed
    assert commit_folder(git, "tools", "folder") == Commit("")


def test_what_a_hook_says_of_a_commit_is_given(git: Git, bench: Bench) -> None:
    bench.hook("pre-commit", "echo line 1 is too long; exit 1")
    bench.write({"calc.py": "A = 1\n"})
    assert commit_changes(git, [], "changes") == Commit("", "line 1 is too long")


def test_a_hook_that_mends_what_it_refuses_is_heard_once_more(git: Git, bench: Bench) -> None:
    bench.hook("pre-commit", 'grep -q mended calc.py && exit 0; echo "# mended" >> calc.py; exit 1')
    bench.write({"calc.py": "A = 1\n"})
    commit = commit_changes(git, [], "changes").commit
    assert bench.git("show", f"{commit}:calc.py") == "A = 1\n# mended"


def test_a_commit_that_fails_without_a_hook_is_no_matter_for_an_agent(git: Git, bench: Bench) -> None:
    bench.write({"calc.py": "A = 1\n"})
    bench.git("config", "commit.gpgSign", "true")
    bench.git("config", "gpg.program", "false")
    with pytest.raises(BatonError, match="`git commit` failed"):
        commit_changes(git, [], "changes")


@pytest.mark.parametrize(("path", "known"), [("calc.py", True), ("none.py", False)])
def test_a_path_that_was_committed_is_known_even_when_it_is_deleted(
    path: str, known: bool, git: Git, bench: Bench
) -> None:
    (bench.root / "calc.py").unlink()
    assert git.has(path) == known


def test_what_is_committed_on_a_branch_is_read_there(git: Git, bench: Bench) -> None:
    bench.write({"calc.py": "MINE = 1\n"})
    assert git.committed_text("main", "calc.py") == "def add(a, b):\n    return a + b\n"
    assert git.committed_text("main", "none.py") is None
    assert git.committed_text("none", "calc.py") is None


@pytest.mark.parametrize("name", ["--all", "-x", "HEAD~99", "no such", "main:calc.py"])
def test_what_names_no_commit_gives_none(name: str, git: Git) -> None:
    assert git.commit_of(name) == ""
    assert git.branch_commit(name) == ""


def test_a_conflict_is_foreseen_without_touching_anything(git: Git, bench: Bench) -> None:
    bench.git("branch", "other")
    theirs = bench.commit({"calc.py": "THEIRS = 1\n"}, "other")
    clean = bench.commit({"new.py": "NEW = 1\n"}, "main")
    bench.git("reset", "--quiet", "--hard")
    bench.write({"calc.py": "OURS = 1\n"})
    bench.git("commit", "--quiet", "--all", "--message", "ours")
    assert conflicts(git, "HEAD", clean) == []
    assert conflicts(git, "HEAD", theirs) == ["calc.py"]
    assert (git.tracked_changes(), git.unfinished) == ([], "")


def test_a_merge_that_fails_leaves_no_trace_and_an_earlier_one_alone(git: Git, bench: Bench) -> None:
    bench.git("branch", "other")
    theirs = bench.commit({"calc.py": "THEIRS = 1\n"}, "other")
    bench.write({"calc.py": "OURS = 1\n"})
    bench.git("commit", "--quiet", "--all", "--message", "ours")
    assert merge(git, theirs, "m").code != 0
    assert (git.unfinished, git.tracked_changes()) == ("", [])
    bench.git("merge", "other", code=1)
    with pytest.raises(BatonError, match="unmerged files"):
        merge(git, theirs, "m")
    assert git.unfinished == "merge"


def test_a_merge_is_a_merge_commit_even_where_none_is_needed(git: Git, bench: Bench) -> None:
    bench.git("branch", "other")
    theirs = bench.commit({"new.py": "NEW = 1\n"}, "other")
    bench.git("config", "merge.ff", "only")
    assert merge(git, theirs, "merged").code == 0
    assert bench.git("log", "-1", "--format=%s %P").split() == [
        "merged",
        *bench.git("rev-parse", "main^1", theirs).split(),
    ]


@pytest.mark.parametrize("who", ["AUTHOR", "COMMITTER"])
def test_both_who_wrote_and_who_commits_must_be_known(
    who: str, git: Git, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.git("config", "user.useConfigOnly", "true")
    assert git.has_identity
    monkeypatch.delenv(f"GIT_{who}_EMAIL")
    assert not git.has_identity


def test_another_work_tree_that_has_a_branch_is_named(git: Git, bench: Bench, tmp_path: Path) -> None:
    bench.git("worktree", "add", "--quiet", "-b", "other", str(tmp_path / "linked tree"))
    assert git.work_tree_of("other") == str(tmp_path / "linked tree")
    assert git.work_tree_of("main") == ""


def test_what_git_ignores_is_known(git: Git) -> None:
    assert git.ignores("x.log")
    assert not git.ignores("calc.py")


def test_a_failure_is_told_with_gits_words(git: Git) -> None:
    with pytest.raises(BatonError, match=r"^`git switch` failed \(fatal: invalid reference: nowhere\) at "):
        git.switch("nowhere")


def test_a_git_that_cannot_look_has_not_said_no(git: Git, bench: Bench) -> None:
    assert (git.commit_of("nothing"), git.committed_text("main", "nothing")) == ("", None)
    (bench.root / ".git" / "config").write_text("[core\n")
    with pytest.raises(BatonError, match="bad config line"):
        git.commit_of("HEAD")
    with pytest.raises(BatonError, match="bad config line"):
        git.committed_text("main", "calc.py")


@pytest.mark.parametrize("lost", ["main", "main^{tree}", "main:calc.py"], ids=["commit", "tree", "file"])
def test_what_git_has_lost_is_not_taken_for_a_file_that_is_not_there(lost: str, git: Git, bench: Bench) -> None:
    name = bench.git("rev-parse", lost)
    (bench.root / ".git" / "objects" / name[:2] / name[2:]).unlink()
    with pytest.raises(BatonError, match=r"^`git [a-z-]+` failed"):
        git.committed_text("main", "calc.py")


def test_a_program_that_cannot_be_started_is_one_line(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr("subprocess.run", fail)
    with pytest.raises(BatonError, match=r"`git` cannot be started .* Resource temporarily unavailable"):
        git.do("status")


def test_a_commit_is_on_the_disk_when_it_is_made(git: Git, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = bench.root / ".git" / "trace"
    bench.write({"calc.py": "CHANGED = 1\n"})
    monkeypatch.setenv("GIT_TRACE2_EVENT", str(trace))
    assert commit_changes(git, [], "changes").commit
    events = [json.loads(line) for line in trace.read_text().splitlines()]
    flushed = [int(one["value"]) for one in events if one.get("category") == "fsync" and "flush" in one["key"]]
    assert sum(flushed) > 2, "the blob, the tree, the commit and the branch"
