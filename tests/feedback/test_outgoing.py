"""What is posted and committed in our name acts on nothing and says what it was meant to say."""

import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from baton.artifacts.resolver_result import GAP, Result
from baton.errors import BatonError
from baton.feedback.land.reply_marker import mark, marks_in
from baton.feedback.text.inert import inert
from baton.feedback.text.inert_line import row_in
from baton.feedback.text.markdown import fences, without
from baton.feedback.text.outgoing import CUT, LIMIT, commit_message, counted, reply_body, sentence_of
from baton.feedback.text.scan import scan
from baton.unicode import hidden
from feedback.texts import BODIES, QUICKLY

MARK = "<!-- baton:reply id=PRRT_1 verdict=fixed -->"
REPLIES = sorted((Path(__file__).parents[1] / "examples/feedback/outgoing/replies").glob("*.md"))
ACTING = st.sampled_from([
    "@alice", "@org/team", "\\@alice", "&#64;alice", "&commat;bob", "@claude", "#1", "\\#1", "fixes #1",
    "Closes: o/r#2",
    "GH-3", "https://github.com/o/r/issues/3", "https:\\/\\/github.com/o/r/pull/3", "http://x.y/`", "www.x.y/`",
    "`", "``",
    "```", "~~~", "\n```\n", "\n> ```\n", "\\", "\n", "\n", " ", " ", "/lgtm", "\n/lgtm", "\n !deploy",
    "\nbors r+", "![a](b)",
    "[a](", "](", "[a]: b", "<img src=x>", "<!--", "-->", MARK, "|", "\n|-|-|\n", "\n:-:\n", "- ", "1. ", "    ",
    "> ", "_", "*",
    "x", "é", "&", "&amp;", "[U+", "[U+200B]", "\u200b", "\u00a0", "$", "(", ")", ".", "```suggestion\n", "[^1]",
])  # fmt: skip
HOSTILE = st.lists(ACTING, max_size=24).map("".join) | BODIES


def prose(text: str) -> str:
    """Give a text without its code, as another reader than the writer finds it."""
    bare = without(text, [(one.start, one.end) for one in fences(text)])  # type: ignore[misc]
    return "\n".join(
        re.sub(r"(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)", " ", re.sub(r"\\.", ".", line)) for line in bare.split("\n")
    )


def reply(text: str, quote: str = "") -> str:
    """Give what is posted between the quote and the mark."""
    body = reply_body(quote, text, MARK)
    assert body.endswith(f"\n\n{MARK}")
    return body.removesuffix(f"\n\n{MARK}")


def filled(text: str) -> str:
    """Give a text without what would be taken for a gap in a form."""
    return GAP.sub("", text)


def result(text: str, *paths: str, reason: str = "", verdict: str = "fixed") -> Result:
    return Result(verdict, "I", "review_thread", text, paths, reason, None)


# Replies


@pytest.mark.parametrize("path", REPLIES, ids=lambda path: path.stem)
def test_an_example_reads_as_expected(path: Path) -> None:
    assert f"{inert(path.read_text())}\n" == Path(f"{path}.expected").read_text()


def test_there_are_examples() -> None:
    assert len(REPLIES) >= 4


def test_a_reply_quotes_the_sentence_then_answers_then_has_the_mark() -> None:
    assert reply_body("Could this be `None`?", "Yes: guarded now.", MARK) == (
        f"> Could this be `None`?\n\nYes: guarded now.\n\n{MARK}"
    )


@pytest.mark.parametrize(("text", "shown"), [
    ("@alice", "`@alice`"), ("(@octo/team)", "(`@octo/team`)"), ("\\@alice", "`@alice`"),
    ("_@alice_", "_`@alice_`"),
    ("&#64;alice", "&amp;`#64`;alice"), ("@a@b", "`@a@b`"), ("me@example.com", "me@example.com"),
    ("a @ b", "a @ b"),
    ("`@alice`", "`@alice`"), ("`@claude` x", "`@ claude` x"), ("@dependabot merge", "`@ dependabot` merge"),
    ("https://medium.com/@alice/x", "`https://medium.com/@alice/x`"), ("` @alice", "\\` `@alice`"),
], ids=lambda text: text)  # fmt: skip
def test_nobody_is_mentioned(text: str, shown: str) -> None:
    assert inert(text) == shown


NINE = ("close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved")


