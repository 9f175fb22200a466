"""The end of a story in words: the completion report, and how the commands went."""

import re
from collections.abc import Sequence

from baton.artifacts.report import criteria_rows
from baton.errors import BatonError
from baton.journal.paths import ARTIFACTS
from baton.journal.roles import ROLES
from baton.story.compare_checks import Weighed
from baton.story.question import accumulated_errors
from baton.story.session import StorySession
from baton.story.story_files import all_files, text_of
from baton.templates.render import render
from baton.words import shortened

# One screen: what is longer stands in the reports it is from.
SHOWN_NAMES = 3
SHOWN_ERRORS = 5
CELL = 160


def close_files(story: StorySession) -> dict[str, bytes]:
    """Return the story's folder as it is merged: with the completion report, and its status."""
    files = all_files(story.folder)
    files[ARTIFACTS["story"]] = _with_status(text_of(story, "story")).encode(errors="surrogateescape")
    files[ARTIFACTS["completion-report"].format(id=story.id)] = report_text(story).encode()
    return files


def report_text(story: StorySession, weighed: Sequence[Weighed] | None = None) -> str:
    """Write the completion report; the one that is committed does not tell how the commands went on it."""
    known = story.story()
    errors = accumulated_errors(story)
    delta = story.folder.artifact("memory-delta")
    return render(
        "completion-report.md.j2",
        id=story.id,
        title=story.state.created.title,
        base=story.base,
        branch=story.branch,
        criteria=known.criteria,
        deferred=known.deferred,
        shown=_shown(story, len(known.criteria)),
        checks=checks_text(story, weighed) if weighed is not None else "",
        runs={role.phase: count for name, role in ROLES.items() if (count := story.state.count(name))},
        errors=errors[:SHOWN_ERRORS],
        more_errors=len(errors[SHOWN_ERRORS:]),
        delta=story.folder.relative_to_root(delta) if delta.exists() else "",
    )


def checks_text(story: StorySession, weighed: Sequence[Weighed]) -> str:
    """Say what was run on the tree that is merged, with what result."""
    lines = [f"- {one.command.name}, `{' '.join(one.command.line.split())}`: {_result(one)}" for one in weighed]
    if not lines:
        return "Nothing was run: `.baton.yaml` names no commands."
    noted = [f"- {reason}" for reason in _noted(story)]
    return "\n".join(["What was run on exactly this tree:", "", *lines, *noted])


def _noted(story: StorySession) -> list[str]:
    """Give what there was nothing to run for; of prepush only where the project has any."""
    unset = [one for one in story.state.checked if one.rule.endswith("/unset")]
    told = [one.reason for one in unset if story.config.prepush or one.rule != "prepush/unset"]
    return list(dict.fromkeys(told))


def _result(one: Weighed) -> str:
    failed = shortened(sorted(one.triage.failed), SHOWN_NAMES)
    words = {
        "pass": "passed",
        "preexisting": f"fails as before the story: {failed}",
        "unclear": f"failed, and a person accepted it: {failed or one.triage.why}",
    }
    return " ".join(f"{words[one.triage.provenance]} ({one.outcome.seconds} s)".split())


def passed_by(story: StorySession) -> str:
    """Name the kind of report that passed the work: QA's, or that of a small story's own run."""
    passed = (run for run in reversed(story.state.runs) if run.judged and run.judged.then == "integrate")
    return ROLES[next(passed).role].artifact


def _shown(story: StorySession, count: int) -> list[str]:
    """Give, for each criterion, the words QA gave its row."""
    rows = criteria_rows(text_of(story, passed_by(story)))
    by_number = {row.number: _evidence(row.text) for row in rows if row.number is not None}
    return [by_number.get(number, "passed") for number in range(1, count + 1)]


def _evidence(row: str) -> str:
    """Reduce a row to what QA says of the criterion: without its name and the cells' borders."""
    words = re.sub(r"\s*\|\s*", ", ", row.strip(" |"))
    words = re.sub(r"(?i)^\W*(?:ac|criterion)?[ -]?\d+\W+", "", words)
    return words if len(words) <= CELL else f"{words[: CELL - 1]}…"


def _with_status(text: str) -> str:
    """Return a story's text with its closing status."""
    changed, count = re.subn(r"(?m)\A(---\n(?:(?!---$).*\n)*?)status:.*$", r"\1status: complete", text, count=1)
    if not count:
        changed, count = re.subn(r"\A---\n", "---\nstatus: complete\n", text, count=1)
    if not count:
        raise BatonError("no front matter", "story.md", "put it back: it begins with a line `---`")
    return changed
