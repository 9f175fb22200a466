"""A resolver result: what a unit of a pull request's feedback came to; a claim, judged elsewhere."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from baton.artifacts.data import load_object
from baton.artifacts.file_name import name_fault, told
from baton.artifacts.findings import Finding
from baton.artifacts.front_matter import YamlFault
from baton.artifacts.normalize import Normalized
from baton.artifacts.resolver_words import ASKS_NOTHING, FIXING, normalize_result
from baton.artifacts.schema import check_schema
from baton.artifacts.strict_json import JsonFault

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
    """What the user must decide, and between what."""

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
    """What the items of a cluster have in common, as it was found."""

    mode: str
    summary: str
    files_investigated: tuple[str, ...]


class ResolverResult(NamedTuple):
    """What a unit came to."""

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
    except (JsonFault, YamlFault) as fault:
        form = "JSON" if isinstance(fault, JsonFault) else "YAML"
        return [Finding(path, "$", f"{KIND}/{form.lower()}", f"not readable as {form}: {fault}")]
    if found := check_schema(value, KIND, path):
        return found
    made = _read(value)
    return [Finding(path, where, f"{KIND}/{rule}", message) for where, rule, message in _faults(made)]


def read_result(text: str) -> ResolverResult:
    """Read a resolver result that `check_result` found no fault in."""
    return _read(normalized_result(text).value)


def _read(value: dict[str, Any]) -> ResolverResult:
    said = value.get("cluster_assessment")
    assessment = said and Assessment(said["mode"], said["summary"], tuple(said.get("files_investigated", ())))
    return ResolverResult(value["unit"], tuple(map(_result, value["results"])), assessment or None)


def _result(one: dict[str, Any]) -> ItemResult:
    asked = one.get("decision_context")
    return ItemResult(
        verdict=one["verdict"],
        feedback_id=one["feedback_id"],
        reply_text=one.get("reply_text", ""),
        files_changed=tuple(one.get("files_changed", ())),
        reason=one["reason"],
        decision_context=DecisionContext(asked["question"], tuple(asked["options"])) if asked else None,
        change=one.get("change", "").strip(),
    )


Fault = tuple[str, str, str]


def _faults(made: ResolverResult) -> Iterator[Fault]:
    """Return place, rule and message of each fault that no schema can say."""
    times = Counter(one.feedback_id for one in made.results)
    by_cluster = {name for one in made.results if made.assessment and one.fixes for name in one.files_changed}
    for index, one in enumerate(made.results):
        where = f"$.results[{index}]"
        if times[one.feedback_id] > 1:
            message = f"{told(one.feedback_id)} stands {times[one.feedback_id]} times: give each item one verdict"
            yield f"{where}.feedback_id", "id-twice", message
        yield from _texts(where, _words_of(one))
        yield from _changes(where, one, by_cluster)
        if what := _fault_of_change(one):
            yield f"{where}.change", "change", what
        yield from _names(f"{where}.files_changed", one.files_changed)
        if (one.verdict == "needs-human") != (one.decision_context is not None):
            message = "`needs-human` and `decision_context` go together: the question, and two or more options"
            yield f"{where}.decision_context", "question", message
    if made.assessment:
        yield from _assessed(made.assessment)


def _words_of(one: ItemResult) -> Iterator[tuple[str, str]]:
    if not one.asks_nothing:
        yield "reply_text", one.reply_text
    yield "reason", one.reason
    if one.decision_context:
        yield "decision_context.question", one.decision_context.question
        for index, option in enumerate(one.decision_context.options):
            yield f"decision_context.options[{index}]", option


def _texts(where: str, words: Iterator[tuple[str, str]]) -> Iterator[Fault]:
    for name, text in words:
        if not text.strip():
            yield f"{where}.{name}", "empty", "empty: say it in a sentence or two"
        elif gap := GAP.search(CODE.sub("", text)):
            shown = told(" ".join(gap[0].split()))
            yield f"{where}.{name}", "placeholder", f"{shown} was not filled in (code goes in backticks)"


def _changes(where: str, one: ItemResult, by_cluster: set[str]) -> Iterator[Fault]:
    """Hold verdict against files: a fix has some, other verdicts only those that the cluster's fix names too."""
    if one.fixes and not one.files_changed:
        message = f"`{one.verdict}` without `files_changed`: name them, or say `replied` and where it is"
        yield where, "no-change", message
    elif not one.fixes and (left := [name for name in one.files_changed if name not in by_cluster]):
        message = f"`{one.verdict}`, and yet {told(left[0])} was changed: undo that, or say `fixed`"
        yield f"{where}.files_changed", "changed", message


def _fault_of_change(one: ItemResult) -> str:
    """Return why a fix's `change` is no line of a commit's message, and what to write; nothing where it is one."""
    text, prose = one.change, CODE.sub("", one.change)
    if not one.fixes:
        return ""
    if not text:
        return f"`{one.verdict}` without it: {CHANGE_FORM}"
    faults = {
        "has several lines": "\n" in text,
        f"has {len(text)} characters": len(text) > LONGEST_CHANGE,
        "is a reply, not a change": bool(CHAT.search(prose)),
        "asks something": "?" in prose,
        "names somebody (a commit's message has no code)": bool(NAMED.search(text)),
        "was not filled in": bool(GAP.search(prose)),
    }
    return next(
        (f"{told(text[:LONGEST_CHANGE])} {what}: {CHANGE_FORM}" for what, is_so in faults.items() if is_so), ""
    )


def _names(where: str, names: tuple[str, ...]) -> Iterator[Fault]:
    for index, name in enumerate(names):
        if fault := name_fault(name):
            yield f"{where}[{index}]", "path", f"{told(name)} is {fault}"


def _assessed(made: Assessment) -> Iterator[Fault]:
    yield from _texts("$.cluster_assessment", iter([("summary", made.summary)]))
    yield from _names("$.cluster_assessment.files_investigated", made.files_investigated)
    if made.mode == "correct-but-incomplete" and not made.files_investigated:
        message = "`correct-but-incomplete` without them: name each file you looked at for the same fault"
        yield "$.cluster_assessment.files_investigated", "not-investigated", message
