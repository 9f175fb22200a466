"""The mark of a reply: read as it was made, those of earlier versions too, and nothing else."""

import pytest

from baton.feedback.fetch.item import part_id
from baton.feedback.text.comment_marks import ReplyMark, make_mark, marks_in


@pytest.mark.parametrize("item", ["PRRT_kwDOA-b_c=", "IC_kwDO.1", part_id("coderabbitai", "src/a.py", "Name it")])
def test_a_mark_is_read_as_it_was_made(item: str) -> None:
    made = make_mark(item, "fixed-differently", "r1a2b3c4")
    assert marks_in(f"> rename\n\nDone.\n\n{made}") == [ReplyMark(item, "fixed-differently", "r1a2b3c4")]


def test_a_mark_that_tells_no_round_is_one_of_none() -> None:
    assert marks_in("<!-- baton:reply id=PRRT_1 verdict=fixed -->") == [ReplyMark("PRRT_1", "fixed", "")]


@pytest.mark.parametrize("text", [
    "", "<!-- baton:reply id=PRRT_1 -->", "<!-- baton:reply id=PRRT_1 verdict=fixed round= -->",
    "<!-- baton:reply id=PRRT_1 verdict=fixed round=a b -->", "<!--baton:reply id=PRRT_1 verdict=fixed-->",
    "<!-- baton:reply id=PRRT_1 verdict=fixed round=r1 more=x -->",
    "<!-- baton:reply id=PRRT_1\nverdict=fixed -->", "&lt;!-- baton:reply id=PRRT_1 verdict=fixed --&gt;",
])  # fmt: skip
def test_a_text_that_only_resembles_a_mark_is_none(text: str) -> None:
    assert marks_in(text) == []


@pytest.mark.parametrize(("item", "verdict", "round"), [
    ("a -->", "fixed", "r1"), ("a", "fixed -->", "r1"), ("a", "fixed", "r1 -->"), ("a", "fixed", ""),
    ("", "fixed", "r1"),
])  # fmt: skip
def test_no_mark_can_be_made_of_what_could_not_be_read_again(item: str, verdict: str, round: str) -> None:
    with pytest.raises(AssertionError):
        make_mark(item, verdict, round)
