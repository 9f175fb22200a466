"""Whether a story that is to be integrated still is what was passed: the same text, the same code."""

from baton.git.objects import same_code
from baton.journal.events import IntegrationStepDone, Judged
from baton.journal.run import Run
from baton.story.completion_report import passed_by
from baton.story.integration_steps import decide_step, passed
from baton.story.run_facts import changed_text
from baton.story.session import StorySession
from baton.story.story_branch import text_changed, told_commits
from baton.story.story_files import edited_since


def is_as_passed(story: StorySession) -> bool:
    """Whether the story is what was passed; else a person is asked, or who passed it is sent out again."""
    if text_changed(story):
        told = changed_text(story)
        return passed(story, decide_step(story, "integrate/criteria-changed", told), story.tip)
    run = passing_run(story)
    edited = edited_since(story, run, "story")
    if not edited and same_code(story.git, story.tip, _judged(run), story.folder.relative):
        return True
    told = "a person changed the story" if edited else told_commits(story, run.dispatched.head, story.tip)
    moved = decide_step(
        story, "merge/head-moved-small" if run.role == "micro-delivery" else "merge/head-moved", told
    )
    story.note(IntegrationStepDone(moved.rule, story.tip, moved.reason))
    story.note(Judged("", moved.rule, moved.action, moved.then, moved.reason))
    return False


def passing_run(story: StorySession) -> Run:
    """Return the run whose verdict passed the work: not one that only fixed a memory delta since."""
    kind = passed_by(story)
    return next(run for run in reversed(story.state.runs) if kind in run.handed_in)


def _judged(run: Run) -> str:
    """Return the commit that was passed: the one QA was sent out for, or what a small story's run left."""
    return (run.kept.commit if run.kept else "") or run.dispatched.head
