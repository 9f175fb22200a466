"""What the stand-in needs is fetched whole, or it is said why it is not there."""

import os
from pathlib import Path

import pytest

from fake_github import provision
from fetched import Missing
from programs import write_program


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the only folder on PATH, in a machine with nothing fetched."""
    programs = tmp_path / "bin"
    programs.mkdir()
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return programs


@pytest.mark.parametrize(("version", "enough"), [
    ("gh version 2.23.0 (2023-02-27 Debian 2.23.0+dfsg1-1)", True), ("gh version 2.100.1", True),
    ("gh version 3.0.0", True), ("gh version 2.22.1", False), ("gh version 1.99.0", False), ("", False),
])  # fmt: skip
def test_a_version_is_new_enough_or_not(version: str, enough: bool) -> None:
    assert provision.new_enough(version) is enough


def test_a_gh_on_the_path_is_used_if_it_is_new_enough(bare: Path) -> None:
    write_program(bare / "gh", "echo gh version 2.40.1")
    assert provision.gh.__wrapped__() == bare / "gh"


@pytest.mark.parametrize("version", ["2.4.0", ""])
def test_a_gh_that_is_too_old_is_not_used(bare: Path, version: str) -> None:
    write_program(bare / "gh", f"echo gh version {version}")
    found = provision.gh.__wrapped__()
    assert found == Missing("gh 2.23 or later is not installed, and there is no apt-get")


def test_packages_that_cannot_be_reached_are_a_reason(bare: Path) -> None:
    write_program(bare / "apt-get", "echo 'E: no network' >&2; exit 100")
    write_program(bare / "dpkg-deb", "exit 1")
    found = provision.gh.__wrapped__()
    assert found == Missing("`apt-get … update` failed: E: no network")


def test_a_schema_that_cannot_be_fetched_is_a_reason(bare: Path) -> None:
    assert provision.schema.__wrapped__() == Missing(
        f"npm, which fetches {provision.SCHEMA_PACKAGE}, is not installed"
    )


def test_another_package_than_the_pinned_one_is_not_used(bare: Path, tmp_path: Path) -> None:
    write_program(bare / "npm", 'for folder; do :; done; echo x >"$folder/some.tgz"')
    found = provision.schema.__wrapped__()
    assert isinstance(found, Missing)
    assert "its sha512 differs" in found.reason
    assert os.listdir(tmp_path / "cache" / "baton-tests" / "github-schema") == ["15.26.1.lock"]
