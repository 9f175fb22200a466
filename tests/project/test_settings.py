"""Where settings come from, and what was settled on this machine."""

from unittest.mock import Mock

import pytest

from baton.artifacts import schema
from baton.errors import BatonError
from baton.git.command import Git
from baton.project.settings import ConfirmedSettings, confirm, find_base, read_confirmed, read_settings
from bench import Bench


def drop_hobby(bench: Bench) -> None:
    """Leave no branch beside the one that is checked out."""
    bench.git("worktree", "remove", "--force", str(bench.beside))
    bench.git("branch", "--quiet", "-D", "hobby")


@pytest.mark.parametrize("branch", ["main", "master", "trunk"])
def test_without_a_remote_the_base_is_main_master_or_where_one_is(branch: str, git: Git, bench: Bench) -> None:
    bench.git("branch", "--move", branch)
    drop_hobby(bench)
    assert find_base(git) == branch


def test_the_base_is_what_origin_calls_its_head(git: Git, bench: Bench) -> None:
    bench.git("branch", "release/1.x")
    bench.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/release/1.x")
    assert find_base(git) == "release/1.x"


@pytest.mark.parametrize("ref", ["refs/heads/develop", "refs/remotes/origin/develop"])
def test_a_branch_that_is_checked_out_is_no_base_beside_others(ref: str, git: Git, bench: Bench) -> None:
    bench.git("branch", "--move", "theirs")
    bench.git("update-ref", ref, "theirs")
    with pytest.raises(BatonError, match=r"which branch is the base .*`git remote set-head origin -a`"):
        find_base(git)
    bench.git("branch", "--force", "develop", "theirs")
    bench.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/develop")
    assert find_base(git) == "develop"


def test_a_storys_branch_is_no_base(git: Git, bench: Bench) -> None:
    bench.git("branch", "--move", "trunk")
    drop_hobby(bench)
    bench.git("checkout", "--quiet", "-b", "story/1-x")
    assert find_base(git) == "trunk"


def test_a_started_story_keeps_its_base(git: Git, bench: Bench) -> None:
    bench.git("branch", "other")
    bench.commit({".baton.yaml": "base: main\nloop: {max_iterations: 9}\n"}, "other")
    base, config = read_settings(git, "other")
    assert (base, config.max_iterations) == ("other", 9)


def test_a_base_that_is_gone_is_told_with_where_it_was(git: Git) -> None:
    with pytest.raises(BatonError, match=r"no branch other to merge .* `git branch other abc`"):
        read_settings(git, "other", "abc")


@pytest.mark.parametrize("text", ["base: [main]\n", "retries: {planning: 0}\n", "a: b: c\n", "base: &x main\n"])
def test_settings_that_are_not_valid_are_one_line_with_their_branch(text: str, git: Git, bench: Bench) -> None:
    bench.commit({".baton.yaml": text})
    with pytest.raises(BatonError, match=r"at \.baton\.yaml on main.*fix it and commit it"):
        read_settings(git, "")


def is_checked(git: Git, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Read the settings; gives whether they were checked for it."""
    check = Mock(return_value=[])
    monkeypatch.setattr("baton.artifacts.load_config.check_schema", check)
    read_settings(git, "main")
    return check.called


def test_valid_settings_are_not_checked_again(git: Git, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.new()
    assert not is_checked(git, monkeypatch)
    bench.commit({".baton.yaml": "base: main\nloop: {max_iterations: 9}\n"})
    assert [is_checked(git, monkeypatch), is_checked(git, monkeypatch)] == [True, False]


def test_settings_that_were_valid_are_what_they_were(git: Git, bench: Bench) -> None:
    bench.new()
    bench.commit({".baton.yaml": "commands: {test: \u2028é}\nagents: {qa: {model: '1.10'}}\n"})
    first = read_settings(git, "main")
    assert (first[1].commands, first[1].models) == ({"test": "é"}, {"qa": "1.10"})
    assert read_settings(git, "main") == first


def test_nothing_that_settings_say_is_kept_beside_the_journals(git: Git, bench: Bench) -> None:
    bench.new()
    bench.commit({".baton.yaml": "base: main\ncommands: {test: make check}\n"})
    first = read_settings(git, "main")
    for kept in (git.project.state / "valid").iterdir():
        assert kept.read_bytes() == b""
        kept.write_text('{"commands": {}}')
    assert read_settings(git, "main") == first


def test_settings_that_are_not_valid_are_refused_each_time(git: Git, bench: Bench) -> None:
    bench.new()
    bench.commit({".baton.yaml": "retries: {planning: 0}\n"})
    for _ in range(2):
        with pytest.raises(BatonError, match="fix it and commit it"):
            read_settings(git, "main")


def test_settings_of_another_schema_are_checked(git: Git, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.new()
    monkeypatch.setattr(schema, "schema_text", lambda name: "{}")
    assert is_checked(git, monkeypatch)


def test_reading_settings_leaves_nothing_where_no_story_was_made(git: Git) -> None:
    read_settings(git, "main")
    assert not git.project.state.exists()


def test_confirmed_settings_are_read_back(git: Git) -> None:
    assert read_confirmed(git.project) == ConfirmedSettings()
    confirm(git.project, mode="local")
    for commands in "aba":
        confirm(git.project, commands=commands)
    assert read_confirmed(git.project) == ConfirmedSettings("local", ("a", "b"))


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"mode": "local"}'])
def test_a_damaged_confirmation_is_never_taken_for_none(text: str, git: Git, bench: Bench) -> None:
    confirm(git.project)
    (git.project.state / "confirmed.json").write_text(text)
    with pytest.raises(BatonError, match=r"^unreadable \("):
        read_confirmed(git.project)
