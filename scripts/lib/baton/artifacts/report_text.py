"""A report as people and agents see it: the Markdown that is made of its data, and the form to fill."""

from collections.abc import Sequence
from typing import Any

from baton.artifacts.report import FAILURES, IMPL, MICRO, PASS, QA
from baton.artifacts.story_file import named_criteria

# A change, a criterion's row and its place, in a form.
SUMMARY = "summary: what was done, in one line, as a commit's subject"
CHANGE = "  - file: {}\n    what: what changed and why"
ROW = f"  - id: {{}}\n    result: {PASS}\n    evidence: |\n      what was run, and what it showed"
PLACE = "  - id: {}\n    where: where it is met, and the test that shows it"
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


def _listed(key: str, items: Sequence[str]) -> str:
    return "\n".join([f"{key}:", *items]) if items else f"{key}: []"
