"""What a story depends on: named once, held against what is there, and said where it is not over."""

import pytest

from baton.artifacts.findings import faults
from baton.artifacts.kinds import check_artifact
from baton.story.begin.dependencies import KnownStory, find_known
from bench import Bench, CallResult, Reach
from scenes import made

HEAD = "id: 43\ntitle: Tea\ndepends_on: {}\n"
BODY = "---\n\n## Acceptance Criteria\n\n- it boils\n"


def spec(depends_on: str, status: str = "new") -> str:
    return f"---\n{HEAD.format(depends_on)}status: {status}\n{BODY}"


def new(bench: Bench, *ids: str) -> CallResult:
    """Make story 43, which depends on others."""
    words = [word for story_id in ids for word in ("--depends-on", story_id)]
    return bench.baton("story", "new", "Tea", "--id", "43", "--criterion", "it boils", *words, "--json")


@pytest.mark.parametrize(("text", "read"), [("42", ("42",)), ("[42, E06S41, 42]", ("42", "E06S41")), ("", ())])
def test_a_story_names_one_or_several(text: str, read: tuple[str, ...], bench: Bench) -> None:
    bench.write({"specs/42_x/story.md": spec("").replace("43", "42"), "specs/E06S41_x/story.md": spec("")})
    said = bench.baton("story", "new", "--from", "-", "--json", stdin=spec(text))
    assert made(bench, said)[0].depends_on == read


@pytest.mark.parametrize("text", ["{a: 1}", "[[42]]", "true", "['']"])
def test_what_is_no_list_of_ids_is_a_fault(text: str) -> None:
    assert [fault.rule for fault in faults(check_artifact("story", spec(text), "here"))] == ["story/front-matter"]


def test_an_id_that_is_not_there_is_one_line_and_nothing_is_written(story: Bench) -> None:
    said = new(story, "42", "41")
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert said.err.startswith("baton: no story 41, which it depends on at story 43: ")
    assert not story.project.has_story("43")
    assert made(story, new(story, "42"))[0].depends_on == ("42",)


def test_a_circle_is_one_line_wherever_it_is_made(story: Bench) -> None:
    assert new(story, "42").code == 0
    text = story.place("story").read_text(encoding="utf-8").replace("id:", "depends_on: [43]\nid:", 1)
    for words, code in ((("story", "edit", "42"), 2), (("validate", "story", "-"), 1)):
        said = story.baton(*words, stdin=text)
        assert said.code == code
        assert "these stories wait for one another: 42 → 43 → 42" in said.out + said.err
    assert story.baton("validate", "story", "-", stdin=text.replace("43", "44")).code == 1
    assert story.baton("validate", "story", "-", stdin=text.replace("[43]", "[]")).code == 0


def test_one_whose_journal_is_damaged_is_not_taken_for_another(story: Bench) -> None:
    assert new(story, "42").code == 0
    story.journal.write_text("garbage\n", encoding="utf-8")
    assert find_known(story.project, "42") == KnownStory("42", (), "damaged")


def test_a_run_does_not_begin_while_an_id_is_unknown(story: Bench) -> None:
    path = "specs/43_tea/story.md"
    story.write({"specs/41_x/story.md": spec("[]").replace("43", "41"), path: spec("[41]")})
    assert story.baton("story", "new", "--from", path).code == 0
    (story.root / "specs/41_x/story.md").unlink()
    (story.root / path).unlink()
    assert "no story 41, which it depends on at story 43: " in story.baton("next", "43").err


@pytest.mark.parametrize(("stage", "status"), [("implementing", "implementing"), ("judging", "qa")])
def test_the_step_that_begins_says_once_what_is_not_over(stage: str, status: str, reach: Reach) -> None:
    bench = reach(stage)
    new(bench, "42")
    first, again = (bench.baton("next", "43").out for _ in range(2))
    warning = f"WARNING story 43 depends on 42, which is not over ({status})"
    assert (first.count(warning), first.startswith("DO spawn baton:planner"), warning in again) == (1, True, False)


def test_what_is_over_is_not_spoken_of_in_a_fresh_clone_either(judging: Bench) -> None:
    assert judging.judge()["action"] == "complete"
    judging.forget()
    new(judging, "42")
    assert "WARNING" not in judging.baton("next", "43").out


def test_what_was_undone_is_not_over(judging: Bench) -> None:
    judging.judge()
    assert judging.baton("undo", "42").code == 0
    new(judging, "42")
    assert "which is not over (undone)" in judging.baton("next", "43").out
