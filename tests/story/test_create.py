"""A new story: what the user says of it is kept whole, and never becomes anything else."""

from pathlib import Path

import pytest

from bench import Bench, new_bench
from scenes import made

pytestmark = pytest.mark.sampled(20)

CRITERION = ("--criterion", "it works")
TITLES = [
    "title: x\nstatus: complete",
    "---",
    "quoted \"twice\" and 'once'",
    "# not a heading {{ nor a template }}",
    "!!python/object:os.system",
    "emoji \U0001f600 and 日本語",
    "half \x1b[31mred\x9b and \u2028 broken",
    "x" * 500,
    "- *anchor &a: |",
]


@pytest.mark.parametrize("title", TITLES)
def test_any_title_is_a_title_and_nothing_else(title: str, bench: Bench) -> None:
    story, text, fields = made(bench, bench.baton("story", "new", *CRITERION, "--json", "--", title))
    words = "".join(one if one.isprintable() else " " for one in title).split()
    assert story.title.split() == words
    assert (fields["status"], fields["id"], story.criteria) == ("new", "1", ("it works",))
    assert text.isprintable() or {one for one in text if not one.isprintable()} == {"\n"}


@pytest.mark.parametrize("title", ["é ü", "日本", "../../etc", "x" * 300, "-- --"])
def test_a_folder_has_a_short_ascii_name_inside_specs(title: str, bench: Bench) -> None:
    path = bench.baton("story", "new", "--json", *CRITERION, "--", title).json["path"]
    folder = Path(path).parent
    assert (path.isascii(), str(folder.parent), len(folder.name) < 50) == (True, "specs", True)


@pytest.mark.parametrize("criterion", [
    "- dashed", "--flag works", "`code` and *stars*", "[x] ticked", "## a heading", "a: b | c", "two\nlines",
    "1. one",
])  # fmt: skip
def test_a_criterion_is_one_criterion(criterion: str, bench: Bench) -> None:
    story, _, _ = made(bench, bench.baton("story", "new", "T", "--json", f"--criterion={criterion}", *CRITERION))
    shown = " ".join(criterion.split()).removeprefix("[x] ")
    assert story.criteria == (shown, "it works")


@pytest.mark.parametrize("story_id", ["../x", "a/b", "", " ", "-x", ".x", "a..b", "a.lock", "x" * 33, "é", "4\n2"])
def test_what_is_no_id_is_refused_and_writes_nothing(story_id: str, bench: Bench) -> None:
    said = bench.baton("story", "new", "T", *CRITERION, f"--id={story_id}")
    if story_id:
        assert (said.code, said.err.count("\n"), "not a story id" in said.err) == (2, 1, True)
        assert not (bench.root / "specs").exists()
    else:
        assert said.out.startswith("story 1: ")


def test_a_journal_that_never_got_its_first_event_takes_no_id(bench: Bench) -> None:
    (bench.root / ".git/baton/42").mkdir(parents=True)
    (bench.root / ".git/baton/42/journal.jsonl").write_bytes(b'{"seq":1')
    assert bench.new().code == 0
    assert bench.next()["story"] == "42"


def test_an_id_whose_spec_waits_to_be_adopted_is_refused_with_the_way_to_adopt_it(bench: Bench) -> None:
    bench.write({"specs/42_a b/story.md": "anything"})
    assert "`baton story new --from 'specs/42_a b'` takes it up" in bench.new().refused


def test_an_id_that_is_taken_is_refused(story: Bench) -> None:
    before = story.bytes()
    assert "story 42 is there already" in story.new("Another").refused
    assert story.bytes() == before


def test_without_an_id_the_next_number_is_taken(story: Bench) -> None:
    assert story.baton("story", "new", "T", *CRITERION, "--json").json["id"] == "43"
    (story.root / "specs/99_from-elsewhere").mkdir(parents=True)
    (story.root / "specs/²_odd").mkdir()
    assert story.baton("story", "new", "T", *CRITERION, "--json").json["id"] == "100"


def test_stories_live_where_the_settings_say(surrounded: Path, tmp_path: Path) -> None:
    bench = new_bench(tmp_path / "other", "base: main\ndir: docs/stories\n")
    (bench.root / "docs/stories/7_old").mkdir(parents=True)
    said = bench.baton("story", "new", "T", *CRITERION, "--json")
    assert said.json == {"id": "8", "path": "docs/stories/8_t/story.md"}


@pytest.mark.parametrize(("words", "what"), [
    (["", *CRITERION], "no title"), (["\x1b", *CRITERION], "no title"),
    (["T", *CRITERION, "--complexity", "11"], "Invalid value for '--complexity'"),
])  # fmt: skip
def test_a_story_nobody_could_work_on_is_refused(words: list[str], what: str, bench: Bench) -> None:
    assert bench.baton("story", "new", *words).refused.startswith(f"baton: {what}")
    assert not (bench.root / "specs").exists()


# Descriptions

BODY = "Some words.\n\n## Acceptance Criteria\n\n- one\n- two (deferred)\n"


@pytest.mark.parametrize(("body", "more", "criteria", "deferred"), [
    (BODY, (), ("one",), ("two (deferred)",)), ("Some words.\n", CRITERION, ("it works",), ()),
    (BODY, CRITERION, (), ()),
], ids=["in it", "beside it", "in both, which are all for the planner"])  # fmt: skip
def test_a_description_may_have_criteria(
    body: str, more: tuple[str, ...], criteria: tuple[str, ...], deferred: tuple[str, ...], bench: Bench
) -> None:
    story, text, _ = made(bench, bench.baton("story", "new", "T", "--body-file", "-", *more, "--json", stdin=body))
    assert (story.criteria, story.deferred) == (criteria, deferred)
    kept = text if criteria else Bench(bench.root, "1").folder.artifact("source").read_text(encoding="utf-8")
    assert [words for words in ("Some words.", *more[1:]) if words not in kept] == []


@pytest.mark.parametrize(("words", "what"), [
    (["--body-file", "calc.py", "--from", "calc.py"], "--from beside --body-file"),
    (["--body-file", "none.md"], "no such file"), (["--body-file", "x" * 400], "no such file"),
], ids=["two texts", "no file", "no name of a file"])  # fmt: skip
def test_a_description_that_cannot_be_read_is_one_line(words: list[str], what: str, bench: Bench) -> None:
    assert bench.baton("story", "new", "T", *words).refused.startswith(f"baton: {what} at ")


def test_an_id_with_an_underscore_is_not_taken_for_a_shorter_one(bench: Bench) -> None:
    words = ("story", "new", "Two things", "--criterion", "one holds")
    assert bench.baton(*words, "--id", "4_2").code == 0
    assert bench.baton(*words, "--id", "4").code == 0
    assert bench.baton(*words, "--id", "4").code == 2


def test_a_spec_that_names_another_story_is_not_written_over(bench: Bench) -> None:
    spec = "specs/42_subtract-numbers/story.md"
    bench.write({spec: "---\nid: 99\ntitle: mine\n---\n## Acceptance Criteria\n- mine\n"})
    said = bench.new()
    assert "is there already" in said.refused
    assert "id: 99" in (bench.root / spec).read_text()


def test_a_story_that_base_has_and_the_checkout_lacks_keeps_its_id(bench: Bench) -> None:
    bench.git("switch", "--quiet", "-c", "side")
    bench.commit({"specs/42_old/story.md": "---\nid: 42\n---\n", "specs/44_x/story.md": "---\nid: 44\n---\n"})
    said = bench.new()
    assert "main has specs/42_old" in said.refused
    assert bench.baton("story", "new", "T", *CRITERION, "--json").json["id"] == "45"
