"""What a story has is printed from its own copy, wherever one stands."""

from pathlib import Path

from bench import HANDOFF, PLAN, Bench


def test_show_lists_each_artifact_with_its_path(implementing: Bench) -> None:
    lines = implementing.baton("show", "42").out.splitlines()
    listed = dict(line.split(maxsplit=1) for line in lines)
    assert listed.keys() == {"story", "plan", "summary"}
    assert all(Path(one).is_file() for one in listed.values())
    assert [one["kind"] for one in implementing.baton("show", "42", "--json").json["artifacts"]] == [*listed]


def test_an_artifact_is_printed_whole_in_a_run_s_tree_too(implementing: Bench) -> None:
    implementing.hand_in("handoff", HANDOFF)
    assert implementing.baton("show", "42", "plan").out == PLAN
    assert implementing.in_tree("show", "42", "handoff").out == HANDOFF
    assert implementing.in_tree("show", "42", "story", "--json").json["text"].startswith("---\n")


def test_in_the_client_a_long_one_is_cut_with_where_the_rest_is(implementing: Bench, client: None) -> None:
    implementing.place("story").write_text("---\nid: 42\n---\n" + "words\n" * 2_000)
    said = implementing.baton("show", "42", "story")
    assert (len(said.out) < 6_100, str(implementing.place("story")) in said.out) == (True, True)
    assert len(implementing.baton("show", "42", "story", "--all").out) > 12_000


def test_a_missing_artifact_is_one_line_that_lists_the_others(planning: Bench) -> None:
    assert planning.baton("show", "42", "plan").refused == "baton: no `plan` at story 42: there is: story\n"


def test_the_report_of_a_complete_story_is_shown(judging: Bench) -> None:
    judging.judge()
    assert "Merged into `main`" in judging.baton("show", "42", "completion-report").out
