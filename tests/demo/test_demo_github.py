"""The demo of a delivery as a user runs it: from an issue to merged, with one check that fails."""

import json
from pathlib import Path

import pytest

from demo.test_demo import Shown, git, show
from demo.test_demo_pr import programs


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    """The demo kept in a folder, where the only `gh` on the path is one that must never be called."""
    place = tmp_path_factory.mktemp("github")
    path = programs(place / "programs", "git", "sh")
    (path / "gh").write_text(f"#!/bin/sh\necho called >> '{place}/called'\nexit 1\n")
    (path / "gh").chmod(0o755)
    return show(place, "demo", "--github", "--keep", "a folder", PATH=str(path), GH_TOKEN="ghp_hostile")


@pytest.fixture
def folder(kept: Shown) -> Path:
    assert kept.code == 0, kept.error
    return kept.place / "a folder"


def test_the_check_fails_once_is_fixed_and_the_pull_request_is_merged(kept: Shown, folder: Path) -> None:
    rules = [one for one in ("ci/introduced", "ci/pass", "deploy/pass", "merge/done") if f"{one}: " in kept.out]
    assert rules == ["ci/introduced", "ci/pass", "deploy/pass", "merge/done"]
    assert "Issue 12 is merged as https://github.com/tea/teatime/pull/1, with 2 comments" in kept.out
    assert not (kept.place / "called").exists()


def test_what_was_merged_is_in_the_remote_and_here(folder: Path) -> None:
    merged = git(folder / "remote.git", "rev-parse", "main")
    assert git(folder / "played", "rev-parse", "main") == merged
    assert git(folder / "remote.git", "rev-list", "--count", "main") == "2"
    assert git(folder / "remote.git", "for-each-ref", "--format=%(refname:short)") == "main"


def test_nothing_was_asked_that_the_stand_in_does_not_know(folder: Path) -> None:
    state = json.loads((folder / "github.json").read_text())
    assert (state["refused"], state["pull"]["merged"], len(state["comments"])) == ([], True, 2)
