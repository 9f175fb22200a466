"""A story as a report: read from its journal, its files and git, at any point of its life; nothing is written."""

from collections.abc import Callable, Iterator, Sequence
from shlex import quote
from typing import TypeVar

from baton.artifacts.config import Config
from baton.artifacts.report import PASS
from baton.artifacts.report import Report as Verdict
from baton.checks.job import story_checks
from baton.delivery.revert import check_whole, merged_as
from baton.errors import BatonError
from baton.git.command import Git
from baton.git.history import brought_back
from baton.github.address import link_to
from baton.journal.events import Answered, IntegrationStepDone
from baton.journal.paths import Project
from baton.journal.state import OVER, State, fold
from baton.project.settings import Settings, read_settings
from baton.report.data import Commit, ReportData, StoryRow, bounded
from baton.report.decisions import decisions_of
from baton.report.evidence import (
    artifacts_of,
    check_rows,
    commit_range,
    commits_between,
    criteria_of,
    file_rows,
    run_rows,
    verdict_of,
)
from baton.report.lanes import is_on_github, read_check_runs, timeline_of
from baton.story.completion_report import (
    FileChange,
    built_by,
    left_by,
    lines_changed,
    unset_commands,
)
from baton.story.session import StorySession, read_journal
from baton.story.statistics import Followed, is_question, outcome_of
from baton.story.their_files import not_written_back
from baton.story.undo import merge_of
from baton.text import plural
from baton.usage.spending import Spending, spending_of, sum_of

Read = TypeVar("Read")
TONES = {
    "merged": "good", "complete_not_merged": "good", "under_way": "open", "not_begun": "open",
    "waiting_for_you": "ask", "undone": "bad", "abandoned": "bad",
}  # fmt: skip
# What a person merged, no command of baton's ran on.
BY_OTHERS = ("merge/already", "merge/by-hand")


def try_read(read: Callable[[], Read], otherwise: Read, unread: list[str]) -> Read:
    """Return what can be read; else something in its place, and why it cannot is added to `unread`."""
    try:
        return read()
    except BatonError as error:
        unread.append(f"cannot be read: {error}")
        return otherwise


def story_report(project: Project, story_id: str, now: str) -> ReportData:
    """Return the report of a story at a time; a BatonError for no such story."""
    unread: list[str] = []
    story = _look_at(project, story_id, unread)
    state, records = story.state, story.journal.records
    undone = bool(state.undone) and not try_read(lambda: brought_back(story.git, *state.undone), False, unread)
    outcome, spending, checks = (
        outcome_of(state, undone),
        spending_of(records),
        read_check_runs(story_checks(project, story.id)),
    )
    verdict = try_read(lambda: verdict_of(story), Verdict(), unread)
    *runs, total = run_rows(
        spending, {run.id: run.dispatched.task for run in state.runs},
        {run.id: run.judged.rule for run in state.runs if run.judged},
        {run.id: run.start_seen_by for run in state.runs},
    )  # fmt: skip
    decisions, (commits, changes), (undo, why) = (
        list(decisions_of(records)),
        _work(story, unread),
        _undo(story, undone),
    )
    hosted = [one for one in decisions if story.pull_url and is_on_github(one.rule)]
    return bounded(ReportData(
        kind="story", id=story.id, title=state.created.title, state=outcome.replace("_", " "), tone=TONES[outcome],
        base=story.base, branch=story.branch, commit=state.completed.commit if state.completed else story.tip,
        url=link_to(story.pull_url), updated=state.updated,
        built=try_read(lambda: built_by(story), "", unread) if state.runs else "",
        timeline=timeline_of(state, records, checks, _until(state, now)),
        runs=runs, total=total, decisions=decisions, commits=commits, checks=check_rows(checks), hosted=hosted,
        artifacts=list(artifacts_of(story)), criteria=criteria_of(story, verdict),
        not_verified=[*_not_verified(story, verdict, spending, unread), *unread], files=file_rows(changes),
        added=sum(one.added for one in changes), removed=sum(one.removed for one in changes),
        undo=undo, undo_why=why, left_out={},
    ))  # fmt: skip


def _until(state: State, now: str) -> str:
    """Return until when something went on: the last event of a story that is over, else now."""
    return state.updated if state.stage in OVER else now