@pytest.mark.parametrize(
    "target", ["#1", "org/repo#2", "GH-3", "https://github.com/o/r/issues/3", "\\#1", "**#1**"]
)
@pytest.mark.parametrize("word", NINE)
def test_nothing_is_closed(word: str, target: str) -> None:
    for said in (word, word.upper(), f"{word.title()}:"):
        text = prose(inert(f"This {said} {target}."))
        assert not re.search(r"#[0-9]|GH-[0-9]|issues/[0-9]", text)
        assert said in text


@pytest.mark.parametrize("text", [
    "/lgtm", "  /approve", "\t/hold cancel", "\\/lgtm", "!deploy", "bors r+", "bors: try", "r+",
    "@dependabot merge", "recheck",
    "@bors r+", "jenkins test this", "/azp run",
])  # fmt: skip
def test_no_bot_is_called_from_a_line_s_start(text: str) -> None:
    for made in (inert(f"one\n{text}\ntwo"), inert(f"```\n{text}\n```"), inert(f"~~~\n{text}")):
        assert not re.search(r"(?mi)^\s*(?:[/!@][a-z]|bors|r\+|recheck|jenkins)", made)


@pytest.mark.parametrize(("text", "shown"), [
    ("/usr/bin/env is used", "`/usr/bin/env` is used"), ("see /lgtm", "see /lgtm"), ("- /lgtm", "- /lgtm"),
    ("# /lgtm", "# /lgtm"), ("```\n/usr/bin/env\n```", "```\n/usr/bin/env\n```"),
    ("```js\n// x\n```", "```js\n// x\n```"),
    ("```py\n@dataclass\n```", "```py\n@dataclass\n```"), ("Bold! move", "Bold! move"), ("borsch", "`borsch`"),
], ids=lambda text: text)  # fmt: skip
def test_what_calls_no_bot_stays_readable(text: str, shown: str) -> None:
    assert inert(text) == shown


@pytest.mark.parametrize(("text", "shown"), [
    ("![a](https://t/x.png)", "(image: a)"), ("![](https://t/x.png)", "(image: without a text)"),
    ("<img src=x>", "&lt;img src=x>"),
    ("[![a](b)](https://c.d)", "(image: a) (https://c.d)"), ("<!-- x -->", "&lt;!-- x -->"), ("\\<b>", "&lt;b>"),
    ("[a]: https://t/x.png", "\\[a]: https://t/x.png"), ("| a |\n|---|\n| b |", "| a |\n\\|---|\n| b |"),
    ("[^1]", "\\[^1]"), ("List<int> a[0]", "List&lt;int> a\\[0]"), ("`a<b>[0]`", "`a<b>[0]`"),
    ("a & b &lt; c", "a & b &lt; c"),
], ids=lambda text: text)  # fmt: skip
def test_no_image_tag_link_or_table_is_made(text: str, shown: str) -> None:
    assert inert(text) == shown


def test_a_mark_of_ours_in_the_text_is_no_mark() -> None:
    body = reply_body(MARK, f"{MARK} `{MARK}`\n```\n{MARK}\n```\n\\{MARK} <!--  BATON:reply", MARK)
    assert len(marks_in(body)) == body.lower().count("<!-- baton") == 1


@pytest.mark.parametrize(("text", "shown"), [
    ("a\u200bb", "a\\[U+200B]b"), ("`a\u202eb`", "`a[U+202E]b`"), ("a\r\nb\rc", "a\nb\nc"), ("a\u00a0b", "a b"),
    ("👩‍💻 ❤️", "👩‍💻 ❤️"),
    ("\ud800", "\\[U+D800]"), ("\x1b[0m", "\\[U+001B]\\[0m"),
], ids=["zero width", "order", "line ends", "wide space", "emoji", "half a character", "terminal"])  # fmt: skip
def test_what_nobody_sees_is_shown(text: str, shown: str) -> None:
    assert inert(text) == shown


@pytest.mark.parametrize(("text", "said"), [
    ("Done.\\n\\nSee `a\\nb`.", "Done.\n\nSee `a\\nb`."), ("a\\r\\nb", "a\nb"), ("Done.\\n", "Done."),
    ("See C:\\new\\name", "See C:\\new\\name"), ("one\\ntwo\nthree", "one\\ntwo\nthree"), ("a\\\\nb", "a\\\\nb"),
    ("Now:\\n```py\\nx\\n```", "Now:\n```py\nx\n```"),
], ids=["between", "both", "at the end", "a path", "beside a real one", "escaped", "a fence"])  # fmt: skip
def test_written_line_breaks_are_made_real_where_there_is_no_other(text: str, said: str) -> None:
    assert reply(text) == said


