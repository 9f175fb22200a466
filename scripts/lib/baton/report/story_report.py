"""The report of a story, at any point of its life: read from its journal, its files and git; writes nothing."""

import json
from collections.abc import Iterator, Sequence
from shlex import quote
from typing import Any

from baton.artifacts.config import Config
from baton.artifacts.report import (
    MICRO,
    PASS,
    QA,
    REPORT_KINDS,
    Criterion,
    RunReport,
    judged_criteria,
    read_report,
)
from baton.checks.job import story_checks
from baton.delivery.revert import check_whole, merged_as
from baton.errors import BatonError
from baton.git.command import Git
from baton.git.history import brought_back
from baton.github.address import link_to
from baton.journal.events import Answered, HandedIn, IntegrationStepDone
from baton.journal.paths import Project
from baton.journal.run import RETURN
from baton.journal.state import OVER, State, fold
from baton.project.settings import Settings, read_settings
from baton.report.evidence import NO_WORK, read_check_runs, try_read, work_between
from baton.report.lanes import is_on_github, timeline_of
from baton.report.report_data import ArtifactRow, ReportData, RunRow, bounded
from baton.report.report_decisions import decisions_of
from baton.story.checks.compare_checks import unset_commands
from baton.story.integrate.completion_report import built_by, left_by, synced_base
from baton.story.integrate.undo import merge_of, revert_command
from baton.story.session.open_story import look_at
from baton.story.session.session import StorySession, pull_url_of, tip_of
from baton.story.session.story_files import accepted_text, report_of
from baton.story.status.statistics import Followed, is_question, outcome_of
from baton.text import join_words, lasting, plural
from baton.usage.spending import Spending, Total, join_conversation, spending_of, sum_of
from baton.usage.spending_words import dollar_range, short_count, whole_minutes

TONES = {
    "merged": "good", "complete_not_merged": "good", "under_way": "open", "not_begun": "open",
    "waiting_for_you": "ask", "undone": "bad", "abandoned": "bad",
}  # fmt: skip
# What a person merged, no command of baton's ran on.
BY_OTHERS = ("merge/already", "merge/by-hand")


def story_report(project: Project, story_id: str, now: str) -> ReportData:
    """Return the report of a story at a time; a BatonError where there is no such story."""
    unread: list[str] = []

    def read(git: Git, base: str, made_at: str) -> Settings:  # also where they cannot be read any more
        return try_read(lambda: read_settings(git, base, made_at), Settings(base, Config()), unread)

    story = look_at(project, story_id, read)
    state, records = story.state, story.journal.records
    undone = bool(state.undone) and not try_read(lambda: brought_back(story.git, *state.undone), False, unread)
    row, spending = story_row(project, Followed(records, undone), now), spending_of(records)
    verdict = try_read(lambda: _verdict_of(story), RunReport(), unread)
    criteria = judged_criteria(verdict, state.criteria)
    criteria += [Criterion("", text, "deferred", "") for text in state.deferred]
    undo, why = _undo(story, undone)
    whole, papers = bool(undo) or not merged_as(story), story.folder.papers
    commits, files = try_read(
        lambda: work_between(story.git, _commit_range(story, whole), papers, unread), NO_WORK, unread
    )
    decisions = list(decisions_of(records))
    return bounded(ReportData(
        kind="story", id=story.id, title=row["title"], state=row["state"], tone=row["tone"],
        timeline=row["timeline"], base=story.settings().base, branch=story.branch,
        commit=state.completed.commit if state.completed else tip_of(story), url=link_to(pull_url_of(story)),
        updated=state.updated, built=try_read(lambda: built_by(story), "", unread) if state.runs else "",
        runs=list(_runs(state, spending)), total=_used("in all", sum_of(spending)), decisions=decisions,
        hosted=[decision for decision in decisions if pull_url_of(story) and is_on_github(decision.rule)],
        commits=commits, files=files, checks=[run.row for run in read_check_runs(story_checks(project, story.id))],
        artifacts=list(_artifacts(story)), criteria=criteria,
        not_verified=[*_not_verified(story, criteria, verdict, sum_of(spending), unread), *unread],
        undo=undo, undo_why=why,
    ))  # fmt: skip


def story_row(project: Project, followed: Followed, now: str) -> dict[str, Any]:
    """Return a story as a row beside others; `followed` is its journal, and whether its merge is undone."""
    state, records = fold(followed.records), followed.records
    outcome, total = outcome_of(state, followed.undone), _used("in all", sum_of(spending_of(records)))
    checks = [run.stretch for run in read_check_runs(story_checks(project, state.created.story))]
    until = state.updated if state.stage in OVER else now
    return {
        "id": state.created.story, "title": state.created.title, "state": outcome.replace("_", " "),
        "tone": TONES[outcome], "runs": len(state.runs), "questions": sum(map(is_question, state.events)),
        "minutes": total.minutes, "lasted": total.lasted, "tokens": total.tokens, "usd": total.usd,
        "timeline": timeline_of(state, records, checks, until),
    }  # fmt: skip


