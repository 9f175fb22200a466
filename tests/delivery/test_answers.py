"""Which comment answers a question: one rule after the other, each beside a near miss."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.delivery.remote_question import IssueComment, find_answer, read_comment
from baton.feedback.text.comment_marks import TextCommand, commands_in, is_to_baton
from baton.github.accounts import Actor

OPTIONS = ("accept", "retry", "abandon")
ALICE = Actor("Alice", "User", 1)
COMMENT = IssueComment(8, ALICE, "/baton accept", "https://example.com/8", "10:00", "10:00")
PUSHERS = {"alice": True, "eve": False, "unknown": None}


def option_of(*comments: IssueComment) -> str:
    found = find_answer(comments, OPTIONS, PUSHERS)
    return found.option if found else ""


@pytest.mark.parametrize("body", [
    "/baton accept", "/baton accept  ", "/baton accept\r\n", "Good.\n\n/baton accept\n\nThanks!",
    "/baton\taccept now", "> what they said\n\n/baton accept", "/baton accept\n/baton acept",
    "/baton Accept", "/baton accept.", " /baton accept", "/Baton accept", "- /baton accept",
    "1. /BATON ACCEPT. Good.",
    "/baton accept\n/baton accept", "```\ncode\n```\n/baton accept", "/baton accept\n```\nunclosed",
])  # fmt: skip
def test_a_line_of_its_own_is_an_answer(body: str) -> None:
    assert option_of(COMMENT._replace(body=body)) == "accept"


@pytest.mark.parametrize("body", [
    "", "accept", "/baton", "/batonaccept", "- `/baton accept`", "-/baton accept", "/baton accept..",
    "`/baton accept`", "> /baton accept", "- > /baton accept", "    /baton accept", "/baton: accept",
    "**/baton accept**", "say /baton accept",
    "```\n/baton accept\n```", "~~~ text\n/baton accept", "> ```\n> /baton accept\n> ```",
    "<!--\n/baton accept\n-->", "/baton acceptance", "/baton merge", "/baton accept\n/baton retry",
    "/baton --accept", "/baton /baton accept",
])  # fmt: skip
def test_anything_else_is_none(body: str) -> None:
    assert option_of(COMMENT._replace(body=body)) == ""


@pytest.mark.parametrize(("body", "speaks"), [
    ("/baton accept", True), ("/baton", True), ("/baton: accept", True), ("- **/Baton accept**", True),
    ("/baton merge", True), ("Look:\n\n/baton?", True),
    ("`/baton accept`", False), ("> /baton", False), ("```\n/baton\n```", False), ("see /baton", False),
    ("/batons", False), ("/baton/accept", False), ("/baton-run", False),
])  # fmt: skip
def test_a_line_that_begins_so_speaks_to_baton(body: str, speaks: bool) -> None:
    assert is_to_baton(body) == speaks


@pytest.mark.parametrize(("changed", "counts"), [
    ({}, True),
    ({"author": Actor("eve", "User", 2)}, False),
    ({"author": Actor("unknown", "User", 3)}, False),
    ({"author": Actor("nobody-asked-of", "User", 4)}, False),
    ({"author": Actor("alice", "Bot", 5)}, False),
    ({"author": Actor("alice", "Mannequin", 6)}, False),
    ({"updated_at": "10:01"}, False),
    ({"body": "/baton accept\n<!-- baton:story 1 question 7 -->"}, False),
], ids=["alice", "a stranger", "not known", "not told", "a bot", "no user", "edited", "baton's own"])  # fmt: skip
def test_it_counts_from_a_user_who_may_push_as_it_was_written(changed: dict[str, object], counts: bool) -> None:
    assert bool(option_of(COMMENT._replace(**changed))) == counts  # type: ignore[arg-type]


def test_the_first_that_counts_wins() -> None:
    others = [COMMENT._replace(body="hm"), COMMENT._replace(author=Actor("eve", "User", 2), body="/baton abandon")]
    assert option_of(*others, COMMENT._replace(body="/baton retry"), COMMENT) == "retry"


def test_the_note_is_what_stands_behind_it_and_below_without_quotes() -> None:
    body = "Hello\n/baton retry  mind the sign \r\n\r\nand the\u200b order\r\n> - `/baton accept`: takes it\r\n"
    found = find_answer([COMMENT._replace(body=body)], OPTIONS, PUSHERS)
    assert found
    assert found.note == "mind the sign\n\nand the[U+200B] order"


def test_a_deleted_account_is_nobody() -> None:
    times = {"created_at": "10:00", "updated_at": "10:00"}
    data = {"id": 8, "user": None, "body": "/baton accept", "html_url": "https://example.com/8", **times}
    assert option_of(read_comment(data)) == ""


# Blocks of a comment, each with the options that its lines name.
WORDS = st.text(st.characters(exclude_characters="\r\n`~<>/", exclude_categories=["Cs"]), max_size=20)
COMMANDS = st.builds(lambda option: (f"/baton {option}", [option]), st.sampled_from(OPTIONS))
BLOCKS = st.one_of(
    COMMANDS,
    st.builds(lambda text: (f"text {text}", list[str]()), WORDS),
    st.builds(lambda one: (f"> {one[0]}", list[str]()), COMMANDS),
    st.builds(
        lambda one, mark: (f"{mark}\n{one[0]}\n{mark}", list[str]()), COMMANDS, st.sampled_from(["```", "~~~~"])
    ),
    st.builds(lambda one: (f"<!--\n{one[0]}\n-->", list[str]()), COMMANDS),
)


@given(st.lists(BLOCKS, max_size=8), st.sampled_from(["\n", "\r\n"]))
def test_only_plain_lines_of_a_comment_are_commands(blocks: list[tuple[str, list[str]]], end: str) -> None:
    body = "\n\n".join(text for text, _ in blocks).replace("\n", end)
    assert [command.option for command in commands_in(body)] == [name for _, names in blocks for name in names]


@given(st.text(max_size=200))
def test_no_text_without_the_word_is_a_command_and_none_is_too_odd(text: str) -> None:
    assert commands_in(text.replace("/baton", "")) == []
    assert commands_in(f"/baton retry {text}\n")[:1] != [TextCommand("accept", "")]
