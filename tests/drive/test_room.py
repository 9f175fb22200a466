"""Where a story may live: in a folder of this repository, under an id, a folder and a branch of its own."""

import shutil
from collections.abc import Callable

import pytest

from baton.drive.room import names_clash
from bench import SETTINGS, Bench, Said
from scenes import refused

Do = Callable[[Bench], object]
CRITERION = ("--criterion", "it works")


@pytest.mark.parametrize(
    ("name", "other", "clash"),
    [
        ("story/42-x", "story/42-x", True),
        ("story/42-x", "story/42-X", True),
        ("story/42-x", "story", True),
        ("story/42-x", "Story", True),
        ("story/42-x", "story/42-x/more", True),
        ("story/42-x", "story/42-x-more", False),
        ("story/42-x", "story/42", False),
        ("story/42-x", "stor", False),
        ("story/42-x", "42-x", False),
    ],
)
def test_branches_clash_by_name_by_case_and_as_folder_and_file(name: str, other: str, clash: bool) -> None:
    assert names_clash(name, other) == names_clash(other, name) == clash


# The folder of all stories


def add_a_submodule(bench: Bench) -> None:
    bench.git("clone", "--quiet", ".", "../library")
    bench.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../library", "specs")
    bench.git("commit", "--quiet", "--message", "a submodule")


def add_a_submodule_around(bench: Bench) -> None:
    add_a_submodule(bench)
    bench.configure(SETTINGS + "dir: specs/of/baton\n")


def add_an_empty_submodule(bench: Bench) -> None:
    add_a_submodule(bench)
    bench.git("submodule", "--quiet", "deinit", "specs")


def link(bench: Bench) -> None:
    (bench.root / "docs").mkdir()
    (bench.root / "specs").symlink_to("docs")


def write_a_file_on_base_alone(bench: Bench) -> None:
    bench.git("switch", "--quiet", "-c", "side")
    bench.commit({"specs": "a file\n"})


SPECS: dict[str, tuple[Do, str]] = {
    "a file": (lambda bench: bench.write({"specs": "a file\n"}), "a file"),
    "a file on base": (write_a_file_on_base_alone, "a file"),
    "a link": (link, "a symbolic link"),
    "a link to nothing": (lambda bench: (bench.root / "specs").symlink_to("none"), "a symbolic link"),
    "a submodule": (add_a_submodule, "a submodule"),
    "a folder in a submodule": (add_a_submodule_around, "a submodule"),
    "a submodule that is not there": (add_an_empty_submodule, "a submodule"),
    "a repository": (lambda bench: bench.git("init", "--quiet", "specs"), "another git repository"),
}


@pytest.mark.parametrize(("spoil", "what"), SPECS.values(), ids=SPECS)
def test_stories_do_not_live_in_what_is_something_else(spoil: Do, what: str, bench: Bench) -> None:
    spoil(bench)
    before = own(bench)
    said = bench.new()
    assert (said.code, said.out, said.err.count("\n")) == (2, "", 1)
    assert said.err.startswith(f"baton: stories are to live in specs, which is {what} at ")
    assert own(bench) == before
    bench.commit({".baton.yaml": f"{SETTINGS}dir: stories\n"})
    assert bench.new().code == 0


def own(bench: Bench) -> dict[str, bytes]:
    """Every file of the work tree."""
    return {name: text for name, text in bench.bytes(bench.root).items() if not name.startswith(".git/")}


def test_a_story_does_not_start_where_its_folder_has_become_something_else(story: Bench) -> None:
    (story.root / "specs").rename(story.root / "kept")
    story.git("init", "--quiet", "specs")
    assert "stories are to live in specs, which is another git repository at " in refused(story).err
    shutil.rmtree(story.root / "specs")
    (story.root / "kept").rename(story.root / "specs")
    assert story.next()["rule"] == "start/planning"


@pytest.mark.parametrize("folder", ["specs", "specs/42_subtract-numbers", "specs/41_other"])
def test_an_empty_folder_is_no_ones(folder: str, bench: Bench) -> None:
    (bench.root / folder).mkdir(parents=True)
    assert bench.new().code == 0


def test_a_gitignore_of_the_user_s_stays_and_ours_lies_in_the_story_s_folder(bench: Bench) -> None:
    bench.write({"specs/.gitignore": "*.bak\n"})
    assert bench.new().code == 0
    assert (bench.root / "specs/.gitignore").read_text() == "*.bak\n"
    work = [f"specs/42_subtract-numbers/{one}" for one in ("briefs/x.md", "history/x", ".return-meta.json")]
    assert bench.git("check-ignore", "--", *work).splitlines() == work


# The story's file


def test_a_story_begins_where_its_file_is(story: Bench) -> None:
    second = Bench(story.root.parent / "else where")
    story.git("worktree", "add", "--quiet", "-b", "side", str(second.root))
    story.git("switch", "--quiet", "-c", "other")
    said = refused(second)
    assert f"specs/42_subtract-numbers/story.md is in the work tree {story.root}, and not in this one" in said.err
    assert f"call from there: `baton --project {story.root} next 42`" in said.err
    assert story.next()["rule"] == "start/planning"


