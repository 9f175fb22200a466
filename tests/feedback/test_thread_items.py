"""What a thread is, by who spoke in it in turn: each is heard as far as it counts."""

import pytest

from baton.artifacts.config import Config
from baton.feedback.fetch.pull_feedback import Comment
from baton.feedback.plan.build_round import draft_round
from baton.feedback.reader.readings import ReadText
from baton.feedback.text.comment_marks import make_mark
from feedback.said import IGNORE, ROUND, asks, by, edited, fetched, only, read, sort, talk, thread

OPEN, LAST = "new: nobody answered yet", "answered: your reply is the last"
PENDING = "resolution-pending"
STATES = {
    "nobody answered": ("alice", OPEN),
    "one's own words ask as well": ("me", OPEN),
    "one answered oneself": ("me me", LAST),
    "our word is the last": ("alice me", LAST),
    "somebody spoke since": ("alice me alice", "new: said since you answered"),
    "a draft is no answer": ("alice me:draft", OPEN),
    "a mark of somebody else counts for nothing": ("alice stranger:fixed", "new"),
    "fixed waits to be resolved": ("alice me:fixed", PENDING),
    "fixed otherwise, too": ("alice me:fixed-differently", PENDING),
    "replied, too": ("alice me:replied", PENDING),
    "not addressed, too": ("alice me:not-addressing", PENDING),
    "what needs a person does not": ("alice me:needs-human", "answered"),
    # The user's decision
    "an own word decides what was asked": ("alice me:needs-human me", "new: you decided what was asked"),
    "after a fix it decides nothing": ("alice me:fixed me", LAST),
    "nor after a reply": ("alice me:replied me", LAST),
    "a decision that was carried out is no more new": ("alice me:needs-human me me:fixed", PENDING),
    # Whoever spoke after an answer
    "after an answer a trusted author begins anew": ("coderabbitai me alice", "new"),
    "of somebody unknown it is asked": ("coderabbitai me newcomer", "unverified"),
    "a stranger begins nothing": ("coderabbitai me stranger", "answered"),
    "nor does a bot after an answer of the user's": ("coderabbitai me coderabbitai", "answered"),
    "an edit begins anew": ("alice~ me", "new"),
    "but not a bot's": ("coderabbitai~ me", "answered"),
    "before it was edited": ("coderabbitai me", "answered"),
    # What people say after we resolved
    "a person makes the thread an item again": ("alice me:fixed alice resolved", "new"),
    "so does another": ("alice me:fixed bob resolved", "new"),
    "of somebody unknown that is asked": ("alice me:fixed newcomer resolved", "unverified"),
    "an edit is heard as a new word is": ("alice~ me:fixed resolved", "new"),
    "a person is heard after our second answer": (
        "alice me:fixed coderabbitai me:replied coderabbitai alice resolved", "new",
    ),
}  # fmt: skip
NO_ITEM = {
    "it is resolved": "alice resolved",
    "a stranger spoke after we resolved": "alice me:fixed stranger resolved",
    "we spoke after we resolved": "alice me:fixed me resolved",
    "somebody else resolved it, whatever was said then": "alice me alice resolved",
}


@pytest.mark.parametrize(("words", "state"), STATES.values(), ids=STATES)
def test_the_last_speaker_decides_the_state_of_a_thread(words: str, state: str) -> None:
    item = only(talk(words))
    assert f"{item.state}: {item.why}".startswith(state)
    assert (item.path, item.line) == ("src/a.py", 12)


@pytest.mark.parametrize("words", NO_ITEM.values(), ids=NO_ITEM)
def test_a_settled_thread_is_no_item(words: str) -> None:
    assert sort(talk(words)) == ()


@pytest.mark.parametrize(("heard", "state"), [(1, "new"), (2, PENDING), (None, PENDING)])
@pytest.mark.parametrize("place", [1, 2], ids=["drafted before", "in the same second"])
def test_a_word_that_no_time_tells_is_known_by_its_number(heard: int | None, state: str, place: int) -> None:
    comments = [by("alice", "rename this"), reply := by("me", make_mark("T_x", "fixed", ROUND, heard))]
    comments.insert(place, by("bob", "and that", created_at=reply.created_at))
    assert only(thread(*comments, id="T_x")).state == state


@pytest.mark.parametrize(("comments", "why"), [
    ([], "no comment is left"),
    ([by("alice", "x", minimized="spam")], "minimized (spam)"),
    ([by("me", "x", state="PENDING")], "your own draft"),
])  # fmt: skip
def test_a_thread_with_nothing_to_be_heard_is_dropped(comments: list[Comment], why: str) -> None:
    item = only(thread(*comments))
    assert (item.state, item.why) == ("dropped", why)


def test_an_outdated_thread_is_an_item_with_the_line_it_was_on() -> None:
    item = only(talk("alice", outdated=True, line=None))
    assert (item.state, item.outdated, item.line, item.title) == ("new", True, 10, "A word of alice.")


# Whose words are read


