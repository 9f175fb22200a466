"""What a round posts and commits is made for its reader: a reply says what it answers, a commit what was done."""

from typing import Any

import pytest

from baton.artifacts import resolver_result
from baton.feedback.fetch.item import part_id
from baton.feedback.text.comment_marks import marks_in
from fake_github.misbehave import Meanwhile
from fake_github.request import Request
from fake_github.state import Thread
from feedback.reader_double import actionable, finding
from feedback.scene import PLAIN, PullScene, cut_short, result, says

pytestmark = [pytest.mark.sampled(5), pytest.mark.gh]

PARTS = "`src/a.py`, 12-14: **Name the unit.**\n\nline 20: **Say @alice what it is.**"
READ = actionable(
    finding("Name the unit.", path="src/a.py", line=14, start_line=12),
    finding("Say @alice what it is.", path="src/a.py", line=20),
)
FIRST, SECOND = (part_id("coderabbitai", "src/a.py", one["quote"]) for one in READ["findings"])


@pytest.fixture
def here(here: PullScene) -> PullScene:
    here.push({"src/a.py": "a = 1\n" * 30})
    here.script = {"Name the unit": READ}
    return here


def own_comments(here: PullScene) -> list[str]:
    return [comment.body for comment in here.pull.comments if comment.author is here.hub.viewer]


# What a reply answers


def test_findings_of_a_review_are_answered_in_one_comment_with_words_and_place(here: PullScene) -> None:
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
    assert [mark.item for mark in marks_in(first + second)] == [FIRST, SECOND]
    # A dry run shows a comment as it is then posted.
    assert all(f"│ {line}" in shown for line in body.split("\n") if line)


def test_a_comment_on_the_pull_request_is_answered_with_its_address_and_words(here: PullScene) -> None:
    comment = here.pull.comment(by="bob", body="What is it for?\n\nI see no use.")
    here.plan()
    here.settle(result(comment.id, feedback_type="pr_comment"))
    assert here.land().code == 0
    about, quote, text, _ = here.pull.comments[-1].body.split("\n\n")
    assert about.endswith(f"#issuecomment-{comment.number}")
    assert (quote.startswith("> What is it for?"), text) == (True, "Looked at it.")


def test_a_line_we_quote_is_no_answer_to_another_who_wrote_it_too(here: PullScene) -> None:
    comment = here.pull.comment(by="bob", body="What is this module for?")
    here.plan()
    here.settle(result(comment.id, feedback_type="pr_comment"))
    here.pull.comment(by="alice", body="What is this module for?")
    assert says(here.land(), "WHY verify/again: 1 new")
    assert here.replies == [comment.id]


# What a commit says


def test_a_project_that_wants_conventional_subjects_gets_one(here: PullScene) -> None:
    here.bench.hook("commit-msg", "grep -q '^fix: ' \"$1\"")
    here.fixed()
    assert (here.landed().code, here.subjects) == (0, ["fix: use a better name (#7)", "more"])


def test_an_old_result_without_a_change_names_its_place(here: PullScene, monkeypatch: pytest.MonkeyPatch) -> None:
    thread = here.pull.thread("src/a.py", 1, by="alice", body="Rename this variable.")
    here.plan()
    here.edit(thread.id, {"src/a.py": "alpha = 1\n"})
    with monkeypatch.context() as patch:
        patch.setattr(resolver_result, "_fault_of_change", lambda one: "")
        here.settle(result(thread.id, "fixed", "src/a.py", change=""))
    assert (here.landed().code, here.subjects) == (0, ["Address review of a.py (#7)", "more"])


# What asks for nothing


def thanked(here: PullScene) -> Thread:
    """Have a thread that asks for nothing, and a verdict on it that says so."""
    thread = here.pull.thread("src/a.py", 1, by="alice", body="Indeed, this reads so much better than it did.")
    here.plan()
    silent: dict[str, Any] = result(thread.id, "asks-nothing")
    here.settle({name: value for name, value in silent.items() if name != "reply_text"})
    return thread


def test_a_thread_that_asks_for_nothing_is_resolved_without_a_reply(here: PullScene) -> None:
    thread = thanked(here)
    no_reply = f"NO REPLY to {thread.id}: it asks for nothing"
    assert says(here.land("--dry-run"), no_reply, f"RESOLVE {thread.id}")
    words = ("ASKS-NOTHING 1\n  @alice src/a.py:1", "ANSWERED 0 items, resolved 1 thread")
    assert says(here.land(), "WHY verify/clean", *words)
    assert (here.replies, thread.resolved, here.head == here.pushed) == ([], True, True)


@pytest.mark.parametrize("settings", [PLAIN.replace("all", "own")], ids=["own"])
def test_a_thread_that_is_not_ours_to_resolve_stays_open_and_is_not_new_again(here: PullScene) -> None:
    thread = thanked(here)
    assert says(here.land(), "WHY verify/clean", "somebody else began it")
    assert (thread.resolved, here.plan()["rule"]) == (False, "pr/nothing")
    thread.reply(by="alice", body="But what of line 3?")
    assert here.plan()["rule"] != "pr/nothing"


def test_a_comment_that_asks_for_nothing_is_left_and_not_new_again(here: PullScene) -> None:
    comment = here.pull.comment(by="bob", body="I have merged main into this, for the record.")
    here.plan()
    here.settle(result(comment.id, "asks-nothing", feedback_type="pr_comment"))
    assert says(here.land(), "WHY verify/clean", "ASKS-NOTHING 1")
    assert (own_comments(here), here.plan()["rule"]) == ([], "pr/nothing")


def test_a_comment_during_the_landing_keeps_its_thread_open_and_is_new(here: PullScene) -> None:
    thread = thanked(here)
    speak = Meanwhile(lambda: thread.reply(by="alice", body="But what of line 3?"))
    here.misbehave(speak, after=1, when=is_read)
    assert says(here.land(), "WHY verify/again", "somebody spoke since it was answered")
    assert (here.replies, thread.resolved) == ([], False)


@pytest.mark.parametrize("place", ["Answers.ignore", "ReplyPoster.resolve", "_verified"])
def test_cut_short_anywhere_the_next_call_ends_as_the_first_would_have(here: PullScene, place: str) -> None:
    thread = thanked(here)
    with cut_short(f"land.settle.{place}"):
        assert (here.land().code, thread.resolved) == (2, place == "_verified")
    said = here.land()
    assert says(said, "WHY verify/clean", "ASKS-NOTHING 1", "ANSWERED 0 items, resolved 1 thread")
    assert (here.resolved, "skipped" in said.out) == ([thread.id], False)


def is_read(request: Request) -> bool:
    return "query Feedback" in request.query
