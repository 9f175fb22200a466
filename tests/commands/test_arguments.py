"""What a shell completes: ids, runs, options of the open question, kinds and tables."""

import pytest
from click.shell_completion import ShellComplete

from baton.cli import baton
from bench import Bench, PlayScene


def complete(bench: Bench, *words: str) -> list[str]:
    """Return what is offered in the place of the last word."""
    shell = ShellComplete(baton, {}, "baton", "_BATON_COMPLETE")
    *before, begun = words
    return [item.value for item in shell.get_completions(["--project", str(bench.root), *before], begun)]


@pytest.mark.parametrize(("words", "offered"), [
    (["status", ""], ["42"]), (["next", "4"], ["42"]), (["next", "7"], []),
    (["explain", "qa/f"], ["qa/fail-twice", "qa/fail"]), (["validate", "plan"], ["plan", "plan-blocked"]),
    (["sta"], ["start", "status"]), (["answer", "42", ""], []), (["brief", "42", "--role", "q"], ["qa"]),
])  # fmt: skip
def test_a_word_is_completed(words: list[str], offered: list[str], planning: Bench) -> None:
    assert complete(planning, *words) == offered


@pytest.mark.parametrize(
    "words", [["begin", ""], ["next", "42", "--ended", ""], ["timeline", "42", "--run", "sess_"]]
)
def test_a_run_is_completed(words: list[str], implementing: Bench) -> None:
    assert complete(implementing, *words) == [run.id for run in reversed(implementing.state.runs)]


def test_an_option_of_the_open_question_is_completed(play: PlayScene) -> None:
    bench, step = play("planning/approval")
    assert complete(bench, "answer", "42", "") == [one["id"] for one in step["question"]["options"]]


def test_completion_offers_nothing_where_nothing_can_be_read(bench: Bench) -> None:
    assert complete(Bench(bench.root.parent / "missing"), "status", "") == []
