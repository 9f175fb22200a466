"""A resolver result: its form is held to its schema and to what a schema cannot say; what was meant is read."""

import json
from typing import Any

import pytest

from baton.artifacts.resolver_result import check_result, normalized_result, read_result

FIXED = {
    "verdict": "fixed", "feedback_id": "PRRT_1", "feedback_type": "review_thread", "reply_text": "Refused now.",
    "files_changed": ["a.py"], "reason": "a.py:1", "change": "refuse an empty name",
}  # fmt: skip
QUESTION = {"question": "Which?", "options": ["this", "that"]}
ASSESSMENT = {"mode": "systemic", "summary": "One cause."}


def rules(*results: dict[str, Any], **more: Any) -> list[str]:
    text = json.dumps({"unit": "pr7-r1a2b3c4-u1", "results": results, **more})
    return [one.rule.removeprefix("resolver-result/") for one in check_result(text, "path")]


def test_a_result_is_read_as_it_was_written() -> None:
    made = read_result(json.dumps({"unit": "u", "results": [FIXED], "cluster_assessment": ASSESSMENT}))
    assert (made.unit, made.results[0].files_changed, made.results[0].decision_context) == ("u", ("a.py",), None)
    assert made.assessment
    assert (made.assessment.mode, made.assessment.files_investigated) == ("systemic", ())


def test_a_question_is_read_with_its_options() -> None:
    asked = {**FIXED, "verdict": "needs-human", "files_changed": [], "decision_context": QUESTION}
    [one] = read_result(json.dumps({"unit": "u", "results": [asked]})).results
    assert one.decision_context == ("Which?", ("this", "that"))


@pytest.mark.parametrize(("verdict", "files", "found"), [
    ("fixed", ["a.py"], []), ("fixed", [], ["no-change"]),
    ("fixed-differently", ["a.py"], []), ("fixed-differently", [], ["no-change"]),
    ("replied", [], []), ("replied", ["a.py"], ["changed"]),
    ("not-addressing", [], []), ("not-addressing", ["a.py"], ["changed"]),
    ("needs-human", [], []), ("needs-human", ["a.py"], ["changed"]),
])  # fmt: skip
def test_only_a_fix_names_what_it_changed(verdict: str, files: list[str], found: list[str]) -> None:
    asked = {"decision_context": QUESTION} if verdict == "needs-human" else {}
    assert rules({**FIXED, **asked, "verdict": verdict, "files_changed": files}) == found


def test_in_a_cluster_an_item_that_is_not_fixed_may_name_what_the_fix_of_another_changed() -> None:
    other = {**FIXED, "feedback_id": "PRRT_2", "verdict": "replied"}
    assert rules(FIXED, other, cluster_assessment=ASSESSMENT) == []
    assert rules(FIXED, other) == ["changed"]
    assert rules(FIXED, {**other, "files_changed": ["b.py"]}, cluster_assessment=ASSESSMENT) == ["changed"]


def test_a_question_goes_with_needs_human_and_only_with_it() -> None:
    assert rules({**FIXED, "verdict": "needs-human", "files_changed": []}) == ["question"]
    assert rules({**FIXED, "decision_context": QUESTION}) == ["question"]


@pytest.mark.parametrize("words", [
    "<what you did, or why not>", "see <path>", "Done in <file and line>.", "<placeholder>", "<…>",
    "```x```<reply>",
])  # fmt: skip
def test_a_gap_of_the_form_is_found_wherever_words_stand(words: str) -> None:
    asked = {**FIXED, "verdict": "needs-human", "files_changed": []}
    assert rules({**FIXED, "reply_text": words}) == ["placeholder"]
    assert rules({**FIXED, "reason": words}) == ["placeholder"]
    assert rules({**asked, "decision_context": {"question": "?", "options": ["a", words]}}) == ["placeholder"]
    assert rules(FIXED, cluster_assessment={"mode": "systemic", "summary": words}) == ["placeholder"]


@pytest.mark.parametrize("words", [
    "`<what you did>`", "```\n<a b>\n```", "a List<T> and <T>", "if a < b and c > d", "<a href='x'>y</a>",
    "x <= y >= z",
    "a -> b", "<br> and <b>bold</b>",
])  # fmt: skip
def test_code_and_comparisons_are_no_gaps(words: str) -> None:
    assert rules({**FIXED, "reply_text": words}) == []


@pytest.mark.parametrize("change", [
    "refuse an empty e-mail in login and reset", "close the I/O stream.", "give `my_name` a default", "a" * 60,
    "use `a?.b` in login", "build the hourly and weekly sums in one pass",
])  # fmt: skip
def test_a_change_is_a_line_that_says_what_was_done(change: str) -> None:
    assert rules({**FIXED, "change": f"{change}\n"}) == []


