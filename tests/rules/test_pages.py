"""The pages are the rules: what they say is what the engine reads, and what it does not know is one line."""

import re
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from baton.errors import BatonError
from baton.rules import all_tables, page_lines, pages
from baton.rules.engine import Row, Table
from baton.rules.pages import story_tables
from baton.rules.sources import SOURCES
from bench import ROOT, Bench

LIB = ROOT / "scripts" / "lib" / "baton"
KEPT = ((page_lines, "read_page"), (pages, "table_of"), (pages, "words_of"))
# What each asking rule offers, what closes itself, whose end is told in words of its own.
OFFERED = Path(__file__).with_name("offered.txt")


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have the rules read from a copy of the pages, and kept apart from those that other tests have."""
    folder = Path(shutil.copytree(ROOT / "skills", tmp_path / "skills"))
    monkeypatch.setattr(page_lines, "SKILLS", folder)
    for module, name in KEPT:
        monkeypatch.setattr(module, name, cache(getattr(module, name).__wrapped__))
    return folder


def place(folder: Path, page: str) -> Path:
    """Return where a page stands among the copied skills."""
    [found] = folder.glob(f"*/stages/{page}.md")
    return found


def forget() -> None:
    for module, name in KEPT:
        getattr(module, name).cache_clear()


def fault_of(folder: Path, page: str, text: str) -> str:
    """Read all tables with another text of a page; returns the fault, empty for none."""
    place(folder, page).write_text(text)
    forget()
    try:
        pages.check_pages()
    except BatonError as error:
        return str(error)
    return ""


FAIL = "- **Because:** QA failed the story: {verdict_reason}\n- **Charges:** `qa_fail_cycles`\n"
RETRY = "  - `retry` → qa, `replan` → planner, `abandon`\n"
FAULTS: dict[str, tuple[str, str, str]] = {
    "a field that no rule has": ("- **Told:** still", "- **Says:** still", "a rule has no field `Says` here"),
    "a field that says nothing": ("- **Told:** still no usable verdict", "- **Told:**", "`Told` says nothing"),
    "a field twice": (FAIL, f"{FAIL}- **Charges:** nothing\n", "`Charges` stands twice"),
    "no fact": ("`fails_used_up`", "`fails_used`", "there is no fact `fails_used`"),
    "no value of a fact": ("`verdict: fail`", "`verdict: fails`", "is never `fails`: it is none or pass"),
    "a fact twice": ("`verdict: pass`, `moved`", "`moved`, `moved`", "the fact `moved` stands twice"),
    "no action": ("**Then:** integrate", "**Then:** merge", "`merge` is nothing that baton does"),
    "no role": ("**Then:** spawn implementer", "**Then:** spawn coder", "`spawn coder` is nothing that"),
    "no budget": ("`qa_fail_cycles`", "`qa_fails`", "there is no budget `qa_fails`"),
    "no budget said": ("- **Charges:** nothing\n", "", "`qa/moved` has no Charges"),
    "no advice": ("**Advice:** manual fix", "**Advice:** look", "there is no advice `look`"),
    "an advice without an answer": ("`retry`, once what is found above is fixed", "fix it",
                                    "an advice says which answer, and why, as `manual fix: `retry`, once …`"),
    "an answer that leads nowhere": ("`accept` → defer", "`accept` → nowhere", "leads to `nowhere`, which baton"),
    "words of several answers": (RETRY, f"{RETRY[:-1]}: does it\n", "words are said of one answer"),
    "no words of an answer": ("`retry` → qa, ", "`retry` → integrate, ", "nothing says what `retry` does"),
    "an answer twice": (RETRY, f"{RETRY}{RETRY}", "`retry` is offered twice"),
    "no answer": (RETRY, "  - retry\n", "no answer as ``name` → target`: `retry`"),
    "a name that nobody fills": ("{verdict_reason}; not", "{why}; not", "nothing fills {why} here: attempts, "),
    "a question without answers": (f"- **Answers:**\n{RETRY}", "", "asks without advice or answers"),
    "answers without a question": ("- **Decide:** What keeps QA from a verdict?\n", "", "is to have exactly one"),
    "a rule that is never chosen": ("`verdict: escalate`, `open_criteria`", "`verdict: escalate`", "never chosen"),
    "two rules of a name": ("### qa/fail\n", "### qa/moved\n", "a second rule `qa/moved`"),
    "no time when": ("When QA says ESCALATE.\n", "", "`qa/escalate` has no When"),
    "a quote": ("- **If:** `verdict: fail`\n", "> - **If:** `verdict: fail`\n", "no field of a rule: `> - **If"),
    "a comment": ("- **Told:** it gave", "<!-- no -->\n- **Told:** it gave", "no field of a rule: `<!-- no -->`"),
    "a deeper heading": ("### qa/fail\n", "#### qa/fail\n", "no field of a rule: `#### qa/fail`"),
    "an indented field": (FAIL, f"  {FAIL}", "no field of a rule: `  - **Because"),
    "a field over two lines": ("QA passed the work, and", "QA passed the work,\n  and", "no field of a rule"),
    "a list before the rules": ("The first rule that fits decides.", "\n- a list", "neither a paragraph nor"),
    "a second section": ("## Rules `qa`", "## Rules `qa`\n## Rules `qa`", "a second section `Rules"),
    "no condition": ("- **If:** `verdict: fail`\n", "", "`qa/fail` has no If"),
    "a rule as a section": ("### qa/fail\n", "## qa/fail\n", "`qa/fail`: the heading of a rule begins"),
    "a sentence without its end": ("When QA says ESCALATE.\n", "When QA says ESCALATE\n", "ends with a full stop"),
    "a brace that is not closed": ("{verdict_reason}; not", "{verdict_reason; not", "a brace is not closed"),
    "no way to give up": (RETRY, "  - `retry` → qa, `replan` → planner\n", "does not offer `abandon`"),
    "a case without a rule": ("`verdict: fail`\n- **Then:** spawn", "`verdict: fail`, `moved`\n- **Then:** spawn",
                              "no rule of `qa` fits where verdict: fail"),
    "another section": ("## Rules `qa`", "## Rules `QA`", "`Rules `QA``: nothing asks for these rules"),
    "no values named": ("`verdict: fail`, `fails", "`not verdict: fail`, `fails", "name the values that fit"),
    "a field that nobody reads here": ("- **Told:** still", "- **Closes:** by itself\n- **Told:** still",
                                       "a rule has no field `Closes` here"),
    "no name of a rule": ("### qa/pass\n", "### qa/pass (all)\n", "`qa/pass (all)` is not the name of a rule"),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "fault"), FAULTS.values(), ids=FAULTS)
def test_what_a_page_may_not_say_is_one_line_with_its_place(old: str, new: str, fault: str, copied: Path) -> None:
    text = place(copied, "qa").read_text()
    assert fault_of(copied, "qa", text) == ""
    changed = text.replace(old, new, 1)
    assert changed != text
    said = fault_of(copied, "qa", changed)
    assert fault in said
    assert re.search(r" at skills/implement/stages/qa\.md, line \d+: fix the page, or ", said)
    assert "\n" not in said


OF_OTHER_PAGES = {
    "words: a cell too many": ("ask", "| `replan` → planner |", "| `replan` | planner |", "to have 2 cells"),
    "words: a list": ("ask", "| `abandon` |", "- `abandon`:", "what answers do is a table"),
    "a cell too few": ("integrate", "| `sync/clean` | ", "| ", "a row is to have 4 cells"),
    "another column": ("integrate", "| Rule | When |", "| Rule | If |", "the columns are Rule, When"),
    "a row that asks": ("integrate", "| next-check | merging into {base} is allowed |", "| ask | why |",
                        "`integrate/base` asks without a question"),
    "no way to leave it": ("verify", "  - `leave` → complete: leaves it open\n", "  - `go` → plan: goes on\n",
                           "`verify/decide` does not offer `leave`"),
    "an answer of the other skill's": ("verify", "`continue` → plan:", "`continue` → qa:", "leads to `qa`, which"),
    "an item in a story's question": ("qa", "What keeps QA", "What keeps {item}", "nothing fills {item} here"),
}  # fmt: skip


@pytest.mark.parametrize(("page", "old", "new", "fault"), OF_OTHER_PAGES.values(), ids=OF_OTHER_PAGES)
def test_tables_and_words_are_held_to_their_form(page: str, old: str, new: str, fault: str, copied: Path) -> None:
    text = place(copied, page).read_text()
    assert fault_of(copied, page, text) == ""
    assert fault in fault_of(copied, page, text.replace(old, new, 1))


def test_an_answer_that_counts_here_alone_may_stand_on_any_page(copied: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(all_tables, "here_alone", all_tables.here_alone.__wrapped__)
    assert ("integrate/gate", "accept") not in all_tables.here_alone()
    before, rule, after = place(copied, "integrate").read_text().partition("### integrate/gate\n")
    marked = after.replace("- **Answers:**", "- **Here:** `accept`\n- **Answers:**", 1)
    assert fault_of(copied, "integrate", before + rule + marked) == ""
    assert ("integrate/gate", "accept") in all_tables.here_alone()


def test_a_fault_is_named_with_its_skill_and_no_page_of_one_is_called_as_one_of_the_other(copied: Path) -> None:
    text = place(copied, "verify").read_text()
    said = fault_of(copied, "verify", text.replace("**Then:** plan", "**Then:** land", 1))
    assert "`land` is nothing that baton does at skills/resolve-pr-feedback/stages/verify.md, line " in said
    names = [path.name for path in copied.glob("*/stages/*.md")]
    assert sorted(names) == sorted({*names})


def test_a_page_that_is_gone_is_named(copied: Path) -> None:
    place(copied, "plan").unlink()
    forget()
    with pytest.raises(BatonError, match=r"a page of the plugin is unreadable .*plan\.md: install it again"):
        pages.table_of("planning")


def test_a_changed_word_is_what_is_told(copied: Path) -> None:
    text = place(copied, "qa").read_text()
    assert fault_of(copied, "qa", text.replace("QA passed every criterion\n", "all is well\n", 1)) == ""
    assert {row.rule: row.reason for row in pages.table_of("qa").rows}["qa/pass"] == "all is well"


def test_a_literal_brace_stays_one_and_a_break_begins_a_line() -> None:
    rows = {row.rule: row for table in story_tables() for row in table.rows}
    stop = rows["run/message"].asks
    assert stop
    assert '`commits: {subject: "fix: {summary}"}`' in stop.question.format()
    assert rows["start/commands"].reason.format(base="main", commands="make").endswith("machine:\nmake")


def test_a_table_is_read_only_when_it_is_asked_for(copied: Path) -> None:
    place(copied, "qa").write_text("nothing")
    forget()
    assert pages.table_of("planning").rows
    with pytest.raises(BatonError, match="no section"):
        pages.table_of("qa")


def said_of(table: Table) -> list[str]:
    """Return of each rule that asks, or is told in its own words, what it offers, and whether it closes itself."""
    lines = []
    for row in table.rows:
        options = ", ".join(f"{name} → {one.then}" for name, one in row.asks.options.items()) if row.asks else ""
        marks = ["closes"] * bool(row.asks and row.asks.closes) + ["told"] * bool(row.told)
        marks += [f"here: {', '.join(row.asks.here)}"] if row.asks and row.asks.here else []
        if options or marks:
            lines.append(f"{row.rule}: {'; '.join([*filter(None, [options]), *marks])}")
    return lines


def test_what_is_offered_and_told_is_what_was_agreed() -> None:
    assert [line for name in SOURCES for line in said_of(pages.table_of(name))] == OFFERED.read_text().splitlines()


def words_of(tables: list[Table]) -> list[Any]:
    return [[row._replace(text="") for row in table.rows] for table in tables]


@pytest.mark.long
@pytest.mark.parametrize("page", sorted({source.page for source in SOURCES.values()}))
def test_a_line_that_is_deleted_is_a_fault_or_seen_by_a_test(page: str, copied: Path) -> None:
    lines = place(copied, page).read_text().split("\n")
    names = [name for name, source in SOURCES.items() if source.page == page]
    before = [pages.table_of(name) for name in names]
    silent = []
    for at in range(lines.index(next(line for line in lines if line.startswith("## Rules"))), len(lines)):
        if fault_of(copied, page, "\n".join([*lines[:at], *lines[at + 1 :]])):
            continue
        after = [pages.table_of(name) for name in names]
        is_seen = [said_of(one) for one in after] != [said_of(one) for one in before] or gone(before, after)
        is_seen = is_seen or not stays_open()
        if words_of(after) != words_of(before) and not is_seen:
            silent.append(lines[at])
    assert silent == []


def stays_open() -> bool:
    """Whether whoever abandons a story on GitHub is told that its pull request stays."""
    return "an open pull request" in pages.words_of("deliver")["abandon abandon"]


def test_who_abandons_a_story_on_github_is_told_that_its_pull_request_stays() -> None:
    assert stays_open()


def gone(before: list[Table], after: list[Table]) -> bool:
    """Whether an outcome is without its rule, which whoever has that outcome hears as an error."""
    return {row.rule for one in before for row in one.rows} != {row.rule for one in after for row in one.rows}


# What the steps that run commands come to, whose names are put together.
ENDS = ("pass", "unset", "preexisting", "flaky", "introduced", "unclear")
OF_COMMANDS = {f"{step}/{end}" for step in ("build", "test", "prepush") for end in ENDS} | {"prepush/credential"}
# A step that is only noted.
NOTED = {"merge/made"}
STEPS = "integrate|merge|sync|build|test|prepush|close|github|push|pr|ci|review|deploy"


def test_each_outcome_of_a_step_has_its_rule_and_each_rule_its_step() -> None:
    folders = ("story", "delivery", "actions", "memory")
    text = "\n".join(path.read_text() for folder in folders for path in (LIB / folder).rglob("*.py"))
    named = {*re.findall(rf'"((?:{STEPS})/[a-z-]+)"', text), *OF_COMMANDS} - NOTED
    outcomes = {row.rule for name in ("integration", "delivery") for row in pages.table_of(name).rows}
    assert outcomes <= named
    assert named <= {row.rule for table in story_tables() for row in table.rows}


ASKING = [row for name in SOURCES for row in pages.table_of(name).rows if row.asks]


@pytest.mark.parametrize("row", ASKING, ids=[row.rule for row in ASKING])
def test_every_question_recommends_an_answer_and_says_why(row: Row) -> None:
    assert row.asks
    assert {*re.findall("`([a-z-]+)`", row.asks.advice)} & {*row.asks.options}
    assert len(re.sub("`.*?`", "", row.asks.advice).split()) > 5
    assert row.asks.recommendation == "continue" or row.asks.advice.startswith(f"{row.asks.recommendation}: ")


@pytest.mark.parametrize("row", ASKING, ids=[row.rule for row in ASKING])
def test_nothing_is_allowed_on_advice_alone(row: Row) -> None:
    assert row.asks
    before = row.asks.advice.partition("`accept`")
    if row.asks.kind == "authorize" and before[1]:
        assert "read" in before[0] or re.match(r", (?:only )?(?:if|once) |: otherwise ", before[2])


def test_each_question_of_a_round_has_its_rule_and_each_rule_is_asked() -> None:
    text = "\n".join(path.read_text() for path in (LIB / "feedback").rglob("*.py"))
    asked = re.findall(r'round_question\(\s*"([a-z/-]+)"', text)
    assert sorted(asked) == sorted(row.rule for row in pages.table_of("feedback-ask").rows)
    assert re.findall(r'\bQuestion\(\s*"', text) == []


def test_the_words_of_a_page_stand_nowhere_else() -> None:
    text = "\n".join(path.read_text() for path in LIB.rglob("*.py") if path.parent.name != "rules")
    said = {row.reason for table in story_tables() for row in table.rows if len(row.reason) > 40}
    assert [one for one in said if one in text] == []


def test_a_story_does_not_begin_with_a_page_that_is_broken(copied: Path, bench: Bench) -> None:
    text = place(copied, "deliver").read_text()
    assert fault_of(copied, "deliver", text.replace("**Advice:** manual fix", "**Advice:** look", 1))
    forget()
    bench.new()
    before = bench.journal.read_bytes()
    assert "there is no advice `look`: back to discovery, " in bench.baton("next", "42").refused
    assert bench.journal.read_bytes() == before
    said = bench.baton("doctor").out
    assert "PROBLEM plugin: there is no advice `look`: back to discovery, " in said
    place(copied, "deliver").write_text(text)
    forget()
    assert bench.next()["action"] in ("spawn", "ask")
    assert "ok      plugin: its rules can be read; " in bench.baton("doctor").out
