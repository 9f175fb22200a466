"""The reports of implementers, QA and small stories: data by schema, from which all decisions are made."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from baton.artifacts.data import DATA_FAULTS, load_object, text_keys, unreadable
from baton.artifacts.findings import Finding
from baton.artifacts.metadata import Metadata, RunError, read_error
from baton.artifacts.normalize import Normalized, normalize_errors
from baton.artifacts.schema import check_schema
from baton.artifacts.story_file import named_criteria
from baton.artifacts.strict_yaml import YamlFault

IMPL, QA, MICRO = REPORT_KINDS = ("impl-report", "qa-report", "micro-delivery-report")
PASS, FAIL, ESCALATE = "PASS", "FAIL", "ESCALATE"
WORDS = {"PASSED": PASS, "FAILED": FAIL, "FAILS": FAIL, "PASSES": PASS, "ESCALATED": ESCALATE}
# A word that stands alone, with a mark that says the same.
WORD = re.compile(
    r"[\s*_`]*(?P<mark>[\u2705\u2713\u2714\u274c\u2717]\ufe0f?)?[\s*_`]*(?P<word>[A-Za-z]+)[\s*_`.]*"
)
MARKS = {PASS: "\u2705\u2713\u2714", FAIL: "\u274c\u2717"}
CRITERION = re.compile(r"(?:ac|criterion)?[ #._-]{0,2}(\d{1,4})\b", re.I)
MAPPED = re.compile(rf"[*_`]*({CRITERION.pattern})[*_`]*(?::|\s[-\u2013\u2014])\s*(\S.*)", re.I | re.S)
NO_FAILURES = re.compile(r"\W*(?:none|no|nothing|n/?a|null)?\W*", re.I)
FILE = re.compile(r"(?:`([^`\n]+)`|`?([^`\s:]+)`?)(?:\s*(?::|\s[-\u2013\u2014])\s+(.*))?", re.S)
KEY = re.compile(r"\$\.(\w+)")  # of the place of a finding, the first
# A heading before anything else, which in YAML would be a comment.
MARKDOWN = re.compile(r"(?:---\n.*?\n---[ \t]*\n\s*)?#{1,6} \S", re.S)
IS_MARKDOWN = "this is Markdown, and YAML is asked for: its keys and their values"
FAILURES = ("blocking_failures", "known_failures")


class ReportRow(NamedTuple):
    """A criterion by its name, the result QA gave it ("" in an implementer's report), and where it is seen."""

    id: str
    result: str
    evidence: str


class Criterion(NamedTuple):
    """An acceptance criterion, or a piece of feedback: the result it was given, and how that was seen."""

    name: str
    text: str
    result: str
    evidence: str


class RunReport(NamedTuple):
    """The content of a report; `verdict` is empty for an implementer's, and for one that is not there."""

    verdict: str = ""
    reason: str = ""
    rows: tuple[ReportRow, ...] = ()
    files: tuple[str, ...] = ()
    blocking_failures: tuple[str, ...] = ()
    known_failures: tuple[str, ...] = ()
    status: str = ""
    errors: tuple[RunError, ...] = ()
    summary: str = ""

    @property
    def metadata(self) -> Metadata:
        """The report's account of its run, as the metadata it stands for."""
        return Metadata(self.status, errors=self.errors, files_changed=self.files, summary=self.summary)


def normalized_report(kind: str, text: str) -> Normalized:
    """Load a report, YAML or JSON, in the one form it is kept in; JsonFault or YamlFault for what cannot be."""
    value, notes = load_object(text, kind), list[str]()
    for name in FAILURES:
        _failures(value, name, notes)
    for key in [key for key, given in value.items() if given is None]:
        del value[key]
    _word(value, "verdict", "", notes)
    _mapping(value, notes)
    for name in ("criteria", "criteria_mapping"):
        for index, row in enumerate(_objects(value, name)):
            _criterion(row, f"{name}[{index}].", notes)
            _word(row, "result", f"{name}[{index}].", notes)
    _changes(value, notes)
    normalize_errors(value, notes)
    return Normalized(value, tuple(notes))


def _objects(value: dict[str, Any], name: str) -> Iterator[dict[str, Any]]:
    given = value.get(name)
    yield from (row for row in given if isinstance(row, dict)) if isinstance(given, list) else ()


def _failures(value: dict[str, Any], name: str, notes: list[str]) -> None:
    """Read the words for nothing as an empty list, and one text as a list of one."""
    given = value.get(name, [])
    listed = [given] if isinstance(given, str) else given
    if given is None or (isinstance(listed, list) and all(isinstance(text, str) for text in listed)):
        failures = [text for text in listed or () if not NO_FAILURES.fullmatch(text)]
        if failures != given and name in value:
            value[name] = failures
            notes.append(f"`{name}` {given}: read as {failures or 'none'}")


def _word(holder: dict[str, Any], key: str, where: str, notes: list[str]) -> None:
    given = holder.get(key)
    if not isinstance(given, str):
        return
    match = WORD.fullmatch(given)
    bare = match["word"].upper() if match else given
    word = WORDS.get(bare, bare)
    is_contradicted = match and match["mark"] and match["mark"][0] not in MARKS.get(word, "")
    if word != given and not is_contradicted:
        holder[key] = word
        notes.append(f"`{where}{key}` {given[:60]}: read as {word[:60]}")


def _criterion(row: dict[str, Any], where: str, notes: list[str]) -> None:
    given = row.get("id")
    match = CRITERION.match(str(given).strip("*`_ ")) if isinstance(given, str | int) else None
    if match and given != f"AC{int(match[1])}":
        row["id"] = f"AC{int(match[1])}"
        notes.append(f"`{where}id` {str(given)[:60]}: read as {row['id']}")


def _mapping(value: dict[str, Any], notes: list[str]) -> None:
    """Read a row as text, `AC1: where it is met`, as its `id` and `where`."""
    given = value.get("criteria_mapping")
    if not isinstance(given, list):
        return
    for index, row in enumerate(given):
        if isinstance(row, str) and (match := MAPPED.fullmatch(row)):
            given[index] = {"id": match[1], "where": match[3].strip()}
            notes.append(f"`criteria_mapping[{index}]` as text: read as its `id` and `where`")


def _changes(value: dict[str, Any], notes: list[str]) -> None:
    """Read a change as text as its file and what was done, and a file's name without its marks."""
    given = value.get("changes_made")
    if not isinstance(given, list):
        return
    for index, change in enumerate(given):
        if isinstance(change, str) and (match := FILE.fullmatch(change)):
            given[index] = {"file": match[1] or match[2], "what": (match[3] or "").strip()}
            notes.append(f"`changes_made[{index}]` as text: read as its `file` and `what`")
        elif isinstance(change, dict) and isinstance(change.get("file"), str):
            change["file"] = change["file"].strip("`").removeprefix("./")
            change.setdefault("what", "")


def check_report(kind: str, text: str, path: str) -> list[Finding]:
    """Find every fault of form in a report, after what can be normalized has been."""
    try:
        value = normalized_report(kind, text).value
    except DATA_FAULTS as fault:
        if MARKDOWN.match(text.lstrip()):
            return [Finding(path, "$", f"{kind}/yaml", IS_MARKDOWN)]
        is_json = text.lstrip()[:1] in ("{", "[", "`")
        return [unreadable(fault if is_json else YamlFault(str(fault)), kind, path)]
    if MARKDOWN.match(text.lstrip()) and not any(key in names for names in text_keys(kind) for key in value):
        return [Finding(path, "$", f"{kind}/yaml", IS_MARKDOWN)]
    findings = check_schema(value, kind, path)
    against = _contradictions(sound_part(value, findings))
    return findings + [Finding(path, where, f"{kind}/{rule}", message) for where, rule, message in against]


def sound_part(value: dict[str, Any], findings: Iterable[Finding]) -> dict[str, Any]:
    """Return what of a report has no fault of form: it is read, so that all that is wrong is said at once.

    A verdict that lacks its rows is left out too: what it passes cannot be known.
    """
    faulty = {match[1] for finding in findings if (match := KEY.match(finding.where))}
    sound = {key: given for key, given in value.items() if key not in faulty}
    return sound if "criteria" in sound else {key: sound[key] for key in sound if key != "verdict"}


def _contradictions(value: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Return place, rule and message of each fault that no schema can say."""
    for name in ("criteria", "criteria_mapping"):
        for row_id, times in Counter(row["id"] for row in value.get(name, ())).items():
            if times > 1 and name == "criteria":
                yield f"$.{name}", "row-twice", f"{row_id} has {times} rows: give each criterion one"
    verdict = value.get("verdict")
    if verdict in (FAIL, ESCALATE) and not (value.get("reason") or "").strip():
        yield "$.reason", "no-reason", f"{verdict} without a reason: say what is wrong, where, and how to see it"
    if verdict != PASS:
        return
    open_rows = [f"{row['id']} {row['result']}" for row in value["criteria"] if row["result"] != PASS]
    if open_rows:
        text = f"PASS beside {', '.join(open_rows[:20])}"
        yield "$.verdict", "open-row", f"{text}: say FAIL if it can be fixed, ESCALATE if only the user can decide"
    if value.get("blocking_failures"):
        yield (
            "$.verdict",
            "blocked-pass",
            "PASS beside blocking failures: say FAIL, or put what base fails, too, under `known_failures`",
        )


def read_report(value: dict[str, Any]) -> RunReport:
    """Read a report in the form that `normalized_report` returns, in which `check_artifact` found no fault."""
    return RunReport(
        value.get("verdict", ""),
        value.get("reason", "").strip(),
        tuple(
            ReportRow(row["id"], row.get("result", ""), row.get("evidence", row.get("where", "")))
            for row in value.get("criteria", value.get("criteria_mapping", ()))
        ),
        tuple(change["file"] for change in value.get("changes_made", ())),
        tuple(value.get("blocking_failures", ())),
        tuple(value.get("known_failures", ())),
        value.get("status", "implemented"),
        tuple(map(read_error, value.get("errors", ()))),
        value.get("summary", ""),
    )


def judged_criteria(report: RunReport, criteria: Sequence[str]) -> list[Criterion]:
    """Return the criteria, numbered from 1 in story order, with what the report says of each."""
    judged = {row.id: (row.result, row.evidence) for row in report.rows}
    named = [criterion.partition(": ") for criterion in named_criteria(criteria)]
    return [Criterion(name, text, *judged.get(name, ("", ""))) for name, _, text in named]


def open_criteria(report: RunReport, criteria: Sequence[str]) -> list[str]:
    """Return the criteria to which the report gives no PASS."""
    judged = judged_criteria(report, criteria)
    return [f"{criterion.name}: {criterion.text}" for criterion in judged if criterion.result != PASS]


def criteria_faults(report: RunReport, criteria: Sequence[str]) -> list[str]:
    """Say which criteria of the story have no row, and which rows of a verdict no criterion."""
    named, known = [row.id for row in report.rows], [f"AC{number}" for number in range(1, len(criteria) + 1)]
    missing = [f"no row for {name}" for name in known if name not in named]
    more = [name for name in named if name not in known] if report.verdict else []
    return [*missing, *(f"{name} is not a criterion of this story" for name in more)]