@pytest.mark.parametrize("change", [
    "", " \n", "a" * 61, "two\nlines", "Sorry, it is checked now", "Thanks, renamed", "I renamed it",
    "do as we do in login", "is it checked now?", "make it a `@property`", "do as @alice says", "<what was done>",
])  # fmt: skip
def test_a_change_that_is_a_word_to_the_reviewer_is_refused_with_what_to_write(change: str) -> None:
    [found] = check_result(json.dumps({"unit": "u", "results": [{**FIXED, "change": change}]}), "path")
    assert (found.where, found.rule) == ("$.results[0].change", "resolver-result/change")
    assert "write one line of at most 60 characters that says what was done" in found.message


def test_a_fix_says_its_change_and_nothing_else_does() -> None:
    without = {name: value for name, value in FIXED.items() if name != "change"}
    assert rules(without) == ["change"]
    assert rules({**without, "verdict": "replied", "files_changed": []}) == []
    made = normalized_result(json.dumps({"unit": "u", "results": [{**FIXED, "verdict": "replied"}]}))
    assert ("change" in made.value["results"][0], made.notes) == (
        False, ("`results[0].change`: left out, nothing was fixed",)
    )  # fmt: skip


def test_a_kept_result_without_a_change_is_read() -> None:
    without = {name: value for name, value in FIXED.items() if name != "change"}
    assert read_result(json.dumps({"unit": "u", "results": [without]})).results[0].change == ""


@pytest.mark.parametrize(("verdict", "more", "found"), [
    ("asks-nothing", {}, []), ("asks-nothing", {"reply_text": " "}, []), ("replied", {}, ["required"]),
    ("replied", {"reply_text": " "}, ["empty"]), ("asks-nothing", {"files_changed": ["a.py"]}, ["changed"]),
])  # fmt: skip
def test_an_item_that_asks_for_nothing_needs_nothing(verdict: str, more: dict[str, Any], found: list[str]) -> None:
    known = {"feedback_id": "PRRT_1", "feedback_type": "review_thread", "reason": "It says thanks."}
    assert rules({**known, "verdict": verdict, **more}) == found


def test_an_item_has_one_verdict() -> None:
    assert rules(FIXED, {**FIXED, "feedback_id": "PRRT_2"}) == []
    assert rules(FIXED, FIXED) == ["id-twice", "id-twice"]


@pytest.mark.parametrize(("files", "found"), [(["b.py"], []), ([], ["not-investigated"]), (["../b"], ["path"])])
def test_an_incomplete_fix_names_the_files_that_were_looked_at(files: list[str], found: list[str]) -> None:
    said = {"mode": "correct-but-incomplete", "summary": "b.py too.", "files_investigated": files}
    assert rules(FIXED, cluster_assessment=said) == found
    assert rules(FIXED, cluster_assessment={**said, "mode": "band-aid", "files_investigated": []}) == []


@pytest.mark.parametrize("level", ["top", "result", "question", "assessment"])
def test_a_key_that_nobody_knows_is_refused(level: str) -> None:
    extra = {"x": 1}
    asked = {**FIXED, "verdict": "needs-human", "files_changed": [], "decision_context": {**QUESTION, **extra}}
    cases = {
        "top": rules(FIXED, **extra),
        "result": rules({**FIXED, **extra}),
        "question": rules(asked),
        "assessment": rules(FIXED, cluster_assessment={**ASSESSMENT, **extra}),
    }
    assert cases[level] == ["additionalProperties"]


def test_a_result_in_its_one_form_stays_without_a_note_also_as_yaml() -> None:
    value = {"unit": "u", "results": [FIXED], "cluster_assessment": ASSESSMENT}
    yaml = "".join(f"{name}: {json.dumps(part)}\n" for name, part in value.items())
    assert normalized_result(json.dumps(value)) == normalized_result(yaml) == (value, ())


@pytest.mark.parametrize(("said", "read"), [
    ({"verdict": "Fixed_Differently"}, {"verdict": "fixed-differently"}),
    ({"feedback_type": "Review Thread"}, {"feedback_type": "review_thread"}),
    ({"files_changed": "./a.py"}, {"files_changed": ["a.py"]}),
    ({"decision_context": None}, {}),
])  # fmt: skip
def test_another_spelling_is_read_and_told(said: dict[str, Any], read: dict[str, Any]) -> None:
    made = normalized_result(json.dumps({"unit": "u", "results": [{**FIXED, **said}]}))
    assert made.value["results"] == [{**FIXED, **read}]
    assert all(note.startswith("`results[0].") for note in made.notes)
    assert made.notes


def test_a_reply_that_is_too_long_is_told_with_the_limit() -> None:
    text = json.dumps({"unit": "u", "results": [{**FIXED, "reply_text": "a" * 20_001}]})
    [found] = [one.message for one in check_result(text, "path") if one.rule.endswith("/maxLength")]
    assert found.endswith("is too long: 20,001 characters, at most 20,000")
