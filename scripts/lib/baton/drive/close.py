"""The completion report: what was asked, how each criterion was met, what was run with what result."""

import re
from collections.abc import Sequence

from baton.artefacts.document import read_document
from baton.artefacts.report import criteria_rows
from baton.drive.checking import Weighed
from baton.drive.opened import OpenStory
from baton.drive.package import accumulated_errors
from baton.drive.render import render
from baton.drive.start import shortened
from baton.errors import BatonError
from baton.story.durable import write_durably
from baton.story.roles import ROLES

# One screen: what is longer stands in the reports it is from.
SHOWN_NAMES = 3
SHOWN_ERRORS = 5
CELL = 160


def write_close(story: OpenStory, weighed: Sequence[Weighed]) -> None:
    """Write the completion report and the story's closing status; the caller commits them."""
    if story.config.artefacts == "commit":
        _write_status(story)
    started = story.state.started
    known = story.story()
    delta = story.folder.artefact("memory-delta")
    errors = accumulated_errors(story)
    text = render(
        "completion-report.md.j2",
        id=story.id,
        title=story.state.created.title,
        base=story.base,
        branch=started.branch if started else "",
        criteria=known.criteria,
        deferred=known.deferred,
        shown=_shown(story, len(known.criteria)),
        ran=[_ran(one) for one in weighed],
        noted=_noted(story) if weighed else [],
        runs={role.phase: count for name, role in ROLES.items() if (count := story.state.count(name))},
        errors=errors[:SHOWN_ERRORS],
        more_errors=len(errors[SHOWN_ERRORS:]),
        delta=story.folder.relative_to_root(delta) if delta.exists() else "",
    )
    write_durably(story.folder.artefact("completion-report"), text, story.project.root)


def _noted(story: OpenStory) -> list[str]:
    """Give what there was nothing to run for; of prepush only where the project has any."""
    unset = [one for one in story.state.checked if one.rule.endswith("/unset")]
    return [one.reason for one in unset if story.config.prepush or one.rule != "prepush/unset"]


def _ran(one: Weighed) -> tuple[str, str, str]:
    """Give a command's name, its line, and what came of it."""
    failed = shortened(sorted(one.triage.failed), SHOWN_NAMES)
    words = {
        "pass": "passed",
        "preexisting": f"fails as before the story: {failed}",
        "unclear": f"failed, and a person accepted it: {failed or one.triage.why}",
    }
    result = words[one.triage.provenance]
    return one.command.name, one.command.line, f"{result} ({one.outcome.seconds} s)"


def passed_by(story: OpenStory) -> str:
    """Name the kind of report that passed the work: QA's, or that of a small story's own run."""
    passed = (run for run in reversed(story.state.runs) if run.judged and run.judged.then == "integrate")
    return ROLES[next(passed).role].artefact


def _shown(story: OpenStory, count: int) -> list[str]:
    """Give, for each criterion, the words QA gave its row."""
    rows = criteria_rows(read_document(story.folder.artefact(passed_by(story))))
    by_number = {row.number: _evidence(row.text) for row in rows if row.number is not None}
    return [by_number.get(number, "passed") for number in range(1, count + 1)]


def _evidence(row: str) -> str:
    """Reduce a row to what QA says of the criterion: without its name and the cells' borders."""
    words = re.sub(r"\s*\|\s*", ", ", row.strip(" |"))
    words = re.sub(r"(?i)^\W*(?:ac|criterion)?[ -]?\d+\W+", "", words)
    return words if len(words) <= CELL else f"{words[: CELL - 1]}…"


def _write_status(story: OpenStory) -> None:
    path = story.folder.artefact("story")
    text = read_document(path)
    changed, count = re.subn(r"(?m)\A(---\n(?:(?!---$).*\n)*?)status:.*$", r"\1status: complete", text, count=1)
    if not count:
        changed, count = re.subn(r"\A---\n", "---\nstatus: complete\n", text, count=1)
    if not count:
        raise BatonError("no front matter", str(path), "put it back: it begins with a line `---`")
    write_durably(path, changed, story.project.root)
