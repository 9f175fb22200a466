"""What `/implement` was given: read by one parser, then a story is found or made, or something is asked."""

import pytest

from baton.artifacts.story_file import read_story
from baton.commands.request import OF_NEW, parse_request
from baton.commands.story_verb import new
from baton.errors import BatonError
from baton.journal.paths import slug
from bench import Bench, CallResult

TEXT = "# Add tea\n\nA kettle.\n\n## Acceptance Criteria\n\n- it boils"
PLAN_ONLY, NO_LOOP = "--plan-only", "--no-loop"
REQUESTS = {
    "": ("nothing", "", ()),
    " \n ": ("nothing", "", ()),
    "--plan-only": ("nothing", "", (PLAN_ONLY,)),
    "42": ("word", "42", ()),
    "E06S41\n": ("word", "E06S41", ()),
    "'42'": ("word", "42", ()),
    "--plan-only 42 --no-loop": ("word", "42", (PLAN_ONLY, NO_LOOP)),
    "42 --max-iterations 7": ("word", "42", ("--max-iterations 7",)),
    "--max-iterations=12 --no-loop\n42": ("word", "42", ("--max-iterations=12", NO_LOOP)),
    "#123": ("issue", "#123", ()),
    "https://github.com/o/r/issues/7": ("issue", "https://github.com/o/r/issues/7", ()),
    "--no-loop #7\n\n## Acceptance Criteria": ("issue", "#7\n\n## Acceptance Criteria", (NO_LOOP,)),
    "#7 is done, now do the rest": ("text", "#7 is done, now do the rest", ()),
    "specs/7_tea/": ("path", "specs/7_tea/", ()),
    "tea.md": ("path", "tea.md", ()),
    "@tea": ("path", "tea", ()),
    "@'my tea.md' --plan-only": ("path", "my tea.md", (PLAN_ONLY,)),
    '"docs/my tea.md"': ("path", "docs/my tea.md", ()),
    "\u201cdocs/my tea.md\u201d": ("path", "docs/my tea.md", ()),
    "Add a kettle": ("text", "Add a kettle", ()),
    "'Add' and 'sub'": ("text", "'Add' and 'sub'", ()),
    "document --no-loop in the README": ("text", "document --no-loop in the README", ()),
    f"--no-loop\n{TEXT}": ("text", TEXT, (NO_LOOP,)),
    f"{TEXT}\n--plan-only": ("text", TEXT, (PLAN_ONLY,)),
    "---\nid: 7\n---\n# Tea": ("text", "---\nid: 7\n---\n# Tea", ()),
}


@pytest.mark.parametrize("given", REQUESTS)
def test_each_request_is_of_one_kind(given: str) -> None:
    assert tuple(parse_request(given)) == REQUESTS[given]


@pytest.mark.parametrize("given", ["--dry-run 42", "42 --dry-run", "42 --max-iterations", "--max-iterations 0 42"])
def test_a_flag_that_is_none_is_refused(given: str) -> None:
    with pytest.raises(BatonError, match="no flag `--"):
        parse_request(given)


@pytest.mark.parametrize("given", ["--complexity 2 Add tea", "--complexity=2 Add tea", "Add tea --complexity 2"])
def test_a_flag_of_story_new_is_refused_with_the_call_that_takes_it(given: str) -> None:
    with pytest.raises(BatonError, match='`baton story new "…" --complexity …` takes it'):
        parse_request(given)
    assert parse_request("document --complexity 2 in the README").kind == "text"


def test_the_options_of_story_new_are_all_known_where_a_story_begins() -> None:
    known = {*OF_NEW, "--write-back", "--json"}
    assert known == {name for option in new.params for name in option.opts if name.startswith("--")}


def test_flags_are_those_of_next() -> None:
    asked = parse_request("--max-iterations=3 42 --no-loop").asked
    assert (asked.plan_only, asked.max_iterations, asked.no_loop) == (False, 3, True)


def give(bench: Bench, text: str, *more: str) -> CallResult:
    return bench.baton("start", "-", *more, stdin=text)


SPECS = {
    "specs/7_tea/story.md": "---\nid: 7\ntitle: Tea\n---\n## Acceptance Criteria\n\n- it boils\n",
    "ideas/my tea.md": TEXT,
    "tea": TEXT,
}


