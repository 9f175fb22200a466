"""A story that travels: its journal and files go with the remote, and nothing wrong is believed."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from baton.errors import BatonError
from baton.git.command import Git
from baton.git.objects import commit_to_look_at, empty_tree, with_files
from baton.journal.atomic_file import write_durably
from baton.journal.journal import Journal
from baton.story.session.carried_state import FOLDER, JOURNAL, read_state, state_ref
from baton.story.session.travel import push_state
from bench import Bench

pytestmark = pytest.mark.sampled(8)

REF = state_ref("42")
Clone = Callable[[str], Bench]


@pytest.fixture
def remote(implementing: Bench, tmp_path: Path) -> Path:
    """Give the remote of a story that travels, and is to be implemented."""
    place = tmp_path / "remote.git"
    implementing.git("init", "--quiet", "--bare", "-b", "main", str(place))
    implementing.git("remote", "add", "origin", str(place))
    implementing.git("push", "--quiet", "origin", "main")
    push_state(implementing.project, "42")
    return place


@pytest.fixture
def clone(remote: Path, tmp_path: Path) -> Clone:
    """Make clones that have nothing of the story."""

    def made(name: str) -> Bench:
        subprocess.run(("git", "clone", "--quiet", str(remote), tmp_path / name), check=True)
        return Bench(tmp_path / name)

    return made


def test_another_clone_goes_on_and_the_first_follows(implementing: Bench, clone: Clone) -> None:
    there = clone("there")
    assert there.next()["run"] == implementing.run.id
    assert there.implement()["agent"] == "baton:qa"
    step = implementing.next()
    assert (step["agent"], implementing.run.id) == ("baton:qa", there.run.id)
    assert implementing.journal.read_bytes() == there.journal.read_bytes()
    branch = implementing.folder.branch
    assert implementing.git("rev-parse", branch) == there.git("rev-parse", branch)


def test_a_run_that_was_begun_on_a_machine_that_is_gone_is_done_again(implementing: Bench, clone: Clone) -> None:
    shutil.rmtree(implementing.tree)
    push_state(implementing.project, "42")
    there = clone("there")
    assert there.next()["action"] == "wait"
    assert there.next("--ended", there.run.id)["agent"] == "baton:implementer"
    assert there.run.id != implementing.run.id


def test_of_two_runners_one_wins_and_the_other_says_so_and_can_go_on(implementing: Bench, clone: Clone) -> None:
    there = clone("there")
    there.next()
    implementing.edit({"calc.py": "SUB = 2\n"})
    implementing.work(1)
    assert there.tree
    said = there.baton("next", "42", "--ended", there.run.id)
    assert said.refused.startswith("baton: another runner has taken over story 42 at origin: stop here")
    assert there.baton("doctor", "42", "--set-aside").code == 0
    assert there.next()["run"] == implementing.run.id


def test_a_push_that_comes_second_changes_nothing(implementing: Bench, clone: Clone, remote: Path) -> None:
    there = clone("there")
    there.next()
    assert there.tree  # begun, after it was fetched
    implementing.work(1)
    first = implementing.git("rev-parse", REF)
    with pytest.raises(BatonError, match="another runner"):
        push_state(there.project, "42")
    assert Bench(remote).git("rev-parse", REF) == first


def test_a_journal_that_is_sound_is_set_aside_only_where_it_travels(story: Bench) -> None:
    assert "nothing is wrong" in story.baton("doctor", "42", "--set-aside").refused


def test_a_story_that_never_travelled_asks_no_remote(story: Bench) -> None:
    story.git("remote", "add", "origin", "/nowhere")
    assert story.next()["action"] == "spawn"


def test_packed_refs_are_refs(implementing: Bench, remote: Path) -> None:
    assert implementing.project.may_travel("42")
    implementing.git("pack-refs", "--all")
    assert [implementing.project.may_travel(one) for one in ("42", "4")] == [True, False]


def test_a_takeover_that_dies_restarts(implementing: Bench, clone: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    def dies(path: Path, data: bytes, inside: Path) -> None:
        if path.name == JOURNAL:
            raise BatonError("a full disk", str(path), "call again")
        write_durably(path, data, inside)

    there = clone("there")
    with monkeypatch.context() as patch:
        patch.setattr("baton.story.session.carried_state.write_durably", dies)
        assert "a full disk" in there.baton("next", "42").refused
    assert there.next()["run"] == implementing.run.id


@pytest.mark.parametrize("mine", [True, False])
def test_a_paper_that_was_changed_here_is_not_written_over(mine: bool, implementing: Bench, clone: Clone) -> None:
    there = clone("there")
    there.next()
    there.implement()
    plan = next((implementing.journal.parent / "files").rglob("*.execution-plan.md"))
    if mine:
        plan.write_text("my own words\n", encoding="utf-8")
        assert "execution-plan.md was changed here" in implementing.baton("next", "42").refused
        assert plan.read_text(encoding="utf-8") == "my own words\n"
        plan.rename(implementing.root.with_name("mine.md"))
    assert implementing.next()["agent"] == "baton:qa"


def test_one_that_nobody_has_is_looked_for_and_said_to_be_unknown(clone: Clone) -> None:
    assert "no story 7" in clone("there").baton("next", "7").refused


# What is wrong is not believed


class Wrong(NamedTuple):
    """What is wrong with a state, what the user is told of it, and which file or branch tip makes it so."""

    says: str
    name: str = JOURNAL
    file: Callable[[Bench, bytes], bytes] = lambda bench, journal: journal
    tip: Callable[[Bench], str] = lambda bench: ""


WRONG = {
    "cut": Wrong("its journal is cut off", file=lambda bench, journal: journal[:-9]),
    "reworded": Wrong(
        "a checksum does not match",
        file=lambda bench, journal: journal.replace(b"is valid", b"was read"),
    ),
    "of another story": Wrong("its journal is that of story 43", file=lambda bench, _: bench.rewrite(story="43")),
    "outside": Wrong(
        "a file of it lies outside its folder", file=lambda bench, _: bench.rewrite(folder="../42_x")
    ),
    "with one file more": Wrong("it has files no story has", "lock"),
    "on a branch with more": Wrong(
        "and its journal ends at", tip=lambda bench: bench.commit({"evil.py": "x\n"}, bench.folder.branch)
    ),
    "on a branch with less": Wrong("and its journal ends at", tip=lambda bench: bench.git("rev-parse", "main")),
    "begun elsewhere": Wrong(
        "which its journal names", file=lambda bench, _: bench.rewrite(tip=bench.git("rev-parse", "hobby"))
    ),
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_a_wrong_state_is_one_line(wrong: Wrong, implementing: Bench, remote: Path, clone: Clone) -> None:
    git, there = Git(implementing.project), clone("there")
    before = read_state(git, implementing.git("rev-parse", REF))
    files = {**before.files, wrong.name: wrong.file(implementing, before.journal)}
    tip = wrong.tip(implementing) or before.tip
    tree = with_files(git, empty_tree(git), {f"{FOLDER}/{name}": data for name, data in files.items()})
    forged = commit_to_look_at(git, tree, [before.commit, tip])
    implementing.git("push", "--quiet", "origin", f"{forged}:{REF}")
    said = there.baton("next", "42").refused
    assert "the state of story 42 cannot be trusted (" in said
    assert wrong.says in said
    assert "`git push origin :refs/baton/stories/42` drops it" in said
    assert not there.project.has_story("42")
    assert there.git("for-each-ref", "refs/heads/story/") == ""


def test_a_past_that_was_rewritten_is_not_followed(implementing: Bench, clone: Clone) -> None:
    there = clone("there")
    there.next()
    before = read_state(Git(implementing.project), implementing.git("rev-parse", REF))
    implementing.rewrite(title="Something else")
    assert len(Journal(implementing.journal).records) > 3
    push_state(implementing.project, "42")
    assert "another runner" in there.baton("next", "42").refused
    assert there.journal.read_bytes() == before.journal


def test_what_looks_secret_stays_here(implementing: Bench, remote: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = Bench(remote).git("rev-parse", REF)
    monkeypatch.setenv("MODEL_API_KEY", "k-3f9a77c1d2e84b06")
    files = implementing.project.state / "42/report.md"
    files.write_text("401 for k-3f9a77c1d2e84b06\n", encoding="utf-8")
    assert "looks like a secret" in implementing.baton("next", "42").refused
    assert Bench(remote).git("rev-parse", REF) == before
