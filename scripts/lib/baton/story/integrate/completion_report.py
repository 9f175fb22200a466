"""The completion report: what was built, what was decided by whom, what it took, what is left, how to undo it."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from baton.artifacts.findings import writable_name
from baton.artifacts.report import ESCALATE, IMPL, Criterion, RunReport, judged_criteria
from baton.checks.failures import is_named
from baton.git.command import Git
from baton.git.object_store import Entry
from baton.git.paper_trees import changes_between
from baton.journal.events import Answered, Edited, Judged
from baton.journal.paths import Papers
from baton.journal.run import ROLES, Run
from baton.story.ask.question import accumulated_errors
from baton.story.begin.origin import manual_write_back
from baton.story.checks.baseline import fails_on_base
from baton.story.checks.compare_checks import Weighed, unset_commands
from baton.story.checks.gate import covers_path
from baton.story.judge.run_facts import passed_by
from baton.story.run.commit_message import summary_of
from baton.story.run.progress import runs_anew, starts_seen, task_of
from baton.story.session.session import StorySession, commands_for, papers_of, tip_of
from baton.story.session.story_files import read_spec, report_of, reported_files
from baton.templates.render import render
from baton.text import clip, join_words, lasting, one_line, plural
from baton.usage.spending import spending_of, sum_of
from baton.usage.spending_words import other_models_words, sum_words

# One screen: the reports have the rest.
SHOWN_NAMES, SHOWN_ERRORS, CELL = 3, 5, 160
# What a run was started by that is to fix the work of runs before it.
FIXING = ("report/", "qa/", "micro/", "fix/")
NOTHING_CHANGED = "Nothing had to be changed: {base} met the story already"
# How the user said what they decided.
HOW = {
    "prompt": "in the client", "dialog": "in the client", "asked": "in the client", "client": "in the client",
    "terminal": "at a terminal", "pipe": "through a pipe", "github": "by {who} on GitHub (`{url}`)",
}  # fmt: skip


class Decided(NamedTuple):
    """A decision of the user: when, about what, which way, in which words, and how they said it."""

    day: str
    rule: str
    option: str
    note: str
    how: str


class FileChange(NamedTuple):
    """A file that a story changes, or a folder of several: its lines, none of what is not text.

    The shares are in hundredths of the largest change beside it.
    """

    path: str
    added: int
    removed: int
    added_share: float = 0
    removed_share: float = 0


def report_text(
    story: StorySession, weighed: Sequence[Weighed] | None = None, merged: str = "", ours: bool = False,
    tree: str = "",
) -> str:  # fmt: skip
    """Write the completion report; the committed one knows no merge, no time, and not how the commands went.

    `merged` is the commit of base that holds the story, which the program has made if it is `ours`;
    `tree` is what is to be merged.
    """
    known, passed, files = read_spec(story), report_of(story, passed_by(story)), _files(story)
    errors = accumulated_errors(story)
    runs = {role.phase: count for name, role in ROLES.items() if (count := story.state.count(name))}
    return render(
        "completion-report.md.j2",
        id=story.id,
        title=story.state.created.title,
        base=story.settings().base,
        branch=story.branch,
        built=built_by(story) if files else NOTHING_CHANGED.format(base=story.settings().base),
        files=files or "none",
        changed=_changed(story),
        took=f"{_duration(story)}, " if merged or weighed is not None else "",
        spent=_spent(story) if merged or weighed is not None else "",
        seen=starts_seen(story.state.runs),
        runs=join_words([plural(count, f"{phase} run") for phase, count in runs.items()]),
        decided=list(_decided(story)),
        person=one_line(story.git.ask("var", "GIT_COMMITTER_IDENT").out.partition(" <")[0]) or "the user",
        merged=merged[:12],
        ours=ours,
        left=left_by(story, passed)[:SHOWN_ERRORS],
        criteria=[(criterion, _shown(criterion)) for criterion in judged_criteria(passed, known.criteria)],
        deferred=known.deferred,
        checks=checks_text(story, weighed) if weighed is not None else "",
        errors=errors[:SHOWN_ERRORS],
        more_errors=len(errors[SHOWN_ERRORS:]),
        delta=_delta(story),
    )


def _delta(story: StorySession) -> str:
    path = story.folder.artifact("memory-delta")
    return story.folder.relative_to_root(path) if path.exists() else ""


def built_by(story: StorySession) -> str:
    """Return what the runs of code say they did, those that only fixed it aside; the title if they say nothing."""
    runs = [run for run in runs_anew(story.state) if ROLES[run.role].changes_code]
    built = [run for run in runs if not run.dispatched.rule.startswith(FIXING)]
    summaries = _summaries(story, built) or _summaries(story, runs)
    return clip("; ".join(summaries), 2 * CELL) or story.state.created.title


def _summaries(story: StorySession, runs: Sequence[Run]) -> list[str]:
    summaries = [one_line(summary_of(story, run)).rstrip(".") for run in runs]
    return [summary for summary in dict.fromkeys(summaries) if summary]


def _files(story: StorySession) -> str:
    """Return how many files the story changes beside its own folder, by how many lines; empty for none."""
    rows = lines_changed(story.git, f"{synced_base(story)}...{tip_of(story)}", story.folder.papers)
    added, removed = sum(row.added for row in rows), sum(row.removed for row in rows)
    return f"{len(rows)} (+{added} -{removed} lines)" if rows else ""


def _changed(story: StorySession) -> dict[str, str]:
    """Return the files that the story changes, papers aside, by status, each with the run that did it."""
    fork = story.git.fork_point(synced_base(story), tip_of(story))
    runs = [(task_of(run), _changed_by(story, run)) for run in reversed(story.state.runs)]
    lists = {status: dict[str, list[str]]() for status in ("Added", "Changed", "Deleted", "Named in no report")}
    named = reported_files(story)
    for name, (before, after) in changes_between(story.git, fork, tip_of(story)).items():
        if not papers_of(story).has(name):
            by = next((task for task, files in runs if name in files and files[name] == after), "no run")
            status = "Added" if before is None else "Deleted" if after is None else "Changed"
            lists[status].setdefault(by, []).append(f"`{one_line(writable_name(name))}`")
            if not covers_path(named, name):
                lists["Named in no report"].setdefault(by, []).append(f"`{one_line(writable_name(name))}`")
    by_run = {
        status: [f"{', '.join(names)} ({by})" for by, names in tasks.items()] for status, tasks in lists.items()
    }
    return {status: "; ".join(lines) for status, lines in by_run.items() if lines}


def _changed_by(story: StorySession, run: Run) -> dict[str, Entry | None]:
    """Return what a run's commit changed, as it left it; of one that is not in this clone, nothing."""
    commit = run.kept.commit if run.kept else ""
    changes = changes_between(story.git, run.dispatched.head, commit) if story.git.commit_of(commit) else {}
    return {name: after for name, (_, after) in changes.items()}