@pytest.mark.parametrize(
    "text", ["", " \n\t", "<what you did, in a sentence>", "Fixed in <path>.", "***", "\u200b\n"]
)
def test_a_text_that_says_nothing_is_refused(text: str) -> None:
    if text == "\u200b\n":
        assert reply(text) == "\\[U+200B]"
        return
    with pytest.raises(BatonError):
        reply_body("Why?", text, MARK)


@pytest.mark.parametrize("text", ["Returns `<path>` now.", "Now `List<T>` it is.", "a < b and c > d"])
def test_angle_brackets_alone_are_no_gap(text: str) -> None:
    assert reply(text)


@pytest.mark.parametrize("text", [
    "word " * 20_000, "x" * 70_000, "a" + "[" * 65_536, "\n" * 9 + "a\n" * 40_000,
    "```py\n" + "y = 1\n" * 20_000, "@a " * 30_000, "a" + "😀" * 70_000,
    "a" + "`" * 70_000, "a\n```\nx" + "`" * 70_000, "&#64;" * 14_000,
],
    ids=["words", "one word", "brackets", "lines", "a fence", "names", "emoji", "backticks",
    "backticks in a fence", "entities"])  # fmt: skip
def test_a_long_reply_is_cut_with_a_note_and_its_mark_stays(text: str) -> None:
    body = reply_body("Why?", text, MARK)
    assert LIMIT * 0.9 < counted(body) <= LIMIT
    assert body.endswith(f"\n\n{CUT}\n\n{MARK}")
    assert all(one.closed for one in fences(body))
    assert reply(reply(text)) == reply(text)


@pytest.mark.parametrize("unit", ["> ", "* ", "- ", "1. ", "> - ", "> 1) "])
def test_a_line_of_marks_as_long_as_a_comment_is_read_once(unit: str) -> None:
    """Tried again from each of its marks, such a reply took a minute."""
    line = (unit * LIMIT)[: LIMIT - 4]
    assert reply_body("Why?", f"{line} abc", MARK).endswith(MARK)
    assert row_in(f"{line} abc") == -1
    assert row_in(f"{line}-|") == len(line)


@pytest.mark.parametrize(("line", "begin"), [
    ("|-|", 0), ("> - :-", 4), ("- - -", -1), ("12) |-", 4), ("- |", 0), ("a |-", -1), ("-:", 0), ("- :-", 2),
])  # fmt: skip
def test_a_row_that_makes_a_table_is_found_inside_quotes_and_lists(line: str, begin: int) -> None:
    assert row_in(line) == begin


def test_a_quote_is_one_line_that_opens_nothing() -> None:
    assert reply_body("```py\n@alice\r\n<b> ~~~~", "Yes.", MARK).split("\n")[0] == "> py `@alice` &lt;b>"
    assert reply_body(" \n ", "Yes.", MARK) == f"Yes.\n\n{MARK}"


@QUICKLY
@given(quote=HOSTILE, text=HOSTILE)
@example(quote="", text="\\http://")
@example(quote="", text="https://x/`a @alice`")
@example(quote="", text="```\n" + "`" * 300 + "\n@alice")
def test_no_text_acts(quote: str, text: str) -> None:
    body = reply_body(quote, f"x {filled(text)}", MARK).removesuffix(MARK)
    bare = prose(body)
    assert not re.search(
        r"(?<![\w`])@[A-Za-z0-9]|(?<!&)#[0-9]|<[A-Za-z/!]|(?<!\\)!\[|(?:https?://|www\.)\S*issues/[0-9]", bare
    )
    assert not re.search(r"(?m)^\s*(?:[/!]\w+(?=\s|$)|bors)", body)
    assert not hidden(body)
    assert all(one.closed for one in fences(body))
    assert not scan(body).comments


@QUICKLY
@given(text=HOSTILE)
def test_twice_is_once(text: str) -> None:
    assert inert(inert(text)) == inert(text)
    said = reply(f"x {filled(text)}")
    assert reply(said) == said


@QUICKLY
@given(lines=st.lists(st.text("abc `~.", max_size=12), max_size=6))
def test_the_lines_of_a_fence_stay_as_they_are(lines: list[str]) -> None:
    text = "\n".join(["~~~~~~~~~~~~~~~~py", *lines, "~~~~~~~~~~~~~~~~"])
    [fence] = fences(inert(text))
    assert inert(text)[fence.content.start : fence.content.end] == "".join(f"{line}\n" for line in lines)