def test_a_spec_that_was_deleted_is_brought_back_first(story: Bench) -> None:
    story.git("add", "--", "specs")
    story.git("commit", "--quiet", "--message", "a spec")
    story.git("rm", "--quiet", "-r", "specs/42_subtract-numbers")
    said = refused(story)
    assert "specs/42_subtract-numbers/story.md was deleted here" in said.err
    story.git(*said.err.split("`")[1].split()[1:])
    assert story.next()["rule"] == "start/planning"


def test_a_spec_that_a_sparse_checkout_leaves_out_is_brought_in_first(story: Bench) -> None:
    story.git("add", "--", "specs")
    story.git("commit", "--quiet", "--message", "a spec")
    story.git("sparse-checkout", "set", "tools")
    said = refused(story)
    assert "specs/42_subtract-numbers is outside the sparse checkout" in said.err
    story.git(*said.err.split("`")[1].split()[1:])
    assert story.next()["rule"] == "start/planning"


def test_a_spec_that_is_gone_is_told(story: Bench) -> None:
    story.place("story").rename(story.root / "kept.md")
    assert "specs/42_subtract-numbers/story.md is not in this work tree at " in refused(story).err
    (story.root / "kept.md").rename(story.place("story"))
    assert story.next()["rule"] == "start/planning"


# An id, a folder and a branch for each story


def make(bench: Bench, story_id: str, title: str) -> Said:
    return bench.baton("story", "new", title, "--id", story_id, *CRITERION)


@pytest.mark.parametrize(
    ("first", "second"),
    [(("a", "T"), ("A", "Other")), (("E06S41", "T"), ("e06s41", "T"))],
)
def test_ids_that_differ_in_case_alone_are_one_id(
    first: tuple[str, str], second: tuple[str, str], bench: Bench
) -> None:
    assert make(bench, *first).code == 0
    said = make(bench, *second)
    assert (said.code, said.err.startswith(f"baton: story {first[0]} is there already at ")) == (2, True)
    assert make(bench, f"{second[0]}2", second[1]).code == 0


def test_a_folder_that_differs_in_case_alone_is_the_story_s(bench: Bench) -> None:
    bench.write({"specs/AB_x/story.md": "---\nid: AB\ntitle: X\n---\n"})
    said = make(bench, "ab", "Y")
    assert (said.code, "`baton story new --from specs/AB_x` takes it up" in said.err) == (2, True)


def test_two_stories_never_share_a_branch(bench: Bench) -> None:
    assert make(bench, "a", "B c").code == 0
    said = make(bench, "a-b", "c")
    assert (said.code, "its branch would be story/a-b-c, which is that of specs/a_b-c at " in said.err) == (
        2,
        True,
    )
    assert not (bench.root / "specs/a-b_c").exists()
    assert make(bench, "a-b", "d").code == 0


def test_a_spec_in_its_place_never_shares_a_branch_either(bench: Bench) -> None:
    make(bench, "a", "B c")
    spec = "---\nid: a-b\ntitle: c\n---\n## Acceptance Criteria\n- one\n"
    bench.write({"specs/a-b_c/story.md": spec})
    said = bench.baton("story", "new", "--from", "specs/a-b_c")
    assert (said.code, "its branch would be story/a-b-c" in said.err) == (2, True)


def test_a_branch_is_another_story_s_wherever_its_folder_is_now(implementing: Bench) -> None:
    implementing.git("switch", "--quiet", "main")
    assert not (implementing.root / "specs/42_subtract-numbers/story.md").exists()
    said = make(implementing, "42-subtract", "Numbers")
    assert (said.code, "which is that of specs/42_subtract-numbers at " in said.err) == (2, True)


@pytest.mark.parametrize(
    ("there", "what"),
    [
        ("specs/42_subtract-numbers/notes.txt", "something else than a story is there at "),
        ("specs/42_old/notes.txt", "something else than a story is there at "),
        ("specs/42_subtract-numbers", "a file is there at "),
    ],
)
def test_what_lies_where_a_story_would_is_left_alone(there: str, what: str, bench: Bench) -> None:
    bench.write({there: "mine\n"})
    said = bench.new()
    assert (said.code, said.err.count("\n"), said.err.startswith(f"baton: {what}")) == (2, 1, True)
    assert (bench.root / there).read_text() == "mine\n"
    (bench.root / "specs").rename(bench.root / "moved")
    assert bench.new().code == 0


@pytest.mark.parametrize("there", ["specs/42_notes.txt", "specs/421_x/notes.txt", "specs/4_x/notes.txt"])
def test_what_is_only_named_like_it_is_nothing_to_a_story(there: str, bench: Bench) -> None:
    bench.write({there: "mine\n"})
    assert bench.new().code == 0