@pytest.mark.parametrize(("given", "story"), [
    ("7", "7"), ("specs/7_tea", "7"), ("specs/7_tea/story.md", "7"), ("@ideas/my tea.md", "8"),
    ("ideas/my tea.md", "8"), ("tea", "8"), (TEXT, "8"), (TEXT.removeprefix("# "), "8"),
])  # fmt: skip
def test_a_story_is_made_once_and_then_found(given: str, story: str, bench: Bench) -> None:
    bench.write(SPECS)
    steps = [give(bench, given, "--json").json for _ in range(2 if "\n" not in given else 1)]
    assert {(step["story"], step["rule"].partition("/")[0]) for step in steps} == {(story, "start")}


def test_a_story_that_is_there_goes_on_with_its_flags(story: Bench) -> None:
    assert give(story, "--no-loop 42 --max-iterations 2").action == "DO spawn baton:planner"
    assert (story.state.flags.no_loop, story.state.flags.max_iterations) == (True, 2)
    assert give(story, "42").action == "DO wait"


@pytest.mark.parametrize(("given", "title"), [
    ("Add a kettle --plan-only", "Add a kettle"), ("Tea\n\n## Acceptance Criteria\n", "Tea"),
    (f"{TEXT}\n\n## Requirements\n\n- it whistles", "Add tea"),
])  # fmt: skip
def test_a_text_with_criteria_beyond_one_list_is_a_story_without_any(given: str, title: str, bench: Bench) -> None:
    assert give(bench, given, "--json").json["rule"] == "start/commands"
    made = Bench(bench.root, "1").folder.artifact("story").read_text(encoding="utf-8")
    assert (read_story(made).title, read_story(made).criteria) == (title, ())
    assert read_story(made).sources == (f"specs/1_{slug(title)}/source/text.md",)


def test_the_same_words_go_on_with_the_story_they_began_until_it_is_over(bench: Bench) -> None:
    stories = [
        give(bench, words, "--json").json["story"] for words in ("Add a kettle", "Add a pot", "Add a kettle ")
    ]
    assert stories == ["1", "2", "1"]
    bench.baton("answer", "1", "abandon")
    assert give(bench, "Add a kettle", "--json").json["story"] == "3"


def test_a_text_that_cannot_be_read_keeps_no_other_story_from_beginning(bench: Bench) -> None:
    give(bench, "Add a kettle")
    words = Bench(bench.root, "1").folder.artifact("source")
    words.unlink()
    words.symlink_to("nowhere")
    assert give(bench, "Add a pot", "--json").json["story"] == "2"


def test_so_is_a_file_of_this_project(bench: Bench) -> None:
    bench.write({"docs/plan 9.md": "## Requirements\n\n- it boils\n\n## Acceptance Criteria\n\n- it is hot\n"})
    steps = [give(bench, "docs/plan 9.md", "--json").json for _ in range(2)]
    assert [step["story"] for step in steps] == ["1", "1"]
    made = Bench(bench.root, "1").folder
    known = read_story(made.artifact("story").read_text(encoding="utf-8"))
    assert (known.title, known.criteria, known.source) == ("plan 9", (), "docs/plan 9.md")
    assert known.sources == ("specs/1_plan-9/source/docs/plan 9.md",)


@pytest.mark.parametrize(("given", "rule", "then"), [
    ("", "nothing", "  baton 0.1.0, and no story yet: "),
    ("kettle --no-loop", "unknown", "THEN baton start - <<'END-OF-STORY'\n--no-loop\nID\n"),
    ("docs/none.md", "unknown", "has no story and no file `docs/none.md`"),
    ("/etc/hostname", "outside", "THEN baton story new --from /etc/hostname"),
])  # fmt: skip
def test_an_unclear_request_is_asked_with_a_command(given: str, rule: str, then: str, bench: Bench) -> None:
    said = give(bench, given)
    assert (said.code, said.action, then in said.out) == (0, "DO ask", True)
    assert f"WHY request/{rule}: " in said.out
    step = give(bench, given, "--json").json
    assert (step["rule"], set(step["question"])) == (f"request/{rule}", {"question", "options", "answer_with"})
    assert not (bench.root / ".git/baton").exists()
