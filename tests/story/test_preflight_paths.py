"""Where a story may live: in a folder of this repository, under an id, a folder and a branch of its own."""

from collections.abc import Callable

import pytest

from baton.story.begin.preflight import names_clash
from bench import SETTINGS, Bench, CallResult

pytestmark = pytest.mark.sampled(12)

Do = Callable[[Bench], object]
CRITERION = ("--criterion", "it works")


@pytest.mark.parametrize(("name", "other", "clash"), [
    ("story/42-x", "story/42-x", True), ("story/42-x", "story/42-X", True), ("story/42-x", "story", True),
    ("story/42-x", "Story", True), ("story/42-x", "story/42-x/more", True),
    ("story/42-x", "story/42-x-more", False), ("story/42-x", "story/42", False), ("story/42-x", "stor", False),
    ("story/42-x", "42-x", False),
])  # fmt: skip
def test_branches_clash_by_name_by_case_and_as_folder_and_file(name: str, other: str, clash: bool) -> None:
    assert names_clash(name, other) == names_clash(other, name) == clash


# The folder of all stories


def add_a_submodule(bench: Bench) -> str:
    bench.git("clone", "--quiet", ".", "../library")
    bench.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../library", "specs")
    return bench.git("commit", "--quiet", "--message", "a submodule")


def link(bench: Bench) -> None:
    (bench.root / "specs").symlink_to("tools")
    bench.git("add", "--", "specs")
    bench.git("commit", "--quiet", "--message", "a link")


IN_IT = {".baton.yaml": f"{SETTINGS}dir: specs/of/baton\n"}
SPECS: dict[str, tuple[Do, str]] = {
    "a file": (lambda bench: bench.commit({"specs": "a file\n"}), "a file"),
    "a link": (link, "a symbolic link"),
    "a submodule": (add_a_submodule, "a submodule"),
    "a folder in a submodule": (lambda bench: (add_a_submodule(bench), bench.commit(IN_IT)), "a submodule"),
    "a submodule that is not there": (
        lambda bench: (add_a_submodule(bench), bench.git("submodule", "deinit", "specs")), "a submodule"),
}  # fmt: skip


@pytest.mark.parametrize(("spoil", "what"), SPECS.values(), ids=SPECS)
def test_stories_do_not_live_in_what_is_something_else_on_base(spoil: Do, what: str, bench: Bench) -> None:
    spoil(bench)
    said = bench.new()
    assert said.refused.startswith(f"baton: stories are to live in specs, which is {what} on main at ")
    bench.commit({".baton.yaml": f"{SETTINGS}dir: stories\n"})
    assert bench.new().code == 0


@pytest.mark.parametrize("folder", ["specs", "specs/42_subtract-numbers", "specs/41_other"])
def test_an_empty_folder_is_no_ones(folder: str, bench: Bench) -> None:
    (bench.root / folder).mkdir(parents=True)
    assert bench.new().code == 0


# An id, a folder and a branch for each story


def make(bench: Bench, story_id: str, title: str) -> CallResult:
    return bench.baton("story", "new", title, "--id", story_id, *CRITERION)


@pytest.mark.parametrize(("first", "second"), [("a", "A"), ("E06S41", "e06s41")])
def test_ids_that_differ_in_case_alone_are_one_id(first: str, second: str, bench: Bench) -> None:
    assert make(bench, first, "T").code == 0
    assert f"baton: story {first} is there already at " in make(bench, second, "Other").refused
    assert make(bench, f"{second}2", "Other").code == 0


def test_a_folder_that_differs_in_case_alone_is_the_story_s(bench: Bench) -> None:
    bench.write({"specs/AB_x/story.md": "---\nid: AB\ntitle: X\n---\n"})
    said = make(bench, "ab", "Y")
    assert "`baton story new --from specs/AB_x` takes it up" in said.refused


def test_two_stories_never_share_a_branch(bench: Bench) -> None:
    assert make(bench, "a", "B c").code == 0
    said = make(bench, "a-b", "c")
    assert "its branch would be story/a-b-c, which is that of specs/a_b-c at " in said.refused
    assert make(bench, "a-b", "d").code == 0


def test_a_spec_in_its_place_never_shares_a_branch_either(bench: Bench) -> None:
    make(bench, "a", "B c")
    spec = "---\nid: a-b\ntitle: c\n---\n## Acceptance Criteria\n- one\n"
    bench.write({"specs/a-b_c/story.md": spec})
    said = bench.baton("story", "new", "--from", "specs/a-b_c")
    assert "its branch would be story/a-b-c" in said.refused


def test_a_branch_is_another_story_s_wherever_its_folder_is_now(implementing: Bench) -> None:
    said = make(implementing, "42-subtract", "Numbers")
    assert "which is that of specs/42_subtract-numbers at " in said.refused


@pytest.mark.parametrize("there", ["specs/42_subtract-numbers/notes.txt", "specs/42_old/notes.txt"])
def test_what_lies_where_a_story_would_is_left_alone(there: str, bench: Bench) -> None:
    bench.write({there: "mine\n"})
    said = bench.new()
    assert said.refused.startswith("baton: something else than a story is there at ")
    (bench.root / "specs").rename(bench.root / "moved")
    assert bench.new().code == 0


@pytest.mark.parametrize(
    "there", ["specs/42_subtract-numbers", "specs/42_notes.txt", "specs/421_x/notes.txt", "specs/4_x/notes.txt"]
)
def test_what_is_only_named_like_it_is_nothing_to_a_story(there: str, bench: Bench) -> None:
    bench.write({there: "mine\n"})
    assert bench.new().code == 0
