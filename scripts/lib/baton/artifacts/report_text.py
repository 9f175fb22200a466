"""A report as people and agents see it: the Markdown that is made of its data, and the form to fill."""

import re
from collections.abc import Sequence
from typing import Any

from baton.artifacts.report import FAILURES, IMPL, MICRO, PASS, QA
from baton.artifacts.story_file import named_criteria
from baton.text import with_article

# A change, a criterion's row and its place, in a form.
SUMMARY = "summary: what was done, in one line, as a commit's subject"
CHANGE = "  - file: {}\n    what: what changed and why"
ROW = f"  - id: {{}}\n    result: {PASS}\n    evidence: |\n      what was run, and what it showed"
PLACE = "  - id: {}\n    where: where it is met, and the test that shows it"
CELLS, CELL_ROW = ("id", "result", "evidence"), re.compile(r"^\| (.*) \| (\w+) \| (.*) \|$", re.M)
# The lists each must have; `render_report` leaves out those of them that are empty.
LISTS = {
    IMPL: ("changes_made", "criteria_mapping", "rules_applied", "blocking_failures"),
    QA: ("criteria",),
    MICRO: ("criteria", "changes_made", "blocking_failures"),
}
TITLES = {IMPL: "Implementation report", QA: "QA report", MICRO: "Micro-delivery report"}


def render_report(kind: str, value: dict[str, Any], criteria: Sequence[str]) -> str:
    """Return a report's Markdown, for people: what git keeps of it."""
    words = {f"AC{number}": text for number, text in enumerate(named_criteria(criteria), 1)}
    parts = [
        f"# {TITLES[kind]}",
        f"Verdict: {value['verdict']}" if "verdict" in value else "",
        value.get("summary", ""),
        value.get("reason", ""),
    ]
    if rows := value.get("criteria"):
        cells = [(words.get(row["id"], row["id"]), row["result"], row["evidence"]) for row in rows]
        parts.append(f"## Acceptance Criteria\n\n{_table(('Criterion', 'Result', 'How it was seen'), cells)}")
    if changes := value.get("changes_made"):
        parts.append(_section("Changes Made", [_change(change) for change in changes]))
    if mapped := value.get("criteria_mapping"):
        parts.append(_section("Criteria Mapping", [f"{row['id']}: {row['where']}" for row in mapped]))
    for key in ("rules_applied", *FAILURES):
        if key in value:
            parts.append(_section(key.replace("_", " ").title(), value[key] or ["None"]))
    if notes := value.get("notes"):
        parts.append(f"## Notes\n\n{notes.strip()}")
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"


def parse_report(kind: str, text: str) -> dict[str, Any] | None:
    """Return the data of a report in the Markdown that `render_report` makes of it; None for any other text."""
    head, *rest = re.split(r"^## ", text, flags=re.M)
    title, _, words = head.strip().partition("\n")
    if title != f"# {TITLES[kind]}":
        return None
    verdict = re.match(r"\s*Verdict: (\S+)", words)
    value: dict[str, Any] = {key: [] for key in LISTS[kind]}
    value |= {"verdict": verdict[1], "reason": words[verdict.end() :].strip()} if verdict else {}
    for part in rest:
        name, _, body = part.partition("\n")
        if name == "Notes":  # the last, and free in its form
            break
        key = name.strip().lower().replace(" ", "_")
        items = [item.replace("\n  ", "\n").strip() for item in re.findall(r"^- (.*(?:\n  .*)*)", body, re.M)]
        if key == "acceptance_criteria":
            value["criteria"] = [dict(zip(CELLS, cells, strict=True)) for cells in CELL_ROW.findall(body)[1:]]
        elif key in (*LISTS[IMPL], *FAILURES):
            value[key] = [] if items == ["None"] else items
    return value


def _change(change: dict[str, str]) -> str:
    return f"`{change['file']}`" + (f": {change['what']}" if change["what"] else "")


def _section(title: str, items: Sequence[str]) -> str:
    return "\n".join([f"## {title}\n", *(f"- {item.strip()}".replace("\n", "\n  ") for item in items)])


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    cells = [[" ".join(cell.split()).replace("|", "\\|") for cell in line] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def report_form(kind: str, criteria: Sequence[str], files: Sequence[str] = ()) -> str:
    """Return the form of a report, filled with what is known: the story's criteria and the files of the diff."""
    names = [f"AC{number}" for number, _ in enumerate(criteria, 1)]
    comments = [f"  # {' '.join(text.split())}\n" if text.strip() else "" for text in criteria]
    verdict = [f"verdict: {PASS}", "reason: |", "  why; for a FAIL each fault, where it is and how to see it"]
    rows = _listed("criteria", [words + ROW.format(name) for name, words in zip(names, comments, strict=True)])
    changes = _listed("changes_made", [CHANGE.format(file) for file in files or ["path/to/file"]])
    mapping = _listed("criteria_mapping", [PLACE.format(name) for name in names])
    rules = _listed("rules_applied", ["  - the project's rules and conventions you kept to"])
    blocking, known, notes = "blocking_failures: []", "known_failures: []", "notes: |\n  anything else, for people"
    parts = {
        IMPL: [SUMMARY, changes, mapping, rules, blocking, known, notes],
        QA: [*verdict, rows, known, notes],
        MICRO: [SUMMARY, *verdict, rows, changes, blocking, known, notes],
    }
    return "\n".join(parts[kind])


def form_lines(kind: str, form: str) -> list[str]:
    """Return a form as it is shown below what was found wrong."""
    how = f"the form of {with_article(kind)}, in YAML (a text of several lines stands indented below `|`):"
    return ["", how, form]


def _listed(key: str, items: Sequence[str]) -> str:
    return "\n".join([f"{key}:", *items]) if items else f"{key}: []"
