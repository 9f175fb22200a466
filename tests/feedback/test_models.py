"""The JSON of `pr fetch`: its shape is held by an example, and what is read back is what was kept."""

import json
from pathlib import Path

from baton.feedback.read.models import Feedback
from baton.feedback.read.record import PullRequestRecord, make_record
from baton.feedback.read.triage import classify_comments, triage
from baton.feedback.read.trust import judge_comment
from baton.github.address import CommentRef
from bench import ROOT
from feedback.said import BOTS, LIMITED, NITPICKS, PULL, PUSHERS, at_first, by, thread

EXAMPLE = ROOT / "tests/examples/feedback/record.json"


def record() -> PullRequestRecord:
    """Make a record with one of everything."""
    at_first()
    said = Feedback(
        PULL._replace(title="a\u200bb", head="fix(x)", head_repository="eve/app", cross_repository=True),
        "me",
        [
            thread(by("alice", "rename\r\u202e this", edited_at="2026-02-01T00:00:00Z"), by("stranger", "canary")),
            thread(by("bob", "rename"), outdated=True, line=None, commit="b" * 40),
            thread(by("alice", "rename"), resolved=True),
        ],
        (by("newcomer", "canary"), by("coderabbitai", LIMITED)),
        (by("coderabbitai", NITPICKS, state="COMMENTED"), by("me", "draft", state="PENDING")),
    )
    said = classify_comments(said, lambda comment: judge_comment(comment, PUSHERS, BOTS), BOTS)
    target = CommentRef("review_thread", said.threads[0].comments[0].number)
    made = make_record(said, triage(said), 10, None, Path("/x/feedback.json"))
    return made._replace(target=target, after="r1", problems=("one",))


def test_the_json_is_that_of_the_example() -> None:
    assert record().to_data() == json.loads(EXAMPLE.read_text(encoding="utf-8"))


def test_what_is_read_back_is_what_was_kept() -> None:
    kept = record().to_data()
    again = PullRequestRecord.from_data(json.loads(json.dumps(kept)))
    assert again.to_data() == kept
    assert again.items == tuple(item if item.is_part else item._replace(text="") for item in record().items)
    assert [comment.text for comment in again.threads[0].comments] == ["rename\r\u202e this", ""]
    assert "canary" not in json.dumps(kept)