def _look_at(project: Project, story_id: str, unread: list[str]) -> StorySession:
    """Open a story to look at, even where its base or its settings cannot be read any more."""
    journal = read_journal(project, story_id)
    state, git = fold(journal.records), Git(project)
    began = (state.started.base, state.started.base_commit) if state.started else ("",)
    found = try_read(lambda: read_settings(git, *began), (began[0], Config()), unread)
    folder = project.copy_of(state.created.folder, state.created.story)
    return StorySession(project, git, folder, journal, state, Settings(lambda: found), read_only=True)


def _work(story: StorySession, unread: list[str]) -> tuple[list[Commit], list[FileChange]]:
    """Return the story's commits, and by how much it changes which files."""
    before, after = try_read(lambda: commit_range(story), ("", ""), unread)
    if not after:
        return [], []
    commits = try_read(lambda: commits_between(story.git, before, after), list[Commit](), unread)
    changes = try_read(
        lambda: lines_changed(story.git, f"{before}...{after}", story.folder.papers), list[FileChange](), unread
    )
    return commits, changes


def _not_verified(
    story: StorySession, verdict: Verdict, spending: Sequence[Spending], unread: list[str]
) -> Iterator[str]:
    """Give what nobody verified, or what was taken as it was, from the same facts as the completion report."""
    state, total, criteria = story.state, sum_of(spending), criteria_of(story, verdict)
    if not state.completed:
        yield "it is not complete: its commands and checks have not all passed on what would be merged"
    if state.question:
        yield f"{state.question.rule}: a question that is open: {state.question.reason}"
    if not criteria:
        yield "no criterion was judged"
    for one in criteria:
        if one.result != PASS:
            yield f"{one.name or 'deferred'}: {one.text}" + (
                f" ({one.result or 'not judged'})" if one.name else ""
            )
    yield from try_read(lambda: left_by(story, verdict), list[str](), unread)
    yield from unset_commands(story)
    yield from _taken_as_it_was(story)
    if state.completed and story.folder.artifact("story").exists():
        merged = state.completed.commit
        yield from try_read(lambda: not_written_back(story, merged), list[str](), unread)
    if total.unknown:
        yield f"what {plural(total.unknown, 'run')} used is not known"
    yield from (f"no price is known of {one}" for one in total.unpriced)


def _taken_as_it_was(story: StorySession) -> Iterator[str]:
    """Give what the user accepted unseen, and what others merged."""
    for event in story.state.events:
        if (
            isinstance(event, Answered)
            and event.option == "accept"
            and event.rule.endswith(("/unclear", "/credential"))
        ):
            yield f"{event.rule}: a command that could not tell, which you accepted"
        if isinstance(event, IntegrationStepDone) and event.rule in BY_OTHERS:
            yield f"{event.rule}: what is merged was not made by baton, and its commands did not run on it"


def _undo(story: StorySession, undone: bool) -> tuple[str, str]:
    """Return the command that takes the story back, and what that does; or none, and why."""
    if undone:
        base, commit = story.state.undone
        return (
            f"git switch {quote(base)} && git revert {commit[:12]}",
            "it is taken back already, and this brings it back",
        )
    merged, does = merged_as(story), f"reverts the merge in a commit of its own on {story.base}"
    try:
        if merged:
            check_whole(story, merged)
            does = "opens a pull request that reverts the merge"
        else:
            merge_of(story)
    except BatonError as error:
        return "", f"{error.what}; {error.remedy}"
    return f"baton undo {story.id}", does


def story_row(project: Project, followed: Followed, now: str) -> StoryRow:
    """Return a story as a row beside others; `followed` is its journal, and whether its merge is undone."""
    state, records = fold(followed.records), followed.records
    outcome, spending = outcome_of(state, followed.undone), spending_of(records)
    total = run_rows(spending, {}, {}, {})[-1]
    checks = read_check_runs(story_checks(project, state.created.story))
    return StoryRow(
        id=state.created.story, title=state.created.title, state=outcome.replace("_", " "), tone=TONES[outcome],
        runs=len(state.runs), questions=sum(map(is_question, state.events)), minutes=total.minutes,
        tokens=total.tokens, usd=total.usd, timeline=timeline_of(state, records, checks, _until(state, now)),
    )  # fmt: skip
