"""What is posted and committed in your name does nothing but say something; what would do more is refused."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acting import live
from baton.artifacts.resolver_result import ItemResult
from baton.errors import BatonError
from baton.feedback.text.comment_marks import make_mark, marks_in
from baton.feedback.text.outgoing import comment_body, reply_faults, reply_part, round_message
from baton.sanitize import cleaned
from baton.text import hidden
from feedback.texts import BODIES, QUICKLY

MARK = make_mark("PRRT_1", "fixed", "r1")
URL = "https://github.com/octo/app/pull/7#issuecomment-12"
ACTING = st.sampled_from([
    "@alice", "\\@alice", "&#64;alice", "@claude", "#1", "fixes #1", "GH-3", "https://github.com/o/r/issues/3",
    "http://x.y/`", "www.x.y/`", "`", "`", "``", "```", "~~~", "\n```\n", "\n```\n", "\n> ```\n", "\\", "\n", "\n",
    " ", " ", "/lgtm", "\n/lgtm", "\n !deploy", "\nbors r+", "![a](b)", "[a](", "](", "[a]: b", "<img src=x>",
    "<!--", MARK, "|", "\n|-|-|\n", "- ", "1. ", "    ", "> ", "_", "x", "word", "é", "&", "&amp;", "\u200b",
    "\u00a0", "```py\n",
])  # fmt: skip
HOSTILE = st.lists(ACTING, max_size=24).map("".join) | BODIES


def rules(text: str) -> list[str]:
    return [fault.rule for fault in reply_faults(text)]


def result(change: str, *paths: str, verdict: str = "fixed") -> ItemResult:
    return ItemResult(verdict, "I", "Sorry, it is checked now.", paths, "", None, change)


# Replies

NINE = ("close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved")
REFUSED = {
    "mention": ["Done, @alice.", "(@octo/team)", "\\@alice", "_@alice_", "| `a | @alice` |", "`a|b` `@alice` `c`"],
    "reference": [*(f"{one} #1" for one in NINE), "org/repo#2", "GH-3", "https://github.com/o/r/issues/3"],
    "command": ["/lgtm", "one\n  /approve", "!deploy", "bors r+", "Retest", "/azp run", "x\n```\n/lgtm\n```"],
    "bot": ["`@claude` x", "@dependabot merge", "```\n@coderabbitai review\n```"],
    "image": ["![a](https://t/x.png)"],
    "html": ["<img src=x>", "<!-- x -->", "a List<int>", "<https://a.b>"],
    "entity": ["&#64;alice", "&commat;bob"],
    "link": ["[a](https://c.d)", "[a](<`) @alice [b](<`>)", "[a]: https://t/x.png"],
    "address": ["https://x/`a @alice`"],
    "backtick": ["a ` b", "\\`@alice\\`", "`a\nb`"],
    "fence": ["```\nx", "- ```\n  x\n  ```", "> ```\n> @alice\n> ```"],
    "drawn": ["```suggestion\nx\n```", "```mermaid\nx\n```"],
    "marker": [f"`{MARK}`", "`<!--  BATON:reply`"],
    "unseen": ["a\u200bb", "`a\u202eb`", "\ud800 x", "x \x1b[0m", "a\0b"],
    "unreadable": [r"It ends in `\u00`", r"`\u00zz`"],
    "written-break": ["Done.\\nAnd more."],
    "says-nothing": ["", " \n\t", "***"],
    "too-long": ["word " * 20_000],
    "backticks": ["a " + "`" * 50_000],
}  # fmt: skip


@pytest.mark.parametrize(("rule", "text"), [(rule, text) for rule, some in REFUSED.items() for text in some])
def test_a_reply_that_would_do_more_than_say_something_is_refused(rule: str, text: str) -> None:
    assert rule in rules(text)
    with pytest.raises(BatonError):
        reply_part(text, MARK)


@pytest.mark.parametrize("text", [
    "Renamed it.", "me@example.com", "a @ b", "`@alice` and `#12`", "``a ` b``", "a < b and c > d", "a & b &lt; c",
    "/usr/bin/env is used", "see /lgtm", "- /lgtm", "```js\n// x\n```", "```py\n@dataclass\nx = '<b>' # 1\n```",
    "So:\n~~~\n```\n~~~", "Bold! move", "borsch", "`List<int>` and `a[0](b)`", "https://docs.python.org/3/x.html#y",
    r"`\u0041` and `C:\new`", "Done 👩‍💻 ❤️", "| a |\n|---|\n| b |", "Did it.\n\n- one\n- `two`",
])  # fmt: skip
def test_plain_text_is_posted_as_it_is(text: str) -> None:
    assert reply_faults(text) == []
    assert reply_part(text, MARK) == f"{text}\n\n{MARK}"


def test_a_fault_says_where_and_how_to_write_it() -> None:
    [fault] = reply_faults("Done.\n\nThanks, @alice!")
    assert fault.message == "line 3, '@alice!' mentions somebody: leave the `@` out; code goes in backticks"


def test_line_ends_and_wide_spaces_are_made_plain() -> None:
    assert cleaned(" a\r\nb\rc\u2028d\u00a0e \n") == "a\nb\nc\nd e"


def test_a_reply_says_what_it_answers_and_where_and_which_commit_has_it() -> None:
    said = reply_part("Yes.", MARK, "Name the\nunit.", "src/a.py:12-13", "0123456789abcdef")
    assert said == f"> Name the unit.\n\n`src/a.py:12-13`\n\nYes.\n\nChanged in 0123456789ab.\n\n{MARK}"


@pytest.mark.parametrize("words", [
    "@alice, see", "Fixes #1", f"It says {MARK}", "/lgtm", "a ` b", "![a](b)", "", "***",
])  # fmt: skip
def test_words_that_would_act_are_not_quoted(words: str) -> None:
    assert reply_part("Yes.", MARK, words, "a.py") == f"`a.py`\n\nYes.\n\n{MARK}"


@pytest.mark.parametrize("place", ["a`b.py", "src/@claude", "a\u202eb.py", "a\nb`.py"])
def test_a_place_that_is_no_code_is_left_out(place: str) -> None:
    assert reply_part("Yes.", MARK, "Name it.", place) == f"> Name it.\n\nYes.\n\n{MARK}"


def test_below_the_pull_request_what_is_answered_is_named_once() -> None:
    assert comment_body(URL, ["Yes.", "No."]) == f"About {URL}\n\nYes.\n\nNo."


@pytest.mark.parametrize("about", ["", "javascript:x", f"{URL} @alice", "https://github.com/o/r/issues/3"])
def test_an_invalid_address_of_a_comment_is_left_out(about: str) -> None:
    assert comment_body(about, ["Yes."]) == "Yes."


def without_code(text: str) -> str:
    """Give a text without its code, as another reader than the writer finds it."""
    bare = re.sub(r"(?ms)^(`{3,}|~{3,})[^\n]*\n.*?^ {0,3}\1[`~]*[ \t]*$", "", text)
    return re.sub(r"(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)", " ", bare)


@QUICKLY
@given(text=HOSTILE, quote=HOSTILE, place=HOSTILE)
def test_whatever_is_posted_does_nothing(text: str, quote: str, place: str) -> None:
    if reply_faults(text):
        return
    body = comment_body(URL, [reply_part(text, MARK, quote, place)]).removeprefix(f"About {URL}")
    assert marks_in(body) == marks_in(MARK)
    bare = without_code(body.removesuffix(MARK))
    assert not re.search(r"(?<![\w`])@[A-Za-z0-9]|#[0-9]|<[A-Za-z/!]|!\[|issues/[0-9]", bare)
    assert not re.search(r"(?m)^\s*(?:[/!]\w+(?=\s|$)|bors)", body)
    assert not hidden(body)


# Commit messages


REFUSE = "refuse an empty e-mail in login and reset"
SPLIT = result("split the worker", "b", "c", "d")
OLDER = "Address review of a.py, b.py (#7)\n\n- Address review of src/a.py and 1 more\n"
MESSAGES = {
    "a line for each item that was fixed, and none twice": (
        [result("rename the total.", "src/a.py"), result("", verdict="replied"), SPLIT, SPLIT],
        "Address review of a.py, b and 2 more (#7)\n\n- rename the total (src/a.py)\n"
        "- split the worker (b and 2 more)\n",
    ),
    "the subject of one fix is what was done, and never the reply": (
        [result(REFUSE, "src/login.py", "src/reset.py")],
        f"{REFUSE} (#7)\n\n- {REFUSE} (src/login.py and 1 more)\n",
    ),
    "a fix of an older version names its place": ([result("", "src/a.py", "src/b.py")], OLDER),
    "so does one whose words say nothing": ([result("…", "src/a.py", "src/b.py")], OLDER),
    "what nobody sees is left out of a name": (
        [result("Did it.", "src/a\u202eb.py")], "Did it (#7)\n\n- Did it (src/ab.py)\n",
    ),
    "a path with brackets stays as it is": (
        [result("Did it.", "app/[slug]/page.tsx")], "Did it (#7)\n\n- Did it (app/[slug]/page.tsx)\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("results", "message"), MESSAGES.values(), ids=MESSAGES)
def test_a_message_says_what_was_done(results: list[ItemResult], message: str) -> None:
    assert round_message(7, results) == message
    assert round_message(7, results, "r1a2b3c4") == f"{message}\nBaton-Round: r1a2b3c4\n"


@pytest.mark.parametrize("text", [
    "Did it [skip ci] now", "Did it [no-ci] [skip actions]", "Did it ***NO_CI***", "skip-checks: true",
    "Co-authored-by: A <a@b.c>", "Uses `@property` now", "It fixes #1", "closes org/repo#2", "fix GH-4",
    "resolves https://github.com/o/r/issues/3", "bors r+", "/lgtm.", "Fixes ENG-12",
])  # fmt: skip
def test_words_and_names_that_would_act_in_a_message_are_broken(text: str) -> None:
    assert live(text)
    for made in (result(text, "src/a.py"), result("Did as asked.", f"src/{text}.py")):
        subject, _, line, *_ = round_message(7, [made], "r1").split("\n")
        assert live(subject.removesuffix(" (#7)")) + live(line) == []


@pytest.mark.parametrize("before", range(60, 100))
def test_nothing_acts_where_a_line_of_a_message_is_cut(before: int) -> None:
    for made in (
        result("x" * before + "deadbee1zzzz"),
        result("Did it.", "zzzzdeadbee1" + "/" + "x" * (before - 60)),
    ):
        subject, _, line, *_ = round_message(7, [made], "r1").split("\n")
        assert live(subject.removesuffix(" (#7)")) + live(line) == []


@pytest.mark.parametrize(("text", "path"), [
    ("x" * 300, "a.py"), ("word " * 99, "a.py"), ("Did as asked.", "src/" * 99 + "a.py"), ("é" * 300, "b" * 300),
])  # fmt: skip
def test_a_line_of_a_message_is_cut(text: str, path: str) -> None:
    assert len(round_message(7, [result(text, path)]).split("\n")[2]) <= 100


@QUICKLY
@given(text=HOSTILE, path=HOSTILE)
def test_no_text_makes_a_second_line(text: str, path: str) -> None:
    lines = round_message(7, [result(text, path)]).split("\n")
    assert (lines[0].endswith(" (#7)"), lines[1], lines[3:]) == (True, "", [""])
    assert (len(lines[0]) <= 72, len(lines[2]) <= 100) == (True, True)
    for line in (lines[0].removesuffix(" (#7)"), lines[2]):
        assert live(line) == []