@pytest.mark.parametrize(("words", "state", "trust"), [
    ("stranger", "quarantined", "untrusted"),
    ("newcomer", "unverified", "unverified"),
    ("stranger newcomer", "unverified", "unverified"),
    ("stranger newcomer bob", "new", "trusted"),
])  # fmt: skip
def test_a_thread_is_trusted_as_far_as_its_best_known_author(words: str, state: str, trust: str) -> None:
    record = fetched(talk(words))
    [item] = record.found
    assert (item.state, item.trust) == (state, trust)
    assert [text.words for text in record.texts] == ["A word of bob."] * ("bob" in words)
    assert item.body_bytes == sum(len(f"A word of {name}.") for name in words.split())


def test_an_untrusted_text_is_neither_read_nor_title_nor_category_of_anything() -> None:
    record = fetched(thread(by("stranger", "SQL injection: rm -rf / is unsafe")))
    [item] = read(record).items
    assert record.texts == ()
    assert (item.title, item.category, item.severity, item.flags) == ("", "correctness", None, ())


@pytest.mark.parametrize(("words", "texts"), [
    ("coderabbitai me alice", [("A word of alice.", "")]),
    ("coderabbitai me newcomer", []), ("coderabbitai me stranger", []), ("coderabbitai me coderabbitai", []),
    ("alice me:needs-human bob me", [("A word of bob.\n\nA word of me.", "needs-human")]),
    ("alice me:needs-human newcomer me", [("A word of me.", "needs-human")]),
    *((f"{begun} me:fixed coderabbitai{end}", [("A word of coderabbitai.", "fixed")])
      for begun in ("alice", "coderabbitai") for end in ("", " resolved")),
    *((f"alice me:fixed coderabbitai me:replied coderabbitai{end}", []) for end in ("", " resolved")),
])  # fmt: skip
def test_comments_since_an_answer_are_read_where_they_count(words: str, texts: list[tuple[str, str]]) -> None:
    assert [(text.words, text.after) for text in fetched(talk(words)).texts] == texts


@pytest.mark.parametrize(("known", "category"), [({"T_1": "naming"}, "naming"), ({}, "correctness")])
def test_an_item_that_waits_for_a_decision_keeps_its_category(known: dict[str, str], category: str) -> None:
    [item] = read(fetched(talk("alice me:needs-human")), **known).items
    assert (item.state, item.category) == ("answered", category)


# What bots say


@pytest.mark.parametrize("end", ["", " resolved"])
@pytest.mark.parametrize("begun", ["coderabbitai", "alice"])
def test_a_bots_reply_to_our_answer_counts_once(begun: str, end: str) -> None:
    record = fetched(talk(f"{begun} me:fixed coderabbitai{end}"))
    assert ([text.is_bot for text in record.texts], read(record, asks("A word")).items[0].state) == ([True], "new")


@pytest.mark.parametrize(("end", "state"), [(" resolved", "answered"), ("", PENDING)])
def test_after_our_second_answer_a_bot_is_only_told(end: str, state: str) -> None:
    item = only(talk(f"alice me:fixed coderabbitai me:replied coderabbitai{end}"))
    assert (item.state, item.author) == (state, "coderabbitai")
    assert item.why.endswith("its bot spoke again after it was heard once")


def test_a_bot_that_a_stranger_speaks_through_begins_nothing_anew() -> None:
    *before, last = talk("alice me:fixed coderabbitai").comments
    edit = edited(last)._replace(editor=by("stranger", "").author)
    assert only(thread(*before, edit, id="T_1")).state == PENDING


def test_a_finding_that_its_bot_calls_addressed_is_dropped_until_a_person_objects() -> None:
    [item] = read(fetched(talk("coderabbitai")), ReadText("answered", quote="A word")).items
    assert (item.state, item.why) == ("dropped", "settled, as its author says: A word")
    assert only(talk("coderabbitai alice")).state == "new"


# What asks for nothing leaves the thread as it was


@pytest.mark.parametrize(("end", "state"), [(" resolved", "answered"), ("", PENDING)])
@pytest.mark.parametrize("name", ["coderabbitai", "alice"])
def test_thanks_leave_a_thread_as_it_was(name: str, end: str, state: str) -> None:
    [item] = read(fetched(talk(f"alice me:fixed {name}{end}")), IGNORE).items
    assert (item.state, item.why) == (state, "asks for nothing, as it was read")


@pytest.mark.parametrize(("spoke", "settled"), [("", True), (" coderabbitai", True), (" alice", False)])
@pytest.mark.parametrize("end", ["", " resolved"])
def test_a_thread_stays_settled_until_its_bot_asks_for_something(spoke: str, settled: bool, end: str) -> None:
    record = fetched(talk(f"alice me:fixed{spoke}{end}"), thread(by("bob", "It fails for no count.")))
    assert ([one.id for one in record.resolved] == ["T_1"], record.signal) == (settled, settled)


@pytest.mark.parametrize(("said", "prior"), [(IGNORE, ["T_1"]), (asks("A word"), [])], ids=["thanks", "asks"])
def test_a_thread_that_is_new_again_settles_no_other(said: ReadText, prior: list[str]) -> None:
    record = fetched(talk("alice me:fixed coderabbitai resolved"), thread(by("bob", "It fails for no count.")))
    made = draft_round(read(record, said, asks("It fails"), T_1="naming"), Config(), None).round
    assert made
    assert list(made.units[0].prior) == prior
