"""Every label of evals/reader is sound: what it says stands in its body, and can be read as it says."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from baton.artifacts.kinds import READING, check_artifact
from baton.feedback.reader.check_reading import IN_PROSE, IN_SUMMARY, PRAISE, check_reading
from baton.feedback.reader.items import SEVERITIES
from baton.feedback.text.flags import PROMPT
from baton.text import restored, visible
from scoring import BODIES, Body, files_of, read_bodies, readings_of, score

ALL = [*read_bodies(BODIES), *read_bodies(BODIES.parent / "hostile")]
SAYS = {"actionable", "ignore", "not-reviewed", "answered"}


def flat(text: str) -> str:
    return " ".join(text.split())


def test_the_bodies_are_many_and_of_many_authors() -> None:
    bots = {one.text.author for one in ALL if one.text.is_bot}
    people = [one for one in ALL if not one.text.is_bot]
    assert (len(ALL) >= 240, len(bots) >= 40, len(people) >= 25) == (True, True, True)
    assert {one.says[0] for one in ALL} == SAYS
    assert [one.name for one in ALL if one.name.partition("/")[0] != one.text.author] == []


MADE_FROM = (
    (IN_SUMMARY, "coderabbitai/review-all-sections", "copilot-pull-request-reviewer/review-suppressed"),
    (IN_PROSE[0], "cursor/review"),
    (IN_PROSE[1], "cubic-dev-ai/review"),
    (IN_PROSE[2], "coderabbitai/review-nothing-but-a-count"),
    (PRAISE, "coderabbitai/review-all-sections", "greptile-apps/comment-additional"),
    (re.compile(rf"(?i)<summary>(?:{PROMPT.pattern})"), "coderabbitai/page-review", "kody-ai/inline",
     "qodo-code-review/inline", "greptile-apps/inline", "coderabbitai/review-nothing-but-a-count"),
)  # fmt: skip


@pytest.mark.parametrize(("pattern", "names"), [(pattern, names) for pattern, *names in MADE_FROM])
def test_a_form_the_program_knows_is_one_of_a_named_body(pattern: re.Pattern[str], names: list[str]) -> None:
    modules = (BODIES.parents[2] / "scripts/lib/baton/feedback").glob("*/*.py")
    sources = "".join(path.read_text(encoding="utf-8") for path in modules)
    for name in names:
        assert f"{name}.md" in sources
        assert pattern.search((BODIES / f"{name}.md").read_text(encoding="utf-8"))


def test_a_label_says_what_a_reading_may_say() -> None:
    assert [one.name for one in ALL if not set(one.says) <= SAYS or len(set(one.says)) < len(one.says)] == []
    assert {one.text.surface for one in ALL} == {"inline", "review", "comment"}
    severities = {wanted.severity for one in ALL for wanted in one.findings}
    assert severities == {*SEVERITIES, None}
    person_says = {says for one in ALL if not one.text.is_bot for says in one.says}
    assert person_says == {"actionable", "ignore"}


def test_work_has_findings_and_nothing_else_has() -> None:
    assert [one.name for one in ALL if (one.says[0] == "actionable") > bool(one.findings)] == []
    assert [one.name for one in ALL if one.findings and "actionable" not in one.says] == []


def test_each_labelled_finding_stands_in_the_text_that_a_reader_sees() -> None:
    labels = [(one, wanted) for one in ALL for wanted in one.findings]
    assert [one.name for one, wanted in labels if flat(restored(wanted.has)) not in flat(one.text.shown)] == []


def test_a_place_is_one_that_the_body_names_and_a_thread_has_its_own() -> None:
    assert [one.name for one in ALL if list(unnamed(one))] == []
    threads = [one for one in ALL if one.text.surface == "inline"]
    assert [thread.name for thread in threads if not (thread.text.path and thread.text.lines)] == []
    assert [thread.name for thread in threads if any(wanted.path for wanted in thread.findings)] == []


def unnamed(body: Body) -> Iterator[str]:
    """Return the paths and lines of a label that its body does not name."""
    for finding in body.findings:
        lines = [line for line in (finding.line, finding.start_line) if line is not None]
        yield from (str(line) for line in lines if not re.search(rf"(?<!\d){line}(?!\d)", body.text.words))
        if finding.path and finding.path not in body.text.words:
            yield finding.path


@pytest.mark.parametrize("name", readings_of(ALL).shares)
def test_a_reading_that_says_what_the_labels_say_is_taken_and_right(name: str) -> None:
    share, by_name = readings_of(ALL).share(name), {one.name: one for one in ALL}
    bodies = {key: by_name[text.item] for key, text in share.texts.items()}
    reading = {"reading": name, "texts": [entry(key, body) for key, body in bodies.items()]}
    assert check_artifact(READING, json.dumps(reading), "x") == []
    checked = check_reading(reading, share, files_of(ALL))
    assert checked.faults == ()
    scores = [score(body, checked.texts[key]) for key, body in bodies.items()]
    assert [(score.body.name, score.why) for score in scores if not score.right] == []


def entry(key: str, body: Body) -> dict[str, Any]:
    """Return what a reading says of a body that is as the label has it."""
    if body.says[0] != "actionable":
        quote = next(filter(str.strip, visible(body.text.words).splitlines()))
        return {"id": key, "says": body.says[0], "quote": quote[:300]}
    labels = [{name: value for name, value in finding._asdict().items() if value} for finding in body.findings]
    findings = [{"quote": label.pop("has"), "category": "other", **label} for label in labels]
    return {"id": key, "says": "actionable", "findings": findings}
