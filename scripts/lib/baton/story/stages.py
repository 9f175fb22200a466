"""The stages of a story, handled one by one until there is a step to tell; a run that is over is archived."""

from contextlib import suppress
from datetime import UTC, datetime

from baton.artifacts.story_file import read_story
from baton.errors import BatonError
from baton.git.objects import commit_message, commit_to_look_at, commit_tree, merge_trees, tree_of
from baton.git.paper_trees import changes_between
from baton.journal.atomic_file import write_durably
from baton.journal.events import Judged, QuestionAsked, RunArchived
from baton.journal.run import ROLES, Run
from baton.journal.state import NextAction
from baton.rules.engine import Decision
from baton.rules.pages import check_pages, table_of
from baton.story.ask.question import build_question, was_accepted
from baton.story.ask.step import Step, question_step
from baton.story.begin.issue import IssueChange
from baton.story.begin.start import begin_story, commands_confirmed
from baton.story.begin.story_intake import confirm_if_clear
from baton.story.checks.compare_checks import subject_of, weigh
from baton.story.integrate_story import integrate_story
from baton.story.judge.judge import judge_run
from baton.story.judge.run_facts import (
    check_conflict,
    declared_files_of,
    passing_run,
    settle_commit,
    work_to_merge,
)
from baton.story.run.commit_message import is_message_allowed, run_message, summary_of
from baton.story.run.dispatch import dispatch_run
from baton.story.run.last_words import take_last_words
from baton.story.run.run_work import keep_work, remove_run_tree
from baton.story.run.story_steps import complete_step, resting_step
from baton.story.session.papers import tree_with_papers
from baton.story.session.session import StorySession, base_commit_of, commands_for, tip_of
from baton.story.session.story_branch import adopt_commits, move_branch, take_in_commits
from baton.story.session.story_files import file_away, text_of
from baton.story.session.user_refs import find_moved, forget_user_refs
from baton.templates.render import render

# The rule by which the user is asked about a branch that lost commits.
LOST = "run/head-moved"
# The questions about a run's commit: answered, it is made anew.
NEEDS_TREE = ("run/protected", "run/message", "run/hooks")


def advance_until_step(story: StorySession, paused_at_seq: int, rests: bool) -> Step:
    """Take a story from stage to stage until there is a step to tell.

    `paused_at_seq` is the length the journal had when the pause began that a step asked for, 0 without one;
    `rests`: the user has stopped its run, and none is begun until they say so.
    """
    before = len(story.state.events)
    while True:
        run = story.state.run
        if run and _is_to_be_filed(story, run):
            if run.judged is None and _has_work_to_take(story, run):  # it was given up
                keep_work(story, run, declared_files_of(story), summary_of(story, run))
            archive_run(story, run)
        pending = story.state.pending if rests and story.state.stage == "ready" else None
        if pending and pending.then != "integrate":  # which starts no run
            return resting_step(story, pending)
        step = _step_at(story, is_unchanged_since_pause=paused_at_seq == story.journal.seq)
        if step is not None:
            judged = [event for event in story.state.events[before:] if isinstance(event, Judged)]
            return step._replace(warnings=[*step.warnings, *(line for event in judged for line in event.moved)])


def _is_to_be_filed(story: StorySession, run: Run) -> bool:
    """Whether a run is over; where its commit is asked about, its tree is needed until the answer."""
    state = story.state
    waits = state.stage == "running" or (state.question is not None and state.question.rule in NEEDS_TREE)
    return not run.archived and not waits and (run.judged is not None or state.stage == "ready")


def archive_run(story: StorySession, run: Run) -> None:
    """Put a judged run's work on the story branch, file its metadata away, and remove its tree."""
    _write_summary(story)
    commit, conflicts = _put_on_branch(story, run)
    refused = check_conflict(story, run) if conflicts else run.kept.refused if run.kept else ""
    file_away(story, ("return-meta",))
    stays = remove_run_tree(story, run)
    forget_user_refs(story)
    story.note(RunArchived(run.id, commit, refused, stays))


def _put_on_branch(story: StorySession, run: Run) -> tuple[str, list[str]]:
    """Move the story branch to a commit of the run's work and the papers; returns it, and the files in conflict.

    Where the branch has moved since the run began, the work is merged onto it as it is now; a conflict leaves it.
    """
    if earlier := settle_commit(story, run):
        return earlier, []
    git, tip, work = story.git, tip_of(story), work_to_merge(run)
    if work:
        merged = merge_trees(git, tip, work) if tip != run.dispatched.head else None
        if merged and merged.conflicts:
            return "", merged.conflicts
        code = merged.tree if merged else tree_of(git, work)
    else:
        code = tree_of(git, tip)
    tree = tree_with_papers(story, code)
    merging = run.dispatched.merging if work else ""
    if not merging and _says_nothing_new(story, tree):
        return "", []
    message = commit_message(git, work) if work else ""
    commit = commit_tree(
        git, tree, [tip, *([merging] if merging else [])], message or run_message(story, run).text
    )
    move_branch(story, tip, commit)
    return commit, []


