"""An existing spec becomes a story where it lies, or a copy of it does; nothing it says is lost."""

from typing import Any

import pytest

from baton.artifacts.story_file import Story
from baton.errors import BatonError
from baton.journal.paths import validate_story_id
from bench import Bench, CallResult, PlayScene
from scenes import made

pytestmark = pytest.mark.sampled(20)

BODY = "Some words.\n\n## Acceptance Criteria\n\n- one\n- two (deferred)\n"
SPEC = f"---\nid: 7\ntitle: Dark mode\n---\n\n# Dark mode\n\n{BODY}"
PLACE = "specs/7_dark-mode/story.md"


def adopt(bench: Bench, path: str, *more: str) -> CallResult:
    return bench.baton("story", "new", "--from", path, *more)


def taken(bench: Bench, text: str, *more: str) -> tuple[Story, str, dict[str, Any]]:
    """Make a story of a text that comes from stdin, and read it."""
    return made(bench, bench.baton("story", "new", *more, "--from", "-", "--json", stdin=text))


# A text that is copied


def test_a_spec_from_stdin_keeps_its_front_matter(bench: Bench) -> None:
    head = '---\nid: 7\ntitle: Old\nowner: "ü: x"\nstatus: complete\n"odd: key": [1, two]\n---\n'
    story, _, fields = taken(bench, f"{head}# Old\n\n{BODY}")
    kept = {"owner": "ü: x", "odd: key": [1, "two"], "source": "stdin", "status": "new"}
    assert (fields, story.criteria) == ({"id": "7", "title": "Old", **kept}, ("one",))


@pytest.mark.parametrize("key", ["x: 1\nstatus", "id", "- a", "#", "{{ x }}"])
def test_a_key_of_a_spec_stays_one_key(key: str, bench: Bench) -> None:
    quoted = key.replace("\n", "\\n")
    _, _, fields = taken(bench, f'---\ntitle: T\n"{quoted}": given\n---\n{BODY}', "--id", "7")
    assert (fields["status"], set(fields)) == ("new", {"id", "title", "source", "status", key})


def test_what_is_given_goes_before_what_the_spec_says(bench: Bench) -> None:
    story, _, _ = taken(bench, f"---\nid: 7\ntitle: Old\n---\n{BODY}", "New\nname", "--id", "8")
    assert (story.id, story.title) == ("8", "New name")


@pytest.mark.parametrize(("text", "what"), [
    ("", "nothing in it"), (" \n\n", "nothing in it"), (BODY, "no title"),
    ("---\ntitle: T\n", "unreadable front matter"),
    ("---\n- a\n---\n# T\n", "front matter that is not a mapping"),
    ("---\ntitle: T\ntitle: U\n---\n", "unreadable front matter"),
    ("---\nid: a/b\n---\n# T\n" + BODY, "not a story id"),
])  # fmt: skip
def test_a_spec_that_is_no_story_is_refused(text: str, what: str, bench: Bench) -> None:
    said = bench.baton("story", "new", "--from", "-", stdin=text)
    assert said.refused.startswith(f"baton: {what}")
    assert not (bench.root / "specs").exists()


@pytest.mark.parametrize("heading", [
    "# Dark mode", "Dark mode\n=========", "```\n# no\n```\n# Dark mode", "Dark mode",
    "---\nowner: ü\n---\nDark mode",
])  # fmt: skip
def test_the_first_heading_or_line_names_a_spec_without_front_matter(heading: str, bench: Bench) -> None:
    bench.write({"ideas/dark.md": f"{heading}\n\n{BODY}"})
    story, _, fields = made(bench, adopt(bench, "ideas/dark.md", "--json"))
    assert (story.id, story.title, fields["source"]) == ("1", "Dark mode", "ideas/dark.md")


def test_a_spec_without_criteria_may_be_given_them(bench: Bench) -> None:
    story, _, fields = taken(bench, "# Dark mode\n", "--criterion", "it works", "--complexity", "3")
    assert (story.criteria, fields["complexity"]) == (("it works",), 3)


