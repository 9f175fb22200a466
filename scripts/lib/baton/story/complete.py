"""The end of a story: merged, or ready on its branch; its completion report, and what is tidied away."""

import re
from collections.abc import Sequence
from pathlib import Path

from baton.checks.cleanup import remove_trees
from baton.errors import BatonError
from baton.git.branches import drop
from baton.journal.atomic_file import write_durably
from baton.journal.events import Completed
from baton.journal.paths import ARTIFACTS
from baton.journal.run import ROLES
from baton.story.compare_checks import Weighed
from baton.story.integration_steps import decide_step, record_or_ask
from baton.story.question import accumulated_errors
from baton.story.run_facts import passed_by
from baton.story.run_work import forget_runs
from baton.story.session import StorySession
from baton.story.step import merge_command
from baton.story.story_files import all_files, report_of, text_of
from baton.templates.render import render
from baton.text import clip, join_words, one_line

# What a screen holds beside the report and the command that merges.
SCREEN_LINES = 44
DIFFSTAT_LEAST = 8


def finish_merge(story: StorySession, commit: str, ours: bool = True) -> None:
    """Complete a story that base contains: keep its report, delete its branch unless somebody works on it."""
    ran = story.git.do("log", "-1", "--format=%b", commit).strip() if ours else ""
    merged = f"Merged into `{story.base}` as `{commit[:12]}`."
    _keep_report(story, f"## What was run\n\n{ran}\n\n{merged}" if ran else merged)
    forget_runs(story)
    drop(story.git, story.branch, story.tip)
    done = decide_step(story, "close/done", commit=commit)
    story.note(Completed(done.rule, commit, str(_report_copy(story))))


def finish_branch(story: StorySession, weighed: Sequence[Weighed]) -> None:
    """Complete a story that stays on its branch: say what it changes and which command merges it."""
    head = story.tip
    report = report_text(story, weighed)
    stat = _diffstat(story, head, max(DIFFSTAT_LEAST, SCREEN_LINES - report.count("\n")))
    _keep_report(story, f"{stat}\nMerge it with:\n\n```\n{merge_command(story)}\n```", report)
    forget_runs(story)
    done = decide_step(story, "integrate/branch", commit=head)
    record_or_ask(story, done, head)
    story.note(Completed(done.rule, head, str(_report_copy(story))))


def _report_copy(story: StorySession) -> Path:
    return story.project.state / story.id / "report.md"


def _keep_report(story: StorySession, end: str, text: str = "") -> None:
    """Keep a copy of the completion report beside the journal, with what became of the branch."""
    if stays := remove_trees(story.project, story.id):
        end = f"{end}\n\nNote: {stays}."
    write_durably(_report_copy(story), f"{text or report_text(story)}\n{end}\n", story.project.common)


def _diffstat(story: StorySession, head: str, most: int) -> str:
    lines = story.git.do("diff", "--stat=100", f"{story.base}...{head}", "--").splitlines()
    shown = (
        lines if len(lines) <= most else [*lines[: most - 2], f" … and {len(lines) - most + 1} more", lines[-1]]
    )
    return "\n".join(["```", *shown, "```", ""])


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
    return "\n".join(["What was run on this tree, the story's own folder aside:", "", *lines, *noted])


def _noted(story: StorySession) -> list[str]:
    """Return what there was nothing to run for; of prepush only where the project has any."""
    unset = [one for one in story.state.checked if one.rule.endswith("/unset")]
    told = [one.reason for one in unset if story.config.prepush or one.rule != "prepush/unset"]
    return list(dict.fromkeys(told))


def _result(one: Weighed) -> str:
    failed = join_words(sorted(one.triage.failed), SHOWN_NAMES)
    words = {
        "pass": "passed",
        "preexisting": f"fails as before the story: {failed}",
        "unclear": f"failed, and you accepted it: {failed or one.triage.why}",
    }
    return " ".join(f"{words[one.triage.provenance]} ({one.outcome.seconds} s)".split())


def _shown(story: StorySession, count: int) -> list[str]:
    """Return, for each criterion, the result it was given and how that was seen."""
    rows = {row.id: f"{row.result}, {one_line(row.evidence)}" for row in report_of(story, passed_by(story)).rows}
    return [clip(rows.get(f"AC{number}", "passed"), CELL) for number in range(1, count + 1)]


def _with_status(text: str) -> str:
    """Return a story's text with its closing status."""
    changed, count = re.subn(r"(?m)\A(---\n(?:(?!---$).*\n)*?)status:.*$", r"\1status: complete", text, count=1)
    if not count:
        changed, count = re.subn(r"\A---\n", "---\nstatus: complete\n", text, count=1)
    if not count:
        raise BatonError("no front matter", "story.md", "put it back: it begins with a line `---`")
    return changed
