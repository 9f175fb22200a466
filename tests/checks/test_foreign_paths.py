"""What leads into another work tree: left out of the environment, or a reason to run nothing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from baton.checks.check_tree import check_tree
from baton.checks.child_environment import without_trees
from baton.checks.cleanup import foreign_now
from baton.checks.foreign_paths import Surroundings, find_foreign
from baton.checks.manifests import read_entries
from baton.checks.result import Outcome
from baton.git.command import find_project
from baton.story.checks.check_results import read_ran
from bench import Bench
from programs import write_program

from .conftest import Run, checks_of

pytestmark = pytest.mark.sampled(10)

# The environment


@pytest.mark.parametrize(("name", "value", "left"), [
    ("PATH", "/usr/bin:/p/node_modules/.bin:/p2/bin", "/usr/bin:/p2/bin"), ("VIRTUAL_ENV", "/p/.venv", None),
    ("PYTHONPATH", "/p/src", None), ("NODE_PATH", "/p/lib:/q", "/q"), ("CONDA_PREFIX", "/p/env", None),
    ("CONDA_PREFIX", "/opt/env", "/opt/env"), ("PYTHONPATH", "src:", "src:"),
    ("PLAIN", "see /p/src", "see /p/src"),
    ("PATH", "/p/cache/check/.venv/bin", "/p/cache/check/.venv/bin"),
    ("EMPTY", "", ""), ("URL", "a:/p/b", "a:/p/b"),
])  # fmt: skip
def test_the_environment_leads_into_no_other_tree(name: str, value: str, left: str | None) -> None:
    assert without_trees({name: value}, "/p/cache/check", ["/p"]).get(name) == left


def test_paths_inside_home_stay_where_home_is_the_other_tree() -> None:
    environment = {"HOME": "/home/me", "PATH": "/home/me/bin:/home/me/p/bin"}
    trees = ["/home/me", "/home/me/p"]
    assert without_trees(environment, "/home/me/.cache/check", trees)["PATH"] == "/home/me/bin"


def test_commands_find_no_tool_of_the_checkout(bench: Bench, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write_program(bench.root / ".venv/bin/mytool", "echo the checkout's")
    monkeypatch.setenv("PATH", f"{bench.root}/.venv/bin{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("VIRTUAL_ENV", f"{bench.root}/.venv")
    assert (run(test='mytool; echo "[$VIRTUAL_ENV]"').tail.splitlines()[-1]) == "[]"


# Links


def told(outcome: Outcome) -> str:
    assert outcome.ended == "foreign"
    return outcome.output.strip()


def link(bench: Bench, name: str, target: str, **files: str) -> None:
    """Commit a link, and files beside it."""
    path = bench.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)
    bench.write({one.replace("_", "."): text for one, text in files.items()})
    bench.git("add", name, *(file.replace("_", ".") for file in files))
    bench.git("commit", "--quiet", "--message", "a link")


@pytest.mark.parametrize("name", ["node_modules", ".venv", "vendor", "web/node_modules", "web/target"])
def test_the_set_up_runs_through_no_link_that_leads_out(name: str, bench: Bench, run: Run, tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    bench.commit({"web/package.json": "{}\n", ".gitignore": "*.log\n"})
    bench.git("reset", "--quiet", "--hard")
    link(bench, name, str(tmp_path / "theirs"))
    ended = run(setup=f"mkdir -p {name}; touch {name}/written", test="true")
    assert told(ended).startswith(f"{name} is a link to {tmp_path}/theirs: ")
    assert list((tmp_path / "theirs").iterdir()) == []


@pytest.mark.parametrize(("name", "target"), [
    ("data", "/usr"), ("node_modules", "tools"), ("docs", "tools"), ("result", "/no/such/place"),
])  # fmt: skip
def test_a_link_into_no_other_tree_is_the_projects_own(name: str, target: str, bench: Bench, run: Run) -> None:
    link(bench, name, target)
    assert run(setup="true", test="true").ended == "exit"


def test_a_link_into_the_users_checkout_is_foreign(bench: Bench, run: Run) -> None:
    link(bench, "shared", str(bench.root / "tools"))
    assert told(run(test="true")).startswith(f"shared is a link into the work tree {bench.root}: ")


def test_a_link_the_set_up_made_is_told_and_gone_when_it_makes_none(bench: Bench, run: Run) -> None:
    bench.commit({".gitignore": "node_modules\n*.log\n"})
    assert "node_modules is a link" in told(run(setup=f"ln -s {bench.root}/tools node_modules", test="true"))
    assert run(setup="mkdir node_modules", salt="1", test="true").ended == "exit"


# Python


def python_with(folder: Path, files: dict[str, str]) -> Path:
    """Make a Python environment in which these files are installed; returns its folder of programs."""
    subprocess.run((sys.executable, "-m", "venv", "--without-pip", str(folder)), check=True)
    site = next((folder / "lib").glob("python*/site-packages"))
    for name, text in files.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text)
    return folder / "bin"


@pytest.mark.parametrize("name", ["own.pth", "__editable___own_finder.py"])
def test_a_python_on_the_path_that_imports_another_tree_is_foreign(
    name: str, bench: Bench, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.commit({"pyproject.toml": ""})
    programs = python_with(tmp_path / "env", {name: f"{bench.root}/src\n"})
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    assert f"{programs}/python3 imports from the work tree {bench.root}" in told(run(test="true"))
    assert f"{programs}/python3 imports from " in foreign_now(find_project(bench.root), "42", (), "HEAD")
    assert run(test=".venv/bin/pytest; true").ended == "exit"


@pytest.mark.parametrize("text", ["/usr/share/x\n", "{root}-else/src\n", "import os\n", "{check}/src\n"])
def test_a_python_that_imports_no_other_tree_is_nobodys_matter(
    text: str, bench: Bench, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.commit({"pyproject.toml": ""})
    own = check_tree(find_project(bench.root).common, "42").path
    programs = python_with(tmp_path / "env", {"own.pth": text.format(root=bench.root, check=own)})
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    assert run(test="true").ended == "exit"
    assert foreign_now(find_project(bench.root), "42", (), "HEAD") == ""


def test_a_python_that_hides_what_it_imports_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("baton.checks.foreign_paths.PROBE_SECONDS", 0.2)
    write_program(tmp_path / "python3", "exec sleep 5")
    entries = read_entries("100644 blob 0\tpyproject.toml\0")
    where = Surroundings(str(tmp_path / "tree"), ["/p"], {"PATH": f"{tmp_path}:/usr/bin:/bin"}, ["x"], entries)
    assert "does not say" in find_foreign(where)


def test_an_environment_in_the_tree_that_imports_another_one_is_foreign(bench: Bench, run: Run) -> None:
    bench.commit({"pyproject.toml": "", ".gitignore": ".venv\n*.log\n"})
    made = "echo .venv/lib/python*/site-packages"
    setup = f"{sys.executable} -m venv --without-pip .venv; echo {bench.root} >$({made})/a.pth"
    assert told(run(setup=setup, test=".venv/bin/python -V")).startswith(".venv imports from the work tree ")


def test_a_failure_with_a_foreign_link_says_nothing_of_the_commit(bench: Bench, run: Run) -> None:
    link(bench, "shared", str(bench.root / "tools"))
    run(test="false")
    made = checks_of(bench, test="false")
    ran = read_ran(made, made.outcomes() or [])["test"]
    assert (ran.passed, ran.mute.startswith("tree/foreign: shared is a link into ")) == (False, True)