# Where it is


@pytest.mark.parametrize(("place", "named"), [
    ("my docs/it's.md", "my docs/it's.md"), ("../away.md", "away.md"), ("bad\udcff.md", "bad\\xff.md"),
], ids=["from the root", "from elsewhere by its name", "a name that is no text"])  # fmt: skip
def test_the_story_names_the_file_that_it_was_made_of(place: str, named: str, bench: Bench) -> None:
    bench.write({place: f"# A\n{BODY}"})
    assert made(bench, adopt(bench, str(bench.root / place), "--json"))[2]["source"] == named


def test_a_path_from_the_root_holds_in_every_folder(bench: Bench) -> None:
    bench.write({PLACE: SPEC})
    said = Bench(bench.root / "tools").baton("story", "new", "--from", "specs/7_dark-mode")
    assert said.out.startswith(f"story 7: {PLACE}\n")


@pytest.mark.parametrize(("path", "what"), [
    ("", "this folder is not a spec"), ("empty", "no file with text in it in this folder"),
    ("docs/none.md", "no such file"), ("add a dark mode", "no such file"), ("x" * 400, "no such file"),
    ("link.md", "cannot read (a symbolic link)"),
])  # fmt: skip
def test_a_path_that_leads_to_no_spec_is_one_line(path: str, what: str, bench: Bench) -> None:
    (bench.root / "link.md").symlink_to(".gitignore")
    (bench.root / "empty").mkdir()
    assert adopt(bench, path).refused.startswith(f"baton: {what} at ")
    assert not (bench.root / "specs").exists()


def test_a_spec_is_not_taken_twice_but_under_an_id_of_its_own(bench: Bench) -> None:
    bench.write({"docs/dark.md": f"# Dark\n{BODY}"})
    assert adopt(bench, "docs/dark.md").code == 0
    assert "story 1 was made of it (new) at docs/dark.md: `baton next 1`" in adopt(bench, "docs/dark.md").refused
    assert adopt(bench, "docs/dark.md", "--id", "8", "--json").json["id"] == "8"


def test_a_title_that_is_the_path_of_a_spec_is_refused(bench: Bench) -> None:
    bench.write({"a b.md": SPEC})
    assert "`baton story new --from 'a b.md'`" in bench.baton("story", "new", "a b.md").refused
    assert bench.baton("story", "new", "a b.md", "--criterion", "it is gone").code == 0


# In its place


@pytest.mark.parametrize("path", [PLACE, "specs/7_dark-mode", "specs/7_dark-mode/"])
def test_a_spec_where_stories_are_becomes_that_story_and_stays_as_it_is(path: str, bench: Bench) -> None:
    before = b"\xef\xbb\xbf" + SPEC.replace("\n", "\r\n").encode()
    bench.write({PLACE: ""})
    (bench.root / PLACE).write_bytes(before)
    assert adopt(bench, path, "--json").json == {"id": "7", "path": PLACE}
    assert (bench.root / PLACE).read_bytes() == Bench(bench.root, "7").place("story").read_bytes() == before


def test_a_story_whose_journal_was_never_begun_is_taken_up(bench: Bench) -> None:
    bench.write({PLACE: SPEC, ".git/baton/7/journal.jsonl": '{"seq":1'})
    assert adopt(bench, PLACE, "--json").json["id"] == "7"
    assert Bench(bench.root, "7").state.status == "new"