def _verdict_of(story: StorySession) -> RunReport:
    """Return the report that passes or fails the work, QA's or that of a small story's run; else an empty one."""
    reports = (report_of(story, kind) for kind in (QA, MICRO))
    return next((report for report in reports if report.verdict), RunReport())


def _runs(state: State, spending: Sequence[Spending]) -> Iterator[RunRow]:
    """Give a row for each run, with its task, use and result, and one for the conversation."""
    runs = {run.id: run for run in state.runs}
    for spent in join_conversation(spending):
        used = _used(spent.run or "conversation", sum_of([spent]))
        row = used._replace(phase=spent.phase, models=join_words(list(spent.models), 3), unknown=spent.unknown)
        if run := runs.get(spent.run):
            led_to = run.judged.rule if run.judged else ""
            row = row._replace(task=run.dispatched.task, result=led_to, seen_by=run.start_seen_by)
        yield row


def _used(name: str, total: Total) -> RunRow:
    usd = dollar_range(total).removesuffix(" or more") if total.high else ""
    tokens = short_count(total.tokens.total) if total.tokens.requests else ""
    lasted = lasting(total.seconds) if total.seconds else ""
    return RunRow(name, minutes=whole_minutes(total.seconds), tokens=tokens, usd=usd, lasted=lasted)


def _artifacts(story: StorySession) -> Iterator[ArtifactRow]:
    """Give the artifacts of runs, each report with its verdict and the results of its criteria."""
    for event in story.state.events:
        if isinstance(event, HandedIn) and event.artifact != RETURN:
            kept = accepted_text(story, event.sha256) if event.artifact in REPORT_KINDS else None
            read = read_report(json.loads(kept)["data"]) if kept else RunReport()
            rows = ", ".join(f"{row.id} {row.result}" for row in read.rows if row.result)
            yield ArtifactRow(event.artifact, event.run, event.path, "; ".join(filter(None, (read.verdict, rows))))


def _commit_range(story: StorySession, whole: bool) -> list[tuple[str, str]]:
    """Return the range of the story's commits, its merge alone if that is `whole`; empty if it is gone."""
    git, state = story.git, story.state
    steps = {event.rule: event.commit for event in state.events if isinstance(event, IntegrationStepDone)}
    merged = merged_as(story) or steps.get("merge/made", "")
    if state.completed and whole and merged and git.commit_of(f"{merged}^1"):
        return [(f"{merged}^1", merged)]
    kept = [run.kept.commit for run in reversed(state.runs) if run.kept]
    ends = (tip_of(story), steps.get("close/written", ""), *kept)
    after = next((commit for commit in ends if commit and git.commit_of(commit)), "")
    before = synced_base(story)
    return [(before, after)] if after and git.commit_of(before) else []


def _not_verified(
    story: StorySession, criteria: Sequence[Criterion], verdict: RunReport, total: Total, unread: list[str]
) -> Iterator[str]:
    """Give what nobody verified, from the same facts as the completion report."""
    state = story.state
    if not state.completed:
        yield "it is not complete: its commands and checks have not all passed on what would be merged"
    if state.question:
        yield f"{state.question.rule}: a question that is open: {state.question.reason}"
    if not criteria:
        yield "no criterion was judged"
    for criterion in criteria:
        if criterion.result != PASS:
            yield (
                f"{criterion.name}: {criterion.text} ({criterion.result or 'not judged'})"
                if criterion.name
                else f"deferred: {criterion.text}"
            )
    yield from try_read(lambda: left_by(story, verdict), list[str](), unread)
    yield from unset_commands(story)
    for event in state.events:
        match event:
            case Answered(rule=rule, option="accept") if rule.endswith(("/unclear", "/credential")):
                yield f"{rule}: a command that could not tell, which you accepted"
            case IntegrationStepDone(rule=rule) if rule in BY_OTHERS:
                yield f"{rule}: what is merged was not made by baton, and its commands did not run on it"
    if total.unknown:
        yield f"what {plural(total.unknown, 'run')} used is not known"
    yield from (f"no price is known of {model}" for model in total.unpriced)


def _undo(story: StorySession, undone: bool) -> tuple[str, str]:
    """Return the command that undoes the story, or brings it back, and its effect; or none, and why."""
    if undone:
        base, commit = story.state.undone
        back = f"git switch {quote(base)} && {revert_command(story.git, commit)}"
        return back, "it is taken back already, and this brings it back"
    merged, does = merged_as(story), f"reverts the merge in a commit of its own on {story.settings().base}"
    try:
        if merged:
            check_whole(story, merged)
            does = "opens a pull request that reverts the merge"
        else:
            merge_of(story)
    except BatonError as error:
        return "", f"{error.what}; {error.remedy}"
    return f"baton undo {story.id}", does