def _says_nothing_new(story: StorySession, tree: str) -> bool:
    """Whether a tree differs from the branch in the summary's log alone: that goes with the next commit."""
    changed = changes_between(story.git, tip_of(story), tree)
    return all(name.startswith(f"{story.folder.relative}/summaries/") for name in changed)


def _write_summary(story: StorySession) -> None:
    """Render the summary with its Phase Log: one entry a run."""
    day = datetime.now(UTC).strftime("%Y%m%d")
    folder = story.folder.path / "summaries"
    existing = sorted(folder.glob("implementation-summary-*.md"))
    path = existing[0] if existing else folder / f"implementation-summary-{day}.md"
    # A run the user had judged once more has its last judgment.
    judged = list(
        {event.run: event for event in story.state.events if isinstance(event, Judged) and event.run}.values()
    )
    last = judged[-1] if judged else None
    text = render(
        "summary.md.j2",
        id=story.id,
        title=story.state.created.title,
        entries=judged,
        closed=last.closed if last else 0,
        total=last.total if last else 0,
    )
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        write_durably(path, text, story.project.common)


def _step_at(story: StorySession, is_unchanged_since_pause: bool) -> Step | None:
    """Do what the stage of the story asks for; returns the step there is to tell, None where the story went on."""
    match story.state.stage:
        case "new":
            check_pages()  # each is read when it is asked for: here all of them, before a story begins
            return begin_story(story)
        case "running":
            _judge_ended(story)
        case "ready":
            return _do_pending(story, is_unchanged_since_pause)
        case "question":
            return question_step(story)
        case _:  # it is complete: one that was abandoned is refused before
            return complete_step(story)
    return None


def _judge_ended(story: StorySession) -> None:
    """Take what the run that has ended left, and judge it."""
    run = story.state.run
    assert run is not None
    moved = take_in_commits(story)
    if moved and LOST in story.state.overridden_rules:
        adopt_commits(story)
        moved = ""
    if _has_work_to_take(story, run):
        keep_work(story, run, declared_files_of(story), summary_of(story, run))
    take_last_words(story, run)
    confirm_if_clear(story, run)
    lost = find_moved(story, run, moved)
    story.note(judge_run(story, run, lost, issue=_read_issue_again(story, run)))
    if story.state.stage == "ready":
        archive_run(story, run)


def _read_issue_again(story: StorySession, run: Run) -> IssueChange | None:
    """Return how the story's issue changed meanwhile; None without one, or for a run that is judged once more."""
    if run.judged or not read_story(text_of(story, "story")).source_hash:
        return None
    from baton.story.begin.read_issue import find_change  # most stories are of no issue

    try:
        return find_change(story)
    except BatonError as error:
        return IssueChange(trouble=f"the issue was not read again, and the work goes on: {error.what}")


def _has_work_to_take(story: StorySession, run: Run) -> bool:
    """Whether a run's work is still to be taken from its tree: it died, or the user has allowed it since."""
    if run.kept is None or run.kept.broken:
        return True
    kept = run.kept
    return (bool(kept.risky) and was_accepted(story, kept.risky)) or (
        bool(kept.message_refused) and is_message_allowed(story, run)
    )


def _do_pending(story: StorySession, is_unchanged_since_pause: bool) -> Step | None:
    """Do what is due: integrate the story, or start a run; None where the user is asked, or it is done."""
    pending = story.state.pending
    assert pending is not None
    if moved := take_in_commits(story):
        if pending.rule != LOST:
            _ask_about(story, pending, moved)
            return None
        adopt_commits(story)
    if pending.then == "integrate":
        return integrate_story(story)
    step = dispatch_run(story, pending, is_unchanged_since_pause)
    if pending.then == "qa" and story.state.stage == "running":
        _check_ahead(story)
    return step


def _check_ahead(story: StorySession) -> None:
    """Start the commands that QA's PASS is held against while QA works; those that cannot start run after it."""
    git, tip, base = story.git, tip_of(story), base_commit_of(story)
    if not (tip and commands_for(story) and commands_confirmed(story)):
        return
    with suppress(BatonError):
        merged = merge_trees(git, tip, base)
        if not merged.conflicts:
            weigh(subject_of(story), commit_to_look_at(git, merged.tree, [tip, base]))


def _ask_about(story: StorySession, pending: NextAction, moved: str) -> None:
    """Ask about a branch that lost commits while no run was out; `continue` leads to what was due."""
    row = next(row for row in table_of("run").rows if row.rule == LOST)
    role = pending.then if pending.then in ROLES else passing_run(story).role
    decision, see = Decision(row, moved), str(story.folder.path)
    question, answers = build_question(story, decision, ROLES[role].phase, see, pending.findings)
    answers["continue"] = pending.then
    story.note(QuestionAsked(decision.action, decision.rule, decision.reason, question, answers))