@pytest.mark.parametrize(
    ("name", "text", "what", "remedy"),
    [
        ("7_dark", f"# Dark\n{BODY}", "no `id:`", "`---`, `id: 7`, `title: …`, `---`"),
        ("7_dark", f"---\nid: 7\n---\n{BODY}", "no `title:`", "add a line `title: …`"),
        ("7_dark", "---\nid: 7\n", "line 1: the front matter is not closed", "fix it"),
        ("8_dark", SPEC, "its `id:` is 7, its folder is 8_dark", "7_dark-mode"),
        ("7_dark mode", SPEC, "no branch can be named", "7_dark-mode"),
        ("7_dark\udcff", SPEC, "no branch can be named", "7_dark-mode"),
        ("7_dark", SPEC.replace("Dark mode", '"\\e"'), "a `title:` without a character", "fix it"),
        ("7_dark", SPEC.replace("id:", "status: complete\nid:"), "story 7 is complete", "--id"),
    ],
)
def test_a_spec_in_its_place_must_be_a_story(name: str, text: str, what: str, remedy: str, bench: Bench) -> None:
    bench.write({f"specs/{name}/story.md": text})
    said, _, help_text = adopt(bench, f"specs/{name}").refused.partition("/story.md: ")
    assert said.startswith(f"baton: {what}")
    assert remedy in help_text
    assert not (bench.root / ".git/baton/7").exists()


@pytest.mark.parametrize(
    "more", [["Another"], ["--criterion", "x"], ["--complexity", "0"], ["--language", "lean"]]
)
def test_what_would_change_a_spec_in_its_place_is_refused(more: list[str], bench: Bench) -> None:
    bench.write({PLACE: SPEC})
    assert adopt(bench, PLACE, *more).refused.startswith("baton: more is given than the file")
    assert adopt(bench, PLACE, "--id", "7").code == 0


def test_another_id_makes_a_copy(bench: Bench) -> None:
    bench.write({PLACE: SPEC, "specs/dark/story.md": f"# Dark mode\n{BODY}"})
    assert adopt(bench, PLACE, "--id", "8", "--json").json == {"id": "8", "path": "specs/8_dark-mode/story.md"}
    assert adopt(bench, PLACE, "--json").json["id"] == "7"
    assert adopt(bench, "specs/dark", "--json").json["path"] == "specs/9_dark-mode/story.md"  # it names no id


def test_a_story_that_is_there_is_named_with_the_way_to_go_on(planning: Bench) -> None:
    before = planning.journal.read_bytes()
    said = adopt(planning, "specs/42_subtract-numbers").refused
    assert "story 42 was made of it (planning) at specs/42_" in said
    assert ": `baton next 42` goes on with it; another takes an --id\n" in said
    assert planning.journal.read_bytes() == before


# An abandoned story


def test_an_abandoned_story_begins_anew_once_under_a_new_id(play: PlayScene) -> None:
    bench, _ = play("in-progress/abandoned")
    journal = bench.journal.read_bytes()
    story, text, _ = made(bench, adopt(bench, "specs/42_subtract-numbers", "--json"))
    assert (story.id, story.title) == ("43", "Subtract numbers")
    assert 'source: "specs/42_subtract-numbers/story.md"' in text
    assert "story 43 was made of it (new)" in adopt(bench, "specs/42_subtract-numbers").refused
    assert bench.journal.read_bytes() == journal
    assert Bench(bench.root, "43").next()["action"] in ("spawn", "ask")


@pytest.mark.parametrize("name", ["confirmed.json", "Valid", "pr-5"])
def test_a_spec_cannot_take_a_name_of_batons_own(bench: Bench, name: str) -> None:
    text = f"---\nid: {name}\ntitle: Dark\n---\n{BODY}"
    bench.write({"idea.md": text, f"specs/{name}_dark/story.md": text})
    for path in ("idea.md", f"specs/{name}_dark"):
        said = adopt(bench, path)
        assert "a name that baton itself uses" in said.refused
    assert "a name that baton itself uses" in bench.baton("status").out
    assert not (bench.root / ".git/baton" / name).is_dir()


def test_whatever_lies_beside_the_stories_is_the_name_of_none(judging: Bench) -> None:
    judging.judge()
    beside = {path.name for path in judging.journal.parents[1].iterdir()} - {"42"}
    assert {"repository", "confirmed.json", "baselines", "valid"} <= beside
    for name in beside:
        with pytest.raises(BatonError):
            validate_story_id(name)
