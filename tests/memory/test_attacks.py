"""What a change of memory may not be: each attack on a real repository, and beside it what is only shown."""

import re
import subprocess
from pathlib import Path

import pytest

from baton.artifacts.strict_yaml import load_yaml
from baton.errors import BatonError
from baton.git.command import Git, find_project
from baton.memory.check_change import MemoryPlace, check_change, find_place
from baton.memory.client_imports import new_imports
from memory.imports import examples

CHANGES = load_yaml(Path(__file__).with_name("changes.yaml").read_text(encoding="utf-8"))
REFUSED, SHOWN = CHANGES["refused"], CHANGES["shown"]
# The token is put together, so that no search for secrets finds it here.
FILL = {"{token}": "ghp_" + "x7Kq9ZbT2mWcR5vJ8nLdF3hPgS6yA1eUoQ4i", "{many}": "\n- x" * 201, "{long}": " " * 3000}
# What a file is to hold: text, null for gone, `link` or `hex`.
Content = str | dict[str, str] | None
PLACE = MemoryPlace("docs/memory", True)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Git:
    """A repository that keeps memory in a folder."""
    root = tmp_path_factory.mktemp("attacked")
    for name, text in CHANGES["base"].items():
        write(root / name, text)
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.com")
    for words in (("init", "-q"), ("add", "."), (*identity, "commit", "-qm", "base")):
        subprocess.run(["git", *words], cwd=root, check=True)
    return Git(find_project(root))


def filled(text: str) -> str:
    return re.sub(r"\{\w+\}", lambda found: FILL[found[0]], text)


def write(path: Path, content: Content) -> None:
    """Have a file hold what an example says."""
    path.parent.mkdir(parents=True, exist_ok=True)
    before = path.read_text() if path.exists() else ""
    path.unlink(missing_ok=True)
    if isinstance(content, str):
        text = f"{before}{content[1:]}" if content.startswith("+") else content
        path.write_bytes(filled(text).encode())
    elif content:
        path.symlink_to(content["link"]) if "link" in content else path.write_bytes(bytes.fromhex(content["hex"]))


def check(git: Git, changes: dict[str, Content]) -> str:
    """Change files, and return what is wrong with that."""
    git.do("read-tree", "--reset", "-u", "HEAD")
    git.do("clean", "-qfdx")
    for name, content in changes.items():
        write(git.project.root / filled(name), content)
    git.do("add", "--all", "--", ".")
    return "; ".join(check_change(git, git.commit_of("HEAD"), git.do("write-tree").strip(), PLACE))


@pytest.mark.parametrize(("changes", "why"), REFUSED.values(), ids=REFUSED)
def test_an_attack_is_refused(changes: dict[str, Content], why: str, repository: Git) -> None:
    assert why in check(repository, changes)


@pytest.mark.parametrize("changes", SHOWN.values(), ids=SHOWN)
def test_a_change_that_readers_see_passes(changes: dict[str, Content], repository: Git) -> None:
    assert check(repository, changes) == ""


def test_a_submodule_is_refused(repository: Git) -> None:
    check(repository, {})
    head = repository.commit_of("HEAD")
    repository.do("update-index", "--add", "--cacheinfo", f"160000,{head},docs/memory/x.md")
    tree = repository.do("write-tree").strip()
    assert "no plain file" in "".join(check_change(repository, head, tree, PLACE))


@pytest.mark.parametrize("kind", ["imports", "refused all the same", "switched on"])
def test_every_import_of_the_client_is_found(kind: str) -> None:
    assert [example for example in examples(kind) if not new_imports(*example)] == []


@pytest.mark.parametrize("kind", ["code", "kept"])
def test_code_and_earlier_imports_are_no_new_import(kind: str) -> None:
    assert [example for example in examples(kind) if new_imports(*example)] == []


def place_or_problem(git: Git, tree: str, keep: str) -> str:
    try:
        return find_place(git, tree, keep).path
    except BatonError as error:
        return error.what


@pytest.mark.parametrize(("keep", "found"), CHANGES["places"].items())
def test_memory_is_kept_where_links_lead_within_the_repository(keep: str, found: str, repository: Git) -> None:
    check(repository, {name: {"link": target} for name, target in CHANGES["links"].items()})
    head = repository.commit_of("HEAD")
    repository.do("update-index", "--add", "--cacheinfo", f"160000,{head},other")
    tree = repository.do("write-tree").strip()
    assert found in place_or_problem(repository, tree, keep)
