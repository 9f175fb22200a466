"""A resolver result: what a unit of a pull request's feedback came to; a claim, judged elsewhere."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from baton.artifacts.data import DATA_FAULTS, load_object, unreadable
from baton.artifacts.file_name import name_fault, quote_name
from baton.artifacts.findings import Finding
from baton.artifacts.normalize import Normalized
from baton.artifacts.resolver_words import ASKS_NOTHING, FIXING, normalize_result
from baton.artifacts.schema import check_schema

KIND = "resolver-result"
WITHOUT_PRIOR = ("systemic", "coincidental")
WITH_PRIOR = ("band-aid", "correct-but-incomplete", "sound-and-independent")
# Code may hold anything; outside of it, several words between angle brackets are a gap in a form.
CODE = re.compile(r"```.*?```|~~~.*?~~~|`[^`\n]*`", re.S)
# A commit's message is read by who did not follow the conversation.
CHAT = re.compile(r"\bI\b(?!/)|\b(?:we|my|our|sorry|thanks?)\b", re.I)
NAMED = re.compile(r"(?<![A-Za-z0-9])@[A-Za-z0-9]")
LONGEST_CHANGE = 60
CHANGE_FORM = (
    f"write one line of at most {LONGEST_CHANGE} characters that says what was done in the repository, "
    "as `refuse an empty e-mail in login and reset`"
)
GAP = re.compile(
    r"<(?:[a-z][^<>=/\n]{0,80} [^<>=/\n]{1,200}"
    r"|placeholder|reply|reply[_-]text|text|reason|summary|question|option|verdict|mode|id|path|file|line|…|\.\.\.)>",
    re.I,
)


class DecisionContext(NamedTuple):
    """A question that the user must decide, and the options."""

    question: str
    options: tuple[str, ...]


class ItemResult(NamedTuple):
    """The verdict on one item."""

    verdict: str
    feedback_id: str
    reply_text: str
    files_changed: tuple[str, ...]
    reason: str
    decision_context: DecisionContext | None
    change: str = ""  # of a fix, what was done; older versions asked for none

    @property
    def fixes(self) -> bool:
        """Whether it says that the code was changed for this item."""
        return self.verdict in FIXING

    @property
    def asks_nothing(self) -> bool:
        """Whether it says that there was nothing to answer."""
        return self.verdict == ASKS_NOTHING


class Assessment(NamedTuple):
    """The common ground of a cluster's items, as it was found."""

    mode: str
    summary: str
    files_investigated: tuple[str, ...]


class ResolverResult(NamedTuple):
    """The outcome of a unit."""

    unit: str
    results: tuple[ItemResult, ...]
    assessment: Assessment | None


def normalized_result(text: str) -> Normalized:
    """Load a resolver result, JSON or YAML, in the one form it is kept in; JsonFault or YamlFault otherwise."""
    return normalize_result(load_object(text, KIND))


def check_result(text: str, path: str) -> list[Finding]:
    """Find every fault of form in a resolver result, after what can be normalized has been."""
    try:
        value = normalized_result(text).value
    except DATA_FAULTS as fault:
        return [unreadable(fault, KIND, path)]
    if findings := check_schema(value, KIND, path):
        return findings
    outcome = _read(value)
    return [Finding(path, where, f"{KIND}/{rule}", message) for where, rule, message in _faults(outcome)]


def read_result(text: str) -> ResolverResult:
    """Read a resolver result that `check_result` found no fault in."""
    return _read(normalized_result(text).value)


def _read(value: dict[str, Any]) -> ResolverResult:
    raw = value.get("cluster_assessment")
    assessment = raw and Assessment(raw["mode"], raw["summary"], tuple(raw.get("files_investigated", ())))
    return ResolverResult(value["unit"], tuple(map(_result, value["results"])), assessment or None)


def _result(raw: dict[str, Any]) -> ItemResult:
    asked = raw.get("decision_context")
    return ItemResult(
        verdict=raw["verdict"],
        feedback_id=raw["feedback_id"],
        reply_text=raw.get("reply_text", ""),
        files_changed=tuple(raw.get("files_changed", ())),
        reason=raw["reason"],
        decision_context=DecisionContext(asked["question"], tuple(asked["options"])) if asked else None,
        change=raw.get("change", "").strip(),
    )