def synced_base(story: StorySession) -> str:
    """Return the commit of base that the story was last merged with, or began from."""
    began = story.state.started.base_commit if story.state.started else story.settings().base
    return next((step.commit for step in reversed(story.state.checked) if step.rule == "sync/clean"), began)


def lines_changed(git: Git, commits: str, apart: Papers) -> list[FileChange]:
    """Return by how many lines files change between commits, papers aside, the largest first."""
    out = git.do("diff", "--numstat", "-z", "--no-renames", commits, "--")
    rows = [line.split("\t") for line in out.split("\0") if line]
    changes = [FileChange(row[2], *(int(count) if count.isdecimal() else 0 for count in row[:2])) for row in rows]
    others = (change for change in changes if not apart.has(change.path))
    return sorted(others, key=lambda row: -row.added - row.removed)


def _spent(story: StorySession) -> str:
    """Return what the story has spent so far, and which runs another model did than was asked for."""
    spending = spending_of(story.journal.records)
    if not any(spent.models for spent in spending):
        return "not known, for no hook of the client has reported it"
    others = other_models_words(spending)
    return one_line("; ".join(filter(None, (sum_words(sum_of(spending)), others))))


def _duration(story: StorySession) -> str:
    """Return the time from the story's begin to the last judgment of a run."""
    times = [entry.time for entry in story.journal.records if entry.seq == 1 or isinstance(entry.event, Judged)]
    began, ended = (datetime.fromisoformat(time) for time in (times[0], times[-1]))
    return lasting((ended - began).total_seconds())


