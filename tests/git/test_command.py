"""Git as a user could type it: every path literal, nothing forced, nothing that is the user's touched."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from baton.errors import BatonError
from baton.git.branches import tree_with
from baton.git.command import Git, find_project, run_git
from baton.git.worktrees import NO_HOOKS
from baton.process import Result
from baton.story.checks.merge_conflicts import marker_sizes
from bench import Bench
from programs import write_program

PATHS = ["with space", "with\nline break", "\n", "ünï\u2028cöde\x85", "日本", "-dash", "quo'te\""]


def test_a_project_is_found_from_any_folder_of_it(bench: Bench) -> None:
    found = find_project(bench.root / "tools")
    assert (found.root, found.common) == (bench.root, bench.root / ".git")


def test_a_linked_work_tree_shares_the_journals(bench: Bench, tmp_path: Path) -> None:
    bench.git("worktree", "add", "--quiet", str(tmp_path / "linked"))
    linked = find_project(tmp_path / "linked")
    assert (linked.root, linked.state) == (tmp_path / "linked", bench.root / ".git/baton")
    assert linked.git_dir != linked.common


@pytest.mark.parametrize(("folder", "what"), [
    ("missing", "no such folder"), ("..", "not inside a git work tree"),
    *((place, "not inside a git work tree but in git's own folder") for place in (".git", ".git/refs")),
])  # fmt: skip
def test_outside_a_work_tree_there_is_no_project(folder: str, what: str, bench: Bench) -> None:
    with pytest.raises(BatonError, match=rf"^{what} at "):
        find_project(bench.root / folder)


@pytest.fixture
def bare(bench: Bench, tmp_path: Path) -> Path:
    """A bare clone beside the repository."""
    bench.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
    return tmp_path / "bare.git"


def test_a_bare_repository_is_named_with_the_way_to_a_clone(bare: Path, tmp_path: Path) -> None:
    with pytest.raises(BatonError, match=r"^not inside a git work tree but in a bare repository at ") as raised:
        find_project(bare)
    command = raised.value.remedy.split("`")[1].split()
    subprocess.run([*command, str(tmp_path / "clone")], check=True, capture_output=True)
    assert find_project(tmp_path / "clone").root == tmp_path / "clone"


def test_a_bare_repository_names_its_work_trees_and_each_is_a_project(bare: Path, tmp_path: Path) -> None:
    Bench(bare).git("worktree", "add", "--quiet", str(tmp_path / "tree"), "main")
    with pytest.raises(BatonError) as raised:
        find_project(bare)
    assert raised.value.remedy == f"call baton from one of its work trees: {tmp_path / 'tree'}"
    project = find_project(tmp_path / "tree")
    assert (project.root, project.common) == (tmp_path / "tree", bare)
    assert tree_with(Git(project), "main") == str(tmp_path / "tree")


def test_a_work_tree_that_git_takes_for_bare_is_put_right_by_its_remedy(bench: Bench, tmp_path: Path) -> None:
    bench.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "tree"))
    bench.git("config", "extensions.worktreeConfig", "true")
    bench.git("config", "core.bare", "true")
    with pytest.raises(BatonError) as raised:
        find_project(tmp_path / "tree")
    Bench(tmp_path / "tree").git(*raised.value.remedy.split("`")[1].split()[1:])
    assert find_project(tmp_path / "tree").root == tmp_path / "tree"


def test_an_untrusted_repository_is_refused(bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
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
    assert tree_with(Git(found), "beside") == str(tmp_path / "at" / f"{name}2")


def test_a_submodule_is_a_project_that_has_its_base_checked_out(bench: Bench, tmp_path: Path) -> None:
    bench.git("clone", "--quiet", ".", str(tmp_path / "lib"))
    bench.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(tmp_path / "lib"), "lib")
    found = find_project(bench.root / "lib")
    assert (found.root, found.common) == (bench.root / "lib", bench.root / ".git/modules/lib")
    assert tree_with(Git(found), "main") == str(bench.root / "lib")


def test_a_push_gets_the_users_token(git: Git, bench: Bench, bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = bench.root / ".git" / "told"
    bench.hook("pre-push", f"env > '{told}'")
    monkeypatch.setenv("GITHUB_TOKEN", "x")
    git.do("push", "--quiet", "--", str(bare), "HEAD:refs/heads/other")
    assert "GITHUB_TOKEN=x" in told.read_text().splitlines()


def test_a_setting_of_the_environment_counts_without_a_token(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    for number, (key, value) in enumerate((("a.plain", "yes"), ("http.extraHeader", "Basic eDp5"))):
        monkeypatch.setenv(f"GIT_CONFIG_KEY_{number}", key)
        monkeypatch.setenv(f"GIT_CONFIG_VALUE_{number}", value)
    monkeypatch.setenv("GIT_CONFIG_COUNT", "2")
    assert git.do("config", "--get", "a.plain") == "yes\n"
    assert git.ask("config", "--get", "http.extraHeader").code == 1


def test_no_file_system_monitor_is_run(git: Git, bench: Bench) -> None:
    ran = bench.root / ".git" / "ran"
    write_program(bench.root / ".git/monitor", f"touch '{ran}'")
    bench.git("config", "core.fsmonitor", ".git/monitor")
    git.do("status")
    assert not ran.exists()
    bench.git("status")
    assert ran.exists()


def test_a_committed_file_is_read_without_its_replacement(git: Git, bench: Bench) -> None:
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
def test_an_ignored_file_is_found_whatever_the_environment_says_of_patterns(
    name: str, git: Git, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "1")
    bench.write({".gitignore": "*.log\n"})
    assert (git.ignored_by("a.log"), git.ignored_by("a.txt")) == (".gitignore:1:*.log", "")


@pytest.mark.parametrize("name", ["GIT_GLOB_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_NAMESPACE"])
def test_no_other_git_variable_counts(name: str, git: Git, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "1")
    bench.write({"calc.py": "A = 1\n"})
    git.do("add", "--", "calc.py")
    assert bench.git("diff", "--cached", "--name-only") == "calc.py"


def test_variables_that_mislead_git_are_out(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "elsewhere"))
    assert find_project(bench.root).root == bench.root
    assert Git(find_project(bench.root)).do("diff", "--name-only") == ""


def test_a_path_that_was_committed_is_known_even_when_it_is_deleted(git: Git, bench: Bench) -> None:
    (bench.root / "calc.py").unlink()
    assert (git.has("calc.py"), git.has("none.py")) == (True, False)


def test_a_committed_file_is_read_from_its_branch(git: Git, bench: Bench) -> None:
    bench.write({"calc.py": "MINE = 1\n"})
    assert git.committed_text("main", "calc.py") == "def add(a, b):\n    return a + b\n"
    assert git.committed_text("main", "none.py") is git.committed_text("none", "calc.py") is None


@pytest.mark.parametrize("name", ["--all", "-x", "HEAD~99", "no such", "main:calc.py"])
def test_a_name_of_no_commit_gives_none(name: str, git: Git) -> None:
    assert git.commit_of(name) == git.branch_commit(name) == ""


@pytest.mark.parametrize("who", ["AUTHOR", "COMMITTER"])
def test_git_needs_author_and_committer(who: str, git: Git, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.git("config", "user.useConfigOnly", "true")
    assert git.has_identity
    monkeypatch.delenv(f"GIT_{who}_EMAIL")
    assert not git.has_identity


def test_an_ignored_file_is_known(git: Git) -> None:
    assert git.ignored_by("x.log")
    assert not git.ignored_by("calc.py")


def test_attributes_that_cannot_be_read_are_not_taken_for_none(git: Git) -> None:
    (git.project.git_dir / "config").write_text("[core\n")
    with pytest.raises(BatonError, match="bad config line"):
        marker_sizes(git, ["calc.py"])


def test_a_failure_is_told_with_gits_words(git: Git) -> None:
    with pytest.raises(BatonError, match=r"^`git switch` failed \(fatal: invalid reference: nowhere\) at "):
        git.do("switch", "nowhere")


def test_a_git_that_cannot_look_has_not_said_no(git: Git, bench: Bench) -> None:
    assert (git.commit_of("nothing"), git.committed_text("main", "nothing")) == ("", None)
    (bench.root / ".git" / "config").write_text("[core\n")
    git.store.close()
    with pytest.raises(BatonError, match="bad config line"):
        git.commit_of("HEAD")
    with pytest.raises(BatonError, match="bad config line"):
        git.committed_text("main", "calc.py")


@pytest.mark.parametrize("lost", ["main", "main^{tree}", "main:calc.py"], ids=["commit", "tree", "file"])
def test_a_lost_object_is_not_taken_for_a_missing_file(lost: str, git: Git, bench: Bench) -> None:
    name = bench.git("rev-parse", lost)
    (bench.root / ".git" / "objects" / name[:2] / name[2:]).unlink()
    with pytest.raises(BatonError, match=r"missing or damaged in git.s store"):
        git.blob("main", "calc.py")


def test_a_program_that_cannot_be_started_is_one_line(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr("subprocess.Popen", fail)
    with pytest.raises(BatonError, match=r"`git` cannot be started .* Resource temporarily unavailable"):
        git.do("status")


@pytest.mark.parametrize(("words", "seen"), [
    (("push", "--", "there", "HEAD:x"), True), ((*NO_HOOKS, "push", "--", "there", "HEAD:x"), True),
    ((*NO_HOOKS, "status"), False),
])  # fmt: skip
def test_calls_to_a_remote_always_see_the_tokens(
    bench: Bench, words: tuple[str, ...], seen: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[Mapping[str, str]] = []

    def note(_: object, __: object, environment: Mapping[str, str], *more: object) -> Result:
        given.append(environment)
        return Result(0, "", "")

    monkeypatch.setenv("GH_TOKEN", "x")
    monkeypatch.setattr("baton.process.run", note)
    run_git(bench.root, *words)
    assert [("GH_TOKEN" in one) for one in given] == [seen]
