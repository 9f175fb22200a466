"""What a round posts and commits is made for its reader: a reply says what it answers, a commit what was done."""

from __future__ import annotations

import pytest

from baton.artifacts import resolver_result
from baton.feedback.land.reply_marker import marks_in
from baton.feedback.read.item import part_id
from feedback.kill_scene import Scene, result
from feedback.said import NITPICKS
from feedback.test_land import says

pytestmark = [pytest.mark.sampled(5), pytest.mark.gh]

PARTS = NITPICKS.replace("(1)", "(2)").replace(
    "Seconds or milliseconds?\n",
    "Seconds or milliseconds?\n\n---\n\n`20`: **Say @alice what it is.**\n\nIt is not said.\n",
)
FIRST, SECOND = (part_id("coderabbitai", "src/a.py", one) for one in ("Name the unit.", "Say @alice what it is."))


@pytest.fixture
def here(to_land: Scene) -> Scene:
    to_land.hub.actor("coderabbitai", "Bot")
    return to_land


def own_comments(here: Scene) -> list[str]:
    return [one.body for one in here.pull.comments if one.author is here.hub.viewer]


# What a reply answers


def test_the_findings_of_one_review_are_answered_in_one_comment_each_with_its_words_and_place(here: Scene) -> None:
    review = here.pull.review(by="coderabbitai", body=PARTS)
    here.plan()
    part = {"feedback_type": "review_body_part"}
    here.settle(result(FIRST, **part), result(SECOND, "not-addressing", reply_text="It says so.", **part))
    shown = here.land("--dry-run").out
    assert here.land().code == 0
    [body] = own_comments(here)
    first, second = (f"<!-- {one}" for one in body.split("<!-- ")[1:])
    assert body.partition("\n\n<!-- ")[0] == (
        f"About {review.url}\n\n> Name the unit.\n\n`src/a.py:12-14`\n\nLooked at it."
    )
    # Words that would mention somebody are left out.
    assert first.partition("\n\n")[2] == "`src/a.py:20`\n\nIt says so.\n\n"
    assert [one.item for one in marks_in(first + second)] == [FIRST, SECOND]
    assert says_whole(shown, body)


def says_whole(shown: str, body: str) -> bool:
    """Whether a dry run shows a comment as it is then posted."""
    return all(f"│ {line}" in shown for line in body.split("\n") if line)


def test_a_comment_on_the_pull_request_is_answered_with_its_address_and_words(here: Scene) -> None:
    comment = here.pull.comment(by="bob", body="What is it for?\n\nI see no use.")
    here.plan()
    here.settle(result(comment.id, feedback_type="pr_comment"))
    assert here.land().code == 0
    about, quote, text, _ = here.pull.comments[-1].body.split("\n\n")
    assert about.endswith(f"#issuecomment-{comment.number}")
    assert (quote.startswith("> What is it for?"), text) == (True, "Looked at it.")


def test_a_line_we_quote_is_no_answer_to_another_who_wrote_it_too(here: Scene) -> None:
    comment = here.pull.comment(by="bob", body="What is this module for?")
    here.plan()
    here.settle(result(comment.id, feedback_type="pr_comment"))
    here.pull.comment(by="alice", body="What is this module for?")
    assert says(here.land(), "WHY verify/again: 1 new")
    assert here.replies == [comment.id]


# What a commit says


def test_a_project_that_wants_conventional_subjects_gets_one(here: Scene) -> None:
    here.bench.hook("commit-msg", "grep -q '^fix: ' \"$1\"")
    here.fixed()
    assert (here.landed().code, here.subjects) == (0, ["fix: use a better name (#7)"])


def test_what_an_older_version_took_without_a_change_lands_and_names_its_place(
    here: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    thread = here.pull.thread("src/a.py", 1, by="alice", body="Rename this variable.")
    here.plan()
    here.edit(thread.id, {"src/a.py": "alpha = 1\n"})
    with monkeypatch.context() as patch:
        patch.setattr(resolver_result, "_fault_of_change", lambda one: "")
        here.settle(result(thread.id, "fixed", "src/a.py", change=""))
    assert (here.landed().code, here.subjects) == (0, ["Address review of a.py (#7)"])