def _decided(story: StorySession) -> Iterator[Decided]:
    for record in story.journal.records:
        match record.event:
            case Answered() as answered:
                deferred = "; ".join([f"deferred: {text}" for text in answered.deferred])
                note = one_line("; ".join(filter(None, (answered.note, deferred))))
                how = HOW.get(answered.said.get("how", ""), "").format_map(answered.said)
                yield Decided(record.time[:10], answered.rule, answered.option, clip(note, CELL), how)
            case Edited() as edited:
                yield Decided(record.time[:10], "edit", edited.artifact, "", HOW.get(edited.how, ""))


def left_by(story: StorySession, passed: RunReport) -> list[str]:
    """Return what is not done or not well: refs that moved, hooks that did not run, what its reports say.

    What fails on base has a line each, however two reports call it.
    """
    moved = [line for event in story.state.events if isinstance(event, Judged) for line in event.moved]
    impl, names = report_of(story, IMPL), fails_on_base(story)
    failures = (*impl.known_failures, *passed.known_failures)
    known = [f"fails as before: {name}" for text in failures for name in _named_in(text, names) or [text]]
    known += [f"you accepted: {failure}" for failure in impl.blocking_failures]
    known += manual_write_back(story)
    known += [f"QA has reservations: {passed.reason}"] if passed.verdict == ESCALATE else []
    return [*moved, *(clip(one_line(line), CELL) for line in dict.fromkeys(known))]


def _named_in(text: str, names: Sequence[str]) -> list[str]:
    return [name for name in names if is_named(name, text)]


def checks_text(story: StorySession, weighed: Sequence[Weighed]) -> str:
    """Say what was run on the tree that is merged, with what result."""
    lines = [
        f"- {check.command.name}, `{' '.join(check.command.line.split())}`: {_result(check)}" for check in weighed
    ]
    unset = unset_commands(story) if commands_for(story) else ["`.baton.yaml` names no commands"]
    lines += [f"- {reason}" for reason in unset] if lines else []
    head = "What was run on this tree, the story's own folder aside:"
    return "\n".join([head, "", *lines]) if lines else f"Nothing was run: {'; '.join(unset)}."


def result_text(story: StorySession, weighed: Sequence[Weighed]) -> str:
    """Say what a merge's message has below its title: what was run, and that nothing had to be changed."""
    unchanged = [] if _files(story) else [f"{NOTHING_CHANGED.format(base=story.settings().base)}."]
    return "\n\n".join([checks_text(story, weighed), *unchanged])


def _result(check: Weighed) -> str:
    failed = join_words(sorted(check.triage.failed), SHOWN_NAMES)
    words = {
        "pass": "passed",
        "preexisting": f"fails as before the story: {failed}",
        "flaky": f"flaky: {failed} {check.triage.why}",
        "unclear": f"failed, and you accepted it: {failed or check.triage.why}",
    }
    result = "; ".join([words[check.triage.provenance], *check.outcome.notes])
    return " ".join(f"{result} ({check.outcome.seconds} s)".split())


def _shown(row: Criterion) -> str:
    """Say which result a criterion was given, and how that was seen."""
    return clip(f"{row.result}, {one_line(row.evidence)}", CELL) if row.result else "passed"