Fault = tuple[str, str, str]


def _faults(outcome: ResolverResult) -> Iterator[Fault]:
    """Return place, rule and message of each fault that no schema can say."""
    times = Counter(result.feedback_id for result in outcome.results)
    by_cluster = {
        name for result in outcome.results if outcome.assessment and result.fixes for name in result.files_changed
    }
    for index, result in enumerate(outcome.results):
        where = f"$.results[{index}]"
        if (count := times[result.feedback_id]) > 1:
            message = f"{quote_name(result.feedback_id)} stands {count} times: give each item one verdict"
            yield f"{where}.feedback_id", "id-twice", message
        yield from _texts(where, _words_of(result))
        yield from _changes(where, result, by_cluster)
        if what := _fault_of_change(result):
            yield f"{where}.change", "change", what
        yield from _names(f"{where}.files_changed", result.files_changed)
        if (result.verdict == "needs-human") != (result.decision_context is not None):
            message = "`needs-human` and `decision_context` go together: the question, and two or more options"
            yield f"{where}.decision_context", "question", message
    if outcome.assessment:
        yield from _assessed(outcome.assessment)


def _words_of(result: ItemResult) -> Iterator[tuple[str, str]]:
    if not result.asks_nothing:
        yield "reply_text", result.reply_text
    yield "reason", result.reason
    if result.decision_context:
        yield "decision_context.question", result.decision_context.question
        for index, option in enumerate(result.decision_context.options):
            yield f"decision_context.options[{index}]", option


def _texts(where: str, words: Iterator[tuple[str, str]]) -> Iterator[Fault]:
    for name, text in words:
        if not text.strip():
            yield f"{where}.{name}", "empty", "empty: say it in a sentence or two"
        elif gap := GAP.search(CODE.sub("", text)):
            shown = quote_name(" ".join(gap[0].split()))
            yield f"{where}.{name}", "placeholder", f"{shown} was not filled in (code goes in backticks)"


def _changes(where: str, result: ItemResult, by_cluster: set[str]) -> Iterator[Fault]:
    """Hold verdict against files: a fix has some, other verdicts only those that the cluster's fix names too."""
    if result.fixes and not result.files_changed:
        message = f"`{result.verdict}` without `files_changed`: name them, or say `replied` and where it is"
        yield where, "no-change", message
    elif not result.fixes and (left := [name for name in result.files_changed if name not in by_cluster]):
        message = f"`{result.verdict}`, and yet {quote_name(left[0])} was changed: undo that, or say `fixed`"
        yield f"{where}.files_changed", "changed", message


def _fault_of_change(result: ItemResult) -> str:
    """Return why a fix's `change` is no line of a commit's message, and what to write; nothing where it is one."""
    text, prose = result.change, CODE.sub("", result.change)
    if not result.fixes:
        return ""
    if not text:
        return f"`{result.verdict}` without it: {CHANGE_FORM}"
    faults = {
        "has several lines": "\n" in text,
        f"has {len(text)} characters": len(text) > LONGEST_CHANGE,
        "is a reply, not a change": bool(CHAT.search(prose)),
        "asks something": "?" in prose,
        "names somebody (a commit's message has no code)": bool(NAMED.search(text)),
        "was not filled in": bool(GAP.search(prose)),
    }
    return next(
        (f"{quote_name(text[:LONGEST_CHANGE])} {what}: {CHANGE_FORM}" for what, is_so in faults.items() if is_so),
        "",
    )


def _names(where: str, names: tuple[str, ...]) -> Iterator[Fault]:
    for index, name in enumerate(names):
        if fault := name_fault(name):
            yield f"{where}[{index}]", "path", f"{quote_name(name)} is {fault}"


def _assessed(assessment: Assessment) -> Iterator[Fault]:
    yield from _texts("$.cluster_assessment", iter([("summary", assessment.summary)]))
    yield from _names("$.cluster_assessment.files_investigated", assessment.files_investigated)
    if assessment.mode == "correct-but-incomplete" and not assessment.files_investigated:
        message = "`correct-but-incomplete` without them: name each file you looked at for the same fault"
        yield "$.cluster_assessment.files_investigated", "not-investigated", message