# The sentence that is quoted


@pytest.mark.parametrize(("text", "sentence"), [
    ("The loop is off. Could you use `range(n)`?", "Could you use `range(n)`?"),
    ("_⚠️ Potential issue_ | _🟠 Major_\n\n**Validate the input.**\n\nIt takes anything.", "Validate the input."),
    ("Nothing to ask here. It is so.", "Nothing to ask here."),
    ("[![P1 Badge](https://a/b)](https://c) Off by one in here", "Off by one in here"),
    ("> you said it works\n\nWhy does it not?", "Why does it not?"),
    ("```py\nshould = 1\n```\nPlease rename this.", "Please rename this."),
    ("<!-- please --> <b>Remove</b> that line.", "Remove that line."),
    ("<details><summary>Prompt</summary>Please do x.</details>\n\nThis is slow.", "This is slow."),
    ("```suggestion\nx\n```", ""), ("", ""), ("\u200b", ""),
    ("Fix " + "word " * 99, "Fix " + "word " * 38 + "word…"),
], ids=[
    "a question", "a bot's title", "none asks", "a badge", "a quote", "a fence", "HTML", "folded away",
    "no prose", "empty",
    "invisible", "long",
])  # fmt: skip
def test_the_first_sentence_that_asks_is_quoted(text: str, sentence: str) -> None:
    assert sentence_of(text) == sentence


@QUICKLY
@given(text=HOSTILE)
def test_a_sentence_is_short_and_on_one_line(text: str) -> None:
    sentence = sentence_of(text)
    assert len(sentence) <= 200
    assert "\n" not in sentence


# Messages


def test_a_message_has_a_line_for_each_item_that_was_fixed() -> None:
    results = [
        result("Renamed it. And more.", "src/a.py"),
        result("No.", verdict="replied"),
        result("Split up now.", "b", "c", "d"),
    ]
    assert commit_message(7, results, "r1a2b3c4") == (
        "Address PR review feedback (#7)\n\n- Renamed it. (src/a.py)\n- Split up now. (b and 2 more)\n\n"
        "Baton-Round: r1a2b3c4\n"
    )


@pytest.mark.parametrize(
    ("text", "posted"), [(r"ends in \u00", r"\u 00"), (r"\u00zz", r"\u 00zz"), (r"\u0041", r"\u0041")]
)
def test_what_older_versions_of_gh_cannot_read_back_is_parted(text: str, posted: str) -> None:
    assert posted in reply_body(text, text, mark("IC_1", "replied", "r1"))


@pytest.mark.parametrize("text", [
    "Did it [skip ci] now", "Did it [ci skip]", "Did it [no-ci] [skip actions]", "Did it ***NO_CI***",
    "Did it\n\nskip-checks: true",
    "Did it\nCo-authored-by: A <a@b.c>", "Did it\n\nSigned-off-by: A <a@b.c>", "Reviewed-By: x", "Baton-Run: x",
    "Did it @alice",
    "It fixes #1", "closes org/repo#2", "resolves https://github.com/o/r/issues/3", "fix GH-4",
    "hthttps://tps://github.com/o/r/issues/3",
    "a\u202e\x1b\u2028b c d", "Baton-Round: forged", "x" * 300, "word " * 99, "é" * 300,
])  # fmt: skip
def test_a_message_takes_no_order_from_a_text(text: str) -> None:
    message = commit_message(7, [result(text, f"src/[id]/{text[:40]}.py", "b")], "r1")
    subject, body, trailer = message.rstrip("\n").split("\n\n")
    assert (subject, trailer) == ("Address PR review feedback (#7)", "Baton-Round: r1")
    assert body.startswith("- ")
    assert "\n" not in body
    assert len(body) <= 100
    assert not re.search(r"\[[^\]]*(skip|ci\b)|NO_CI\*|-by:|@\w|#\d|GH-\d|://\w|skip-checks:", body, re.I)
    assert not hidden(body)


def test_a_path_with_brackets_stays_as_it_is() -> None:
    assert "(app/[slug]/page.tsx)" in commit_message(7, [result("Did as asked.", "app/[slug]/page.tsx")])


@QUICKLY
@given(text=HOSTILE, path=HOSTILE)
def test_no_text_makes_a_second_line(text: str, path: str) -> None:
    lines = commit_message(7, [result(text, path)]).split("\n")
    assert (lines[0], lines[1], lines[3:]) == ("Address PR review feedback (#7)", "", [""])
    assert len(lines[2]) <= 100
