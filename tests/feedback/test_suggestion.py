"""A suggestion is an exact edit of the lines it was made on, or it is not offered; nothing here applies it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from artifacts.scale import QUICKLY
from baton.feedback.plan.suggestion import Edit, Offer, offers, suggestions_in
from baton.feedback.read.record import seen

THEN = "zero\none\ntwo\nthree\n"
NOW = f"new\n{THEN}"
BODY = "Better:\n```suggestion\nTWO\n```\n"


def thread(*bodies: str, **more: Any) -> dict[str, Any]:
    """A thread on line 3 of a file that has had a line more at its top since."""
    comments = [{"trust": "trusted", "body": seen(body)} for body in bodies]
    known = {"id": "PRRT_1", "path": "src/a.py", "line": 4, "start_line": None, "outdated": False}
    return {
        **known,
        "commit": "then",
        "original_line": 3,
        "original_start_line": None,
        "comments": comments,
        **more,
    }


def offered(given: dict[str, Any], now: str | bytes = NOW, then: str | None = THEN, hunk: str = "") -> list[Offer]:
    commits = {"HEAD": now if isinstance(now, bytes) else now.encode(), "then": then and then.encode()}

    def blob(commit: str, path: str) -> bytes | None:
        assert path == "src/a.py"
        found = commits[commit]
        return found if isinstance(found, bytes) else None

    return offers(given, blob, hunk)


def edit(given: dict[str, Any], **more: Any) -> Edit | None:
    [one] = offered(given, **more)
    return one.edit


def why_not(given: dict[str, Any], **more: Any) -> str:
    [one] = offered(given, **more)
    return one.why_not


# What stands in a text


@pytest.mark.parametrize(("body", "lines"), [
    (BODY, ["TWO"]), ("```suggestion\n```", []), ("```suggestion\n\n```", [""]), ("~~~suggestion\na\n~~~", ["a"]),
    ("````suggestion\n```\na\n```\n````", ["```", "a", "```"]),
    ("```suggestion\r\na\r\n\r\nb\r\n```\r\n", ["a", "", "b"]),
    ("  ```suggestion\n    a\n  b\n c\n  ```", ["  a", "b", "c"]), ("```suggestion\n\ta \n```", ["\ta "]),
    ("``` suggestion\na\n```", ["a"]),
    ("<details>\n\n```suggestion\na\n```\n\n</details>", ["a"]),
])  # fmt: skip
def test_a_suggestion_is_read_to_the_letter(body: str, lines: list[str]) -> None:
    assert suggestions_in(body) == [(tuple(lines), "")]


@pytest.mark.parametrize(("body", "fault"), [
    ("```suggestion\na", "where it ends"), ("```suggestion\n```\na\n```\n", "where it ends"),
    ("> ```suggestion\n> a\n> ```", "quote or a list"), ("1. ```suggestion\n   a\n   ```", "quote or a list"),
    ("```suggestion\na\u200bb\n```", "nobody would see"), ("```suggestion\na\u202eb\n```", "nobody would see"),
    ("```suggestion\na\u00a0b\n```", "nobody would see"), ("```suggestion\na\x1bb\n```", "nobody would see"),
])  # fmt: skip
def test_one_that_is_not_clear_is_none_and_says_why(body: str, fault: str) -> None:
    [found] = suggestions_in(body)
    assert found.lines == ()
    assert fault in found.fault


@pytest.mark.parametrize("body", [
    "", "no suggestion here", "```python\na\n```", "`suggestion`", "```suggestions\na\n```",
    "```suggestion:-0+1\na\n```",
    "<!--\n```suggestion\na\n```\n-->", "````\n```suggestion\na\n```\n````",
])  # fmt: skip
def test_other_text_holds_none_that_could_be_taken(body: str) -> None:
    assert [one for one in suggestions_in(body) if not one.fault] == []


def test_several_in_one_text_are_read_in_order() -> None:
    assert [one.lines for one in suggestions_in(f"{BODY}or\n```suggestion\nDUE\n```")] == [("TWO",), ("DUE",)]


CODE = st.characters(codec="ascii", categories=("L", "N", "P", "Zs"), exclude_characters="`~>")
FENCED = st.lists(st.text(CODE), max_size=4)


@QUICKLY
@given(FENCED)
def test_any_lines_of_code_come_back_as_they_are(lines: list[str]) -> None:
    body = "\n".join(["Text", "", "```suggestion", *lines, "```"])
    assert suggestions_in(body) == [(tuple(lines), "")]


# What becomes of it


def test_an_edit_is_of_the_lines_as_they_are_numbered_now() -> None:
    assert edit(thread(BODY)) == Edit("src/a.py", 4, 4, ("TWO",))


def test_a_range_is_replaced_whole() -> None:
    given = thread(BODY, start_line=3, original_start_line=2)
    assert edit(given) == Edit("src/a.py", 3, 4, ("TWO",))


def test_an_empty_one_deletes() -> None:
    found = edit(thread("```suggestion\n```"))
    assert found
    assert (found.lines, found.text) == ((), "")


def test_several_of_a_thread_are_numbered_over_its_comments() -> None:
    found = offered(thread(BODY, f"{BODY}{BODY.replace('TWO', 'DUE')}"))
    assert [one.number for one in found] == [1, 2, 3]
    assert [one.edit.lines for one in found if one.edit] == [("TWO",), ("TWO",), ("DUE",)]


@pytest.mark.parametrize("trust", ["untrusted", "unverified"])
def test_one_of_somebody_who_may_not_steer_is_not_even_told(trust: str) -> None:
    assert offered(thread(comments=[{"trust": trust, "body": None}, {"trust": trust, "body": BODY}])) == []


@pytest.mark.parametrize(("more", "fault"), [
    ({"line": None, "outdated": True}, "no lines of today's file"), ({"line": 4, "start_line": 5}, "no lines"),
    ({"line": 99}, "no such lines"), ({"path": ".github/workflows/ci.yml"}, "a setting of the platform"),
    ({"path": "uv.lock"}, "a lock file"), ({"path": "../x"}, "none of the project"),
    ({"line": 3}, "changed since"),
    ({"original_start_line": 2}, "changed since"),
])  # fmt: skip
def test_one_that_does_not_fit_is_not_offered_and_says_why(more: dict[str, Any], fault: str) -> None:
    assert fault in why_not(thread(BODY, **more))


def test_lines_that_have_changed_since_are_left_alone() -> None:
    assert "changed since" in why_not(thread(BODY), now=NOW.replace("two", "2"))
    assert edit(thread(BODY), now=NOW.replace("three", "3"))


def test_without_the_commit_it_was_made_on_it_is_offered_while_the_thread_is_current() -> None:
    assert edit(thread(BODY), then=None) == Edit("src/a.py", 4, 4, ("TWO",))
    assert why_not(thread(BODY, outdated=True), then=None) == "the thread is outdated"
    assert edit(thread(BODY, outdated=True))


@pytest.mark.parametrize(("hunk", "fits"), [
    ("@@ -1,2 +1,3 @@\n zero\n-uno\n+one\n+two", True), ("@@ -1,2 +1,3 @@\n zero\n+one\n+zwei", False),
    ("@@ -0,0 +1 @@", True), ("@@ -1 +1 @@\r\n+one\r\n+two\r\n\\ No newline at end of file", True),
])  # fmt: skip
def test_the_piece_of_diff_tells_what_the_lines_were(hunk: str, fits: bool) -> None:
    assert bool(edit(thread(BODY), then=None, hunk=hunk)) == fits


def test_a_file_that_is_gone_or_no_text_has_no_such_lines() -> None:
    assert "no such lines" in why_not(thread(BODY), now=b"a\0b\nc\nd\ne\n")
    assert "no such lines" in why_not(thread(BODY), now=b"\xff\nc\nd\ne\n")
    [one] = offers(thread(BODY), lambda commit, path: None)
    assert "no such lines" in one.why_not


def test_one_that_is_done_already_is_not_offered() -> None:
    assert why_not(thread(BODY.replace("TWO", "two"))) == "the lines are so already"


def test_line_ends_of_the_file_are_kept() -> None:
    windows = NOW.replace("\n", "\r\n")
    found = edit(thread(BODY), now=windows)
    assert found
    assert (found.lines, found.text) == (("TWO",), "TWO\r\n")
    range_of_two = thread(BODY, start_line=3, original_start_line=2)
    assert "several ways" in why_not(range_of_two, now=NOW.replace("one\n", "one\r\n"))


def test_a_last_line_without_an_end_is_a_line() -> None:
    given = thread(BODY, line=5, original_line=4)
    assert edit(given, now=NOW.rstrip("\n")) == Edit("src/a.py", 5, 5, ("TWO",))
    assert edit(given, now=NOW.replace("\n", "\r\n").removesuffix("\r\n"))
