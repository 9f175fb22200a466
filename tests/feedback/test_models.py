"""The JSON of `pr fetch`: its shape is held by an example, and nothing a stranger wrote is in it."""

import json

from baton.feedback.reader.readings import ReadText
from baton.feedback.record.record import NO_READER, PullRequestRecord
from baton.feedback.record.views import view_record
from baton.feedback.store.kept_files import to_data
from baton.github.address import CommentRef
from bench import ROOT
from feedback.said import LIMITED, NITPICK, PULL, asks, at_first, by, fetched, read, thread

EXAMPLE = ROOT / "tests/examples/feedback/record.json"


def record() -> PullRequestRecord:
    """Make a record with one of everything, of which all but the last text was read."""
    at_first()
    asked = thread(by("alice", "rename\r\u202e this", edited_at="2026-02-01T00:00:00Z"), by("stranger", "canary"))
    outdated = thread(by("bob", "rename"), outdated=True, line=None, commit="b" * 40)
    settled = thread(by("alice", "rename"), resolved=True)
    made = fetched(
        asked, outdated, settled,
        comments=(by("newcomer", "canary"), by("sourcery-ai", LIMITED)),
        reviews=(by("coderabbitai", NITPICK, state="COMMENTED"), by("me", "draft", state="PENDING"),
                 by("bob", "I wonder.", state="COMMENTED")),
    )  # fmt: skip
    unit = asks("Name the unit.", "src/a.py", 14, start_line=12, severity="low")
    said = (
        asks("rename"),
        ReadText("whole", quote=NO_READER),
        ReadText("not-reviewed", quote="Rate limit exceeded"),
    )
    pull = PULL._replace(title="a\u200bb", head="fix(x)", head_repository="eve/app", cross_repository=True)
    target = CommentRef("review_thread", asked.comments[0].number)
    return read(made, *said, unit, **{settled.id: "naming"})._replace(pull=pull, target=target, after="r1")


def test_the_json_is_that_of_the_example() -> None:
    assert view_record(record()) == json.loads(EXAMPLE.read_text(encoding="utf-8"))


def test_neither_the_json_nor_what_is_kept_has_a_word_of_a_stranger() -> None:
    for data in (view_record(record()), to_data(record())):
        assert ("canary" in json.dumps(data), "rename" in json.dumps(data)) == (False, True)
