"""Of a reading only what stands in its texts is taken, and what looks left out is asked about once more."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.artifacts.schema import check_schema
from baton.feedback.plan.reader_run import PART_BYTES
from baton.feedback.reader.check_reading import CheckedReading, HeadFiles, Share, check_reading, declared_count
from baton.feedback.reader.items import text_of_findings
from baton.feedback.reader.readings import ReadFinding, find_quote
from baton.feedback.reader.texts import (
    MOST_CHARACTERS,
    MOST_TEXTS,
    Text,
    brief_texts,
    cut_for_reader,
    divide_texts,
)
from baton.text import restored, visible
from feedback.reader_double import IGNORE, actionable, finding
from scale import QUICKLY

FILES = {"src/a.py": 30, "src/b/c.py": 4, "README.md": 9}
HEAD = HeadFiles(FILES.keys(), FILES.__getitem__)
MARKS = "*_`#>~ \t"
WORDS = st.text(st.sampled_from("abc \n`*_>#1234567890/.py-\u200b\u202e<!|│é🐰"), min_size=1, max_size=300)


def text(words: str, surface: str = "review", bot: bool = True, **more: Any) -> Text:
    path = "src/a.py" if surface == "inline" else None
    return Text(
        f"I{words[:3]}", surface, "bot" if bot else "alice", bot, words, cut_for_reader(words), path, **more
    )


def share(*texts: Text, known: dict[str, str] | None = None, asked: tuple[str, ...] = ()) -> Share:
    return Share("r", {f"t{number}": one for number, one in enumerate(texts, 1)}, known or {}, asked)


def checked(*texts: Text, says: list[dict[str, Any]], **more: Any) -> CheckedReading:
    entries = [{"id": f"t{number}", **one} for number, one in enumerate(says, 1)]
    value = {"reading": "r", "texts": entries}
    assert not check_schema(value, "feedback-reading", "x")
    return check_reading(value, share(*texts, **more), HEAD)


# What stands in a text


@QUICKLY
@given(WORDS, st.data())
def test_every_line_of_a_text_is_found_where_it_stands(words: str, data: st.DataObject) -> None:
    lines = [line for line in visible(words).split("\n") if line.strip(MARKS) and line.strip()]
    if lines:
        line = data.draw(st.sampled_from(lines))
        at = find_quote(words, line)
        assert visible(words)[at] == line.strip(MARKS)[0]


@QUICKLY
@given(WORDS)
def test_whatever_line_a_reader_sees_can_be_quoted(words: str) -> None:
    for line in list(brief_texts([("t1", text(words))], {}))[1:-1]:
        seen = line.removeprefix("│").removeprefix(" ")
        assert not seen.strip(MARKS) or "[… " in seen or find_quote(words, seen) >= 0


@pytest.mark.parametrize(("quote", "stands"), [
    ("Close the file.", True), ("**Close the file.**", True), ("Close  the\nfile", True),
    ("close the file", False), ("Close file", False), ("", False),
])  # fmt: skip
def test_marks_at_its_ends_and_white_space_alone_are_free_in_a_quote(quote: str, stands: bool) -> None:
    assert (find_quote("Please:\n\n- **Close the\tfile.**", quote) >= 0) == stands


def test_a_quote_that_comes_twice_means_the_next_place() -> None:
    twice = text("- Add a test.\n- Add a test.")
    made = checked(twice, says=[actionable(finding("Add a test."), finding("Add a test."))])
    assert ([finding.at for finding in made.texts["t1"].findings], made.faults) == ([2, 16], ())
    more = checked(twice, says=[actionable(*[finding("Add a test.")] * 3)])
    assert [fault.rule for fault in more.faults] == ["quote"]


FINDING = st.fixed_dictionaries(
    {"quote": st.text(min_size=1, max_size=40), "category": st.sampled_from(["naming", "other"])},
    optional={
        "path": st.sampled_from([*FILES, "c.py", "../../etc/passwd", "/etc/passwd", "nowhere.py", "./src/a.py"]),
        "line": st.integers(1, 60), "start_line": st.integers(1, 60),
        "severity": st.sampled_from(["critical", "low"]), "same_as": st.sampled_from(["P1", "P2", "x"]),
    },
)  # fmt: skip


@QUICKLY
@given(st.lists(WORDS, min_size=1, max_size=4), st.data())
def test_a_taken_quote_stands_in_its_text_or_is_known(bodies: list[str], data: st.DataObject) -> None:
    texts = [text(words, data.draw(st.sampled_from(["inline", "review", "comment"]))) for words in bodies]
    says = [data.draw(_entry(text.words)) for text in texts]
    made = checked(*texts, says=says, known={"P1": "bot", "P2": "alice"})
    for name, one in made.sound.items():
        words = texts[int(name[1:]) - 1].words
        for item in one.findings:
            assert find_quote(words, item.quote) >= 0
            assert item.path is None or item.path in FILES
            assert item.line is None or 1 <= (item.start_line or 1) <= item.line <= FILES[str(item.path)]
            assert item.same_as in ("", "P1")


@st.composite
def _entry(draw: st.DrawFn, words: str) -> dict[str, Any]:
    says = draw(st.sampled_from(["actionable", "ignore", "not-reviewed", "answered"]))
    if says != "actionable":
        return {"says": says}
    findings = draw(st.lists(FINDING, min_size=1, max_size=3))
    lines = [line[:300] for line in visible(words).splitlines() if line] or ["x"]
    quoted = [draw(st.sampled_from([str(finding["quote"]), *lines])) for finding in findings]
    return actionable(*({**one, "quote": quote} for one, quote in zip(findings, quoted, strict=True)))


# What a reader gets wrong is named


TWO = "**2 issues found**\n\n- `src/a.py:7` **Close it.**\n- `src/a.py:9` **Name it.**"
TEXTS = (
    text(TWO), text("Hm, fine.", "comment", bot=False), text("Limit reached.", "comment"),
    text("Why is `x()` here?", "inline", bot=False),
)  # fmt: skip
RIGHT: dict[str, Any] = {
    "reading": "r",
    "texts": [
        {"id": "t1", **actionable(
            finding("**Close it.**", path="src/a.py", line=7, severity="high"),
            finding("Name it.", path="src/a.py", line=9),
        )},
        {"id": "t2", "says": "ignore"},
        {"id": "t3", "says": "not-reviewed", "quote": "Limit reached"},
        {"id": "t4", **actionable(finding("Why is `x()` here?"))},
    ],
    "known": {"P3": "naming"},
}  # fmt: skip


def first(value: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = value["texts"][0]["findings"][0]
    return made


WRONG: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "a text is left out": (lambda v: v["texts"].pop(), "missing"),
    "a text comes twice": (lambda v: v["texts"].append(v["texts"][0]), "id"),
    "a text of somebody else's": (lambda v: v["texts"][0].update(id="t9"), "id"),
    "another reading": (lambda v: v.update(reading="s"), "other"),
    "words nobody wrote": (lambda v: first(v).update(quote="never said"), "quote"),
    "a file that is not named": (lambda v: first(v).update(path="src/b/c.py"), "path"),
    "a line that is not named": (lambda v: first(v).update(line=29), "line"),
    "what another author said": (lambda v: first(v).update(same_as="P2"), "same-as"),
    "actionable without findings": (lambda v: v["texts"][0].pop("findings"), "findings"),
    "findings of what is ignored": (lambda v: v["texts"][1].update(findings=[finding("Hm")]), "findings"),
    "a person who did not review": (lambda v: v["texts"][1].update(says="not-reviewed", quote="Hm"), "person"),
    "not reviewed, without words": (lambda v: v["texts"][2].pop("quote"), "quote"),
    "not reviewed, in other words": (lambda v: v["texts"][2].update(quote="No time"), "quote"),
    "a known thread nobody asked of": (lambda v: v["known"].update(P1="naming"), "id"),
    "fewer than it counts": (lambda v: v["texts"][0]["findings"].pop(), "count"),
    "a question that is ignored": (lambda v: v["texts"].__setitem__(3, {"id": "t4", "says": "ignore"}), "asks"),
}


def of(value: dict[str, Any]) -> CheckedReading:
    return check_reading(
        value, share(*TEXTS, known={"P1": "bot", "P2": "alice", "P3": "bot"}, asked=("P3",)), HEAD
    )


def test_a_reading_of_what_stands_there_is_taken_whole() -> None:
    made = of(RIGHT)
    assert (made.faults, made.doubts, made.notes, len(made.sound)) == ((), (), (), 4)


@pytest.mark.parametrize("what", WRONG)
def test_each_fault_of_a_reader_is_named(what: str) -> None:
    spoil, rule = WRONG[what]
    value = deepcopy(RIGHT)
    spoil(value)
    made = of(value)
    assert rule in {fault.rule for fault in (*made.faults, *made.doubts)}


def test_a_wrong_quote_leaves_the_other_texts_of_its_reading() -> None:
    value = deepcopy(RIGHT)
    first(value).update(quote="never said")
    made = of(value)
    assert (len(made.faults), sorted(made.sound)) == (1, ["t2", "t3", "t4"])
    assert "perhaps" in made.faults[0].message


# Places are those of the head


@pytest.mark.parametrize(("place", "taken", "told"), [
    ({"path": "./src/a.py", "line": 7}, ("src/a.py", 7, None), ""),
    ({"path": "c.py", "line": 2}, ("src/b/c.py", 2, None), "read as `src/b/c.py`"),
    ({"path": "gone.py", "line": 2}, (None, None, None), "no file of the head"),
    ({"path": "src/b/c.py", "line": 9}, ("src/b/c.py", None, None), "the file has 4 lines"),
    ({"path": "src/a.py", "line": 7, "start_line": 9}, ("src/a.py", 9, 7), ""),
    ({"path": "src/a.py", "line": 7, "start_line": 7}, ("src/a.py", 7, None), ""),
])  # fmt: skip
def test_a_place_is_read_as_the_head_has_it(place: dict[str, Any], taken: tuple[Any, ...], told: str) -> None:
    words = text("src/a.py src/b/c.py gone.py 2 7 9: Close it.")
    made = checked(words, says=[actionable(finding("Close it.", **place))])
    [one] = made.texts["t1"].findings
    assert (one.path, one.line, one.start_line) == taken
    assert (made.faults, told in " ".join(made.notes)) == ((), True)


def test_a_thread_has_its_own_place_whatever_its_text_names() -> None:
    made = checked(
        text("See src/b/c.py 2: close it.", "inline"), says=[actionable(finding("close it", path="c.py"))]
    )
    assert made.texts["t1"].findings[0].path == "src/a.py"


# A person's words are looked at once more


@pytest.mark.parametrize(("words", "doubted"), [
    ("Nice!", False), ("LGTM, thanks", False), ("Schön, danke dir!", False), ("Warum?", True),
    ("见 src/a.py", True),
    ("- one more", True), ("call it()", True), ("这样可以吗？", True), ("word " * 13, True),
])  # fmt: skip
def test_ignoring_a_persons_possible_request_is_doubted(words: str, doubted: bool) -> None:
    assert bool(checked(text(words, "inline", bot=False), says=[IGNORE]).doubts) == doubted
    assert not checked(text(words, "inline"), says=[IGNORE]).doubts


# How many findings a text says it has


def section(name: str) -> str:
    return f"<details>\n<summary>{name}</summary>\n\nWords.\n\n</details>\n"


@pytest.mark.parametrize(("words", "number"), [
    ("I found 3 issues.", 3), ("Comments generated: 3", 3), ("**3 issues found** across 2 files", 3),
    ("**Actionable comments posted: 3**", 3), ("> Found **3** potential problems.", 3),
    (section("🧹 Nitpick comments (3)"), 3), (section("🛑 Comments failed to post (3)"), 3),
    ("I found 3 files without tests.", 0), ("Reviewed 3 commits.", 0), ("See issue 3, found on Monday.", 0),
    (section("3 files"), 0), ("Name the unit.", 0), ("", 0),
])  # fmt: skip
def test_a_number_counts_where_it_is_one_of_findings(words: str, number: int) -> None:
    assert declared_count(words) == number


def test_sections_are_added_up_and_a_number_in_prose_is_of_all_of_them() -> None:
    sections = section("Nitpick comments (2)") + section("Outside diff range comments (3)")
    assert declared_count(sections) == 5
    assert declared_count(f"Actionable comments posted: 4\n{sections}") == 5
    assert declared_count(f"Actionable comments posted: 6\n{sections}") == 6


@pytest.mark.parametrize("words", [
    "```\nI found 3 issues.\n```", section("🔇 Additional comments (3)"), "~~~md\nComments posted: 3\n~~~",
])  # fmt: skip
def test_neither_an_example_nor_praise_counts(words: str) -> None:
    assert (declared_count(words), declared_count(f"{words}\n\nI found 2 issues.")) == (0, 2)


@pytest.mark.parametrize(("there", "asked"), [(4, True), (3, False), (2, False)])
@pytest.mark.parametrize(
    ("says", "threads"), [(actionable(finding("Name the unit.")), 2), ({"says": "ignore"}, 3)]
)
def test_a_body_that_counts_too_much_is_asked(says: dict[str, Any], threads: int, there: int, asked: bool) -> None:
    made = checked(text(f"I found {there} issues. Name the unit.", threads=threads), says=[says])
    assert ([doubt.rule for doubt in made.doubts], made.faults) == (["count"] * asked, ())


def test_a_thread_that_counts_is_not_asked_about() -> None:
    assert checked(text("I found 4 issues.", "inline"), says=[IGNORE]).doubts == ()


# What a reader gets


def test_long_code_comments_and_words_are_cut() -> None:
    code = "```py\n" + "x = 1\n" * 30 + "```"
    assert cut_for_reader(f"a\n<!-- {'s' * 200} -->\nb") == "a\n[… 209 characters]\nb"
    assert cut_for_reader(f"a\n{code}\nb").count("x = 1") == 12
    assert "[… 18 lines]" in cut_for_reader(code)
    assert cut_for_reader("w" * 500) == f"{'w' * 80}[… 420 characters]"


@pytest.mark.parametrize("words", [
    "a <!-- short --> b", "```py\n" + "x = 1\n" * 20 + "```", "字" * 500,
    "```\n" + "x\n" * 30 + "In src/a.py lines 3-4: close it.\n```",
], ids=["a short comment", "short code", "no spaces in Chinese", "a fence that names a place"])  # fmt: skip
def test_text_that_may_hold_a_finding_stays(words: str) -> None:
    assert cut_for_reader(words) == words


def test_a_very_long_line_is_broken_so_that_a_client_shows_it() -> None:
    assert max(map(len, cut_for_reader("字 " * 30_000).split("\n"))) <= 2_000


@pytest.mark.parametrize("words", ["\u200b" * 4_000, "字" * 4_000], ids=["unseen", "Chinese"])
def test_a_line_of_a_brief_is_no_longer_than_a_part_of_it(words: str) -> None:
    known = {f"PART_{number}": f"{'路' * 200}:1 {words[:80]}" for number in range(90)}
    lines = list(brief_texts([("t1", text(words))], known))
    assert max(len(line.encode()) for line in lines) < PART_BYTES
    assert len([line for line in lines if "PART_" in line]) == 90


def test_a_long_part_says_how_much_of_it_is_left_out() -> None:
    words = f"Close it.\n{'x ' * 4_000}"
    [part] = text_of_findings(words, [ReadFinding("Close it.", 0, "other")])
    assert part.endswith(f"\n[… {len(words.strip()) - 4_000} characters more]")


def test_a_quote_over_two_lines_is_taken_on_one() -> None:
    one = text("Review skipped.\nWARNING all is well")
    said = {"says": "not-reviewed", "quote": "Review skipped.\nWARNING all is well"}
    assert checked(one, says=[said]).texts["t1"].quote == "Review skipped. WARNING all is well"
    [taken] = checked(one, says=[actionable(finding(said["quote"]))]).texts["t1"].findings
    assert taken.quote == "Review skipped. WARNING all is well"


@QUICKLY
@given(st.lists(st.integers(1, 9_000), min_size=1, max_size=150))
def test_shares_hold_each_text_once_and_none_is_too_long(sizes: list[int]) -> None:
    texts = [text("x" * 3 + " y" * (size // 2)) for size in sizes]
    parts = divide_texts(texts)
    assert sum(map(len, parts)) == len(texts)
    assert all(len(part) <= MOST_TEXTS + 1 for part in parts)
    assert all(sum(len(one.shown) for one in part) <= MOST_CHARACTERS + 9_000 for part in parts)
    assert all(parts)


@QUICKLY
@given(WORDS, st.data())
def test_the_slice_of_a_finding_has_its_quote(words: str, data: st.DataObject) -> None:
    lines = sorted({line for line in visible(words).split("\n") if line.strip(MARKS) and len(line) < 90})
    quotes = data.draw(st.lists(st.sampled_from(lines), max_size=3, unique=True)) if lines else []
    made = checked(text(words), says=[actionable(*map(finding, quotes))]) if quotes else None
    for one, part in (
        zip(made.texts["t1"].findings, text_of_findings(words, made.texts["t1"].findings), strict=True)
        if made
        else ()
    ):
        assert find_quote(part, one.quote) >= 0
        assert restored(visible(part)) == part
